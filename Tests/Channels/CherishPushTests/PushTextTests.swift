import CherishCore
import Testing

@testable import CherishPush

@Suite("The text of a push")
struct PushTextTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let topic: Topic
        let language: Language
        let nickname: String
        let title: String
        let body: String

        var testDescription: String { "\(topic) \(language.rawValue) \(nickname)" }
    }

    static let examples = [
        Example(
            topic: .wateringDue, language: .korean, nickname: "하나", title: "하나가 물을 기다려요",
            body: "함께한 지 8일째, 오늘은 민들레에 물을 주는 날이에요. 반가운 목소리를 들려주세요."),
        Example(
            topic: .wateringDue, language: .korean, nickname: "민준", title: "민준이 물을 기다려요",
            body: "함께한 지 8일째, 오늘은 민들레에 물을 주는 날이에요. 반가운 목소리를 들려주세요."),
        Example(
            topic: .reviewMissing, language: .korean, nickname: "하나", title: "하나와 나눈 이야기",
            body: "잊기 전에 키워드 세 개로 남겨 보세요."),
        Example(
            topic: .reviewMissing, language: .korean, nickname: "민준", title: "민준과 나눈 이야기",
            body: "잊기 전에 키워드 세 개로 남겨 보세요."),
        Example(
            topic: .birthday, language: .korean, nickname: "하나", title: "오늘은 하나의 생일이에요", body: "하나를 축하해 주세요."),
        Example(
            topic: .birthday, language: .korean, nickname: "민준", title: "오늘은 민준의 생일이에요", body: "민준을 축하해 주세요."),
        Example(
            topic: .withered, language: .korean, nickname: "하나", title: "하나가 어제 시들었어요",
            body: "함께한 지 8일째예요. 민들레에 물을 주면 바로 다시 살아나요."),
        // Ending in Latin letters, digits and emoji.
        Example(
            topic: .withered, language: .korean, nickname: "Tom", title: "Tom이 어제 시들었어요",
            body: "함께한 지 8일째예요. 민들레에 물을 주면 바로 다시 살아나요."),
        Example(
            topic: .birthday, language: .korean, nickname: "친구2", title: "오늘은 친구2의 생일이에요", body: "친구2를 축하해 주세요."),
        Example(
            topic: .birthday, language: .korean, nickname: "민준🌱", title: "오늘은 민준🌱의 생일이에요", body: "민준🌱을 축하해 주세요."),
        // A nickname without a known sound gets both particles.
        Example(
            topic: .birthday, language: .korean, nickname: "🙂", title: "오늘은 🙂의 생일이에요", body: "🙂을(를) 축하해 주세요."),
        // A nickname is not a template.
        Example(
            topic: .birthday, language: .korean, nickname: "{days}{x}", title: "오늘은 {days}{x}의 생일이에요",
            body: "{days}{x}를 축하해 주세요."),
        Example(
            topic: .wateringDue, language: .english, nickname: "Hana", title: "Hana is waiting for water",
            body: "Day 8 together, and today your dandelion wants water. Say hello!"),
        Example(
            topic: .reviewMissing, language: .english, nickname: "Hana", title: "How was it with Hana?",
            body: "Keep it in three keywords before it slips away."),
        Example(
            topic: .birthday, language: .english, nickname: "Hana", title: "It is Hana's birthday",
            body: "A good day to call."),
        Example(
            topic: .withered, language: .english, nickname: "Hana", title: "Hana withered yesterday",
            body: "Day 8 together. Water brings your dandelion back at once."),
    ]

    @Test("7.11: names the friend, in Korean with the right particle", arguments: PushTextTests.examples)
    func text(example: Example) throws {
        let text = try message(
            topic: example.topic, language: example.language, nickname: example.nickname, daysTogether: 8
        ).text
        #expect(text.title == example.title)
        #expect(text.body == example.body)
    }

    @Test("1.3: the alarm names the plant's species in either language", arguments: Species.allCases)
    func species(species: Species) throws {
        let korean = try message(species: species).text
        let english = try message(language: .english, species: species).text
        let names: [Species: (String, String)] = [
            .rosemary: ("로즈마리", "rosemary"), .americanBlue: ("아메리칸블루", "American blue"),
            .dandelion: ("민들레", "dandelion"),
            .stuckyi: ("스투키", "stuckyi"), .echinopsis: ("단모환", "echinopsis"),
        ]
        let (koreanName, englishName) = try #require(names[species])
        #expect(korean.body.contains("\(koreanName)에 "))
        #expect(english.body.contains("your \(englishName) wants"))
    }

    @Test("the newest keywords are recalled, if any")
    func keywords() throws {
        let keywords = ["여행", "김밥", "이사"]
        let korean = try message(daysTogether: 120, keywords: keywords).text
        #expect(korean.body == "함께한 지 120일째, 오늘은 민들레에 물을 주는 날이에요. 지난 이야기: 여행, 김밥, 이사")
        let english = try message(language: .english, keywords: keywords).text
        #expect(english.body == "Day 1 together, and today your dandelion wants water. Last time: 여행, 김밥, 이사")
        let birthday = try message(topic: .birthday, keywords: ["여행"]).text
        #expect(birthday.body == "하나를 축하해 주세요. 지난 이야기: 여행")
        // A review reminder asks for new ones.
        let reminder = try message(topic: .reviewMissing, keywords: keywords).text
        #expect(!reminder.body.contains("여행"))
    }

    @Test("several friends of one minute: the first by name, the others by number", arguments: Topic.ofPlants)
    func several(topic: Topic) throws {
        let korean = try combined(topic, language: .korean, nickname: "민지", others: 2)
        #expect(korean.text.title.contains("민지 외 2명"))
        #expect(korean.link == "cherish://plants")
        let english = try combined(topic, language: .english, nickname: "Minji", others: 2)
        #expect(english.text.title.contains("Minji and 2 more"))
        if topic == .wateringDue {
            #expect(korean.text.title == "민지 외 2명이 물을 기다려요")
            #expect(english.text.title == "Minji and 2 more are waiting for water")
        }
    }

    @Test("no text keeps a placeholder")
    func placeholders() throws {
        for topic in Topic.ofPlants {
            for language in Language.allCases {
                let texts = [
                    try message(topic: topic, language: language).text,
                    try message(topic: topic, language: language, keywords: ["여행"]).text,
                    try combined(topic, language: language, nickname: "하나", others: 3).text,
                    try digest(language: language, dueCount: 7).text,
                ]
                for text in texts {
                    #expect(!text.title.isEmpty && !text.body.isEmpty)
                    #expect(!(text.title + text.body).contains { "{}".contains($0) })
                }
            }
        }
        #expect(try digest(language: .korean, dueCount: 7).text.title == "오늘 7명이 물을 기다려요")
        #expect(try digest(language: .korean, dueCount: 0).text.title == "오늘의 소식이 더 있어요")
        #expect(try digest(language: .english, dueCount: 0).text.title == "There is more today")
        #expect(try digest(language: .english, dueCount: 7).text.title == "7 want water today")
    }

    @Test("long texts are cut between characters, by length and by bytes")
    func limits() {
        let family = "👨‍👩‍👧‍👦"
        let long = PushText(title: String(repeating: "가", count: 61), body: String(repeating: "a", count: 161))
        #expect(long.title == String(repeating: "가", count: 59) + "…")
        #expect(long.body == String(repeating: "a", count: 159) + "…")
        let fitting = PushText(title: String(repeating: "가", count: 60), body: String(repeating: "a", count: 160))
        #expect(fitting.title.count == 60 && fitting.body.count == 160)
        // 25 bytes each: eleven and the ellipsis are 278.
        let families = PushText(title: String(repeating: family, count: 20), body: "")
        #expect(families.title == String(repeating: family, count: 11) + "…")
        // One character with a thousand marks.
        let marked = PushText(title: "a" + String(repeating: "\u{301}", count: 1000), body: "b")
        #expect(marked.title == "…")
    }

    @Test("a nickname of 20 characters with many marks each still fits")
    func marks() throws {
        let nickname = String(repeating: "e" + String(repeating: "\u{301}\u{302}", count: 15), count: 20)
        let text = try message(nickname: nickname, keywords: [nickname, nickname, nickname]).text
        #expect(text.title.utf8.count <= 300 && text.body.utf8.count <= 1200)
        #expect(text.title.hasSuffix("…"))
    }

    @Test("every topic has its own, non-empty text in every language")
    func distinct() throws {
        var titles: Set<String> = []
        for topic in Topic.ofPlants {
            for language in Language.allCases {
                let text = try message(topic: topic, language: language).text
                #expect(!text.title.isEmpty && !text.body.isEmpty)
                titles.insert(text.title)
            }
        }
        #expect(titles.count == Topic.ofPlants.count * Language.allCases.count)
    }

    @Test("7.9: a push leads to watering or to the review", arguments: Topic.ofPlants)
    func links(topic: Topic) {
        let place = topic == .reviewMissing ? "review" : "water"
        #expect(
            DeepLinks().link(to: plantID.subject, for: topic)
                == "cherish://plants/11110000-0000-5000-8000-000000000001/\(place)")
        #expect(
            DeepLinks(scheme: "cherish-beta").link(to: plantID.subject, for: topic)
                == "cherish-beta://plants/11110000-0000-5000-8000-000000000001/\(place)")
    }
}

import CherishCore
import CherishPush
import Testing

@Suite("The text of a push")
struct PushTextTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let kind: PushKind
        let language: Language
        let nickname: String
        let title: String
        let body: String

        var testDescription: String { "\(kind.rawValue) \(language.rawValue) \(nickname)" }
    }

    static let examples = [
        Example(
            kind: .wateringDue, language: .korean, nickname: "하나", title: "하나가 물을 기다려요",
            body: "오늘은 민들레에 물을 주는 날이에요. 반가운 목소리를 들려주세요."),
        Example(
            kind: .wateringDue, language: .korean, nickname: "민준", title: "민준이 물을 기다려요",
            body: "오늘은 민들레에 물을 주는 날이에요. 반가운 목소리를 들려주세요."),
        Example(
            kind: .reviewMissing, language: .korean, nickname: "하나", title: "하나와 나눈 이야기",
            body: "잊기 전에 키워드 세 개로 남겨 보세요."),
        Example(
            kind: .reviewMissing, language: .korean, nickname: "민준", title: "민준과 나눈 이야기",
            body: "잊기 전에 키워드 세 개로 남겨 보세요."),
        Example(
            kind: .birthday, language: .korean, nickname: "하나", title: "오늘은 하나의 생일이에요", body: "하나를 축하해 주세요."),
        Example(
            kind: .birthday, language: .korean, nickname: "민준", title: "오늘은 민준의 생일이에요", body: "민준을 축하해 주세요."),
        Example(
            kind: .withered, language: .korean, nickname: "하나", title: "하나가 어제 시들었어요", body: "물을 주면 바로 다시 살아나요."),
        Example(
            kind: .withered, language: .korean, nickname: "민준", title: "민준이 어제 시들었어요", body: "물을 주면 바로 다시 살아나요."),
        // What does not tell how it sounds gets both particles.
        Example(
            kind: .birthday, language: .korean, nickname: "🙂", title: "오늘은 🙂의 생일이에요", body: "🙂을(를) 축하해 주세요."),
        Example(
            kind: .wateringDue, language: .english, nickname: "Hana", title: "Hana is waiting for water",
            body: "Today your dandelion wants water. Say hello!"),
        Example(
            kind: .reviewMissing, language: .english, nickname: "Hana", title: "How was it with Hana?",
            body: "Keep it in three keywords before it slips away."),
        Example(
            kind: .birthday, language: .english, nickname: "Hana", title: "It is Hana's birthday",
            body: "A good day to call."),
        Example(
            kind: .withered, language: .english, nickname: "Hana", title: "Hana withered yesterday",
            body: "Water brings it back at once."),
    ]

    @Test("7.11: names the friend, in Korean with the fitting particle", arguments: PushTextTests.examples)
    func text(example: Example) throws {
        let text = PushText(
            kind: example.kind, language: example.language, nickname: try Nickname(example.nickname),
            species: .dandelion)
        #expect(text.title == example.title)
        #expect(text.body == example.body)
    }

    @Test("1.3: the alarm names the plant in either language", arguments: Species.allCases)
    func species(species: Species) throws {
        let nickname = try Nickname("하나")
        let korean = PushText(kind: .wateringDue, language: .korean, nickname: nickname, species: species)
        let english = PushText(kind: .wateringDue, language: .english, nickname: nickname, species: species)
        let names: [Species: (String, String)] = [
            .rosemary: ("로즈마리", "rosemary"), .americanBlue: ("아메리칸블루", "American blue"),
            .dandelion: ("민들레", "dandelion"),
            .stuckyi: ("스투키", "stuckyi"), .echinopsis: ("단모환", "echinopsis"),
        ]
        let (koreanName, englishName) = try #require(names[species])
        #expect(korean.body.contains("\(koreanName)에 "))
        #expect(english.body.contains("your \(englishName) wants"))
    }

    @Test("every kind has a text of its own in every language, none of it empty")
    func distinct() throws {
        var titles: Set<String> = []
        for kind in PushKind.allCases {
            for language in Language.allCases {
                let text = try message(kind: kind, language: language).text
                #expect(!text.title.isEmpty && !text.body.isEmpty)
                titles.insert(text.title)
            }
        }
        #expect(titles.count == PushKind.allCases.count * Language.allCases.count)
    }

    @Test("7.9: a push leads to watering or to the review", arguments: PushKind.allCases)
    func links(kind: PushKind) {
        let place = kind == .reviewMissing ? "review" : "water"
        #expect(
            DeepLinks().link(to: plantID, for: kind) == "cherish://plants/11110000-0000-5000-8000-000000000001/\(place)"
        )
        #expect(
            DeepLinks(scheme: "cherish-beta").link(to: plantID, for: kind)
                == "cherish-beta://plants/11110000-0000-5000-8000-000000000001/\(place)")
    }
}

import CherishCore

/// All texts of pushes, in one place for translators.
///
/// `{nickname}` is the account's name for the friend, `{species}` the plant, `{days}` the days together, `{keywords}`
/// the latest keywords, `{others}` the number of other friends in the push, `{count}` how many want water today.
/// `{nickname:이/가}` appends the matching particle (rule 7.11). The body with keywords is for plants that have some.
struct PushTemplate: Sendable {
    let title: String
    let body: String
    let bodyWithKeywords: String?

    init(title: String, body: String, bodyWithKeywords: String? = nil) {
        self.title = title
        self.body = body
        self.bodyWithKeywords = bodyWithKeywords
    }

    /// About one friend.
    static func one(_ kind: PushKind, _ language: Language) -> PushTemplate {
        switch (kind, language) {
        case (.wateringDue, .korean):
            PushTemplate(
                title: "{nickname:이/가} 물을 기다려요",
                body: "함께한 지 {days}일째, 오늘은 {species}에 물을 주는 날이에요. 반가운 목소리를 들려주세요.",
                bodyWithKeywords: "함께한 지 {days}일째, 오늘은 {species}에 물을 주는 날이에요. 지난 이야기: {keywords}")
        case (.wateringDue, .english):
            PushTemplate(
                title: "{nickname} is waiting for water",
                body: "Day {days} together, and today your {species} wants water. Say hello!",
                bodyWithKeywords: "Day {days} together, and today your {species} wants water. Last time: {keywords}")
        case (.reviewMissing, .korean):
            PushTemplate(title: "{nickname:과/와} 나눈 이야기", body: "잊기 전에 키워드 세 개로 남겨 보세요.")
        case (.reviewMissing, .english):
            PushTemplate(
                title: "How was it with {nickname}?", body: "Keep it in three keywords before it slips away.")
        case (.birthday, .korean):
            PushTemplate(
                title: "오늘은 {nickname}의 생일이에요", body: "{nickname:을/를} 축하해 주세요.",
                bodyWithKeywords: "{nickname:을/를} 축하해 주세요. 지난 이야기: {keywords}")
        case (.birthday, .english):
            PushTemplate(
                title: "It is {nickname}'s birthday", body: "A good day to call.",
                bodyWithKeywords: "A good day to call. Last time: {keywords}")
        case (.withered, .korean):
            PushTemplate(
                title: "{nickname:이/가} 어제 시들었어요", body: "함께한 지 {days}일째예요. {species}에 물을 주면 바로 다시 살아나요.")
        case (.withered, .english):
            PushTemplate(
                title: "{nickname} withered yesterday",
                body: "Day {days} together. Water brings your {species} back at once.")
        }
    }

    /// About several friends due in the same minute.
    static func several(_ kind: PushKind, _ language: Language) -> PushTemplate {
        switch (kind, language) {
        case (.wateringDue, .korean):
            PushTemplate(title: "{nickname} 외 {others}명이 물을 기다려요", body: "오늘 물을 주는 날이에요. 반가운 목소리를 들려주세요.")
        case (.wateringDue, .english):
            PushTemplate(
                title: "{nickname} and {others} more are waiting for water", body: "Today they want water. Say hello!")
        case (.reviewMissing, .korean):
            PushTemplate(title: "{nickname} 외 {others}명과 나눈 이야기", body: "잊기 전에 키워드 세 개로 남겨 보세요.")
        case (.reviewMissing, .english):
            PushTemplate(
                title: "How was it with {nickname} and {others} more?",
                body: "Keep it in three keywords before it slips away.")
        case (.birthday, .korean):
            PushTemplate(title: "오늘은 {nickname} 외 {others}명의 생일이에요", body: "모두 축하해 주세요.")
        case (.birthday, .english):
            PushTemplate(title: "It is the birthday of {nickname} and {others} more", body: "A good day to call.")
        case (.withered, .korean):
            PushTemplate(title: "{nickname} 외 {others}명이 어제 시들었어요", body: "물을 주면 바로 다시 살아나요.")
        case (.withered, .english):
            PushTemplate(
                title: "{nickname} and {others} more withered yesterday", body: "Water brings them back at once.")
        }
    }

    /// In place of all pushes beyond the daily cap. On that day, perhaps no plant wants water.
    static func digest(_ language: Language, isAnyThirsty: Bool) -> PushTemplate {
        switch (language, isAnyThirsty) {
        case (.korean, true): PushTemplate(title: "오늘 {count}명이 물을 기다려요", body: "나머지 소식은 앱에서 한 번에 볼 수 있어요.")
        case (.korean, false): PushTemplate(title: "오늘의 소식이 더 있어요", body: "앱에서 한 번에 볼 수 있어요.")
        case (.english, true):
            PushTemplate(title: "{count} want water today", body: "You can see the rest at once in the app.")
        case (.english, false): PushTemplate(title: "There is more today", body: "You can see it at once in the app.")
        }
    }
}

extension PushTemplate {
    /// Fills in the placeholders.
    func text(_ values: [String: String]) -> PushText {
        let hasKeywords = values["keywords"]?.isEmpty == false
        return PushText(
            title: PushTemplate.filled(title, values),
            body: PushTemplate.filled(hasKeywords ? bodyWithKeywords ?? body : body, values))
    }

    /// Replaces `{name}` and `{name:particle}` with values. A placeholder without a value stays, and so does any brace in
    /// a value.
    private static func filled(_ template: String, _ values: [String: String]) -> String {
        var text = ""
        var rest = template[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let parts = rest[rest.index(after: open)..<close].split(separator: ":", maxSplits: 1).map(String.init)
            let value = parts.first.flatMap { values[$0] }
            let particle = parts.count > 1 ? KoreanParticle(rawValue: parts[1]) : nil
            text += rest[..<open]
            if let value, parts.count == 1 || particle != nil {
                text += particle?.attached(to: value) ?? value
            } else {
                text += rest[open...close]
            }
            rest = rest[rest.index(after: close)...]
        }
        return text + rest
    }
}

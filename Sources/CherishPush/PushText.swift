import CherishCore

/// Title and body of a push. They name the friend by nickname and hold neither phone nor memo (rule 7.9).
public struct PushText: Hashable, Sendable {
    public let title: String
    public let body: String

    /// The text for a kind of push in a language.
    public init(kind: PushKind, language: Language, nickname: Nickname, species: Species) {
        let name = nickname.description
        switch (kind, language) {
        case (.wateringDue, .korean):
            title = "\(KoreanParticle.subject.attached(to: name)) 물을 기다려요"
            body = "오늘은 \(species.koreanName)에 물을 주는 날이에요. 반가운 목소리를 들려주세요."
        case (.wateringDue, .english):
            title = "\(name) is waiting for water"
            body = "Today your \(species.englishName) wants water. Say hello!"
        case (.reviewMissing, .korean):
            title = "\(KoreanParticle.with.attached(to: name)) 나눈 이야기"
            body = "잊기 전에 키워드 세 개로 남겨 보세요."
        case (.reviewMissing, .english):
            title = "How was it with \(name)?"
            body = "Keep it in three keywords before it slips away."
        case (.birthday, .korean):
            title = "오늘은 \(name)의 생일이에요"
            body = "\(KoreanParticle.object.attached(to: name)) 축하해 주세요."
        case (.birthday, .english):
            title = "It is \(name)'s birthday"
            body = "A good day to call."
        case (.withered, .korean):
            title = "\(KoreanParticle.subject.attached(to: name)) 어제 시들었어요"
            body = "물을 주면 바로 다시 살아나요."
        case (.withered, .english):
            title = "\(name) withered yesterday"
            body = "Water brings it back at once."
        }
    }
}

extension Species {
    /// 로즈마리, 아메리칸블루, 민들레, 스투키, 단모환 (rule 1.3).
    public var koreanName: String {
        switch self {
        case .rosemary: "로즈마리"
        case .americanBlue: "아메리칸블루"
        case .dandelion: "민들레"
        case .stuckyi: "스투키"
        case .echinopsis: "단모환"
        }
    }

    public var englishName: String {
        switch self {
        case .rosemary: "rosemary"
        case .americanBlue: "American blue"
        case .dandelion: "dandelion"
        case .stuckyi: "stuckyi"
        case .echinopsis: "echinopsis"
        }
    }
}

import CherishCore

/// One push to the devices of an account: about one subject, or in place of several pushes.
///
/// This module knows what a push says, and the protocols that senders adopt. It touches only the file or descriptor
/// that a sender writes to: no database, no network. Start here, then read ``DeviceSender`` and ``PushSender``.
public struct AccountPush: Hashable, Sendable {
    /// What a push says.
    public enum Content: Hashable, Sendable {
        case one(PushMessage)
        /// Several subjects due in the same minute: the first one's name, and the number of others.
        case several(Topic, occursOn: CivilDay, first: Subject.ID, name: String, others: Int)
        /// All pushes beyond the daily cap: one of them, and how many plants want water today.
        case digest(day: CivilDay, first: Subject.ID, topic: Topic, dueCount: Int)
    }

    public let accountID: Account.ID
    public let language: Language
    public let content: Content
    /// The same for every attempt, so that a phone shows it once; at most 64 bytes.
    public let collapseID: String
    /// The planned instant.
    public let plannedAt: Instant
    /// When it is no longer worth showing (rule 7.7).
    public let expiresAt: Instant
    public let links: DeepLinks
    /// Allows the browser that gets the push to act at once; nil for pushes to others.
    public var actionToken: CapabilityToken?
    /// Of what is said of several subjects, the occasion of the one that needs most words.
    public var occasion = PushOccasion.usual

    public init(
        accountID: Account.ID, language: Language, content: Content, collapseID: String, plannedAt: Instant,
        expiresAt: Instant, links: DeepLinks
    ) {
        self.accountID = accountID
        self.language = language
        self.content = content
        self.collapseID = collapseID
        self.plannedAt = plannedAt
        self.expiresAt = expiresAt
        self.links = links
    }

    public var text: PushText {
        switch content {
        case .one(let message): message.text
        case .several(let topic, _, _, let name, let others):
            PushText(topic.wording[language].several, PushValues(name: name, others: others, occasion: occasion))
        case .digest(_, _, _, let count):
            PushText(AccountPush.digest(language, isAnyThirsty: count > 0), PushValues(number: count))
        }
    }

    /// In place of all pushes beyond the daily cap. On that day, perhaps no plant wants water.
    private static func digest(_ language: Language, isAnyThirsty: Bool) -> PushTemplate {
        switch (language, isAnyThirsty) {
        case (.korean, true): thirstyDigestInKorean
        case (.korean, false): digestInKorean
        case (.english, true): thirstyDigestInEnglish
        case (.english, false): digestInEnglish
        }
    }

    private static let thirstyDigestInKorean = PushTemplate(
        title: "오늘 {number}명이 물을 기다려요", body: "나머지 소식은 앱에서 한 번에 볼 수 있어요.")
    private static let digestInKorean = PushTemplate(title: "오늘의 소식이 더 있어요", body: "앱에서 한 번에 볼 수 있어요.")
    private static let thirstyDigestInEnglish = PushTemplate(
        title: "{number} want water today", body: "You can see the rest at once in the app.")
    private static let digestInEnglish = PushTemplate(
        title: "There is more today", body: "You can see it at once in the app.")

    /// The target of a tap (rule 7.9).
    public var link: String { link(by: links) }

    /// The target of a tap in another app, or in the web garden.
    public func link(by links: DeepLinks) -> String {
        switch content {
        case .one(let message): links.link(to: message.subjectID, for: message.topic)
        case .several(let topic, _, _, _, _), .digest(_, _, let topic, _): links.linkToAll(of: topic)
        }
    }

    /// The subject of the push, or one of its subjects (rule 7.9).
    public var subjectID: Subject.ID {
        switch content {
        case .one(let message): message.subjectID
        case .several(_, _, let first, _, _), .digest(_, let first, _, _): first
        }
    }

    /// What that is: `plant` or `thing`.
    public var subject: String {
        switch content {
        case .one(let message): message.topic.subject
        case .several(let topic, _, _, _, _), .digest(_, _, let topic, _): topic.subject
        }
    }

    /// What the push is about, for apps: the label of a topic, or `digest`.
    public var kind: String { topic?.label ?? "digest" }

    /// nil for a digest.
    private var topic: Topic? {
        switch content {
        case .one(let message): message.topic
        case .several(let topic, _, _, _, _): topic
        case .digest: nil
        }
    }

    /// The due date, the birthday or the day of the watering; for a digest the day itself.
    public var occursOn: CivilDay {
        switch content {
        case .one(let message): message.occursOn
        case .several(_, let day, _, _, _): day
        case .digest(let day, _, _, _): day
        }
    }

    /// What a notification on a browser offers besides; nothing for pushes about several subjects.
    public var actions: [PushAction] {
        guard case .one(let message) = content else { return [] }
        return message.topic.actions
    }

    /// The page that an action opens, in the web garden.
    public func link(of action: PushAction, by links: DeepLinks) -> String? {
        guard case .one(let message) = content else { return nil }
        return links.link(to: message.subjectID, in: message.topic.collection, page: action.page)
    }

    /// Whether to alert the phone at once: time-bound pushes do, others can wait.
    public var isUrgent: Bool { topic?.isUrgent ?? false }

    /// The collapse id of a day's digest.
    public static func digestCollapseID(on day: CivilDay) -> String { "digest-\(day)" }
}

extension JSONWriter {
    /// Writes what a push to a device is about, or one of its subjects: `subject` and `subjectId`; for plants `plantId`,
    /// too.
    public mutating func members(ofSubject id: Subject.ID, _ subject: String) {
        if subject == "plant" { member("plantId", id) }
        member("subject", subject)
        member("subjectId", id)
    }
}

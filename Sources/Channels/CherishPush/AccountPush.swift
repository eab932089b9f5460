import CherishCore

/// One push to the devices of an account: about one plant, or in place of several pushes.
///
/// This module knows what a push says, and the protocols that senders adopt. It touches only the file or descriptor
/// that a sender writes to: no database, no network. Start here, then read ``DeviceSender`` and ``PushSender``.
public struct AccountPush: Hashable, Sendable {
    /// The subject of a push.
    public enum Content: Hashable, Sendable {
        case plant(PushMessage)
        /// Several plants due in the same minute: the first one's nickname, and the number of others.
        case plants(PushKind, occursOn: CivilDay, first: Plant.ID, nickname: Nickname, others: Int)
        /// All pushes beyond the daily cap: one of the plants, and how many want water today.
        case digest(day: CivilDay, plant: Plant.ID, thirstyCount: Int)
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
        case .plant(let message): message.text
        case .plants(let kind, _, _, let nickname, let others):
            PushTemplate.several(kind, language).text(["nickname": nickname.description, "others": String(others)])
        case .digest(_, _, let count):
            PushTemplate.digest(language, isAnyThirsty: count > 0).text(["count": String(count)])
        }
    }

    /// The target of a tap (rule 7.9).
    public var link: String {
        switch content {
        case .plant(let message): message.link
        case .plants, .digest: links.toAllPlants
        }
    }

    /// The plant that the push is about, or one of them (rule 7.9).
    public var plantID: Plant.ID {
        switch content {
        case .plant(let message): message.plantID
        case .plants(_, _, let first, _, _): first
        case .digest(_, let plant, _): plant
        }
    }

    /// The kind of push for apps: one of ``PushKind``, or `digest`.
    public var kind: String {
        switch content {
        case .plant(let message): message.kind.rawValue
        case .plants(let kind, _, _, _, _): kind.rawValue
        case .digest: "digest"
        }
    }

    /// The due date, the birthday or the day of the watering; for a digest the day itself.
    public var occursOn: CivilDay {
        switch content {
        case .plant(let message): message.occursOn
        case .plants(_, let day, _, _, _): day
        case .digest(let day, _, _): day
        }
    }

    /// Whether to alert the phone at once: time-bound pushes do, others can wait.
    public var isUrgent: Bool { kind == PushKind.wateringDue.rawValue || kind == PushKind.birthday.rawValue }

    /// The collapse id of a day's digest.
    public static func digestCollapseID(on day: CivilDay) -> String { "digest-\(day)" }
}

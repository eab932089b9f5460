import CherishCore
import Foundation

/// The push of one job. Text and link are rendered when a sender asks for them.
public struct PushMessage: Hashable, Sendable {
    /// The job's lane and its number there.
    public let lane: Lane
    public let seq: Int
    public let accountID: Account.ID
    public let plantID: Plant.ID
    public let kind: PushKind
    /// The due date, the birthday, or for a reminder the civil day of the watering.
    public let occursOn: CivilDay
    public let language: Language
    /// The account's name for the friend.
    public let nickname: Nickname
    public let species: Species
    /// Days since registration, which is day 1.
    public let daysTogether: Int
    /// The most recent keywords; empty if there are none.
    public let keywords: [String]
    public let links: DeepLinks
    /// The token of the account's newest device; nil if there is none.
    public let deviceToken: String?

    public init(
        lane: Lane, seq: Int, accountID: Account.ID, plantID: Plant.ID, kind: PushKind, occursOn: CivilDay,
        language: Language, nickname: Nickname, species: Species, daysTogether: Int = 1, keywords: [String] = [],
        links: DeepLinks = DeepLinks(), deviceToken: String?
    ) {
        self.lane = lane
        self.seq = seq
        self.accountID = accountID
        self.plantID = plantID
        self.kind = kind
        self.occursOn = occursOn
        self.language = language
        self.nickname = nickname
        self.species = species
        self.daysTogether = daysTogether
        self.keywords = keywords
        self.links = links
        self.deviceToken = deviceToken
    }

    public var text: PushText {
        PushTemplate.one(kind, language).text([
            "nickname": nickname.description,
            "species": species.name(in: language),
            "days": String(daysTogether), "keywords": keywords.joined(separator: ", "),
        ])
    }

    /// The target of a tap: watering or the review (rule 7.9).
    public var link: String { links.link(to: plantID, for: kind) }

    /// The same for every attempt of a job; at most 64 bytes.
    public var collapseID: String { "cherish-\(lane)-\(seq)" }
}

/// Deep links of the app (rule 7.9).
public struct DeepLinks: Hashable, Sendable {
    /// The app's URL scheme.
    public let scheme: String

    public init(scheme: String = "cherish") {
        self.scheme = scheme
    }

    /// The target of a tap on a push of this kind: watering or the review.
    public func link(to plant: Plant.ID, for kind: PushKind) -> String {
        let place =
            switch kind {
            case .wateringDue, .birthday, .withered: "water"
            case .reviewMissing: "review"
            }
        return "\(scheme)://plants/\(plant)/\(place)"
    }

    /// The target of a tap on a push about several plants: the list of all.
    public var toAllPlants: String { "\(scheme)://plants" }
}

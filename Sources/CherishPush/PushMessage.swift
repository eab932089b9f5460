import CherishCore
import Foundation

/// One push as it goes out to one device, or to a file. Text, link and collapse id are rendered when a sender asks.
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
    /// What the account calls the friend.
    public let nickname: Nickname
    public let species: Species
    public let links: DeepLinks
    /// nil for senders that need no device.
    public let deviceToken: String?

    public init(
        lane: Lane, seq: Int, accountID: Account.ID, plantID: Plant.ID, kind: PushKind, occursOn: CivilDay,
        language: Language, nickname: Nickname, species: Species, links: DeepLinks = DeepLinks(), deviceToken: String?
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
        self.links = links
        self.deviceToken = deviceToken
    }

    public var text: PushText { PushText(kind: kind, language: language, nickname: nickname, species: species) }

    /// Where a tap leads: to watering or to the review (rule 7.9).
    public var link: String { links.link(to: plantID, for: kind) }

    /// The same for every repetition of a job, so that a phone shows it once; at most 64 bytes.
    public var collapseID: String { "cherish-\(lane)-\(seq)" }
}

/// Deep links of the app (rule 7.9).
public struct DeepLinks: Hashable, Sendable {
    /// The app's URL scheme.
    public let scheme: String

    public init(scheme: String = "cherish") {
        self.scheme = scheme
    }

    /// Where a tap on a push of this kind leads: to watering, or to the review.
    public func link(to plant: Plant.ID, for kind: PushKind) -> String {
        let place =
            switch kind {
            case .wateringDue, .birthday, .withered: "water"
            case .reviewMissing: "review"
            }
        return "\(scheme)://plants/\(plant)/\(place)"
    }
}

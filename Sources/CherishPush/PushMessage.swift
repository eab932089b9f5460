import CherishCore
import Foundation

/// One push as it goes out to one device, or to a file.
public struct PushMessage: Hashable, Sendable {
    public let accountID: Account.ID
    public let plantID: Plant.ID
    public let kind: PushKind
    /// The due date, the birthday, or for a reminder the civil day of the watering.
    public let occursOn: CivilDay
    public let text: PushText
    /// Where a tap leads: to watering or to the review (rule 7.9).
    public let link: String
    /// nil for senders that need no device.
    public let deviceToken: String?
    /// The same for every repetition of a job, so that a phone shows it once; at most 64 bytes.
    public let collapseID: String

    public init(
        accountID: Account.ID, plantID: Plant.ID, kind: PushKind, occursOn: CivilDay, text: PushText, link: String,
        deviceToken: String?, collapseID: String
    ) {
        self.accountID = accountID
        self.plantID = plantID
        self.kind = kind
        self.occursOn = occursOn
        self.text = text
        self.link = link
        self.deviceToken = deviceToken
        self.collapseID = collapseID
    }
}

/// Deep links of the app (rule 7.9).
public struct DeepLinks: Sendable {
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

/// What a push is about, and everything that distinguishes it from pushes about something else.
///
/// Each topic is declared once, by the domain of its subjects; see ``wateringDue``. Its label is stored in the calendar
/// and the log, and documents show it as `kind`.
///
/// A topic is a pointer to its declaration, which lives as long as the program. Every job holds its topic several times;
/// counting those references, which all threads share, cost as much as the rest of a verdict.
public struct Topic: Sendable {
    /// When a push is no longer worth sending (rule 7.7).
    public enum Expiry: Sendable {
        /// The end of the local day that contains the planned instant.
        case endOfLocalDay
        /// So many hours after the planned instant.
        case hours(Int)
    }

    /// An account's switch for a topic.
    public struct AccountSwitch: Sendable {
        let path: any WritableKeyPath<NotificationSwitches, Bool> & Sendable
        /// Its position in a new account (rules 7.4 and 7.10).
        public let isOnByDefault: Bool

        public init(_ path: any WritableKeyPath<NotificationSwitches, Bool> & Sendable, isOnByDefault: Bool) {
            self.path = path
            self.isOnByDefault = isOnByDefault
        }
    }

    private final class Declaration: Sendable {
        let label: String
        let position: Int
        let expiry: Expiry
        let waitsForQuietHours: Bool
        let accountSwitch: AccountSwitch?
        let isUrgent: Bool
        let collection: String
        let page: String
        let actions: [PushAction]
        let wording: PushWording

        init(
            label: String, position: Int, expiry: Expiry, waitsForQuietHours: Bool, accountSwitch: AccountSwitch?,
            isUrgent: Bool, collection: String, page: String, actions: [PushAction], wording: PushWording
        ) {
            self.label = label
            self.position = position
            self.expiry = expiry
            self.waitsForQuietHours = waitsForQuietHours
            self.accountSwitch = accountSwitch
            self.isUrgent = isUrgent
            self.collection = collection
            self.page = page
            self.actions = actions
            self.wording = wording
        }
    }

    /// Never released.
    ///
    /// Read with the underscored `_withUnsafeGuaranteedRef`, because `takeUnretainedValue()` retains and releases the
    /// declaration on each read: that cost a fifth of the delivery. It is the supported alternative, to go back to if a
    /// toolchain drops the underscored call.
    private let declaration: Unmanaged<Declaration>

    /// Declares a topic, for the rest of the program's life.
    ///
    /// - Parameters:
    ///   - label: The label in the database's type `topic`.
    ///   - position: The position of the label in that type, from 0.
    ///   - accountSwitch: nil if accounts cannot turn the topic off.
    ///   - collection: Where the app shows all subjects of this domain.
    ///   - page: Where a tap leads, below the subject in the collection (rule 7.9); empty for the subject itself.
    ///   - actions: What a notification on a browser offers besides; only for pushes about one subject.
    public init(
        _ label: String, position: Int, expiry: Expiry, waitsForQuietHours: Bool = false, accountSwitch: AccountSwitch?,
        isUrgent: Bool, collection: String, page: String, actions: [PushAction] = [], wording: PushWording
    ) {
        declaration = .passRetained(
            Declaration(
                label: label, position: position, expiry: expiry, waitsForQuietHours: waitsForQuietHours,
                accountSwitch: accountSwitch, isUrgent: isUrgent, collection: collection, page: page,
                actions: actions, wording: wording))
    }

    /// The label in the database's type `topic`.
    public var label: String { declaration._withUnsafeGuaranteedRef { $0.label } }
    /// The position of the label in that type, from 0. It orders the pushes that one subject gets at one instant.
    public var position: Int { declaration._withUnsafeGuaranteedRef { $0.position } }
    /// When a push is no longer worth sending.
    public var expiry: Expiry { declaration._withUnsafeGuaranteedRef { $0.expiry } }
    /// Whether a push waits for the end of the quiet hours (rule 7.3).
    public var waitsForQuietHours: Bool { declaration._withUnsafeGuaranteedRef { $0.waitsForQuietHours } }
    /// nil if accounts cannot turn the topic off.
    public var accountSwitch: AccountSwitch? { declaration._withUnsafeGuaranteedRef { $0.accountSwitch } }
    /// Whether to alert the phone at once: time-bound pushes do, others can wait.
    public var isUrgent: Bool { declaration._withUnsafeGuaranteedRef { $0.isUrgent } }
    /// Where the app shows all subjects of this domain.
    public var collection: String { declaration._withUnsafeGuaranteedRef { $0.collection } }
    /// What its subjects are: `plant` or `thing`. The collection is the plural.
    public var subject: String { String(collection.dropLast()) }
    /// Where a tap leads, below the subject in the collection (rule 7.9).
    public var page: String { declaration._withUnsafeGuaranteedRef { $0.page } }
    /// What a notification on a browser offers besides.
    public var actions: [PushAction] { declaration._withUnsafeGuaranteedRef { $0.actions } }
    /// The texts in each language.
    public var wording: PushWording { declaration._withUnsafeGuaranteedRef { $0.wording } }

    /// The instant from which a push is no longer worth sending (rule 7.7). That instant itself is too late.
    public func expiry(ofPushPlannedFor instant: Instant, in zone: TimeZoneRules) -> Instant {
        switch expiry {
        case .endOfLocalDay: zone.start(of: zone.day(at: instant) + 1)
        case .hours(let hours): instant.adding(hours: hours)
        }
    }
}

extension Topic: Hashable, Comparable, CustomStringConvertible {
    public static func == (left: Topic, right: Topic) -> Bool {
        left.declaration.toOpaque() == right.declaration.toOpaque()
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(declaration.toOpaque()) }

    /// The order of the database's type.
    public static func < (left: Topic, right: Topic) -> Bool { left.position < right.position }

    public var description: String { label }
}

/// Which topics an account wants (rules 7.4, 7.10 and 10.13).
public struct NotificationSwitches: Hashable, Sendable {
    public var watering: Bool
    public var review: Bool
    public var birthday: Bool
    public var withered: Bool
    public var thing: Bool

    /// The switches of a new account, unless said otherwise.
    public init(
        watering: Bool? = nil, review: Bool? = nil, birthday: Bool? = nil, withered: Bool? = nil, thing: Bool? = nil
    ) {
        self.watering = watering ?? Topic.wateringDue.isOnByDefault
        self.review = review ?? Topic.reviewMissing.isOnByDefault
        self.birthday = birthday ?? Topic.birthday.isOnByDefault
        self.withered = withered ?? Topic.withered.isOnByDefault
        self.thing = thing ?? Topic.thingAlert.isOnByDefault
    }

    /// Whether the account wants pushes about a topic.
    public func allows(_ topic: Topic) -> Bool {
        topic.accountSwitch.map { self[keyPath: $0.path] } ?? true
    }

    /// Sets the switch of a topic; does nothing if it has none.
    public mutating func set(_ topic: Topic, to isOn: Bool) {
        if let accountSwitch = topic.accountSwitch { self[keyPath: accountSwitch.path] = isOn }
    }
}

extension Topic {
    /// Whether new accounts get pushes about it.
    public var isOnByDefault: Bool { accountSwitch?.isOnByDefault ?? true }
}

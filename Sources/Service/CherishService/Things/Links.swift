import CherishCore
import CherishRuntime
import CherishStore
import Foundation
import Secrets

// Secret links: shared reminders (rule 10.12), and calendars for other programs.

/// A link that has just been made. Nobody can read its token again.
public struct NewLink<Link: Sendable>: Sendable {
    public let link: Link
    public let token: CapabilityToken
}

extension NewLink<ThingShare> {
    /// The path of the page that shows it.
    public var path: String { "/shared/\(token.text)" }
}

extension NewLink<CalendarFeed> {
    /// The path of the calendar.
    public var path: String { "/v1/feeds/\(token.text).ics" }
}

/// What a link to a reminder shows: nothing that tells whose it is.
public struct SharedThing: Sendable {
    public let title: ThingTitle
    public let note: ThingNote?
    public let due: ThingDue
    /// What a copy takes over besides.
    fileprivate let alerts: [ThingAlert]?
    fileprivate let repetition: AlertRepetition

    public var document: SharedThingDocument { SharedThingDocument(self) }
}

extension GardenService {
    /// Makes a link to a reminder (rule 10.12).
    ///
    /// - Parameters:
    ///   - id: the thing's id, or a prefix of at least 8 digits.
    ///   - days: how long it lasts, in ``ThingShare/days``.
    public func shareThing(_ id: String, days: Int = ThingShare.usualDays) async throws -> NewLink<ThingShare> {
        let token = CapabilityToken(in: garden.accountID.lane)
        let share = try await garden.shareThing(
            try await thingID(id), days: days, tokenHash: SecretHash.sha256(token.secret))
        return NewLink(link: share, token: token)
    }

    /// The links to a thing that are not over, the newest first.
    public func shares(of id: String) async throws -> [ThingShare] {
        try await garden.shares(of: try await thingID(id))
    }

    /// Withdraws a link to a reminder.
    ///
    /// - Parameter id: the link's id, or a prefix of at least 8 digits.
    public func withdrawShare(_ id: String) async throws { try await garden.withdrawShare(id) }

    /// Records a copy of what a link shows, with its alerts.
    ///
    /// - Throws: ``CareError/notFound(_:)``.
    public func copySharedThing(_ token: String) async throws -> ThingView {
        let shared = try await CareService(engine).sharedThing(token)
        var draft = ThingDraft(kind: .reminder, title: shared.title, dueOn: shared.due.day)
        draft.dueTime = shared.due.time
        draft.note = shared.note
        draft.alerts = shared.alerts
        draft.repetition = shared.repetition
        return try await view(of: try await garden.recordThing(draft).thing)
    }

    /// Makes a link to the account's calendar.
    public func addFeed() async throws -> NewLink<CalendarFeed> {
        let token = CapabilityToken(in: garden.accountID.lane)
        return NewLink(
            link: try await garden.addFeed(tokenHash: SecretHash.sha256(token.secret)), token: token)
    }

    /// The links to the account's calendar, the newest first.
    public func feeds() async throws -> [CalendarFeed] { try await garden.feeds() }

    /// Withdraws a link to the account's calendar.
    ///
    /// - Parameter id: the link's id, or a prefix of at least 8 digits.
    public func removeFeed(_ id: String) async throws { try await garden.removeFeed(id) }
}

extension CareService {
    /// What a link to a reminder shows, to anybody.
    ///
    /// - Throws: ``CareError/notFound(_:)``, always the same, whether the link is over, was withdrawn or never was, or
    ///   its reminder is done or deleted.
    public func sharedThing(_ token: String) async throws -> SharedThing {
        guard let token = CapabilityToken(token),
            let found = try await engine.store.people.sharedThing(token, secretHash: SecretHash.sha256(token.secret)),
            // It may have been done or deleted since.
            let thing = try await engine.store.garden(of: found.accountID).detail(ofShared: found.thingID)
        else { throw CareError.notFound(.share) }
        return SharedThing(
            title: thing.title, note: thing.note, due: thing.due, alerts: thing.chosenAlerts,
            repetition: thing.repetition)
    }

    /// Writes the calendar that a link shows, to anybody.
    ///
    /// - Parameter write: receives the next bytes; may block.
    /// - Throws: ``CareError/notFound(_:)`` without such a link.
    public func calendar(ofFeed token: String, to write: @escaping ([UInt8]) throws -> Void) async throws {
        guard let token = CapabilityToken(token),
            let owner = try await engine.store.people.feedOwner(token, secretHash: SecretHash.sha256(token.secret))
        else { throw CareError.notFound(.feed) }
        try await garden(of: .account(owner)).writeCalendar(asFeed: true, to: write)
    }
}

// MARK: - Documents

/// A link to a reminder.
public struct ShareDocument: Codable, Sendable {
    let id, thingId, createdAt, expiresAt: String
    /// Only when it has just been made.
    let token, url: Nullable<String>

    public init(_ share: ThingShare) {
        self.init(share, token: nil, url: nil)
    }

    /// - Parameter origin: where people reach the service.
    public init(_ new: NewLink<ThingShare>, at origin: String) {
        self.init(new.link, token: new.token.text, url: origin + new.path)
    }

    private init(_ share: ThingShare, token: String?, url: String?) {
        (id, thingId) = (share.id.description, share.thingID.description)
        (createdAt, expiresAt) = (share.createdAt.description, share.expiresAt.description)
        (self.token, self.url) = (Nullable(token), Nullable(url))
    }
}

/// Links to a reminder.
public struct SharesDocument: Codable, Sendable {
    let shares: [ShareDocument]

    public init(_ shares: [ThingShare]) {
        self.shares = shares.map { ShareDocument($0) }
    }
}

/// What a link to a reminder shows.
public struct SharedThingDocument: Codable, Sendable {
    let title: String
    let note: Nullable<String>
    let dueOn: String
    let dueTime: Nullable<String>

    init(_ shared: SharedThing) {
        title = shared.title.description
        note = Nullable(shared.note?.description)
        dueOn = shared.due.day.description
        dueTime = Nullable(shared.due.time?.description)
    }
}

/// A link to the account's calendar.
public struct FeedDocument: Codable, Sendable {
    let id, createdAt: String
    /// Only when it has just been made.
    let token, url: Nullable<String>

    public init(_ feed: CalendarFeed) {
        (id, createdAt, token, url) = (feed.id.description, feed.createdAt.description, Nullable(nil), Nullable(nil))
    }

    /// - Parameter origin: where people reach the service.
    public init(_ new: NewLink<CalendarFeed>, at origin: String) {
        (id, createdAt) = (new.link.id.description, new.link.createdAt.description)
        (token, url) = (Nullable(new.token.text), Nullable(origin + new.path))
    }
}

/// Links to the account's calendar.
public struct FeedsDocument: Codable, Sendable {
    let feeds: [FeedDocument]

    public init(_ feeds: [CalendarFeed]) {
        self.feeds = feeds.map { FeedDocument($0) }
    }
}

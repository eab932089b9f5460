import CherishCore
import CherishRuntime
import CherishStore
import Foundation
import Secrets

/// The originator of a request.
public enum Caller: Sendable {
    /// An account: may access its own garden only.
    case account(Account.ID)
    /// Whoever is signed in: may access the own garden only.
    case visitor(Visitor)
    /// An operator of the service: may access any garden.
    case `operator`(GardenReference)
}

/// How an operator identifies a garden.
public enum GardenReference: Sendable {
    /// The account's e-mail or id.
    case account(String)
    /// The id of one of its plants, or a prefix of at least 8 digits.
    case plant(String)
    /// The id of one of its things, or a prefix of at least 8 digits.
    case thing(String)
    /// The id of one of its links to things, or a prefix of at least 8 digits.
    case share(String)
    /// The id of one of its links to its calendar, or a prefix of at least 8 digits.
    case feed(String)
    /// The id of one of its shopping lists, or a prefix of at least 8 digits.
    case list(String)
    /// The id of one of its pauses, or a prefix of at least 8 digits.
    case pause(String)
    /// The id of one of its imports, or a prefix of at least 8 digits.
    case importBatch(String)
    /// The id of one of its devices.
    case device(Device.ID)
}

/// Implements each use case once, for all programs: validates the request, fills in defaults, and returns values that
/// convert to JSON documents. Knows no command-line arguments, HTTP or SQL. Start reading at ``GardenService``.
public struct CareService: Sendable {
    let engine: Engine

    public init(_ engine: Engine) {
        self.engine = engine
    }

    /// The engine's now.
    public func now() async throws -> Instant { try await engine.store.now() }

    /// The civil day on which an instant falls for an account.
    public func day(of instant: Instant, for account: Account) throws -> CivilDay {
        try engine.zones.clock(of: account).day(at: instant)
    }

    /// The key with which browsers subscribe to pushes, in Base64url.
    ///
    /// - Throws: ``RequestError/webPushOff``; `SettingError` for a key that cannot be read.
    public func pushKey() throws -> String {
        guard let key = try PushKey.publicKey(engine.settings) else { throw RequestError.webPushOff }
        return key
    }

    /// Puts a plant off by a day, as its notification on a browser offers (rule 6).
    ///
    /// - Parameter token: works once, until D-day ends, and only while the browser's session lasts.
    /// - Throws: ``CareError/notFound(_:)`` for any other token, and what the rules refuse.
    public func actFromPush(_ token: String) async throws {
        guard let token = CapabilityToken(token),
            let allowed = try await engine.store.people.usePushAction(
                token, secretHash: SecretHash.sha256(token.secret)),
            allowed.topic == Topic.wateringDue.label, allowed.action == PushAction.later.name
        else { throw CareError.notFound(.pushAction) }
        let garden = try await garden(of: .account(allowed.accountID))
        _ = try await garden.postpone(
            allowed.subjectID.description, days: 1, fromDueOn: CivilDay(daysSinceEpoch: Int32(clamping: allowed.ref)))
    }

    /// The caller's garden. All access to plants, tags, devices and imports goes through it.
    ///
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``.
    public func garden(of caller: Caller) async throws -> GardenService {
        let store = engine.store
        let id: Account.ID
        switch caller {
        case .account(let account): id = account
        case .visitor(let visitor):
            return GardenService(
                engine: engine, garden: store.garden(of: visitor.accountID, proving: visitor.proof))
        case .operator(.account(let reference)):
            let account = try await store.account(reference)
            return GardenService(engine: engine, garden: store.garden(of: account.id))
        case .operator(.plant(let prefix)): id = try await store.plant(prefix).accountID
        case .operator(.thing(let prefix)): id = try await store.owner(ofThing: prefix)
        case .operator(.share(let prefix)): id = try await store.owner(ofShare: prefix)
        case .operator(.feed(let prefix)): id = try await store.owner(ofFeed: prefix)
        case .operator(.pause(let prefix)): id = try await store.owner(ofPause: prefix)
        case .operator(.list(let prefix)): id = try await store.owner(ofList: prefix)
        case .operator(.importBatch(let prefix)): id = try await store.importBatch(prefix).accountID
        case .operator(.device(let device)): id = try await store.owner(of: device)
        }
        return GardenService(engine: engine, garden: store.garden(of: id))
    }
}

/// The use cases of one account's garden.
public struct GardenService: Sendable {
    let engine: Engine
    let garden: Garden

    /// The same garden, whose commands refuse a friend, a tag or settings of another version: with ``VersionPassed``.
    public func expecting(_ versions: Set<Int>?) -> GardenService {
        GardenService(engine: engine, garden: garden.expecting(versions))
    }

    /// The same garden, whose edits and deletions were made at a time, by the device's clock; nil if it is not known
    /// (rule 14.3).
    public func editing(at madeAt: Instant?) -> GardenService {
        GardenService(engine: engine, garden: garden.editing(at: madeAt))
    }

    /// The account with its settings.
    public func account() async throws -> Account { try await garden.account() }

    /// Today in the account's zone.
    public func today() async throws -> CivilDay { try today(try await garden.viewpoint()) }

    /// Today in the account's zone.
    func today(_ viewpoint: Viewpoint) throws -> CivilDay {
        try engine.zones.clock(of: viewpoint.account).day(at: viewpoint.now)
    }

    /// The plant as the account sees it today.
    func view(of plant: Plant) async throws -> PlantView {
        let (viewpoint, tags) = try await garden.tags(of: plant.id)
        return PlantView(plant, tags: tags, on: try today(viewpoint), language: viewpoint.account.language)
    }

    /// The id of a plant; a whole one is not looked up.
    ///
    /// - Parameter text: the id, or a prefix of at least 8 digits.
    func plantID(_ text: String) async throws -> Plant.ID {
        if let whole = UUID(uuidString: text) { return Plant.ID(whole) }
        return try await garden.plant(text).id
    }
}

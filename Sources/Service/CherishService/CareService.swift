import CherishCore
import CherishRuntime
import CherishStore

/// The originator of a request.
public enum Caller: Sendable {
    /// An account: may access its own garden only.
    case account(Account.ID)
    /// An operator of the service: may access any garden.
    case `operator`(GardenReference)
}

/// How an operator identifies a garden.
public enum GardenReference: Sendable {
    /// The account's e-mail or id.
    case account(String)
    /// The id of one of its plants, or a prefix of at least 8 digits.
    case plant(String)
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

    /// The caller's garden. All access to plants, tags, devices and imports goes through it.
    ///
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``.
    public func garden(of caller: Caller) async throws -> GardenService {
        let store = engine.store
        let id: Account.ID
        switch caller {
        case .account(let account): id = account
        case .operator(.account(let reference)):
            let account = try await store.account(reference)
            return GardenService(engine: engine, garden: store.garden(of: account.id), account: account)
        case .operator(.plant(let prefix)): id = try await store.plant(prefix).accountID
        case .operator(.importBatch(let prefix)): id = try await store.importBatch(prefix).accountID
        case .operator(.device(let device)): id = try await store.owner(of: device)
        }
        let garden = store.garden(of: id)
        return GardenService(engine: engine, garden: garden, account: try await garden.account())
    }
}

/// The use cases of one account's garden.
public struct GardenService: Sendable {
    let engine: Engine
    let garden: Garden
    /// The account as of when the garden was opened.
    public let account: Account

    var zone: TimeZoneRules {
        get throws { try engine.zones.rules(account.timeZone) }
    }

    func today() async throws -> CivilDay {
        try zone.day(at: try await engine.store.now())
    }

    /// The plants as the account sees them today.
    func views(of plants: [Plant]) async throws -> [PlantView] {
        let (tags, today) = (try await garden.tags(), try await today())
        return plants.map { PlantView($0, tags: tags.tags(of: $0.id), on: today, language: account.language) }
    }

    func view(of plant: Plant) async throws -> PlantView {
        try await views(of: [plant])[0]
    }
}

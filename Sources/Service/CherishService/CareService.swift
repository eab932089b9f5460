import CherishCore
import CherishRuntime
import CherishStore

/// Who asks.
public enum Caller: Sendable {
    /// A person: reaches their own garden only.
    case account(Account.ID)
    /// Somebody who runs the service: reaches any garden, by what they know of it.
    case `operator`(GardenReference)
}

/// How an operator names a garden.
public enum GardenReference: Sendable {
    /// The account's e-mail or id.
    case account(String)
    /// The id of a plant in it, or its first 8 digits or more.
    case plant(String)
    /// The id of one of its imports, or its first 8 digits or more.
    case importBatch(String)
    /// The id of one of its devices.
    case device(Device.ID)
}

/// Every use case once, for all programs: it validates what was asked, fills in defaults, and answers with values that know
/// their documents. It knows no arguments, no HTTP and no SQL; start reading at ``GardenService``.
public struct CareService: Sendable {
    let engine: Engine

    public init(_ engine: Engine) {
        self.engine = engine
    }

    /// The caller's garden: the only way to plants, tags, devices and imports.
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

/// What one account does with its garden.
public struct GardenService: Sendable {
    let engine: Engine
    let garden: Garden
    /// As it was when the garden was opened.
    public let account: Account

    var zone: TimeZoneRules {
        get throws { try engine.zones.rules(account.timeZone) }
    }

    func today() async throws -> CivilDay {
        try zone.day(at: try await engine.store.now())
    }

    /// Plants as their owner sees them today.
    func views(of plants: [Plant]) async throws -> [PlantView] {
        let (tags, today) = (try await garden.tags(), try await today())
        return plants.map { PlantView($0, tags: tags.tags(of: $0.id), on: today, language: account.language) }
    }

    func view(of plant: Plant) async throws -> PlantView {
        try await views(of: [plant])[0]
    }
}

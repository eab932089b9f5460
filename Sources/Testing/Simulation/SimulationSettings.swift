import CherishCore
import CherishPush
import CherishStore
import Postgres

/// The inputs of a simulation: the same settings give the same history.
public struct SimulationSettings: Sendable {
    /// The number of days, at least 1.
    public var days: Int
    /// The number of accounts at any time, at least 1.
    public var accounts: Int
    /// The seed of every choice.
    public var seed: UInt64
    /// The number of workers, 1–8.
    public var workers: Int
    /// Whether to inject faults.
    public var hasFaults = true
    /// Whether pushes go to phones that people add and remove, folded (docs/push.md); otherwise each push is a line.
    public var usesPhones = true
    /// How many pushes an account gets per civil day before the digest; low, so that digests are common.
    public var dailyCap = 2
    /// When the simulation begins.
    public var start = Instant(secondsSinceEpoch: 1_803_081_600)
    /// Whether people have things besides plants.
    public var hasThings = false
    /// Whether people fetch each other's shopping and do nothing else: ``NeighbourSimulation``.
    public var helpsNeighbours = false
    /// Whether people pause their gardens, tags and friends (rules 13.1 and 13.2).
    public var hasPauses = false
    /// Whether workers are away, or providers refuse, for up to three days, so that plants must be excused (rule 13.3).
    public var hasOutages = false
    /// What else people have, such as what a test adds.
    package var furtherDomains: [any SimulatedDomain] = []

    /// Describes a simulation that begins on 20 February 2027, before most zones change their clocks.
    public init(days: Int, accounts: Int, seed: UInt64, workers: Int = 3) {
        precondition(days >= 1 && accounts >= 1 && (1...8).contains(workers), "simulate a day of an account at least")
        self.days = days
        self.accounts = accounts
        self.seed = seed
        self.workers = workers
    }

    /// All that people have besides plants. It decides by a generator of its own.
    var domains: [any SimulatedDomain] { (hasThings ? [SimulatedThings()] : []) + furtherDomains }

    /// The command that repeats the simulation if phones, cap and start have their default values and there are no
    /// further domains.
    public var command: String {
        "cherish simulate --days \(days) --accounts \(accounts) --seed \(seed) --workers \(workers)"
            + (hasFaults ? "" : " --no-faults")
            + (helpsNeighbours
                ? " --neighbours" : (hasThings ? "" : " --no-things") + (hasPauses ? "" : " --no-pauses"))
    }

    /// Whether ``command`` repeats this history: it has no options for phones, cap, start and further domains.
    var isRepeatedByCommand: Bool {
        let usual = SimulationSettings(days: days, accounts: accounts, seed: seed, workers: workers)
        return furtherDomains.isEmpty && (helpsNeighbours || hasOutages == hasFaults)
            && (usesPhones, dailyCap, start) == (usual.usesPhones, usual.dailyCap, usual.start)
    }

    /// Few lanes, so that accounts share them.
    var lanes: Int { max(1, min(256, accounts / 6)) }
}

/// A deliberately broken engine, to prove that the simulation detects the defect.
public struct SimulationVariant: Sendable {
    /// Delivers what is due in its own way, one line per push. Gets the log, the worker's name, the receiver of the
    /// lines and the worker's now.
    public typealias Delivery = @Sendable (DeliveryLog, String, any PushSender, Instant) async throws -> Void

    /// Rewrites the statements of people's commands.
    public var commandStatement: @Sendable (String) -> String = { $0 }
    /// Rewrites the statements of workers.
    public var workerStatement: @Sendable (String) -> String = { $0 }
    /// A script that changes the database before anything happens; only ``NeighbourSimulation`` runs it.
    public var preparation: SQL?
    /// Replaces the workers' delivery; nil keeps the engine's own.
    public var delivery: Delivery?

    /// The unchanged engine, until a property is set.
    public init() {}
}

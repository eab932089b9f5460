import CherishCore
import CherishPush
import CherishStore

/// What decides a simulation: the same settings give the same history.
public struct SimulationSettings: Sendable {
    /// How many days, at least 1.
    public var days: Int
    /// How many accounts there are at any time, at least 1.
    public var accounts: Int
    /// What decides every choice.
    public var seed: UInt64
    /// How many workers, 1–8.
    public var workers: Int
    /// Whether anything goes wrong.
    public var hasFaults = true
    /// Whether pushes go to phones that people add and remove, folded for them (docs/push.md); otherwise each is a line.
    public var usesPhones = true
    /// How many pushes an account gets on one of its days before the digest: so few that digests are common.
    public var dailyCap = 2
    /// When it begins.
    public var start = Instant(secondsSinceEpoch: 1_803_081_600)

    /// Describes a simulation that begins on 20 February 2027, before most zones change their clocks.
    public init(days: Int, accounts: Int, seed: UInt64, workers: Int = 3) {
        precondition(days >= 1 && accounts >= 1 && (1...8).contains(workers), "simulate a day of an account at least")
        self.days = days
        self.accounts = accounts
        self.seed = seed
        self.workers = workers
    }

    /// How to run it again, if phones, cap and beginning are the usual ones.
    public var command: String {
        "cherish simulate --days \(days) --accounts \(accounts) --seed \(seed) --workers \(workers)"
            + (hasFaults ? "" : " --no-faults")
    }

    /// Whether ``command`` gives the same history: it has no options for phones, cap and beginning.
    var isToldByCommand: Bool {
        let usual = SimulationSettings(days: days, accounts: accounts, seed: seed, workers: workers)
        return (usesPhones, dailyCap, start) == (usual.usesPhones, usual.dailyCap, usual.start)
    }

    /// So few lanes that many accounts share one.
    var lanes: Int { max(1, min(256, accounts / 6)) }
}

/// An engine that is broken on purpose, to see that the simulation finds it.
public struct SimulationVariant: Sendable {
    /// Delivers what is due in a way of its own, a line for each push, given the log, the worker's name, what takes the
    /// lines and the worker's now.
    public typealias Delivery = @Sendable (DeliveryLog, String, any PushSender, Instant) async throws -> Void

    /// Changes the statements of people's commands.
    public var commandStatement: @Sendable (String) -> String = { $0 }
    /// Changes the statements of workers.
    public var workerStatement: @Sendable (String) -> String = { $0 }
    /// Stands for the workers' delivery; nil is the engine's own.
    public var delivery: Delivery?

    /// The engine as it is, unless something is changed.
    public init() {}
}

import ArgumentParser
import Foundation
import Glibc

/// The sizes and rounds of the benchmarks.
struct Size: Sendable {
    /// Plants where all are due.
    var plants: Int
    /// Plants where few are due.
    var manyPlants: Int
    var rounds: Int
    /// Rows of the client benchmark.
    var rows: Int
    var connections = 4
    /// Shows only that everything runs.
    var isSmoke = false

    /// The size behind the figures in docs/performance.md.
    static let full = Size(plants: 1_000_000, manyPlants: 5_000_000, rounds: 5, rows: 1_000_000)
    /// Shows in a minute that everything still runs; its figures are meaningless.
    static let smoke = Size(plants: 5000, manyPlants: 20_000, rounds: 1, rows: 5000, isSmoke: true)
}

@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cherish-benchmarks",
        abstract: "Measures the engine, beside references in the same run wherever there is something to compare with.",
        discussion: """
            EXAMPLES
              scripts/benchmark                    everything, about an hour
              scripts/benchmark schedule deliver   only these
              scripts/benchmark --smoke            all, tiny: shows that they run
            """,
        subcommands: [
            RunBenchmarks.self, Shell.self, WorkerChild.self, PushChild.self, WebPushChild.self, BulkChild.self,
        ],
        defaultSubcommand: RunBenchmarks.self)
}

struct RunBenchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "run")

    enum Name: String, ExpressibleByArgument, CaseIterable {
        case schedule, things, deliver, client, idle, rules, commands, growth, workers, horizon, places, push, bulk
        case webpush
        case pushFaults = "push-faults"
        case slowWebhooks = "slow-webhooks"
        case endToEnd = "end-to-end"
        case deliverLog = "deliver-log"
    }

    @Argument(help: "Which benchmarks to run; all if none is named.")
    var names: [Name] = []
    @Flag(help: "Tiny sizes and one round: shows that everything runs.")
    var smoke = false
    @Option(help: "How many rounds each contest has.")
    var rounds: Int?
    @Option(help: "How many plants are due in schedule and deliver.")
    var plants: Int?
    @Option(help: "Where to write all figures as JSON.")
    var json: String?

    func run() async throws {
        var size = smoke ? Size.smoke : Size.full
        size.rounds = rounds ?? size.rounds
        size.plants = plants ?? size.plants
        for name in names.isEmpty ? Name.allCases : names {
            switch name {
            case .schedule:
                try await Laboratory.migrated { try await ScheduleBenchmark.allDue(size: size, in: $0) }
            case .things:
                try await Laboratory.migrated { try await ScheduleBenchmark.things(size: size, in: $0) }
            case .deliver:
                try await Laboratory.migrated { try await DeliverBenchmark.run(size: size, in: $0) }
            case .deliverLog:
                try await Laboratory.migrated { try await DeliverBenchmark.runLogAlone(size: size, in: $0) }
            case .idle:
                try await Laboratory.migrated { try await ScheduleBenchmark.fewDue(size: size, in: $0) }
            case .rules:
                try await RulesBenchmark.run(size: size)
            case .commands:
                try await Laboratory.migrated { try await CommandsBenchmark.run(size: size, in: $0) }
            case .growth:
                try await GrowthBenchmark.run(size: size)
            case .workers:
                try await Laboratory.migrated { try await GrowthBenchmark.workers(size: size, in: $0) }
            case .horizon:
                try await Laboratory.migrated(autovacuum: true) { try await HorizonBenchmark.run(size: size, in: $0) }
            case .places:
                try await Laboratory.migrated { try await PlacesBenchmark.run(size: size, in: $0) }
            case .endToEnd:
                try await Laboratory.migrated(autovacuum: true) { try await EndToEndBenchmark.run(size: size, in: $0) }
            case .push:
                try await Laboratory.migrated { try await PushBenchmark.run(size: size, in: $0) }
            case .webpush:
                try await WebPushBenchmark.run(size: size)
            case .pushFaults:
                try await Laboratory.migrated { try await PushFaultRun.run(size: size, in: $0) }
            case .slowWebhooks:
                try await Laboratory.migrated(autovacuum: true) { try await SlowWebhookRun.run(size: size, in: $0) }
            case .bulk:
                try await Laboratory.migrated { try await BulkBenchmark.run(size: size, in: $0) }
            case .client:
                try await Laboratory.with { try await ClientBenchmark.run(size: size, in: $0) }
            }
        }
        if let json { try Report.write(to: json) }
    }
}

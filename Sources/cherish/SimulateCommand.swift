import ArgumentParser
import CherishRuntime
import Foundation
import Simulation

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Lives through months in virtual time, and looks whether promises are kept.",
        discussion: """
            People act, workers take rounds, and things go wrong, all decided by the seed: the same options give the \
            same history and the same digest. It runs on a database of its own, which is deleted afterwards. The exit \
            status is 1 where a promise was not kept.

            EXAMPLES
              cherish simulate --days 60 --accounts 20 --seed 7
              cherish simulate --days 730 --accounts 1000 --seed 7
            """)
    @Option(help: "How many days.") var days = 60
    @Option(help: "How many accounts there are at any time.") var accounts = 20
    @Option(help: "What decides every choice; any if not given.") var seed: UInt64?
    @Option(help: "How many workers, 1-8.") var workers = 3
    @Flag(inversion: .prefixedNo, help: "Let things go wrong.") var faults = true

    func validate() throws {
        guard days >= 1, accounts >= 1, (1...8).contains(workers) else {
            throw ValidationError("write 1 or more --days and --accounts, and 1 to 8 --workers")
        }
    }

    func run() async throws {
        var settings = SimulationSettings(
            days: days, accounts: accounts, seed: seed ?? UInt64.random(in: 0...9_999_999), workers: workers)
        settings.hasFaults = faults
        Self.tell("simulating: \(settings.command)")
        let report = try await Simulation.onPrivateCluster(settings, progress: { SimulateCommand.tell($0) })
        try Output.write(report.text + "\n")
        if !report.violations.isEmpty { throw ExitCode.failure }
    }

    private static func tell(_ line: String) {
        StandardStreams.tell(line + "\n")
    }
}

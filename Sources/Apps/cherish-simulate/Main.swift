import ArgumentParser
import CherishRuntime
import Foundation
import Simulation

/// Simulates months in virtual time, with all faults. It is a separate program, so that no other links fault injection.
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cherish-simulate", abstract: "Simulates months of use in virtual time and checks every promise.",
        discussion: """
            People act, workers take rounds, and things go wrong, all decided by the seed: the same options give the \
            same history and the same digest. It runs on a database of its own, which is deleted afterwards. The exit \
            status is 1 if a promise was broken. 'cherish simulate' starts this program.

            With --database it runs in that database instead, which must be empty, migrated and marked as one for tests, \
            and keeps everything there: this is how a cluster of Citus is tried.

            EXAMPLES
              cherish-simulate --days 60 --accounts 20 --seed 7
              cherish-simulate --neighbours --days 90 --accounts 200 --seed 7
              cherish-simulate --days 730 --accounts 1000 --seed 7
            """,
        version: "0.1.0")
    @Option(help: "How many days.") var days = 60
    @Option(help: "How many accounts there are at any time.") var accounts = 20
    @Option(help: "What decides every choice; any if not given.") var seed: UInt64?
    @Option(help: "How many workers, 1-8.") var workers = 3
    @Flag(inversion: .prefixedNo, help: "Inject faults.") var faults = true
    @Flag(inversion: .prefixedNo, help: "Let people have things besides plants.") var things = true
    @Flag(inversion: .prefixedNo, help: "Let people pause their gardens, tags and friends.") var pauses = true
    @Flag(help: "Let people fetch each other's shopping, and do nothing else.") var neighbours = false
    @Option(help: "A libpq URL of an empty database for tests; a private one if not given.") var database: String?

    func validate() throws {
        guard days >= 1, accounts >= 1, (1...8).contains(workers) else {
            throw ValidationError("write 1 or more --days and --accounts, and 1 to 8 --workers")
        }
    }

    func run() async throws {
        var settings = SimulationSettings(
            days: days, accounts: accounts, seed: seed ?? UInt64.random(in: 0...9_999_999), workers: workers)
        (settings.hasFaults, settings.hasOutages) = (faults, faults)
        (settings.hasThings, settings.hasPauses, settings.helpsNeighbours) = (things, pauses, neighbours)
        Self.printProgress("simulating: \(settings.command)")
        let report =
            if let database {
                try await inDatabase(database, settings)
            } else {
                try await Simulation.onPrivateCluster(settings, progress: { Self.printProgress($0) })
            }
        try StandardStreams.write(report.text + "\n")
        if !report.violations.isEmpty { throw ExitCode.failure }
    }

    private func inDatabase(_ database: String, _ settings: SimulationSettings) async throws -> SimulationReport {
        do {
            return try await Simulation.inDatabase(
                settings, connectionString: database, progress: { Self.printProgress($0) })
        } catch let unfit as UnfitDatabase {
            throw UsageError("\(unfit)")
        }
    }

    private static func printProgress(_ line: String) {
        StandardStreams.writeToStandardError(line + "\n")
    }
}

@main
enum Main {
    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        StandardStreams.reserve()
        do {
            try await SimulateCommand.parse().run()
        } catch let status as ExitCode {
            exit(status.rawValue)
        } catch {
            Failure.end(
                with: error, status: SimulateCommand.exitCode(for: error).rawValue,
                message: SimulateCommand.fullMessage(for: error))
        }
    }
}

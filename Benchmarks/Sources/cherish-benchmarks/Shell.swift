import ArgumentParser
import Foundation

/// A filled database for manual inspection, to find out why a figure is what it is.
struct Shell: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell", abstract: "Fills a database, schedules all, and waits while you look into it.")

    @Option var plants = 100_000

    func run() async throws {
        try await Laboratory.migrated { laboratory in
            try await Garden(accounts: max(plants / 5, 1), plants: plants, due: plants).plant(in: laboratory)
            _ = try await WorkerChild.run(.schedule, in: laboratory)
            try await laboratory.script("VACUUM ANALYZE")
            progress("psql \"\(laboratory.connectionString)\"   (Enter ends this)")
            _ = readLine()
        }
    }
}

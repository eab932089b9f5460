import CherishTestSupport
import Foundation
import Testing

@Suite("An account with 5,000 friends", .migratedDatabase)
struct LargeExportTests {
    private static let email = "minji@example.com"

    private func run(_ arguments: [String]) async throws -> (result: ProgramResult, peak: Int) {
        let words = arguments + ["--now", "2027-03-01T10:00:00+09:00"]
        let (result, peak) = try await Program.cherish.start(words).resultAndPeak()
        try #require(result.status == 0, "\(arguments): \(result.errors)")
        return (result, peak)
    }

    /// Adds the account, and returns the peak memory of a small command, in KiB.
    private func addGarden(_ table: URL) async throws -> Int {
        var little = try await run([
            "account", "add", "--email", Self.email, "--nickname", "M", "--time-zone", "Asia/Seoul",
        ]).peak
        // The memory of a program is looked at every 10 ms. On a busy machine, one that ends soon may be seen only while
        // it is still loading.
        for _ in 1...3 { little = max(little, try await run(["account", "list"]).peak) }
        let rows = (0..<5_000).map { "\(Self.email),Friend \($0),+8210\(20_000_000 + $0)" }
        try Data((["account,name,phone"] + rows).joined(separator: "\n").utf8).write(to: table)
        // The longest cycle gives the fewest projections and the shortest calendar.
        _ = try await run(["seed", table.path, "--cycle-days", "90"])
        return little
    }

    @Test("is exported in every format within little memory, and comes back byte for byte")
    func memory() async throws {
        try await withTemporaryFile("friends.csv") { table in
            let folder = table.deletingLastPathComponent()
            // Holding the account and its texts in memory would take two to three times as much.
            let bound = min(try await addGarden(table) + 16 * 1024, 100 * 1024)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for format in ["json", "csv", "vcard", "ical"] {
                    group.addTask {
                        let file = folder.appendingPathComponent(format)
                        let peak = try await run(["export", Self.email, "--format", format, "--file", file.path]).peak
                        #expect((1...bound).contains(peak), "\(format) took \(peak) KiB of \(bound)")
                    }
                }
                try await group.waitForAll()
            }
            let exported = folder.appendingPathComponent("json")
            // Too long to hold in memory: it is read in pieces.
            #expect(try Data(contentsOf: exported).count > 5 << 20)
            _ = try await run(["account", "erase", Self.email, "--yes"])
            let seeding = try await run(["seed", exported.path, "--output", "json"])
            #expect((1...bound).contains(seeding.peak), "seed took \(seeding.peak) KiB of \(bound)")
            #expect(try seeding.result.json()["accounts"] as? Int == 1)
            #expect(try seeding.result.json()["friends"] as? Int == 5_000)
            let again = folder.appendingPathComponent("again")
            _ = try await run(["export", Self.email, "--format", "json", "--file", again.path])
            #expect(FileManager.default.contentsEqual(atPath: exported.path, andPath: again.path))
        }
    }
}

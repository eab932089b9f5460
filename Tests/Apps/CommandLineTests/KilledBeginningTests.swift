import CherishTestSupport
import Foundation
import Glibc
import PrivatePostgres
import Testing

@Suite("A program killed while creating its private cluster", .serialized)
struct KilledBeginningTests {
    /// The file, below the home, whose appearance is the moment to kill.
    enum Moment: String, CaseIterable, Sendable {
        case begun = "postgres.making"
        case configured = "postgres.making/postgresql.conf"
        case bootstrapping = "postgres.making/global/pg_control"
        case nearlyMade = "postgres.making/base/4"
        case starting = "postgres/postmaster.pid"
        case withoutDatabase = "socket/.s.PGSQL.5432"

        var isInMaking: Bool { rawValue.hasPrefix("postgres.making") }
    }

    @Test(
        "does not disturb the next programs, several at once, and leaves nothing behind", arguments: Moment.allCases)
    func killed(moment: Moment) async throws {
        try await withTemporaryFile("home") { home in
            let cherish = Program(name: "cherish", environment: ["CHERISH_HOME": home.path])
            let cluster = PrivateCluster(home: home.path)
            do {
                let first = try cherish.start(["account", "list"])
                let place = home.appendingPathComponent(moment.rawValue).path
                // Or a later stage, if this one passed too quickly.
                try await eventually("no \(moment.rawValue) came") {
                    access(place, F_OK) == 0
                        || access(cluster.dataDirectory + (moment.isInMaking ? "" : "/cherish.database-made"), F_OK)
                            == 0
                }
                first.signal(SIGKILL)
                let results = try await withThrowingTaskGroup(of: ProgramResult.self) { group in
                    for _ in 1...3 { group.addTask { try await cherish.run("account", "list") } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                for result in results { #expect(result.status == 0, "\(result.errors)") }
                let left = try FileManager.default.contentsOfDirectory(atPath: home.path)
                #expect(!left.contains { $0.hasPrefix("postgres.making") }, "\(left)")
            } catch {
                try? await cluster.destroy()
                throw error
            }
            try await cluster.destroy()
        }
    }
}

import CherishStore
import CherishTestSupport
import Postgres
import Simulation
import Synchronization
import Testing

extension SimulationTests {
    private func settings(days: Int, accounts: Int = 24, seed: UInt64 = 23) -> SimulationSettings {
        var settings = SimulationSettings(days: days, accounts: accounts, seed: seed)
        settings.helpsNeighbours = true
        return settings
    }

    // MARK: Neighbours

    @Test("keeps the promises of lists, whatever goes wrong")
    func keepsPromisesOfLists() async throws {
        let report = try await NeighbourSimulation(
            settings(days: 45), connectionString: TestDatabase.current.connectionString
        ).run()
        #expect(report.violations.isEmpty, "\(report.text)")
        #expect(report.days == 45)
        let acts = [
            "write", "edit", "open", "cancel", "rate", "delete", "search", "accept", "give back", "mark", "deliver",
            "attach or remove receipt", "block", "unblock", "move", "leave", "close", "bar", "admit",
        ]
        for act in acts { #expect(report.acts[act, default: 0] > 0, "no \(act) in \(report.acts)") }
        for topic in ["accepted", "released", "delivered", "expiring", "expired", "cancelled"] {
            #expect(report.pushes["list_\(topic)", default: 0] > 5, "\(report.pushes)")
        }
        #expect(report.faults.count > 8 && report.repetitions > 0, "\(report.faults)")
    }

    @Test("the same seed makes the same history of lists", .inLongRuns)
    func sameHistoryOfLists() async throws {
        var digests: Set<String> = []
        for _ in 0..<2 {
            var short = settings(days: 4, accounts: 12)
            short.hasFaults = true
            digests.insert(try await Simulation.onPrivateCluster(short, progress: { _ in }).digest)
        }
        #expect(digests.count == 1 && digests.first?.isEmpty == false)
    }

    /// Replaces a part of the engine's SQL.
    private final class Replacement: Sendable {
        private let part, other: String
        private let only: String?
        private let count = Mutex(0)

        /// - Parameter only: what else a statement must contain.
        init(_ part: String, by other: String, in only: String? = nil) {
            (self.part, self.other, self.only) = (part, other, only)
        }

        var hasEffect: Bool { count.withLock { $0 > 0 } }

        func apply(to sql: String) -> String {
            guard sql.contains(part), only.map({ sql.contains($0) }) ?? true else { return sql }
            count.withLock { $0 += 1 }
            return sql.replacing(part, with: other)
        }
    }

    /// The promises that a simulation finds broken.
    private func broken(
        commands: Replacement? = nil, workers: [Replacement] = [], preparation: SQL? = nil
    ) async throws -> Set<Violation.Promise> {
        var variant = SimulationVariant()
        variant.preparation = preparation
        variant.commandStatement = { commands?.apply(to: $0) ?? $0 }
        variant.workerStatement = { sql in workers.reduce(commands?.apply(to: sql) ?? sql) { $1.apply(to: $0) } }
        let report = try await NeighbourSimulation(
            settings(days: 60), connectionString: TestDatabase.current.connectionString, variant: variant
        ).run()
        for replacement in workers + [commands].compactMap({ $0 }) {
            #expect(replacement.hasEffect, "the engine was not broken")
        }
        // A statement that fails to run at all breaks no promise.
        #expect(!report.violations.contains { $0.what.contains("failed: server 42") }, "\(report.text)")
        return Set(report.violations.map(\.promise))
    }

    @Test("finds helpers whom nobody tells once a program has stopped")
    func untoldHelpers() async throws {
        let news = Replacement(
            "VALUES ($1, $2, $3, $4, $5, $6)",
            by: """
                SELECT lane, account_id, list_id, recipient_id, list_version, written_at FROM list_news
                WHERE lane = $1 AND account_id = $2 AND list_id = $3 AND recipient_id = $4 AND list_version = $5
                    AND written_at = $6
                """, in: "INSERT INTO list_news")
        #expect(!(try await broken(commands: news)).isDisjoint(with: [.oneHelper, .wholeCommands]))
    }

    @Test("finds a second helper of a list")
    func secondHelper() async throws {
        let list = Replacement("helper_id,", by: "NULL::uuid,", in: "FROM shopping_list WHERE lane = $1 AND id = $2")
        #expect(try await broken(commands: list).contains(.wholeCommands))
    }

    @Test("finds a sixth place")
    func sixthPlace() async throws {
        let places = Replacement(
            "AND account_id = $2 ORDER BY list_id", by: "AND account_id = $2 AND false", in: "helped_list")
        #expect(try await broken(commands: places).contains(.wholeCommands))
    }

    @Test(
        "finds a search that shows what was blocked, or has expired", .inLongRuns,
        arguments: ["AND list.account_id <> ALL (hidden)", "AND list.expires_at > at"])
    func searches(part: String) async throws {
        let found = try await broken(
            preparation: """
                DO $$
                DECLARE
                    definition text := pg_get_functiondef(
                        'nearby_lists(smallint, uuid, timestamp with time zone, double precision, integer)'::regprocedure);
                BEGIN
                    IF position('\(part)' IN definition) = 0 THEN
                        RAISE EXCEPTION 'the search has no such part';
                    END IF;
                    EXECUTE replace(definition, '\(part)', 'AND list.account_id <> caller');
                END
                $$
                """)
        #expect(found.contains(.whoSeesWhat))
    }

    @Test("finds ratings that were changed on their way")
    func changedRatings() async throws {
        let rating = Replacement(
            "VALUES ($1, $2, $3, $4)", by: "VALUES ($1, $2, $3, least($4, 2::smallint))",
            in: "INSERT INTO helper_rating")
        #expect(try await broken(commands: rating).contains(.oneHelper))
    }

    @Test("finds pushes about what has changed since")
    func supersededPushes() async throws {
        let found = try await broken(workers: [
            Replacement("coalesce(list.event_topic, helped.event_topic)::text", by: "planned.topic::text"),
            Replacement("coalesce(list.event_at, helped.event_at)", by: "planned.at"),
        ])
        #expect(found.contains(.notWhenDone))
    }

    @Test("finds warnings that nobody gets")
    func forgottenWarning() async throws {
        let warning = Replacement(
            "expiring_push_at = $17", by: "expiring_push_at = CASE WHEN false THEN $17::timestamptz END",
            in: "UPDATE helped_list")
        #expect(try await broken(commands: warning).contains(.nothingLost))
    }

    @Test("finds lists that are left with a helper who is no more", .inLongRuns)
    func ghosts() async throws {
        let helped = Replacement("(accepted_at IS NOT NULL OR slot IS NOT NULL)", by: "false")
        #expect(try await broken(commands: helped).contains(.erased))
    }

    @Test("finds receipts that outlive the help", .inLongRuns)
    func keptReceipts() async throws {
        let receipt = Replacement("SET content = NULL", by: "SET content = content", in: "UPDATE list_receipt")
        #expect(try await broken(commands: receipt).contains(.whoSeesWhat))
    }
}

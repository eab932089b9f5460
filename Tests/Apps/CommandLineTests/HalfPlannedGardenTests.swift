import CherishTestSupport
import Foundation
import Postgres
import Testing

/// An edit of an account that dies before replanning its garden leaves this to the next program.
@Suite("Programs and a half-planned garden", .migratedDatabase)
struct HalfPlannedGardenTests {
    private let email = "minji@example.com"

    /// An account in UTC with a friend whose alarm comes at 09:00.
    private func garden(_ email: String, cycle: Int, _ now: [String] = []) async throws {
        for command in [
            ["account", "add", "--email", email, "--nickname", "A", "--time-zone", "UTC"],
            [
                "friend", "add", email, "--name", "B", "--phone", "+821020000000", "--cycle-days", "\(cycle)",
                "--alarm", "09:00",
            ],
        ] {
            let result = try await Program.cherish.run(command + now)
            try #require(result.status == 0, "\(result.errors)")
        }
    }

    /// Moves the account to New York as an edit does that dies before replanning the first piece of its garden.
    private func leaveHalfPlanned(_ pool: ConnectionPool) async throws {
        _ = try await pool.withConnection { connection in
            try await connection.execute(
                """
                UPDATE account SET time_zone = 'America/New_York', replan_after = '00000000-0000-0000-0000-000000000000'
                WHERE email = $1
                """, [email])
        }
        #expect(try await !isPlanned(pool))
    }

    /// Whether the alarm comes at 09:00 in the account's current zone, and no replanning is left to do.
    private func isPlanned(_ pool: ConnectionPool) async throws -> Bool {
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT FROM plant JOIN account ON account.lane = plant.lane AND account.id = plant.account_id
                WHERE account.email = $1 AND account.replan_after IS NULL
                    AND (plant.alarm_at AT TIME ZONE account.time_zone)::time = '09:00'
                """, [email])
        }
        return !rows.isEmpty
    }

    @Test("a tick completes it; if it cannot, it reports the error and still serves the others")
    func tick() async throws {
        let registered = ["--now", "2027-02-24T10:00:00Z"]
        try await garden(email, cycle: 7, registered)
        try await garden("jun@example.com", cycle: 1, registered)
        let pool = TestDatabase.current.pool(maximumConnections: 1)
        try await leaveHalfPlanned(pool)
        try await pool.withConnection { connection in
            try await connection.script(
                """
                CREATE FUNCTION obstruct() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not this one'; END $$;
                CREATE TRIGGER obstruct BEFORE UPDATE ON plant
                    FOR EACH ROW WHEN (NEW.cycle_days = 7) EXECUTE FUNCTION obstruct();
                """)
        }
        try await withTemporaryFile("pushes.jsonl") { file in
            let cherish = Program.cherish.with(["CHERISH_PUSH": "jsonl:\(file.path)"])
            let obstructed = try await cherish.run("tick", "--now", "2027-02-25T09:00:00Z")
            #expect(obstructed.status != 0)
            #expect(obstructed.errors.hasPrefix("error: "), "\(obstructed.errors)")
            #expect(lines(of: file).count == 1)
            #expect(try await !isPlanned(pool))

            try await pool.withConnection { try await $0.script("DROP TRIGGER obstruct ON plant") }
            let free = try await cherish.run("tick", "--now", "2027-02-25T09:01:00Z")
            #expect(free.status == 0, "\(free.errors)")
            #expect(try await isPlanned(pool))
            #expect(lines(of: file).count == 1)
        }
        await pool.close()
    }

    @Test("a worker completes it")
    func worker() async throws {
        try await garden(email, cycle: 30)
        let pool = TestDatabase.current.pool(maximumConnections: 1)
        try await leaveHalfPlanned(pool)
        let worker = try Program.worker.with(["CHERISH_PUSH": "jsonl:/dev/null"]).start()
        try await eventually("nobody went on: \(worker.errors)") { try await isPlanned(pool) }
        worker.signal(SIGTERM)
        let result = await worker.result()
        #expect(result.status == 0, "\(result.errors)")
        await pool.close()
    }
}

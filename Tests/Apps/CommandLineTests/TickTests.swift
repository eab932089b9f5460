import CherishTestSupport
import Foundation
import Postgres
import Testing

@Suite("A tick", .migratedDatabase)
struct TickTests {
    @Test("reports each unreadable row once, on standard error, with its key and the consequence")
    func brokenRows() async throws {
        let pool = TestDatabase.current.pool(maximumConnections: 1)
        try await pool.withConnection { connection in
            try await connection.script(
                """
                ALTER TABLE lane DROP CONSTRAINT lane_cursor_at_range;
                UPDATE lane SET cursor_at = 'infinity' WHERE lane = 1;
                UPDATE lane_delivery SET cursor_seq = 41 WHERE lane = 3;
                """)
        }
        await pool.close()
        let result = try await Program.cherish.run("tick", "--output", "json")
        #expect(result.status == 0, "\(result.errors)")
        let reported = result.errors.split(separator: "\n")
        for (row, consequence) in [
            ("table lane with lane 1 holds an infinite instant", "lane 1 schedules nothing until it is repaired"),
            ("table lane_delivery with lane 3 holds", "lane 3 delivers nothing until it is repaired"),
        ] {
            let lines = reported.filter { $0.contains(row) && $0.contains(consequence) }
            #expect(lines.count == 1, "\(row) in \(result.errors)")
        }
    }

    @Test("writes JSON Lines to standard output if the file is -")
    func jsonLines() async throws {
        for command in [
            ["account", "add", "--email", "a@example.com", "--nickname", "A", "--time-zone", "UTC"],
            ["friend", "add", "a@example.com", "--name", "B", "--phone", "+821020000000", "--cycle-days", "1"],
        ] {
            let result = try await Program.cherish.run(command + ["--now", "2027-03-01T10:00:00Z"])
            try #require(result.status == 0, "\(result.errors)")
        }
        try await withTemporaryFile("unused") { file in
            let folder = file.deletingLastPathComponent()
            let result = try await Program.cherish.shell(
                #"CHERISH_PUSH=jsonl:- "$CHERISH" tick --now 2027-03-02T09:00:00Z"#, in: folder)
            #expect(result.status == 0, "\(result.errors)")
            let line = try #require(result.output.split(separator: "\n").first)
            let push = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(push?["kind"] as? String == "watering_due", "\(result.output)")
            // No file of that name is created.
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }
}

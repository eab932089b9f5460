import CherishTestSupport
import Foundation
import Testing

/// `sql/schema.sql` shows the result of all migrations in one file; `scripts/schema-dump` regenerates it.
@Suite("The dump of the schema", .migratedDatabase)
struct SchemaDumpTests {
    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
            "sql/schema.sql")

    @Test("sql/schema.sql is the result of the migrations")
    func schemaFile() async throws {
        let dumped = FileManager.default.temporaryDirectory.appendingPathComponent("cherish-schema-\(UUID()).sql")
        defer { try? FileManager.default.removeItem(at: dumped) }
        let dump = try await RunningProgram(
            dumpProgram(),
            [
                "--schema-only", "--no-owner", "--no-privileges", "--exclude-table=*_[0-9]+",
                // The reports are not migrations, and are documented in their own files.
                "--exclude-schema=report", "--file=\(dumped.path)", "--dbname=\(TestDatabase.current.connectionString)",
            ]
        ).result()
        try #require(dump.status == 0, "\(dump.errors)")
        let schema = normalized(try String(contentsOf: dumped, encoding: .utf8))
        #expect(schema.contains("CREATE TABLE public.plant ("))
        if ProcessInfo.processInfo.environment["CHERISH_WRITE_SCHEMA_DUMP"] == "1" {
            try schema.write(to: Self.file, atomically: true, encoding: .utf8)
        } else {
            let kept = try String(contentsOf: Self.file, encoding: .utf8)
            let isSame = kept == schema
            #expect(isSame, "run scripts/schema-dump and review the difference")
        }
    }

    /// Without what changes between dumps or versions: comments, settings, runs of blank lines.
    private func normalized(_ dump: String) -> String {
        let dropped = ["--", "SET ", "SELECT pg_catalog.set_config", "\\restrict", "\\unrestrict"]
        var lines: [Substring] = []
        for line in dump.split(separator: "\n", omittingEmptySubsequences: false) {
            if dropped.contains(where: { line.hasPrefix($0) }) { continue }
            if line.isEmpty && lines.last?.isEmpty != false { continue }
            lines.append(line)
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines.joined(separator: "\n") + "\n"
    }

    /// pg_dump of the newest PostgreSQL installed, which also runs the tests' cluster.
    private func dumpProgram() throws -> String {
        let chosen = ProcessInfo.processInfo.environment["CHERISH_POSTGRES_BIN"].flatMap { $0.isEmpty ? nil : $0 }
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let newestFirst = versions.sorted { $0.compare($1, options: .numeric) == .orderedDescending }
        let programs = (chosen.map { [$0] } ?? newestFirst.map { "\(root)/\($0)/bin" }).map { $0 + "/pg_dump" }
        let found = programs.first { FileManager.default.isExecutableFile(atPath: $0) }
        return try #require(found, "pg_dump is missing")
    }
}

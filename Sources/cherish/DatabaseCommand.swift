import ArgumentParser
import CherishRuntime
import CherishStore
import Foundation
import PrivatePostgres

struct DatabaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "database", abstract: "Migrates the database, and starts or stops the private one.",
        subcommands: [Migrate.self, Status.self, Start.self, Stop.self, URLCommand.self])

    struct Migrate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Brings the database to the schema of this program.",
            discussion: "EXAMPLE\n  DATABASE_URL=postgres://cherish@db/cherish cherish database migrate")
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withEngine(requiresSchema: false) { engine in
                let before = try await engine.migrator.status()
                try await engine.migrator.migrate()
                let after = try await engine.migrator.status()
                try Output.print(
                    common.output, json: ["applied": after.applied, "known": after.known, "before": before.applied],
                    table: Table(
                        [Table.Column(title: "APPLIED"), Table.Column(title: "KNOWN")],
                        rows: [["\(after.applied)", "\(after.known)"]]),
                    text: before.applied == after.applied
                        ? "up to date: \(after.applied) of \(after.known) migrations"
                        : "migrated: \(after.applied) of \(after.known) migrations, \(before.applied) before")
            }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Tells where the database is and how far it was migrated.")
        @OptionGroup var common: CommonOptions

        func run() async throws {
            let settings = try Settings()
            var server = "server of DATABASE_URL or PG… variables"
            if case .privateCluster(let home) = settings.database {
                let cluster = PrivateCluster(home: home)
                let status = try await cluster.status()
                server = "private cluster in \(home)"
                // Asking must not start it.
                guard case .running = status else { return try show(server, state: "\(status)", migrations: nil) }
            }
            // Straight to the migrator: asking must not migrate either.
            let status = try await Engine.migrationStatus(settings)
            try show(server, state: "running", migrations: status)
        }

        private func show(_ server: String, state: String, migrations: Migrator.Status?) throws {
            struct Document: Encodable {
                let server, state: String
                let applied, known: Nullable<Int>
            }
            let document = Document(
                server: server, state: state, applied: Nullable(migrations?.applied), known: Nullable(migrations?.known)
            )
            let count = migrations.map { "\($0.applied) of \($0.known)" } ?? "unknown"
            try Output.print(
                common.output, json: document,
                table: Table(
                    [Table.Column(title: "SERVER"), Table.Column(title: "STATE"), Table.Column(title: "MIGRATIONS")],
                    rows: [[server, state, count]]))
        }
    }

    struct Start: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Starts the private cluster, making it if need be.")
        @OptionGroup var common: CommonOptions

        func run() async throws {
            let home = try privateHome()
            try await common.withEngine { _ in
                try Output.print(
                    common.output, json: ["state": "running"],
                    table: Table([Table.Column(title: "STATE")], rows: [["running"]]),
                    text: "the private cluster in \(home) is running")
            }
        }
    }

    struct Stop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Stops the private cluster.")
        @OptionGroup var common: CommonOptions

        func run() async throws {
            let wasRunning = try await PrivateCluster(home: try privateHome()).stop()
            try Output.print(
                common.output, json: ["stopped": wasRunning],
                table: Table([Table.Column(title: "STOPPED")], rows: [["\(wasRunning)"]]),
                text: wasRunning ? "stopped" : "it was not running")
        }
    }

    struct URLCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "url", abstract: "Prints the connection string, for psql and other programs.",
            discussion: "EXAMPLE\n  psql \"$(cherish database url)\"")
        @OptionGroup var common: CommonOptions

        func run() async throws {
            let url = try await Engine.connectionString(try Settings().database)
            try Output.print(
                common.output, json: ["url": url], table: Table([Table.Column(title: "URL")], rows: [[url]]), text: url)
        }
    }
}

private func privateHome() throws -> String {
    guard case .privateCluster(let home) = try Settings().database else {
        throw UsageError("DATABASE_URL or a PG… variable names a server; this command is for the private cluster")
    }
    return home
}

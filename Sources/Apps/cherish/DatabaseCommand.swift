import ArgumentParser
import CherishRuntime
import CherishService
import CherishStore
import Foundation
import PrivatePostgres

struct DatabaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "database",
        abstract: "Migrates the database, makes its roles, repairs it, and starts or stops the private one.",
        subcommands: [
            Migrate.self, Status.self, RolesCommand.self, MarkTest.self, RepairCursors.self, Start.self, Stop.self,
            URLCommand.self,
        ])

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
                let document = Document(
                    applied: after.applied, known: after.known, before: before.applied,
                    reportsReplaced: before.reports != .current)
                try Output.print(
                    common.output, json: document,
                    table: Table(
                        [Table.Column(title: "APPLIED"), Table.Column(title: "KNOWN")],
                        rows: [["\(after.applied)", "\(after.known)"]]),
                    text: document.text)
            }
        }

        private struct Document: Encodable {
            let applied, known, before: Int
            let reportsReplaced: Bool

            var text: String {
                let migrations =
                    before == applied
                    ? "up to date: \(applied) of \(known) migrations"
                    : "migrated: \(applied) of \(known) migrations, \(before) before"
                return migrations + (reportsReplaced ? "; reports replaced" : "")
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
                // A status query must not start it.
                guard case .running = status else {
                    return try show(server, state: "\(status)", migrations: nil, isTest: nil)
                }
            }
            // Not through `withEngine`: a status query must not migrate either.
            let (migrations, isTest) = try await Engine.databaseStatus(settings)
            try show(server, state: "running", migrations: migrations, isTest: isTest)
        }

        private func show(_ server: String, state: String, migrations: Migrator.Status?, isTest: Bool?) throws {
            struct Document: Encodable {
                let server, state: String
                let applied, known: Nullable<Int>
                let reports: Nullable<String>
                let test: Nullable<Bool>
            }
            let document = Document(
                server: server, state: state, applied: Nullable(migrations?.applied),
                known: Nullable(migrations?.known), reports: Nullable(migrations?.reports.rawValue),
                test: Nullable(isTest))
            let count = migrations.map { "\($0.applied) of \($0.known)" } ?? "unknown"
            try Output.print(
                common.output, json: document,
                table: Table(
                    ["SERVER", "STATE", "MIGRATIONS", "REPORTS", "FOR TESTS"].map { Table.Column(title: $0) },
                    rows: [
                        [
                            server, state, count, migrations?.reports.rawValue ?? "unknown",
                            isTest.map { $0 ? "yes" : "no" } ?? "unknown",
                        ]
                    ]))
        }
    }

    struct RolesCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "roles",
            abstract: "Makes the roles of programs, of readers and of sessions for one account.",
            discussion: """
                The programs' role has the rows and no table of its own; that of readers has the reports alone, in \
                which there is no name, phone, e-mail, token or memo; the third has the rows of the one account that a \
                session's setting cherish.account names, in the schema garden. Nobody logs in as one of them: users \
                become members. Doing it again takes back whatever else was granted to them on these tables.

                EXAMPLE
                  cherish database roles
                  psql "$DATABASE_URL" \\
                    -c "CREATE ROLE metabase LOGIN PASSWORD '…' IN ROLE cherish_report"
                """)
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withEngine { engine in
                let outcome = try await Roles(pool: engine.store.pool).establish()
                func row(_ role: String, _ privileges: String) -> [String] {
                    [role, outcome.made.contains(role) ? "made" : "was there", privileges]
                }
                let rows = [
                    row(outcome.application, "has what the programs need"), row(outcome.reporting, "reads the reports"),
                    row(outcome.account, "sees and changes the account that cherish.account names"),
                ]
                let document = Document(
                    application: outcome.application, reporting: outcome.reporting, account: outcome.account,
                    made: outcome.made)
                try Output.print(
                    common.output, json: document,
                    table: Table(["ROLE", "STATE", "PRIVILEGES"].map { Table.Column(title: $0) }, rows: rows),
                    text: """
                        \(rows.map { "\($0[0]) \($0[1]): \($0[2])" }.joined(separator: "\n"))
                        Let users log in as members of them:
                          CREATE ROLE worker LOGIN PASSWORD '…' IN ROLE \(outcome.application);
                          CREATE ROLE metabase LOGIN PASSWORD '…' IN ROLE \(outcome.reporting);
                          CREATE ROLE server LOGIN PASSWORD '…' IN ROLE \(outcome.account);
                        """)
            }
        }

        private struct Document: Encodable {
            let application, reporting, account: String
            let made: [String]
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

import ArgumentParser
import CherishCore
import CherishRuntime
import CherishService
import CherishStore
import CherishWorker
import Foundation

struct TickCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tick", abstract: "Schedules and delivers all pushes that are due, then exits.",
        discussion: """
            CHERISH_PUSH says where pushes go: stdout (the default), jsonl:PATH to append one JSON object a line, or \
            devices for the phones and webhooks of the accounts, whose providers docs/push.md tells how to set up. \
            With --output json or csv the lines for people go to standard error, so that standard output stays one \
            document.

            EXAMPLE
              CHERISH_PUSH=jsonl:pushes.jsonl cherish tick --now 2027-03-02T09:00:00+09:00
            """)
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let counts = try await counts()
        let all = [
            ("enqueued", counts.enqueued), ("delivered", counts.delivered), ("superseded", counts.superseded),
            ("suppressed", counts.suppressed), ("expired", counts.expired), ("retrying", counts.retrying),
            ("dead", counts.dead),
        ]
        try Output.print(
            common.output, json: Dictionary(uniqueKeysWithValues: all),
            table: Table(
                all.map { Table.Column(title: $0.0.uppercased(), isNumber: true) }, rows: [all.map { "\($0.1)" }]),
            text: all.map { "\($0.1) \($0.0)" }.joined(separator: ", "))
    }

    /// Sends lines in this process; runs `cherish-worker --once` to reach devices.
    private func counts() async throws -> RoundCounts {
        let setting = try Settings().push ?? .standardOutput
        let descriptor = common.output == .table ? STDOUT_FILENO : STDERR_FILENO
        guard let lines = PushOutlet(lines: setting, descriptor: descriptor) else {
            let now = common.now.map { ["--now", $0.description] } ?? []
            let counts = try ProgramBeside("cherish-worker").output(["--once"] + now)
            return try JSONDecoder().decode(RoundCounts.self, from: counts)
        }
        return try await common.withEngine { try await $0.tick { _ in lines } }
    }
}

struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push", abstract: "Lists pushes, explains why one came or did not, and makes the key of Web Push.",
        subcommands: [List.self, Explain.self, Key.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists what was planned for an account and how it ended.")
        @Argument(help: "The account's e-mail or id.") var account: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.account(account)) { garden in
                let pushes = try await garden.pushes()
                try Output.print(
                    common.output, json: ["pushes": pushes.map(PushDocument.init)], table: GardenText.pushTable(pushes),
                    text: pushes.isEmpty ? "no push was due yet" : nil)
            }
        }
    }

    struct Explain: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Explains why a push about a plant or a thing came or did not, and what comes next.",
            discussion: "EXAMPLE\n  cherish push explain 5f3e2a10 --on 2027-03-02")
        @Argument(help: "The id of the plant or the thing, or its first 8 digits or more.") var subject: String
        @Option(help: "The day in question; today without it.") var on: CivilDay?
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withService { service in
                let explanation = try await explanation(service)
                try Output.print(
                    common.output, json: explanation.document,
                    table: GardenText.pushTable(explanation.pushes),
                    text: explanation.sentences.joined(separator: "\n"))
            }
        }

        private func explanation(_ service: CareService) async throws -> PushExplanation {
            do {
                return try await service.garden(of: .operator(.plant(subject))).explainPushes(subject, on: on)
            } catch CareError.notFound(.plant) {
                let garden = try await service.garden(of: .operator(.thing(subject)))
                return try await garden.explainPushes(ofThing: subject, on: on)
            }
        }
    }

    struct Key: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the public key with which browsers subscribe, or makes a new key.",
            discussion: """
                Push services of browsers recognize an installation by its key, which CHERISH_WEBPUSH_KEY names. A browser \
                subscribes with the public half. With a new key every browser has to subscribe again, so an existing file \
                is never replaced.

                EXAMPLES
                  cherish push key --new /etc/cherish/webpush.pem
                  CHERISH_WEBPUSH_KEY=/etc/cherish/webpush.pem cherish push key
                """)
        @Option(help: "The file to make, which only its owner may read.") var new: String?
        @Option(help: "table for people, one json document, or csv for lists.") var output: OutputFormat = .table

        func run() async throws {
            let publicKey = try new.map { try PushKey.make(at: $0) } ?? PushKey.publicKey(try Settings())
            guard let publicKey else {
                throw UsageError("CHERISH_WEBPUSH_KEY names no key; 'cherish push key --new FILE' makes one")
            }
            try Output.print(
                output, json: ["publicKey": publicKey],
                table: Table([Table.Column(title: "PUBLIC KEY")], rows: [[publicKey]]))
        }
    }
}

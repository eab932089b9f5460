import ArgumentParser
import CherishCore
import CherishRuntime
import Foundation
import GardenArchive
import GardenGenerator

struct SeedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seed", abstract: "Adds many accounts at once, for staging and load tests.",
        discussion: """
            A file holds one account a line, as JSON: what 'cherish export --format json' wrote, or a new one with its friends:
              {"account": {"email": "minji@example.com", "nickname": "Minji", "timeZone": "Asia/Seoul"},
               "plants": [{"name": "Park Jisoo", "phone": "010-1234-5678", "cycleDays": 7}]}

            EXAMPLES
              cherish seed generate --accounts 100 --seed 7 | cherish seed -
              cherish seed minji.json
            """,
        subcommands: [Add.self, Generate.self], defaultSubcommand: Add.self)

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Adds the accounts of a file. The same file again adds nothing.")
        @Argument(help: "The file; - is the standard input.") var file: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withEngine { engine in
                let result = try await engine.seed(from: file) { Progress.show("\($0) accounts …") }
                Progress.clear()
                let document = Document(result)
                let counts =
                    "\(result.writtenAccounts) accounts with \(result.friends) friends, \(result.knownAccounts) known already"
                try Output.print(
                    common.output, json: document,
                    table: Table(
                        ["ACCOUNTS", "FRIENDS", "KNOWN", "PROBLEMS"].map { Table.Column(title: $0, isNumber: true) },
                        rows: [
                            [
                                "\(document.accounts)", "\(document.friends)", "\(document.known)",
                                "\(document.problems.count)",
                            ]
                        ]),
                    text: ([counts] + document.problems.map { "  line \($0.line): \($0.code): \($0.message)" })
                        .joined(separator: "\n"))
            }
        }
    }

    struct Generate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Writes made-up gardens with a past to the standard output, one account a line.",
            discussion: "The same seed and --now give the same gardens. Their numbers and addresses reach nobody.")
        @Option(help: "How many accounts.") var accounts: Int
        @Option(help: "What decides every choice.") var seed: UInt64 = 1
        @Option(help: "The most friends of an account, 5-\(GardenGenerator.mostFriends).") var friends = 60
        @OptionGroup var common: CommonOptions

        func validate() throws {
            guard accounts >= 0, (5...GardenGenerator.mostFriends).contains(friends) else {
                throw ValidationError(
                    "write 0 or more --accounts, and 5 to \(GardenGenerator.mostFriends) --friends")
            }
        }

        func run() async throws {
            try await common.withEngine { engine in
                var generator = engine.generator(seed: seed, now: try await engine.store.now())
                generator.friendsPerAccount = 5...friends
                for number in 0..<accounts {
                    let line = try ArchiveDocument.encode(try generator.account(number), pretty: false)
                    try FileHandle.standardOutput.write(contentsOf: Data(line + [UInt8(ascii: "\n")]))
                    Progress.show("\(number + 1) of \(accounts) accounts …")
                }
                Progress.clear()
            }
        }
    }
}

private struct Document: Encodable {
    struct Problem: Encodable {
        let line: Int
        let code, message: String
    }

    let accounts, friends, known: Int
    let problems: [Problem]

    init(_ result: SeedResult) {
        accounts = result.writtenAccounts
        friends = result.friends
        known = result.knownAccounts
        problems = result.problems.map { Problem(line: $0.line, code: $0.code, message: $0.message) }
    }
}

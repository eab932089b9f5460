import AddressBook
import ArgumentParser
import CherishCore
import CherishService
import CherishStore
import Foundation
import GardenArchive
import GardenGenerator

struct SeedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seed", abstract: "Adds many accounts and friends at once.",
        discussion: """
            A file is a table of friends (CSV) with a column "account" that holds an e-mail or id, or JSON Lines of \
            accounts and friends. An account is what 'cherish export --format json' wrote, or a new one with its \
            friends, each on one line, however long:
              {"account": {"email": "minji@example.com", "nickname": "Minji",
               "timeZone": "Asia/Seoul"}, "plants": [{"name": "Park Jisoo",
               "phone": "010-1234-5678", "cycleDays": 7}]}
              {"account": "minji@example.com", "name": "Kim Yuna",
               "phone": "010-8765-4321", "cycleDays": 14}

            EXAMPLES
              cherish seed generate --accounts 100 --seed 7 | cherish seed -
              cherish seed members.csv --time-zone Asia/Seoul --errors problems.csv
            """,
        subcommands: [Add.self, Generate.self], defaultSubcommand: Add.self)

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Adds the accounts and friends of a file.",
            discussion: """
                The same file again adds nothing, and completes what was interrupted. Friends who are here already are \
                left as they are; 'cherish friend import' corrects their names. First due dates are spread over the \
                cycles.
                """)
        @Argument(help: "The file; - is the standard input.") var file: String
        @Option(
            parsing: .unconditional, help: "The cycle of friends for whom neither the file nor a tag names one, 1-90.")
        var cycleDays = WholeNumber(argument: "7")!  // a whole number
        @Option(help: "What columns hold, like name=성함,phone=연락처.", transform: { try ColumnMap($0) })
        var map = ColumnMap.none
        @Option(help: "Add accounts that friends name and that are not here, in this time zone.") var timeZone: String?
        @Option(help: "The language of the accounts that --time-zone adds.") var language: Language = .english
        @Flag(
            inversion: .prefixedNo, help: "Spread first due dates over the cycle, so that not all are due on one day.")
        var spread = true
        @Flag(help: "Read 05/06/1994 as the fifth of June.") var dayFirst = false
        @Option(
            help: """
                Write what was refused or left out to this table, to be corrected and seeded; - is the standard \
                output.
                """)
        var errors: String?
        @OptionGroup var common: CommonOptions

        func run() async throws {
            let options = try seedOptions()
            let errorTable = try errors.map { try ErrorTable(path: $0) }
            try await common.withEngine { engine in
                if let timeZone { _ = try engine.zones.rules(timeZone) }
                var problems: [SeedProblem] = []
                let progress = ReadingProgress()
                let result = try await CareService(engine).seed(
                    from: try .file(file), options,
                    problem: { problem in
                        if problems.count < SeedDocument.mostProblems { problems.append(problem) }
                        try errorTable?.append(line: problem.line, [problem.problem], problem.card)
                    },
                    progress: {
                        progress.show("\($0.accounts) accounts, \($0.friends) friends", $0.friends, $0.fractionRead)
                    })
                Progress.clear()
                // The accounts and friends are committed, so they are reported even if the table cannot be written.
                let table = Result { try errorTable?.finish() }
                let document = SeedDocument(result, problems, remedy: \.text)
                try Output.print(
                    common.output, json: document, table: document.table, text: document.text,
                    isAside: errorTable?.isStandardOutput == true)
                try table.get()
                // Fail as for an incomplete copy, so that nobody takes it for complete and deletes the original.
                if document.isUnreadable { throw ExitCode(65) }
            }
        }

        private func seedOptions() throws -> SeedOptions {
            var options = SeedOptions(cycle: try Cycle(days: cycleDays.value))
            options.planting.spreading = spread
            options.columns = map
            options.readsDayFirst = dayFirst
            options.newAccountsTimeZone = timeZone
            options.newAccountsLanguage = language
            return options
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
                var generator = CareService(engine).generator(seed: seed, now: try await engine.store.now())
                generator.friendsPerAccount = 5...friends
                let output = try OutputFile("-")
                for number in 0..<accounts {
                    try output.write(try ExportDocument.encode(try generator.account(number), pretty: false))
                    try output.write("\n")
                    Progress.show("\(number + 1) of \(accounts) accounts …")
                }
                try output.finish()
                Progress.clear()
            }
        }
    }
}

extension SeedDocument {
    fileprivate var table: Table {
        Table(
            ["ACCOUNTS", "KNOWN ACCOUNTS", "FRIENDS", "KNOWN FRIENDS", "PROBLEMS"].map {
                Table.Column(title: $0, isNumber: true)
            }, rows: [["\(accounts)", "\(knownAccounts)", "\(friends)", "\(knownFriends)", "\(problemCount)"]])
    }

    fileprivate var text: String {
        var lines = ["\(accounts.counted("account")) and \(friends.counted("friend")) added"]
        if knownAccounts + knownFriends > 0 {
            lines[0] += "; already here: \(knownAccounts.counted("account")) and \(knownFriends.counted("friend"))"
        }
        if tagsLeftOut > 0 {
            lines.append("left out \(tagsLeftOut.counted("tag")): an account has room for \(Tag.maximumPerAccount)")
        }
        if problemCount > 0 { lines.append("\(problemCount.counted("problem")):") }
        lines += problems.map { problem in
            let name = problem.name.value.map { ", \($0)" } ?? ""
            return "  line \(problem.line)\(name): \(problem.code): \(problem.message); \(problem.remedy)"
        }
        if problemCount > problems.count {
            lines.append("  and \(problemCount - problems.count) more; --errors FILE writes all of them")
        }
        return lines.map(\.harmless).joined(separator: "\n")
    }
}

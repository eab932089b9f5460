import ArgumentParser
import CherishCore
import CherishRuntime
import CherishService
import CherishStore
import Foundation

struct AccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account", abstract: "Adds, shows, changes and erases accounts.",
        subcommands: [Add.self, List.self, Show.self, Erase.self, Edit.self, Password.self, Verify.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds an account.",
            discussion: """
                EXAMPLE
                  cherish account add --email minji@example.com --nickname Minji \\
                    --time-zone Asia/Seoul --language ko
                """)
        @Option(help: "The e-mail; no other account may have it.") var email: String
        @Option(help: "What the account calls itself, 1-20 characters.") var nickname: String
        @Option(help: "The IANA name of its time zone, like Asia/Seoul.") var timeZone: String
        @Option(help: "The language of its pushes.") var language: Language = .english
        @Option(help: "Its phone, for recovery.") var phone: String?
        @OptionGroup var common: CommonOptions

        func run() async throws {
            let request = AccountRequest(
                email: email, nickname: nickname, phone: phone, timeZone: timeZone, language: language)
            try await common.withService { try AccountCommand.show(try await $0.addAccount(request), common.output) }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists all accounts.")
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withService { service in
                let accounts = try await service.accounts()
                try Output.print(
                    common.output, json: ["accounts": accounts.map(AccountDocument.init)],
                    table: AccountCommand.table(accounts), text: accounts.isEmpty ? "no account yet" : nil)
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Shows an account.")
        @Argument(help: "Its e-mail or id.") var account: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.account(account)) { garden in
                try AccountCommand.show(try await garden.account(), common.output)
            }
        }
    }

    struct Erase: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Erases an account and all that belongs to it, for good.")
        @Argument(help: "Its e-mail or id.") var account: String
        @Flag(help: "Says that this is meant: nothing can bring it back.") var yes = false
        @OptionGroup var common: CommonOptions

        func run() async throws {
            guard yes else { throw UsageError("erasing is for good; add --yes if you mean it") }
            try await common.withService { service in
                let erasure = try await service.eraseAccount(account)
                let document = ErasureDocument(erasure)
                let proof = document.erasureId
                try Output.print(
                    common.output, json: document,
                    table: Table(
                        [
                            Table.Column(title: "PROOF"), Table.Column(title: "PLANTS", isNumber: true),
                            Table.Column(title: "WATERINGS", isNumber: true),
                            Table.Column(title: "DEVICES", isNumber: true),
                        ],
                        rows: [[proof, "\(erasure.plantCount)", "\(erasure.wateringCount)", "\(erasure.deviceCount)"]]),
                    text: AccountCommand.text(erasure, proof: proof))
            }
        }
    }

    struct Edit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Changes an account; what is not given stays.",
            discussion: "EXAMPLE\n  cherish account edit minji@example.com --time-zone America/New_York")
        @Argument(help: "Its e-mail or id.") var account: String
        @Option(help: "A new e-mail.") var email: String?
        @Option(help: "A new nickname, 1-20 characters.") var nickname: String?
        @Option(help: "A new phone; empty removes it.") var phone: String?
        @Option(help: "A new postcode; empty removes it.") var postcode: String?
        @Option(help: "The country of the postcode, like KR; empty removes it.") var country: String?
        @Option(help: "A new time zone.") var timeZone: String?
        @Option(help: "When its days end, from 00:00 to 04:00: until then it is still the day before.")
        var dayEndsAt: String?
        @Option(help: "The language of its pushes.") var language: Language?
        @Option(help: "Pushes on D-day.") var wateringPushes: Switch?
        @Option(help: "Reminders of reviews.") var reviewPushes: Switch?
        @Option(help: "Pushes on friends' birthdays.") var birthdayPushes: Switch?
        @Option(help: "Pushes about plants that withered.") var witheredPushes: Switch?
        @Option(help: "The alerts of things.") var thingPushes: Switch?
        @Option(
            parsing: .unconditional,
            help: "For how many days before its due day food is expiring, and when it alerts unless chosen, 0-30.")
        var expiryWarningDays: WholeNumber?
        @OptionGroup var common: CommonOptions

        func run() async throws {
            var request = AccountEditRequest()
            request.email = email
            request.nickname = nickname
            request.phone = phone
            request.postcode = postcode
            request.country = country
            request.timeZone = timeZone
            request.dayEndsAt = dayEndsAt
            request.language = language
            request.wateringPushes = wateringPushes?.isOn
            request.reviewPushes = reviewPushes?.isOn
            request.birthdayPushes = birthdayPushes?.isOn
            request.witheredPushes = witheredPushes?.isOn
            request.thingPushes = thingPushes?.isOn
            request.expiryWarningDays = expiryWarningDays?.value
            let wanted = request
            try await common.withGarden(.account(account)) { garden in
                try AccountCommand.show(try await garden.editAccount(wanted), common.output)
            }
        }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Confirms an account's phone without a code, for a person whom you know.",
            discussion: """
                The phone then resets the password. Another account that had confirmed it loses it.

                EXAMPLE
                  cherish account verify minji@example.com
                """)
        @Argument(help: "Its e-mail or id.") var account: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withService {
                try AccountCommand.show(try await $0.verifyPhone(of: account), common.output)
            }
        }
    }

    /// The proof of an erasure: the rows of each table before and after.
    private static func text(_ erasure: Erasure, proof: String) -> String {
        let table = Table(
            [
                Table.Column(title: "TABLE"), Table.Column(title: "FOUND", isNumber: true),
                Table.Column(title: "LEFT", isNumber: true),
            ], rows: erasure.tables.map { [$0.table, "\($0.before)", "\($0.after)"] })
        let planned =
            erasure.plannedCount == 0
            ? ""
            : "\n\(erasure.plannedCount) rows of calendar and log carry ids that lead to nobody; they go with their months and days"
        return "erased, proof \(proof)\n\(table.text)\(planned)"
    }

    static func show(_ account: Account, _ format: OutputFormat) throws {
        try Output.print(format, json: AccountDocument(account), table: table([account]))
    }

    private static func table(_ accounts: [Account]) -> Table {
        let columns = ["ID", "E-MAIL", "NICKNAME", "TIME ZONE", "DAY ENDS", "LANGUAGE", "PUSHES"].map {
            Table.Column(title: $0)
        }
        return Table(
            columns,
            rows: accounts.map { account in
                let kinds = (Topic.ofPlants + Topic.ofThings).filter { account.switches.allows($0) }.map(\.label)
                return [
                    account.id.description, account.email?.description ?? "", account.nickname.description,
                    account.timeZone, account.dayEnd.description, account.language.rawValue,
                    kinds.joined(separator: " "),
                ]
            })
    }
}

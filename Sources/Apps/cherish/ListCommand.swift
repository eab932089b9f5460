import ArgumentParser
import CherishCore
import CherishService
import CherishStore
import Foundation

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Writes shopping lists, lets neighbours fetch them, and looks after abuse.",
        discussion: """
            An account needs a postcode that 'cherish postcode import' has brought: cherish account edit --postcode --country.

            EXAMPLES
              cherish list add minji@example.com --title Groceries --entry "milk, 2 l" --entry eggs
              cherish list open 5f3e2a10
              cherish list nearby hana@example.com --radius 4
              cherish list accept 5f3e2a10 --as hana@example.com
            """,
        subcommands: [
            Add.self, Edit.self, Open.self, Show.self, List.self, Nearby.self, Accept.self, Release.self, Bought.self,
            Deliver.self, Rate.self, Cancel.self, Remove.self, BlockOther.self, Blocks.self, Unblock.self, Report.self,
            Reports.self, Close.self, Bar.self, Measures.self,
        ])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Begins a draft.")
        @Argument(help: "The account's e-mail or id.") var account: String
        @Option(help: "1-100 characters.") var title: String
        @Option(help: "What to buy, and after a comma how much: \"milk, 2 l\"; may be repeated.") var entry: [String] =
            []
        @Option(help: "What the helper should know, up to 1,000 characters.") var note: String?
        @Option(help: "Where to leave the shopping, up to 300 characters; only the helper reads it.") var deliveryNote:
            String?
        @OptionGroup var common: CommonOptions

        func run() async throws {
            var request = ShoppingListRequest()
            request.title = title
            request.note = note
            request.deliveryNote = deliveryNote
            request.entries = entry.map(ListEntryRequest.init(argument:))
            let wanted = request
            try await common.withGarden(.account(account)) { try common.show(try await $0.writeList(wanted)) }
        }
    }

    struct Edit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Changes a draft or an open list; what is not given stays.")
        @Argument(help: "The list's id, or its first 8 digits or more.") var list: String
        @Option(help: "Another title.") var title: String?
        @Option(help: "All entries, in place of those before; may be repeated.") var entry: [String] = []
        @Option(help: "Another note; empty removes it.") var note: String?
        @Option(help: "Another place to leave the shopping; empty removes it.") var deliveryNote: String?
        @OptionGroup var common: CommonOptions

        func run() async throws {
            var request = ShoppingListRequest()
            request.title = title
            request.note = note
            request.deliveryNote = deliveryNote
            request.entries = entry.isEmpty ? nil : entry.map(ListEntryRequest.init(argument:))
            let wanted = request
            try await common.withGarden(.list(list)) { try common.show(try await $0.editList(list, wanted)) }
        }
    }

    struct Open: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lets neighbours find a draft, for 168 hours.")
        @Argument(help: "The list's id, or its first 8 digits or more.") var list: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.list(list)) { try common.show(try await $0.openList(list)) }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Shows a list, as its owner sees it, or its helper.")
        @Argument(help: "The list's id, or its first 8 digits or more.") var list: String
        @Option(name: .customLong("as"), help: "The helper's e-mail or id.") var helper: String?
        @OptionGroup var common: CommonOptions

        func run() async throws {
            guard let helper else {
                try await common.withGarden(.list(list)) { try common.show(try await $0.shoppingList(list)) }
                return
            }
            try await common.withGarden(.account(helper)) { try common.show(try await $0.errands.list(list)) }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists an account's lists, the newest first, or those that it helps with.")
        @Argument(help: "The account's e-mail or id.") var account: String
        @Flag(help: "Those that it helps with.") var helping = false
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.account(account)) { garden in
                let views = helping ? try await garden.errands.lists() : try await garden.shoppingLists()
                let none = helping ? "'cherish list nearby' finds lists" : "'cherish list add' begins one"
                try Output.print(
                    common.output, json: ShoppingListsDocument(views), table: ListText.table(views),
                    text: views.isEmpty ? "no list here; \(none)" : nil)
            }
        }
    }

    struct Nearby: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the nearest open lists of others, at most 50.")
        @Argument(help: "The account's e-mail or id.") var account: String
        @Option(help: "How far away, 2-50 km.") var radius: WholeNumber?
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.account(account)) { garden in
                let lists = try await garden.errands.nearby(within: radius?.value)
                try Output.print(
                    common.output, json: NearbyListsDocument(lists), table: ListText.table(lists),
                    text: lists.isEmpty ? "no open list near this account; try a larger --radius" : nil)
            }
        }
    }

    struct Accept: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Accepts a list for an account: the first one wins.")
        @OptionGroup var target: HelpersTarget
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withErrands(of: target) { try common.show(try await $0.accept($1)) }
        }
    }

    struct Release: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Gives a list back.")
        @OptionGroup var target: HelpersTarget
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withErrands(of: target) { try await $0.release($1) }
            try common.say("the list is given back", id: target.list)
        }
    }

    struct Bought: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Marks an entry as bought.",
            discussion: "EXAMPLE\n  cherish list bought 5f3e2a10 2 --as hana@example.com")
        @Argument(help: "The list's id, or its first 8 digits or more.") var list: String
        @Argument(help: "The number of the entry, from 1.") var number: Int
        @Option(name: .customLong("as"), help: "The helper's e-mail or id.") var helper: String
        @Flag(name: .customLong("not"), help: "It is not bought after all.") var isNot = false
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.account(helper)) {
                try common.show(try await $0.errands.mark(list, number, isBought: !isNot))
            }
        }
    }

    struct Deliver: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Says that the shopping was delivered.")
        @OptionGroup var target: HelpersTarget
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withErrands(of: target) { try common.show(try await $0.deliver($1)) }
        }
    }

    struct Rate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Rates the helper of a delivered list, once.")
        @Argument(help: "The list's id, or its first 8 digits or more.") var list: String
        @Argument(help: "From 1 to 5.") var points: WholeNumber
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.list(list)) {
                try common.show(try await $0.rateHelper(list, points: points.value))
            }
        }
    }

    struct Cancel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Takes a list back that was not delivered.")
        @Argument(help: "The list's id, or its first 8 digits or more.") var list: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.list(list)) { try common.show(try await $0.cancelList(list)) }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Deletes a draft.")
        @Argument(help: "The list's id, or its first 8 digits or more.") var list: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.list(list)) { try common.show(try await $0.removeList(list)) }
        }
    }

    struct BlockOther: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "block", abstract: "Blocks the other person of a list: neither finds the other's lists again.")
        @Argument(help: "The list's id, or its first 8 digits or more.") var list: String
        @Option(name: .customLong("as"), help: "The e-mail or id of the account that blocks.") var account: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.account(account)) { garden in
                let block = try await garden.errands.block(ofList: list)
                try Output.print(
                    common.output, json: BlockDocument(block), table: ListText.table([block]),
                    text: "\(block.nickname) is blocked")
            }
        }
    }

    struct Blocks: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists whom an account has blocked.")
        @Argument(help: "The account's e-mail or id.") var account: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.account(account)) { garden in
                let blocks = try await garden.errands.blocks()
                try Output.print(
                    common.output, json: BlocksDocument(blocks), table: ListText.table(blocks),
                    text: blocks.isEmpty ? "nobody is blocked" : nil)
            }
        }
    }

    struct Unblock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Ends a block.")
        @Argument(help: "The block's id, or its first 8 digits or more.") var block: String
        @Option(name: .customLong("as"), help: "The e-mail or id of the account that blocked.") var account: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.account(account)) { try await $0.errands.unblock(block) }
            try common.say("the block is over", id: block)
        }
    }

    struct Report: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Tells the operator about a list.")
        @Argument(help: "The list's id, or its first 8 digits or more.") var list: String
        @Option(name: .customLong("as"), help: "The e-mail or id of the account that reports.") var account: String
        @Option(help: "What is wrong, 1-500 characters.") var reason: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.account(account)) { try await $0.errands.report(list, reason: reason) }
            try common.say("the operator will read it", id: list)
        }
    }

    struct Reports: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists what people told the operator, the newest first.")
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withService { service in
                let document = try await service.listReports()
                try Output.print(
                    common.output, json: document, table: ListText.table(document),
                    text: document.reports.isEmpty ? "nobody has reported a list" : nil)
            }
        }
    }

    struct Close: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ends a list that should not be there, and keeps a record.",
            discussion: "EXAMPLE\n  cherish list close 5f3e2a10 --because 'asks for money'")
        @Argument(help: "The list's id, or its first 8 digits or more.") var list: String
        @Option(help: "Why, for the record: 1-500 characters.") var because: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withService { _ = try await $0.closeList(list, because: because) }
            try common.say("the list is closed", id: list)
        }
    }

    struct Bar: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ends an account's access to lists of others, or gives it back, and keeps a record.",
            discussion: "EXAMPLE\n  cherish list bar hana@example.com --because 'kept the shopping'")
        @Argument(help: "The account's e-mail or id.") var account: String
        @Flag(help: "Gives the access back.") var lift = false
        @Option(help: "Why, for the record: 1-500 characters.") var because: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withService { _ = try await $0.bar(account, lifts: lift, because: because) }
            try common.say(
                lift ? "the account finds lists of others again" : "the account finds and accepts no lists of others",
                id: account)
        }
    }

    struct Measures: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the lists that were closed and the accounts that were barred, the newest first.")
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withService { service in
                let document = try await service.listMeasures()
                try Output.print(
                    common.output, json: document, table: ListText.table(document),
                    text: document.measures.isEmpty ? "no list was closed, and nobody was barred" : nil)
            }
        }
    }
}

/// A list, and the account that helps with it.
struct HelpersTarget: ParsableArguments {
    @Argument(help: "The list's id, or its first 8 digits or more.") var list: String
    @Option(name: .customLong("as"), help: "The helper's e-mail or id.") var helper: String
}

extension ListEntryRequest {
    /// What to buy, and after the last comma how much.
    fileprivate init(argument: String) {
        guard let comma = argument.lastIndex(of: ",") else {
            self.init(name: argument)
            return
        }
        self.init(name: String(argument[..<comma]), quantity: String(argument[argument.index(after: comma)...]))
    }
}

extension CommonOptions {
    fileprivate func withErrands(
        of target: HelpersTarget, _ body: @Sendable (ErrandService, String) async throws -> Void
    ) async throws {
        try await withGarden(.account(target.helper)) { try await body($0.errands, target.list) }
    }

    fileprivate func show(_ view: ShoppingListView) throws {
        try Output.print(output, json: view.document, table: ListText.table([view]), text: ListText.detail(view))
    }

    /// Says that something was done about something.
    fileprivate func say(_ text: String, id: String) throws {
        try Output.print(
            output, json: ["id": id, "done": text],
            table: Table([Table.Column(title: "ID"), Table.Column(title: "DONE")], rows: [[id, text]]), text: text)
    }
}

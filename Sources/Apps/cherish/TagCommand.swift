import ArgumentParser
import CherishCore
import CherishService

struct TagCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tag",
        abstract: "Makes, lists, changes and deletes the tags under which an account gathers friends.",
        discussion: """
            EXAMPLES
              cherish tag add minji@example.com family --colour '#c2452d' --cycle-days 3
              cherish friend edit 5f3e2a10 --tag family
              cherish friend list minji@example.com --tag family
            """,
        subcommands: [Add.self, List.self, Edit.self, Remove.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Makes a tag.")
        @Argument(help: "The account's e-mail or id.") var account: String
        @Argument(help: "The tag, 1-20 characters.") var name: String
        @Option(help: "Red, green and blue, like #3b6fc9; one by the name without it.") var colour: String?
        @Option(parsing: .unconditional, help: "The cycle of friends added under it without one of their own, 1-90.")
        var cycleDays: WholeNumber?
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.account(account)) { garden in
                let tag = try await garden.addTag(name, colour: colour, cycleDays: cycleDays?.value)
                try TagCommand.show(tag, common.output)
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists an account's tags.")
        @Argument(help: "The account's e-mail or id.") var account: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.account(account)) { garden in
                let tags = try await garden.tags()
                try Output.print(
                    common.output, json: ["tags": tags.map(\.document)],
                    table: TagCommand.table(tags), text: tags.isEmpty ? "no tag yet; 'cherish tag add' makes one" : nil)
            }
        }
    }

    struct Edit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Changes a tag; what is not given stays, and so do its friends.")
        @Argument(help: "The account's e-mail or id.") var account: String
        @Argument(help: "The tag.") var tag: String
        @Option(help: "Another name, 1-20 characters.") var name: String?
        @Option(help: "Another colour, like #3b6fc9.") var colour: String?
        @Option(
            parsing: .unconditional, help: "Another cycle, 1-90; 0 takes it away. Friends that are there keep theirs.")
        var cycleDays: WholeNumber?
        @OptionGroup var common: CommonOptions

        func run() async throws {
            var request = TagEditRequest()
            request.name = name
            request.colour = colour
            request.cycleDays = cycleDays?.value
            let wanted = request
            try await common.withGarden(.account(account)) { garden in
                try TagCommand.show(try await garden.editTag(tag, wanted), common.output)
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Deletes a tag. Its friends lose it and stay.")
        @Argument(help: "The account's e-mail or id.") var account: String
        @Argument(help: "The tag.") var tag: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.account(account)) { garden in
                let count = try await garden.removeTag(tag)
                try Output.print(
                    common.output, json: ["friendCount": count],
                    table: Table([Table.Column(title: "FRIENDS", isNumber: true)], rows: [["\(count)"]]),
                    text: "deleted; \(count.counted("friend")) had it")
            }
        }
    }

    private static func show(_ tag: TagView, _ format: OutputFormat) throws {
        try Output.print(format, json: tag.document, table: table([tag]))
    }

    private static func table(_ tags: [TagView]) -> Table {
        Table(
            [
                Table.Column(title: "TAG"), Table.Column(title: "COLOUR"), Table.Column(title: "CYCLE", isNumber: true),
                Table.Column(title: "FRIENDS", isNumber: true),
            ],
            rows: tags.map { view in
                let tag = view.tag
                return [
                    tag.name.description, tag.colour.description, tag.cycle.map { "\($0.days)" } ?? "",
                    "\(view.friendCount)",
                ]
            })
    }
}

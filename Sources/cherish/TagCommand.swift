import ArgumentParser
import CherishCore
import CherishRuntime
import CherishStore

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
            try await common.withEngine { engine in
                let owner = try await engine.store.account(account)
                let tag = try await engine.store.addTag(
                    try TagName(name), colour: try colour.map { text throws(CareError) in try TagColour(text) },
                    cycle: try cycleDays.map { days throws(CareError) in try Cycle(days: days.value) }, to: owner.id)
                try TagCommand.show([(tag, 0)], common.output)
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists an account's tags.")
        @Argument(help: "The account's e-mail or id.") var account: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withEngine { engine in
                let owner = try await engine.store.account(account)
                let known = try await engine.store.tags(of: owner.id)
                let tags = known.tags.map { ($0, known.count(of: $0)) }
                try Output.print(
                    common.output, json: ["tags": tags.map { TagDocument($0.0, friendCount: $0.1) }],
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
            try await common.withEngine { engine in
                let owner = try await engine.store.account(account)
                var edit = TagEdit()
                edit.name = try name.map { text throws(CareError) in try TagName(text) }
                edit.colour = try colour.map { text throws(CareError) in try TagColour(text) }
                if let days = cycleDays?.value { edit.cycle = .some(days == 0 ? nil : try Cycle(days: days)) }
                let changed = try await engine.store.editTag(try TagName(tag), edit, of: owner.id)
                let count = try await engine.store.tags(of: owner.id).count(of: changed)
                try TagCommand.show([(changed, count)], common.output)
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Deletes a tag. Its friends lose it and stay.")
        @Argument(help: "The account's e-mail or id.") var account: String
        @Argument(help: "The tag.") var tag: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withEngine { engine in
                let owner = try await engine.store.account(account)
                let count = try await engine.store.removeTag(try TagName(tag), of: owner.id)
                try Output.print(
                    common.output, json: ["friendCount": count],
                    table: Table([Table.Column(title: "FRIENDS", isNumber: true)], rows: [["\(count)"]]),
                    text: "deleted; \(count) friends had it")
            }
        }
    }

    private static func show(_ tags: [(Tag, Int)], _ format: OutputFormat) throws {
        try Output.print(format, json: tags.first.map { TagDocument($0.0, friendCount: $0.1) }, table: table(tags))
    }

    private static func table(_ tags: [(Tag, Int)]) -> Table {
        Table(
            [
                Table.Column(title: "TAG"), Table.Column(title: "COLOUR"), Table.Column(title: "CYCLE", isNumber: true),
                Table.Column(title: "FRIENDS", isNumber: true),
            ],
            rows: tags.map { tag, count in
                [tag.name.description, tag.colour.description, tag.cycle.map { "\($0.days)" } ?? "", "\(count)"]
            })
    }
}

struct TagDocument: Encodable {
    let id, name, colour: String
    let cycleDays: Nullable<Int>
    let friendCount: Int

    init(_ tag: Tag, friendCount: Int) {
        id = tag.id.description
        name = tag.name.description
        colour = tag.colour.description
        cycleDays = Nullable(tag.cycle?.days)
        self.friendCount = friendCount
    }
}

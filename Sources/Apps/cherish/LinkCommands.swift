import ArgumentParser
import CherishCore
import CherishRuntime
import CherishService
import CherishStore

// Secret links: shared reminders (rule 10.12), and calendars for other programs.

extension ThingCommand {
    struct Share: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a link to a reminder. Whoever has it sees the reminder, and may copy it.",
            discussion: """
                The link is shown this once. It shows title, note, due day and time, and not whose they are.

                EXAMPLE
                  cherish thing share 5f3e2a10 --days 3
                """)
        @Argument(help: "The thing's id, or its first 8 digits or more.") var thing: String
        @Option(help: "For how many days it lasts, 1-30.") var days = ThingShare.usualDays
        @OptionGroup var common: CommonOptions

        func run() async throws {
            let origin = try ServerSetting.publicOrigin()
            try await common.withGarden(.thing(thing)) { garden in
                let new = try await garden.shareThing(thing, days: days)
                try Output.print(
                    common.output, json: ShareDocument(new, at: origin ?? ""), table: LinkText.table([new.link]),
                    text: LinkText.new(new.path, at: origin, until: new.link.expiresAt))
            }
        }
    }

    struct Shares: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the links to a thing that are not over.")
        @Argument(help: "The thing's id, or its first 8 digits or more.") var thing: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.thing(thing)) { garden in
                let shares = try await garden.shares(of: thing)
                try Output.print(
                    common.output, json: SharesDocument(shares), table: LinkText.table(shares),
                    text: shares.isEmpty ? "no link; 'cherish thing share' makes one" : nil)
            }
        }
    }

    struct Unshare: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Withdraws a link to a reminder: it shows nothing any more.",
            discussion: "EXAMPLE\n  cherish thing unshare 9b1c77de")
        @Argument(help: "The link's id as 'cherish thing shares' lists it, or its first 8 digits or more.")
        var share: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.share(share)) { garden in
                try await garden.withdrawShare(share)
                try LinkText.showWithdrawn(share, common.output)
            }
        }
    }
}

struct FeedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed", abstract: "Makes, lists and withdraws links by which other programs read a calendar.",
        discussion: """
            A link shows what 'cherish export --format ical' writes: due days, birthdays and things. Whoever has it can \
            read them until it is withdrawn.

            EXAMPLES
              cherish feed add minji@example.com
              cherish feed remove 9b1c77de
            """,
        subcommands: [Add.self, List.self, Remove.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Makes a link, and shows it this once.")
        @Argument(help: "The account's e-mail or id.") var account: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            let origin = try ServerSetting.publicOrigin()
            try await common.withGarden(.account(account)) { garden in
                let new = try await garden.addFeed()
                try Output.print(
                    common.output, json: FeedDocument(new, at: origin ?? ""), table: LinkText.table([new.link]),
                    text: LinkText.new(new.path, at: origin))
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the links to an account's calendar.")
        @Argument(help: "The account's e-mail or id.") var account: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.account(account)) { garden in
                let feeds = try await garden.feeds()
                try Output.print(
                    common.output, json: FeedsDocument(feeds), table: LinkText.table(feeds),
                    text: feeds.isEmpty ? "no link; 'cherish feed add' makes one" : nil)
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Withdraws a link to a calendar.")
        @Argument(help: "The link's id as 'cherish feed list' lists it, or its first 8 digits or more.")
        var feed: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.feed(feed)) { garden in
                try await garden.removeFeed(feed)
                try LinkText.showWithdrawn(feed, common.output)
            }
        }
    }
}

/// Formats links for a terminal.
enum LinkText {
    static func table(_ shares: [ThingShare]) -> Table {
        Table(
            ["LINK", "MADE AT", "EXPIRES AT"].map { Table.Column(title: $0) },
            rows: shares.map { [$0.id.short, $0.createdAt.description, $0.expiresAt.description] })
    }

    static func table(_ feeds: [CalendarFeed]) -> Table {
        Table(
            ["LINK", "MADE AT"].map { Table.Column(title: $0) },
            rows: feeds.map { [$0.id.short, $0.createdAt.description] })
    }

    /// The link, with the address of the service where the settings have it.
    static func new(_ path: String, at origin: String?, until end: Instant? = nil) -> String {
        let hint = origin == nil ? "\nput the address of the service before it, or set CHERISH_PUBLIC_URL" : ""
        return "\(origin ?? "")\(path)\n" + (end.map { "until \($0); " } ?? "") + "it is not shown again\(hint)"
    }

    static func showWithdrawn(_ id: String, _ output: OutputFormat) throws {
        try Output.print(
            output, json: ["withdrawn": id], table: Table([Table.Column(title: "WITHDRAWN")], rows: [[id]]))
    }
}

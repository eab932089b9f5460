import ArgumentParser
import CherishCore
import CherishService
import Foundation

struct ThingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thing",
        abstract: "Records, lists, changes, completes and deletes pickups, returns, reminders and food.",
        discussion: """
            EXAMPLES
              cherish thing add minji@example.com --kind reminder --title Dentist \\
                --due 2027-03-05 --time 15:00 --alert 1d@20:00 --alert 60m
              cherish thing add minji@example.com --kind food --title Milk --due 2027-03-09
              cherish thing list minji@example.com --state expiring
              cherish thing complete 5f3e2a10 --as eaten
            """,
        subcommands: [
            Add.self, List.self, Show.self, Edit.self, Complete.self, Reopen.self, Remove.self, Share.self, Shares.self,
            Unshare.self, Import.self,
        ])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Records a thing.")
        @Argument(help: "The account's e-mail or id.") var account: String
        @Option(help: "What it is.") var kind: Thing.Kind
        @Option(help: "1-100 characters.") var title: String
        @Option(help: "The day on which it is due; without it the store's days after the purchase decide.")
        var due: CivilDay?
        @OptionGroup var details: ThingDetails
        @OptionGroup var reminding: ThingReminding
        @Option(help: "A tag that the account has; may be repeated.") var tag: [String] = []
        @Flag(help: "Mark it as a favourite.") var favourite = false
        @OptionGroup var common: CommonOptions

        func run() async throws {
            var request = ThingRequest(kind: kind, title: title)
            request.dueOn = due
            request.time = details.time
            request.note = details.note
            request.category = details.category
            request.boughtOn = details.bought
            request.store = details.store
            request.orderNumber = details.order
            request.alerts = try reminding.alerts
            request.repetition = reminding.notice ?? .once
            request.recurrence = try reminding.recurrence
            request.pushesEnabled = reminding.pushes?.isOn ?? true
            request.tags = tag
            request.isFavourite = favourite
            let wanted = request
            try await common.withGarden(.account(account)) {
                try await common.show(try await $0.recordThing(wanted), in: $0)
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists an account's things, or those that were done.",
            discussion: "EXAMPLE\n  cherish thing list minji@example.com --kind food --sort bought")
        @Argument(help: "The account's e-mail or id.") var account: String
        @Option(help: "Only things of this kind.") var kind: Thing.Kind?
        @Option(help: "Only things in this state.") var state: Thing.State?
        @Option(help: "Only food of this category.") var category: String?
        @Option(help: "Only things with this tag; may be repeated, then only those with all of them.")
        var tag: [String] = []
        @Flag(help: "Only favourites.") var favourites = false
        @Flag(help: "Those that were done instead.") var done = false
        @Option(help: "due day, bought last, title, or newest first.") var sort: ThingOrder = .due
        @OptionGroup var common: CommonOptions

        func run() async throws {
            var query = ThingQuery()
            query.areDone = done || state == .done
            query.kind = kind
            query.state = state
            query.category = category
            query.tags = tag
            query.isFavouritesOnly = favourites
            query.order = sort
            let wanted = query
            try await common.withGarden(.account(account)) { garden in
                let views = try await garden.things(wanted)
                try Output.print(
                    common.output, json: ThingsDocument(views), table: ThingText.table(views),
                    text: views.isEmpty ? "nothing here; 'cherish thing add' records something" : nil)
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Shows a thing.")
        @Argument(help: "The thing's id, or its first 8 digits or more.") var thing: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.thing(thing)) { try await common.show(try await $0.thing(thing), in: $0) }
        }
    }

    struct Edit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Changes a thing and its alerts; what is not given stays.",
            discussion: "EXAMPLE\n  cherish thing edit 5f3e2a10 --due 2027-03-12 --alert 3d@09:00")
        @Argument(help: "The thing's id, or its first 8 digits or more.") var thing: String
        @Option(help: "Another title, 1-100 characters.") var title: String?
        @Option(help: "Another due day.") var due: CivilDay?
        @OptionGroup var details: ThingDetails
        @Flag(help: "Forgets the day of purchase.") var notBought = false
        @OptionGroup var reminding: ThingReminding
        @Flag(help: "Alerts as if none had been chosen.") var usualAlerts = false
        @Flag(help: "Does not come back any more.") var noRecurrence = false
        @Option(help: "A tag to give; may be repeated.") var tag: [String] = []
        @Option(help: "A tag to take away; may be repeated.") var untag: [String] = []
        @Option(help: "Whether it is a favourite.") var favourite: Switch?
        @OptionGroup var common: CommonOptions

        func validate() throws {
            if usualAlerts && (reminding.noAlerts || !reminding.alert.isEmpty) {
                throw ValidationError("--usual-alerts does not go with --alert or --no-alerts")
            }
            if noRecurrence && reminding.every != nil {
                throw ValidationError("--no-recurrence does not go with --every")
            }
            if notBought && details.bought != nil {
                throw ValidationError("--not-bought does not go with --bought")
            }
        }

        func run() async throws {
            var request = ThingEditRequest()
            request.title = title
            request.dueOn = due
            request.time = details.time
            request.note = details.note
            request.category = details.category
            request.store = details.store
            request.orderNumber = details.order
            request.boughtOn = notBought ? .some(nil) : details.bought.map { .some($0) }
            request.alerts = usualAlerts ? .some(nil) : try reminding.alerts.map { .some($0) }
            request.repetition = reminding.notice
            request.recurrence = noRecurrence ? .some(nil) : try reminding.recurrence.map { .some($0) }
            request.pushesEnabled = reminding.pushes?.isOn
            request.isFavourite = favourite?.isOn
            request.addedTags = tag
            request.removedTags = untag
            let wanted = request
            try await common.withGarden(.thing(thing)) {
                try await common.show(try await $0.editThing(thing, wanted), in: $0)
            }
        }
    }

    struct Complete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Completes a thing. One that recurs is due again; any other is done.",
            discussion: "EXAMPLE\n  cherish thing complete 5f3e2a10 --as thrown_away")
        @Argument(help: "The thing's id, or its first 8 digits or more.") var thing: String
        @Option(name: .customLong("as"), help: "How food ended; eaten without it.")
        var outcome: ThingCompletion.Outcome?
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.thing(thing)) {
                try await common.show(try await $0.completeThing(thing, as: outcome), in: $0)
            }
        }
    }

    struct Reopen: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Undoes the newest completion of a thing.",
            discussion: "EXAMPLE\n  cherish thing reopen 5f3e2a10")
        @Argument(help: "The thing's id, or its first 8 digits or more.") var thing: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.thing(thing)) {
                try await common.show(try await $0.reopenThing(thing), in: $0)
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Deletes a thing and its completions for good, and prints it as it was.",
            discussion: "EXAMPLE\n  cherish thing remove 5f3e2a10")
        @Argument(help: "The thing's id, or its first 8 digits or more.") var thing: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.thing(thing)) {
                try await common.show(try await $0.removeThing(thing), in: $0)
            }
        }
    }
}

/// The options of a thing that are read alike when it is recorded and when it is changed.
struct ThingDetails: ParsableArguments {
    @Option(help: "The time of a pickup, a return or a reminder, like 15:00; empty removes it.") var time: String?
    @Option(parsing: .unconditional, help: "Up to 1,000 characters; empty removes it.") var note: String?
    @Option(help: "Of food, 1-20 characters; empty removes it.") var category: String?
    @Option(help: "The day of purchase of food, a pickup or a return.") var bought: CivilDay?
    @Option(help: "The store of a pickup or a return: its name or id; empty removes it.") var store: String?
    @Option(parsing: .unconditional, help: "The order number of a pickup or a return; empty removes it.")
    var order: String?
}

/// How the account is reminded of a thing, and how it comes back.
struct ThingReminding: ParsableArguments {
    @Option(help: "3d@09:00 for 3 days before at 09:00, 30m for 30 minutes before its time; up to 5 times.")
    var alert: [String] = []
    @Flag(help: "Never reminds.") var noAlerts = false
    @Option(help: "How it goes on after the last alert: once for not at all.") var notice: AlertRepetition?
    @Option(help: "How often it comes back after it was completed, like '2 weeks'; 1-99 days, weeks, months or years.")
    var every: String?
    @Option(name: .customLong("from"), help: "What --every counts from.") var base: Recurrence.Base?
    @Option(help: "The last day on which it comes back.") var until: CivilDay?
    @Option(help: "The thing's pushes.") var pushes: Switch?

    func validate() throws {
        if noAlerts && !alert.isEmpty { throw ValidationError("--no-alerts does not go with --alert") }
        if every == nil && (base != nil || until != nil) {
            throw ValidationError("--from and --until go with --every only")
        }
    }

    /// Those that were chosen; nil if nothing was said of them.
    var alerts: [ThingAlert]? {
        get throws {
            if noAlerts { return [] }
            return alert.isEmpty ? nil : try alert.map { text throws(ThingError) in try ThingAlert(text) }
        }
    }

    var recurrence: Recurrence? {
        get throws {
            try every.map { text throws(ThingError) in
                try Recurrence(every: text, from: base ?? .due, until: until)
            }
        }
    }
}

extension Thing.Kind: ExpressibleByArgument {}
extension Thing.State: ExpressibleByArgument {}
extension ThingOrder: ExpressibleByArgument {}
extension AlertRepetition: ExpressibleByArgument {}
extension Recurrence.Base: ExpressibleByArgument {}
extension ThingCompletion.Outcome: ExpressibleByArgument {}

extension CommonOptions {
    /// Prints a thing as `thing show` does.
    fileprivate func show(_ view: ThingView, in garden: GardenService) async throws {
        let store = try await garden.store(of: view.thing)
        try Output.print(
            output, json: view.document, table: ThingText.table([view]), text: ThingText.detail(view, store: store))
    }
}

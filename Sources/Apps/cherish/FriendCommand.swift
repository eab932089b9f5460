import ArgumentParser
import CherishCore
import CherishRuntime
import CherishService
import CherishStore
import Foundation

struct FriendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "friend", abstract: "Registers, imports, shows, explains, edits and removes friends.",
        subcommands: [Add.self, Import.self, List.self, Show.self, Explain.self, Remove.self, Edit.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Registers one friend.",
            discussion: """
                EXAMPLE
                  cherish friend add minji@example.com --name "Park Jisoo" \\
                    --phone 010-1234-5678 --cycle-days 7 --birthday 05-21 --alarm 20:30
                """)
        @Argument(help: "The account's e-mail or id.") var account: String
        @Option(help: "The friend's name, 1-50 characters.") var name: String
        @Option(parsing: .unconditional, help: "The phone, with country code or as dialled in the account's country.")
        var phone: String
        @Option(
            parsing: .unconditional,
            help: "How many days may pass between contacts, 1-90. Without it, the shortest cycle of the friend's tags.")
        var cycleDays: WholeNumber?
        @Option(help: "What you call the friend, 1-20 characters; the beginning of the name without it.")
        var nickname: String?
        @Option(help: "1994-05-21, or 05-21 without a year.") var birthday: String?
        @Option(help: "When to be reminded on D-day, in the account's time zone.") var alarm: String = "09:00"
        @Option(help: "A tag that the account has; may be repeated.") var tag: [String] = []
        @Flag(help: "Mark the friend as a favourite.") var favourite = false
        @OptionGroup var common: CommonOptions

        func run() async throws {
            var request = FriendRequest(name: name, phone: phone)
            request.cycleDays = cycleDays?.value
            request.nickname = nickname
            request.birthday = birthday
            request.alarm = alarm
            request.tags = tag
            request.isFavourite = favourite
            try await common.withGarden(.account(account)) { garden in
                do {
                    try common.show(try await garden.addFriend(request))
                } catch RequestError.missingCycle {
                    throw UsageError("say --cycle-days, or a --tag that has a cycle")
                }
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows an account's garden, the thirstiest plant first.",
            discussion: "EXAMPLE\n  cherish friend list minji@example.com --tag family --favourites --sort name")
        @Argument(help: "The account's e-mail or id.") var account: String
        @Option(help: "Only plants whose name, nickname or phone contain this.") var search: String?
        @Flag(help: "The plants that were removed instead.") var archived = false
        @Option(help: "Only friends with this tag; may be repeated, then only those with all of them.")
        var tag: [String] = []
        @Flag(help: "Only favourites.") var favourites = false
        @Option(help: "nearness of watering, name, affection, favourite or tag.") var sort: GardenOrder = .nearness
        @OptionGroup var common: CommonOptions

        func run() async throws {
            var query = FriendQuery()
            query.search = search ?? ""
            query.isArchived = archived
            query.tags = tag
            query.isFavouritesOnly = favourites
            query.order = sort
            try await common.withGarden(.account(account)) { garden in
                let found = try await garden.friends(query)
                try Output.print(
                    common.output, json: found.document, table: GardenText.table(found.plants),
                    text: found.plants.isEmpty
                        ? "no plant here; 'cherish friend add' and 'friend import' plant some" : nil)
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Shows a plant with its newest reviews.")
        @Argument(help: "The plant's id, or its first 8 digits or more.") var plant: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.plant(plant)) { garden in
                let found = try await garden.friend(plant)
                try Output.print(
                    common.output, json: found.document, table: GardenText.table([found.view]),
                    text: GardenText.detail(found.view, reviews: found.reviews))
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a plant: no more pushes, its history stays in the counts.")
        @Argument(help: "The plant's id, or its first 8 digits or more.") var plant: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.plant(plant)) { try common.show(try await $0.removeFriend(plant)) }
        }
    }

    struct Edit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Changes a plant; what is not given stays. Only a changed cycle moves the due date.",
            discussion: "EXAMPLE\n  cherish friend edit 5f3e2a10 --cycle-days 10 --alarm 20:30")
        @Argument(help: "The plant's id, or its first 8 digits or more.") var plant: String
        @Option(help: "A new nickname, 1-20 characters; empty takes it from the name.") var nickname: String?
        @Option(help: "1994-05-21, or 05-21 without a year; empty removes it.") var birthday: String?
        @Option(parsing: .unconditional, help: "How many days may pass between contacts, 1-90.")
        var cycleDays: WholeNumber?
        @Option(help: "When to be reminded on D-day, in the account's time zone.") var alarm: String?
        @Option(help: "The plant's pushes.") var pushes: Switch?
        @Option(help: "A tag to give; may be repeated.") var tag: [String] = []
        @Option(help: "A tag to take away; may be repeated.") var untag: [String] = []
        @Option(help: "Whether the friend is a favourite.") var favourite: Switch?
        // Accepted only so that rule 1.1 refuses them with a helpful message.
        @Option(help: .hidden) var name: String?
        @Option(parsing: .unconditional, help: .hidden) var phone: String?
        @OptionGroup var common: CommonOptions

        func run() async throws {
            var request = FriendEditRequest()
            request.changesIdentity = name != nil || phone != nil
            request.nickname = nickname
            request.birthday = birthday
            request.cycleDays = cycleDays?.value
            request.alarm = alarm
            request.pushesEnabled = pushes?.isOn
            request.isFavourite = favourite?.isOn
            request.addedTags = tag
            request.removedTags = untag
            let wanted = request
            try await common.withGarden(.plant(plant)) { try common.show(try await $0.editFriend(plant, wanted)) }
        }
    }
}

extension CommonOptions {
    /// Prints a plant as `friend show` does, without its reviews.
    func show(_ view: PlantView) throws {
        try Output.print(
            output, json: view.document, table: GardenText.table([view]), text: GardenText.detail(view))
    }
}

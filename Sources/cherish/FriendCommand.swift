import ArgumentParser
import CherishCore
import CherishRuntime
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
            try await common.withEngine { engine in
                let owner = try await engine.store.account(account)
                let contact = try ContactName(name)
                let tagNames = try tag.map { text throws(CareError) in try TagName(text) }
                let tags = try await engine.store.tags(of: owner.id).tags(named: tagNames)
                let registration = Registration(
                    name: contact, phone: try engine.phoneNumber(phone, timeZone: owner.timeZone),
                    nickname: try Nickname(nickname, for: contact),
                    birthday: try birthday.map { text throws(CareError) in try Birthday(text) },
                    cycle: try cycle(of: tags), alarmTime: try TimeOfDay(alarm: alarm), isFavourite: favourite)
                let plant = try await engine.store.addFriend(registration, to: owner.id, tags: tagNames)
                try await engine.show(plant, of: owner, common)
            }
        }

        private func cycle(of tags: [Tag]) throws -> Cycle {
            if let cycleDays { return try Cycle(days: cycleDays.value) }
            guard let cycle = Tag.defaultCycle(of: tags) else {
                throw UsageError("say --cycle-days, or a --tag that has a cycle")
            }
            return cycle
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
            try await common.withEngine { engine in
                let owner = try await engine.store.account(account)
                let today = try await engine.today(of: owner)
                let known = try await engine.store.tags(of: owner.id)
                let wanted = try known.tags(named: try tag.map { text throws(CareError) in try TagName(text) })
                let found = try await engine.store.garden(owner, isArchived: archived).filter { plant in
                    plant.matches(search: search ?? "") && (plant.isFavourite || !favourites)
                        && wanted.allSatisfy(known.tags(of: plant.id).contains)
                }
                let firstTags = Dictionary(
                    found.compactMap { plant in known.tags(of: plant.id).first.map { (plant.id, $0.name) } },
                    uniquingKeysWith: { first, _ in first })
                let plants = sort.sorted(found, firstTags: firstTags)
                try Output.print(
                    common.output,
                    json: GardenDocument(
                        plants: plants.map {
                            PlantDocument($0, tags: known.tags(of: $0.id), on: today, language: owner.language)
                        }),
                    table: Garden.table(plants, tags: known, on: today, language: owner.language),
                    text: plants.isEmpty ? "no plant here; 'cherish friend add' and 'friend import' plant some" : nil)
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Shows a plant with its newest reviews.")
        @Argument(help: "The plant's id, or its first 8 digits or more.") var plant: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withEngine { engine in
                let found = try await engine.store.plant(plant)
                let owner = try await engine.store.account(of: found)
                let today = try await engine.today(of: owner)
                let (reviewed, newest) = try await engine.store.newest(found)
                let tags = try await engine.store.tags(of: owner.id)
                try Output.print(
                    common.output,
                    json: PlantDetailDocument(
                        plant: PlantDocument(
                            found, tags: tags.tags(of: found.id), on: today, language: owner.language),
                        reviews: reviewed.map(WateringDocument.init), keywords: newest?.review?.keywords ?? []),
                    table: Garden.table([found], tags: tags, on: today, language: owner.language),
                    text: Garden.detail(
                        found, tags: tags.tags(of: found.id), on: today, language: owner.language, reviews: reviewed))
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a plant: no more pushes, its history stays in the counts.")
        @Argument(help: "The plant's id, or its first 8 digits or more.") var plant: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withEngine { engine in
                let found = try await engine.store.plant(plant)
                let owner = try await engine.store.account(of: found)
                try await engine.show(try await engine.store.removeFriend(found.reference), of: owner, common)
            }
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
        // Accepted to be refused by rule 1.1 with a sentence that helps.
        @Option(help: .hidden) var name: String?
        @Option(parsing: .unconditional, help: .hidden) var phone: String?
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withEngine { engine in
                let found = try await engine.store.plant(plant)
                let owner = try await engine.store.account(of: found)
                var edit = PlantEdit()
                edit.changesIdentity = name != nil || phone != nil
                edit.nickname = nickname
                if let birthday { edit.birthday = .some(birthday.isEmpty ? nil : try Birthday(birthday)) }
                edit.cycle = try cycleDays.map { number throws(CareError) in try Cycle(days: number.value) }
                edit.alarmTime = try alarm.map { text throws(CareError) in try TimeOfDay(alarm: text) }
                edit.pushesEnabled = pushes?.isOn
                edit.isFavourite = favourite?.isOn
                let tagging = Tagging(
                    adding: try tag.map { text throws(CareError) in try TagName(text) },
                    removing: try untag.map { text throws(CareError) in try TagName(text) })
                let plant = try await engine.store.editFriend(found.reference, edit, tagging)
                try await engine.show(plant, of: owner, common)
            }
        }
    }
}

extension Engine {
    /// The civil day in the account's zone.
    func today(of account: Account) async throws -> CivilDay {
        try zones.rules(account.timeZone).day(at: try await store.now())
    }

    /// Prints a plant as `friend show` does, without its reviews.
    func show(_ plant: Plant, of account: Account, _ common: CommonOptions) async throws {
        let today = try await today(of: account)
        let known = try await store.tags(of: account.id)
        let tags = known.tags(of: plant.id)
        try Output.print(
            common.output, json: PlantDocument(plant, tags: tags, on: today, language: account.language),
            table: Garden.table([plant], tags: known, on: today, language: account.language),
            text: Garden.detail(plant, tags: tags, on: today, language: account.language, reviews: []))
    }
}

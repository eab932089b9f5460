import ArgumentParser
import CherishCore
import CherishRuntime
import CherishStore
import Foundation

struct WaterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "water", abstract: "Records a contact with a friend, with its review or without.",
        discussion: """
            EXAMPLES
              cherish water 5f3e2a10 --by call --keyword sea --memo "moved to Busan"
              cherish water 5f3e2a10 --by message --on 2027-03-01 --no-review
            """)
    @Argument(help: "The plant's id, or its first 8 digits or more.") var plant: String
    @Option(name: .customLong("by"), help: "How the contact was made.") var method: ContactMethod
    @Option(help: "The day of the contact, up to 7 days back; today without it.") var on: CivilDay?
    @Option(name: .customLong("keyword"), parsing: .unconditionalSingleValue, help: "Up to three, 1-5 characters each.")
    var keywords: [String] = []
    @Option(parsing: .unconditional, help: "A memo of up to 100 characters.") var memo: String?
    @Flag(help: "Do not remind of the review.") var noReview = false
    @OptionGroup var common: CommonOptions

    func validate() throws {
        if noReview && (!keywords.isEmpty || memo != nil) {
            throw ValidationError("--no-review does not go with --keyword or --memo")
        }
    }

    func run() async throws {
        // Nothing written is no review; a blank memo alone is refused as an empty one.
        let review = keywords.isEmpty && memo == nil ? nil : try Review(keywords: keywords, memo: memo)
        let request = WateringRequest(method: method, day: on, review: review, declinesReview: noReview)
        try await common.changeWatering(of: plant) { try await $0.store.water($1, request) }
    }
}

struct ReviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "review", abstract: "Writes, deletes or declines the review of a watering.",
        subcommands: [Write.self, Delete.self, Decline.self])

    struct Write: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Writes or edits a review; what is not given stays.",
            discussion: "EXAMPLE\n  cherish review write 5f3e2a10 --keyword sea --memo \"moved to Busan\"")
        @Argument(help: "The plant's id, or its first 8 digits or more.") var plant: String
        @Option(help: "The day of the watering; the newest one without it.") var on: CivilDay?
        @Option(
            name: .customLong("keyword"), parsing: .unconditionalSingleValue, help: "Up to three, 1-5 characters each.")
        var keywords: [String] = []
        @Option(parsing: .unconditional, help: "A memo of up to 100 characters; empty removes it.") var memo: String?
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.changeWatering(of: plant) {
                guard !keywords.isEmpty || memo != nil else { throw CareError.reviewEmpty }
                return try await $0.store.writeReview(
                    $1, on: on, keywords: keywords.isEmpty ? nil : keywords, memo: memo)
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Deletes a review; the watering and its affection stay.")
        @Argument(help: "The plant's id, or its first 8 digits or more.") var plant: String
        @Option(help: "The day of the watering.") var on: CivilDay
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.changeWatering(of: plant) { try await $0.store.deleteReview($1, on: on) }
        }
    }

    struct Decline: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Declines to review a watering: no reminder comes.")
        @Argument(help: "The plant's id, or its first 8 digits or more.") var plant: String
        @Option(help: "The day of the watering.") var on: CivilDay
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.changeWatering(of: plant) { try await $0.store.declineReview($1, on: on) }
        }
    }
}

struct PostponeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "postpone", abstract: "Moves the due date of a plant on its D-day.",
        discussion: "EXAMPLE\n  cherish postpone 5f3e2a10 --days 3")
    @Argument(help: "The plant's id, or its first 8 digits or more.") var plant: String
    @Option(parsing: .unconditional, help: "By how many days, 1-7.") var days: WholeNumber
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.withEngine { engine in
            let found = try await engine.store.plant(plant)
            let owner = try await engine.store.account(of: found)
            let postponed = try await engine.store.postpone(found.reference, days: days.value)
            try await engine.show(postponed, of: owner, common)
        }
    }
}

struct CalendarCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calendar", abstract: "Shows the days a plant was watered, and the days to come.")
    @Argument(help: "The plant's id, or its first 8 digits or more.") var plant: String
    @Option(help: "The first day; 30 days back without it.") var from: CivilDay?
    @Option(help: "The last day; 60 days ahead without it.") var to: CivilDay?
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.withEngine { engine in
            let found = try await engine.store.plant(plant)
            let today = try await engine.today(of: try await engine.store.account(of: found))
            let first = from ?? min(today + -30, to ?? today)
            let last = to ?? max(today + 60, first)
            guard first <= last, last - first <= 3660 else {
                throw UsageError("--from must not be after --to, and they lie ten years apart at most")
            }
            let waterings = try await engine.store.waterings(found, from: first, to: last)
            let days = CalendarDay.days(of: found, waterings: waterings, from: first, to: last, today: today)
            try Output.print(
                common.output,
                json: CalendarDocument(plant: found.id.description, days: days.map(CalendarDocument.Day.init)),
                table: Table(
                    ["DAY", "", "METHOD", "KEYWORDS", "MEMO"].map { Table.Column(title: $0) },
                    rows: days.map { day in
                        let watering = day.watering
                        return [
                            day.day.description, day.kind.rawValue, watering?.method.rawValue ?? "",
                            (watering?.review?.keywords ?? []).joined(separator: " "), watering?.review?.memo ?? "",
                        ]
                    }))
        }
    }
}

struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Counts plants, waterings, postponements and full plants of an account.")
    @Argument(help: "The account's e-mail or id.") var account: String
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.withEngine { engine in
            let statistics = try await engine.store.statistics(try await engine.store.account(account))
            let counts = [
                statistics.plantCount, statistics.wateringCount, statistics.postponementCount, statistics.fullCount,
            ]
            try Output.print(
                common.output, json: StatisticsDocument(statistics),
                table: Table(
                    ["PLANTS", "WATERED", "POSTPONED", "FULL"].map { Table.Column(title: $0, isNumber: true) },
                    rows: [counts.map { "\($0)" }]))
        }
    }
}

extension CommonOptions {
    /// Runs a change of a watering and prints the watering and its plant.
    func changeWatering(
        of prefix: String,
        _ change: @Sendable (Engine, PlantReference) async throws -> (watering: RecordedWatering, plant: Plant)
    ) async throws {
        try await withEngine { engine in
            let found = try await engine.store.plant(prefix)
            let owner = try await engine.store.account(of: found)
            let (recorded, plant) = try await change(engine, found.reference)
            let today = try await engine.today(of: owner)
            let known = try await engine.store.tags(of: owner.id)
            let tags = known.tags(of: plant.id)
            let answer = WateringAnswer(
                watering: WateringDocument(recorded),
                plant: PlantDocument(plant, tags: tags, on: today, language: owner.language))
            let reviews = recorded.watering.review == nil ? [] : [recorded]
            try Output.print(
                output, json: answer, table: Garden.table([plant], tags: known, on: today, language: owner.language),
                text:
                    "watered on \(recorded.watering.wateredOn) by \(recorded.watering.method.rawValue), +\(recorded.pointsGained) affection\n"
                    + Garden.detail(plant, tags: tags, on: today, language: owner.language, reviews: reviews))
        }
    }
}

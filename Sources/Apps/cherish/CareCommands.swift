import ArgumentParser
import CherishCore
import CherishRuntime
import CherishService
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
        var request = ContactRequest(method: method)
        request.day = on
        request.keywords = keywords
        request.memo = memo
        request.declinesReview = noReview
        let wanted = request
        try await common.changeWatering(of: plant) { try await $0.water(plant, wanted) }
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
                try await $0.writeReview(plant, on: on, keywords: keywords, memo: memo)
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
            try await common.changeWatering(of: plant) { try await $0.deleteReview(plant, on: on) }
        }
    }

    struct Decline: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Declines to review a watering: no reminder comes.")
        @Argument(help: "The plant's id, or its first 8 digits or more.") var plant: String
        @Option(help: "The day of the watering.") var on: CivilDay
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.changeWatering(of: plant) { try await $0.declineReview(plant, on: on) }
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
        try await common.withGarden(.plant(plant)) { try common.show(try await $0.postpone(plant, days: days.value)) }
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
        try await common.withGarden(.plant(plant)) { garden in
            let calendar: CalendarView
            do {
                calendar = try await garden.calendar(plant, from: from, to: to)
            } catch RequestError.invalidSpan {
                throw UsageError("--from must not be after --to, and they lie ten years apart at most")
            }
            try Output.print(
                common.output,
                json: calendar.document,
                table: Table(
                    ["DAY", "", "METHOD", "KEYWORDS", "MEMO"].map { Table.Column(title: $0) },
                    rows: calendar.days.map { day in
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
        try await common.withGarden(.account(account)) { garden in
            let statistics = try await garden.statistics()
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
    /// Changes a watering, then prints it and its plant.
    func changeWatering(of plant: String, _ change: @Sendable (GardenService) async throws -> WateringView) async throws
    {
        try await withGarden(.plant(plant)) { garden in
            let changed = try await change(garden)
            let (watering, points) = (changed.recorded.watering, changed.recorded.pointsGained)
            try Output.print(
                output, json: changed.document, table: GardenText.table([changed.plant]),
                text: "watered on \(watering.wateredOn) by \(watering.method.rawValue), +\(points) affection\n"
                    + GardenText.detail(changed.plant, reviews: watering.review == nil ? [] : [changed.recorded]))
        }
    }
}

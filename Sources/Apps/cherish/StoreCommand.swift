import AddressBook
import ArgumentParser
import CherishCore
import CherishService
import CherishStore
import Foundation

struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Imports and lists stores, with what they grant and where they are.",
        discussion: """
            The catalogue is the same for all accounts. A return or pickup without a due day is due as many days after its \
            purchase as the store grants.

            EXAMPLES
              cherish store import stores.csv --dry-run
              cherish store list --search 서점
              cherish store show 'Corner Books' --near 37.5665,126.978
            """,
        subcommands: [Import.self, List.self, Show.self])

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Imports stores from a table (CSV) with a header, or JSON Lines.",
            discussion: """
                A table has a row for each place, with the titles name, country, return_policy_url, return_days, \
                pickup_days, address, latitude and longitude. JSON Lines have an object for each store, with its places. \
                A file says everything about the stores that it names: what it does not repeat is removed, but for places \
                if it says nothing of places at all. Other stores stay. The same file again changes nothing, and a \
                correction moves no due day. Records are refused one by one and reported with their line. All or nothing \
                else is written.

                EXAMPLE
                  cherish store import stores.jsonl
                """)
        @Argument(help: "The file; its content tells the format. - is the standard input.") var file: String
        @Flag(help: "Only tell what would happen.") var dryRun = false
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withService { service in
                let progress = ReadingProgress()
                let report = try await service.importStores(
                    from: try .file(file), isDryRun: dryRun, progress: { progress.show("\($0) records", $0, $1) })
                Progress.clear()
                try Output.print(
                    common.output, json: report.document, table: StoreText.table(report), text: StoreText.text(report))
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists stores by name.",
            discussion: "At most \(StoreCatalogue.mostListed) are listed; search for others.")
        @Option(help: "Only stores with this in their names.") var search = ""
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withService { service in
                let stores = try await service.stores(search: search)
                let none =
                    search.isEmpty ? "no store yet; 'cherish store import' brings some" : "no store has this name"
                try Output.print(
                    common.output, json: StoresDocument(stores), table: StoreText.table(stores),
                    text: stores.isEmpty ? none : nil)
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Shows a store, and its nearest places.")
        @Argument(help: "The store's name, its id, or the id's first 8 digits or more.") var store: String
        @Option(parsing: .unconditional, help: "Latitude and longitude in degrees, like 37.5665,126.978.")
        var near: Position?
        @Option(help: "How far away places are looked for, 1-50 km.") var radius = 10
        @OptionGroup var common: CommonOptions

        func validate() throws {
            guard StoreCatalogue.radii.contains(radius) else { throw ValidationError("--radius takes 1 to 50") }
        }

        func run() async throws {
            try await common.withService { service in
                let view = try await service.store(store)
                guard let near else {
                    try Output.print(
                        common.output, json: view.document, table: StoreText.table([view.store]),
                        text: StoreText.detail(view))
                    return
                }
                let places = try await service.places(near: near, within: radius, of: view.store.id)
                try Output.print(
                    common.output, json: NearbyPlacesDocument(places), table: StoreText.table(places),
                    text: places.isEmpty ? "no place of \(view.store.name) within \(radius) km" : nil)
            }
        }
    }
}

extension Position: ExpressibleByArgument {
    public init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false).map {
            Double($0.filter { $0 != " " })
        }
        guard parts.count == 2, let latitude = parts[0], let longitude = parts[1] else { return nil }
        self.init(latitude: latitude, longitude: longitude)
    }
}

/// Formats stores for a terminal.
enum StoreText {
    static func table(_ stores: [Store]) -> Table {
        Table(
            [
                Table.Column(title: "STORE"), Table.Column(title: "NAME"), Table.Column(title: "COUNTRY"),
                Table.Column(title: "RETURN DAYS", isNumber: true), Table.Column(title: "PICKUP DAYS", isNumber: true),
                Table.Column(title: "RETURN POLICY"),
            ],
            rows: stores.map { store in
                [
                    store.id.short, store.name.description, store.country.description,
                    store.returnDays.map { "\($0)" } ?? "", store.pickupDays.map { "\($0)" } ?? "",
                    store.returnPolicyURL?.description ?? "",
                ]
            })
    }

    static func table(_ places: [NearbyPlace]) -> Table {
        Table(
            [
                Table.Column(title: "KM", isNumber: true), Table.Column(title: "ADDRESS"),
                Table.Column(title: "LATITUDE"),
                Table.Column(title: "LONGITUDE"),
            ],
            rows: places.map { found in
                [
                    String(format: "%.2f", found.distance / 1000), found.place.address.description,
                    "\(found.place.position.latitude)", "\(found.place.position.longitude)",
                ]
            })
    }

    static func table(_ report: StoreImportReport) -> Table {
        Table(
            [Table.Column(title: "LINE", isNumber: true), Table.Column(title: "PROBLEM")],
            rows: report.refused.map { ["\($0.line)", $0.reason] })
    }

    static func detail(_ view: StoreView) -> String {
        let store = view.store
        func days(_ days: Int?) -> String { days?.counted("day") ?? "the store does not say" }
        return [
            "\(store.name)   \(store.country)", line("returning", days(store.returnDays)),
            line("picking up", days(store.pickupDays)),
            line("policy", store.returnPolicyURL?.description ?? "the store does not say"),
            line("places", "\(view.placeCount)"), line("id", store.id.description),
        ].joined(separator: "\n")
    }

    static func text(_ report: StoreImportReport) -> String {
        let lines =
            [
                (report.isDryRun ? "would be: " : "") + "stores: \(counts(report.counts.stores))",
                "places: \(counts(report.counts.places))",
            ] + (report.refused.isEmpty ? [] : ["refused: \(report.refused.count)"])
            + report.refused.map { "  line \($0.line): \($0.reason)" }
        return lines.map(\.harmless).joined(separator: "\n")
    }

    private static func counts(_ kind: StoreImportCounts.Kind) -> String {
        let counts = [
            (kind.new, "new"), (kind.corrected, "corrected"), (kind.removed, "removed"), (kind.unchanged, "unchanged"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return counts.isEmpty ? "none" : counts.joined(separator: ", ")
    }

    private static func line(_ name: String, _ text: String) -> String { "   \(name.fitted(toWidth: 10)) \(text)" }
}

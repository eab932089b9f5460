import ArgumentParser
import CherishCore
import CherishRuntime
import CherishService
import CherishStore
import Foundation

/// The format in which results are printed.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
    case table, json, csv
}

/// The options of every command.
struct CommonOptions: ParsableArguments {
    @Option(name: .long, help: "What the engine takes for the present, like 2027-03-02T08:59:00+09:00.")
    var now: Instant?

    @Option(name: .long, help: "table for people, one json document, or csv for lists.")
    var output: OutputFormat = .table

    /// Runs the body with an engine on the database that the environment configures.
    func withEngine<Result: Sendable>(
        requiresSchema: Bool = true, _ body: (Engine) async throws -> Result
    ) async throws -> Result {
        try await Engine.with(try Settings(), now: now, requiresSchema: requiresSchema, body)
    }
}

extension CommonOptions {
    /// Runs the body with all use cases, on the database that the environment configures.
    func withService<Result: Sendable>(_ body: (CareService) async throws -> Result) async throws -> Result {
        try await withEngine { try await body(CareService($0)) }
    }

    /// Runs the body with the garden that the reference identifies.
    func withGarden<Result: Sendable>(
        _ reference: GardenReference, _ body: (GardenService) async throws -> Result
    ) async throws -> Result {
        try await withService { try await body(try await $0.garden(of: .operator(reference))) }
    }
}

/// on or off.
enum Switch: String, CaseIterable, ExpressibleByArgument {
    case on, off

    var isOn: Bool { self == .on }
}

/// A whole number of any size. If it is out of range, a rule refuses it, not the argument parser.
struct WholeNumber: ExpressibleByArgument {
    let value: Int

    /// As help shows it.
    var defaultValueDescription: String { String(value) }

    init?(argument: String) {
        let digits = argument.drop { $0 == "-" || $0 == "+" }
        guard argument.count - digits.count <= 1, !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber })
        else { return nil }
        value = Int(argument) ?? (argument.hasPrefix("-") ? Int.min : Int.max)
    }
}

extension Instant: ExpressibleByArgument {
    public init?(argument: String) {
        self.init(argument)
    }
}

extension CivilDay: ExpressibleByArgument {
    public init?(argument: String) {
        self.init(argument)
    }
}

extension ContactMethod: ExpressibleByArgument {}
extension Language: ExpressibleByArgument {}
extension GardenOrder: ExpressibleByArgument {}
extension Device.Platform: ExpressibleByArgument {}

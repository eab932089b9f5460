import CherishCore
import Foundation

/// The content of an account's document.
public enum ExportEntry: Hashable, Sendable {
    /// An account with its id and everything that belongs to it.
    case archive(AccountExport)
    /// An account to create: the document has no id.
    case newAccount(AccountSeed)
}

/// The JSON document of an account, which `cherish export` writes and `cherish seed` reads.
///
/// This module defines the files that Cherish exports and seeds: this document, friends as CSV and vCard, the garden as
/// iCalendar. It accesses neither database nor file system: callers pass values and bytes. Start here, then read
/// ``DocumentWriter`` and ``DocumentSplitter``.
public enum ExportDocument {
    /// Writes the document: keys sorted, absent values as null, no trailing line break.
    ///
    /// Each watering lists its gains; reading sorts them into the ledger by instant, watering and reason.
    ///
    /// - Parameter pretty: Whether to write many indented lines for people, or a single line.
    /// - Throws: ``ExportProblem`` if a plant has a tag that the account lacks.
    public static func encode(_ export: AccountExport, pretty: Bool) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let writer = try DocumentWriter(export, pretty: pretty) { bytes += $0 }
        for batch in export.imports {
            try writer.add(batch)
            try writer.add(batch.changes)
        }
        try writer.add(export.plants)
        try writer.add(export.pushes)
        try writer.finish()
        return bytes
    }

    /// Reads a document and validates everything that needs no database. The time zone's name only has to be non-empty.
    ///
    /// - Throws: ``ExportProblem`` for the first problem.
    public static func decode(_ bytes: [UInt8]) throws -> ExportEntry {
        let data = Data(bytes)
        let heading = try decode(HeadingEntry.self, from: data)
        try check(heading)
        if heading.account.id == nil {
            let seed = try decode(SeedEntry.self, from: data)
            try refuseStrayKeys(
                of: data, beyond: seed, strayKeyOfNewAccount)
            return .newAccount(try seed.read())
        }
        let garden = try decode(GardenEntry.self, from: data)
        try refuseStrayKeys(of: data, beyond: garden, strayKey)
        return .archive(try garden.read())
    }

    static let strayKey = "there is no such key; correct or remove it"
    static let strayKeyOfNewAccount = "a new account, one without an id, has no such key; correct or remove it"

    private static func check(_ heading: HeadingEntry) throws {
        if let format = heading.format, format != GardenEntry.format {
            throw Place.document["format"].problem(
                "this is no document of an account; \"\(GardenEntry.format)\" is what can be read")
        }
        guard let version = heading.version else { return }
        guard version <= GardenEntry.version else {
            throw Place.document["version"].problem(
                """
                a newer Cherish wrote this document, version \(version); read it with that one, or write version \
                \(GardenEntry.version)
                """)
        }
        guard version == GardenEntry.version else {
            throw Place.document["version"].problem("there is no version \(version); write \(GardenEntry.version)")
        }
    }

    /// - Parameter place: The position of the data in the document.
    static func decode<Document: Decodable>(
        _ type: Document.Type, from data: Data, at place: Place = .document
    ) throws -> Document {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch let error as DecodingError {
            throw ExportProblem(error).within(place)
        }
    }

    /// Rejects unknown keys: those that re-encoding the document would lose.
    static func refuseStrayKeys(
        of data: Data, beyond document: some Encodable, at place: Place = .document, _ reason: String
    ) throws {
        let given: Any
        do {
            given = try JSONSerialization.jsonObject(with: data)
        } catch {
            // The known keys have been decoded, so the fault is in an unknown one.
            throw place.problem(
                "a key that is not known holds a number that is too large or text that is not UTF-8; remove it")
        }
        let known = try JSONSerialization.jsonObject(with: try JSONEncoder().encode(document))
        if let place = strayKey(in: given, beyond: known, at: place) { throw place.problem(reason) }
    }

    private static func strayKey(in given: Any, beyond known: Any, at place: Place) -> Place? {
        if let given = given as? [String: Any], let known = known as? [String: Any] {
            for (key, value) in given.sorted(by: { $0.key < $1.key }) {
                guard let knownValue = known[key] else { return place[key] }
                if let stray = strayKey(in: value, beyond: knownValue, at: place[key]) { return stray }
            }
        } else if let given = given as? [Any], let known = known as? [Any] {
            for (index, pair) in zip(given, known).enumerated() {
                if let stray = strayKey(in: pair.0, beyond: pair.1, at: place[index]) { return stray }
            }
        }
        return nil
    }
}

import CherishCore
import Foundation

/// What a document of an account holds.
public enum ArchiveEntry: Hashable, Sendable {
    /// An account with its id and all that belongs to it.
    case archive(AccountArchive)
    /// An account that is to be made: the document names no id.
    case newAccount(AccountSeed)
}

/// The JSON document of an account, which `cherish export` writes and `cherish seed` reads.
public enum ArchiveDocument {
    /// Writes the document: keys in order, what is absent as null, without a line break at the end.
    ///
    /// Each watering has what was gained by it: the ledger is read back in the order of instant, watering and reason.
    ///
    /// - Parameter pretty: on many lines for people, or on one.
    /// - Throws: ``ArchiveProblem`` when a plant has a tag that the account has not.
    public static func encode(_ archive: AccountArchive, pretty: Bool) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let writer = try DocumentWriter(archive, pretty: pretty) { bytes += $0 }
        for batch in archive.imports {
            try writer.add(batch)
            try writer.add(batch.changes)
        }
        try writer.add(archive.plants)
        try writer.add(archive.pushes)
        try writer.finish()
        return bytes
    }

    /// Reads a document, and checks all that can be checked without a database: the zone's name is only not empty.
    ///
    /// - Throws: ``ArchiveProblem`` for the first thing that is wrong.
    public static func decode(_ bytes: [UInt8]) throws -> ArchiveEntry {
        let data = Data(bytes)
        let heading = try decode(HeadingDocument.self, from: data)
        try check(heading)
        if heading.account.id == nil {
            let seed = try decode(SeedDocument.self, from: data)
            try refuseStrayKeys(
                of: data, beyond: seed, strayKeyOfNewAccount)
            return .newAccount(try seed.read())
        }
        let garden = try decode(GardenDocument.self, from: data)
        try refuseStrayKeys(of: data, beyond: garden, strayKey)
        return .archive(try garden.read())
    }

    static let strayKey = "there is no such key; correct or remove it"
    static let strayKeyOfNewAccount = "a new account, one without an id, has no such key; correct or remove it"

    private static func check(_ heading: HeadingDocument) throws {
        if let format = heading.format, format != GardenDocument.format {
            throw Place.document["format"].problem(
                "this is no document of an account; \"\(GardenDocument.format)\" is what can be read")
        }
        guard let version = heading.version else { return }
        guard version <= GardenDocument.version else {
            throw Place.document["version"].problem(
                """
                a newer Cherish wrote this document, version \(version); read it with that one, or write version \
                \(GardenDocument.version)
                """)
        }
        guard version == GardenDocument.version else {
            throw Place.document["version"].problem("there is no version \(version); write \(GardenDocument.version)")
        }
    }

    /// - Parameter place: Where in the document the data stand.
    static func decode<Document: Decodable>(
        _ type: Document.Type, from data: Data, at place: Place = .document
    ) throws -> Document {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch let error as DecodingError {
            throw ArchiveProblem(error).within(place)
        }
    }

    /// Refuses keys that would be lost: those that the document does not have when it is written again.
    static func refuseStrayKeys(
        of data: Data, beyond document: some Encodable, at place: Place = .document, _ reason: String
    ) throws {
        let given: Any
        do {
            given = try JSONSerialization.jsonObject(with: data)
        } catch {
            // What the document knows was read before.
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

import CherishCore
import Foundation

/// Streams an account's JSON document, however large it is: first the imports, each with its changes, then the plants,
/// then the pushes, any number at a time. Keys are sorted, absent values are null, and there is no trailing line break.
///
///     let writer = try DocumentWriter(head, pretty: true) { try file.write($0) }
///     for batch in head.imports { try writer.add(batch); try writer.add(changes) }
///     try writer.add(plants)
///     try writer.add(pushes)
///     try writer.finish()
///
/// Each watering lists its gains; reading sorts them into the ledger by instant, watering and reason.
public final class DocumentWriter {
    /// The lists of the document, in document order.
    private enum List: Int, CaseIterable {
        case imports, plants, pushes
    }

    private let encoder = JSONEncoder()
    private let isPretty: Bool
    private let write: ([UInt8]) throws -> Void
    private let tagNames: [Tag.ID: String]
    /// The document with empty lists.
    private let frame: EmptyLists
    private var list: List?
    /// The number of elements written to the current list.
    private var count = 0
    /// The open import without its changes, and how many of these are written.
    private var batch: (frame: EmptyLists, changeCount: Int)?

    /// - Parameters:
    ///   - export: The export whose account, devices and tags are written. Its lists are added afterwards.
    ///   - pretty: Whether to write many indented lines for people, or a single line.
    ///   - write: Receives each chunk of the document.
    public init(_ export: AccountExport, pretty: Bool, to write: @escaping ([UInt8]) throws -> Void) throws {
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        isPretty = pretty
        self.write = write
        tagNames = Dictionary(
            export.tags.map { ($0.id, $0.name.description) }, uniquingKeysWith: { first, _ in first })
        var head = export
        (head.imports, head.plants, head.pushes) = ([], [], [])
        frame = EmptyLists(
            of: Array(try encoder.encode(try GardenEntry(head))), named: ["imports", "plants", "pushes"],
            isPretty: pretty)
    }

    /// Begins an import. Its changes follow.
    public func add(_ batch: ImportBatch) throws {
        try begin(.imports)
        var batch = batch
        batch.changes = []
        let text = indented(Array(try encoder.encode(ImportEntry(batch)))[...], by: 4)
        let frame = EmptyLists(of: text, named: ["changes"], isPretty: isPretty)
        try write(separator(after: count) + frame.texts[0])
        count += 1
        self.batch = (frame, 0)
    }

    /// Adds changes to the open import.
    public func add(_ changes: [ImportBatch.Change]) throws {
        guard let batch, !changes.isEmpty else { return }
        try write(
            separator(after: batch.changeCount) + elements(changes.map { ImportChangeEntry($0) }, indentation: 8))
        self.batch?.changeCount += changes.count
    }

    /// - Throws: ``ExportProblem`` if a plant has a tag that the account lacks.
    public func add(_ plants: [PlantHistory]) throws {
        try begin(.plants)
        if plants.isEmpty { return }
        let documents = try plants.enumerated().map { index, plant in
            try PlantEntry(plant, tagNames: tagNames, at: Place.document["plants"][count + index])
        }
        try write(separator(after: count) + elements(documents, indentation: 4))
        count += plants.count
    }

    /// Adds past and planned pushes, after all plants.
    public func add(_ pushes: [ExportedPush]) throws {
        try begin(.pushes)
        if pushes.isEmpty { return }
        try write(separator(after: count) + elements(pushes.map { PushEntry($0) }, indentation: 4))
        count += pushes.count
    }

    /// Ends the document.
    public func finish() throws {
        try begin(.pushes)
        try endList(frame, .pushes, count: count, indentation: 2)
        try write(frame.texts[List.allCases.count])
    }

    /// Ends the open import and the lists before the wanted one, then begins the wanted one.
    private func begin(_ wanted: List) throws {
        if let batch {
            try endList(batch.frame, .imports, count: batch.changeCount, indentation: 6)
            try write(batch.frame.texts[1])
            self.batch = nil
        }
        for next in List.allCases where next.rawValue <= wanted.rawValue && next.rawValue > (list?.rawValue ?? -1) {
            if let list { try endList(frame, list, count: count, indentation: 2) }
            try write(frame.texts[next.rawValue])
            (list, count) = (next, 0)
        }
    }

    private func endList(_ frame: EmptyLists, _ list: List, count: Int, indentation: Int) throws {
        if count == 0 {
            try write(frame.gaps[list.rawValue])
        } else if isPretty {
            try write([newline] + spaces(indentation))
        }
    }

    /// The text before the next element, after `count` of them.
    private func separator(after count: Int) -> [UInt8] {
        (count == 0 ? [] : [UInt8(ascii: ",")]) + (isPretty ? [newline] : [])
    }

    /// Encodes documents as list elements, without the brackets.
    private func elements(_ documents: [some Encodable], indentation: Int) throws -> [UInt8] {
        let list = Array(try encoder.encode(documents))
        // The encoder puts the brackets on lines of their own and indents by two.
        return isPretty ? indented(list[2..<(list.count - 2)], by: indentation - 2) : Array(list[1..<(list.count - 1)])
    }

    /// Indents every non-empty line further. Strings in JSON contain no line breaks.
    private func indented(_ text: ArraySlice<UInt8>, by count: Int) -> [UInt8] {
        guard isPretty else { return Array(text) }
        var result: [UInt8] = []
        result.reserveCapacity(text.count * 2)
        let margin = spaces(count)
        var isAtStart = true
        for byte in text {
            if isAtStart, byte != newline { result += margin }
            result.append(byte)
            isAtStart = byte == newline
        }
        return result
    }

    private func spaces(_ count: Int) -> [UInt8] { Array(repeating: UInt8(ascii: " "), count: count) }
}

private let newline = UInt8(ascii: "\n")

/// A JSON document with some empty lists, split inside each of them.
private struct EmptyLists {
    /// The text before the inside of each list, then the text after the last.
    let texts: [[UInt8]]
    /// The text inside each list.
    let gaps: [[UInt8]]

    /// - Parameter keys: The keys of the lists, in order.
    init(of document: [UInt8], named keys: [String], isPretty: Bool) {
        var (texts, gaps): ([[UInt8]], [[UInt8]]) = ([], [])
        var rest = Data(document)
        // From the end: an account's appearance, which precedes the lists, may have the same keys.
        for key in keys.reversed() {
            // Inside a string, the quotes would be escaped.
            let opening = isPretty ? "\"\(key)\" : [" : "\"\(key)\":["
            guard let open = rest.range(of: Data(opening.utf8), options: .backwards)?.upperBound,
                let close = rest[open...].firstIndex(of: UInt8(ascii: "]"))
            else { preconditionFailure("the document has no list \(key)") }
            texts.insert(Array(rest[close...]), at: 0)
            gaps.insert(Array(rest[open..<close]), at: 0)
            rest = rest[..<open]
        }
        self.texts = [Array(rest)] + texts
        self.gaps = gaps
    }
}

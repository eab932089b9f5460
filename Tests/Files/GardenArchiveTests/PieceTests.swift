import CherishCore
import Foundation
import Testing

@testable import GardenArchive

@Suite("A document in pieces")
struct PieceTests {
    /// The document as Foundation writes it at once.
    private func whole(_ export: AccountExport, pretty: Bool) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        return Array(try encoder.encode(try GardenEntry(export)))
    }

    private func split(_ document: [UInt8], by length: Int) throws -> (rest: [UInt8], [DocumentSplitter.Piece]) {
        var splitter = DocumentSplitter()
        var pieces: [DocumentSplitter.Piece] = []
        for start in stride(from: 0, to: document.count, by: length) {
            pieces += try splitter.take(Array(document[start..<min(start + length, document.count)]))
        }
        return (splitter.rest, pieces)
    }

    @Test("is written byte for byte as at once, whatever the account contains", arguments: UInt64(1)...60)
    func writing(seed: UInt64) throws {
        var random = RandomExport(seed: seed)
        var export = try random.export()
        // Texts that look like keys.
        export.account.nickname = try Nickname("\"imports\" : [")
        export.account.timeZone = "plants"
        for pretty in [true, false] {
            let expected = try whole(export, pretty: pretty)
            #expect(text(try ExportDocument.encode(export, pretty: pretty)) == text(expected))
            var written: [UInt8] = []
            let writer = try DocumentWriter(export, pretty: pretty) { written += $0 }
            for batch in export.imports {
                try writer.add(batch)
                for change in batch.changes { try writer.add([change]) }
            }
            for plant in export.plants { try writer.add([plant]) }
            for push in export.pushes { try writer.add([push]) }
            try writer.finish()
            #expect(text(written) == text(expected), "seed \(seed)")
        }
    }

    @Test("adds up to the same account, wherever reading was split", arguments: UInt64(1)...60)
    func reading(seed: UInt64) throws {
        var random = RandomExport(seed: seed)
        let export = try random.export()
        let document = try ExportDocument.encode(export, pretty: seed.isMultiple(of: 2))
        for length in [1, 7, 1000, document.count] {
            let (rest, pieces) = try split(document, by: length)
            guard case .archive = try ExportDocument.decode(rest) else {
                Issue.record("the rest is not an account")
                return
            }
            let frame = try ExportFrame(rest)
            #expect(frame.head.plants.isEmpty && frame.head.pushes.isEmpty && frame.head.tags == export.tags)
            #expect(frame.head.things == export.things)
            let all = try pieces.map { try frame.piece($0) }
            var part = try frame.part(all)
            // Things belong to the head.
            part.things = export.things
            #expect(part == export, "seed \(seed), \(length) bytes at a time")
            let planned = export.pushes.filter { $0.end == nil }.map(\.occurrence.at)
            #expect(all.compactMap(\.plannedAt) == planned)
        }
    }

    @Test("gives each plant its parts of the document")
    func parts() throws {
        let export = try minji()
        let (rest, pieces) = try split(try fixture("account.json"), by: 100)
        let frame = try ExportFrame(rest)
        let all = try pieces.map { try frame.piece($0) }
        for plant in export.plants {
            let id = plant.plant.id
            let part = try frame.part(all.filter { $0.plantID == id })
            #expect(part.plants == [plant])
            #expect(part.pushes == export.pushes.filter { Plant.ID($0.occurrence.subjectID) == id })
            let changes = export.imports.map { $0.changes.filter { $0.plantID == id } }
            #expect(part.imports.map(\.changes) == changes)
        }
    }

    @Test("keeps its keys in any order, and texts that look like lists")
    func order() throws {
        let document = #"""
            {"pushes": [ {"a": "\"]}\\"} , 3 ], "x": {"plants": [1]}, "plants": "plants", "imports": [{"n": [[]], "changes": [{}]},
            {"changes": [ ]}, {"changes": [[],{}]}], "plants" : []}
            """#
        let (rest, pieces) = try split(Array(document.utf8), by: 3)
        #expect(
            text(rest) == #"""
                {"pushes": [], "x": {"plants": [1]}, "plants": "plants", "imports": [{"n": [[]], "changes": []},
                {"changes": []}, {"changes": []}], "plants" : []}
                """#)
        #expect(
            pieces.map { text($0.bytes).trimmingCharacters(in: .whitespaces) } == [
                #"{"a": "\"]}\\"}"#, "3", "{}", "[]", "{}",
            ])
        #expect(pieces.map(\.list) == [.pushes, .pushes, .changes, .changes, .changes])
        #expect(pieces.map(\.importIndex) == [0, 0, 0, 2, 2])
        #expect(pieces.map(\.index) == [0, 1, 0, 0, 1])
    }

    @Test(
        "is invalid JSON if the document is",
        arguments: [
            #"{"plants": [{},,{}]}"#, #"{"plants": [{},]}"#, #"{"plants": [,{}]}"#, #"{"plants": [{}"#,
            #"{"plants": [1}]"#, #"{"plants": []]"#, "]", "",
        ])
    func broken(document: String) throws {
        let (rest, pieces) = try split(Array(document.utf8), by: 2)
        let texts = [rest] + pieces.map(\.bytes)
        #expect(
            texts.contains { (try? JSONSerialization.jsonObject(with: Data($0), options: .fragmentsAllowed)) == nil })
    }

    @Test("is refused with its path in the document")
    func places() throws {
        var random = RandomExport(seed: 3)
        let export = try random.export()
        let (rest, _) = try split(try ExportDocument.encode(export, pretty: false), by: 1000)
        let frame = try ExportFrame(rest)
        let id = "11110000-0000-4000-8000-000000000003"
        let pieces = [
            (
                DocumentSplitter.Piece(list: .plants, importIndex: 0, index: 700, bytes: Array("{}".utf8)),
                "plants[700].id"
            ),
            (
                DocumentSplitter.Piece(
                    list: .plants, importIndex: 0, index: 701, bytes: Array(#"{"id": "\#(id)", "name": 3}"#.utf8)),
                "plants[701].name"
            ),
            (
                DocumentSplitter.Piece(
                    list: .pushes, importIndex: 0, index: 9,
                    bytes: Array(
                        #"{"plantId": "\#(id)", "kind": "birthday", "on": "2027-03-02", "plannedAt": "2027-03-02T00:00:00Z"}"#
                            .utf8)), "pushes[9].plantId"
            ),
            (
                DocumentSplitter.Piece(list: .changes, importIndex: 2, index: 5, bytes: Array("[".utf8)),
                "imports[2].changes[5]"
            ),
        ]
        for (piece, path) in pieces {
            let problem = #expect(throws: ExportProblem.self) { _ = try frame.part([try frame.piece(piece)]) }
            #expect(problem?.path == path)
        }
    }

    @Test("is refused if a piece, or the rest, exceeds the limit")
    func limits() throws {
        var splitter = DocumentSplitter(mostBytes: 40)
        let friends = try splitter.take(Array(#"{"plants": [{"a": 1}, {"b": 2}, {"a": 1}, {"b": 2}, {"#.utf8))
        #expect(friends.count == 4)
        let problem = #expect(throws: ExportProblem.self) {
            _ = try splitter.take(Array(repeating: UInt8(ascii: "x"), count: 60))
        }
        #expect(problem?.path == "plants[4]")
        var other = DocumentSplitter(mostBytes: 40)
        #expect(throws: ExportProblem.self) { _ = try other.take(Array(repeating: UInt8(ascii: "x"), count: 60)) }
    }
}

import CherishCore
import Foundation

/// An account's document without its friends, pushes and changes, which ``DocumentSplitter`` splits off. Reads those
/// together with the rest, some plants at a time.
public struct ExportFrame: Sendable {
    /// The account with its devices and tags, and its imports without their changes.
    public let head: AccountExport
    private let document: GardenEntry

    /// - Parameter bytes: A document that ``ExportDocument/decode(_:)`` reads as an export.
    /// - Throws: ``ExportProblem``.
    public init(_ bytes: [UInt8]) throws {
        document = try ExportDocument.decode(GardenEntry.self, from: Data(bytes))
        head = try document.read()
    }

    /// Extracts what must be known about a piece before it is read: its plant, and the instant of a pending push.
    ///
    /// - Throws: ``ExportProblem``.
    public func piece(_ piece: DocumentSplitter.Piece) throws -> ExportPiece {
        let place = Place.piece(piece.list, importIndex: piece.importIndex, index: piece.index)
        let heading = try ExportDocument.decode(PieceHeading.self, from: Data(piece.bytes), at: place)
        let key = piece.list == .plants ? "id" : "plantId"
        guard let id = piece.list == .plants ? heading.id : heading.plantId else {
            throw place[key].problem("is missing; add it")
        }
        let isToCome = piece.list == .pushes && heading.outcome == nil
        return ExportPiece(
            list: piece.list, importIndex: piece.importIndex, index: piece.index,
            plantID: try place[key].identifier(id),
            plannedAt: isToCome ? heading.plannedAt.flatMap { Instant($0) } : nil, bytes: piece.bytes)
    }

    /// Reads the head together with some pieces.
    ///
    /// - Parameter pieces: All pieces of certain plants, in document order.
    /// - Throws: ``ExportProblem`` for the first problem.
    public func part(_ pieces: [ExportPiece]) throws -> AccountExport {
        var part = document
        // They belong to the head.
        part.things = nil
        let (plants, pushes) = (pieces.filter { $0.list == .plants }, pieces.filter { $0.list == .pushes })
        part.plants = try plants.map { try read($0) }
        part.pushes = try pushes.map { try read($0) }
        var indices = GardenEntry.Indices(plants: plants.map(\.index), pushes: pushes.map(\.index), changes: [])
        for number in (part.imports ?? []).indices {
            let changes = pieces.filter { $0.list == .changes && $0.importIndex == number }
            part.imports?[number].changes = try changes.map { try read($0) }
            indices.changes?.append(changes.map(\.index))
        }
        return try part.read(indices)
    }

    private func read<Document: Codable>(_ piece: ExportPiece) throws -> Document {
        let place = Place.piece(piece.list, importIndex: piece.importIndex, index: piece.index)
        let data = Data(piece.bytes)
        let document = try ExportDocument.decode(Document.self, from: data, at: place)
        try ExportDocument.refuseStrayKeys(of: data, beyond: document, at: place, ExportDocument.strayKey)
        return document
    }
}

/// The keys of a friend, push or change that identify its plant and show whether a push is pending.
private struct PieceHeading: Decodable {
    var id: String?
    var plantId: String?
    var plannedAt: String?
    var outcome: String?
}

extension FriendSeed {
    /// Reads a friend of a new account from a piece of its document.
    ///
    /// - Throws: ``ExportProblem``.
    public init(_ piece: DocumentSplitter.Piece) throws {
        let place = Place.piece(piece.list, importIndex: piece.importIndex, index: piece.index)
        let data = Data(piece.bytes)
        let document = try ExportDocument.decode(SeedPlantEntry.self, from: data, at: place)
        try ExportDocument.refuseStrayKeys(
            of: data, beyond: document, at: place, ExportDocument.strayKeyOfNewAccount)
        self = document.friend
    }
}

import CherishCore
import Foundation

/// What is left of an account's document when its friends, pushes and changes were taken out (``DocumentSplitter``), and what these
/// say together with it.
public struct ArchiveFrame: Sendable {
    /// The account with its devices and tags, and its imports without what they changed.
    public let head: AccountArchive
    private let document: GardenDocument

    /// - Parameter bytes: a document that ``ArchiveDocument/decode(_:)`` reads as an archive.
    /// - Throws: ``ArchiveProblem``.
    public init(_ bytes: [UInt8]) throws {
        document = try ArchiveDocument.decode(GardenDocument.self, from: Data(bytes))
        head = try document.read()
    }

    /// A piece with what must be known of it before it is read.
    ///
    /// - Throws: ``ArchiveProblem``.
    public func piece(_ piece: DocumentSplitter.Piece) throws -> ArchivePiece {
        let place = Place.piece(piece.list, importIndex: piece.importIndex, index: piece.index)
        let heading = try ArchiveDocument.decode(PieceHeading.self, from: Data(piece.bytes), at: place)
        let key = piece.list == .plants ? "id" : "plantId"
        guard let id = piece.list == .plants ? heading.id : heading.plantId else {
            throw place[key].problem("is missing; add it")
        }
        let isToCome = piece.list == .pushes && heading.outcome == nil
        return ArchivePiece(
            list: piece.list, importIndex: piece.importIndex, index: piece.index,
            plantID: try place[key].identifier(id),
            plannedAt: isToCome ? heading.plannedAt.flatMap { Instant($0) } : nil, bytes: piece.bytes)
    }

    /// The head with what some pieces say.
    ///
    /// - Parameter pieces: all that are about some plants, in the order of the document.
    /// - Throws: ``ArchiveProblem`` for the first thing that is wrong.
    public func part(_ pieces: [ArchivePiece]) throws -> AccountArchive {
        var part = document
        let (plants, pushes) = (pieces.filter { $0.list == .plants }, pieces.filter { $0.list == .pushes })
        part.plants = try plants.map { try read($0) }
        part.pushes = try pushes.map { try read($0) }
        var indices = GardenDocument.Indices(plants: plants.map(\.index), pushes: pushes.map(\.index), changes: [])
        for number in (part.imports ?? []).indices {
            let changes = pieces.filter { $0.list == .changes && $0.importIndex == number }
            part.imports?[number].changes = try changes.map { try read($0) }
            indices.changes?.append(changes.map(\.index))
        }
        return try part.read(indices)
    }

    private func read<Document: Codable>(_ piece: ArchivePiece) throws -> Document {
        let place = Place.piece(piece.list, importIndex: piece.importIndex, index: piece.index)
        let data = Data(piece.bytes)
        let document = try ArchiveDocument.decode(Document.self, from: data, at: place)
        try ArchiveDocument.refuseStrayKeys(of: data, beyond: document, at: place, ArchiveDocument.strayKey)
        return document
    }
}

/// Of a friend, a push or a change: which plant it is about, and whether it is still to come.
private struct PieceHeading: Decodable {
    var id: String?
    var plantId: String?
    var plannedAt: String?
    var outcome: String?
}

extension FriendSeed {
    /// The friend of a new account whom a piece of its document describes.
    ///
    /// - Throws: ``ArchiveProblem``.
    public init(_ piece: DocumentSplitter.Piece) throws {
        let place = Place.piece(piece.list, importIndex: piece.importIndex, index: piece.index)
        let data = Data(piece.bytes)
        let document = try ArchiveDocument.decode(SeedPlantDocument.self, from: data, at: place)
        try ArchiveDocument.refuseStrayKeys(
            of: data, beyond: document, at: place, ArchiveDocument.strayKeyOfNewAccount)
        self = document.friend
    }
}

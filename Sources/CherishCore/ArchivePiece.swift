/// A friend, a push, or what an import did to a friend: a part of an account's document that is kept by itself while an account is
/// read that is too large for memory.
public struct ArchivePiece: Hashable, Sendable {
    /// The list of the document that it is from.
    public enum List: Int16, CaseIterable, Sendable {
        case plants, pushes
        /// Of any of the imports.
        case changes
    }

    public let list: List
    /// Which import a change belongs to, counted from 0; 0 for others.
    public let importIndex: Int
    /// Its place in its list, counted from 0.
    public let index: Int
    /// The friend's plant, or the one that it is about.
    public let plantID: Plant.ID
    /// When a push that is still to come is planned; nil for all else.
    public let plannedAt: Instant?
    /// As the document has it.
    public let bytes: [UInt8]

    public init(
        list: List, importIndex: Int = 0, index: Int, plantID: Plant.ID, plannedAt: Instant? = nil, bytes: [UInt8]
    ) {
        self.list = list
        self.importIndex = importIndex
        self.index = index
        self.plantID = plantID
        self.plannedAt = plannedAt
        self.bytes = bytes
    }
}

/// An account that is too large for memory, in pieces.
public protocol PiecewiseArchive: Sendable {
    /// The account with its devices and tags, and its imports without what they changed.
    var head: AccountArchive { get }

    /// Hands over all pieces, as often as it is asked.
    func forEachPiece(_ body: (ArchivePiece) throws -> Void) throws

    /// The head with what some pieces say.
    ///
    /// - Parameter pieces: all that are about some plants, in the order of the document.
    func part(_ pieces: [ArchivePiece]) throws -> AccountArchive
}

/// One plant, push, or import change of an account's export, stored separately while reading an account that does not
/// fit in memory.
public struct ExportPiece: Hashable, Sendable {
    /// The list in the export that the piece comes from.
    public enum List: Int16, CaseIterable, Sendable {
        case plants, pushes
        /// The changes of all imports.
        case changes
    }

    public let list: List
    /// The index of the import that a change belongs to, from 0; 0 for other lists.
    public let importIndex: Int
    /// The index within its list, from 0.
    public let index: Int
    /// The plant itself, or the plant that the push or change is about.
    public let plantID: Plant.ID
    /// The planned instant of a pending push; nil for everything else.
    public let plannedAt: Instant?
    /// The piece as the export contains it.
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

/// The export of an account that does not fit in memory, in pieces.
public protocol PiecewiseExport: Sendable {
    /// The account with its devices and tags, and its imports without their changes.
    var head: AccountExport { get }

    /// Passes every piece to `body`; may be called repeatedly.
    func forEachPiece(_ body: (ExportPiece) throws -> Void) throws

    /// Combines the head with some of the pieces.
    ///
    /// - Parameter pieces: All pieces of certain plants, in the order of the export.
    func part(_ pieces: [ExportPiece]) throws -> AccountExport
}

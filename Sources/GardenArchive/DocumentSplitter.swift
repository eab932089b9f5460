import CherishCore

/// Takes the document of an account apart while it is read: its friends, pushes and changes by imports become pieces, each
/// by itself, and what is left fits in memory. The keys may stand in any order.
///
/// It does not judge: what is no JSON is none in a piece, or in what is left.
public struct DocumentSplitter {
    /// A friend, a push or a change, as the document has it.
    public struct Piece: Hashable, Sendable {
        public let list: ArchivePiece.List
        /// Which import a change belongs to, counted from 0; 0 for others.
        public let importIndex: Int
        /// Its place in its list, counted from 0.
        public let index: Int
        public let bytes: [UInt8]
    }

    /// The most bytes in a piece, and in what is left: some hundred thousand waterings of one friend.
    public static let mostBytes = 64 * 1024 * 1024
    /// As many levels as Foundation's reader of JSON takes.
    private static let mostLevels = 512

    /// An object or list around the place that was reached. Those within pieces are only counted.
    private struct Level {
        let isList: Bool
        /// Whose elements become pieces; nil for others.
        var detached: ArchivePiece.List?
        /// Of an object: the key that was read last.
        var key: [UInt8] = []
        /// Of an object: whether a text that comes next is a key.
        var expectsKey = true
        /// Of a list: how many elements were begun.
        var count = 0
        /// Of a detached list: whether an element may begin, and whether one must.
        var isBetween = true
        var isBehindComma = false
    }

    /// The document without its pieces: their lists are empty.
    public private(set) var rest: [UInt8] = []
    private let mostBytes: Int
    private var levels: [Level] = []
    private var text: (isKey: Bool, isEscaped: Bool)?
    private var piece: (bytes: [UInt8], depth: Int)?
    private var found: [Piece] = []

    public init(mostBytes: Int = DocumentSplitter.mostBytes) {
        self.mostBytes = mostBytes
    }

    /// Takes what comes next of the document.
    ///
    /// - Returns: the pieces that have come to their end.
    /// - Throws: ``ArchiveProblem`` when a piece, or what is left, is too long.
    public mutating func take(_ bytes: [UInt8]) throws -> [Piece] {
        var place = 0
        while place < bytes.count {
            let end = plainEnd(of: bytes, from: place)
            if end > place {
                piece?.bytes += bytes[place..<end]
                place = end
            } else {
                if piece == nil { takeOutside(bytes[place]) } else { takeInPiece(bytes[place]) }
                place += 1
            }
            guard piece?.bytes.count ?? rest.count <= mostBytes, levels.count <= Self.mostLevels else { throw tooLong }
        }
        defer { found = [] }
        return found
    }

    /// Where those bytes of a piece end that belong to it and change nothing. There are none outside.
    private func plainEnd(of bytes: [UInt8], from start: Int) -> Int {
        if piece == nil || text?.isEscaped == true { return start }
        let isInText = text != nil
        return bytes.withUnsafeBufferPointer { bytes in
            var end = start
            while end < bytes.count {
                switch bytes[end] {
                case UInt8(ascii: "\""): return end
                case UInt8(ascii: "\\"): if isInText { return end }
                case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","):
                    if !isInText { return end }
                default: break
                }
                end += 1
            }
            return end
        }
    }

    private var tooLong: ArchiveProblem {
        guard piece != nil else {
            return Place.document.problem(
                "what is beside friends, pushes and changes is longer than \(mostBytes >> 20) MiB, or nested too deeply"
            )
        }
        return place.problem("is longer than \(mostBytes >> 20) MiB; remove some of its waterings")
    }

    /// Of the piece that is being read.
    private var place: Place {
        guard let level = levels.last, let list = level.detached else { return .document }
        return .piece(list, importIndex: importIndex, index: level.count - 1)
    }

    private var importIndex: Int { levels.last?.detached == .changes ? levels[1].count - 1 : 0 }

    // MARK: Outside of pieces

    private mutating func takeOutside(_ byte: UInt8) {
        if let text {
            rest.append(byte)
            takeInText(byte, text)
        } else if levels.last?.detached != nil {
            takeBetweenPieces(byte)
        } else {
            rest.append(byte)
            takeStructure(byte)
        }
    }

    private mutating func takeInText(_ byte: UInt8, _ text: (isKey: Bool, isEscaped: Bool)) {
        if !text.isEscaped, byte == UInt8(ascii: "\"") {
            self.text = nil
            return
        }
        if text.isKey { levels[levels.count - 1].key.append(byte) }
        self.text = (text.isKey, !text.isEscaped && byte == UInt8(ascii: "\\"))
    }

    private mutating func takeStructure(_ byte: UInt8) {
        guard byte > UInt8(ascii: " ") else { return }
        let last = levels.count - 1
        switch byte {
        case UInt8(ascii: "\""):
            let isKey = last >= 0 && !levels[last].isList && levels[last].expectsKey
            if isKey { levels[last].key = [] }
            text = (isKey, false)
        case UInt8(ascii: ":"):
            if last >= 0 { levels[last].expectsKey = false }
        case UInt8(ascii: ","):
            if last >= 0 { levels[last].expectsKey = true }
        case UInt8(ascii: "{"):
            beginElement()
            levels.append(Level(isList: false))
        case UInt8(ascii: "["):
            beginElement()
            levels.append(Level(isList: true, detached: detachedList))
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            levels.removeLast(min(1, levels.count))
        default: break
        }
    }

    private mutating func beginElement() {
        if let last = levels.indices.last, levels[last].isList { levels[last].count += 1 }
    }

    /// Which list begins here, if it is one whose elements become pieces.
    private var detachedList: ArchivePiece.List? {
        let keys = levels.map { $0.isList ? [] : $0.key }
        if keys == [Array("plants".utf8)] { return .plants }
        if keys == [Array("pushes".utf8)] { return .pushes }
        let isImport = levels.count == 3 && levels[1].isList
        return isImport && keys == [Array("imports".utf8), [], Array("changes".utf8)] ? .changes : nil
    }

    // MARK: Pieces

    private mutating func takeBetweenPieces(_ byte: UInt8) {
        guard byte > UInt8(ascii: " ") else { return }
        let last = levels.count - 1
        switch byte {
        case UInt8(ascii: ","):
            // One too many makes what is left no JSON.
            if levels[last].isBetween { rest.append(byte) }
            (levels[last].isBetween, levels[last].isBehindComma) = (true, true)
        case UInt8(ascii: "]"):
            if levels[last].isBetween, levels[last].isBehindComma { rest.append(UInt8(ascii: ",")) }
            rest.append(byte)
            levels.removeLast()
        // No element begins with it: what is left is no JSON.
        case UInt8(ascii: "}"): rest.append(byte)
        default:
            levels[last].count += 1
            levels[last].isBetween = false
            piece = ([], 0)
            takeInPiece(byte)
        }
    }

    private mutating func takeInPiece(_ byte: UInt8) {
        if let text {
            piece?.bytes.append(byte)
            takeInText(byte, text)
            return
        }
        switch byte {
        case UInt8(ascii: "\""): text = (false, false)
        case UInt8(ascii: "{"), UInt8(ascii: "["): piece?.depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ","):
            if piece?.depth == 0 { return endPiece(with: byte) }
            if byte != UInt8(ascii: ",") { piece?.depth -= 1 }
        default: break
        }
        piece?.bytes.append(byte)
    }

    private mutating func endPiece(with byte: UInt8) {
        if let piece, let level = levels.last, let list = level.detached {
            found.append(
                Piece(list: list, importIndex: importIndex, index: level.count - 1, bytes: piece.bytes))
        }
        piece = nil
        takeBetweenPieces(byte)
    }
}

extension Place {
    /// Of a friend, a push or a change.
    static func piece(_ list: ArchivePiece.List, importIndex: Int, index: Int) -> Place {
        switch list {
        case .plants: document["plants"][index]
        case .pushes: document["pushes"][index]
        case .changes: document["imports"][importIndex]["changes"][index]
        }
    }
}

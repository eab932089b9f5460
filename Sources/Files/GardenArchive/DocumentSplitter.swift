import CherishCore

/// Splits an account's document as it is read: each friend, push and import change becomes a piece, and the rest fits
/// in memory. Keys may be in any order.
///
/// It does not validate: invalid JSON stays invalid in a piece or in the rest.
public struct DocumentSplitter {
    /// A friend, push or change, as in the document.
    public struct Piece: Hashable, Sendable {
        public let list: ExportPiece.List
        /// The index of a change's import, counted from 0; 0 for friends and pushes.
        public let importIndex: Int
        /// Its index in its list, counted from 0.
        public let index: Int
        public let bytes: [UInt8]
    }

    /// The byte limit for a piece, and for the rest: a few hundred thousand waterings of one friend.
    public static let mostBytes = 64 * 1024 * 1024
    /// The nesting limit of Foundation's JSON reader.
    private static let mostLevels = 512

    /// An object or list around the current position. Inside a piece, only the depth is counted.
    private struct Level {
        let isList: Bool
        /// The list whose elements become pieces; nil for others.
        var detached: ExportPiece.List?
        /// In an object: the last key.
        var key: [UInt8] = []
        /// In an object: whether the next string is a key.
        var expectsKey = true
        /// In a list: how many elements have begun.
        var count = 0
        /// In a detached list: whether an element may begin, and whether a comma requires one.
        var isBetween = true
        var isBehindComma = false
    }

    /// The document without its pieces, whose lists are empty.
    public private(set) var rest: [UInt8] = []
    private let mostBytes: Int
    private var levels: [Level] = []
    private var text: (isKey: Bool, isEscaped: Bool)?
    private var piece: (bytes: [UInt8], depth: Int)?
    private var found: [Piece] = []

    public init(mostBytes: Int = DocumentSplitter.mostBytes) {
        self.mostBytes = mostBytes
    }

    /// Takes the next bytes of the document.
    ///
    /// - Returns: The pieces that end in them.
    /// - Throws: ``ExportProblem`` if a piece, or the rest, is too long.
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

    /// Fast path inside a piece: the end of the bytes that change no state. Outside a piece, every byte is examined.
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

    private var tooLong: ExportProblem {
        guard piece != nil else {
            return Place.document.problem(
                "what is beside friends, pushes and changes is longer than \(mostBytes >> 20) MiB, or nested too deeply"
            )
        }
        return place.problem("is longer than \(mostBytes >> 20) MiB; remove some of its waterings")
    }

    /// The place of the open piece.
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

    /// The kind of list that begins here, if its elements become pieces.
    private var detachedList: ExportPiece.List? {
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
            // Keep a redundant comma, so that the rest stays invalid JSON.
            if levels[last].isBetween { rest.append(byte) }
            (levels[last].isBetween, levels[last].isBehindComma) = (true, true)
        case UInt8(ascii: "]"):
            if levels[last].isBetween, levels[last].isBehindComma { rest.append(UInt8(ascii: ",")) }
            rest.append(byte)
            levels.removeLast()
        // No element begins with it: keep it, so that the rest stays invalid JSON.
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
    /// The place of a friend, push or change.
    static func piece(_ list: ExportPiece.List, importIndex: Int, index: Int) -> Place {
        switch list {
        case .plants: document["plants"][index]
        case .pushes: document["pushes"][index]
        case .changes: document["imports"][importIndex]["changes"][index]
        }
    }
}

/// One physical line of a file, or a part of one.
package struct PhysicalLine {
    /// Counted from 1.
    package let number: Int
    /// Without the newline.
    package let bytes: [UInt8]
    /// LF, CR LF or CR; empty at the end of the file and after a part of a line.
    package let newline: [UInt8]
    /// Whether these bytes end the line.
    package var isWhole = true
}

/// Reads a text line by line. LF, CR LF and CR end a line.
package struct LineReader {
    /// The default limit for one line: 8 MiB.
    package static let longestLine = 8 * 1024 * 1024

    private let longestLine: Int
    private let text: TextPieces
    private var piece: [UInt8]
    private var position = 0
    private var linesRead = 0

    /// Opens the source and reads its first piece.
    ///
    /// - Throws: Any error of the source; for a file, ``UnreadableFile``.
    package init(_ source: ByteSource, longestLine: Int = LineReader.longestLine) throws {
        self.longestLine = longestLine
        text = TextPieces(source)
        piece = try text.nextPiece()
    }

    /// How much has been read, 0–1; nil if the size is unknown.
    package var fractionRead: Double? {
        guard let size = text.size, size > 0 else { return nil }
        return min(Double(text.bytesRead) / Double(size), 1)
    }

    /// Returns the next line; nil at the end of the file.
    ///
    /// - Throws: ``UnreadableFile`` if the line is too long or a read fails.
    package mutating func nextLine() throws -> PhysicalLine? {
        guard let line = try nextPart() else { return nil }
        guard line.isWhole else { throw tooLong(line) }
        return line
    }

    /// The error for callers that cannot handle a part of a line.
    package func tooLong(_ line: PhysicalLine) -> UnreadableFile {
        let limit = longestLine / 1024 / 1024
        return UnreadableFile(reason: "line \(line.number) is longer than \(limit) MiB: this is no address book")
    }

    /// Returns the next line; if it exceeds the limit, only its next part, and the following call continues it. nil at
    /// the end of the file.
    ///
    /// - Throws: ``UnreadableFile`` if a read fails.
    package mutating func nextPart() throws -> PhysicalLine? {
        var bytes: [UInt8] = []
        while try hasMore() {
            let lineEnd = endOfLine()
            let end = min(lineEnd, position + longestLine - bytes.count)
            bytes += piece[position..<end]
            position = end
            if end < lineEnd { return PhysicalLine(number: linesRead + 1, bytes: bytes, newline: [], isWhole: false) }
            if position < piece.count {
                let newline = try takeNewline()
                return nextLine(of: bytes, newline: newline)
            }
        }
        return bytes.isEmpty ? nil : nextLine(of: bytes, newline: [])
    }

    /// Returns the next line with more than spaces and tabs; nil at the end of the file.
    ///
    /// - Throws: ``UnreadableFile``, as ``nextLine()``.
    package mutating func nextNonBlankLine() throws -> PhysicalLine? {
        guard let line = try nextNonBlankPart() else { return nil }
        guard line.isWhole else { throw tooLong(line) }
        return line
    }

    /// Returns the next line, or part of one, with more than spaces and tabs; nil at the end of the file.
    ///
    /// - Throws: ``UnreadableFile``, as ``nextPart()``.
    package mutating func nextNonBlankPart() throws -> PhysicalLine? {
        while let line = try nextPart() {
            if !line.bytes.allSatisfy({ $0 == Byte.space || $0 == Byte.tab }) { return line }
        }
        return nil
    }

    private mutating func nextLine(of bytes: [UInt8], newline: [UInt8]) -> PhysicalLine {
        linesRead += 1
        return PhysicalLine(number: linesRead, bytes: bytes, newline: newline)
    }

    /// Whether there is a byte at the position. Reads the next piece once this one is used up.
    private mutating func hasMore() throws -> Bool {
        if position == piece.count {
            piece = try text.nextPiece()
            position = 0
        }
        return !piece.isEmpty
    }

    /// The position of the next newline in this piece, or the end of the piece.
    private func endOfLine() -> Int {
        piece.withUnsafeBufferPointer { bytes in
            var end = position
            while end < bytes.count, bytes[end] != Byte.lineFeed, bytes[end] != Byte.carriageReturn { end += 1 }
            return end
        }
    }

    /// Consumes the newline at the position. The end of a piece may split a CR LF.
    private mutating func takeNewline() throws -> [UInt8] {
        let byte = piece[position]
        position += 1
        guard byte == Byte.carriageReturn, try hasMore(), piece[position] == Byte.lineFeed else { return [byte] }
        position += 1
        return [Byte.carriageReturn, Byte.lineFeed]
    }
}

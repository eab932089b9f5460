/// Reads a source in any encoding as pieces of UTF-8.
final class TextPieces {
    /// How many bytes are examined to detect the encoding.
    private static let beginningSize = 64 * 1024

    private let source: ByteSource
    /// Bytes that were read to detect the encoding and have not been returned yet.
    private var beginning: [UInt8]?
    private var converter: TextConverter?

    /// The number of bytes read so far.
    private(set) var bytesRead = 0
    /// The number of bytes in the source; nil if unknown, as for a pipe.
    var size: Int? { source.size }

    init(_ source: ByteSource) {
        self.source = source
    }

    /// Returns the next bytes in UTF-8, without a byte-order mark; empty at the end of the source.
    ///
    /// - Throws: Any error of the source; for a file, ``UnreadableFile``.
    func nextPiece() throws -> [UInt8] {
        if beginning == nil { try begin() }
        while true {
            let held = beginning ?? []
            beginning = []
            let bytes = held.isEmpty ? try readPiece() : held
            guard let converter else { return bytes }
            let converted = bytes.isEmpty ? converter.finish() : converter.convert(bytes)
            // A piece may hold just the start of a character.
            if !converted.isEmpty || bytes.isEmpty { return converted }
        }
    }

    /// Reads enough to detect the encoding. A source may return its bytes one at a time.
    private func begin() throws {
        var bytes: [UInt8] = []
        while bytes.count < Self.beginningSize {
            let more = try readPiece()
            if more.isEmpty { break }
            bytes += more
        }
        let (charset, markLength) = TextEncoding.detected(in: bytes)
        converter = charset.flatMap { TextConverter(from: $0) }
        beginning = Array(bytes.dropFirst(markLength))
    }

    private func readPiece() throws -> [UInt8] {
        let bytes = try source.nextPiece()
        bytesRead += bytes.count
        return bytes
    }
}

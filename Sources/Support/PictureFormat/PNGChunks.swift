/// The chunks of a PNG, as far as they are well-formed. Their checksums are not checked.
package struct PNGChunks: Sequence, IteratorProtocol {
    package struct Chunk {
        /// All of it, with its length and its checksum.
        package let whole: Range<Int>
        package let content: Range<Int>
        /// Four letters.
        let name: ArraySlice<UInt8>
    }

    /// The first bytes of a PNG.
    package static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

    private let bytes: [UInt8]
    /// Where the next chunk begins.
    private var start = signature.count

    /// - Parameter bytes: a file that begins with ``signature``.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package mutating func next() -> Chunk? {
        guard let length = bytes.number(at: start, length: 4), length <= bytes.count - start - 12 else { return nil }
        let content = start + 8..<start + 8 + length
        defer { start = content.upperBound + 4 }
        return Chunk(
            whole: start..<content.upperBound + 4, content: content, name: bytes[start + 4..<content.lowerBound])
    }
}

extension PNGChunks.Chunk {
    /// Whether the pixels depend on it: it is critical, or tells which are transparent.
    package var isOfPixels: Bool { name.first.map { $0 & 0x20 == 0 } == true || name.has("tRNS") }
}

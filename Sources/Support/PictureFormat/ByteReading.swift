/// Reads fields of files; each is nil where it would reach beyond the end.
extension Collection where Element == UInt8, Index == Int {
    /// An unsigned number of up to four bytes.
    ///
    /// - Parameter offset: from the first byte, at least 0.
    func number(at offset: Int, length: Int, isBigEndian: Bool = true) -> Int? {
        guard offset <= count - length else { return nil }
        let field = self[startIndex + offset..<startIndex + offset + length]
        return (isBigEndian ? Array(field) : field.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }

    /// Whether these characters of ASCII are there.
    func has(_ text: StaticString, at offset: Int = 0) -> Bool {
        dropFirst(offset).starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}

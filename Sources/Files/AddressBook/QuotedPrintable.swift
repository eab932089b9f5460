/// Decodes text in which `=EA` stands for a byte (quoted-printable, RFC 2045, section 6.7).
enum QuotedPrintable {
    private static let equalsSign = UInt8(ascii: "=")

    /// Decodes a text whose soft line breaks have been removed. CR LF becomes LF.
    ///
    /// A `=` without two hexadecimal digits after it is literal. One at the end is a soft line break with nothing after
    /// it.
    static func decoded(_ text: [UInt8]) -> [UInt8] {
        var text = text
        if endsInSoftBreak(text[...]) { removeSoftBreak(from: &text) }
        var decoded: [UInt8] = []
        for byte in octets(in: text, after: equalsSign) {
            if byte == Byte.lineFeed, decoded.last == Byte.carriageReturn { decoded.removeLast() }
            decoded.append(byte)
        }
        return decoded
    }

    /// Whether the next line continues this one. White space after the `=` was added in transit.
    static func endsInSoftBreak(_ line: ArraySlice<UInt8>) -> Bool {
        line.last { $0 != Byte.space && $0 != Byte.tab } == equalsSign
    }

    /// Removes the last `=` and everything after it.
    static func removeSoftBreak(from line: inout [UInt8]) {
        guard let end = line.lastIndex(of: equalsSign) else { return }
        line.removeSubrange(end...)
    }

    /// Replaces each mark and the two hexadecimal digits after it with the byte that they encode.
    static func octets(in text: [UInt8], after mark: UInt8) -> [UInt8] {
        var octets: [UInt8] = []
        var index = 0
        while index < text.count {
            if text[index] == mark, index + 2 < text.count, let high = hexadecimalDigit(text[index + 1]),
                let low = hexadecimalDigit(text[index + 2])
            {
                octets.append(high << 4 | low)
                index += 3
            } else {
                octets.append(text[index])
                index += 1
            }
        }
        return octets
    }

    private static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

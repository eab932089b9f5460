import Foundation

/// How the text of a part travels through mail servers that know only short lines of ASCII (RFC 2045).
enum TransferEncoding: String {
    case quotedPrintable = "quoted-printable"
    case base64

    private static let longestLine = 76

    /// The shorter encoding of a text: quoted-printable for most languages in Latin letters, Base64 for Korean.
    static func best(for text: [UInt8]) -> TransferEncoding {
        let escaped = text.count { !isPrintable($0) && $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        return text.count + escaped * 2 <= text.count / 3 * 4 ? .quotedPrintable : .base64
    }

    /// The encoded text, in lines that end with CRLF.
    ///
    /// - Parameter text: UTF-8 in lines that end with CRLF, the last one included.
    func encode(_ text: [UInt8]) -> [UInt8] {
        switch self {
        case .base64: TransferEncoding.base64(text)
        case .quotedPrintable: TransferEncoding.quotedPrintable(text)
        }
    }

    private static func base64(_ text: [UInt8]) -> [UInt8] {
        let bytesOfLine = longestLine / 4 * 3
        var encoded: [UInt8] = []
        for start in stride(from: 0, to: text.count, by: bytesOfLine) {
            encoded += Data(text[start..<min(start + bytesOfLine, text.count)]).base64EncodedString().utf8
            encoded += "\r\n".utf8
        }
        return encoded
    }

    private static func quotedPrintable(_ text: [UInt8]) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.count * 5 / 4)
        var column = 0
        var position = 0
        while position < text.count {
            if text[position...].starts(with: "\r\n".utf8) {
                encoded += "\r\n".utf8
                column = 0
                position += 2
                continue
            }
            let isEndOfLine = text[(position + 1)...].starts(with: "\r\n".utf8)
            var next = token(at: position, of: text, column: column, isEndOfLine: isEndOfLine)
            // A line that goes on ends with an equals sign.
            if column + next.count > longestLine - 1 {
                encoded += "=\r\n".utf8
                column = 0
                next = token(at: position, of: text, column: column, isEndOfLine: isEndOfLine)
            }
            encoded += next
            column += next.count
            position += 1
        }
        return encoded
    }

    /// One byte, as it is or escaped.
    private static func token(at position: Int, of text: [UInt8], column: Int, isEndOfLine: Bool) -> [UInt8] {
        let byte = text[position]
        // Mail servers remove spaces at the end of a line, double a dot at its start, and change "From " there.
        let isBlank = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
        let changes =
            isBlank && isEndOfLine || column == 0 && byte == UInt8(ascii: ".")
            || column == 0 && text[position...].starts(with: "From ".utf8)
        if (isPrintable(byte) || isBlank) && !changes { return [byte] }
        let digits = Array("0123456789ABCDEF".utf8)
        return [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
    }

    private static func isPrintable(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "=")
    }
}

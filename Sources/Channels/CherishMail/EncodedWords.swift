import Foundation

/// Writes text into a header. What is not ASCII becomes encoded words (RFC 2047), at most 75 bytes each and one a line.
struct EncodedWords {
    /// A line with an encoded word has at most 76 bytes.
    private static let longestLine = 76
    private static let longestWord = 75
    private static let beginning = "=?UTF-8?B?"
    private static let end = "?="

    /// Whether a text reads the same without encoding: printable ASCII, without anything that looks like an encoded
    /// word, and without outer spaces, which are lost.
    static func isUnnecessary(for text: String) -> Bool {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !text.contains("=?")
            && text.utf8.first != UInt8(ascii: " ") && text.utf8.last != UInt8(ascii: " ")
    }

    /// The words, with line breaks between them.
    ///
    /// - Parameter column: how many bytes of the line are used already.
    static func folded(_ text: String, after column: Int) -> String {
        var words: [String] = []
        var rest = pieces(of: text)[...]
        while !rest.isEmpty {
            // Each line after the first begins with a space.
            let room = min(longestWord, longestLine - (words.isEmpty ? column : 1)) - beginning.count - end.count
            // Base64 turns 3 bytes into 4.
            let capacity = room / 4 * 3
            var bytes: [UInt8] = []
            while let piece = rest.first, bytes.isEmpty || bytes.count + piece.count <= capacity {
                bytes += piece
                rest.removeFirst()
            }
            words.append(beginning + Data(bytes).base64EncodedString() + end)
        }
        return words.joined(separator: "\r\n ")
    }

    /// What must stay in one word: characters, or scalars of characters with very many marks. Some programs decode each
    /// word on its own.
    private static func pieces(of text: String) -> [[UInt8]] {
        text.flatMap { character in
            character.utf8.count <= 30
                ? [Array(character.utf8)] : character.unicodeScalars.map { Array(String($0).utf8) }
        }
    }
}

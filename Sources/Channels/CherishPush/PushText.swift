import CherishCore

/// Title and body of a push. They name the friend by nickname and hold neither phone nor memo (rule 7.9).
public struct PushText: Hashable, Sendable {
    /// The maximum lengths. Characters are what a reader sees. Bytes need a limit too: one character may have any
    /// number of combining marks, and the whole payload is limited to 4096 bytes.
    enum Limit {
        static let title = (characters: 60, bytes: 300)
        static let body = (characters: 160, bytes: 1200)
    }

    public let title: String
    public let body: String

    /// Truncates long texts between characters.
    init(title: String, body: String) {
        self.title = PushText.cut(title, to: Limit.title)
        self.body = PushText.cut(body, to: Limit.body)
    }

    /// Fills in the placeholders of a template.
    init(_ template: PushTemplate, _ values: PushValues) {
        self.init(title: template.title.text(values), body: template.body(for: values).text(values))
    }

    private static func cut(_ text: String, to limit: (characters: Int, bytes: Int)) -> String {
        let byteCount = text.utf8.count
        // A character has at least one byte.
        if byteCount <= limit.characters { return text }
        if byteCount <= limit.bytes, (text.plainCount ?? text.count) <= limit.characters { return text }
        var kept = ""
        var bytes = "…".utf8.count
        for character in text.prefix(limit.characters - 1) {
            bytes += character.utf8.count
            if bytes > limit.bytes { break }
            kept.append(character)
        }
        return kept + "…"
    }
}

extension TextTemplate {
    fileprivate func text(_ values: PushValues) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(128)
        append(values, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension String {
    /// The number of characters if all are ASCII or Hangul syllables, which never combine; nil otherwise. Most texts
    /// qualify, and finding the characters of others takes many times as long.
    fileprivate var plainCount: Int? {
        var text = self
        return text.withUTF8 { bytes in
            var (position, count) = (0, 0)
            while position < bytes.count {
                switch bytes[position] {
                // Not CR, which LF joins.
                case 0x20...0x7E: position += 1
                case 0xEA...0xED:
                    let scalar =
                        UInt32(bytes[position] & 0xF) << 12 | UInt32(bytes[position + 1] & 0x3F) << 6
                        | UInt32(bytes[position + 2] & 0x3F)
                    guard (0xAC00...0xD7A3).contains(scalar) else { return nil }
                    position += 3
                default: return nil
                }
                count += 1
            }
            return count
        }
    }
}

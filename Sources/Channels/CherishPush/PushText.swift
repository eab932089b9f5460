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

    private static func cut(_ text: String, to limit: (characters: Int, bytes: Int)) -> String {
        if text.count <= limit.characters && text.utf8.count <= limit.bytes { return text }
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

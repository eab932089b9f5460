/// A cell of a table that Cherish writes.
public enum TableCell: Sendable, Hashable {
    /// Free text. A spreadsheet would run text that begins like a formula, so such text gets a leading apostrophe, as
    /// OWASP advises ("CSV Injection"). Excel, LibreOffice and our own reader treat that as a text marker.
    case text(String)
    /// A number that Cherish computed. It stays a number, even a negative one.
    case number(String)

    /// Characters that begin a formula, or that a spreadsheet strips before it looks for one, including full-width
    /// signs.
    private static let formulaStarts: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\t", "\r", "\n", "\0", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
    ]

    /// The text to write. If it already has such apostrophes, it gets one more, so removing one always restores it.
    var written: String {
        switch self {
        case .number(let text): text
        case .text(let text):
            text.unicodeScalars.first { $0 != "'" }.map(TableCell.formulaStarts.contains) == true ? "'" + text : text
        }
    }
}

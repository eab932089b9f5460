/// A cell of a table that we write, as it is meant to be read.
public enum TableCell: Sendable, Hashable {
    /// Words of whoever wrote them. A spreadsheet runs a cell that begins like a formula, so such a text gets an apostrophe
    /// in front, as OWASP advises ("CSV Injection"). Excel, LibreOffice and our own reader take it for a mark.
    case text(String)
    /// A number that we reckoned: it stays one, also below 0.
    case number(String)

    /// What a formula begins with, or what a spreadsheet leaves out before it looks; in full width for those who write so.
    private static let formulaStarts: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\t", "\r", "\n", "\0", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
    ]

    /// A text that has such apostrophes of its own gets one more, so that taking one away always brings the text back.
    var written: String {
        switch self {
        case .number(let text): text
        case .text(let text):
            text.unicodeScalars.first { $0 != "'" }.map(TableCell.formulaStarts.contains) == true ? "'" + text : text
        }
    }
}

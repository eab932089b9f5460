import CherishCore
import CherishRuntime
import Foundation
import GardenArchive

/// A list, printed for people or as CSV.
struct Table {
    struct Column {
        let title: String
        var isNumber = false
    }

    var columns: [Column]
    var rows: [[String]] = []

    init(_ columns: [Column], rows: [[String]] = []) {
        self.columns = columns
        self.rows = rows
    }

    /// The table as text: columns as wide as their contents, numbers right-aligned, and Korean letters counted as two
    /// columns. Each row is one line, whatever its cells contain.
    var text: String {
        let lines = [columns.map(\.title)] + rows.map { $0.map(\.harmless) }
        let widths = columns.indices.map { index in lines.map { $0[index].displayWidth }.max() ?? 0 }
        return lines.map { line in
            let cells = line.enumerated().map { index, cell in
                cell.fitted(toWidth: widths[index], isRight: columns[index].isNumber)
            }
            return cells.joined(separator: "  ").trimmingTrailingSpaces
        }.joined(separator: "\n")
    }

    /// The table as CSV (RFC 4180), each row with its line break.
    var csv: String {
        let written = rows.map { row in
            FriendTable.row(zip(columns, row).map { $0.isNumber ? TableCell.number($1) : .text($1) })
        }
        return FriendTable.row(columns.map(\.title)) + written.joined()
    }
}

enum Output {
    /// Prints one document in the requested format.
    ///
    /// - Parameter isAside: whether to print to standard error, because a file goes to standard output.
    static func print(
        _ format: OutputFormat, json: @autoclosure () -> some Encodable, table: @autoclosure () -> Table,
        text: @autoclosure () -> String? = nil, isAside: Bool = false
    ) throws {
        let document =
            switch format {
            case .json: try encoded(json())
            case .csv: table().csv
            case .table: (text() ?? table().text) + "\n"
            }
        if isAside { StandardStreams.writeToStandardError(document) } else { try write(document) }
    }

    private static func encoded(_ document: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
    }

    static func write(_ text: String) throws {
        try StandardStreams.write(text)
    }
}

/// The progress of long work, shown at a terminal only.
enum Progress {
    private static let isTerminal = isatty(STDERR_FILENO) == 1

    static func show(_ text: String) {
        if isTerminal { StandardStreams.writeToStandardError("\r\u{1B}[K\(text)") }
    }

    static func clear() {
        show("")
    }
}

/// Shows how fast a file is read, and how long the rest will take.
struct ReadingProgress {
    private let start = ContinuousClock.now

    /// - Parameters:
    ///   - done: what has been read, like `1000 contacts`.
    ///   - count: how many have been read, for the rate.
    ///   - fraction: the part of the file that has been read, 0–1; nil if unknown.
    func show(_ done: String, _ count: Int, _ fraction: Double?) {
        let seconds = max((ContinuousClock.now - start) / .seconds(1), 0.001)
        var text = "\(done) read, \(Int(Double(count) / seconds)) a second"
        if let fraction, fraction > 0, fraction < 1 {
            text += ", \(Int(fraction * 100)) %, \(Int((seconds * (1 - fraction) / fraction).rounded(.up))) s to go"
        }
        Progress.show(text + " …")
    }
}

extension String {
    /// The text as one line for a terminal, with U+FFFD for control characters and line breaks: a name in a file could
    /// otherwise write to the clipboard.
    var harmless: String {
        func steers(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }
        guard unicodeScalars.contains(where: steers) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map { steers($0) ? "\u{FFFD}" : $0 }))
    }

    /// The number of terminal columns that the text takes.
    var displayWidth: Int {
        reduce(0) { $0 + ($1.isWide ? 2 : 1) }
    }

    /// The beginning of the text that fits into some terminal columns, with an ellipsis if something is left out.
    func cut(toWidth width: Int) -> String {
        guard displayWidth > width else { return self }
        var beginning = ""
        var taken = 1
        for character in self {
            taken += character.isWide ? 2 : 1
            if taken > width { break }
            beginning.append(character)
        }
        return beginning + "…"
    }

    /// The text cut or padded with spaces to some terminal columns.
    func fitted(toWidth width: Int, isRight: Bool = false) -> String {
        let text = cut(toWidth: width)
        let padding = String(repeating: " ", count: max(0, width - text.displayWidth))
        return isRight ? padding + text : text + padding
    }

    var trimmingTrailingSpaces: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}

extension Character {
    /// Whether it takes two columns: East Asian wide letters (Unicode's East Asian Width) and emoji.
    fileprivate var isWide: Bool {
        guard let scalar = unicodeScalars.first else { return false }
        if scalar.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}") { return true }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x20000...0x3FFFD:
            return true
        default:
            return false
        }
    }
}

extension Identifier {
    /// A prefix of the id that commands accept.
    var short: String { String(description.prefix(8)) }
}

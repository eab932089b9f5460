import Foundation
import Synchronization

/// Collects results: prints tables as they come, and writes everything as JSON at the end.
enum Report {
    /// One table.
    struct Section: Codable, Sendable {
        let title: String
        let standings: [Standing]
    }

    private static let sections = Mutex<[Section]>([])

    /// Prints standings, each compared with the first.
    static func add(_ title: String, _ standings: [Standing]) {
        sections.withLock { $0.append(Section(title: title, standings: standings)) }
        var rows = [
            [
                "", "items", "items/s, median", "lowest – highest", "time, × first", "WAL B/item", "dead/item",
                "commits/item",
                "peak MiB",
            ]
        ]
        for standing in standings {
            rows.append([
                standing.name, count(Double(standing.items)), count(standing.itemsPerSecond.median),
                "\(count(standing.itemsPerSecond.lowest)) – \(count(standing.itemsPerSecond.highest))",
                decimal(standings[0].itemsPerSecond.median / standing.itemsPerSecond.median, 2),
                decimal(standing.walBytesPerItem, 1), decimal(standing.deadRowsPerItem, 4),
                decimal(standing.commitsPerItem, 4),
                standing.peakMemoryBytes.map { decimal(Double($0) / 1_048_576, 0) } ?? "",
            ])
        }
        table(title, rows)
    }

    /// Prints a table in Markdown, its columns aligned.
    static func table(_ title: String, _ rows: [[String]]) {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        func line(_ row: [String]) -> String {
            let cells = row.enumerated().map { column, text in
                let padding = String(repeating: " ", count: widths[column] - text.count)
                return column == 0 ? text + padding : padding + text
            }
            return "| " + cells.joined(separator: " | ") + " |"
        }
        let rule =
            "|"
            + widths.enumerated().map { column, width in
                String(repeating: "-", count: column == 0 ? width + 2 : width + 1) + (column == 0 ? "" : ":")
            }.joined(separator: "|") + "|"
        let lines = ["", "### \(title)", "", line(rows[0]), rule] + rows.dropFirst().map(line)
        FileHandle.standardOutput.write(Data((lines.joined(separator: "\n") + "\n").utf8))
    }

    /// Writes all sections to a file.
    static func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(sections.withLock { $0 }).write(to: URL(fileURLWithPath: path))
    }

    /// A number with at least three significant digits and thousands separators.
    static func count(_ value: Double) -> String {
        if value < 100 { return decimal(value, value < 10 ? 2 : 1) }
        var digits = String(Int(value.rounded()))
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return ([digits] + groups).joined(separator: ",")
    }

    static func decimal(_ value: Double, _ places: Int) -> String {
        String(format: "%.\(places)f", value)
    }
}

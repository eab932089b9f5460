import CherishCore
import CherishStore
import Foundation
import GardenArchive

/// A report for people: numbers aligned at the decimal point, bars and sparklines where the report requests them, and
/// no line wider than the terminal.
struct ReportTable {
    private struct Column {
        let name: String
        let title: [String]
        let cells: [String]
        let isNumber: Bool
        /// The minimum width to cut the column to. A number or a bar would be wrong if cut, and a day meaningless.
        let narrowest: Int
        var width: Int

        init(_ name: String, title: [String], _ cells: [String], isNumber: Bool = false, narrowest: Int = Int.max) {
            self.name = name
            self.title = title
            self.cells = cells
            self.isNumber = isNumber
            self.narrowest = narrowest
            width = (title + cells).map(\.displayWidth).max() ?? 0
        }
    }

    private static let gap = "  "
    /// Wide enough to distinguish `watering_due` from `withered`.
    private static let narrowestText = 12
    private static let narrowestIdentifier = 8
    /// A sparkline with less room than this gets a line of its own.
    private static let narrowestSparkline = 10
    private static let widestBar = 10
    private static let partsOfBlock = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    private let report: ReportDescription
    private let rows: [[ReportValue?]]
    private let width: Int?
    private let hidden: Set<String>

    /// - Parameters:
    ///   - rows: values in the order of the report's columns.
    ///   - width: the width of the terminal; nil to cut nothing.
    ///   - isOfOneAccount: whether all rows are about the same account; its column is then hidden.
    init(_ report: ReportDescription, rows: [[ReportValue?]], width: Int?, isOfOneAccount: Bool) {
        self.report = report
        self.rows = rows
        self.width = width
        // The lane follows from the account and matters only in SQL.
        let ofAccount: Set<String> = isOfOneAccount ? ["lane", "account_id"] : ["lane"]
        hidden = report.isPerAccount ? ofAccount : []
    }

    var text: String {
        let (columns, leftOut) = fitted(shown.flatMap { $0 })
        let height = columns.map(\.title.count).max() ?? 0
        let titles = (0..<height).map { line in
            Self.line(columns) { column in
                let blank = height - column.title.count
                return line < blank ? "" : column.title[line - blank]
            }
        }
        let lines = rows.indices.map { row in Self.line(columns) { $0.cells[row] } }
        let remark = "left out: \(leftOut.joined(separator: ", ")); --output csv has them"
        let rest = leftOut.isEmpty ? [] : [remark.wrapped(toWidth: width)]
        return (titles + (rows.isEmpty ? ["no rows"] : lines) + sparklines + rest).joined(separator: "\n")
    }

    private static func line(_ columns: [Column], _ text: (Column) -> String) -> String {
        columns.map { text($0).fitted(toWidth: $0.width, isRight: $0.isNumber) }.joined(separator: gap)
            .trimmingTrailingSpaces
    }
}

// MARK: - Columns

extension ReportTable {
    /// The columns to show for each column of the report: its values, and a bar if it requests one.
    private var shown: [[Column]] {
        report.columns.enumerated().compactMap { place, column -> [Column]? in
            if hidden.contains(column.name) { return nil }
            let values = rows.map { $0[place] }
            let title = Self.title(of: column.name)
            guard column.kind == .number else {
                let texts = values.map { Self.text($0, of: column) }
                return [Column(column.name, title: title, texts, narrowest: Self.narrowest(column))]
            }
            let numbers = Column(column.name, title: title, Self.aligned(values), isNumber: true)
            return column.markers.contains(.bar) ? [numbers, Column("", title: [], Self.bars(values))] : [numbers]
        }
    }

    private static func narrowest(_ column: ReportColumn) -> Int {
        switch column.kind {
        case .text, .texts: narrowestText
        case .identifier: narrowestIdentifier
        default: Int.max
        }
    }

    /// Splits a name into two lines, so that long names of short numbers do not widen the table.
    private static func title(of name: String) -> [String] {
        let words = name.uppercased().split(separator: "_").map(String.init)
        let halves = (1..<max(words.count, 1)).map { cut in
            [words[..<cut].joined(separator: " "), words[cut...].joined(separator: " ")]
        }
        func width(_ lines: [String]) -> Int { lines.map(\.displayWidth).max() ?? 0 }
        return halves.min { width($0) < width($1) } ?? [words.joined()]
    }

    private static func text(_ value: ReportValue?, of column: ReportColumn) -> String {
        switch value {
        case nil: ""
        case .numbers(let numbers)? where column.markers.contains(.sparkline):
            Sparkline.text(numbers.map(\.finite))
        // Commands accept the beginning of a plant's id.
        case .text(let id)? where column.kind == .identifier && column.name != "account_id": String(id.prefix(8))
        case .instant(let instant)?: instant.description.withoutFraction
        case let value?: value.plain.harmless
        }
    }

    /// Formats all values with the same number of decimals, at most three.
    private static func aligned(_ values: [ReportValue?]) -> [String] {
        let texts = values.map { $0?.plain ?? "" }
        let decimals = texts.map { $0.split(separator: ".").dropFirst().first?.count ?? 0 }.max() ?? 0
        guard decimals > 0 else { return texts }
        return texts.map { text in
            Double(text).map { $0.isFinite ? String(format: "%.\(min(decimals, 3))f", $0) : text } ?? text
        }
    }

    private static func bars(_ values: [ReportValue?]) -> [String] {
        let numbers = values.map { $0?.plain.finite ?? 0 }
        let most = numbers.max() ?? 0
        guard most > 0 else { return numbers.map { _ in "" } }
        return numbers.map { number in
            let eighths = Int((max(0, number) / most * Double(8 * widestBar)).rounded())
            let whole = String(repeating: "█", count: eighths / 8)
            return whole + partsOfBlock[eighths % 8]
        }
    }

    /// Cuts the widest texts first. If that is not enough, omits columns from the right, which makes room for texts.
    private func fitted(_ columns: [Column]) -> (columns: [Column], leftOut: [String]) {
        guard let width else { return (columns, []) }
        var count = columns.count
        var shown = Self.cut(columns, to: width)
        while Self.width(of: shown) > width, count > 1 {
            count -= 1
            shown = Self.cut(Array(columns.prefix(count)), to: width)
        }
        return (shown, columns.dropFirst(count).map(\.name).filter { !$0.isEmpty })
    }

    private static func cut(_ columns: [Column], to width: Int) -> [Column] {
        var columns = columns
        while Self.width(of: columns) > width {
            let texts = columns.indices.filter { columns[$0].width > columns[$0].narrowest }
            guard let widest = texts.max(by: { columns[$0].width < columns[$1].width }) else { break }
            columns[widest].width -= 1
        }
        return columns
    }

    private static func width(of columns: [Column]) -> Int {
        columns.reduce(-gap.count) { $0 + $1.width + gap.count }
    }
}

// MARK: - Sparklines

extension ReportTable {
    /// A sparkline of the daily sums of each column that requests one.
    private var sparklines: [String] {
        guard let day = report.dayColumn, let dayPlace = report.columns.firstIndex(of: day) else { return [] }
        return report.columns.enumerated().compactMap { place, column -> String? in
            guard column.kind == .number, column.markers.contains(.sparkline) else { return nil }
            var sums: [Int32: Double] = [:]
            for row in rows {
                guard case .day(let day)? = row[dayPlace], let value = row[place] else { continue }
                sums[day.daysSinceEpoch, default: 0] += value.plain.finite
            }
            guard let first = sums.keys.min(), let last = sums.keys.max(), first < last else { return nil }
            let (from, to) = (CivilDay(daysSinceEpoch: first), CivilDay(daysSinceEpoch: last))
            let room = width.map { $0 - column.name.count - "  2027-03-01 … 2027-03-02".count - 2 } ?? Int.max
            if let width, room < Self.narrowestSparkline {
                return "\(column.name)\n\(Sparkline.text(days: first...last, sums, room: width))\n\(from) … \(to)"
            }
            return "\(column.name)  \(Sparkline.text(days: first...last, sums, room: room))  \(from) … \(to)"
        }
    }
}

extension String {
    /// The text as a number; 0 if it is not a number or cannot be drawn.
    fileprivate var finite: Double {
        Double(self).flatMap { $0.isFinite ? $0 : nil } ?? 0
    }

    /// An instant without its fraction of a second.
    fileprivate var withoutFraction: String {
        firstIndex(of: ".").map { String(self[..<$0]) + "Z" } ?? self
    }

    /// Wraps the text between words. A word that is wider than a line stays whole.
    ///
    /// - Parameters:
    ///   - width: nil to wrap nothing.
    ///   - indent: the beginning of the second and later lines; does not count towards the width.
    func wrapped(toWidth width: Int?, indent: String = "") -> String {
        guard let width else { return self }
        var lines: [String] = []
        for word in split(separator: " ").map(String.init) {
            if let line = lines.last, line.displayWidth + 1 + word.displayWidth <= width {
                lines[lines.count - 1] = line + " " + word
            } else {
                lines.append(word)
            }
        }
        return lines.joined(separator: "\n" + indent)
    }
}

extension ReportValue {
    /// The value in a table for people.
    var plain: String {
        switch self {
        case .number(let text), .text(let text): text
        case .boolean(let value): value ? "true" : "false"
        case .day(let day): day.description
        case .instant(let instant): instant.description
        case .numbers(let values), .texts(let values): values.joined(separator: " ")
        }
    }
}

extension ReportValue {
    /// The value in a file.
    var cell: TableCell {
        switch self {
        case .number, .numbers: .number(plain)
        case .boolean, .day, .instant, .text, .texts: .text(plain)
        }
    }
}

/// Draws numbers as a sparkline: ▁▃▇.
enum Sparkline {
    private static let levels: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    private static let widest = 60

    /// Scales from 0 to the greatest number.
    static func text(_ numbers: [Double]) -> String {
        let most = numbers.max() ?? 0
        return String(
            numbers.map { number in
                guard most > 0, number > 0 else { return levels[0] }
                return levels[min(7, Int(number / most * 7.999))]
            })
    }

    /// Draws one bar per day, or per as many days as needed to fit into the room; days without a number count as 0.
    static func text(days: ClosedRange<Int32>, _ sums: [Int32: Double], room: Int) -> String {
        let columns = max(1, min(widest, room))
        let perColumn = (days.count + columns - 1) / columns
        var numbers = Array(repeating: 0.0, count: (days.count + perColumn - 1) / perColumn)
        for (day, sum) in sums { numbers[Int(day - days.lowerBound) / perColumn] += sum }
        return text(numbers)
    }
}

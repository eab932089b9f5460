import AddressBook
import CherishCore
import Foundation

/// Reads things from files of other programs and of our own: tables (CSV) with a header, among them Todoist's; JSON Lines or a
/// JSON document, among them Grocy's stock; and calendars (iCalendar). The content tells which.
///
/// This module turns bytes into values that were checked by the rules. It knows no database and no clock.
public struct ThingFileReader {
    /// A thing of the file, or why it is not taken.
    public typealias Row = (line: Int, record: Result<ThingRecord, ThingRefusal>)

    /// Documents that are not read line by line are read whole: 32 MiB at most.
    static let longestDocument = 32 * 1024 * 1024

    private enum Format {
        case table(TableReader, ThingTable?)
        case jsonLines
        case calendar(CalendarReader)
        /// Rows that are waiting, the next one last.
        case read([Row])
    }

    private let options: ThingFileOptions
    private var lines: LineReader
    private var line: PhysicalLine?
    private var format: Format
    /// Rows completed and not returned yet, the next one last.
    private var waiting: [Row] = []

    /// - Throws: ``UnreadableFile`` if the source cannot be read or is empty; any error of the source.
    public init(_ source: ByteSource, _ options: ThingFileOptions) throws {
        var lines = try LineReader(source)
        guard let first = try lines.nextNonBlankLine() else {
            throw UnreadableFile(reason: "\(source.name) is empty: name a file with things")
        }
        self.options = options
        let text = String(decoding: first.bytes, as: UTF8.self).trimmingCharacters(in: .whitespaces)
        if text.uppercased() == "BEGIN:VCALENDAR" {
            format = .calendar(CalendarReader(options))
        } else if text.hasPrefix("{"), JSONThing.isWhole(first) {
            format = .jsonLines
        } else if text.hasPrefix("{") || text.hasPrefix("[") {
            format = .read(try JSONThing.rows(of: try Self.document(first, &lines), options).reversed())
        } else {
            format = .table(TableReader(headerLine: first), nil)
        }
        if case .read = format { line = nil } else { line = first }
        self.lines = lines
    }

    /// How much of the file has been read, 0–1; nil if the size is unknown, as for a pipe.
    public var fractionRead: Double? { lines.fractionRead }

    /// Returns the next thing and its line (of a JSON document: its number), or why it is not taken; nil at the end.
    ///
    /// - Throws: ``UnreadableFile`` if the file as a whole cannot be read.
    public mutating func next() throws -> Row? {
        if case .read(var rows) = format {
            let row = rows.popLast()
            format = .read(rows)
            return row
        }
        while waiting.isEmpty, let current = line {
            waiting = try take(current).reversed()
            line = try lines.nextLine()
        }
        if waiting.isEmpty {
            waiting = try finish().reversed()
            format = .read([])
        }
        return waiting.popLast()
    }

    private mutating func take(_ line: PhysicalLine) throws -> [Row] {
        switch format {
        case .read: return []
        case .jsonLines:
            return JSONThing.row(in: line, options).map { [$0] } ?? []
        case .calendar(var calendar):
            let row = try calendar.take(line)
            format = .calendar(calendar)
            return row.map { [$0] } ?? []
        case .table(var table, let known):
            let row = try table.take(line)
            var columns = try known ?? table.titles.map { try ThingTable(titles: $0, options) }
            let rows: [Row]
            switch row {
            case nil: rows = []
            case .failure(let problem)?: rows = [(problem.line, .failure(.unreadable(problem.reason)))]
            case .success(let row)?: rows = columns?.take(row) ?? []
            }
            format = .table(table, columns)
            return rows
        }
    }

    private func finish() throws -> [Row] {
        switch format {
        case .table(let table, var columns):
            let open = try table.finish().map {
                [($0.line, Result<ThingRecord, ThingRefusal>.failure(.unreadable($0.reason)))]
            }
            return (columns?.finish() ?? []) + (open ?? [])
        case .calendar(let calendar): return try calendar.finish()
        case .jsonLines, .read: return []
        }
    }

    /// The rest of the file, from its first line.
    private static func document(_ first: PhysicalLine, _ lines: inout LineReader) throws -> [UInt8] {
        var bytes = first.bytes
        while let line = try lines.nextLine() {
            bytes += [UInt8(ascii: "\n")] + line.bytes
            guard bytes.count <= longestDocument else {
                throw UnreadableFile(reason: "the document is larger than 32 MiB: split it")
            }
        }
        return bytes
    }
}

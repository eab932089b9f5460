import AddressBook
import CherishCore
import Foundation

/// The columns of a table of things: our own, any by a map, or Todoist's.
struct ThingTable {
    private enum Kind {
        case fields([(column: Int, field: ThingField)])
        case todoist(Todoist)
    }

    private let options: ThingFileOptions
    private var kind: Kind

    /// - Throws: ``UnreadableFile`` if there is no column for the title or the due day, or none of a title in the map.
    init(titles: [String], _ options: ThingFileOptions) throws {
        self.options = options
        if let todoist = Todoist(titles: titles, options) {
            kind = .todoist(todoist)
            return
        }
        var columns: [ThingField: Int] = [:]
        for (field, title) in options.columns {
            guard let index = titles.firstIndex(where: { $0.caseInsensitiveCompare(title) == .orderedSame }) else {
                throw UnreadableFile(
                    reason: "there is no column \"\(title)\": the titles are \(titles.joined(separator: ", "))")
            }
            columns[field] = index
        }
        for (index, title) in titles.enumerated() where !columns.values.contains(index) {
            if let field = ThingField.meaning(of: title), columns[field] == nil { columns[field] = index }
        }
        guard columns[.title] != nil, columns[.dueOn] != nil else {
            throw UnreadableFile(
                reason: """
                    the table has no column for the \(columns[.title] == nil ? "title" : "due day"): its first line must name the \
                    columns, such as title and due_on. Other titles are named with --map, such as --map title=제목,due_on=날짜
                    """)
        }
        kind = .fields(columns.map { ($0.value, $0.key) })
    }

    mutating func take(_ row: TableRow) -> [ThingFileReader.Row] {
        switch kind {
        case .fields(let columns):
            var texts = ThingTexts()
            for (column, field) in columns { texts[field] = row.cells[column] }
            let options = options
            return [(row.line, Result { () throws(ThingRefusal) in try texts.record(options) })]
        case .todoist(var todoist):
            defer { kind = .todoist(todoist) }
            return todoist.take(row)
        }
    }

    /// The row that waited for what follows it.
    mutating func finish() -> [ThingFileReader.Row] {
        guard case .todoist(var todoist) = kind else { return [] }
        return todoist.finish()
    }
}

/// Todoist's table of a project: tasks become reminders, and comments notes of the task before them.
///
/// https://todoist.com/help/articles/format-a-csv-file-to-import-into-todoist-UVUXTmm6
struct Todoist {
    private let options: ThingFileOptions
    private let type, content: Int
    private let description, date: Int?
    private var open: (line: Int, texts: ThingTexts)?

    /// nil for another table.
    init?(titles: [String], _ options: ThingFileOptions) {
        guard let type = titles.firstIndex(of: "TYPE"), let content = titles.firstIndex(of: "CONTENT") else {
            return nil
        }
        (self.options, self.type, self.content) = (options, type, content)
        (description, date) = (titles.firstIndex(of: "DESCRIPTION"), titles.firstIndex(of: "DATE"))
    }

    mutating func take(_ row: TableRow) -> [ThingFileReader.Row] {
        switch row.cells[type].lowercased() {
        case "task":
            defer { open = (row.line, task(row)) }
            return finish()
        case "note":
            let note = [open?.texts[.note], row.cells[content]].compactMap(\.self).joined(separator: "\n")
            open?.texts[.note] = note
            return []
        default:
            // Sections and settings of the project.
            return finish()
        }
    }

    private func task(_ row: TableRow) -> ThingTexts {
        var texts = ThingTexts()
        var words: [Substring] = []
        var labels: [Substring] = []
        for word in row.cells[content].split(separator: " ") {
            if word.hasPrefix("@"), word.count > 1 { labels.append(word.dropFirst()) } else { words.append(word) }
        }
        texts[.title] = words.joined(separator: " ")
        texts[.tags] = labels.joined(separator: ",")
        texts[.note] = description.map { row.cells[$0] }
        texts[.dueOn] = date.map { row.cells[$0] }
        return texts
    }

    mutating func finish() -> [ThingFileReader.Row] {
        guard let (line, read) = open else { return [] }
        var texts = read
        open = nil
        let options = options
        return [
            (
                line,
                Result { () throws(ThingRefusal) in
                    guard let date = texts[.dueOn] else {
                        throw ThingRefusal.refused(
                            code: "due_unknown", "the task has no date: give it one, or leave it out")
                    }
                    try Self.read(date, into: &texts, options)
                    texts[.kind] = Thing.Kind.reminder.rawValue
                    return try texts.record(options)
                }
            )
        ]
    }

    /// Reads a date as people type it for Todoist: a day, perhaps a time, perhaps `every`.
    private static func read(_ date: String, into texts: inout ThingTexts, _ options: ThingFileOptions)
        throws(ThingRefusal)
    {
        var text = date.lowercased()
        if let instant = Instant(date) {
            texts[.dueOn] = options.zone.date(at: instant).description
            texts[.dueTime] = options.zone.timeOfDay(at: instant).description
            return
        }
        if let found = text.firstMatch(of: #/(?:^|[ t])(?:at )?(\d{1,2}):(\d{2})(?::\d{2})?( ?[ap]m)?$/#),
            let hour = Int(found.1)
        {
            texts[.dueTime] = time(hour, Int(found.2) ?? 0, found.3)
            text = String(text[..<found.range.lowerBound])
        } else if let found = text.firstMatch(of: #/(?:^| )(?:at )?(\d{1,2}) ?([ap]m)$/#), let hour = Int(found.1) {
            texts[.dueTime] = time(hour, 0, found.2)
            text = String(text[..<found.range.lowerBound])
        }
        var first: String?
        if let found = text.wholeMatch(
            of: #/(every!?) (?:(\d+|other) )?(day|week|month|year)s?(?: (?:starting|from) (.+))?/#)
        {
            let every = found.2.map { $0 == "other" ? "2" : String($0) } ?? "1"
            texts[.every] = "\(every) \(found.3)\(every == "1" ? "" : "s")"
            if found.1 == "every!" { texts[.from] = Recurrence.Base.completion.rawValue }
            first = found.4.map(String.init) ?? "today"
        } else if let found = text.wholeMatch(of: #/every ([a-z]+day)/#) {
            texts[.every] = "1 week"
            first = String(found.1)
        }
        guard let day = DayWords(today: options.today).day(first ?? text) else {
            throw .refused(
                code: "unreadable_day",
                "\"\(date.prefix(40))\" is no date that can be taken over: write one like 2027-03-05 15:00, or every 2 weeks"
            )
        }
        texts[.dueOn] = day.description
    }

    private static func time(_ hour: Int, _ minute: Int, _ half: Substring?) -> String {
        var hour = hour
        if let half, hour <= 12 { hour = hour % 12 + (half.contains("p") ? 12 : 0) }
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}

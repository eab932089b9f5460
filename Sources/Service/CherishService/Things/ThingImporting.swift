import AddressBook
import CherishCore
import CherishStore
import ThingFile

/// What became of one thing of a file.
public struct ImportedThing: Sendable {
    /// Whether it was recorded, or why not.
    public enum Result: Sendable {
        case recorded
        /// The account has it already, or the file has it twice.
        case unchanged
        /// It needs no taking over, for a reason.
        case skipped(String)
        /// It breaks a rule, with its code and a sentence.
        case refused(code: String, String)
    }

    /// The line of the file on which it begins; in a JSON document, its number.
    public let line: Int
    /// nil if it cannot be read.
    public let title: ThingTitle?
    public let dueOn: CivilDay?
    public let result: Result
    /// What was left out or taken otherwise.
    public let warnings: [String]
}

/// Everything that an import of things did or would do.
public struct ThingImportReport: Sendable {
    public let rows: [ImportedThing]
    /// The tags that it made.
    public let newTags: [TagName]
    public let isDryRun: Bool

    public var document: ThingImportDocument { ThingImportDocument(self) }
}

/// How a file of things is read and imported.
public struct ThingImport: Sendable {
    /// A file has at most so many things.
    public static let mostThings = 10_000

    /// The kind of things that name none.
    public var kind = Thing.Kind.reminder
    /// The titles of columns by what they hold.
    public var columns: [ThingField: String] = [:]
    /// Whether to only report what would happen.
    public var isDryRun = false

    public init() {}
}

extension GardenService {
    /// Records the things of a file. Refuses them individually and reports each; what the account has is not recorded again.
    ///
    /// - Parameter progress: called periodically with the number of things read and the fraction of the source that has been
    ///   read, 0–1; nil if unknown.
    /// - Throws: ``UnreadableFile`` if the file cannot be read at all; errors of the source.
    public func importThings(
        from source: ByteSource, _ wanted: ThingImport, progress: (Int, Double?) -> Void = { _, _ in }
    ) async throws -> ThingImportReport {
        let seen = try await garden.viewpoint()
        let zones = engine.zones
        var options = ThingFileOptions(
            today: try today(seen), zone: try zones.clock(of: seen.account), zoneNamed: { try? zones.rules($0) })
        (options.kind, options.columns) = (wanted.kind, wanted.columns)
        var file = try ThingFileReader(source, options)
        var rows: [ThingFileReader.Row] = []
        while let row = try file.next() {
            if rows.count.isMultiple(of: 1000) {
                progress(rows.count, file.fractionRead)
                try Task.checkCancellation()
            }
            guard rows.count < ThingImport.mostThings else {
                throw UnreadableFile(
                    reason: "\(source.name) has more than \(ThingImport.mostThings) things: split it into several files"
                )
            }
            rows.append(row)
        }
        progress(rows.count, 1)
        let result = try await garden.importThings(
            rows.compactMap { row in
                (try? row.record.get()).map { ImportedDraft($0.draft, tags: $0.tags, isDueRelative: $0.isDueRelative) }
            }, isDryRun: wanted.isDryRun)
        var outcomes = result.outcomes[...]
        let imported = rows.map { row in
            ImportedThing(row, outcome: (try? row.record.get()) == nil ? nil : outcomes.removeFirst())
        }
        return ThingImportReport(rows: imported, newTags: result.newTags, isDryRun: wanted.isDryRun)
    }
}

extension ImportedThing {
    /// - Parameter outcome: what became of a thing that could be read.
    fileprivate init(_ row: ThingFileReader.Row, outcome: ThingImportOutcome?) {
        line = row.line
        let record = try? row.record.get()
        (title, dueOn, warnings) = (record?.draft.title, record?.draft.dueOn, record?.warnings ?? [])
        switch (row.record, outcome) {
        case (.failure(.skipped(let reason)), _): result = .skipped(reason)
        case (.failure(.refused(let code, let sentence)), _): result = .refused(code: code, sentence)
        case (.success, .recorded?): result = .recorded
        case (.success, .refused(let error)?): result = .refused(code: error.code, error.description)
        case (.success, _): result = .unchanged
        }
    }
}

/// What an import of things did or would do.
public struct ThingImportDocument: Codable, Sendable {
    struct Row: Codable, Sendable {
        let line: Int
        let title, dueOn: Nullable<String>
        /// `new`, `unchanged`, `skipped` or `refused`.
        let result: String
        let code, message: Nullable<String>
        let warnings: [String]
    }

    let dryRun: Bool
    let new, unchanged, skipped, refused: Int
    let newTags: [String]
    let rows: [Row]

    init(_ report: ThingImportReport) {
        dryRun = report.isDryRun
        newTags = report.newTags.map(\.description)
        let rows = report.rows.map { row in
            let (result, code, message): (String, String?, String?) =
                switch row.result {
                case .recorded: ("new", nil, nil)
                case .unchanged: ("unchanged", nil, nil)
                case .skipped(let reason): ("skipped", nil, reason)
                case .refused(let code, let sentence): ("refused", code, sentence)
                }
            return Row(
                line: row.line, title: Nullable(row.title?.description), dueOn: Nullable(row.dueOn?.description),
                result: result, code: Nullable(code), message: Nullable(message), warnings: row.warnings)
        }
        self.rows = rows
        func count(_ result: String) -> Int { rows.count { $0.result == result } }
        (new, unchanged, skipped, refused) = (count("new"), count("unchanged"), count("skipped"), count("refused"))
    }

    /// The rows that need attention.
    public var notable: [(line: Int, title: String?, text: String)] {
        rows.flatMap { row in
            (row.message.value.map { [(row.line, row.title.value, "\(row.result): \($0)")] } ?? [])
                + row.warnings.map { (row.line, row.title.value, $0) }
        }
    }

    /// How many things had which result: `3 new, 1 refused`.
    public var counts: String {
        let counts = [(new, "new"), (unchanged, "unchanged"), (skipped, "skipped"), (refused, "refused")]
            .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return counts.isEmpty ? "nothing to do" : counts.joined(separator: ", ")
    }
}

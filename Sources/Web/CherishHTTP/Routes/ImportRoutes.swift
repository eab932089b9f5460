import AddressBook
import CherishCore
import CherishService
import Foundation
import HTTPTypes

// Address books.

/// `POST /v1/imports`
struct ImportQuery: RequestQuery {
    private let isDryRun, merges, restores, readsDayFirst: Bool
    private let spreads: Bool?
    private let cycleDays: Int
    private let columns: ColumnMap
    private let tag: String?
    private let lines: [ClosedRange<Int>]?

    init(_ fields: inout Fields) {
        isDryRun = fields.present("dryRun", .flag) ?? false
        cycleDays = fields.present("cycleDays", .cycle) ?? 7
        merges = fields.present("merge", .flag) ?? false
        restores = fields.present("restore", .flag) ?? false
        spreads = fields.present("spread", .flag)
        readsDayFirst = fields.present("dayFirst", .flag) ?? false
        columns = fields.present("columns", .columns) ?? .none
        tag = fields.present("tag", .tagName)
        lines = fields.present("rows", .lines)
    }

    var wanted: ContactImport {
        get throws(CareError) {
            var options = ImportOptions(cycle: try Cycle(days: cycleDays))
            options.merging = merges
            options.restoring = restores
            options.spreading = spreads
            var wanted = ContactImport(options)
            wanted.isDryRun = isDryRun
            wanted.readsDayFirst = readsDayFirst
            wanted.columns = columns
            if let tag { wanted.tags = [try TagName(tag)] }
            wanted.lines = lines
            return wanted
        }
    }
}

/// The account's imports.
struct ImportsDocument: Codable, Sendable {
    let imports: [ImportDocument]
}

extension Route {
    /// What programs say an address book is. The content tells the format, whatever the type.
    private static let addressBookTypes = [
        "text/vcard", "text/x-vcard", "text/directory", "text/csv", "application/csv", "application/vnd.ms-excel",
        "application/x-ndjson", "application/json", "text/plain", "application/octet-stream", "multipart/form-data",
    ]

    static let imports: [Route] = [
        Route(.get, "/v1/imports", "The imports, the newest first.") { ask, _, _ in
            ImportsDocument(imports: try await ask.garden().imports().map(ImportDocument.init))
        },
        Route(
            .post, "/v1/imports", "Registers the friends of an address book: vCards, a table, or JSON Lines.",
            upload: addressBookTypes, mostBytes: 100 << 20, query: ImportQuery.self
        ) { ask, query, file in
            let wanted = try query.wanted
            let report = try await ask.garden().importContacts(from: file.source, wanted)
            return ImportReportDocument(report, of: wanted, remedy: \.parameter)
        },
        Route(.delete, "/v1/imports/{import}", "Undoes an import.") { ask, _, _ in
            UndoneDocument(try await ask.garden().undoImport(try ask.id("import", of: .importBatch)))
        },
    ]
}

extension Remedy {
    /// The remedy in terms of the route's parameters.
    fileprivate var parameter: String {
        switch means {
        case nil, .addingAccounts, .addingDevices: sentence
        case .bringingBack: "\(sentence) (restore=true)"
        case .merging: "\(sentence) (merge=true)"
        }
    }
}

extension Kind<ColumnMap> {
    /// What the columns of a table hold: `name=성함,phone=연락처`.
    fileprivate static let columns = Kind(
        schema: ["type": "string", "maxLength": 400], placeholder: .none,
        read: { value throws(InvalidValue) in
            guard case .string(let text) = value, text.unicodeScalars.count <= 400, let map = try? ColumnMap(text)
            else { throw InvalidValue(.notColumns) }
            return map
        })
}

extension Kind<[ClosedRange<Int>]> {
    /// Lines of a file, and ranges of them: `3,7,10-25`.
    fileprivate static let lines = Kind(
        schema: [
            "type": "string", "maxLength": 4_000,
            "pattern": "^[1-9][0-9]{0,8}(-[1-9][0-9]{0,8})?(,[1-9][0-9]{0,8}(-[1-9][0-9]{0,8})?)*$",
        ], placeholder: [],
        read: { value throws(InvalidValue) in
            guard case .string(let text) = value, text.utf8.count <= 4_000, let lines = Lines.read(text) else {
                throw InvalidValue(.notLines)
            }
            return lines
        })
}

private enum Lines {
    /// nil for text that is no list of lines.
    static func read(_ text: String) -> [ClosedRange<Int>]? {
        var lines: [ClosedRange<Int>] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { end in
                end.utf8.count <= 9 && end.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                    ? Int(end) : nil
            }
            guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1], first >= 1,
                first <= last
            else { return nil }
            lines.append(first...last)
        }
        return lines
    }
}

import CherishCore
import Foundation
import Postgres

/// A report: a view of the schema `report`, as the database catalogue describes it.
public struct ReportDescription: Sendable, Equatable {
    public let name: String
    /// What it shows: the COMMENT of the view.
    public let explanation: String
    public let columns: [ReportColumn]

    /// The column that `--from` and `--to` filter by, if there is one.
    public var dayColumn: ReportColumn? {
        let days = columns.filter { $0.kind == .day }
        return days.first { $0.markers.contains(.day) } ?? days.first { $0.name == "day" }
    }

    /// Whether each row is about one account.
    public var isPerAccount: Bool {
        ["lane", "account_id"].allSatisfy { name in columns.contains { $0.name == name } }
    }
}

/// A column of a report.
public struct ReportColumn: Sendable, Equatable {
    /// The type of a column's values.
    public enum Kind: Sendable {
        case number, boolean, day, instant, identifier, text
        /// Arrays.
        case numbers, texts
    }

    /// A marker in brackets in the column's COMMENT, as in `Waterings. [bar]`.
    public enum Marker: String, CaseIterable, Sendable {
        /// Draws a bar beside each number of a table.
        case bar
        /// Draws numbers as a line of small columns: those of an array in its cell, others by day below the table.
        case sparkline
        /// Marks the row's day, which filters compare. Without it, a column named `day` counts.
        case day
        /// Sorts the rows by this column; several apply from left to right.
        case ascending, descending
    }

    public let name: String
    /// The name of the column's PostgreSQL type.
    public let type: String
    public let kind: Kind
    /// The COMMENT of the column, without markers.
    public let explanation: String
    public let markers: Set<Marker>
}

/// A value of a report.
public enum ReportValue: Sendable, Equatable {
    /// As PostgreSQL writes it, so that no digit is lost.
    case number(String)
    case boolean(Bool)
    case day(CivilDay)
    case instant(Instant)
    case text(String)
    case numbers([String])
    case texts([String])
}

/// Which rows of a report to read.
public struct ReportFilter: Sendable, Equatable {
    public var account: Account.ID?
    /// The first day.
    public var from: CivilDay?
    /// The last day.
    public var to: CivilDay?
    /// The maximum number of rows.
    public var limit: Int?

    /// All rows by default.
    public init(account: Account.ID? = nil, from: CivilDay? = nil, to: CivilDay? = nil, limit: Int? = nil) {
        self.account = account
        self.from = from
        self.to = to
        self.limit = limit
    }
}

/// Rows of a report, decoded one at a time, because there may be very many.
public struct ReportRows: Sendable {
    public let report: ReportDescription
    private let rows: Rows

    init(report: ReportDescription, rows: Rows) {
        self.report = report
        self.rows = rows
    }

    public var count: Int { rows.count }

    /// Returns a row's values in column order; nil is NULL.
    public func values(at position: Int) throws -> [ReportValue?] {
        var reader = rows[position].reader
        return try report.columns.map { try $0.kind.next(&reader) }
    }
}

/// Reads the schema `report`. If accounts are named by id, it reads nothing else, so that a user who is only a member
/// of `cherish_report` can use it.
public struct Reports: Sendable {
    private let store: CareStore

    init(store: CareStore) {
        self.store = store
    }

    /// Returns the reports that the user may read, by name.
    ///
    /// - Throws: ``SchemaError/reportsDiffer`` if there are none, ``SchemaError/reportsClosed`` if the user may read
    ///   none.
    public func list() async throws -> [ReportDescription] {
        let (rows, exist) = try await store.pool.withConnection { connection in
            let rows = try await connection.query(Reports.catalogue)
            return (rows, rows.isEmpty ? try await Reports.exist(on: connection) : true)
        }
        var reports: [ReportDescription] = []
        for row in rows {
            var reader = row.reader
            let (name, explanation): (String, String) = (try reader.next(), try reader.next())
            let columns = (reports.last?.name == name ? reports.popLast()?.columns : nil) ?? []
            reports.append(
                ReportDescription(
                    name: name, explanation: explanation, columns: columns + [try ReportColumn.decode(&reader)]))
        }
        if reports.isEmpty { throw exist ? SchemaError.reportsClosed : SchemaError.reportsDiffer }
        return reports
    }

    /// Whether there are any reports, readable or not.
    private static func exist(on connection: Connection) async throws -> Bool {
        let rows = try await connection.query(
            """
            SELECT EXISTS (
                SELECT FROM pg_class AS class JOIN pg_namespace AS schema ON schema.oid = class.relnamespace
                WHERE schema.nspname = 'report' AND class.relkind IN ('v', 'm'))
            """)
        return try rows.first?.decode(0, as: Bool.self) ?? false
    }

    /// - Throws: ``ReportError/unknown(name:known:)``, ``SchemaError/reportsDiffer``.
    public func report(_ name: String) async throws -> ReportDescription {
        let reports = try await list()
        guard let report = reports.first(where: { $0.name == name }) else {
            throw ReportError.unknown(name: name, known: reports.map(\.name))
        }
        return report
    }

    /// Returns the rows that match a filter, in the order set by the columns' markers; without markers, newest day
    /// first, then by the columns from left to right.
    ///
    /// - Throws: ``ReportError`` if the report has no column for the filter.
    public func rows(of report: ReportDescription, _ filter: ReportFilter) async throws -> ReportRows {
        let statement = try Reports.statement(report, filter)
        let rows = try await reading { try await $0.query(statement) }
        return ReportRows(report: report, rows: rows)
    }

    /// Reads in one snapshot in which the reports use the engine's now.
    func reading<Result: Sendable>(_ body: (Connection) async throws -> Result) async throws -> Result {
        try await store.pool.withTransaction(isolation: .repeatableRead, readOnly: true) { connection in
            // The log has a partition a day. Their bounds exclude those of other days; looking through the constraints of all others, too,
            // takes a sixth of the time that a connection needs for its first report about pushes.
            try await connection.setEverywhere("constraint_exclusion = off")
            if let now = store.time.fixedInstant {
                // The text of an instant holds no quotation mark.
                try await connection.setEverywhere("cherish.now = '\(SQL(trusting: now.description))'")
            }
            return try await body(connection)
        }
    }
}

extension CareStore {
    /// The report views.
    public var reports: Reports { Reports(store: self) }
}

// MARK: - Accounts

/// An account as the reports know it.
public struct ReportedAccount: Sendable, Equatable {
    public let id: Account.ID
    public let language: Language
    /// The current civil day in its zone.
    public let today: CivilDay
    /// nil if the account was named by its id; then nothing personal is read.
    public let nickname: Nickname?
}

extension Reports {
    /// Returns the account with this e-mail or id.
    ///
    /// - Throws: ``CareError/notFound(_:)``.
    public func account(_ reference: String) async throws -> ReportedAccount {
        let uuid = UUID(uuidString: reference)
        let named = try await uuid == nil ? store.account(reference) : nil
        guard let id = uuid.map({ Account.ID($0) }) ?? named?.id else { throw CareError.notFound(.account) }
        let rows = try await reading { connection in
            try await connection.query(
                "SELECT language::text, today FROM report.account_day WHERE lane = $1 AND account_id = $2",
                [id.lane, id])
        }
        guard var reader = rows.first?.reader else { throw CareError.notFound(.account) }
        return ReportedAccount(
            id: id, language: try reader.next(label: Language.self), today: try reader.next(),
            nickname: named?.nickname)
    }
}

// MARK: - Statements

extension Reports {
    private static let catalogue: SQL = """
        SELECT class.relname::text, coalesce(obj_description(class.oid, 'pg_class'), ''), attribute.attname::text,
            format_type(attribute.atttypid, attribute.atttypmod), type.typcategory::text, element.typcategory::text,
            coalesce(col_description(class.oid, attribute.attnum), '')
        FROM pg_class AS class
        JOIN pg_attribute AS attribute ON attribute.attrelid = class.oid AND attribute.attnum > 0
            AND NOT attribute.attisdropped
        JOIN pg_type AS type ON type.oid = attribute.atttypid
        LEFT JOIN pg_type AS element ON element.oid = type.typelem AND type.typcategory = 'A'
        WHERE class.relnamespace = to_regnamespace('report') AND class.relkind IN ('v', 'm')
            AND has_schema_privilege(class.relnamespace, 'USAGE') AND has_table_privilege(class.oid, 'SELECT')
        ORDER BY class.relname, attribute.attnum
        """

    /// Identifiers come only from the catalogue; values are bound.
    static func statement(_ report: ReportDescription, _ filter: ReportFilter) throws -> Statement {
        var conditions: [SQL] = []
        var parameters: [any PostgresEncodable] = []
        func add(_ column: String, _ comparison: SQL, _ value: any PostgresEncodable) {
            parameters.append(value)
            conditions.append("\(name: column) \(comparison) $\(parameters.count)")
        }
        if let account = filter.account {
            guard report.isPerAccount else { throw ReportError.noColumn(report: report.name, filter: .account) }
            add("lane", "=", account.lane)
            add("account_id", "=", account)
        }
        if filter.from != nil || filter.to != nil {
            guard let day = report.dayColumn else { throw ReportError.noColumn(report: report.name, filter: .day) }
            if let from = filter.from { add(day.name, ">=", from) }
            if let to = filter.to { add(day.name, "<=", to) }
        }
        parameters.append(filter.limit)
        let sql: SQL = """
            SELECT \(report.columns.enumerated().map { "\($1.expression) AS output_\($0)" }.joined(separator: ", "))
            FROM report.\(name: report.name) AS shown
            \(conditions.isEmpty ? "" as SQL : "WHERE \(conditions.joined(separator: " AND "))")
            ORDER BY \(order(of: report)) LIMIT $\(parameters.count)
            """
        return Statement(sql, parameters)
    }

    /// Includes all columns, so that the order is deterministic. No output column has the name of one of them: it is
    /// text, and would be meant instead, by Citus even where the name is qualified.
    private static func order(of report: ReportDescription) -> SQL {
        let asked = report.columns.filter { $0.direction != nil }
        let first = asked.isEmpty ? [report.dayColumn].compactMap { $0 } : asked
        let rest = report.columns.filter { !first.contains($0) }
        let keys = first.map { "shown.\(name: $0.name) \($0.direction ?? "DESC") NULLS LAST" as SQL }
        return (keys + rest.map { "shown.\(name: $0.name)" as SQL }).joined(separator: ", ")
    }
}

extension ReportColumn {
    fileprivate static func decode(_ reader: inout RowReader) throws -> ReportColumn {
        let (name, type): (String, String) = (try reader.next(), try reader.next())
        let (category, element): (String, String?) = (try reader.next(), try reader.next())
        let (explanation, markers) = Marker.split(try reader.next())
        return ReportColumn(
            name: name, type: type, kind: Kind(type: type, category: category, element: element),
            explanation: explanation, markers: markers)
    }

    /// The column in a form that ``Kind/next(_:)`` can read, whatever its type.
    fileprivate var expression: SQL {
        switch kind {
        case .boolean, .day, .instant: "\(name: name)"
        case .number, .identifier, .text: "\(name: name)::text"
        case .numbers, .texts: "\(name: name)::text[]"
        }
    }

    fileprivate var direction: SQL? {
        markers.contains(.descending) ? "DESC" : markers.contains(.ascending) ? "ASC" : nil
    }
}

extension ReportColumn.Marker {
    /// Splits a comment into its text and its markers.
    fileprivate static func split(_ comment: String) -> (words: String, markers: Set<ReportColumn.Marker>) {
        let found = allCases.filter { comment.contains("[\($0.rawValue)]") }
        let words = found.reduce(comment) { $0.replacing("[\($1.rawValue)]", with: "") }
        return (words.trimmingCharacters(in: .whitespaces), Set(found))
    }
}

extension ReportColumn.Kind {
    /// - Parameters:
    ///   - category: PostgreSQL's `typcategory`: N for numbers, B for booleans, A for arrays.
    ///   - element: the category of an array's elements.
    fileprivate init(type: String, category: String, element: String?) {
        switch (type, category) {
        case ("date", _): self = .day
        case ("timestamp with time zone", _): self = .instant
        case ("uuid", _): self = .identifier
        case (_, "B"): self = .boolean
        case (_, "N"): self = .number
        case (_, "A"): self = element == "N" ? .numbers : .texts
        default: self = .text
        }
    }

    fileprivate func next(_ reader: inout RowReader) throws -> ReportValue? {
        switch self {
        case .number: try reader.next(String?.self).map { .number($0) }
        case .boolean: try reader.next(Bool?.self).map { .boolean($0) }
        case .day: try reader.next(CivilDay?.self).map { .day($0) }
        case .instant: try reader.next(Instant?.self).map { .instant($0) }
        case .identifier, .text: try reader.next(String?.self).map { .text($0) }
        case .numbers: try reader.next([String?]?.self).map { .numbers($0.compactMap { $0 }) }
        case .texts: try reader.next([String?]?.self).map { .texts($0.compactMap { $0 }) }
        }
    }
}

// MARK: - Errors

/// Why a report cannot be read as requested.
public enum ReportError: Error, Hashable, Sendable {
    /// What rows are filtered by.
    public enum Filter: Sendable {
        case account, day
    }

    case unknown(name: String, known: [String])
    case noColumn(report: String, filter: Filter)

    /// The error code listed in `docs/command-line.md`.
    public var code: String {
        switch self {
        case .unknown: "unknown_report"
        case .noColumn: "filter_refused"
        }
    }
}

extension ReportError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknown(let name, let known):
            "there is no report \(name); choose one of \(known.joined(separator: ", "))"
        case .noColumn(let report, .account):
            "the report \(report) is not about single accounts; leave out --account"
        case .noColumn(let report, .day):
            "the rows of the report \(report) have no day; leave out --from and --to"
        }
    }
}

import CherishCore
import Postgres

/// A column of a table: its position in a row and the type of its values.
struct Column<Value: Sendable>: Sendable {
    fileprivate let position: Int
}

/// The columns of a table whose rows lie in lanes, each declared once. SELECT, INSERT, UPDATE, COPY and decoding all
/// follow the declarations and their order.
struct TableColumns<Element: Sendable>: Sendable {
    private enum Part: Sendable {
        /// Identifies a row within its lane.
        case key
        /// Names the row's owner. Never changes, and each single-row update checks it.
        case owner
        /// Never changes, but is not compared.
        case fixed
        /// May change.
        case content
    }

    private struct Declaration: Sendable {
        let name: SQL
        let part: Part
        /// Follows a parameter whose type differs from the column's: `::due_source`.
        let cast: SQL
        /// The same for an element of an array parameter.
        let elementCast: SQL
        let parameter: @Sendable (Element) -> any PostgresEncodable
        let array: @Sendable (ArraySlice<Element>) -> any PostgresEncodable
        let append: @Sendable (Element, inout CopyFields) throws -> Void
    }

    let table: String
    private let lane: @Sendable (Element) -> Lane
    private var declarations: [Declaration] = [] {
        didSet { texts = Texts(table: table, declarations) }
    }
    /// Derived from the declarations once, not for each statement.
    private var texts: Texts

    init(_ table: String, lane: @escaping @Sendable (Element) -> Lane) {
        self.table = table
        self.lane = lane
        texts = Texts(table: table, [])
    }

    /// The texts of statements that do not depend on how many rows they are about.
    private struct Texts: Sendable {
        let names, insert, update: SQL
        /// The columns that change, in the order of the declarations.
        let changing: [Declaration]
        /// The columns of the parameters of `update`, after the lane.
        let updated: [Declaration]

        init(table: String, _ declarations: [Declaration]) {
            names = TableColumns.list(declarations, \.name)
            let values = declarations.enumerated().map { "$\($0.offset + 2)\($0.element.cast)" as SQL }
            insert = """
                INSERT INTO \(name: table) (lane, \(names), created_at)
                VALUES ($1, \(values.joined(separator: ", ")), $\(declarations.count + 2))
                """
            let identifying = declarations.filter { $0.part == .key || $0.part == .owner }
            let condition = identifying.enumerated().map { "\($0.element.name) = $\($0.offset + 2)" as SQL }
            changing = declarations.filter { $0.part == .content }
            let changes = changing.enumerated().map {
                "$\($0.offset + 2 + identifying.count)\($0.element.cast)" as SQL
            }
            updated = identifying + changing
            update = """
                UPDATE \(name: table) SET (\(TableColumns.list(changing, \.name))) = (\(changes.joined(separator: ", "), at: .changes))
                WHERE lane = $1 AND \(condition.joined(separator: " AND "))
                """
        }
    }
}

// MARK: - Declaring

extension TableColumns {
    /// Declares the column that identifies a row within its lane.
    mutating func key<Value: PostgresArrayElement>(
        _ name: SQL, _ value: @escaping @Sendable (Element) -> Value
    ) -> Column<Value> {
        add(name, .key, value)
    }

    /// Declares the column that names the row's owner.
    mutating func owner<Value: PostgresArrayElement>(
        _ name: SQL, _ value: @escaping @Sendable (Element) -> Value
    ) -> Column<Value> {
        add(name, .owner, value)
    }

    /// Declares a column whose type is that of the value, as COPY requires.
    mutating func column<Value: PostgresArrayElement>(
        _ name: SQL, _ value: @escaping @Sendable (Element) -> Value
    ) -> Column<Value> {
        add(name, .content, value)
    }

    /// Declares an enum column.
    ///
    /// - Parameter isFixed: whether it never changes.
    mutating func label<Label: RawRepresentable<String>>(
        _ name: SQL, of type: SQL, isFixed: Bool = false, _ value: @escaping @Sendable (Element) -> Label
    ) -> Column<Label> {
        let column: Column<String> = add(name, isFixed ? .fixed : .content, cast: "::\(type)") { value($0).rawValue }
        return Column(position: column.position)
    }

    /// Declares an enum column that may be null.
    mutating func label<Label: RawRepresentable<String>>(
        _ name: SQL, of type: SQL, _ value: @escaping @Sendable (Element) -> Label?
    ) -> Column<Label?> {
        let column: Column<String?> = add(name, .content, cast: "::\(type)") { value($0)?.rawValue }
        return Column(position: column.position)
    }

    /// Declares an array column.
    mutating func list<Item: PostgresArrayElement & CustomStringConvertible>(
        _ name: SQL, of type: SQL, _ value: @escaping @Sendable (Element) -> [Item]
    ) -> Column<[Item]> {
        declarations.append(
            Declaration(
                name: name, part: .content, cast: "", elementCast: "::\(type)[]", parameter: value,
                // PostgreSQL requires the inner arrays of an array to have equal lengths.
                array: { elements in
                    elements.map { "{\(value($0).map(\.description).joined(separator: ","))}" }
                }, append: { try $1.append(value($0)) }))
        return Column(position: declarations.count - 1)
    }

    private mutating func add<Value: PostgresArrayElement>(
        _ name: SQL, _ part: Part, cast: SQL = "", _ value: @escaping @Sendable (Element) -> Value
    ) -> Column<Value> {
        declarations.append(
            Declaration(
                name: name, part: part, cast: cast, elementCast: cast, parameter: value, array: { $0.map(value) },
                append: { try $1.append(value($0)) }))
        return Column(position: declarations.count - 1)
    }
}

// MARK: - Reading

extension TableColumns {
    /// The columns to SELECT for ``RowReader/read(_:)-(Column<Value>)``.
    var names: SQL { texts.names }

    /// The column `created_at`, which a statement may select after ``names``.
    var createdAt: Column<Instant> { Column(position: declarations.count) }
}

extension RowReader {
    /// Reads a column. The statement must select the table's columns first.
    mutating func read<Value: PostgresDecodable>(_ column: Column<Value>) throws -> Value {
        try value(at: column.position)
    }

    /// Reads an enum column.
    mutating func read<Label: RawRepresentable<String>>(_ column: Column<Label>) throws -> Label {
        guard let label = Label(rawValue: try value(at: column.position)) else {
            throw UnreadableRow(what: "an unknown \(Label.self)")
        }
        return label
    }

    /// Reads an enum column that may be null.
    mutating func read<Label: RawRepresentable<String>>(_ column: Column<Label?>) throws -> Label? {
        guard let text = try value(at: column.position, as: String?.self) else { return nil }
        guard let label = Label(rawValue: text) else { throw UnreadableRow(what: "an unknown \(Label.self)") }
        return label
    }
}

// MARK: - Writing

extension TableColumns {
    private static func list(_ declarations: [Declaration], _ item: (Declaration) -> SQL) -> SQL {
        declarations.map(item).joined(separator: ", ")
    }

    /// Inserts a row; `createdAt` fills a column that `Element` lacks.
    func insert(_ element: Element, createdAt: Instant) -> Statement {
        Statement(texts.insert, [lane(element)] + declarations.map { $0.parameter(element) } + [createdAt])
    }

    /// Updates all mutable columns of a row.
    func update(_ element: Element) -> Statement {
        Statement(texts.update, [lane(element)] + texts.updated.map { $0.parameter(element) })
    }

    /// Updates all mutable columns of several rows in one statement. Casts stand in a subquery that OFFSET 0 keeps apart,
    /// because Citus refuses an UPDATE that casts columns itself.
    ///
    /// - Parameters:
    ///   - condition: what all the rows have in common, with `parameters` as `$1` and so on.
    func update(_ elements: ArraySlice<Element>, where condition: SQL, _ parameters: [any PostgresEncodable])
        -> Statement
    {
        let changing = texts.changing
        let sent = declarations.filter { $0.part == .key || $0.part == .content }
        let keys = declarations.filter { $0.part == .key }.map {
            "\(name: table).\($0.name) = changed.\($0.name)" as SQL
        }
        let arrays = sent.indices.map { "$\($0 + 1 + parameters.count)" as SQL }
        return Statement(
            """
            UPDATE \(name: table) SET (\(Self.list(changing, \.name))) =
                (\(Self.list(changing) { "changed.\($0.name)" }))
            FROM (
                SELECT \(Self.list(sent) { "sent.\($0.name)\($0.elementCast) AS \($0.name)" })
                FROM unnest(\(arrays.joined(separator: ", "))) AS sent (\(Self.list(sent, \.name)))
                OFFSET 0
            ) AS changed
            WHERE \(condition) AND \(keys.joined(separator: " AND "))
            """, parameters + sent.map { $0.array(elements) })
    }

    /// The COPY target for new rows; ``append(_:createdAt:to:)`` writes them.
    var copy: CopyTarget { CopyTarget(table: table, columns: "\(names), created_at") }

    func append(_ element: Element, createdAt: Instant, to rows: inout CopyWriter) throws {
        try rows.appendRow { fields in
            try fields.append(lane(element))
            for declaration in declarations { try declaration.append(element, &fields) }
            try fields.append(createdAt)
        }
    }
}

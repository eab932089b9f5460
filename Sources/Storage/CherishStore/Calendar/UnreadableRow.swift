import CherishCore
import Postgres

/// A row contains values that no rule allows: somebody wrote to the database without the engine.
public struct UnreadableRow: Error, Hashable, Sendable, CustomStringConvertible {
    /// What the row contains, without personal data.
    public let what: String
    /// The row's table; nil if unknown.
    public private(set) var table: String?
    /// The unreadable column; nil if it is not a single one.
    public private(set) var column: String?
    /// The known part of the row's primary key.
    private var key: [KeyPart] = []

    init(what: String) {
        self.what = what
    }

    init(what: String, in table: String, _ key: [KeyPart], column: String? = nil) {
        self.what = what
        self.table = table
        self.key = key
        self.column = column
    }

    /// A column of a primary key: an id, number, instant or label, never a name, a phone or user-written text.
    struct KeyPart: Hashable, Sendable {
        let column: String
        /// The value as an SQL literal.
        let literal: String

        static func lane(_ lane: Lane) -> KeyPart { KeyPart(column: "lane", literal: "\(lane.number)") }

        static func id<Owner>(_ id: Identifier<Owner>, column: String = "id") -> KeyPart {
            KeyPart(column: column, literal: "'\(id)'")
        }

        static func number(_ number: Int, column: String = "number") -> KeyPart {
            KeyPart(column: column, literal: "\(number)")
        }

        /// - Parameter label: an enum label.
        static func label(_ label: String, column: String) -> KeyPart {
            KeyPart(column: column, literal: "'\(label)'")
        }

        static func instant(_ instant: Instant, column: String) -> KeyPart {
            KeyPart(column: column, literal: "'\(instant)'")
        }
    }

    /// The number of columns of each primary key.
    private static let keyLengths = [
        "account": 2, "affection_entry": 4, "cycle_change": 3, "device": 2, "import_batch": 2, "import_change": 3,
        "lane": 1,
        "lane_delivery": 1, "occurrence": 5, "plant": 2, "postponement": 3, "push_job": 3, "push_retry": 2,
        "sent_push": 4, "tag": 2, "thing": 2, "thing_completion": 4, "watering": 3,
    ]

    /// Names the row and says how to repair it.
    public var description: String {
        guard let table, !key.isEmpty else {
            return """
                the database holds \(what), which no rule allows; as the owner of the tables correct that row, or restore it from \
                a backup
                """
        }
        let named = key.map { "\($0.column) \($0.literal)" }.joined(separator: ", ")
        let place = column.map { " in column \($0)" } ?? ""
        return """
            the row of table \(table) with \(named) holds \(what)\(place), which no rule allows; as the owner of the tables \
            correct it\(example(table)), or restore it from a backup
            """
    }

    /// Returns a statement to start with; empty if it could change other rows too.
    private func example(_ table: String) -> String {
        guard let column, key.count == UnreadableRow.keyLengths[table] else { return "" }
        let condition = key.map { "\($0.column) = \($0.literal)" }.joined(separator: " AND ")
        return ", for example by UPDATE \(table) SET \(column) = … WHERE \(condition)"
    }
}

extension UnreadableRow {
    /// Describes why a row could not be read, and adds the row's place unless known. Returns nil for an error that is
    /// not about the row's content.
    init?(_ error: any Error, of table: String, _ key: [KeyPart], column: String?) {
        switch error {
        case let unreadable as UnreadableRow:
            self = unreadable
        case let error as PostgresError where error.code == .decoding:
            let prefix = column.map { "column \"\($0)\": " } ?? ""
            let text = error.explanation ?? "something else than its type says"
            self.init(what: text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text)
        case let error as CareError:
            // The error's message is meant for whoever entered a value, and may repeat that value.
            self.init(what: "what the rules refuse as \(error.code)")
        case let error as ThingError:
            self.init(what: "what the rules refuse as \(error.code)")
        case let error as ShoppingListError:
            self.init(what: "what the rules refuse as \(error.code)")
        default: return nil
        }
        // A part of another table's row, read together with this one, already has its place.
        guard self.table == nil || self.table == table else { return }
        self.key = key + self.key.filter { part in !key.contains { $0.column == part.column } }
        self.table = table
        self.column = self.column ?? column
    }
}

/// Called for each unreadable row, with the consequence; both without personal data.
public typealias UnreadableRowReport = @Sendable (_ row: UnreadableRow, _ consequence: String) -> Void

extension RowReader {
    /// Reads columns of a table's row.
    ///
    /// - Parameter key: the part of the primary key that is known after the attempt to read it.
    /// - Throws: ``UnreadableRow`` with the row's place, for every error that the row may have caused.
    mutating func reading<Value>(
        _ table: String, key: () -> [UnreadableRow.KeyPart], _ body: (inout RowReader) throws -> Value
    ) throws -> Value {
        do {
            return try body(&self)
        } catch {
            throw UnreadableRow(error, of: table, key(), column: lastColumn) ?? error
        }
    }
}

/// Returns the value that `body` reads; nil if a row is unreadable.
func readable<Value>(_ body: () throws -> Value) throws -> Value? {
    do { return try body() } catch is UnreadableRow { return nil }
}

// The only way to an answer without a server: libpq lets programs make results of their own.
import CLibPQ

@testable import Postgres

/// A field of a row, as a server sends it.
struct Field {
    /// By the server's object identifier.
    let type: UInt32
    /// nil is NULL.
    let bytes: [UInt8]?
}

extension Field {
    /// What a column may be, in the order of the seeds in `scripts/fuzz`; the last but one is of a type that a user made.
    private static let types: [UInt32] = [
        16, 17, 19, 20, 21, 23, 25, 701, 1009, 1016, 1043, 1082, 1182, 1184, 1185, 2950, 2951, 3802, 16_384, 0,
    ]
    /// Some more than the widest row has.
    private static let mostColumns = 64

    /// The fields of an input: a byte that picks the type, one that is the length or 255 for NULL, then so many bytes.
    static func all(of input: UnsafeRawBufferPointer) -> [Field] {
        var fields: [Field] = []
        var rest = [UInt8](input)[...]
        while rest.count >= 2, fields.count < mostColumns {
            let type = types[Int(rest.removeFirst()) % types.count]
            let length = rest.removeFirst()
            if length == .max {
                fields.append(Field(type: type, bytes: nil))
            } else {
                fields.append(Field(type: type, bytes: Array(rest.prefix(Int(length)))))
                rest = rest.dropFirst(Int(length))
            }
        }
        return fields
    }

    /// A value as a parameter that the server gives back.
    static func of<Value: PostgresEncodable>(_ value: Value) -> Field {
        var bytes: [UInt8] = []
        if !value.isNull { value.encode(into: &bytes) }
        return Field(type: Value.postgresType.rawValue, bytes: value.isNull ? nil : bytes)
    }
}

extension Rows {
    /// An answer that holds the same row twice: whoever gathers rows by an id meets one again. nil without columns.
    static func twice(_ fields: [Field]) -> Rows? {
        guard !fields.isEmpty, let result = PQmakeEmptyPGresult(nil, PGRES_TUPLES_OK) else { return nil }
        var columns = fields.map {
            PGresAttDesc(name: nil, tableid: 0, columnid: 0, format: 1, typid: $0.type, typlen: -1, atttypmod: -1)
        }
        PQsetResultAttrs(result, Int32(columns.count), &columns)
        for row in Int32(0)..<2 {
            for (column, field) in fields.enumerated() {
                // One byte more, so that there is an address even where there is nothing.
                var bytes = (field.bytes ?? []) + [0]
                bytes.withUnsafeMutableBytes { buffer in
                    let value = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
                    let length = field.bytes.map { Int32($0.count) } ?? -1
                    _ = PQsetvalue(result, row, Int32(column), value, length)
                }
            }
        }
        return Rows(QueryResult(result))
    }
}

/// What is written of a value is read as the same one.
func requireReadableAgain<Value: Equatable>(
    _ value: Value, _ written: some Sequence<any PostgresEncodable>, _ read: (Row) throws -> Value
) {
    guard let row = Rows.twice(written.map { Field.of($0) })?.first else { fatalError("no row of a \(Value.self)") }
    do {
        if try read(row) != value { fatalError("a \(Value.self) becomes another one: \(value)") }
    } catch {
        fatalError("a \(Value.self) that was written cannot be read: \(error)")
    }
}

/// What a statement binds can be written.
func requireWritable(_ statement: Statement) {
    do {
        _ = try EncodedParameters(statement.parameters)
    } catch {
        fatalError("a statement cannot be bound: \(error)")
    }
}

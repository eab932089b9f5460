// libpq lets programs build their own results: the only way to get an answer without a server.
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
    /// Column types, in the order of the seeds in `scripts/fuzz`; the last but one is user-defined.
    private static let types: [UInt32] = [
        16, 17, 19, 20, 21, 23, 25, 701, 1009, 1016, 1043, 1082, 1182, 1184, 1185, 2950, 2951, 3802, 16_384, 0,
    ]
    /// A few more than the widest row has.
    private static let mostColumns = 64

    /// Parses fields: a byte that picks the type, a byte with the length or 255 for NULL, then that many bytes.
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

    /// A value encoded as a parameter, as the server would return it.
    static func of<Value: PostgresEncodable>(_ value: Value) -> Field {
        var bytes: [UInt8] = []
        if !value.isNull { value.encode(into: &bytes) }
        return Field(type: Value.postgresType.rawValue, bytes: value.isNull ? nil : bytes)
    }
}

extension Rows {
    /// A result with the same row twice, so that code that groups rows by id meets a duplicate; nil without columns.
    static func twice(_ fields: [Field]) -> Rows? {
        guard !fields.isEmpty, let result = PQmakeEmptyPGresult(nil, PGRES_TUPLES_OK) else { return nil }
        var columns = fields.map {
            PGresAttDesc(name: nil, tableid: 0, columnid: 0, format: 1, typid: $0.type, typlen: -1, atttypmod: -1)
        }
        PQsetResultAttrs(result, Int32(columns.count), &columns)
        for row in Int32(0)..<2 {
            for (column, field) in fields.enumerated() {
                // One extra byte, so that an empty field has an address too.
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

/// Requires that a written value reads back as the same value.
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

/// Requires that a statement's parameters can be encoded.
func requireWritable(_ statement: Statement) {
    do {
        _ = try EncodedParameters(statement.parameters)
    } catch {
        fatalError("a statement cannot be bound: \(error)")
    }
}

import Foundation
import Postgres

/// Decodes an input as a field sent by a hostile server, and aborts if the client violates an invariant. Called by
/// libFuzzer.
///
/// - Parameters:
///   - data: The input: a byte that picks the type of the column, then the field.
///   - count: Its length in bytes.
/// - Returns: 0, which libFuzzer requires.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPostgresValues(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let types = columnTypes
    let type = types[Int(data[0]) % types.count]
    let field = UnsafeRawBufferPointer(start: data + 1, count: count - 1)
    requireReadableAgain(Bool.self, field, type)
    requireReadableAgain(Int16.self, field, type)
    requireReadableAgain(Int32.self, field, type)
    requireReadableAgain(Int64.self, field, type)
    requireReadableAgain(Int.self, field, type)
    requireReadableAgain(Double.self, field, type)
    requireReadableAgain(String.self, field, type)
    requireReadableAgain(UUID.self, field, type)
    requireReadableAgain(JSONB.self, field, type)
    requireReadableAgain(Bytea.self, field, type)
    requireReadableAgain(PostgresDate.self, field, type)
    requireReadableAgain(PostgresTimestamp.self, field, type)
    requireReadableAgain([Bool].self, field, type)
    requireReadableAgain([Int64?].self, field, type)
    requireReadableAgain([String?].self, field, type)
    requireReadableAgain([UUID].self, field, type)
    requireReadableAgain([Bytea].self, field, type)
    requireReadableAgain([PostgresTimestamp].self, field, type)
    return 0
}

/// The types that the client knows, their array types, and a user-defined one.
private let columnTypes: [PostgresType] = {
    let known: [PostgresType] = [
        .bool, .bytea, .name, .int8, .int2, .int4, .text, .json, .float8, .unknown, .bpchar, .varchar, .date,
        .timestamptz, .uuid, .jsonb, .unspecified,
    ]
    return known + known.compactMap(\.array) + [PostgresType(rawValue: 16_384)]
}()

/// A field may be refused only with `decoding`. A decoded value must encode, and decode again to the same bytes.
private func requireReadableAgain<Value: PostgresCodable>(
    _: Value.Type, _ field: UnsafeRawBufferPointer, _ type: PostgresType
) {
    let value: Value
    do {
        value = try Value.decode(field, type: type)
    } catch let error as PostgresError where error.code == .decoding {
        // Most inputs end here.
        return
    } catch {
        fatalError("a field is refused as what cannot be decoded alone, and not by \(error)")
    }
    let written = bytes(of: value)
    do {
        let again = try written.withUnsafeBytes { try Value.decode($0, type: Value.postgresType) }
        if bytes(of: again) != written { fatalError("a \(Value.self) becomes another one: \(written)") }
    } catch {
        fatalError("a \(Value.self) that was written cannot be read: \(error)")
    }
}

private func bytes(of value: some PostgresEncodable) -> [UInt8] {
    var bytes: [UInt8] = []
    value.encode(into: &bytes)
    return bytes
}

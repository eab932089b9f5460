/// The parameters of one statement in the form libpq expects: one buffer and pointers into it.
struct EncodedParameters {
    /// The protocol counts parameters with 16 bits.
    static let maximumCount = 65_535

    private(set) var types: [UInt32] = []
    private var bytes: [UInt8] = []
    /// The offset of each value; nil is NULL.
    private var offsets: [Int?] = []
    private var lengths: [Int32] = []

    init(_ parameters: [any PostgresEncodable]) throws {
        guard parameters.count <= Self.maximumCount else {
            throw PostgresError.usage(
                "\(parameters.count) parameters where \(Self.maximumCount) are allowed; pass arrays or use copyIn")
        }
        for (index, parameter) in parameters.enumerated() {
            try append(parameter, number: index + 1)
        }
    }

    /// Not generic: specializing it for a type that only the caller knows would take as long as encoding.
    private mutating func append(_ value: any PostgresEncodable, number: Int) throws {
        let type = Swift.type(of: value).postgresType
        types.append(type.rawValue)
        guard !value.isNull else {
            offsets.append(nil)
            lengths.append(0)
            return
        }
        let start = bytes.count
        value.encode(into: &bytes)
        try bytes.checkField(from: start, number: number, type: type)
        offsets.append(start)
        lengths.append(Int32(bytes.count - start))
    }

    /// Calls `body` with values, lengths, and formats; the pointers are valid only during the call.
    func withPointers<Outcome>(_ body: ([UnsafePointer<CChar>?], [Int32], [Int32]) -> Outcome) -> Outcome {
        bytes.withUnsafeBytes { storage in
            let values = offsets.map { offset -> UnsafePointer<CChar>? in
                guard let offset, let base = storage.baseAddress else { return nil }
                return (base + offset).assumingMemoryBound(to: CChar.self)
            }
            let binary = [Int32](repeating: 1, count: values.count)
            return body(values, lengths, binary)
        }
    }
}

extension [UInt8] {
    /// The longest field the server accepts: one byte less than one gibibyte.
    private static var longestField: Int { 0x3fff_ffff }

    /// Appends a field after its length, and validates it as far as the client can.
    ///
    /// - Parameters:
    ///   - value: The field.
    ///   - number: Its position, counted from 1, for the error.
    /// - Throws: ``PostgresError`` with code `usage` if the field is too long or is text with a NUL byte.
    @inlinable
    mutating func appendCheckedField<Value: PostgresEncodable>(_ value: Value, number: Int) throws {
        let start = count
        appendField(value)
        if !value.isNull { try checkField(from: start + 4, number: number, type: Value.postgresType) }
    }

    /// Validates the field that begins at an offset and is the last.
    @inlinable
    func checkField(from start: Int, number: Int, type: PostgresType) throws {
        // Short fields that hold no text, such as numbers, need no check.
        if count - start > 16 || type.mayHoldText { try checkText(from: start, number: number, type: type) }
    }

    @usableFromInline
    func checkText(from start: Int, number: Int, type: PostgresType) throws {
        guard count - start <= Self.longestField else {
            throw PostgresError.usage("value \(number) is longer than the server takes")
        }
        if holdsNUL(from: start, type: type) {
            throw PostgresError.usage("value \(number) is text with a NUL byte, which PostgreSQL's text cannot hold")
        }
    }

    /// Whether the field at this offset is text, or an array of text, that contains a NUL byte.
    private func holdsNUL(from start: Int, type: PostgresType) -> Bool {
        if type.isText || type == .jsonb { return self[start...].contains(0) }
        guard let element = type.element, element.isText || element == .jsonb else { return false }
        return withUnsafeBytes { bytes in
            var reader = WireReader(UnsafeRawBufferPointer(rebasing: bytes[start...]))
            // Leave an array that cannot be parsed for the server to refuse.
            return (try? reader.hasElementWithNUL()) ?? false
        }
    }
}

extension WireReader {
    /// Walks through an array, header first.
    fileprivate mutating func hasElementWithNUL() throws -> Bool {
        let headerLength = 20
        guard remaining > headerLength else { return false }
        _ = try bytes(headerLength)
        while remaining > 0 {
            let length = try integer(Int32.self)
            guard length != -1 else { continue }
            if try bytes(Int(length)).contains(0) { return true }
        }
        return false
    }
}

/// Writes documents as JSON in UTF-8, the names of an object in the order in which it encodes them.
///
/// The module `DocumentEncoding` writes JSON and reads any (``JSONValue``). Start reading here. Numbers and texts look as `JSONEncoder` writes
/// them, which takes some six times as long, because it builds a tree of every document and sorts the names.
///
/// Each value is written to its place at once, and nothing is moved later. Therefore:
///
/// - A nested container or super encoder ends when its parent goes on. Using it afterwards makes the document fail.
/// - An error makes the document fail, even if `encode(to:)` catches it.
/// - An object that encodes a name twice has it twice.
/// - A dictionary comes in its own order, which differs from run to run.
///
/// Foundation's `Data`, `Decimal` and `URL` come as lists and objects, because this module does not know them: give a
/// document text or numbers instead. `Date` and `UUID` look as `JSONEncoder` writes them unless told otherwise.
public enum DocumentEncoder {
    /// The JSON of a document; `{}` if it encodes nothing.
    ///
    /// - Throws: What the document throws; `EncodingError.invalidValue` for a number that is not finite, with the names
    ///   and indices of the values around it, for a container that is used after its end, and for two values in one place.
    public static func bytes(of document: some Encodable) throws -> [UInt8] {
        let output = Output()
        try output.write(document)
        if let failure = output.failure { throw failure }
        return output.bytes
    }
}

/// What is written so far, and the values that have not ended.
private final class Output {
    // Unchecked, because nothing that runs during an access comes back here. The checks would double the time.
    @exclusivity(unchecked) private(set) var bytes: [UInt8] = []
    @exclusivity(unchecked) private(set) var failure: (any Error)?
    @exclusivity(unchecked) private var innermost = OpenValue(start: -1)
    /// The values around the innermost, the outermost first, after one that stands for none.
    @exclusivity(unchecked) private var outer: [OpenValue] = []

    private struct OpenValue {
        /// The place of its first byte, which tells it from all others.
        let start: Int
        /// The number of its members or elements.
        var count = 0
    }

    init() { bytes.reserveCapacity(1024) }

    /// Begins a value that itself knows how it is written.
    func begin() -> ValueEncoder {
        outer.append(innermost)
        innermost = OpenValue(start: bytes.count)
        return ValueEncoder(output: self, start: innermost.start)
    }

    /// Ends the values inside an open one, which goes on.
    func resume(_ start: Int) {
        if innermost.start != start { endValues(inside: start) }
    }

    private func endValues(inside start: Int) {
        guard outer.contains(where: { $0.start == start }) else {
            return refuse("a container is used after its end; use it before its parent goes on")
        }
        while innermost.start != start { end(innermost.start) }
    }

    private func end(_ start: Int) {
        resume(start)
        // After a refusal, there may be none.
        guard let parent = outer.popLast() else { return }
        innermost = parent
        if bytes.count == start {
            add("{}")
        } else if bytes[start] == UInt8(ascii: "{") {
            bytes.append(UInt8(ascii: "}"))
        } else if bytes[start] == UInt8(ascii: "[") {
            bytes.append(UInt8(ascii: "]"))
        }
    }

    /// Makes sure that nothing is written of a value yet, and opens it if it is an object or a list. Those may be open.
    func prepare(_ start: Int, bracket: Unicode.Scalar? = nil) {
        resume(start)
        if bytes.count == start {
            if let bracket { bytes.append(UInt8(ascii: bracket)) }
        } else if bracket.map({ UInt8(ascii: $0) }) != bytes[start] {
            refuse("a second value is encoded in place of the first; encode one")
        }
    }

    /// Makes the document fail where nothing can be thrown.
    private func refuse(_ why: String) {
        failure = EncodingError.invalidValue((), EncodingError.Context(codingPath: [], debugDescription: why))
    }

    /// Makes the document fail, and returns the error with the key of the value in front of its path.
    func fail(_ error: any Error, at key: (any CodingKey)? = nil) -> any Error {
        var error = error
        if let key, case EncodingError.invalidValue(let value, var context) = error {
            context = EncodingError.Context(
                codingPath: [key] + context.codingPath, debugDescription: context.debugDescription,
                underlyingError: context.underlyingError)
            error = EncodingError.invalidValue(value, context)
        }
        failure = error
        return error
    }

    // Always inlined, so that a container's method for a known type need not find out which one that is.
    @inline(__always)
    func write<Value: Encodable>(_ value: Value) throws {
        if try writeScalar(value) { return }
        let encoder = begin()
        try value.encode(to: encoder)
        end(encoder.start)
    }

    /// Writes a value of a type that containers know, or a list of texts; returns false for others.
    @inline(__always)
    func writeScalar<Value: Encodable>(_ value: Value) throws -> Bool {
        switch Value.self {
        case String.self: string(known(value))
        case Int.self: integer(known(value, as: Int.self))
        case Bool.self: add(known(value) ? "true" : "false")
        case Double.self: try float(known(value, as: Double.self))
        case [String].self: list(known(value))
        case Float.self: try float(known(value, as: Float.self))
        case Int8.self: integer(known(value, as: Int8.self))
        case Int16.self: integer(known(value, as: Int16.self))
        case Int32.self: integer(known(value, as: Int32.self))
        case Int64.self: integer(known(value, as: Int64.self))
        case Int128.self: integer(known(value, as: Int128.self))
        case UInt.self: integer(known(value, as: UInt.self))
        case UInt8.self: integer(known(value, as: UInt8.self))
        case UInt16.self: integer(known(value, as: UInt16.self))
        case UInt32.self: integer(known(value, as: UInt32.self))
        case UInt64.self: integer(known(value, as: UInt64.self))
        case UInt128.self: integer(known(value, as: UInt128.self))
        default: return false
        }
        return true
    }

    func null() { add("null") }

    /// Writes a text as it is.
    private func add(_ text: consuming String) {
        text.withUTF8 { bytes += $0 }
    }

    private func integer(_ number: some FixedWidthInteger) { add(String(number)) }

    /// Writes the shortest text that is read as the same number.
    private func float(_ number: some BinaryFloatingPoint & LosslessStringConvertible) throws {
        guard number.isFinite else {
            let context = EncodingError.Context(
                codingPath: [], debugDescription: "\(number) is no JSON number; encode null instead")
            throw EncodingError.invalidValue(number, context)
        }
        let text = String(number)
        add(text)
        if text.hasSuffix(".0") { bytes.removeLast(2) }
    }

    private func list(_ texts: [String]) {
        bytes.append(UInt8(ascii: "["))
        for (index, text) in texts.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            string(text)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// The number of elements of an open list.
    func count(of start: Int) -> Int {
        (outer + [innermost]).last { $0.start == start }?.count ?? 0
    }

    /// Begins the next element of a list.
    func element(of start: Int) {
        resume(start)
        if innermost.count > 0 { bytes.append(UInt8(ascii: ",")) }
        innermost.count += 1
    }

    /// Begins the next member of an object.
    func member(_ name: consuming String, of start: Int) {
        resume(start)
        let isFirst = innermost.count == 0
        innermost.count += 1
        name.withUTF8 { octets in
            // All at once, because adding to an array takes long.
            bytes.append(addingCapacity: 6 * octets.count + 4) { output in
                if !isFirst { output.append(UInt8(ascii: ",")) }
                output.append(quoted: octets)
                output.append(UInt8(ascii: ":"))
            }
        }
    }

    private func string(_ text: consuming String) {
        text.withUTF8 { octets in
            bytes.append(addingCapacity: 6 * octets.count + 2) { output in output.append(quoted: octets) }
        }
    }
}

extension OutputSpan<UInt8> {
    /// Escapes what RFC 8259 (section 7) requires, and nothing else. An escape has at most six bytes.
    @inline(__always)
    fileprivate mutating func append(quoted octets: UnsafeBufferPointer<UInt8>) {
        append(UInt8(ascii: "\""))
        for octet in octets {
            if octet >= 0x20, octet != 0x22, octet != 0x5C { append(octet) } else { append(escaped: octet) }
        }
        append(UInt8(ascii: "\""))
    }

    // Never inlined, because the loop around it would become slower.
    @inline(never)
    private mutating func append(escaped octet: UInt8) {
        let escape =
            switch octet {
            case 0x22: #"\""#
            case 0x5C: #"\\"#
            case 0x08: #"\b"#
            case 0x09: #"\t"#
            case 0x0A: #"\n"#
            case 0x0C: #"\f"#
            case 0x0D: #"\r"#
            default: (octet < 0x10 ? #"\u000"# : #"\u00"#) + String(octet, radix: 16)
            }
        for octet in escape.utf8 { append(octet) }
    }
}

private func ~= (wanted: Any.Type, type: Any.Type) -> Bool { wanted == type }

/// A value as the type that it has. `as!` asks the runtime, which takes longer than writing the value.
@inline(__always)
private func known<Value, Known>(_ value: Value, as type: Known.Type = Known.self) -> Known {
    unsafeBitCast(value, to: type)
}

/// Leads to a container's generic method, which is that of every type but two: for integers of 128 bits, the protocols
/// would choose methods of their own, which throw.
private func generic(_ value: some Encodable) -> some Encodable { value }

/// Encodes the value that starts at a byte.
private struct ValueEncoder: Encoder, SingleValueEncodingContainer {
    let output: Output
    let start: Int
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        output.prepare(start, bracket: "{")
        return KeyedEncodingContainer(Members(output: output, start: start))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        output.prepare(start, bracket: "[")
        return Elements(output: output, start: start)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() {
        output.prepare(start)
        output.null()
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        output.prepare(start)
        do {
            if try !output.writeScalar(value) { try value.encode(to: self) }
        } catch {
            throw output.fail(error)
        }
    }

    func encode(_ value: Int128) throws { try encode(generic(value)) }
    func encode(_ value: UInt128) throws { try encode(generic(value)) }
}

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let output: Output
    let start: Int
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) {
        output.member(key.stringValue, of: start)
        output.null()
    }

    @inline(__always)
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        output.member(key.stringValue, of: start)
        do { try output.write(value) } catch { throw output.fail(error, at: key) }
    }

    func encode(_ value: Int128, forKey key: Key) throws { try encode(generic(value), forKey: key) }
    func encode(_ value: UInt128, forKey key: Key) throws { try encode(generic(value), forKey: key) }

    func nestedContainer<Inner: CodingKey>(keyedBy: Inner.Type, forKey key: Key) -> KeyedEncodingContainer<Inner> {
        encoder(key.stringValue).container(keyedBy: Inner.self)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder(key.stringValue).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder("super") }

    func superEncoder(forKey key: Key) -> any Encoder { encoder(key.stringValue) }

    private func encoder(_ name: String) -> ValueEncoder {
        output.member(name, of: start)
        return output.begin()
    }
}

private struct Elements: UnkeyedEncodingContainer {
    let output: Output
    let start: Int
    var count: Int { output.count(of: start) }
    var codingPath: [any CodingKey] { [] }

    func encodeNil() {
        output.element(of: start)
        output.null()
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        output.element(of: start)
        do { try output.write(value) } catch { throw output.fail(error, at: (count - 1).codingKey) }
    }

    func encode(_ value: Int128) throws { try encode(generic(value)) }
    func encode(_ value: UInt128) throws { try encode(generic(value)) }

    func nestedContainer<Inner: CodingKey>(keyedBy: Inner.Type) -> KeyedEncodingContainer<Inner> {
        encoder().container(keyedBy: Inner.self)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }

    func superEncoder() -> any Encoder { encoder() }

    private func encoder() -> ValueEncoder {
        output.element(of: start)
        return output.begin()
    }
}

/// A JSON document as text, stored as `jsonb`. The server reorders keys and drops whitespace, so the text it returns
/// may differ.
public struct JSONB: Hashable, Sendable {
    /// The document.
    public var text: String

    /// Wraps a document; the server decides whether it is valid JSON.
    public init(_ text: String) {
        self.text = text
    }
}

extension JSONB: PostgresArrayElement {
    /// The only version of the binary format of jsonb to date.
    private static let formatVersion: UInt8 = 1

    /// `jsonb`
    public static var postgresType: PostgresType { .jsonb }

    /// Appends the format's version and the text.
    public func encode(into buffer: inout [UInt8]) {
        buffer.append(Self.formatVersion)
        buffer.append(contentsOf: text.utf8)
    }

    /// Reads a `jsonb` or `json`.
    public static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> JSONB {
        if type == .json { return JSONB(try String.decode(bytes, type: .json)) }
        guard type == .jsonb else { throw PostgresError.wrongType(type, expected: "JSONB") }
        guard bytes.first == formatVersion else {
            throw PostgresError.decoding("jsonb in a format other than version \(formatVersion)")
        }
        let document = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        return JSONB(try String.decode(document, type: .text))
    }
}

import CherishCore
import DocumentEncoding

extension Appearance {
    /// The appearance as JSON.
    public var document: JSONValue { JSONValue(json: json) ?? [:] }

    /// An appearance that a database can keep: jsonb has no NUL, and writes out all digits of a number.
    ///
    /// - Throws: ``CareError/invalidAppearance``.
    public init(_ document: JSONValue) throws(CareError) {
        guard document.isStorable, let bytes = try? document.bytes else { throw .invalidAppearance }
        try self.init(object: String(decoding: bytes, as: UTF8.self))
    }
}

extension JSONValue {
    private static let storableNumbers = 1e-6..<1e15

    fileprivate var isStorable: Bool {
        switch self {
        case .null, .boolean, .integer: true
        case .number(let number): number == 0 || Self.storableNumbers.contains(abs(number))
        case .string(let text): !text.unicodeScalars.contains("\0")
        case .array(let items): items.allSatisfy(\.isStorable)
        case .object(let fields):
            fields.allSatisfy { name, value in !name.unicodeScalars.contains("\0") && value.isStorable }
        }
    }
}

import DocumentEncoding
import Foundation

/// A document as text.
func text(_ document: some Encodable) throws -> String {
    String(decoding: try DocumentEncoder.bytes(of: document), as: UTF8.self)
}

/// A document as Foundation writes it.
func foundationText(_ document: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(document), as: UTF8.self)
}

/// JSON read and written by Foundation, with names in order.
func normalized(_ json: String) throws -> String {
    let tree = try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
    let data = try JSONSerialization.data(withJSONObject: tree, options: [.fragmentsAllowed, .sortedKeys])
    return String(decoding: data, as: UTF8.self)
}

/// Encodes whatever a closure encodes.
struct Custom: Encodable {
    let body: (any Encoder) throws -> Void

    init(_ body: @escaping (any Encoder) throws -> Void) {
        self.body = body
    }

    func encode(to encoder: any Encoder) throws {
        try body(encoder)
    }
}

/// Any name of a member.
struct Name: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init(stringLiteral text: String) {
        stringValue = text
    }

    init?(intValue: Int) { nil }
}

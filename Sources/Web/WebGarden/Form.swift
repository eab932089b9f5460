import Foundation

/// What somebody wrote into a form, as browsers send it (`application/x-www-form-urlencoded`, WHATWG URL).
struct Form: Sendable {
    private let values: [(name: String, value: String)]

    /// An empty form.
    init() { values = [] }

    /// A form that is shown as if somebody had written this.
    init(fields: [(name: String, value: String)]) { values = fields }

    init(_ body: [UInt8]) {
        values = body.split(separator: UInt8(ascii: "&")).map { pair in
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (Form.decoded(parts[0]), parts.count > 1 ? Form.decoded(parts[1]) : "")
        }
    }

    /// Whether nothing was sent.
    var isEmpty: Bool { values.isEmpty }

    /// The first value of a name; nil if there is none.
    subscript(_ name: String) -> String? { values.first { $0.name == name }?.value }

    /// All values of a name, in their order.
    func all(_ name: String) -> [String] { values.filter { $0.name == name }.map(\.value) }

    /// The value of a name, nil if it is blank.
    func written(_ name: String) -> String? {
        self[name].flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
    }

    /// What is not UTF-8, or no hexadecimal number, stays in some form: somebody wrote it by hand.
    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        var (decoded, rest) = ([UInt8](), bytes)
        decoded.reserveCapacity(bytes.count)
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "+") {
                decoded.append(UInt8(ascii: " "))
            } else if byte == UInt8(ascii: "%"),
                let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                decoded.append(code)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }
}

/// SQL text, assembled only from source literals, other SQL, integers and quoted identifiers. Values are sent
/// separately, as parameters.
public struct SQL: Hashable, Sendable {
    /// The text to send.
    public private(set) var text: String

    /// Trusts text that is not a literal, such as the contents of a migration or text from the server itself.
    ///
    /// The caller is responsible for it: the text must contain no user input.
    public init(trusting text: String) {
        self.text = text
    }

    /// A quoted identifier; quotation marks in it are escaped.
    public init(name: String) {
        text = "\"\(name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
    }

    /// Concatenates two texts.
    public static func + (left: SQL, right: SQL) -> SQL {
        SQL(trusting: left.text + right.text)
    }

    /// Appends a text.
    public static func += (left: inout SQL, right: SQL) {
        left.text += right.text
    }
}

extension SQL: CustomStringConvertible {
    /// The text.
    public var description: String { text }
}

extension SQL: ExpressibleByStringInterpolation {
    /// Takes a literal.
    public init(stringLiteral text: String) {
        self.text = text
    }

    /// Takes a literal with interpolations.
    public init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
    }

    /// What may be interpolated into a literal.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        /// Begins a literal.
        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        /// Appends a segment of the literal.
        public mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        /// Appends other SQL.
        public mutating func appendInterpolation(_ sql: SQL) {
            text += sql.text
        }

        /// Appends an integer.
        public mutating func appendInterpolation(_ number: some FixedWidthInteger) {
            text += "\(number)"
        }

        /// Appends a quoted identifier.
        public mutating func appendInterpolation(name: String) {
            text += SQL(name: name).text
        }
    }
}

extension Sequence<SQL> {
    /// Concatenates all texts, with a separator in between.
    public func joined(separator: SQL) -> SQL {
        SQL(trusting: map(\.text).joined(separator: separator.text))
    }
}

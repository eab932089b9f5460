/// The text of SQL, made only of what the source says: literals, other SQL, whole numbers, and names, which are quoted. Values
/// go to the server beside it, as parameters.
public struct SQL: Hashable, Sendable {
    /// What the server reads.
    public private(set) var text: String

    /// Takes over a text that was not written in the source, such as that of a file of migrations or of the server's own.
    ///
    /// The caller answers for it: nothing in it may come from what somebody entered.
    public init(trusting text: String) {
        self.text = text
    }

    /// A name as the server reads it, whatever its characters.
    public init(name: String) {
        text = "\"\(name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
    }

    /// One text after the other.
    public static func + (left: SQL, right: SQL) -> SQL {
        SQL(trusting: left.text + right.text)
    }

    /// Adds a text to the end.
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

    /// What a literal of SQL may contain.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        /// Begins a literal.
        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        /// Adds what stands in the source.
        public mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        /// Adds other SQL.
        public mutating func appendInterpolation(_ sql: SQL) {
            text += sql.text
        }

        /// Adds a whole number.
        public mutating func appendInterpolation(_ number: some FixedWidthInteger) {
            text += "\(number)"
        }

        /// Adds a name, quoted.
        public mutating func appendInterpolation(name: String) {
            text += SQL(name: name).text
        }
    }
}

extension Sequence<SQL> {
    /// One text of all, with a separator in between.
    public func joined(separator: SQL) -> SQL {
        SQL(trusting: map(\.text).joined(separator: separator.text))
    }
}

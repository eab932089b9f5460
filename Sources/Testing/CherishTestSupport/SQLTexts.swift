import Postgres

extension SQL.StringInterpolation {
    /// Appends any text verbatim. Only tests may do so; ``SQL`` says what programs may interpolate.
    public mutating func appendInterpolation(_ text: some CustomStringConvertible) {
        appendInterpolation(SQL(trusting: text.description))
    }
}

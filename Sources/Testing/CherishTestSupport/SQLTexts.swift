import Postgres

extension SQL.StringInterpolation {
    /// Adds any text as it is. Only tests do so: the programs put nothing into SQL but what their source says.
    public mutating func appendInterpolation(_ text: some CustomStringConvertible) {
        appendInterpolation(SQL(trusting: text.description))
    }
}

/// A statement with its parameters, for a pipeline.
public struct Statement: Sendable {
    /// The text, with `$1`, `$2` … where parameters go.
    public var sql: String
    /// The parameters in order.
    public var parameters: [any PostgresEncodable]

    /// Puts a text and its parameters together.
    public init(_ sql: String, _ parameters: [any PostgresEncodable] = []) {
        self.sql = sql
        self.parameters = parameters
    }
}

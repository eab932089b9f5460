/// A statement with its parameters, for a pipeline.
public struct Statement: Sendable {
    /// The text, with placeholders `$1`, `$2` ….
    public var sql: SQL
    /// The parameters in order.
    public var parameters: [any PostgresEncodable]

    /// Combines a text with its parameters.
    public init(_ sql: SQL, _ parameters: [any PostgresEncodable] = []) {
        self.sql = sql
        self.parameters = parameters
    }
}

/// Sits between a connection and its server, so that tests can inject failures: a program that dies between two
/// statements, an answer that never arrives, a statement that is wrong.
///
/// It may make its connection wait, but must not block the thread, which other tasks need. An error that it throws
/// reaches the caller and ends the connection, as if one end had died: the server rolls back uncommitted work. The ROLLBACK of a failed transaction
/// bypasses it.
public protocol StatementInterceptor: Sendable {
    /// Called with the text of each statement, script, COPY, and pipelined statement before it is sent.
    ///
    /// - Returns: the text to send instead; its parameters must match.
    func beforeSending(_ sql: String) async throws -> String

    /// Called after the server has answered without an error; for pipelined statements, after the whole pipeline.
    ///
    /// - Parameter sql: the text as ``beforeSending(_:)`` received it.
    func afterAnswer(to sql: String) throws
}

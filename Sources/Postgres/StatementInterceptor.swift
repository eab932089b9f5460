/// Stands between a connection and its server, so that what goes wrong in life can be brought about in a test: a program
/// that dies between two statements, an answer that never arrives, a statement that is not what it should be.
///
/// It is called on the connection's queue, and may block it. What it throws is thrown to whoever asked, and ends the
/// connection as the death of one of its ends would: the server rolls back what was not committed. Ending a transaction
/// that failed is not shown to it.
public protocol StatementInterceptor: Sendable {
    /// Called with the text of each statement, script, COPY, and statement of a pipeline, before it is sent.
    ///
    /// - Returns: the text that is sent instead; its parameters must fit.
    func beforeSending(_ sql: String) throws -> String

    /// Called after the server has answered without an error; for the statements of a pipeline when all are answered.
    ///
    /// - Parameter sql: the text as ``beforeSending(_:)`` got it.
    func afterAnswer(to sql: String) throws
}

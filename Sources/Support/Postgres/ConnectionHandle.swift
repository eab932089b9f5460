import CLibPQ
import Glibc

/// Owns a `PGconn` from the first connection attempt until the last reference is gone.
final class ConnectionHandle {
    let pointer: OpaquePointer

    /// Client-side keepalives and TCP timeout: a server or network that goes silent is detected within half a minute.
    /// System defaults take a quarter of an hour, or forever if nothing is unacknowledged. TCP only.
    private static let patience = [
        ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "4"),
        ("tcp_user_timeout", "30000"),
    ]

    /// Server-side keepalives, so the server drops dead clients and their locks. No server timeout does that during a
    /// COPY.
    static let patienceOfServer = """
        SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 4
        """

    /// Starts connecting; ``establish(within:isCancelled:)`` completes it.
    init(_ configuration: PostgresConfiguration) throws {
        // libpq expands a URL or conninfo string given as dbname; it overrides the settings before it.
        var settings = Self.patience
        if !configuration.connectionString.isEmpty { settings.append(("dbname", configuration.connectionString)) }
        settings += [("fallback_application_name", configuration.applicationName), ("client_encoding", "UTF8")]
        let started = withCStrings(settings.map { $0.0 }) { keywords in
            withCStrings(settings.map { $0.1 }) { values in
                PQconnectStartParams(keywords, values, 1)
            }
        }
        guard let started else {
            throw PostgresError(code: .connection, explanation: "no memory for a connection")
        }
        pointer = started
        // Drop notices: libpq would print them to standard error, which belongs to the program.
        PQsetNoticeProcessor(pointer, { _, _ in }, nil)
        // While connecting, libpq includes the SQLSTATE only in verbose messages.
        PQsetErrorVerbosity(pointer, PQERRORS_VERBOSE)
    }

    deinit {
        PQfinish(pointer)
    }

    /// Whether the connection uses TCP rather than a Unix-domain socket.
    var isOverTCP: Bool { PQhost(pointer).map { $0.pointee != CChar(UInt8(ascii: "/")) && $0.pointee != 0 } ?? false }

    /// Connects, blocking this thread.
    ///
    /// - Parameters:
    ///   - timeout: How long connecting may take.
    ///   - isCancelled: Polled regularly; true ends the attempt with a `CancellationError`.
    func establish(within timeout: Duration, isCancelled: () -> Bool) throws {
        let deadline = Deadline(after: timeout)
        var progress = PGRES_POLLING_WRITING
        while progress != PGRES_POLLING_OK {
            guard PQstatus(pointer) != CONNECTION_BAD, progress != PGRES_POLLING_FAILED else {
                throw PostgresError.connecting(String(cString: PQerrorMessage(pointer)))
            }
            let events = progress == PGRES_POLLING_READING ? POLLIN : POLLOUT
            try awaitSocket(events, until: deadline, isCancelled: isCancelled)
            progress = PQconnectPoll(pointer)
        }
        PQsetErrorVerbosity(pointer, PQERRORS_DEFAULT)
        guard PQsetnonblocking(pointer, 1) == 0 else {
            throw PostgresError(code: .connection, explanation: "the connection cannot be made non-blocking")
        }
    }

    private func awaitSocket(_ events: Int32, until deadline: Deadline, isCancelled: () -> Bool) throws {
        // Ask for the socket each time: libpq tries several addresses in turn.
        let slice: Int32 = 100
        while try waitForSocket(PQsocket(pointer), events: events, milliseconds: deadline.pause(atMost: slice)) == 0 {
            if isCancelled() { throw CancellationError() }
            if deadline.hasPassed {
                throw PostgresError(
                    code: .connection,
                    explanation: "the server did not answer in time; check host, port and firewalls"
                )
            }
        }
    }
}

/// Calls `body` with C strings and the null pointer that ends the list. They are valid only during the call.
private func withCStrings<Outcome>(_ strings: [String], _ body: ([UnsafePointer<CChar>?]) -> Outcome) -> Outcome {
    let copies: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
    defer {
        for copy in copies { free(copy) }
    }
    var pointers: [UnsafePointer<CChar>?] = copies.map { copy in copy.map { UnsafePointer($0) } }
    pointers.append(nil)
    return body(pointers)
}

import CLibPQ
import Glibc

/// Owns a `PGconn` from the first attempt to connect until nobody refers to it.
final class ConnectionHandle {
    let pointer: OpaquePointer

    /// A server that has vanished without a word, or a network that swallows everything, is noticed within half a minute,
    /// where systems would wait for a quarter of an hour, or for ever if nothing is under way. Over TCP only.
    private static let patience = [
        ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "4"),
        ("tcp_user_timeout", "30000"),
    ]

    /// The server notices the same of this end, which may hold locks: in the middle of a COPY no timeout of its own ends that.
    static let patienceOfServer = """
        SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 4
        """

    /// Begins to connect; ``establish(within:isCancelled:)`` goes on.
    init(_ configuration: PostgresConfiguration) throws {
        // libpq expands a URL or conninfo given as dbname, which overrides what comes before it here.
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
        // Notices would go to standard error, which belongs to the program.
        PQsetNoticeProcessor(pointer, { _, _ in }, nil)
        // While connecting, only a verbose text tells the SQLSTATE.
        PQsetErrorVerbosity(pointer, PQERRORS_VERBOSE)
    }

    deinit {
        PQfinish(pointer)
    }

    /// Whether it leads over a network, and not through a socket in the file system.
    var isOverTCP: Bool { PQhost(pointer).map { $0.pointee != CChar(UInt8(ascii: "/")) && $0.pointee != 0 } ?? false }

    /// Connects, blocking this thread.
    ///
    /// - Parameters:
    ///   - timeout: How long it may take.
    ///   - isCancelled: Asked now and then; true ends the attempt with a `CancellationError`.
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
        // The socket is asked for each time: libpq tries several addresses in turn.
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

/// Calls `body` with C strings, followed by the null pointer that ends such a list. They live as long as the call.
private func withCStrings<Outcome>(_ strings: [String], _ body: ([UnsafePointer<CChar>?]) -> Outcome) -> Outcome {
    let copies: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
    defer {
        for copy in copies { free(copy) }
    }
    var pointers: [UnsafePointer<CChar>?] = copies.map { copy in copy.map { UnsafePointer($0) } }
    pointers.append(nil)
    return body(pointers)
}

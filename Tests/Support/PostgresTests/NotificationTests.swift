import CherishTestSupport
import Postgres
import Testing

@Suite("Notifications", .emptyDatabase)
struct NotificationTests {
    private static let channel = "News \"of\" plants"
    private static let application = "postgres-tests-listener"

    private func listen() -> NotificationStream {
        Connection.notifications(
            on: Self.channel, configuration: databaseConfiguration(applicationName: Self.application))
    }

    /// Notifies until cancelled: nothing shows when the listener is ready.
    private func notify(on connection: Connection) -> Task<Void, any Error> {
        Task {
            while !Task.isCancelled {
                try await connection.execute("SELECT pg_notify($1, $2)", [Self.channel, "payload 가"])
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    private func listeners(_ connection: Connection) async throws -> Int {
        try await single(
            connection,
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1",
            [Self.application])
    }

    @Test func arrive() async throws {
        let connection = try await openConnection()
        let processID: Int32 = try await single(connection, "SELECT pg_backend_pid()")
        let sender = notify(on: connection)
        var received: [Postgres.Notification] = []
        for try await notification in listen() {
            received.append(notification)
            if received.count == 3 { break }
        }
        sender.cancel()
        let expected = Postgres.Notification(channel: Self.channel, payload: "payload 가", processID: processID)
        #expect(received == [expected, expected, expected])
        // The stream is gone, and its connection with it.
        let observer = try await openConnection()
        #expect(try await eventually { try await listeners(observer) == 0 })
    }

    @Test func endWithTheConsumersTask() async throws {
        let observer = try await openConnection()
        let stream = listen()
        let consumer = Task {
            for try await _ in stream {}
        }
        #expect(try await eventually { try await listeners(observer) == 1 })
        consumer.cancel()
        _ = await consumer.result
        #expect(try await eventually { try await listeners(observer) == 0 })
    }

    @Test func failWhenTheServerGoesAway() async throws {
        let observer = try await openConnection()
        let stream = listen()
        #expect(try await eventually { try await listeners(observer) == 1 })
        try await observer.execute(
            """
            SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = $1
            """,
            [Self.application])
        let error = try await #require(throws: PostgresError.self) {
            for try await _ in stream {}
        }
        #expect(error.isConnectionFailure)
    }

    @Test func wantAChannelsName() async throws {
        for channel in ["", String(repeating: "x", count: 64)] {
            let stream = Connection.notifications(on: channel, configuration: databaseConfiguration())
            let error = try await #require(throws: PostgresError.self) {
                for try await _ in stream {}
            }
            #expect(error.code == .usage)
        }
    }
}

import CherishStore
import Postgres
import PrivatePostgres
import Synchronization

/// A database for one test; ``DatabaseTrait`` creates it before the test and drops it afterwards.
///
/// This module knows test clusters and test servers for APNs, FCM and webhooks. It may touch test databases and local
/// sockets. Start reading at ``DatabaseTrait`` for databases, at ``PushServer`` for servers.
public struct TestDatabase: Sendable {
    @TaskLocal static var ofThisTest: TestDatabase?

    /// The database of the running test. It exists in tests with the trait `.emptyDatabase` or `.migratedDatabase`, but
    /// not in detached tasks that they start.
    public static var current: TestDatabase! { ofThisTest }

    /// The database's name within the cluster.
    public let name: String
    /// The connection string for libpq.
    public let connectionString: String

    /// Connections to this database. Tests need not close them: dropping the database terminates them.
    ///
    /// - Parameters:
    ///   - role: limits the sessions to this role's rights; nil connects as the owner of everything.
    ///   - settings: server parameters of each session. Values must not contain white space.
    public func pool(maximumConnections: Int = 4, role: String? = nil, settings: [String: String] = [:])
        -> ConnectionPool
    {
        let all = settings.merging(role.map { ["role": $0] } ?? [:]) { $1 }
        let options = all.sorted { $0.key < $1.key }.map { "-c \($0.key)=\($0.value)" }.joined(separator: " ")
        return ConnectionPool(
            configuration: PostgresConfiguration(
                connectionString: connectionString + (options.isEmpty ? "" : " options='\(options)'"),
                applicationName: "cherish-test",
                connectTimeout: longWait,
                statementTimeout: longWait
            ),
            maximumConnections: maximumConnections,
            acquireTimeout: longWait
        )
    }
}

extension TestDatabase {
    /// Removes the test mark that every migrated test database carries, so that it counts as a shared one.
    public func unmark() async throws {
        let pool = pool(maximumConnections: 1)
        _ = try await pool.withConnection { try await $0.execute("DELETE FROM database_mark") }
        await pool.close()
    }
}

// MARK: - Creating and dropping databases

extension TestDatabase {
    /// The initial content of a database.
    enum Content: Sendable {
        case nothing
        case migratedSchema
    }

    private static let templateName = "cherish_template"
    private static let lastNumber = Atomic<Int>(0)

    /// Creates and drops databases, four at a time. A copy takes some tenths of a second and every starting test queues
    /// for its own, hence the tenfold timeout.
    private static let maintenance = Task<ConnectionPool, any Error>.detached {
        let connectionString = try await TestCluster.shared().connectionString()
        return ConnectionPool(
            configuration: PostgresConfiguration(
                connectionString: connectionString,
                applicationName: "cherish-test-maintenance",
                connectTimeout: longWait,
                statementTimeout: longWait
            ),
            maximumConnections: 4,
            acquireTimeout: longWait * 10
        )
    }

    /// Migrated once per process and copied for each test, which is much faster than migrating each time.
    private static let template = Task<Void, any Error>.detached {
        let pool = try await TestDatabase.make(named: TestDatabase.templateName, from: "template1").pool()
        do {
            try await Migrator(pool: pool).migrate()
            // Tests run the engine ahead of the clock, which only a marked database allows.
            _ = try await DatabaseMark(pool: pool).markTest()
        } catch {
            await pool.close()
            throw error
        }
        await pool.close()
    }

    /// Creates a database with a unique name.
    static func make(_ content: Content) async throws -> TestDatabase {
        let number = lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
        switch content {
        case .nothing:
            return try await make(named: "test_\(number)", from: "template1")
        case .migratedSchema:
            try await template.value
            return try await make(named: "test_\(number)", from: templateName)
        }
    }

    private static func make(named name: String, from template: String) async throws -> TestDatabase {
        try await maintain("CREATE DATABASE \(name) TEMPLATE \(template)")
        let connectionString = try await TestCluster.shared().connectionString(database: name)
        return TestDatabase(name: name, connectionString: connectionString)
    }

    /// Drops the database, even if there are still connections to it.
    func drop() async throws {
        try await Self.maintain("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
    }

    private static func maintain(_ statement: SQL) async throws {
        try await maintenance.value.withConnection { connection in
            try await connection.script(statement)
        }
    }
}

import CherishStore
import Postgres
import PrivatePostgres
import Synchronization

/// A database that belongs to one test; ``DatabaseTrait`` makes it before the test and drops it afterwards.
public struct TestDatabase: Sendable {
    @TaskLocal static var ofThisTest: TestDatabase?

    /// The database of the test that is running. It is there in tests with the trait `.emptyDatabase` or
    /// `.migratedDatabase`, but not in detached tasks that they start.
    public static var current: TestDatabase! { ofThisTest }

    /// The database's name within the cluster.
    public let name: String
    /// What libpq needs to connect to it.
    public let connectionString: String

    /// Connections to this database. They need not be closed: dropping the database cuts them off.
    ///
    /// - Parameters:
    ///   - role: may do what this role may; nil is the owner of everything.
    ///   - settings: the server's parameters of each session. Values without white space.
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
    /// Takes back that the database is one for tests, which all migrated ones say that they are: then it is like one that people
    /// share.
    public func unmark() async throws {
        let pool = pool(maximumConnections: 1)
        _ = try await pool.withConnection { try await $0.execute("DELETE FROM database_mark") }
        await pool.close()
    }
}

// MARK: - Making and dropping databases

extension TestDatabase {
    /// What a new database holds.
    enum Content: Sendable {
        case nothing
        case migratedSchema
    }

    private static let templateName = "cherish_template"
    private static let lastNumber = Atomic<Int>(0)

    /// A single connection that makes and drops all databases, one after the other: a template must have no other
    /// users while it is copied. Tests wait for it longer than for anything else, since all of them may ask at once.
    private static let maintenance = Task<ConnectionPool, any Error>.detached {
        let connectionString = try await TestCluster.shared().connectionString()
        return ConnectionPool(
            configuration: PostgresConfiguration(
                connectionString: connectionString,
                applicationName: "cherish-test-maintenance",
                connectTimeout: longWait,
                statementTimeout: longWait
            ),
            maximumConnections: 1,
            acquireTimeout: longWait * 10
        )
    }

    /// Migrated once per process and copied for each test, which is much faster than migrating each time.
    private static let template = Task<Void, any Error>.detached {
        let pool = try await TestDatabase.make(named: TestDatabase.templateName, from: "template1").pool()
        do {
            try await Migrator(pool: pool).migrate()
            // Tests tell the engine what day it is.
            _ = try await DatabaseMark(pool: pool).markTest()
        } catch {
            await pool.close()
            throw error
        }
        await pool.close()
    }

    /// Makes a database with a name that no other test has.
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

    /// Drops the database, whoever may still be connected to it.
    func drop() async throws {
        try await Self.maintain("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
    }

    private static func maintain(_ statement: String) async throws {
        try await maintenance.value.withConnection { connection in
            try await connection.script(statement)
        }
    }
}

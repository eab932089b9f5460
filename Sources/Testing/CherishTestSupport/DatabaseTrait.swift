import Testing

/// Gives each test its own PostgreSQL database, in ``TestDatabase/current``.
///
/// On a suite it applies to each test, and to each argument of a parameterized test.
public struct DatabaseTrait: TestTrait, SuiteTrait, TestScoping {
    let content: TestDatabase.Content

    /// True, so that the tests of a suite inherit the trait instead of sharing one database.
    public var isRecursive: Bool { true }

    /// Creates a database, runs the test with it, and drops it, even if the test throws.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let database = try await TestDatabase.make(content)
        do {
            try await TestDatabase.$ofThisTest.withValue(database) {
                try await function()
            }
        } catch {
            // Report the test's own error, not one of the cleanup.
            try? await database.drop()
            throw error
        }
        try await database.drop()
    }
}

extension Trait where Self == DatabaseTrait {
    /// A database without any tables.
    public static var emptyDatabase: Self { DatabaseTrait(content: .nothing) }

    /// A database with Cherish's newest schema, and only the rows that migrations add.
    public static var migratedDatabase: Self { DatabaseTrait(content: .migratedSchema) }
}

import Testing

/// Gives each test a PostgreSQL database of its own, found in ``TestDatabase/current``.
///
/// On a suite it counts for each test in it, and for each argument of a test with arguments.
public struct DatabaseTrait: TestTrait, SuiteTrait, TestScoping {
    let content: TestDatabase.Content

    /// True: the tests of a suite inherit the trait, instead of sharing one database.
    public var isRecursive: Bool { true }

    /// Makes a database, performs the test with it, and drops it, whether the test succeeds or throws.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let database = try await TestDatabase.make(content)
        do {
            try await TestDatabase.$ofThisTest.withValue(database) {
                try await function()
            }
        } catch {
            // The test's own error is the one to tell.
            try? await database.drop()
            throw error
        }
        try await database.drop()
    }
}

extension Trait where Self == DatabaseTrait {
    /// A database without any tables.
    public static var emptyDatabase: Self { DatabaseTrait(content: .nothing) }

    /// A database with Cherish's schema in its newest version, and no rows but those that migrations make.
    public static var migratedDatabase: Self { DatabaseTrait(content: .migratedSchema) }
}

import Foundation
import Testing

/// The type `SQL` contains only text from the source, so values reach the database only as parameters. Wherever it is
/// made to trust another text, this list gives the reason why nobody can inject one.
@Suite("SQL is never built from values")
struct ParameterTests {
    private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")

    private static let trusting: [(file: String, count: Int, reason: String)] = [
        ("Postgres/SQL.swift", 3, "it is the type itself, which adds SQL to SQL"),
        ("Postgres/Connection.swift", 1, "an interceptor, which only tests have, changes SQL"),
        ("CherishStore/Coding.swift", 3, "labels are written in the source, and ids are digits"),
        ("CherishStore/Accounts.swift", 1, "columns of ours, each behind its table"),
        ("CherishStore/Housekeeping.swift", 3, "names that the server quotes; a partition's is a table's with digits"),
        ("CherishStore/MutationPoint.swift", 1, "names of cases around SQL"),
        ("CherishStore/Migrator.swift", 3, "files of this package, and a comment that the server quotes"),
        ("CherishStore/Roles.swift", 5, "privileges and signatures written in the source; the server quotes the rest"),
        ("CherishStore/Reports.swift", 1, "an instant: digits, signs and two letters"),
        ("CherishTestSupport/SQLTexts.swift", 1, "only tests link it"),
    ]

    /// Counts the occurrences of a text per source file, keyed by module and file name; files without it are absent.
    private func occurrences(of text: String) throws -> [String: Int] {
        let files = try #require(FileManager.default.enumerator(at: Self.sources, includingPropertiesForKeys: nil))
        var found: [String: Int] = [:]
        for case let file as URL in files where file.pathExtension == "swift" {
            let content = try String(contentsOf: file, encoding: .utf8)
            let count = content.components(separatedBy: text).count - 1
            if count > 0 { found[file.pathComponents.suffix(2).joined(separator: "/")] = count }
        }
        return found
    }

    @Test("the list of trusted texts is complete and current")
    func trusted() throws {
        let listed = Dictionary(uniqueKeysWithValues: Self.trusting.map { ($0.file, $0.count) })
        #expect(try occurrences(of: "trusting") == listed)
    }

    @Test("SQL is created only from literals and trusted texts")
    func unseen() throws {
        #expect(try occurrences(of: "stringLiteral text: String") == ["Postgres/SQL.swift": 1])
        #expect(try occurrences(of: "SQL(stringLiteral").isEmpty)
        #expect(try occurrences(of: "SQL(stringInterpolation").isEmpty)
        // Only these files define what a literal may contain.
        #expect(
            Set(try occurrences(of: "SQL.StringInterpolation").keys)
                == [
                    "CherishStore/Coding.swift", "CherishStore/MutationPoint.swift",
                    "CherishTestSupport/SQLTexts.swift",
                ])
    }
}

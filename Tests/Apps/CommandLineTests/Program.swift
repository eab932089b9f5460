import CherishTestSupport
import Foundation
import Testing

extension ProgramResult {
    /// The single JSON document on standard output.
    func json() throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any], "\(output)\(errors)")
    }

    /// The code of `error: CODE: …`, if standard error begins with one.
    var code: String? {
        let parts = errors.split(separator: ":", maxSplits: 2).map { $0.trimmingCharacters(in: .whitespaces) }
        return parts.count == 3 && parts[0] == "error" ? parts[1] : nil
    }
}

/// A built program, run as a person would run it.
struct Program: Sendable {
    let name: String
    var environment: [String: String] = [:]

    /// The programs are next to the test bundle.
    static let directory = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

    /// The admin CLI on the test's database.
    static var cherish: Program {
        Program(name: "cherish", environment: ["DATABASE_URL": TestDatabase.current.connectionString])
    }

    static var worker: Program {
        Program(name: "cherish-worker", environment: ["DATABASE_URL": TestDatabase.current.connectionString])
    }

    func with(_ variables: [String: String]) -> Program {
        Program(name: name, environment: environment.merging(variables) { $1 })
    }

    /// Runs to the end.
    @discardableResult
    func run(_ arguments: String...) async throws -> ProgramResult {
        try await run(arguments)
    }

    @discardableResult
    func run(_ arguments: [String]) async throws -> ProgramResult {
        try await start(arguments).result()
    }

    /// Runs a command that must succeed and returns its JSON document.
    func json(_ arguments: String...) async throws -> [String: Any] {
        let result = try await run(arguments + ["--output", "json"])
        try #require(result.status == 0, "\(arguments): \(result.errors)")
        return try result.json()
    }

    /// Runs a bash script in a folder; `$CHERISH` and `$WORKER` are the programs.
    func shell(_ script: String, in folder: URL) async throws -> ProgramResult {
        let programs = ["CHERISH": "cherish", "WORKER": "cherish-worker"].mapValues {
            Program.directory.appendingPathComponent($0).path
        }
        return try await RunningProgram(
            "/bin/bash", ["-c", "cd \"$FOLDER\" || exit 99\n" + script],
            environment: environment.merging(programs) { $1 }.merging(["FOLDER": folder.path]) { $1 }
        ).result()
    }

    func start(_ arguments: [String] = []) throws -> RunningProgram {
        try RunningProgram(Program.directory.appendingPathComponent(name).path, arguments, environment: environment)
    }
}

/// A path in a folder of its own, which is deleted after the test.
func withTemporaryFile<Result>(_ name: String, _ body: (URL) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cherish-files-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder.appendingPathComponent(name))
}

/// The lines of a file; none if it does not exist.
func lines(of file: URL) -> [Substring] {
    (try? String(contentsOf: file, encoding: .utf8))?.split(separator: "\n") ?? []
}

let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("fixtures")

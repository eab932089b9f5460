import CherishTestSupport
import Foundation
import Testing

/// What a program said and how it ended.
struct ProgramResult: Sendable {
    let status: Int32
    let output: String
    let errors: String

    /// The one JSON document on standard output.
    func json() throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any], "\(output)\(errors)")
    }

    /// The code of `error: CODE: …`, if standard error begins so.
    var code: String? {
        let parts = errors.split(separator: ":", maxSplits: 2).map { $0.trimmingCharacters(in: .whitespaces) }
        return parts.count == 3 && parts[0] == "error" ? parts[1] : nil
    }
}

/// A built program, run as a person would run it.
struct Program: Sendable {
    let name: String
    var environment: [String: String] = [:]

    /// The programs lie beside the test bundle.
    static let directory = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

    /// The admin CLI on the database of the test.
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

    /// Runs a script of bash in a folder; `$CHERISH` and `$WORKER` are the programs.
    func shell(_ script: String, in folder: URL) async throws -> ProgramResult {
        let programs = ["CHERISH": "cherish", "WORKER": "cherish-worker"].mapValues {
            Program.directory.appendingPathComponent($0).path
        }
        return try await RunningProgram(
            executable: URL(fileURLWithPath: "/bin/bash"), arguments: ["-c", "cd \"$FOLDER\" || exit 99\n" + script],
            environment: environment.merging(programs) { $1 }.merging(["FOLDER": folder.path]) { $1 }
        ).result()
    }

    func start(_ arguments: [String] = []) throws -> RunningProgram {
        try RunningProgram(
            executable: Program.directory.appendingPathComponent(name), arguments: arguments, environment: environment)
    }
}

/// A program that was started. Its output goes to files, so that it never waits for a reader.
final class RunningProgram: Sendable {
    private let process: Process
    private let folder: URL
    private let ended: Task<Int32, Never>

    init(executable: URL, arguments: [String], environment: [String: String]) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cherish-run-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        // Nothing of the tester's own settings.
        let kept = ProcessInfo.processInfo.environment.filter {
            ["PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH"].contains($0.key)
        }
        process.environment = kept.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        for name in ["output", "errors"] {
            try Data().write(to: folder.appendingPathComponent(name))
        }
        process.standardOutput = try FileHandle(forWritingTo: folder.appendingPathComponent("output"))
        process.standardError = try FileHandle(forWritingTo: folder.appendingPathComponent("errors"))
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            end.yield(process.terminationStatus)
            end.finish()
        }
        try process.run()
        self.process = process
        self.folder = folder
        ended = Task {
            var iterator = ends.makeAsyncIterator()
            return await iterator.next() ?? -1
        }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        try? FileManager.default.removeItem(at: folder)
    }

    func signal(_ number: Int32) {
        kill(process.processIdentifier, number)
    }

    /// The most memory that the program had until now, in KiB, as Linux counts it; nil when it has ended.
    private var residentPeak: Int? {
        let status = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) }
    }

    /// Waits for the end, and tells how much memory the program had at most, in KiB. What it takes in its last hundredth of a
    /// second is not seen. (`wait4` would count the memory of the tester, from whom the process was made.)
    func resultAndPeak() async throws -> (ProgramResult, peak: Int) {
        var peak = 0
        while process.isRunning {
            peak = max(peak, residentPeak ?? 0)
            try await Task.sleep(for: .milliseconds(10))
        }
        return (await result(), peak)
    }

    var errors: String { text("errors") }

    private func text(_ name: String) -> String {
        String(decoding: (try? Data(contentsOf: folder.appendingPathComponent(name))) ?? Data(), as: UTF8.self)
    }

    func result() async -> ProgramResult {
        let status = await ended.value
        return ProgramResult(status: status, output: text("output"), errors: text("errors"))
    }
}

/// A path in a folder of its own, which is deleted after the test.
func withTemporaryFile<Result>(_ name: String, _ body: (URL) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cherish-files-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder.appendingPathComponent(name))
}

/// The lines of a file; none where there is no file.
func lines(of file: URL) -> [Substring] {
    (try? String(contentsOf: file, encoding: .utf8))?.split(separator: "\n") ?? []
}

let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("fixtures")

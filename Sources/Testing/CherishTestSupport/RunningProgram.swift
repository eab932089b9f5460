import Foundation
import PrivatePostgres
import Synchronization

/// A program's output and exit status.
public struct ProgramResult: Sendable {
    /// The exit status, or 128 plus the number of the signal that ended the program.
    public let status: Int32
    /// Its standard output.
    public let output: String
    /// Its standard error.
    public let errors: String
}

/// A started program. Its output goes to files, so it never blocks on a reader. Releasing the last reference kills it.
///
/// Replaces Foundation's `Process`, which reads past its buffer in a process with about 1,360 open files: it copies an
/// entry of `/proc/self/fd` by the size of its type, though the entry is shorter.
public final class RunningProgram: Sendable {
    /// The process ID, until the process is reaped: after that, it may belong to another process.
    private final class Identity: Sendable {
        let process: Mutex<pid_t?>

        init(_ process: pid_t) {
            self.process = Mutex(process)
        }

        /// Waits for the end, blocking the calling thread.
        func exitStatus(of process: pid_t) -> Int32 {
            var information = siginfo_t()
            // `WNOWAIT` does not reap the process, so its ID stays valid until the second call.
            while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            return self.process.withLock {
                $0 = nil
                return ChildProcess.wait(for: process) ?? -1
            }
        }
    }

    private let identity: Identity
    private let folder: URL
    private let ended: Task<Int32, Never>

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - executable: its absolute path.
    ///   - arguments: what follows the program's name.
    ///   - environment: variables in addition to those that every program needs. It inherits no others from the tests.
    /// - Throws: if it cannot be started.
    public init(_ executable: String, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cherish-run-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let kept = ProcessInfo.processInfo.environment.filter {
            ["PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH"].contains($0.key)
        }
        let files = ["output", "errors"].map {
            open(folder.appendingPathComponent($0).path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        }
        defer { for file in files { close(file) } }
        let process = try ChildProcess.spawn(
            [executable] + arguments, environment: kept.merging(environment) { $1 }, output: files[0], errors: files[1])
        let identity = Identity(process)
        let (statuses, status) = AsyncStream.makeStream(of: Int32.self)
        Thread.detachNewThread { status.yield(identity.exitStatus(of: process)) }
        self.identity = identity
        self.folder = folder
        ended = Task {
            var iterator = statuses.makeAsyncIterator()
            return await iterator.next() ?? -1
        }
    }

    deinit {
        signal(SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }

    /// The process ID; nil once the process has ended.
    public var processID: pid_t? { identity.process.withLock { $0 } }

    /// Sends a signal, unless the program has ended.
    public func signal(_ number: Int32) {
        identity.process.withLock { process in
            if let process { kill(process, number) }
        }
    }

    /// The program's standard error so far.
    public var errors: String { text("errors") }

    /// Waits for the end.
    public func result() async -> ProgramResult {
        let status = await ended.value
        return ProgramResult(status: status, output: text("output"), errors: text("errors"))
    }

    /// Waits for the end, and returns the program's peak memory in KiB. Misses allocations of its last ten
    /// milliseconds. (`wait4` would include the memory of the test process that spawned it.)
    public func resultAndPeak() async throws -> (ProgramResult, peak: Int) {
        var peak = 0
        while let process = processID {
            peak = max(peak, Self.residentPeak(of: process) ?? 0)
            try await Task.sleep(for: .milliseconds(10))
        }
        return (await result(), peak)
    }

    /// The peak memory of a process so far, in KiB, as Linux counts it; nil once it has ended.
    private static func residentPeak(of process: pid_t) -> Int? {
        let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) }
    }

    private func text(_ name: String) -> String {
        String(decoding: (try? Data(contentsOf: folder.appendingPathComponent(name))) ?? Data(), as: UTF8.self)
    }
}

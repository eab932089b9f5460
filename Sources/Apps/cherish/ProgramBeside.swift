import ArgumentParser
import CherishRuntime
import Foundation
import PrivatePostgres

/// Another program of Cherish, which lies in the folder of this one. So this one links neither what talks to providers nor what
/// breaks things.
struct ProgramBeside {
    private let path: String

    init(_ name: String) {
        path =
            URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent(name).path
    }

    /// Becomes the other program.
    ///
    /// - Throws: ``UsageError`` when it is not there.
    func become(_ arguments: [String]) throws -> Never {
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        execv(path, words)
        throw missing(String(cString: strerror(errno)))
    }

    /// Runs the other program to its end. What it says goes to standard error.
    ///
    /// - Returns: what it printed.
    /// - Throws: ``UsageError`` when it is not there; `ExitCode` when it failed, after it has said why.
    func output(_ arguments: [String]) throws -> Data {
        guard let capture = tmpfile() else { throw UsageError("no temporary file can be made; check TMPDIR") }
        defer { fclose(capture) }
        let process: pid_t
        do {
            process = try ChildProcess.spawn(
                [path] + arguments, environment: ProcessInfo.processInfo.environment, output: fileno(capture),
                errors: STDERR_FILENO)
        } catch {
            throw missing("\(error)")
        }
        let status = ChildProcess.wait(for: process) ?? EXIT_FAILURE
        guard status == 0 else { throw ExitCode(status) }
        let file = FileHandle(fileDescriptor: fileno(capture), closeOnDealloc: false)
        try file.seek(toOffset: 0)
        return try file.readToEnd() ?? Data()
    }

    private func missing(_ reason: String) -> UsageError {
        UsageError("\(path) cannot be started (\(reason)); install it beside this program")
    }
}

import ArgumentParser
import CherishRuntime
import Foundation
import PrivatePostgres

/// Another Cherish program in the same folder. Starting it instead of linking its modules keeps provider clients and
/// fault injection out of this one.
struct ProgramBeside {
    private let path: String

    init(_ name: String) {
        path = ProgramPath.beside(name)
    }

    /// Replaces this process with the other program.
    ///
    /// - Throws: ``UsageError`` if it cannot be started.
    func become(_ arguments: [String]) throws -> Never {
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        execv(path, words)
        throw missing(String(cString: strerror(errno)))
    }

    /// Runs the other program and waits for it. Its messages go to standard error.
    ///
    /// - Returns: its standard output.
    /// - Throws: ``UsageError`` if it cannot be started; `ExitCode` if it fails, after it has reported why.
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

import Foundation
import Glibc

/// Runs a program to its end. The calling thread is blocked until then.
enum ChildProcess {
    struct Outcome {
        /// The exit status, or 128 and the number of the signal that ended the program.
        let status: Int32
        /// What the program wrote to its output and error output.
        let output: String
    }

    /// A lock that must be held until the program has ended, also when this process is killed before.
    struct Lock {
        /// Of a file that is locked by `flock`: the lock is held as long as anybody has the descriptor open.
        let descriptor: Int32
        /// Whether the program leaves another one behind. Then a shell that waits for the program holds the lock in its place: what is
        /// left behind must not.
        var isKeptByShell = false
    }

    /// The descriptor of the lock in a child. A shell names those up to 9 only.
    private static let lockDescriptor: Int32 = 9

    /// - Parameters:
    ///   - command: The program's absolute path and its arguments.
    ///   - directory: The program's working directory.
    ///   - environment: All of its environment.
    ///   - lock: What it holds until its end.
    static func run(
        _ command: [String], in directory: String, environment: [String: String], holding lock: Lock? = nil
    ) throws -> Outcome {
        // A file and not a pipe: a server that the program leaves behind could hold a pipe open for ever.
        guard let capture = tmpfile() else { throw PrivateClusterError(system: "Cannot make a temporary file") }
        defer { fclose(capture) }
        // The shell enters the directory: Swift does not see glibc's own way, an extension of POSIX.
        let script =
            lock?.isKeptByShell == true ? "cd -- \"$0\" && \"$@\" \(lockDescriptor)<&-" : "cd -- \"$0\" && exec \"$@\""
        let processID = try spawn(
            ["/bin/sh", "-c", script, directory] + command, environment: environment, output: fileno(capture),
            lock: lock?.descriptor)
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0 {
            guard errno == EINTR else { throw PrivateClusterError(system: "Cannot wait for \(command[0])") }
        }
        lseek(fileno(capture), 0, SEEK_SET)
        let signal = status & 0x7f
        return Outcome(
            status: signal == 0 ? (status >> 8) & 0xff : 128 + signal,
            output: readText(from: fileno(capture))
        )
    }

    private static func spawn(
        _ command: [String], environment: [String: String], output: Int32, lock: Int32?
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
        if let lock { posix_spawn_file_actions_adddup2(&actions, lock, lockDescriptor) }
        // The server outlives us: it must not inherit the pipe that somebody reads our output from.
        // Closing one that is not open does no harm, so a few more cover those that other threads open meanwhile.
        for descriptor in (STDERR_FILENO + 1)...(highestDescriptor() + 64)
        where lock == nil || descriptor != lockDescriptor {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }

        // Dispatch's threads block signals, and services ignore some; a child would inherit both.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var noSignals = sigset_t()
        var allSignals = sigset_t()
        sigemptyset(&noSignals)
        sigfillset(&allSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setsigdefault(&attributes, &allSignals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        let arguments = copiedStrings(command)
        let variables = copiedStrings(environment.map { "\($0.key)=\($0.value)" })
        defer { (arguments + variables).forEach { free($0) } }
        var processID: pid_t = 0
        let failure = posix_spawn(&processID, command[0], &actions, &attributes, arguments, variables)
        guard failure == 0 else {
            throw PrivateClusterError("Cannot run \(command[0]): \(String(cString: strerror(failure))).")
        }
        return processID
    }

    private static func highestDescriptor() -> Int32 {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.compactMap { Int32($0) }.max() ?? 255
    }

    /// The strings as C wants a list of them: with a null pointer at the end, and to be freed one by one.
    private static func copiedStrings(_ strings: [String]) -> [UnsafeMutablePointer<CChar>?] {
        var copies: [UnsafeMutablePointer<CChar>?] = []
        for string in strings {
            copies.append(strdup(string))
        }
        copies.append(nil)
        return copies
    }
}

/// Does some work while holding an exclusive lock on a file, which is made when it is missing.
///
/// - Parameters:
///   - path: The file. Whoever holds the lock may delete it.
///   - makeParent: Called before each attempt; it makes the directory of the file.
///   - work: Gets the descriptor that holds the lock.
func withExclusiveLock<Value>(
    on path: String, makingParentWith makeParent: () throws -> Void, _ work: (Int32) throws -> Value
) throws -> Value {
    while true {
        try makeParent()
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw PrivateClusterError(system: "Cannot open \(path)") }
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw PrivateClusterError(system: "Cannot lock \(path)") }
        }
        // The holder we waited for may have deleted the file: then others lock another file, and so must we.
        var held = stat()
        var present = stat()
        if fstat(descriptor, &held) == 0, stat(path, &present) == 0,
            held.st_dev == present.st_dev, held.st_ino == present.st_ino
        {
            return try work(descriptor)
        }
    }
}

/// The content of a file, those below `/proc` included; `nil` when it cannot be opened.
func readText(ofFile path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return readText(from: descriptor)
}

/// Reads from the present position to the end.
func readText(from descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
        bytes += buffer[..<count]
    }
}

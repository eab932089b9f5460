import Foundation
import Glibc

/// Starts programs, and runs them to completion.
package enum ChildProcess {
    struct Outcome {
        /// The exit status, or 128 plus the number of the signal that ended the program.
        let status: Int32
        /// The program's standard output and standard error.
        let output: String
    }

    /// A lock that the program holds until it exits, even if this process is killed first.
    struct Lock {
        /// A descriptor locked with `flock`; the lock lasts while any process has the descriptor open.
        let descriptor: Int32
        /// Whether the program leaves a process behind that must not hold the lock. If so, a shell that waits for the
        /// program holds it instead.
        var isKeptByShell = false
    }

    /// The lock's descriptor in the child. Shells can only name descriptors up to 9.
    private static let lockDescriptor: Int32 = 9

    /// Runs a program to completion, blocking the calling thread, and captures its output.
    ///
    /// - Parameters:
    ///   - command: The program's absolute path and its arguments.
    ///   - directory: The program's working directory.
    ///   - environment: The program's whole environment.
    ///   - lock: The lock that the program holds until it exits.
    static func run(
        _ command: [String], in directory: String, environment: [String: String], holding lock: Lock? = nil
    ) throws -> Outcome {
        // A file, not a pipe: a server that the program leaves behind could hold a pipe open forever.
        guard let capture = tmpfile() else { throw PrivateClusterError(system: "Cannot make a temporary file") }
        defer { fclose(capture) }
        // A shell changes the directory: Swift does not import glibc's extension of posix_spawn for that.
        let script =
            lock?.isKeptByShell == true ? "cd -- \"$0\" && \"$@\" \(lockDescriptor)<&-" : "cd -- \"$0\" && exec \"$@\""
        let processID = try spawn(
            ["/bin/sh", "-c", script, directory] + command, environment: environment, output: fileno(capture),
            errors: fileno(capture), lock: lock?.descriptor)
        guard let status = wait(for: processID) else {
            throw PrivateClusterError(system: "Cannot wait for \(command[0])")
        }
        lseek(fileno(capture), 0, SEEK_SET)
        return Outcome(status: status, output: readText(from: fileno(capture)))
    }

    /// Waits for the end of a child, blocking the calling thread.
    ///
    /// - Returns: the exit status, or 128 plus the number of the signal that ended it; nil if there is no such child.
    package static func wait(for processID: pid_t) -> Int32? {
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0 {
            guard errno == EINTR else { return nil }
        }
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }

    /// Starts a program with only the given descriptors, default signal handling, and an empty standard input.
    ///
    /// - Parameters:
    ///   - command: The program's absolute path and its arguments.
    ///   - environment: The program's whole environment.
    ///   - output: The descriptor that becomes the program's standard output.
    ///   - errors: The descriptor that becomes its standard error.
    ///   - lock: A descriptor that the program inherits.
    /// - Throws: ``PrivateClusterError`` if it cannot be started.
    package static func spawn(
        _ command: [String], environment: [String: String], output: Int32, errors: Int32, lock: Int32? = nil
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        if let lock { posix_spawn_file_actions_adddup2(&actions, lock, lockDescriptor) }
        // The server outlives us, so it must not inherit the pipe of our own output. Closing a descriptor that is not
        // open is harmless; the extra 64 cover those that other threads open meanwhile.
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
        guard let directory = opendir("/proc/self/fd") else { return 255 }
        defer { closedir(directory) }
        var highest: Int32 = 255
        while let entry = readdir(directory) {
            // Read in place: an entry is shorter than its type, so copying it could read past the directory's buffer.
            let name = UnsafeRawPointer(entry) + MemoryLayout<dirent>.offset(of: \.d_name)!
            highest = max(highest, atoi(name.assumingMemoryBound(to: CChar.self)))
        }
        return highest
    }

    /// Copies strings into a null-terminated C array; the caller must free each of them.
    private static func copiedStrings(_ strings: [String]) -> [UnsafeMutablePointer<CChar>?] {
        var copies: [UnsafeMutablePointer<CChar>?] = []
        for string in strings {
            copies.append(strdup(string))
        }
        copies.append(nil)
        return copies
    }
}

/// Runs `work` while holding an exclusive lock on a file, and creates the file if it is missing.
///
/// - Parameters:
///   - path: The file. The holder of the lock may delete it.
///   - makeParent: Called before each attempt; creates the directory of the file.
///   - work: Receives the descriptor that holds the lock.
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
        // The previous holder may have deleted the file. If so, others lock a new file: start over with that one.
        var held = stat()
        var present = stat()
        if fstat(descriptor, &held) == 0, stat(path, &present) == 0,
            held.st_dev == present.st_dev, held.st_ino == present.st_ino
        {
            return try work(descriptor)
        }
    }
}

/// Reads a file, including those below `/proc`; `nil` if it cannot be opened.
func readText(ofFile path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return readText(from: descriptor)
}

/// Reads from the current offset to the end.
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

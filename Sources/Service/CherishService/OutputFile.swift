import CherishRuntime
import Foundation
import Synchronization

/// The destination of a command's output: a file, a device, a FIFO, or the standard output, named `-`.
///
/// An existing file is written in place, so that it keeps its owner, mode, access control lists and links, and a
/// symbolic link keeps its target. A regular file is touched only when the output is complete and the space for it is
/// reserved. A new file has mode 0600 and gets its name when it is complete. A device, a FIFO and the standard output
/// are written as the output is produced.
///
///     let file = try OutputFile(path)      // before any work, so that a mistyped path fails at once
///     try file.write(piece)                // as often as needed
///     try file.finish()                    // without this the file is not written
public final class OutputFile: Sendable {
    private enum Place {
        case stream(Int32)
        /// The file, and a temporary file with its new content.
        case existing(Int32, made: Int32)
        /// The future file and its name. Until it is complete it has no name, or the name `unfinished` if the file
        /// system does not support unnamed files.
        case new(made: Int32, unfinished: String?, path: String)
    }

    private struct State {
        var pending: [UInt8] = []
        var isFinished = false
    }

    private static let piece = 1 << 16

    /// The name used in messages.
    private let name: String
    private let place: Place
    private let state = Mutex(State())

    /// Whether this is the standard output, under any name.
    public let isStandardOutput: Bool

    /// Opens the destination. Opening a FIFO waits for its reader.
    ///
    /// - Parameter path: `-` and every path to the standard output, such as `/dev/stdout`, mean the standard output.
    /// - Throws: ``OutputError/cannotCreate(_:reason:)``.
    public init(_ path: String) throws(OutputError) {
        let isStandardOutput = path == "-" || OutputFile.isStandardOutput(path)
        self.isStandardOutput = isStandardOutput
        name = isStandardOutput ? StandardStreams.standardOutputName : path
        place = isStandardOutput ? .stream(STDOUT_FILENO) : try OutputFile.open(path)
    }

    deinit {
        switch place {
        case .stream(let descriptor):
            if !isStandardOutput { close(descriptor) }
        case .existing(let descriptor, let made):
            close(descriptor)
            close(made)
        case .new(let made, let unfinished, _):
            close(made)
            if let unfinished, !state.withLock({ $0.isFinished }) { unlink(unfinished) }
        }
    }

    /// Appends bytes to the output.
    ///
    /// - Throws: ``OutputError``, after which the output cannot be completed.
    public func write(_ bytes: some Collection<UInt8>) throws {
        try state.withLock { state in
            state.pending.append(contentsOf: bytes)
            if state.pending.count >= OutputFile.piece { try flush(&state) }
        }
    }

    /// Appends text to the output, in UTF-8.
    public func write(_ text: String) throws {
        try write(text.utf8)
    }

    /// Completes the output. Syncs the content of a regular file to disk.
    ///
    /// - Throws: ``OutputError``. A new file then does not exist, and an existing one is unchanged, unless the disk
    ///   itself failed.
    public func finish() throws {
        try state.withLock { state in
            try flush(&state)
            switch place {
            case .stream: break
            case .existing(let descriptor, let made): try copy(made, to: descriptor)
            case .new(let made, let unfinished, let path):
                guard fsync(made) == 0 else { throw failed() }
                try name(made, unfinished, path)
            }
            state.isFinished = true
        }
    }

    private func flush(_ state: inout State) throws(OutputError) {
        let descriptor =
            switch place {
            case .stream(let descriptor): descriptor
            case .existing(_, let made), .new(let made, _, _): made
            }
        let number = state.pending.withUnsafeBytes { StandardStreams.write($0, to: descriptor) }
        state.pending.removeAll(keepingCapacity: true)
        if let number { throw failed(number) }
    }

    /// Gives the new file its name, replacing a file created under that name meanwhile.
    private func name(_ made: Int32, _ unfinished: String?, _ path: String) throws(OutputError) {
        var unfinished = unfinished
        if unfinished == nil {
            let descriptor = "/proc/self/fd/\(made)"
            if linkat(AT_FDCWD, descriptor, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 { return }
            let other = OutputFile.unfinishedName(beside: path)
            guard errno == EEXIST, linkat(AT_FDCWD, descriptor, AT_FDCWD, other, AT_SYMLINK_FOLLOW) == 0 else {
                throw failed()
            }
            unfinished = other
        }
        guard let unfinished, rename(unfinished, path) == 0 else { throw failed() }
    }

    /// Copies the new content into the existing file.
    private func copy(_ made: Int32, to descriptor: Int32) throws(OutputError) {
        var before = stat()
        let size = lseek(made, 0, SEEK_END)
        guard size >= 0, fstat(descriptor, &before) == 0 else { throw failed() }
        // Reserves the space first, so that a full disk leaves the old content intact. Not every file system supports
        // this.
        let refusal = size > 0 ? posix_fallocate(descriptor, 0, size) : 0
        if [ENOSPC, EDQUOT, EFBIG].contains(refusal) {
            ftruncate(descriptor, before.st_size)
            throw failed(refusal)
        }
        var buffer = [UInt8](repeating: 0, count: OutputFile.piece)
        guard lseek(made, 0, SEEK_SET) == 0 else { throw failed() }
        while true {
            let count = read(made, &buffer, buffer.count)
            guard count >= 0 else { throw failed() }
            if count == 0 { break }
            let number = buffer[..<count].withUnsafeBytes { StandardStreams.write($0, to: descriptor) }
            if let number { throw failed(number) }
        }
        guard ftruncate(descriptor, size) == 0, fsync(descriptor) == 0 else { throw failed() }
    }

    private func failed(_ number: Int32 = errno) -> OutputError {
        OutputError.failed(name, reason: number)
    }
}

// MARK: - Opening

extension OutputFile {
    /// Whether a path leads to the standard output. Opening it again would create a second file offset.
    private static func isStandardOutput(_ path: String) -> Bool {
        var wanted = stat()
        var output = stat()
        return stat(path, &wanted) == 0 && fstat(STDOUT_FILENO, &output) == 0
            && wanted.st_dev == output.st_dev && wanted.st_ino == output.st_ino
    }

    private static func open(_ path: String) throws(OutputError) -> Place {
        let descriptor = Glibc.open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno == ENOENT, !path.isEmpty, !path.hasSuffix("/") else {
                throw OutputError.cannotCreate(path, reason: errno)
            }
            let target = followed(path)
            let (made, unfinished) = try unfinishedFile(beside: target)
            return .new(made: made, unfinished: unfinished, path: target)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return .stream(descriptor) }
        do {
            return .existing(descriptor, made: try namelessFile(beside: path))
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// The target of a symbolic link, which need not exist.
    private static func followed(_ path: String) -> String {
        var path = path
        while let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) {
            path = target.hasPrefix("/") ? target : folder(of: path) + "/" + target
        }
        return path
    }

    /// Creates an unnamed file, which disappears however this program ends. Names it if the file system does not
    /// support unnamed files.
    private static func unfinishedFile(beside path: String) throws(OutputError) -> (descriptor: Int32, path: String?) {
        let folder = folder(of: path)
        var unfinished: String?
        var descriptor = Glibc.open(folder.isEmpty ? "/" : folder, O_RDWR | unnamed | O_CLOEXEC, 0o600)
        if descriptor < 0 {
            let name = unfinishedName(beside: path)
            descriptor = Glibc.open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            unfinished = name
        }
        guard descriptor >= 0 else { throw OutputError.cannotCreate(path, reason: errno) }
        // Override the umask.
        fchmod(descriptor, 0o600)
        return (descriptor, unfinished)
    }

    /// O_TMPFILE, which Swift does not import.
    private static let unnamed = 0o20_000_000 | O_DIRECTORY

    private static func unfinishedName(beside path: String) -> String {
        "\(folder(of: path))/.cherish-unfinished-\(UUID().uuidString.prefix(8))"
    }

    /// Creates a file that disappears when it is closed: in the same folder, which has room for large files, or else in
    /// the folder for temporary files.
    private static func namelessFile(beside path: String) throws(OutputError) -> Int32 {
        if let (descriptor, name) = try? unfinishedFile(beside: path) {
            if let name { unlink(name) }
            return descriptor
        }
        guard let file = tmpfile() else { throw OutputError.cannotCreate(path, reason: errno) }
        defer { fclose(file) }
        return fcntl(fileno(file), F_DUPFD_CLOEXEC, 0)
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "" : String(path[..<slash])
    }
}

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reads a file from start to end in pieces, and converts it to UTF-8 from whatever encoding it has.
final class FilePieces {
    /// The maximum size of a raw piece, in bytes.
    static let pieceSize = 64 * 1024

    private let path: String
    private let descriptor: Int32
    /// Bytes that were read to detect the encoding and not returned yet.
    private var beginning: [UInt8]?
    private var converter: TextConverter?

    /// The bytes read so far, and the file's `size`, which is nil if unknown, as for a pipe.
    private(set) var bytesRead = 0
    let size: Int?

    /// Opens a file; `-` is the standard input.
    ///
    /// - Throws: ``UnreadableFile`` if it does not exist, is a directory or may not be read.
    init(path: String) throws {
        self.path = path
        (descriptor, size) = try FilePieces.openDescriptor(path: path)
    }

    deinit {
        close(descriptor)
    }

    /// Returns the next bytes in UTF-8, without a byte-order mark; empty at the end of the file.
    ///
    /// - Throws: ``UnreadableFile`` if a read fails.
    func nextPiece() throws -> [UInt8] {
        if beginning == nil { try begin() }
        while true {
            let held = beginning ?? []
            beginning = []
            let bytes = held.isEmpty ? try readPiece() : held
            guard let converter else { return bytes }
            let converted = bytes.isEmpty ? converter.finish() : converter.convert(bytes)
            // A piece may hold just the start of a character.
            if !converted.isEmpty || bytes.isEmpty { return converted }
        }
    }

    /// Reads enough to detect the encoding. A pipe may return its bytes one at a time.
    private func begin() throws {
        var bytes: [UInt8] = []
        while bytes.count < Self.pieceSize {
            let more = try readPiece()
            if more.isEmpty { break }
            bytes += more
        }
        let (charset, markLength) = TextEncoding.detected(in: bytes)
        converter = charset.flatMap { TextConverter(from: $0) }
        beginning = Array(bytes.dropFirst(markLength))
    }

    private func readPiece() throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, filled in
            var count = read(descriptor, buffer.baseAddress, buffer.count)
            while count < 0, errno == EINTR {
                count = read(descriptor, buffer.baseAddress, buffer.count)
            }
            guard count >= 0 else { throw Self.refusal(path: path, code: errno) }
            filled = count
            bytesRead += count
        }
    }

    private static func openDescriptor(path: String) throws -> (Int32, Int?) {
        // Not /dev/stdin, which would be reopened: that fails for a socket and for another user's pipe.
        let descriptor = path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw refusal(path: path, code: errno) }
        var status = stat()
        let code = fstat(descriptor, &status) == 0 ? 0 : errno
        let isDirectory = (status.st_mode & S_IFMT) == S_IFDIR
        guard code == 0, !isDirectory else {
            close(descriptor)
            throw refusal(path: path, code: isDirectory ? EISDIR : code)
        }
        let isRegular = (status.st_mode & S_IFMT) == S_IFREG
        return (descriptor, isRegular ? Int(status.st_size) : nil)
    }

    private static func refusal(path: String, code: Int32) -> UnreadableFile {
        switch code {
        case ENOENT, ENOTDIR:
            UnreadableFile(reason: "\(path) does not exist: check the path")
        case EISDIR:
            UnreadableFile(reason: "\(path) is a directory: name a file in it")
        case EACCES, EPERM:
            UnreadableFile(reason: "\(path) may not be read: give this user permission to read it")
        default:
            UnreadableFile(reason: "\(path) cannot be read (system error \(code)): copy it elsewhere and try again")
        }
    }
}

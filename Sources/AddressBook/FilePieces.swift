#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file that is read from its beginning to its end, piece by piece, as UTF-8 whatever its encoding is.
final class FilePieces {
    /// The most bytes in one piece.
    static let pieceSize = 64 * 1024

    private let path: String
    private let descriptor: Int32
    /// What was read to tell the encoding, and not handed over yet.
    private var beginning: [UInt8]?
    private var converter: TextConverter?

    /// How many bytes were read, of how many; nil where the system does not know, as in a pipe.
    private(set) var bytesRead = 0
    let size: Int?

    /// Opens a file; `-` is the standard input.
    ///
    /// - Throws: ``UnreadableFile`` when it does not exist, is a directory or may not be read.
    init(path: String) throws {
        self.path = path
        (descriptor, size) = try FilePieces.openDescriptor(path: path)
    }

    deinit {
        close(descriptor)
    }

    /// The next bytes in UTF-8, without a byte-order mark; none at the end of the file.
    ///
    /// - Throws: ``UnreadableFile`` when the system cannot read on.
    func nextPiece() throws -> [UInt8] {
        if beginning == nil { try begin() }
        while true {
            let held = beginning ?? []
            beginning = []
            let bytes = held.isEmpty ? try readPiece() : held
            guard let converter else { return bytes }
            let converted = bytes.isEmpty ? converter.finish() : converter.convert(bytes)
            // A piece may hold no more than the beginning of a character.
            if !converted.isEmpty || bytes.isEmpty { return converted }
        }
    }

    /// Reads enough to tell the encoding. A pipe may hand over its bytes one by one.
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
        // Not /dev/stdin, which would be opened anew: another user's pipe, or a socket, cannot be.
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

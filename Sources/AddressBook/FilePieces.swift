#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file that is read from its beginning to its end, piece by piece.
final class FilePieces {
    /// The most bytes in one piece.
    static let pieceSize = 64 * 1024

    private let path: String
    private let descriptor: Int32

    /// Opens a file.
    ///
    /// - Throws: ``UnreadableFile`` when it does not exist, is a directory or may not be read.
    init(path: String) throws {
        self.path = path
        self.descriptor = try FilePieces.openDescriptor(path: path)
    }

    deinit {
        close(descriptor)
    }

    /// The next bytes; none at the end of the file.
    ///
    /// - Throws: ``UnreadableFile`` when the system cannot read on.
    func nextPiece() throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, filled in
            var count = read(descriptor, buffer.baseAddress, buffer.count)
            while count < 0, errno == EINTR {
                count = read(descriptor, buffer.baseAddress, buffer.count)
            }
            guard count >= 0 else { throw Self.refusal(path: path, code: errno) }
            filled = count
        }
    }

    private static func openDescriptor(path: String) throws -> Int32 {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw refusal(path: path, code: errno) }
        var status = stat()
        let code = fstat(descriptor, &status) == 0 ? 0 : errno
        let isDirectory = (status.st_mode & S_IFMT) == S_IFDIR
        guard code == 0, !isDirectory else {
            close(descriptor)
            throw refusal(path: path, code: isDirectory ? EISDIR : code)
        }
        return descriptor
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

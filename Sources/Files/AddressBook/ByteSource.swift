#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The source of an address book's or seed's bytes: a file, memory, or a caller that supplies pieces, such as a request
/// body. It can be read only once.
public struct ByteSource {
    /// The name in messages and in the list of imports: a path, or the name of an uploaded file.
    public let name: String
    /// The number of bytes; nil if unknown, as for a pipe.
    public let size: Int?
    private let next: () throws -> [UInt8]?

    /// Reads pieces from a callback.
    ///
    /// - Parameter next: Returns the next bytes; nil at the end, and from then on. A piece may be empty. Readers rethrow its
    ///   errors.
    public init(name: String, size: Int? = nil, next: @escaping () throws -> [UInt8]?) {
        self.name = name
        self.size = size
        self.next = next
    }

    /// Reads bytes in memory.
    public init(name: String, bytes: [UInt8]) {
        var rest: [UInt8]? = bytes
        self.init(name: name, size: bytes.count) {
            defer { rest = nil }
            return rest
        }
    }

    /// Opens a file; `-` is the standard input.
    ///
    /// - Throws: ``UnreadableFile`` if it does not exist, is a directory or is not readable. Reading may throw it too.
    public static func file(_ path: String) throws -> ByteSource {
        let file = try OpenFile(path: path)
        return ByteSource(name: path, size: file.size) { try file.nextPiece() }
    }

    /// The name without folders and control characters, at most 255 characters: whoever uploads a file chooses its name.
    public var fileName: String {
        let last = name.split(separator: "/").last.map(String.init) ?? name
        let printable = last.unicodeScalars.filter { $0.properties.generalCategory != .control }
        return String(String(String.UnicodeScalarView(printable)).prefix(255))
    }

    /// The next bytes; none at the end.
    func nextPiece() throws -> [UInt8] {
        while let piece = try next() {
            if !piece.isEmpty { return piece }
        }
        return []
    }
}

/// A file that is closed when its last reference is released.
private final class OpenFile {
    private static let pieceSize = 64 * 1024

    private let path: String
    private let descriptor: Int32
    /// nil if unknown, as for a pipe.
    let size: Int?

    init(path: String) throws {
        self.path = path
        // Opening /dev/stdin would reopen the file, which fails for a socket and for another user's pipe.
        descriptor = path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.refusal(path: path, code: errno) }
        var status = stat()
        let code = fstat(descriptor, &status) == 0 ? 0 : errno
        let isDirectory = (status.st_mode & S_IFMT) == S_IFDIR
        guard code == 0, !isDirectory else {
            close(descriptor)
            throw Self.refusal(path: path, code: isDirectory ? EISDIR : code)
        }
        size = (status.st_mode & S_IFMT) == S_IFREG ? Int(status.st_size) : nil
    }

    deinit {
        close(descriptor)
    }

    /// nil at the end.
    func nextPiece() throws -> [UInt8]? {
        let piece = try [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, filled in
            var count = read(descriptor, buffer.baseAddress, buffer.count)
            while count < 0, errno == EINTR {
                count = read(descriptor, buffer.baseAddress, buffer.count)
            }
            guard count >= 0 else { throw Self.refusal(path: path, code: errno) }
            filled = count
        }
        return piece.isEmpty ? nil : piece
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

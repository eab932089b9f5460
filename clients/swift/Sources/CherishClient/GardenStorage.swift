import Foundation

/// Keeps entries by key.
public protocol GardenStorage: Sendable {
    /// The entries whose keys begin so, sorted by key.
    func read(_ prefix: String) throws -> [(key: String, value: JSON)]

    /// Writes entries; nil removes one. All of it happens, or nothing.
    func write(_ changes: [(key: String, value: JSON?)]) throws
}

/// A storage in a file, which is written anew with each change and never seen half.
///
/// The file holds what people say to each other, so nobody else may read it. On a phone, keep it where the system protects it.
public final class FileStorage: GardenStorage {
    private let file: URL
    private let lock = NSLock()
    // Only used under the lock.
    nonisolated(unsafe) private var entries: [String: JSON]

    /// Opens a file, or begins one.
    ///
    /// - Throws: what Foundation throws if the file cannot be read; `DecodingError` if it is none of ours.
    public init(_ file: URL) throws {
        self.file = file
        let isThere = FileManager.default.fileExists(atPath: file.path)
        entries = isThere ? try JSONDecoder().decode([String: JSON].self, from: Data(contentsOf: file)) : [:]
    }

    public func read(_ prefix: String) -> [(key: String, value: JSON)] {
        lock.withLock { entries.filter { $0.key.hasPrefix(prefix) }.sorted { $0.key < $1.key } }
    }

    /// Writes beside the file, where nobody else may read from the beginning, and puts that in its place.
    private func replace(with data: Data) throws {
        let path = file.path + ".new"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: data)
        try handle.synchronize()
        try handle.close()
        guard rename(path, file.path) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    public func write(_ changes: [(key: String, value: JSON?)]) throws {
        try lock.withLock {
            var next = entries
            for (key, value) in changes { next[key] = value }
            try replace(with: try JSONEncoder().encode(next))
            entries = next
        }
    }
}

/// A storage that lasts as long as the program.
public final class MemoryStorage: GardenStorage {
    private let lock = NSLock()
    // Only used under the lock.
    nonisolated(unsafe) private var entries: [String: JSON] = [:]

    public init() {}

    public func read(_ prefix: String) -> [(key: String, value: JSON)] {
        lock.withLock { entries.filter { $0.key.hasPrefix(prefix) }.sorted { $0.key < $1.key } }
    }

    public func write(_ changes: [(key: String, value: JSON?)]) {
        lock.withLock {
            for (key, value) in changes { entries[key] = value }
        }
    }
}

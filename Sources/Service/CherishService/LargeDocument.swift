import CherishCore
import Foundation
import GardenArchive

/// An account's document that is too large for memory, in an unnamed temporary file that is deleted with this object.
final class LargeDocument: Sendable {
    private let file: FileHandle

    /// Creates an empty document.
    ///
    /// - Throws: ``TemporaryFileError``.
    init() throws {
        guard let stream = tmpfile() else { throw TemporaryFileError(reason: errno) }
        defer { fclose(stream) }
        let descriptor = fcntl(fileno(stream), F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw TemporaryFileError(reason: errno) }
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Appends the next bytes of the document.
    ///
    /// - Throws: ``TemporaryFileError``.
    func append(_ bytes: [UInt8]) throws {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                write(file.fileDescriptor, buffer.baseAddress! + written, buffer.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw TemporaryFileError(reason: errno) }
            written += count
        }
    }

    /// Reads the document from its start. Any number of readers is allowed.
    func pieces() -> LargeDocumentPieces { LargeDocumentPieces(document: self) }

    /// Reads bytes from an offset; empty at the end.
    fileprivate func bytes(from offset: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: 256 * 1024) { buffer, filled in
            var count = pread(file.fileDescriptor, buffer.baseAddress, buffer.count, offset)
            while count < 0, errno == EINTR {
                count = pread(file.fileDescriptor, buffer.baseAddress, buffer.count, offset)
            }
            guard count >= 0 else { throw TemporaryFileError(reason: errno) }
            filled = count
        }
    }
}

/// Reads the pieces of a document one by one.
struct LargeDocumentPieces {
    private let document: LargeDocument
    private var offset = 0
    private var splitter = DocumentSplitter()
    /// Pieces read but not returned yet, the next one last.
    private var waiting: [DocumentSplitter.Piece] = []

    fileprivate init(document: LargeDocument) {
        self.document = document
    }

    /// - Throws: ``ExportProblem``, ``TemporaryFileError``.
    mutating func next() throws -> DocumentSplitter.Piece? {
        while waiting.isEmpty {
            let bytes = try document.bytes(from: offset)
            if bytes.isEmpty { return nil }
            offset += bytes.count
            waiting = try splitter.take(bytes).reversed()
        }
        return waiting.popLast()
    }

    /// Reads to the end and returns the document without its pieces.
    mutating func rest() throws -> [UInt8] {
        while try next() != nil {}
        return splitter.rest
    }
}

/// An exported account that is too large for memory.
struct LargeExport: PiecewiseExport {
    private let document: LargeDocument
    private let frame: ExportFrame

    /// - Parameter rest: the document without its pieces.
    init(_ document: LargeDocument, rest: [UInt8]) throws {
        self.document = document
        frame = try ExportFrame(rest)
    }

    var head: AccountExport { frame.head }

    func forEachPiece(_ body: (ExportPiece) throws -> Void) throws {
        var pieces = document.pieces()
        while let piece = try pieces.next() { try body(try frame.piece(piece)) }
    }

    func part(_ pieces: [ExportPiece]) throws -> AccountExport { try frame.part(pieces) }
}

/// A large document could not be written to or read from its temporary file.
struct TemporaryFileError: Error, CustomStringConvertible {
    let reason: Int32

    var description: String {
        let words = String(cString: strerror(reason))
        return
            "a large document is kept in the folder of temporary files while it is read, and that failed (\(words)); make room there"
    }
}

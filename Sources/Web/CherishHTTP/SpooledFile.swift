import CherishRuntime
import Foundation
import Hummingbird
import NIOCore

/// What is too large for memory: it waits in a file without a name until it is sent or read.
package final class SpooledFile: Sendable {
    fileprivate static let pieceLength = 64 * 1024

    private let descriptor: Int32
    /// In bytes.
    let length: Int

    /// Lets the body write the file.
    static func write(_ body: (_ write: @escaping ([UInt8]) throws -> Void) async throws -> Void) async throws
        -> SpooledFile
    {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("cherish-\(UUID().uuidString)").path
        // A program that this one starts must not inherit the file: it may hold somebody's address book.
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SpoolError(errno) }
        // Nobody finds it by a name, and it goes when the program does.
        unlink(path)
        do {
            try await body { bytes in try SpooledFile.write(bytes, to: descriptor) }
        } catch {
            close(descriptor)
            throw error
        }
        return SpooledFile(descriptor, length: Int(lseek(descriptor, 0, SEEK_CUR)))
    }

    private init(_ descriptor: Int32, length: Int) {
        (self.descriptor, self.length) = (descriptor, length)
    }

    deinit { close(descriptor) }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 || errno == EINTR else { throw SpoolError(errno) }
            rest = rest.dropFirst(max(count, 0))
        }
    }

    /// The file, piece by piece.
    var responseBody: ResponseBody {
        ResponseBody(contentLength: length) { [self] writer in
            var offset = 0
            while offset < length {
                let piece = try piece(offset..<min(offset + SpooledFile.pieceLength, length))
                offset += piece.count
                try await writer.write(ByteBuffer(bytes: piece))
            }
            try await writer.finish(nil)
        }
    }

    /// Bytes from the start of a range that is not empty, at least one of them.
    func piece(_ range: Range<Int>) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: range.count) { buffer, filled in
            let count = pread(descriptor, buffer.baseAddress, range.count, off_t(range.lowerBound))
            guard count > 0 else { throw SpoolError(errno) }
            filled = count
        }
    }

    /// Lets the body see all bytes at once; they stay in the file.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        // The system maps no empty file.
        if length == 0 { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        guard let start = mmap(nil, length, PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED else {
            throw SpoolError(errno)
        }
        defer { munmap(start, length) }
        return try body(UnsafeRawBufferPointer(start: start, count: length))
    }
}

/// A temporary file cannot be written or read.
struct SpoolError: ExplainedError {
    let code = "cannot_create"
    let exitStatus: Int32 = 73
    let httpStatus = 503
    private let reason: Int32

    init(_ reason: Int32) {
        self.reason = reason
    }

    var description: String {
        "a temporary file cannot be used: \(String(cString: strerror(reason))); check the space of TMPDIR"
    }
}

extension Reply {
    /// In bytes.
    var length: Int { file?.length ?? body.count }

    /// Written piece by piece, so that it shows whether the client takes anything of it.
    var responseBody: ResponseBody {
        if let file { return file.responseBody }
        if let events { return events.body }
        if body.count <= SpooledFile.pieceLength { return ResponseBody(byteBuffer: ByteBuffer(bytes: body)) }
        return ResponseBody(contentLength: body.count) { [body] writer in
            for start in stride(from: 0, to: body.count, by: SpooledFile.pieceLength) {
                let piece = body[start..<min(start + SpooledFile.pieceLength, body.count)]
                try await writer.write(ByteBuffer(bytes: piece))
            }
            try await writer.finish(nil)
        }
    }
}

import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1

/// Reads the body of a request.
enum RequestReading {
    static let deadline = Duration.seconds(10)
    /// A file that arrives more slowly than this, in bytes a second, for longer than ``deadline`` is given up.
    static let slowestUpload = 32 * 1024

    /// Reads the whole body.
    ///
    /// - Throws: ``RefusedRequest`` for a body that is too long, too slow, of another kind, or not wanted.
    static func body(of request: Request, for route: Route) async throws -> [UInt8] {
        let limit = try requireHeaders(of: request, for: route)
        // Most requests have no body, and need no deadline for it. Over HTTP/2, one that is wanted may come unannounced.
        if route.body == nil, request.headers[.contentLength] == nil, request.headers[.transferEncoding] == nil {
            return []
        }
        return try await Deadline.within(deadline, orThrow: RefusedRequest.tooSlow) { _ in
            var bytes: [UInt8] = []
            try await read(request, limit: limit) { bytes.append(contentsOf: $0.readableBytesView) }
            guard route.body == nil else { return bytes }
            // Many clients send an empty object where nothing is wanted.
            guard bytes.isEmpty || bytes == emptyObject else { throw RefusedRequest.bodyTooLong(limit: 0) }
            return []
        }
    }

    private static let emptyObject = Array("{}".utf8)

    /// Reads a large file.
    ///
    /// - Throws: as ``body(of:for:)``; ``RefusedRequest/brokenForm``.
    static func upload(of request: Request, for route: Route) async throws -> UploadedFile {
        let limit = try requireHeaders(of: request, for: route)
        let body = try await Deadline.within(deadline, orThrow: RefusedRequest.tooSlow) { end in
            try await SpooledFile.write { write in
                try await read(request, limit: limit) { piece in
                    end.postpone(
                        by: .seconds(Double(piece.readableBytes) / Double(slowestUpload)), most: deadline)
                    try write(Array(piece.readableBytesView))
                }
            }
        }
        return try UploadedFile(body, headers: request.headers)
    }

    /// - Returns: how many bytes the body may have.
    private static func requireHeaders(of request: Request, for route: Route) throws -> Int {
        if let wanted = route.body?.mediaTypes {
            // The parameters, such as charset, do not matter: JSON is UTF-8.
            let given = request.headers[.contentType]?.split(separator: ";").first?.lowercased() ?? ""
            guard wanted.contains(given.trimmingCharacters(in: .whitespaces)) else {
                throw RefusedRequest.wrongMediaType(wanted: wanted.joined(separator: ", "))
            }
        }
        let limit = route.body?.mostBytes ?? emptyObject.count
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit {
            throw RefusedRequest.bodyTooLong(limit: limit)
        }
        return limit
    }

    private static func read(_ request: Request, limit: Int, _ take: (ByteBuffer) throws -> Void) async throws {
        do {
            var count = 0
            for try await piece in request.body {
                count += piece.readableBytes
                guard count <= limit else { throw RefusedRequest.bodyTooLong(limit: limit) }
                try take(piece)
            }
        } catch is HTTPParserError {
            throw RefusedRequest.brokenBody
        } catch is CancellationError {
            // The connection ended: what is late has an error of its own.
            throw RefusedRequest.brokenBody
        }
    }
}

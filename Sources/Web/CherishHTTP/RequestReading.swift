import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1

/// Reads the body of a request.
enum RequestReading {
    static let deadline = Duration.seconds(10)

    /// Reads the whole body.
    ///
    /// - Throws: ``RefusedRequest`` for a body that is too long, too slow, of another kind, or not wanted.
    static func body(of request: Request, for route: Route) async throws -> [UInt8] {
        if let wanted = route.body?.mediaTypes {
            // The parameters, such as charset, do not matter: JSON is UTF-8.
            let given = request.headers[.contentType]?.split(separator: ";").first?.lowercased() ?? ""
            guard wanted.contains(String(given.trimmingPrefix(while: \.isWhitespace))) else {
                throw RefusedRequest.wrongMediaType(wanted: wanted.joined(separator: ", "))
            }
        }
        // Most requests have no body, and need no deadline for it.
        if request.headers[.contentLength] == nil, request.headers[.transferEncoding] == nil { return [] }
        let limit = route.body?.mostBytes ?? 0
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit {
            throw RefusedRequest.bodyTooLong(limit: limit)
        }
        return try await Deadline.within(deadline, orThrow: RefusedRequest.tooSlow) {
            do {
                var bytes: [UInt8] = []
                for try await piece in request.body {
                    guard bytes.count + piece.readableBytes <= limit else {
                        throw RefusedRequest.bodyTooLong(limit: limit)
                    }
                    bytes.append(contentsOf: piece.readableBytesView)
                }
                return bytes
            } catch is HTTPParserError {
                throw RefusedRequest.brokenBody
            }
        }
    }
}

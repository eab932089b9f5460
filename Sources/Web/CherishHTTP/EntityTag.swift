import CherishCore
import HTTPTypes
import Hummingbird
import Secrets

/// Spares a client what it has: an answer's tag is a hash of its bytes.
enum EntityTag {
    static func apply(to reply: Reply, _ request: Request) -> Reply {
        // A file is made anew for each request.
        guard reply.status == .ok, reply.file == nil else { return reply }
        var reply = reply
        let tag = "\"\(Base64URL.encode(Array(SecretHash.sha256(reply.body).prefix(18))))\""
        reply.headers[.eTag] = tag
        // The client keeps the answer, but asks each time.
        reply.headers[.cacheControl] = reply.headers[.cacheControl] ?? "private, no-cache"
        guard let known = request.headers[.ifNoneMatch] else { return reply }
        let tags = known.split(separator: ",").map { $0.drop { $0 == " " }.trimmingPrefix("W/") }
        guard known == "*" || tags.contains(tag[...]) else { return reply }
        reply.status = .notModified
        reply.body = []
        reply.headers[.contentType] = nil
        return reply
    }
}

import CherishCore
import HTTPTypes
import Hummingbird
import Secrets

/// Spares a client what it has, and protects what it has not seen.
///
/// A tag is a hash of the answer's bytes, because what a plant looks like depends on the day, too. Where the answer has a
/// version (rule 14.1), the tag begins with it: `"7.hash"`. If-None-Match compares the whole tag, If-Match the version.
enum EntityTag {
    static func apply(to reply: Reply, _ request: Request) -> Reply {
        let isReading = request.method == .get || request.method == .head
        // A file that is made anew for each request has no tag, unless its route gives it one. What a command answers has
        // one only if it has a version.
        guard reply.status == .ok || reply.status == .created, reply.events == nil,
            reply.file == nil || reply.headers[.eTag] != nil,
            isReading || reply.version != nil
        else { return reply }
        var reply = reply
        let tag =
            reply.headers[.eTag] ?? "\"\(reply.version.map { "\($0)." } ?? "")\(hash(SecretHash.sha256(reply.body)))\""
        reply.headers[.eTag] = tag
        guard isReading else { return reply }
        // The client keeps the answer, but asks each time.
        reply.headers[.cacheControl] = reply.headers[.cacheControl] ?? "private, no-cache"
        guard let known = request.headers[.ifNoneMatch], known == "*" || tags(known).contains(tag[...]) else {
            return reply
        }
        reply.status = .notModified
        reply.body = []
        reply.file = nil
        reply.headers[.contentType] = nil
        return reply
    }

    /// The tag of a file whose content, and not when it was made, tells whether a client has it.
    static func tag(of file: SpooledFile) throws -> String {
        "\"\(hash(try file.withBytes { SecretHash.sha256(bytes: $0) }))\""
    }

    private static func hash(_ digest: [UInt8]) -> String { Base64URL.encode(Array(digest.prefix(18))) }

    /// The versions that a client expects.
    ///
    /// - Parameter header: If-Match: tags of answers, or versions in quotation marks.
    /// - Returns: nil without a header, and for `*`.
    /// - Throws: ``RefusedRequest/invalidHeader(_:)``.
    static func versions(_ header: String?) throws(RefusedRequest) -> Set<Int>? {
        guard let header, header != "*" else { return nil }
        var versions: Set<Int> = []
        guard !tags(header).isEmpty else { throw .invalidHeader(.ifMatch) }
        for tag in tags(header) {
            guard tag.hasPrefix("\""), tag.hasSuffix("\""),
                let version = Int(tag.dropFirst().prefix { $0 != "." && $0 != "\"" })
            else { throw .invalidHeader(.ifMatch) }
            versions.insert(version)
        }
        return versions
    }

    private static func tags(_ header: String) -> [Substring] {
        header.split(separator: ",").map { $0.trimmingPrefix { $0 == " " }.trimmingPrefix("W/") }
    }
}

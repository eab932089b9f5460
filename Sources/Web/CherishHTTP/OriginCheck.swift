import HTTPTypes
import Hummingbird

/// Keeps pages of other sites from acting for whoever is signed in here.
enum OriginCheck {
    /// Requires that a request that changes something comes from a page of this service, if it comes from a browser.
    ///
    /// - Parameter publicOrigin: such as `https://cherish.example`; nil takes the Host of the request.
    /// - Throws: ``RefusedRequest/foreignOrigin``.
    static func require(_ request: Request, publicOrigin: String?) throws {
        guard ![.get, .head].contains(request.method) else { return }
        if let site = request.headers[.secFetchSite] {
            // none: a person typed the address; no page can cause that with another method than GET.
            guard site == "same-origin" || site == "none" else { throw RefusedRequest.foreignOrigin }
        } else if let origin = request.headers[.origin] {
            guard origin == publicOrigin || publicOrigin == nil && isOwn(origin, request) else {
                throw RefusedRequest.foreignOrigin
            }
        } else if SessionCookie.isGiven(in: request) {
            // A browser that sends cookies sends one of the two; what sends neither cannot be told apart from a forgery.
            throw RefusedRequest.foreignOrigin
        }
    }

    private static func isOwn(_ origin: String, _ request: Request) -> Bool {
        guard let host = request.head.authority else { return false }
        return origin == "http://\(host)" || origin == "https://\(host)"
    }
}

/// The cookie that carries a token in browsers. Its prefix makes browsers accept it only over TLS, and for this host alone.
package enum SessionCookie {
    static let name = "__Host-cherish"

    /// The token of a request: of the header Authorization, else of the cookie.
    static func token(of request: Request) -> Substring? {
        if let authorization = request.headers[.authorization] {
            let parts = authorization.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
            return parts[1]
        }
        return cookie(name, in: request.headers)
    }

    /// Whether the request relies on the cookie.
    static func isGiven(in request: Request) -> Bool {
        request.headers[.authorization] == nil && cookie(name, in: request.headers) != nil
    }

    /// The first cookie of a name.
    static func cookie(_ name: String, in headers: HTTPFields) -> Substring? {
        for header in headers[values: .cookie] {
            for pair in header.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                if parts.count == 2, parts[0].drop(while: { $0 == " " }) == name { return parts[1] }
            }
        }
        return nil
    }

    /// The header that stores a token for as long as an unused session lasts (rule 12.3), or deletes it for nil.
    package static func header(_ token: String?) -> String {
        "\(name)=\(token ?? ""); Path=/; Max-Age=\(token == nil ? 0 : 180 * 86_400); HttpOnly; Secure; SameSite=Lax"
    }
}

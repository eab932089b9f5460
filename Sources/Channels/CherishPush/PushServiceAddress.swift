import CherishCore

/// The endpoint of a browser's subscription, validated without network access: when a browser subscribes, and before
/// each push.
public struct PushServiceAddress: Sendable {
    /// Why no push is ever sent there. Never quotes the endpoint, which is a secret.
    public enum Refusal: Error, CaseIterable, Sendable {
        case notURL, notHTTPS, privateAddress, unknownService
    }

    /// The hosts of the browsers' push services: Chrome's two, Firefox's, Safari's and Edge's.
    public static let services = [
        "fcm.googleapis.com", "jmt17.google.com", "push.services.mozilla.com", "push.apple.com", "notify.windows.com",
    ]

    /// The server's name or address, in lower case.
    package let host: String
    /// Scheme, host and, unless it is the usual one, port: the `aud` of a token (RFC 8292, section 2).
    package let origin: String
    /// The URL to post to, with the normalized host.
    package let url: String

    /// - Parameters:
    ///   - hosts: Further hosts that are allowed, with those below them.
    ///   - allowsPrivateAddresses: Whether they may be inside the operator's own network, and without TLS.
    public init(_ endpoint: String, hosts: [String] = [], allowsPrivateAddresses: Bool = false) throws(Refusal) {
        let address: WebhookAddress
        do {
            address = try WebhookAddress(endpoint, allowsPrivateAddresses: allowsPrivateAddresses)
        } catch {
            throw Refusal(error)
        }
        // Another port of a push service is no push service.
        let isService = address.server.hasSuffix(" 443") && PushServiceAddress.isBelow(Self.services, address.host)
        guard isService || PushServiceAddress.isBelow(hosts, address.host) else { throw .unknownService }
        host = address.host
        url = address.url
        let (scheme, usualPort) = url.prefix(5).lowercased() == "http:" ? ("http", "80") : ("https", "443")
        let port = address.server.drop { $0 != " " }.dropFirst()
        origin = "\(scheme)://" + (host.contains(":") ? "[\(host)]" : host) + (port == usualPort ? "" : ":\(port)")
    }

    /// Whether a host is one of these or below one. A URL may hide other characters in its host, such as a slash.
    private static func isBelow(_ allowed: [String], _ host: String) -> Bool {
        host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "."), UInt8(ascii: ":"):
                true
            default: false
            }
        } && allowed.contains { host == $0 || host.hasSuffix(".\($0)") }
    }
}

extension PushServiceAddress.Refusal {
    fileprivate init(_ refusal: WebhookAddress.Refusal) {
        self =
            switch refusal {
            case .notHTTPS: .notHTTPS
            case .privateAddress: .privateAddress
            case .notURL, .controlCharacter, .userOrPassword, .noHost, .noPort, .unusualNumber: .notURL
            }
    }
}

extension PushServiceAddress.Refusal: CustomStringConvertible {
    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .notURL: "the endpoint of a subscription is an https URL; pass on what the browser returns, unchanged"
        case .notHTTPS:
            """
            the endpoint of a subscription must begin with https://; for a push service in a network of your own, set \
            CHERISH_WEBHOOKS=private, here and for the worker
            """
        case .privateAddress:
            """
            the endpoint of the subscription leads to an address that is not public, where nothing is sent; for a push \
            service of your own, set CHERISH_WEBHOOKS=private, here and for the worker
            """
        case .unknownService:
            """
            the endpoint of the subscription is at no push service of a browser that we know; to allow another, add its \
            host to CHERISH_WEBPUSH_HOSTS, here and for the worker
            """
        }
    }
}

extension PushServiceAddress.Refusal: ExplainedInKorean {
    public var korean: (problem: String, remedy: String) {
        switch self {
        case .notURL: ("구독의 엔드포인트는 https URL이에요.", "브라우저가 준 값을 그대로 보내 주세요.")
        case .notHTTPS:
            (
                "구독의 엔드포인트는 https://로 시작해야 해요.",
                "직접 운영하는 망의 푸시 서비스라면 서버와 워커에 CHERISH_WEBHOOKS=private을 설정해 주세요."
            )
        case .privateAddress:
            (
                "구독의 엔드포인트가 공개된 주소가 아니어서 아무것도 보낼 수 없어요.",
                "직접 운영하는 푸시 서비스라면 서버와 워커에 CHERISH_WEBHOOKS=private을 설정해 주세요."
            )
        case .unknownService:
            (
                "구독의 엔드포인트가 알려진 브라우저의 푸시 서비스가 아니에요.",
                "다른 서비스를 쓰려면 서버와 워커의 CHERISH_WEBPUSH_HOSTS에 호스트를 더해 주세요."
            )
        }
    }
}

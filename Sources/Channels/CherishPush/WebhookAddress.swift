import CherishCore
import Foundation

/// The URL of a webhook, validated without network access: when it is added, and before each push.
public struct WebhookAddress: Sendable {
    /// Why no push can ever be sent there. Never quotes the URL, which may be a secret.
    public enum Refusal: Error, CaseIterable, Sendable {
        case notURL, controlCharacter, userOrPassword, noHost, noPort, notHTTPS, privateAddress, unusualNumber
    }

    /// The server's name or address, in lower case, without brackets and trailing dot. Other spellings name the same
    /// host, with the same circuit breaker.
    package let host: String
    /// Host and port: another port is another server.
    package let server: String
    /// The URL to post to, with the normalized host: connections are pinned by that name.
    package let url: String

    /// - Parameter allowsPrivateAddresses: Whether webhooks may be inside the operator's own network, and without TLS.
    public init(_ text: String, allowsPrivateAddresses: Bool) throws(Refusal) {
        let controls: [Unicode.GeneralCategory] = [.control, .lineSeparator, .paragraphSeparator]
        if text.unicodeScalars.contains(where: { controls.contains($0.properties.generalCategory) }) {
            throw .controlCharacter
        }
        guard let url = URL(string: text) else { throw .notURL }
        guard url.user == nil, url.password == nil else { throw .userOrPassword }
        guard let host = url.host?.trimmingCharacters(in: ["[", "]"]), !host.isEmpty else { throw .noHost }
        // The HTTP library crashes on a port out of range.
        guard url.port.map({ (1...65_535).contains($0) }) ?? true else { throw .noPort }
        switch url.scheme?.lowercased() {
        case "https": break
        case "http" where allowsPrivateAddresses: break
        default: throw .notHTTPS
        }
        let name = host.lowercased()
        self.host = name.hasSuffix(".") ? String(name.dropLast()) : name
        var components = URLComponents(url: url, resolvingAgainstBaseURL: false)
        if self.host != host, !host.contains(":") { components?.host = self.host }
        guard let spelled = components?.string else { throw .notURL }
        self.url = spelled
        server = "\(self.host) \(url.port ?? (url.scheme?.lowercased() == "http" ? 80 : 443))"
        if !allowsPrivateAddresses { try WebhookAddress.requirePublic(self.host) }
    }

    /// Names are resolved and checked once more when a push is sent.
    private static func requirePublic(_ host: String) throws(Refusal) {
        if host == "localhost" { throw .privateAddress }
        if let address = PublicAddress.bytes(of: host) {
            guard PublicAddress.isPublic(address) else { throw .privateAddress }
        } else if let address = addressOfNumber(host) {
            // Written as a number, it leads to the same server, but no certificate contains it.
            throw PublicAddress.isPublic(address) ? .unusualNumber : .privateAddress
        } else if host.contains(":") {
            throw .notURL
        }
    }

    /// The system reads `2130706433`, `0x7f.1`, `0177.0.0.1` and `127.1` as 127.0.0.1.
    private static func addressOfNumber(_ host: String) -> [UInt8]? {
        var address = in_addr()
        guard inet_aton(host, &address) != 0 else { return nil }
        return withUnsafeBytes(of: address.s_addr) { Array($0) }
    }
}

extension WebhookAddress.Refusal: CustomStringConvertible {
    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .notURL, .noHost: "the token of a webhook is its URL, like https://example.com/cherish"
        case .controlCharacter: "the URL of a webhook holds a line break or another control character; leave it out"
        case .userOrPassword: "the URL of a webhook must not hold a user or a password; its pushes are signed instead"
        case .noPort: "the port of a webhook's URL must be 1 to 65535"
        case .notHTTPS:
            """
            the URL of a webhook must begin with https://; within a network of your own http:// will do, where \
            CHERISH_WEBHOOKS=private is set, here and for the worker
            """
        case .privateAddress:
            """
            the webhook leads to an address that is not public, where nothing is sent; use another, or set \
            CHERISH_WEBHOOKS=private, here and for the worker
            """
        case .unusualNumber:
            "the host of a webhook's URL is written as an unusual number; write its name, or its address as 8.8.8.8"
        }
    }
}

extension WebhookAddress.Refusal: ExplainedInKorean {
    public var korean: (problem: String, remedy: String) {
        switch self {
        case .notURL, .noHost: ("웹훅의 토큰은 URL이에요.", "https://example.com/cherish처럼 써 주세요.")
        case .controlCharacter: ("웹훅 URL에 줄바꿈이나 다른 제어 문자가 있어요.", "빼 주세요.")
        case .userOrPassword: ("웹훅 URL에 사용자나 비밀번호를 넣을 수 없어요.", "빼 주세요. 알림에는 대신 서명이 붙어요.")
        case .noPort: ("웹훅 URL의 포트가 맞지 않아요.", "1부터 65535까지 쓸 수 있어요.")
        case .notHTTPS:
            (
                "웹훅 URL은 https://로 시작해야 해요.",
                "직접 운영하는 망에서는 서버와 워커에 CHERISH_WEBHOOKS=private을 설정하면 http://도 쓸 수 있어요."
            )
        case .privateAddress:
            (
                "웹훅이 공개된 주소가 아니어서 아무것도 보낼 수 없어요.",
                "다른 주소를 쓰거나, 서버와 워커에 CHERISH_WEBHOOKS=private을 설정해 주세요."
            )
        case .unusualNumber:
            ("웹훅 URL의 호스트가 흔치 않은 숫자로 쓰여 있어요.", "이름을 쓰거나, 주소를 8.8.8.8처럼 써 주세요.")
        }
    }
}

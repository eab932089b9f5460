import CherishService
import Hummingbird
import Logging
import NIOCore

/// What the door needs to know of its surroundings.
public struct ServerSettings: Sendable {
    /// Such as `https://cherish.example`; nil if nobody said.
    public var publicOrigin: String?
    /// Whether people reach it over TLS, its own or that of a proxy.
    public var isSecure: Bool
    /// Addresses of proxies whose X-Forwarded-For counts.
    public var trustedProxies: Set<String>
    /// How long an answer may take.
    public var answerTime: Duration
    var connections = Connections()
    public var logger: Logger

    public init(
        publicOrigin: String? = nil, isSecure: Bool = false, trustedProxies: Set<String> = [],
        answerTime: Duration = .seconds(15), logger: Logger
    ) {
        self.publicOrigin = publicOrigin
        self.isSecure = isSecure || publicOrigin?.hasPrefix("https:") == true
        self.trustedProxies = trustedProxies
        self.answerTime = answerTime
        self.logger = logger
    }

    /// Where people reach the service; what the request says if no operator did.
    func origin(of request: Request) -> String {
        publicOrigin ?? "\(isSecure ? "https" : "http")://\(request.head.authority ?? "localhost")"
    }

    /// The address of whoever asks: that of the connection, or the last one in X-Forwarded-For that no trusted proxy has.
    func clientAddress(_ remote: SocketAddress?, _ forwardedFor: String?) -> String {
        guard let direct = remote?.ipAddress.map(NetworkAddress.unmapped) else { return "unknown" }
        guard trustedProxies.contains(direct), let forwardedFor else { return direct }
        let hops = forwardedFor.split(separator: ",").map { String($0.drop { $0 == " " }) }
        return hops.last { !trustedProxies.contains($0) } ?? direct
    }
}

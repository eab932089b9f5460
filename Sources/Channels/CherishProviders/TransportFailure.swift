import AsyncHTTPClient
import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL

/// Why there was no answer. Never quotes the library's errors: they may name hosts and paths, which are secrets for
/// webhooks.
enum TransportFailure: String, Error, Sendable {
    /// The name does not resolve.
    case hostNotFound = "host not found"
    /// No server answers at the address.
    case connectionRefused = "no connection"
    /// The certificate is not trusted, or belongs to another host.
    case certificateNotTrusted = "certificate not trusted"
    /// Not a TLS server, or no common protocol.
    case handshakeFailed = "TLS handshake failed"
    case timeout = "no answer in time"
    /// The connection or the stream ended before the answer.
    case interrupted = "connection lost"
    /// We gave up.
    case cancelled = "given up"
    /// An error of the library without a more specific case.
    case failed = "no request could be made"
    /// No request can be made to the URL.
    case invalidURL = "invalid URL"
    /// A webhook that only this server could reach.
    case privateAddress = "private address"

    init(_ error: any Error) {
        switch error {
        case let error as HTTPClientError: self = TransportFailure.failure(error)
        case let error as NIOConnectionError:
            self = error.connectionErrors.isEmpty ? .hostNotFound : .connectionRefused
        case is NIOSSLExtraError: self = .certificateNotTrusted
        case let error as NIOSSLError: self = TransportFailure.failure(error)
        case is BoringSSLError: self = .handshakeFailed
        case let error as IOError where [ECONNRESET, EPIPE].contains(error.errnoCode): self = .interrupted
        case is IOError: self = .connectionRefused
        case is CancellationError: self = .cancelled
        case is NIOHTTP2Errors.StreamClosed, is ChannelError: self = .interrupted
        default: self = .failed
        }
    }

    private static func failure(_ error: HTTPClientError) -> TransportFailure {
        switch error {
        case .deadlineExceeded, .readTimeout, .writeTimeout, .getConnectionFromPoolTimeout: .timeout
        case .connectTimeout: .connectionRefused
        case .tlsHandshakeTimeout: .handshakeFailed
        case .invalidURL, .emptyHost, .emptyScheme: .invalidURL
        // The client or connection was renewed or closed meanwhile.
        case .remoteConnectionClosed, .cancelled, .alreadyShutdown, .requestStreamCancelled: .interrupted
        default: .failed
        }
    }

    private static func failure(_ error: NIOSSLError) -> TransportFailure {
        guard case .handshakeFailed(let cause) = error else { return .interrupted }
        return "\(cause)".contains("CERTIFICATE_VERIFY_FAILED") ? .certificateNotTrusted : .handshakeFailed
    }

    /// The consequence for a push.
    var answer: ProviderAnswer {
        switch self {
        case .hostNotFound, .connectionRefused, .handshakeFailed, .certificateNotTrusted, .invalidURL, .privateAddress:
            ProviderAnswer(consequence: .unreachable, reason: rawValue)
        case .timeout, .interrupted, .failed: ProviderAnswer(consequence: .retry, reason: rawValue)
        case .cancelled: ProviderAnswer(consequence: .abandoned, reason: rawValue)
        }
    }
}

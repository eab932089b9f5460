import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// Settings that all senders share: deadline and trusted certificates.
public struct TransportSettings: Sendable {
    /// The deadline for the head of a request's answer. Its body may end up to the same time later.
    public var deadline: Duration
    /// Certificates to trust besides the system's.
    public var additionalRoots: [NIOSSLCertificate]
    /// The clock of circuit breakers and webhook places.
    var clock: any Clock<Duration> = ContinuousClock()

    public init(deadline: Duration = .seconds(10), additionalRoots: [NIOSSLCertificate] = []) {
        self.deadline = deadline
        self.additionalRoots = additionalRoots
    }
}

/// The relevant parts of a response.
struct HTTPAnswer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    /// The start of the body: at most 64 KiB, since no provider says more. Shorter if the connection broke or the
    /// deadline passed.
    let body: [UInt8]
    /// The client that received it.
    var clientGeneration = 0

    /// The Retry-After header, in seconds or as a date (RFC 9110); nil for anything else.
    var retryAfter: Duration? {
        headers.first(name: "retry-after").flatMap { RetryAfter.duration($0) }
    }
}

/// HTTP/2 over TLS to one provider, or HTTP/1.1 if the server speaks nothing else.
final class HTTPTransport: Sendable {
    private static let longestBody = 65_536
    /// A silently dead connection keeps accepting requests: renew it after this many timeouts in a row.
    private static let timeoutsBeforeRenewal = 3
    /// The pauses before resending: the library notices a lost connection slightly later than its requests do.
    private static let pausesAfterLoss: [Duration] = [.milliseconds(20), .milliseconds(200)]

    private struct State {
        var client: HTTPClient
        /// The number of the client: 0, 1, 2 …
        var generation = 0
        var timeouts = 0
        var isClosed = false
    }

    private let configuration: HTTPClient.Configuration
    private let deadline: Duration
    private let state: Mutex<State>

    /// - Parameters:
    ///   - pinned: The address of each host, so that requests go to the address that was checked.
    ///   - idle: How long to keep an unused connection.
    init(_ settings: TransportSettings, pinned: [String: String] = [:], idle: TimeAmount = .minutes(10)) {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.additionalTrustRoots = [.certificates(settings.additionalRoots)]
        let time = TimeAmount.nanoseconds(Int64(settings.deadline / .nanoseconds(1)))
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            // For multiplexed connections, `connect` also limits the wait for a stream.
            timeout: HTTPClient.Configuration.Timeout(connect: time, read: time),
            connectionPool: HTTPClient.Configuration.ConnectionPool(idleTimeout: idle))
        // The circuit breaker retries, and a wrong certificate should show at once.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.dnsOverride = pinned
        // Nobody traces, and attributes of spans would hold the URL: a device's token, a webhook's secret.
        configuration.tracing.tracer = nil
        self.configuration = configuration
        deadline = settings.deadline
        state = Mutex(State(client: HTTPTransport.makeClient(configuration)))
    }

    private static func makeClient(_ configuration: HTTPClient.Configuration) -> HTTPClient {
        HTTPClient(eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton), configuration: configuration)
    }

    /// Posts a request and reads the answer.
    ///
    /// If the connection is lost meanwhile, sends the request again on another one. That may deliver a push twice,
    /// which its collapse id hides.
    func post(_ url: String, _ headers: HTTPHeaders, _ body: [UInt8]) async -> Result<HTTPAnswer, TransportFailure> {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers = headers
        request.body = .bytes(ByteBuffer(bytes: body))
        let end = ContinuousClock.now + deadline
        var answer = await execute(request, until: end)
        for pause in HTTPTransport.pausesAfterLoss {
            guard case .failure(.interrupted) = answer, ContinuousClock.now + pause < end else { break }
            try? await Task.sleep(for: pause)
            answer = await execute(request, until: end)
        }
        return answer
    }

    /// Opens a new client for later requests, unless another caller already has.
    ///
    /// - Parameter generation: The unfit client. Its requests underway get the deadline's time to finish.
    func renew(_ generation: Int) {
        let old = state.withLock { state -> HTTPClient? in
            guard !state.isClosed, state.generation == generation else { return nil }
            defer { state.client = HTTPTransport.makeClient(configuration) }
            state.generation += 1
            state.timeouts = 0
            return state.client
        }
        guard let old else { return }
        Task { [deadline] in
            try? await Task.sleep(for: deadline)
            try? await old.shutdown().get()
        }
    }

    /// Closes all connections. Call once, at the end.
    func close() async {
        let client = state.withLock { state -> HTTPClient? in
            guard !state.isClosed else { return nil }
            state.isClosed = true
            return state.client
        }
        try? await client?.shutdown().get()
    }

    private func execute(_ request: HTTPClientRequest, until end: ContinuousClock.Instant) async
        -> Result<HTTPAnswer, TransportFailure>
    {
        let (client, generation) = state.withLock { ($0.client, $0.generation) }
        do {
            let remaining = Int64((end - .now) / .nanoseconds(1))
            let response = try await client.execute(request, deadline: .now() + .nanoseconds(remaining))
            note(isTimeout: false, generation)
            return .success(
                HTTPAnswer(
                    status: Int(response.status.code), headers: response.headers,
                    body: await HTTPTransport.body(of: response, until: end), clientGeneration: generation))
        } catch {
            let failure = TransportFailure(error)
            note(isTimeout: failure == .timeout, generation)
            return .failure(failure)
        }
    }

    private func note(isTimeout: Bool, _ generation: Int) {
        let isDead = state.withLock { state in
            guard state.generation == generation else { return false }
            state.timeouts = isTimeout ? state.timeouts + 1 : 0
            return state.timeouts >= HTTPTransport.timeoutsBeforeRenewal
        }
        if isDead { renew(generation) }
    }

    /// Reads the start of a body, complete or not: the status is the answer. Short bodies are read to the end, because
    /// abandoning a stream early sometimes leaks its slot in the library's stream count, and a connection without slots
    /// hangs.
    ///
    /// The library's deadline covers only the head. Its read timeout ends a silent body; a body that trickles ends with
    /// its first bytes after `end`. A timer of our own for each body would cost more than the request: one that is
    /// cancelled stays in memory until its time.
    private static func body(of response: HTTPClientResponse, until end: ContinuousClock.Instant) async -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            for try await buffer in response.body {
                bytes.append(contentsOf: buffer.readableBytesView.prefix(longestBody - bytes.count))
                if bytes.count == longestBody || ContinuousClock.now >= end { break }
            }
        } catch {
            // The body broke off, or was silent for too long.
        }
        return bytes
    }
}

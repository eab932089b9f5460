import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// What the senders share: deadlines and whom to trust.
public struct TransportSettings: Sendable {
    /// How long a request may take until its answer is there.
    public var deadline: Duration
    /// Certificates to trust besides the system's.
    public var additionalRoots: [NIOSSLCertificate]
    /// What circuit breakers and the places of webhooks go by.
    var clock: any Clock<Duration> = ContinuousClock()

    public init(deadline: Duration = .seconds(10), additionalRoots: [NIOSSLCertificate] = []) {
        self.deadline = deadline
        self.additionalRoots = additionalRoots
    }
}

/// An answer as far as it is of interest.
struct HTTPAnswer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    /// What was read of the body: 64 KiB at most, since no provider has more to say. Less if it broke off.
    let body: [UInt8]
    /// Which client got it.
    var clientGeneration = 0

    /// The header in seconds or as a date (RFC 9110); nil for anything else.
    var retryAfter: Duration? {
        headers.first(name: "retry-after").flatMap { RetryAfter.duration($0) }
    }
}

/// HTTP/2 over TLS, or HTTP/1.1 where the server speaks nothing else, to one provider.
final class HTTPTransport: Sendable {
    private static let longestBody = 65_536
    /// A connection that died without a word keeps taking requests: after so many without an answer a new one is made.
    private static let timeoutsBeforeRenewal = 3
    /// The library learns a moment later than its requests that a connection is gone.
    private static let pausesAfterLoss: [Duration] = [.milliseconds(20), .milliseconds(200)]

    private struct State {
        var client: HTTPClient
        /// Which one it is: 0, 1, 2 …
        var generation = 0
        var timeouts = 0
        var isClosed = false
    }

    private let configuration: HTTPClient.Configuration
    private let deadline: Duration
    private let state: Mutex<State>

    /// - Parameters:
    ///   - pinned: where a host is, so that the one that was checked is the one that is asked.
    ///   - idle: for how long a connection is kept that nobody needs.
    init(_ settings: TransportSettings, pinned: [String: String] = [:], idle: TimeAmount = .minutes(10)) {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.additionalTrustRoots = [.certificates(settings.additionalRoots)]
        let time = TimeAmount.nanoseconds(Int64(settings.deadline / .nanoseconds(1)))
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            // For a client of many streams `connect` is also how long a request waits for one.
            timeout: HTTPClient.Configuration.Timeout(connect: time, read: time),
            connectionPool: HTTPClient.Configuration.ConnectionPool(idleTimeout: idle))
        // The circuit breaker does that, and a wrong certificate shows at once.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.dnsOverride = pinned
        self.configuration = configuration
        deadline = settings.deadline
        state = Mutex(State(client: HTTPTransport.makeClient(configuration)))
    }

    private static func makeClient(_ configuration: HTTPClient.Configuration) -> HTTPClient {
        HTTPClient(eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton), configuration: configuration)
    }

    /// Posts, and reads the answer.
    ///
    /// A connection that is lost meanwhile is no failure yet: the request is sent again, on another one. That may deliver a
    /// push twice, which its collapse id makes invisible.
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

    /// Makes a new connection for what comes next, unless somebody else has since.
    ///
    /// - Parameter generation: of the client that is no good. What is on its way there gets its time to end.
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

    /// Closes its connections; to be called once at the end.
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

    /// The beginning of a body, however long it is, and whether it is whole or not: the status has answered. Read to its
    /// end where that is near: a stream that is left before it loses its place in the library's count of streams now and
    /// then, and a connection without places hangs.
    private static func body(of response: HTTPClientResponse, until end: ContinuousClock.Instant) async -> [UInt8] {
        await withTaskGroup(of: [UInt8]?.self) { group in
            group.addTask {
                var bytes: [UInt8] = []
                do {
                    for try await buffer in response.body {
                        bytes.append(contentsOf: buffer.readableBytesView.prefix(longestBody - bytes.count))
                        if bytes.count == longestBody { break }
                    }
                } catch {
                    // It broke off, or time is up.
                }
                return bytes
            }
            // The library's deadline ends with the head, and a server may send a byte now and then for ever.
            group.addTask {
                try? await Task.sleep(until: end)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next()?.flatMap { $0 } ?? []
        }
    }
}

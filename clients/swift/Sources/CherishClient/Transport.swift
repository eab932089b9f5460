import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request to the server, without what says who asks.
public struct GardenRequest: Sendable {
    public var method: String
    /// With its query, like `/v1/changes?after=…`.
    public var path: String
    public var body: JSON?
}

/// What the server answered.
public struct GardenAnswer: Sendable {
    public var status: Int
    public var body: Data
    /// After how many seconds to ask again, if the server says so.
    public var retryAfter: Int?

    public init(status: Int, body: Data, retryAfter: Int? = nil) {
        (self.status, self.body, self.retryAfter) = (status, body, retryAfter)
    }
}

/// The way to the server, with the session.
public protocol GardenTransport: Sendable {
    /// Asks the server.
    ///
    /// - Throws: any error if there was no answer.
    func send(_ request: GardenRequest) async throws -> GardenAnswer

    /// The bytes of `GET /v1/events`, as they come. The stream ends, or fails, when the server or the network ends it.
    func events() -> AsyncThrowingStream<Data, any Error>
}

/// Asks by HTTP.
public struct HTTPTransport: GardenTransport {
    /// How long an answer may take, in seconds.
    private static let patience: TimeInterval = 20

    private let server: URL
    private let token: String

    /// - Parameters:
    ///   - server: like `https://cherish.example`.
    ///   - token: of the session, as a sign-in answers it.
    public init(server: URL, token: String) {
        (self.server, self.token) = (server, token)
    }

    public func send(_ request: GardenRequest) async throws -> GardenAnswer {
        var asked = try urlRequest(request.path)
        asked.httpMethod = request.method
        asked.timeoutInterval = Self.patience
        if let body = request.body {
            asked.httpBody = try body.data
            asked.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        let (body, response) = try await URLSession.shared.data(for: asked)
        guard let answer = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        let retryAfter = answer.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }
        return GardenAnswer(status: answer.statusCode, body: body, retryAfter: retryAfter)
    }

    public func events() -> AsyncThrowingStream<Data, any Error> {
        AsyncThrowingStream { continuation in
            do {
                var asked = try urlRequest("/v1/events")
                // A beat comes every 25 seconds.
                asked.timeoutInterval = 60
                asked.setValue("text/event-stream", forHTTPHeaderField: "Accept")
                let session = URLSession(
                    configuration: .ephemeral, delegate: Listener(continuation), delegateQueue: nil)
                let task = session.dataTask(with: asked)
                continuation.onTermination = { _ in session.invalidateAndCancel() }
                task.resume()
            } catch {
                continuation.finish(throwing: error)
            }
        }
    }

    private func urlRequest(_ path: String) throws -> URLRequest {
        guard let url = URL(string: path, relativeTo: server) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return request
    }

    /// Passes on what a stream brings.
    private final class Listener: NSObject, URLSessionDataDelegate {
        private let continuation: AsyncThrowingStream<Data, any Error>.Continuation

        init(_ continuation: AsyncThrowingStream<Data, any Error>.Continuation) {
            self.continuation = continuation
        }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            let status = (response as? HTTPURLResponse)?.statusCode
            if status == 401 { continuation.finish(throwing: Unreachable(.signedOut)) }
            completionHandler(status == 200 ? .allow : .cancel)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            continuation.yield(data)
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            continuation.finish(throwing: error)
        }
    }
}

/// Why the server cannot be asked now.
public struct Unreachable: Error, Hashable, Sendable {
    public enum Reason: String, Sendable {
        /// No answer came.
        case offline
        /// The server is overloaded, or away; or something else answers in its place.
        case busy
        /// The session has ended.
        case signedOut = "signed-out"
    }

    public let reason: Reason
    /// After how many seconds to try again.
    public let seconds: Int

    public init(_ reason: Reason, seconds: Int = 0) {
        (self.reason, self.seconds) = (reason, seconds)
    }
}

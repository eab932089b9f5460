import AsyncHTTPClient
import Foundation
import NIOCore
import NIOSSL

/// Reads a provider's keys over HTTPS. Redirects are not followed: the address of the keys is what we trust.
struct KeyDownload: Sendable {
    /// What the provider says.
    struct Answer: Sendable {
        let keys: KeySet
        /// How long the keys may be used before they are read again.
        let lifetime: Duration
    }

    /// The limit for the whole answer.
    static let deadline = Duration.seconds(5)
    /// Bytes. Google and Apple send about two thousand.
    static let longestAnswer = 65_536
    /// Seconds. So a provider can neither make us ask all the time nor keep a withdrawn key in use for days.
    static let lifetimes = 300.0...86_400.0

    let url: String
    let additionalRoots: [NIOSSLCertificate]
    let clock: any Clock<Duration>

    /// Asks once. Each request has a connection of its own, because hours may pass between two.
    func answer() async -> Result<Answer, KeyTrouble> {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.additionalTrustRoots = [.certificates(additionalRoots)]
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        // A wrong certificate or a closed port should show at once.
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        // Nobody waits until the connection is closed.
        defer { client.shutdown { _ in } }
        return await withTaskGroup(of: Result<Answer, KeyTrouble>.self) { group in
            group.addTask { await ask(client) }
            group.addTask {
                try? await clock.sleep(for: KeyDownload.deadline)
                return .failure(.timeout)
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.timeout)
        }
    }

    private func ask(_ client: HTTPClient) async -> Result<Answer, KeyTrouble> {
        do {
            let response = try await client.execute(HTTPClientRequest(url: url), deadline: .distantFuture)
            guard response.status == .ok else { return .failure(.status(Int(response.status.code))) }
            let body = try await response.body.collect(upTo: KeyDownload.longestAnswer)
            guard let keys = await KeySet(Data(body.readableBytesView)) else { return .failure(.noKeys) }
            let lifetime = KeyDownload.lifetime(cacheControl: response.headers[canonicalForm: "cache-control"])
            return .success(Answer(keys: keys, lifetime: lifetime))
        } catch is NIOTooManyBytesError {
            return .failure(.tooLarge)
        } catch {
            return .failure(.unreachable)
        }
    }

    /// The `max-age` of the header (RFC 9111), within ``lifetimes``; the shortest without one.
    static func lifetime(cacheControl directives: [Substring]) -> Duration {
        let ages = directives.compactMap { directive -> Double? in
            let digits = directive.lowercased().wholeMatch(of: #/max-age="?([0-9]+)"?/#)?.output.1
            return digits.flatMap { Double($0) }
        }
        // Before it is a duration, which a longer number would overflow.
        return .seconds(min(max(ages.first ?? 0, lifetimes.lowerBound), lifetimes.upperBound))
    }
}

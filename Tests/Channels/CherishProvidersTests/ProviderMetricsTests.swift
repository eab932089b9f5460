import CherishTestSupport
import Logging
import Metrics
import PrometheusMetrics
import Testing

@testable import CherishProviders

@Suite("Metrics of providers")
struct ProviderMetricsTests {
    private static let names = ProviderSettingNames(credentials: "A", address: "B", environment: "C")

    /// A provider whose metrics go to the registry.
    private func provider(_ registry: PrometheusRegistry, name: String = "APNs", isOnlyOne: Bool = true) -> Provider {
        withMetricsFactory(registry) {
            Provider(
                name: name, settings: Self.names, concurrency: 1, isOnlyOne: isOnlyOne, logger: LogLines().logger)
        }
    }

    private func samples(_ registry: PrometheusRegistry) -> [String] {
        registry.exposition().split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
    }

    @Test("answers are counted by consequence and timed; held pushes are neither")
    func answers() async {
        let registry = PrometheusRegistry()
        let apns = provider(registry)
        let name = "cherish_provider_answers_total"
        #expect(samples(registry).contains(name + #"{consequence="token_dead",provider="apns"} 0"#))
        _ = await apns.send { ProviderAnswer(consequence: .accepted, reason: "200") }
        _ = await apns.send { ProviderAnswer(consequence: .tokenDead, reason: "410 Unregistered") }
        for _ in 0..<30 { _ = await apns.send { ProviderAnswer(consequence: .retry, reason: "500") } }
        let counted = samples(registry)
        #expect(counted.contains(name + #"{consequence="accepted",provider="apns"} 1"#))
        #expect(counted.contains(name + #"{consequence="token_dead",provider="apns"} 1"#))
        // The breaker opens at the tenth failure, and the other twenty are held.
        #expect(counted.contains(name + #"{consequence="retry",provider="apns"} 10"#))
        #expect(counted.contains(#"cherish_provider_answer_seconds_count{provider="apns"} 12"#))
    }

    @Test("the breaker's state and the number of its openings are shown")
    func breaker() async {
        let registry = PrometheusRegistry()
        let apns = provider(registry)
        #expect(samples(registry).contains(#"cherish_provider_breaker_open{provider="apns"} 0"#))
        for _ in 0..<10 { _ = await apns.send { ProviderAnswer(consequence: .unreachable, reason: "gone") } }
        #expect(samples(registry).contains(#"cherish_provider_breaker_open{provider="apns"} 1"#))
        #expect(samples(registry).contains(#"cherish_provider_breaker_openings_total{provider="apns"} 1"#))
    }

    @Test("closing the breaker resets its state, and each opening counts")
    func closing() {
        let registry = PrometheusRegistry()
        let metrics = withMetricsFactory(registry) { ProviderMetrics("fcm", isOnlyOne: true) }
        metrics.note(.opened(for: .seconds(5)))
        metrics.note(.opened(for: .seconds(10)))
        metrics.note(.closed)
        #expect(samples(registry).contains(#"cherish_provider_breaker_open{provider="fcm"} 0"#))
        #expect(samples(registry).contains(#"cherish_provider_breaker_openings_total{provider="fcm"} 2"#))
    }

    @Test("webhook hosts are counted together, without a breaker state")
    func webhooks() async {
        let registry = PrometheusRegistry()
        let hosts = (0..<3).map { _ in provider(registry, name: "webhook", isOnlyOne: false) }
        for host in hosts { _ = await host.send { ProviderAnswer(consequence: .accepted, reason: "200") } }
        let counted = samples(registry)
        #expect(counted.contains(#"cherish_provider_answers_total{consequence="accepted",provider="webhook"} 3"#))
        let showsState = counted.contains { $0.hasPrefix("cherish_provider_breaker_open{") }
        #expect(!showsState)
    }
}

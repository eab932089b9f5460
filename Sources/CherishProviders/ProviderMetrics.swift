import Metrics

/// What is counted and measured about a provider, or about all servers of webhooks together.
struct ProviderMetrics: Sendable {
    private let answers: [Consequence: Counter]
    private let time: Metrics.Timer
    private let openings: Counter
    /// nil where many breakers have one name.
    private let breaker: Meter?

    /// - Parameter isOnlyOne: whether no other provider has this name.
    init(_ name: String, isOnlyOne: Bool) {
        let provider = ("provider", name.lowercased())
        var answers: [Consequence: Counter] = [:]
        for consequence in Consequence.allCases {
            answers[consequence] = Counter(
                label: "cherish_provider_answers_total", dimensions: [provider, ("consequence", consequence.rawValue)])
        }
        self.answers = answers
        time = Metrics.Timer(label: "cherish_provider_answer_seconds", dimensions: [provider])
        openings = Counter(label: "cherish_provider_breaker_openings_total", dimensions: [provider])
        breaker = isOnlyOne ? Meter(label: "cherish_provider_breaker_open", dimensions: [provider]) : nil
        breaker?.set(0)
    }

    /// One push was answered, or it is known that it will not be.
    func note(_ consequence: Consequence, took time: Duration) {
        answers[consequence]?.increment()
        self.time.record(duration: time)
    }

    func note(_ change: CircuitBreaker.Change) {
        switch change {
        case .opened:
            openings.increment()
            breaker?.set(1)
        case .closed: breaker?.set(0)
        }
    }
}

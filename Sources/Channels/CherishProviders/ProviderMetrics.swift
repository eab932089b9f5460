import Metrics

/// The metrics of one provider, or of all webhook servers or push services of browsers together.
struct ProviderMetrics: Sendable {
    private let answers: [Consequence: Counter]
    private let time: Metrics.Timer
    private let openings: Counter
    /// nil if several breakers share the name.
    private let breaker: Meter?

    /// - Parameter isOnlyOne: Whether no other provider has this label.
    init(_ label: String, isOnlyOne: Bool) {
        let provider = ("provider", label)
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

    /// Records that a push was answered, or that it never will be.
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

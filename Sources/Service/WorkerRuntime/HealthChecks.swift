import CherishRuntime

/// Whether the worker is alive, and whether it can work.
struct HealthChecks: Sendable {
    /// A batch takes seconds, an idle loop begins a round within a minute, and a failing one retries within seconds. A
    /// loop that is silent for this long hangs, and only a restart helps.
    static let longestSilence = Duration.seconds(300)
    /// How long to wait for the database.
    static let patience = Engine.monitoringPatience

    private let silences: @Sendable () -> [String: Duration]
    /// Why the worker cannot work; nil if it can.
    private let obstacle: RecentAnswer<String?>

    /// - Parameters:
    ///   - silences: how long ago each loop last made progress.
    ///   - now: the clock that expires cached answers.
    ///   - check: throws if the database cannot be used.
    init(
        silences: @escaping @Sendable () -> [String: Duration], patience: Duration = HealthChecks.patience,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        check: @escaping @Sendable () async throws -> Void
    ) {
        self.silences = silences
        obstacle = RecentAnswer(lifetime: .seconds(1), now: now) { () async -> String? in
            let answer = await withDeadline(patience) { () async -> String? in
                do {
                    try await check()
                    return nil
                } catch {
                    return Failure(error).message
                }
            }
            guard let answer else { return "the database did not answer within \(patience)" }
            return answer
        }
    }

    /// Whether all loops make progress. Ignores the database: a restart would not bring it back.
    var liveness: MonitoringAnswer {
        let silent = silences().filter { $0.value > HealthChecks.longestSilence }.sorted { $0.key < $1.key }
        guard !silent.isEmpty else { return .ok("alive") }
        let reasons = silent.map { "\($0.key) has not turned for \($0.value.components.seconds) s" }
        return .unavailable(reasons.joined(separator: "; "))
    }

    /// Whether the database answers and is migrated.
    func readiness() async -> MonitoringAnswer {
        guard let reason = await obstacle.get() else { return .ok("ready") }
        return .unavailable(reason)
    }
}

/// Whether the worker is alive, and whether it can work.
struct HealthChecks: Sendable {
    /// A batch takes seconds, an idle loop turns within a minute, and one that fails tries again within seconds. What
    /// has not turned for so long hangs, and only a new process helps.
    static let longestSilence = Duration.seconds(300)
    /// How long the database may take to answer.
    static let patience = Duration.seconds(3)

    private let silences: @Sendable () -> [String: Duration]
    /// Why the worker cannot work; nil when it can.
    private let obstacle: RecentAnswer<String?>

    /// - Parameters:
    ///   - silences: for how long each loop has not turned.
    ///   - now: by which an answer is a second old.
    ///   - check: throws when the database cannot be used.
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

    /// Whether all loops turn. The database does not matter: a new process would not bring it back.
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

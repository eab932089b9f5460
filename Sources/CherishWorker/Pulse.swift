import Synchronization

/// When each loop of a worker last turned: began a round, or asked between two batches of a long one whether to stop.
public final class Pulse: Sendable {
    private let turns: Mutex<[String: ContinuousClock.Instant]>

    /// - Parameter loops: those that are listened to. They count as having turned just now.
    init(_ loops: [String], at now: ContinuousClock.Instant = .now) {
        turns = Mutex(Dictionary(uniqueKeysWithValues: loops.map { ($0, now) }))
    }

    /// A loop that nobody listens to may call as well.
    func note(_ loop: String, at now: ContinuousClock.Instant = .now) {
        turns.withLock { turns in
            if turns[loop] != nil { turns[loop] = now }
        }
    }

    /// For how long each loop has not turned, by its name.
    public func silences(at now: ContinuousClock.Instant = .now) -> [String: Duration] {
        turns.withLock { $0 }.mapValues { now - $0 }
    }
}

import Synchronization

/// When each loop of a worker last made progress: began a round, or checked between two batches whether to stop.
public final class Pulse: Sendable {
    private let turns: Mutex<[String: ContinuousClock.Instant]>

    /// - Parameter loops: the monitored loops. They count as having just made progress.
    init(_ loops: [String], at now: ContinuousClock.Instant = .now) {
        turns = Mutex(Dictionary(uniqueKeysWithValues: loops.map { ($0, now) }))
    }

    /// Ignores loops that are not monitored.
    func note(_ loop: String, at now: ContinuousClock.Instant = .now) {
        turns.withLock { turns in
            if turns[loop] != nil { turns[loop] = now }
        }
    }

    /// How long ago each loop last made progress, by name.
    public func silences(at now: ContinuousClock.Instant = .now) -> [String: Duration] {
        turns.withLock { $0 }.mapValues { now - $0 }
    }
}

extension Clock where Duration == Swift.Duration {
    /// What tells how much time has passed since now.
    package func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: now) }
    }
}

extension Clock where Duration == Swift.Duration {
    /// Returns a function that measures the time elapsed since this call.
    package func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: now) }
    }
}

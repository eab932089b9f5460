import Glibc

/// Waits until a socket has one of the events or fails, or until the timeout.
///
/// - Returns: The events; 0 after a timeout or a signal.
func waitForSocket(_ descriptor: Int32, events: Int32, milliseconds: Int32) throws -> Int32 {
    var request = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    let count = poll(&request, 1, milliseconds)
    guard count >= 0 || errno == EINTR else {
        throw PostgresError(code: .connection, explanation: "the socket cannot be waited for (errno \(errno))")
    }
    return count > 0 ? Int32(request.revents) : 0
}

/// A point in time to wait for, or none.
struct Deadline {
    private let instant: ContinuousClock.Instant?

    init(after duration: Duration?) {
        // A year is as good as forever, and cannot overflow the clock.
        instant = duration.map { ContinuousClock.now.advanced(by: min($0, .seconds(365 * 86_400))) }
    }

    var hasPassed: Bool {
        guard let instant else { return false }
        return instant <= ContinuousClock.now
    }

    /// Milliseconds until the deadline, at most `slice`. Rounded up, so that the last wait does not spin.
    func pause(atMost slice: Int32) -> Int32 {
        guard let instant else { return slice }
        let milliseconds = ContinuousClock.now.duration(to: instant) / Duration.milliseconds(1)
        return Int32(max(0, min(Double(slice), milliseconds.rounded(.up))))
    }
}

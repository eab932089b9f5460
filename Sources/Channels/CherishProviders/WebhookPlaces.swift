import CherishPush
import Synchronization

/// Limits how many webhook pushes are underway, so that slow servers do not delay pushes to others.
///
/// A push holds a fast place for at most a second. If no answer has come by then, it gives the place back and
/// continues, and its host counts as slow until it answers within a second again. Slow hosts share a few slow places; a
/// push that finds none free does not wait, but returns later. A host that has never answered gets one fast place at a
/// time.
final class WebhookPlaces: Sendable {
    struct Limits: Sendable {
        /// Fast places for all hosts, and per host.
        var fast = 64
        var fastPerHost = 8
        /// Slow places for all hosts, and per host. Pushes that turn slow while underway count, and may exceed the
        /// limit.
        var slow = 16
        var slowPerHost = 2
        /// How many pushes to one host may wait for fast places.
        var waitingPerHost = 100
        /// How many hosts to remember before idle ones are forgotten.
        var hosts = 1024
        /// The time limit for an answer to count as fast.
        var patience = Duration.seconds(1)
    }

    /// The right to send a push, until it is given back.
    final class Place: Sendable {
        private enum Kind {
            /// Giving it back admits the next push in its host's line.
            case fast(line: ConcurrencyLimit)
            case slow
            case givenBack
        }

        private let places: WebhookPlaces
        private let host: String
        private let kind: Mutex<Kind>
        private let stopwatch: @Sendable () -> Duration

        fileprivate init(_ places: WebhookPlaces, _ host: String, line: ConcurrencyLimit?) {
            self.places = places
            self.host = host
            stopwatch = places.clock.stopwatch()
            kind = Mutex(line.map(Kind.fast(line:)) ?? .slow)
        }

        /// Records that the host has answered, or that it never will.
        func noteAnswer() {
            places.note(host, took: stopwatch())
        }

        /// Gives the fast place back after a second without an answer.
        fileprivate func turnSlow() {
            let line = kind.withLock { kind -> ConcurrencyLimit? in
                guard case .fast(let line) = kind else { return nil }
                kind = .slow
                return line
            }
            guard let line else { return }
            places.beginSlow(host)
            places.leave(line)
        }

        fileprivate func giveBack() {
            let before = kind.withLock { kind in
                defer { kind = .givenBack }
                return kind
            }
            switch before {
            case .fast(let line): places.leave(line)
            case .slow: places.endSlow(host)
            case .givenBack: break
            }
        }
    }

    private enum Pace { case unknown, fast, slow }

    private struct Host {
        var pace = Pace.unknown
        /// Pushes waiting or underway.
        var users = 0
        var slow = 0
        /// The duration of the last answer.
        var took: Duration
        /// When the last push that was turned away is to return, measured by `age`.
        var lastReturn: Duration
        /// Where pushes wait: `trial` until the host has answered for the first time, then `line`.
        let trial = ConcurrencyLimit(1)
        let line: ConcurrencyLimit
    }

    private struct State {
        var hosts: [String: Host] = [:]
        var slow = 0
    }

    private static let shortestReturn = Duration.seconds(5)
    private static let longestReturn = Duration.seconds(300)

    private let limits: Limits
    private let clock: any Clock<Duration>
    private let age: @Sendable () -> Duration
    private let fast: ConcurrencyLimit
    private let state = Mutex(State())

    init(_ limits: Limits = Limits(), clock: any Clock<Duration> = ContinuousClock()) {
        self.limits = limits
        self.clock = clock
        age = clock.stopwatch()
        fast = ConcurrencyLimit(limits.fast)
    }

    /// Sends a push to a host once there is a place; held if there is none and waiting is not worthwhile.
    ///
    /// - Parameter name: The host, in its normalized spelling.
    func send(to name: String, _ send: (Place) async -> DeviceResult) async -> DeviceResult {
        guard let host = join(name) else { return busy(name) }
        defer { part(from: name) }
        switch await place(name, host) {
        case .free(let place):
            let timer = Task { [clock, patience = limits.patience] in
                guard (try? await clock.sleep(for: patience)) != nil else { return }
                place.turnSlow()
            }
            defer {
                timer.cancel()
                place.giveBack()
            }
            return await send(place)
        case .taken: return busy(name)
        case .cancelled: return .held(reason: TransportFailure.cancelled.rawValue, for: WebhookPlaces.shortestReturn)
        }
    }

    var hostCount: Int { state.withLock { $0.hosts.count } }

    /// How many fast and slow places are in use.
    var use: (fast: Int, slow: Int) { (limits.fast - fast.freeCount, state.withLock { $0.slow }) }

    // MARK: - Places

    private enum Admission {
        case free(Place)
        case taken
        case cancelled
    }

    private func place(_ name: String, _ host: Host) async -> Admission {
        if pace(of: name) == .unknown {
            guard await host.trial.enter() else { return .cancelled }
            if pace(of: name) == .unknown { return await fastPlace(name, line: host.trial) }
            host.trial.leave()
        }
        if pace(of: name) == .slow { return slowPlace(name) }
        guard await host.line.enter() else { return .cancelled }
        return await fastPlace(name, line: host.line)
    }

    /// - Parameter line: The line in which the push has reached the front.
    private func fastPlace(_ name: String, line: ConcurrencyLimit) async -> Admission {
        // The host may have become known as slow while the push waited.
        if pace(of: name) != .slow {
            guard await fast.enter() else {
                line.leave()
                return .cancelled
            }
            if pace(of: name) != .slow { return .free(Place(self, name, line: line)) }
            fast.leave()
        }
        line.leave()
        return slowPlace(name)
    }

    private func slowPlace(_ name: String) -> Admission {
        let isFree = state.withLock { state in
            guard state.slow < limits.slow, state.hosts[name]?.slow ?? 0 < limits.slowPerHost else { return false }
            state.slow += 1
            state.hosts[name]?.slow += 1
            return true
        }
        return isFree ? .free(Place(self, name, line: nil)) : .taken
    }

    fileprivate func leave(_ line: ConcurrencyLimit) {
        fast.leave()
        line.leave()
    }

    // MARK: - Known hosts

    private func join(_ name: String) -> Host? {
        state.withLock { state in
            if state.hosts[name] == nil {
                if state.hosts.count >= limits.hosts { forgetIdle(&state) }
                state.hosts[name] = Host(
                    took: limits.patience, lastReturn: age(), line: ConcurrencyLimit(limits.fastPerHost))
            }
            guard let host = state.hosts[name], host.users < limits.fastPerHost + limits.waitingPerHost else {
                return nil
            }
            state.hosts[name]?.users += 1
            return host
        }
    }

    private func part(from name: String) {
        state.withLock { $0.hosts[name]?.users -= 1 }
    }

    /// Forgets slow hosts last.
    private func forgetIdle(_ state: inout State) {
        state.hosts = state.hosts.filter { $1.users > 0 || $1.pace == .slow }
        if state.hosts.count >= limits.hosts { state.hosts = state.hosts.filter { $1.users > 0 } }
    }

    private func pace(of name: String) -> Pace { state.withLock { $0.hosts[name]?.pace ?? .unknown } }

    fileprivate func note(_ name: String, took: Duration) {
        state.withLock { state in
            state.hosts[name]?.pace = took <= limits.patience ? .fast : .slow
            state.hosts[name]?.took = took
        }
    }

    fileprivate func beginSlow(_ name: String) {
        state.withLock { state in
            state.hosts[name]?.pace = .slow
            state.hosts[name]?.slow += 1
            state.slow += 1
        }
    }

    fileprivate func endSlow(_ name: String) {
        state.withLock { state in
            state.hosts[name]?.slow -= 1
            state.slow -= 1
        }
    }

    /// Staggers the return of pushes that are turned away, at the host's recent pace.
    private func busy(_ name: String) -> DeviceResult {
        let time = state.withLock { state -> Duration in
            guard let host = state.hosts[name] else { return WebhookPlaces.shortestReturn }
            let now = age()
            let gap = host.took / (host.pace == .slow ? limits.slowPerHost : limits.fastPerHost)
            let time = min(
                max(host.lastReturn - now + gap, WebhookPlaces.shortestReturn), WebhookPlaces.longestReturn)
            state.hosts[name]?.lastReturn = now + time
            return time
        }
        return .held(reason: "webhook is busy", for: time)
    }
}

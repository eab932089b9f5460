import Testing

@testable import CherishProviders

@Suite("The circuit breaker")
struct CircuitBreakerTests {
    private let start = ContinuousClock.now

    /// A breaker that has just opened for the first time.
    private func opened() -> CircuitBreaker {
        var breaker = CircuitBreaker()
        for _ in 1...10 { _ = breaker.note(success: false, at: start) }
        return breaker
    }

    @Test("stays closed for the first nine failures")
    func nineFailures() {
        var breaker = CircuitBreaker()
        #expect(breaker.permission(at: start) == .go)
        for _ in 1...9 { #expect(breaker.note(success: false, at: start) == nil) }
        #expect(breaker.permission(at: start) == .go)
    }

    @Test("opens for five seconds at the tenth failure in a row")
    func tenthFailure() {
        var breaker = CircuitBreaker()
        for _ in 1...9 { _ = breaker.note(success: false, at: start) }
        #expect(breaker.note(success: false, at: start) == .opened(for: .seconds(5)))
        #expect(breaker.permission(at: start) == .wait(.seconds(5)))
        #expect(breaker.permission(at: start + .seconds(3)) == .wait(.seconds(2)))
        #expect(breaker.permission(at: start + .milliseconds(4999)) == .wait(.milliseconds(1)))
        #expect(breaker.permission(at: start + .seconds(5)) == .tryIt)
    }

    @Test("counts failures since the last success")
    func successInBetween() {
        var breaker = CircuitBreaker()
        for _ in 1...9 { _ = breaker.note(success: false, at: start) }
        #expect(breaker.note(success: true, at: start) == nil)
        for _ in 1...9 { #expect(breaker.note(success: false, at: start) == nil) }
        #expect(breaker.permission(at: start) == .go)
        #expect(breaker.note(success: false, at: start) == .opened(for: .seconds(5)))
    }

    @Test("lets a single trial push through when the pause is over")
    func onlyOneTries() {
        var breaker = opened()
        let later = start + .seconds(5)
        #expect(breaker.permission(at: later) == .tryIt)
        // The others are to check back soon.
        #expect(breaker.permission(at: later) == .wait(.seconds(10)))
        #expect(breaker.permission(at: later + .milliseconds(59_500)) == .wait(.milliseconds(500)))
    }

    @Test("closes when the trial succeeds")
    func closes() {
        var breaker = opened()
        _ = breaker.permission(at: start + .seconds(5))
        #expect(breaker.note(success: true, at: start + .seconds(6)) == .closed)
        // It again takes ten failures to open it.
        for _ in 1...9 { #expect(breaker.note(success: false, at: start + .seconds(6)) == nil) }
        #expect(breaker.note(success: false, at: start + .seconds(6)) == .opened(for: .seconds(5)))
    }

    @Test("doubles its pause with each failed trial, up to five minutes")
    func doubles() {
        var breaker = opened()
        var time = start + .seconds(5)
        for pause in [10, 20, 40, 80, 160, 300, 300, 300] {
            #expect(breaker.permission(at: time) == .tryIt)
            // A push sent before the pause that fails only now says nothing about the trial.
            #expect(breaker.note(success: false, at: time) == nil)
            #expect(breaker.note(success: false, isTrial: true, at: time) == .opened(for: .seconds(pause)))
            #expect(breaker.permission(at: time) == .wait(.seconds(pause)))
            time += .seconds(pause)
        }
    }

    @Test("lets another trial through a minute later if the first never reports back")
    func lostTry() {
        var breaker = opened()
        let later = start + .seconds(5)
        #expect(breaker.permission(at: later) == .tryIt)
        #expect(breaker.permission(at: later + .seconds(60)) == .tryIt)
        #expect(breaker.permission(at: later + .seconds(60)) == .wait(.seconds(10)))
        #expect(breaker.note(success: true, at: later + .seconds(61)) == .closed)
    }

    @Test("ignores failures of pushes sent before it opened")
    func lateFailures() {
        var breaker = opened()
        for _ in 1...100 { #expect(breaker.note(success: false, at: start + .seconds(1)) == nil) }
        #expect(breaker.permission(at: start + .seconds(1)) == .wait(.seconds(4)))
    }

    @Test("closes at once if a push sent before it opened succeeds")
    func lateSuccess() {
        var breaker = opened()
        #expect(breaker.note(success: true, at: start + .seconds(1)) == .closed)
        #expect(breaker.permission(at: start + .seconds(1)) == .go)
    }

    @Test("waits longer if the provider asks for it, but five minutes at most")
    func retryAfter() {
        for (asked, pause) in [(0, 5), (2, 5), (7, 7), (299, 299), (86_400, 300)] {
            var breaker = CircuitBreaker()
            for _ in 1...9 { _ = breaker.note(success: false, at: start) }
            let change = breaker.note(success: false, retryAfter: .seconds(asked), at: start)
            #expect(change == .opened(for: .seconds(pause)))
        }
    }
}

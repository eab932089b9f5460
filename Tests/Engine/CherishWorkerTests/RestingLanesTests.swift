import CherishCore
import Testing

@testable import CherishWorker

@Suite("Lanes that rest after a failure")
struct RestingLanesTests {
    private let start = ContinuousClock.now
    private let lane = Lane(7)
    private let resting = RestingLanes(Backoff())

    @Test("the rest doubles with each failure in a row, up to five seconds")
    func doubling() {
        var (now, rests) = (start, [Duration]())
        for _ in 0..<7 {
            let rest = resting.add(lane, at: now)
            rests.append(rest)
            now += rest
        }
        #expect(rests == [200, 400, 800, 1600, 3200, 5000, 5000].map { .milliseconds($0) })
    }

    @Test("a lane rests until its time is over, and others do not")
    func end() {
        let rest = resting.add(lane, at: start)
        #expect(resting.lanes(at: start + rest - .nanoseconds(1)) == [lane])
        #expect(resting.lanes(at: start + rest).isEmpty)
    }

    @Test("a lane that went on for five seconds begins with the shortest rest again")
    func recovery() {
        var now = start
        for _ in 0..<4 { now += resting.add(lane, at: now) }
        #expect(resting.add(lane, at: now + .seconds(5)) == .milliseconds(200))
    }
}

import CherishCore
import CherishTestSupport
import Testing

@testable import CherishWorker

@Suite("The size of batches")
struct BatchSizeTests {
    /// A batch should take half a second.
    private func batchSize(_ start: Int, in range: ClosedRange<Int> = 1...4000) -> BatchSize {
        BatchSize(start: start, range: range, target: .milliseconds(500))
    }

    @Test("the start is moved into the range")
    func start() {
        for (range, expected) in [(1...4000, 250), (1...100, 100), (300...400, 300), (7...7, 7)] {
            let start = batchSize(250, in: range).current
            #expect(start == expected)
        }
    }

    @Test("after a full batch that took less than half of the time the next one is twice as large, up to the largest")
    func grows() {
        let size = batchSize(100, in: 1...350)
        var sizes: [Int] = []
        for _ in 1...4 {
            size.note(size.current, of: size.current, took: .milliseconds(249))
            sizes.append(size.current)
        }
        #expect(sizes == [200, 350, 350, 350])
    }

    @Test("after a full batch within the time the next one is a quarter larger: sizes recover from slow accidents")
    func recovers() {
        let size = batchSize(100, in: 1...160)
        var sizes: [Int] = []
        for _ in 1...4 {
            size.note(size.current, of: size.current, took: .milliseconds(400))
            sizes.append(size.current)
        }
        #expect(sizes == [125, 156, 160, 160])
    }

    @Test("a batch that was empty, not full, or of another size says nothing")
    func stays() {
        let batches = [(99, 100, 0), (0, 100, 0), (0, 100, 900), (50, 50, 0), (200, 200, 0), (99, 100, 400)]
        for (count, limit, milliseconds) in batches {
            let size = batchSize(100)
            size.note(count, of: limit, took: .milliseconds(milliseconds))
            #expect(size.current == 100, "\(count) of \(limit) in \(milliseconds) ms")
        }
    }

    @Test("after a slow batch the next one is as large as would have been in time, but never below half")
    func shrinks() {
        let batches = [
            (400, 400, 800, 250), (400, 400, 1000, 200), (400, 400, 2000, 200), (400, 400, 400_000, 200),
            (320, 400, 625, 256), (1, 400, 1000, 200),
            // Slow, but of a size that was given up meanwhile: never a reason to grow.
            (800, 800, 1000, 400), (3200, 3200, 1000, 400),
        ]
        for (count, limit, milliseconds, expected) in batches {
            let size = batchSize(400)
            size.note(count, of: limit, took: .milliseconds(milliseconds))
            #expect(size.current == expected, "\(count) of \(limit) in \(milliseconds) ms")
        }
    }

    @Test("it never falls below the smallest size, and finds its way up again from a single job that took for ever")
    func smallest() {
        let bounded = batchSize(40, in: 30...4000)
        bounded.note(40, of: 40, took: .seconds(2))
        #expect(bounded.current == 30)

        let single = batchSize(1)
        single.note(1, of: 1, took: .seconds(1_000_000_000))
        #expect(single.current == 1)
        single.note(1, of: 1, took: .zero)
        #expect(single.current == 2)
    }

    @Test("of full batches of one size at once, in several lanes, only the first makes the next ones larger")
    func growsOnce() async {
        let size = batchSize(100)
        _ = await concurrently(100) { _ in size.note(100, of: 100, took: .zero) }
        #expect(size.current == 200)
    }

    @Test("whatever several lanes report at once, the range is never left")
    func concurrent() async throws {
        let size = batchSize(100, in: 10...400)
        let results = await concurrently(1000) { number -> Int in
            let limit = size.current
            size.note(limit, of: limit, took: .milliseconds(number.isMultiple(of: 3) ? 5000 : 1))
            return size.current
        }
        let sizes = try results.map { try $0.get() }
        let outside = sizes.filter { !(10...400).contains($0) }
        #expect(outside.isEmpty)
        #expect(Set(sizes).count > 1)
    }
}

@Suite("The size of batches, by lane")
struct LaneBatchSizeTests {
    @Test("a slow lane shrinks no other's, and one that was not seen yet begins with the largest")
    func apart() {
        let sizes = LaneBatchSizes(start: 100, range: 10...4000, target: .milliseconds(500))
        let (slow, quick) = (sizes[Lane(1)], sizes[Lane(2)])
        quick.note(100, of: 100, took: .milliseconds(10))
        slow.note(100, of: 100, took: .seconds(50))
        #expect(sizes[Lane(1)].current == 50)
        #expect(sizes[Lane(2)].current == 200)
        #expect(sizes[Lane(3)].current == 200)
        slow.note(50, of: 50, took: .seconds(50))
        #expect(sizes[Lane(2)].current == 200)
        #expect(sizes[Lane(3)].current == 200)
    }
}

import CherishCore
import CherishTestSupport
import Testing

@testable import CherishWorker

@Suite("Batch sizes")
struct BatchSizeTests {
    /// Sizes with a target of half a second per batch.
    private func batchSize(_ start: Int, in range: ClosedRange<Int> = 1...4000) -> BatchSize {
        BatchSize(start: start, range: range, target: .milliseconds(500))
    }

    @Test("the start is clamped to the range")
    func start() {
        for (range, expected) in [(1...4000, 250), (1...100, 100), (300...400, 300), (7...7, 7)] {
            let start = batchSize(250, in: range).current
            #expect(start == expected)
        }
    }

    @Test("a full batch in less than half the target time doubles the size, up to the maximum")
    func grows() {
        let size = batchSize(100, in: 1...350)
        var sizes: [Int] = []
        for _ in 1...4 {
            size.note(size.current, of: size.current, took: .milliseconds(249))
            sizes.append(size.current)
        }
        #expect(sizes == [200, 350, 350, 350])
    }

    @Test("a full batch within the target time grows the size by a quarter, to recover from slow outliers")
    func recovers() {
        let size = batchSize(100, in: 1...160)
        var sizes: [Int] = []
        for _ in 1...4 {
            size.note(size.current, of: size.current, took: .milliseconds(400))
            sizes.append(size.current)
        }
        #expect(sizes == [125, 156, 160, 160])
    }

    @Test("a batch that is empty, not full, or of another size changes nothing")
    func stays() {
        let batches = [(99, 100, 0), (0, 100, 0), (0, 100, 900), (50, 50, 0), (200, 200, 0), (99, 100, 400)]
        for (count, limit, milliseconds) in batches {
            let size = batchSize(100)
            size.note(count, of: limit, took: .milliseconds(milliseconds))
            #expect(size.current == 100, "\(count) of \(limit) in \(milliseconds) ms")
        }
    }

    @Test("a slow batch shrinks the size to what would have met the target, but at most by half")
    func shrinks() {
        let batches = [
            (400, 400, 800, 250), (400, 400, 1000, 200), (400, 400, 2000, 200), (400, 400, 400_000, 200),
            (320, 400, 625, 256), (1, 400, 1000, 200),
            // Slow, but of an outdated size: never a reason to grow.
            (800, 800, 1000, 400), (3200, 3200, 1000, 400),
        ]
        for (count, limit, milliseconds, expected) in batches {
            let size = batchSize(400)
            size.note(count, of: limit, took: .milliseconds(milliseconds))
            #expect(size.current == expected, "\(count) of \(limit) in \(milliseconds) ms")
        }
    }

    @Test("the size stays above the minimum, and recovers after a single very slow job")
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

    @Test("concurrent full batches of one size, in several lanes, grow the size only once")
    func growsOnce() async {
        let size = batchSize(100)
        _ = await concurrently(100) { _ in size.note(100, of: 100, took: .zero) }
        #expect(size.current == 200)
    }

    @Test("concurrent reports never push the size out of its range")
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

@Suite("Batch sizes by lane")
struct LaneBatchSizeTests {
    @Test("a slow lane shrinks no other, and a new lane starts at the largest size")
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

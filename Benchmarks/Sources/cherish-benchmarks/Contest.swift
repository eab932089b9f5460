import Foundation
import Postgres

/// What a contestant did in one turn.
struct Work: Sendable, Codable {
    /// The number of jobs, plants or rows processed.
    var items: Int
    /// The time of the work alone, without setup and teardown.
    var seconds: Double
    /// The processor time of our process, if measured.
    var processorSeconds: Double?
    /// The peak memory of our process, if measured.
    var peakMemoryBytes: Int?
}

/// One way to do the work.
struct Contestant: Sendable {
    let name: String
    /// Restores the initial state; not measured.
    var prepare: @Sendable (Laboratory) async throws -> Void = { _ in }
    /// The required number of items; any other result fails the benchmark.
    var expectedItems: Int?
    let work: @Sendable (Laboratory) async throws -> Work
}

/// A contestant's results over all its turns.
struct Standing: Sendable, Codable {
    /// Statistics over several turns.
    struct Figure: Sendable, Codable {
        let median: Double
        let lowest: Double
        let highest: Double

        init(_ values: [Double]) {
            let sorted = values.sorted()
            let middle = sorted.count / 2
            median = sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
            lowest = sorted[0]
            highest = sorted[sorted.count - 1]
        }
    }

    let name: String
    let items: Int
    let seconds: Figure
    let itemsPerSecond: Figure
    let walBytesPerItem: Double
    let deadRowsPerItem: Double
    let commitsPerItem: Double
    let peakMemoryBytes: Int?
}

/// Interleaves the contestants: each round runs all of them, so that a slow minute of the machine affects all alike.
struct Contest: Sendable {
    let title: String
    let rounds: Int
    let contestants: [Contestant]

    /// Runs all rounds and prints a table that compares each contestant with the first.
    @discardableResult
    func run(in laboratory: Laboratory) async throws -> [Standing] {
        var turns: [[(work: Work, counters: ServerCounters)]] = contestants.map { _ in [] }
        for round in 1...rounds {
            // Rotate the order: whoever follows a heavy contestant may find the disk busy.
            for place in contestants.indices.map({ ($0 + round - 1) % contestants.count }) {
                let contestant = contestants[place]
                progress("\(title): round \(round) of \(rounds), \(contestant.name)")
                try await contestant.prepare(laboratory)
                try await laboratory.waitForOthersToLeave()
                let before = try await ServerCounters.read(laboratory)
                let work = try await contestant.work(laboratory)
                if let expected = contestant.expectedItems, expected != work.items {
                    throw BenchmarkError("\(contestant.name) did \(work.items) instead of \(expected)")
                }
                try await laboratory.waitForOthersToLeave()
                turns[place].append((work, try await ServerCounters.read(laboratory) - before))
            }
        }
        let standings = zip(contestants, turns).map { contestant, turns in
            standing(contestant.name, turns)
        }
        Report.add(title, standings)
        return standings
    }

    private func standing(_ name: String, _ turns: [(work: Work, counters: ServerCounters)]) -> Standing {
        func perItem(_ value: (ServerCounters) -> Int) -> Double {
            Standing.Figure(turns.map { Double(value($0.counters)) / Double(max($0.work.items, 1)) }).median
        }
        return Standing(
            name: name, items: turns[0].work.items, seconds: Standing.Figure(turns.map(\.work.seconds)),
            itemsPerSecond: Standing.Figure(turns.map { Double($0.work.items) / $0.work.seconds }),
            walBytesPerItem: perItem(\.walBytes), deadRowsPerItem: perItem(\.deadRows),
            commitsPerItem: perItem(\.commits), peakMemoryBytes: turns.compactMap(\.work.peakMemoryBytes).max())
    }
}

extension Laboratory {
    /// Waits until the backends of the last turn are gone: backends report their counters when they exit.
    func waitForOthersToLeave() async throws {
        // Flush this session's counters, so that its preparations do not count as the contestant's.
        _ = try await value("SELECT coalesce(pg_stat_force_next_flush()::text, '')", as: String.self)
        while try await value(
            """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND backend_type = 'client backend' AND application_name <> 'laboratory'
            """, as: Int.self) > 0
        {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Provides a pool for one turn, and closes it afterwards.
    func withConnections<Result>(
        _ count: Int, _ body: (ConnectionPool) async throws -> Result
    ) async throws -> Result {
        let pool = ConnectionPool(
            configuration: PostgresConfiguration(
                connectionString: connectionString, applicationName: "contestant", connectTimeout: .seconds(30),
                statementTimeout: nil),
            maximumConnections: count, acquireTimeout: .seconds(600))
        do {
            let result = try await body(pool)
            await pool.close()
            return result
        } catch {
            await pool.close()
            throw error
        }
    }
}

extension ConnectionPool {
    /// Runs work on the elements over several connections, each of which takes the next element when it is free.
    func forEach<Element: Sendable>(
        _ elements: [Element], connections count: Int,
        _ work: @escaping @Sendable (Connection, Element) async throws -> Void
    ) async throws {
        let rest = Rest(elements)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    try await self.withConnection { connection in
                        while let element = await rest.next() { try await work(connection, element) }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// The elements still to be processed.
actor Rest<Element: Sendable> {
    private var elements: IndexingIterator<[Element]>

    init(_ elements: [Element]) {
        self.elements = elements.makeIterator()
    }

    func next() -> Element? { elements.next() }
}

/// Measures the body in seconds.
func seconds(_ body: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await body()
    return (ContinuousClock.now - start) / .seconds(1)
}

/// Writes progress to standard error; figures go to standard output.
func progress(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
}

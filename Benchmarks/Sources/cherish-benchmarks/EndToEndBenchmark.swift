import CherishCore
import CherishPush
import CherishStore
import CherishWorker
import Foundation
import Glibc
import Logging
import Postgres
import ServiceLifecycle
import Synchronization
import SystemTimeZones

/// Latency from the due instant of an occurrence to its line on disk, with a normally running worker.
enum EndToEndBenchmark {
    static func run(size: Size, in laboratory: Laboratory) async throws {
        let idle = size.isSmoke ? 10 : 400
        // Planned before the worker starts, so it knows when to wake.
        try await sow(in: laboratory, count: idle, from: 3, every: 0.0837)
        async let fsyncs = Fsyncs.measure(folder: laboratory.cluster.home, count: idle)
        let planned = try await serve(expecting: idle, in: laboratory) { _ in }
        // Added by another process while the worker sleeps.
        let added = try await serve(expecting: idle / 4, in: laboratory) { laboratory in
            try await Task.sleep(for: .seconds(2))
            for number in 0..<(idle / 4) {
                try await sow(in: laboratory, count: 1, from: 0, every: 1, seed: "added \(number)")
                try await Task.sleep(for: .milliseconds(250 + number * 37 % 40))
            }
        }
        var rows = [row("idle, planned ahead", planned), row("idle, added by another process when due", added)]
        for rate in [10_000, 20_000] {
            let offered = Int(Double(rate) * (size.isSmoke ? 0.5 : 20))
            try await sow(
                in: laboratory, count: offered, from: size.isSmoke ? 4 : 60, every: 1 / Double(rate),
                seed: "loaded \(rate)")
            try await laboratory.script("VACUUM ANALYZE")
            let loaded = try await serve(expecting: offered, in: laboratory) { _ in }
            rows.append(row("\(Report.count(Double(rate))) jobs/s offered", loaded))
        }
        rows.append(row("an fsync beside the idle run", try await fsyncs))
        Report.table(
            "end to end: due → line on disk, milliseconds",
            [["", "count", "p50", "p99", "p99.9", "highest"]] + rows)
    }

    private static func row(_ name: String, _ milliseconds: [Double]) -> [String] {
        let sorted = milliseconds.sorted()
        func percentile(_ share: Double) -> String {
            guard !sorted.isEmpty else { return "" }
            return Report.decimal(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))], 1)
        }
        return [name, "\(sorted.count)", percentile(0.5), percentile(0.99), percentile(0.999), percentile(1)]
    }

    /// Adds plants, each in its own account, that fall due one after another from `start` seconds from now.
    private static func sow(
        in laboratory: Laboratory, count: Int, from start: Double, every gap: Double, seed: String = "planned"
    ) async throws {
        // A zone where it is about noon, so that no day ends during the run.
        let shift = 12 - (Int(Date().timeIntervalSince1970) / 3600) % 24
        let zone = shift == 0 ? "Etc/GMT" : "Etc/GMT\(shift > 0 ? "-" : "+")\(abs(shift))"
        try await laboratory.script(
            """
            SELECT make_partition('occurrence', 'month', now()), make_log_partitions(now());
            CREATE TEMPORARY TABLE sown AS
            SELECT number, (substr(md5('\(seed)' || number), 1, 30) || lpad(to_hex(number % 256), 2, '0'))::uuid AS account,
                (number % 256)::smallint AS lane, md5('plant \(seed)' || number)::uuid AS plant,
                clock_timestamp() + (\(start) + \(gap) * number) * interval '1 second' AS at
            FROM generate_series(0, \(count) - 1) AS number;
            INSERT INTO account SELECT lane, account, '\(seed)' || number || '@example.com', '민지', NULL, '\(zone)', 'ko',
                true, true, false, false, now() FROM sown;
            INSERT INTO plant SELECT lane, plant, account, '김하나', '+821012345678', '하나', NULL, NULL, NULL, 7, 720,
                (at AT TIME ZONE '\(zone)')::date - 7, NULL, (at AT TIME ZONE '\(zone)')::date, 'registration', 0, 0, 0,
                true, at, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, now(), NULL FROM sown;
            INSERT INTO occurrence SELECT lane, at, account, plant, 'watering_due',
                (at AT TIME ZONE '\(zone)')::date - '1970-01-01'::date FROM sown;
            DROP TABLE sown;
            """)
    }

    /// Runs a worker until all is delivered, and returns each push's delay in milliseconds.
    private static func serve(
        expecting count: Int, in laboratory: Laboratory, meanwhile: (Laboratory) async throws -> Void
    ) async throws -> [Double] {
        progress("end to end: a worker for \(count) pushes")
        let file = laboratory.cluster.home + "/written.csv"
        try? FileManager.default.removeItem(atPath: file)
        let worker = try Child(arguments: [
            "worker-child", "serve", "--database", laboratory.connectionString, "--output", file,
        ])
        try worker.waitUntilReady()
        let delivered: SQL = "SELECT coalesce(sum(to_seq - from_seq + 1), 0)::int8 FROM push_receipt"
        let before = try await laboratory.value(delivered, as: Int.self)
        if try await laboratory.value(
            """
            SELECT count(*) FROM occurrence JOIN lane ON lane.lane = occurrence.lane AND at > cursor_at WHERE at < now()
            """, as: Int.self) > 0
        {
            throw BenchmarkError("sowing took too long: some were due before the worker was there")
        }
        worker.go()
        try await meanwhile(laboratory)
        let end = ContinuousClock.now.advanced(by: .seconds(180))
        while try await laboratory.value(delivered, as: Int.self) < before + count, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(250))
        }
        worker.go()
        _ = try worker.result(as: Work.self)
        let rows = try await laboratory.pool.withConnection { connection in
            try await connection.script(
                """
                CREATE TEMPORARY TABLE written (plant_id uuid, at timestamptz);
                COPY written FROM '\(file)' (FORMAT csv);
                """)
            let rows = try await connection.query(
                """
                SELECT (extract(epoch FROM written.at - plant.alarm_at) * 1000)::float8
                FROM written JOIN plant ON plant.id = written.plant_id
                """)
            try await connection.script("DROP TABLE written")
            return rows
        }
        if rows.count != count { throw BenchmarkError("\(rows.count) pushes instead of \(count)") }
        return try rows.map { try $0.decode(0) }
    }

    /// Waits for a line on standard input, on a thread that may block.
    private static func untilLine() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                _ = readLine()
                continuation.resume()
            }
        }
    }

    /// The worker process: runs all services of `cherish-worker` until it reads a line.
    static func serve(_ pool: ConnectionPool, output: String) async throws -> Int {
        let sender = TimingSender(lines: JSONLinesSender(path: output + ".jsonl"))
        let zones = SystemTimeZones()
        let logger = Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() }
        let worker = Worker(
            scheduler: LaneScheduler(pool: pool, zones: zones, time: .database),
            deliverer: Deliverer(
                log: DeliveryLog(pool: pool, zones: zones, time: .database, leaseDuration: .seconds(30)),
                destination: .lines(sender), worker: "\(getpid())", logger: logger),
            housekeeping: Housekeeping(pool: pool, time: .database, retention: 90),
            store: CareStore(pool: pool, zones: zones), concurrency: 4, pollInterval: .milliseconds(500), logger: logger
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            for service in worker.services { group.addTask { try await service.run() } }
            group.addTask { await untilLine() }
            try await group.next()
            group.cancelAll()
        }
        return try sender.write(to: output)
    }
}

/// Appends lines as a worker does, and records when each is on disk.
final class TimingSender: PushSender {
    private let lines: JSONLinesSender
    private let written = Mutex<[(plant: Plant.ID, at: Instant)]>([])

    init(lines: JSONLinesSender) {
        self.lines = lines
    }

    func send(_ messages: [PushMessage], at now: Instant) async -> [SendResult] {
        let results = await lines.send(messages, at: now)
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let at = Instant(microsecondsSinceEpoch: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
        written.withLock { $0 += messages.map { (Plant.ID($0.subjectID), at) } }
        return results
    }

    func write(to path: String) throws -> Int {
        let all = written.withLock { $0 }
        try all.map { "\($0.plant),\($0.at)\n" }.joined().write(toFile: path, atomically: true, encoding: .utf8)
        chmod(path, 0o644)
        return all.count
    }
}

/// Measures how long the disk takes to sync a page, alongside another measurement.
enum Fsyncs {
    static func measure(folder: String, count: Int) async throws -> [Double] {
        let descriptor = open(folder + "/fsync", O_CREAT | O_WRONLY | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw BenchmarkError("no file to measure fsync with") }
        defer { close(descriptor) }
        let page = [UInt8](repeating: 7, count: 8192)
        var milliseconds: [Double] = []
        for _ in 0..<count {
            try await Task.sleep(for: .milliseconds(80))
            let start = ContinuousClock.now
            _ = write(descriptor, page, page.count)
            fdatasync(descriptor)
            milliseconds.append((ContinuousClock.now - start) / .milliseconds(1))
        }
        return milliseconds
    }
}

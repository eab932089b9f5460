import ArgumentParser
import CherishCore
import CherishPush
import CherishStore
import CherishWorker
import Foundation
import Glibc
import Logging
import Postgres
import SystemTimeZones

/// An engine process started by a benchmark, so that its memory is its own and several can run in parallel.
struct WorkerChild: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "worker-child", shouldDisplay: false)

    enum Task: String, ExpressibleByArgument {
        case idle, schedule, deliver, serve, pace
        case deliverLog = "deliver-log"
    }

    @Argument var task: Task
    @Option var database: String
    @Option var concurrency = 4
    /// The percentage of jobs that the sink fails at the first attempt.
    @Option var failing = 0
    /// The engine's now, in minutes after the first alarm.
    @Option var minute = 40
    /// The duration of a paced run.
    @Option var seconds = 0
    /// The file that lists when each push was sent.
    @Option var output = ""

    func run() async throws {
        let pool = ConnectionPool(
            configuration: PostgresConfiguration(
                connectionString: database, applicationName: "contestant", connectTimeout: .seconds(30),
                statementTimeout: nil),
            maximumConnections: concurrency * 2 + 2, acquireTimeout: .seconds(60))
        let zones = SystemTimeZones()
        func tick(_ now: Instant) -> LaneRunner {
            LaneRunner(
                scheduler: LaneScheduler(pool: pool, zones: zones, time: .fixed(now)),
                deliverer: Deliverer(
                    log: DeliveryLog(pool: pool, zones: zones, time: .fixed(now), leaseDuration: .seconds(30)),
                    destination: .lines(NoOpSender(failingPercent: failing)), worker: "\(getpid())",
                    logger: Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() }),
                concurrency: concurrency)
        }
        // Connect first, like a long-running worker.
        try await pool.forEach(Array(0..<concurrency), connections: concurrency) { connection, _ in
            _ = try await connection.query("SELECT 1")
        }
        FileHandle.standardOutput.write(Data("ready\n".utf8))
        _ = readLine()
        if task == .pace {
            let pace = try await HorizonBenchmark.pace(seconds: seconds, tick: tick)
            await pool.close()
            return print(String(decoding: try JSONEncoder().encode(pace), as: UTF8.self))
        }
        let start = ContinuousClock.now
        let items = try await perform(task, pool, tick)
        let time = (ContinuousClock.now - start) / .seconds(1)
        await pool.close()
        let work = Work(items: items, seconds: time, peakMemoryBytes: Child.peakMemoryBytes)
        print(String(decoding: try JSONEncoder().encode(work), as: UTF8.self))
    }

    private func perform(_ task: Task, _ pool: ConnectionPool, _ tick: (Instant) -> LaneRunner) async throws -> Int {
        let now = Garden.firstAlarm.adding(minutes: minute)
        switch task {
        case .idle:
            for _ in 0..<100 { _ = try await tick(now).run() }
            return 100
        case .schedule:
            return try await tick(now).schedule().enqueued
        case .serve:
            return try await EndToEndBenchmark.serve(pool, output: output)
        case .pace:
            return 0
        case .deliverLog:
            return try await DeliverBenchmark.deliverLog(pool, concurrency: concurrency, worker: "\(getpid())")
        case .deliver:
            let first = try await tick(now).deliver()
            if first.retrying == 0 { return first.delivered }
            // Retry what failed, a minute later.
            let second = try await tick(now.adding(minutes: 1)).deliver()
            return first.delivered + second.delivered
        }
    }

    /// Runs a worker paced by the clock.
    static func pace(seconds: Int, in laboratory: Laboratory) async throws -> HorizonBenchmark.Pace {
        let child = try Child(arguments: [
            "worker-child", "pace", "--database", laboratory.connectionString, "--seconds", "\(seconds)",
        ])
        try child.waitUntilReady()
        child.go()
        return try child.result()
    }

    /// Runs processes in parallel, until the last one is done.
    static func run(
        _ task: Task, processes count: Int = 1, concurrency: Int = 4, failing: Int = 0, minute: Int = 40,
        in laboratory: Laboratory
    ) async throws -> Work {
        let children = try (0..<count).map { _ in
            try Child(
                arguments: [
                    "worker-child", task.rawValue, "--database", laboratory.connectionString, "--concurrency",
                    "\(concurrency)", "--failing", "\(failing)", "--minute=\(minute)",
                ])
        }
        for child in children { try child.waitUntilReady() }
        var total = Work(items: 0, seconds: 0, peakMemoryBytes: 0)
        for child in children { child.go() }
        for child in children {
            let work = try child.result(as: Work.self)
            total.items += work.items
            total.seconds = max(total.seconds, work.seconds)
            total.peakMemoryBytes = max(total.peakMemoryBytes ?? 0, work.peakMemoryBytes ?? 0)
        }
        return total
    }
}

/// A process started from this program.
struct Child {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// The peak memory of this process. `getrusage` would start from the parent's.
    static var peakMemoryBytes: Int? {
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { $0.split(separator: " ").dropLast().last }.flatMap { Int($0) }.map { $0 * 1024 }
    }

    init(arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    func waitUntilReady() throws {
        guard String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).hasPrefix("ready") else {
            throw BenchmarkError("a worker did not start")
        }
    }

    /// In the child: waits for `go()`, does the work, and prints it with its number of items, times and memory.
    static func work(_ items: () async throws -> Int) async throws {
        FileHandle.standardOutput.write(Data("ready\n".utf8))
        _ = readLine()
        let (start, processorStart) = (ContinuousClock.now, processorSeconds)
        let count = try await items()
        let work = Work(
            items: count, seconds: (ContinuousClock.now - start) / .seconds(1),
            processorSeconds: processorSeconds - processorStart, peakMemoryBytes: peakMemoryBytes)
        print(String(decoding: try JSONEncoder().encode(work), as: UTF8.self))
    }

    /// In the child: waits for `go()` while a server answers, and prints how much it has served.
    static func serve(_ items: @escaping @Sendable () -> Int) async throws {
        FileHandle.standardOutput.write(Data("ready\n".utf8))
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                _ = readLine()
                continuation.resume()
            }
        }
        print(String(decoding: try JSONEncoder().encode(Work(items: items(), seconds: 0)), as: UTF8.self))
    }

    /// The processor time of this process so far.
    private static var processorSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    func go() {
        input.fileHandleForWriting.write(Data("go\n".utf8))
    }

    func result<Result: Decodable>(as type: Result.Type = Result.self) throws -> Result {
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchmarkError("a worker failed") }
        return try JSONDecoder().decode(Result.self, from: data)
    }
}

/// Accepts every push without sending it, except for a percentage that fails at first.
struct NoOpSender: PushSender {
    let failingPercent: Int

    func send(_ messages: [PushMessage], at now: Instant) async -> [SendResult] {
        messages.map { message in
            guard failingPercent > 0, now == Garden.now else { return .delivered }
            // By the subject's id, so that each run fails the same jobs.
            let bytes = message.subjectID.uuid.uuid
            return Int(bytes.0) << 8 | Int(bytes.1) < failingPercent * 65_536 / 100
                ? .retry(error: "unavailable") : .delivered
        }
    }
}

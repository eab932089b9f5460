import AddressBook
import ArgumentParser
import CherishCore
import CherishRuntime
import CherishService
import Foundation
import Postgres
import Synchronization

/// Seeds friends of many accounts from one table, against Python's csv and psycopg's COPY of the same rows.
enum BulkBenchmark {
    /// The engine's now.
    static let now = Garden.firstAlarm

    static func run(size: Size, in laboratory: Laboratory) async throws {
        let friends = size.isSmoke ? 10_000 : 1_000_000
        let accounts = friends / 100
        try await addAccounts(accounts, in: laboratory)
        let grouped = try BulkFile.write(friends, of: accounts, in: laboratory.cluster.home, isShuffled: false)
        let shuffled = try BulkFile.write(friends, of: accounts, in: laboratory.cluster.home, isShuffled: true)
        for (file, order) in [(grouped, "one account after the other"), (shuffled, "accounts mixed")] {
            try await Contest(
                title:
                    "bulk: \(Report.count(Double(friends))) friends of \(Report.count(Double(accounts))) accounts, \(order)",
                rounds: size.rounds,
                contestants: contestants(file, friends)
            ).run(in: laboratory)
        }
        try await waits(during: shuffled, in: laboratory)
    }

    /// How long a scheduler waits for its lane while friends of all accounts are seeded.
    private static func waits(during file: BulkFile, in laboratory: Laboratory) async throws {
        try await empty(laboratory)
        let hasEnded = Mutex(false)
        let seeding = Task {
            defer { hasEnded.withLock { $0 = true } }
            return try seed(file, laboratory)
        }
        var milliseconds: [Double] = []
        while !hasEnded.withLock({ $0 }) {
            let start = ContinuousClock.now
            // As a scheduler locks its lane.
            _ = try await laboratory.pool.withTransaction { connection in
                try await connection.query(
                    "SELECT FROM lane WHERE lane = $1 FOR UPDATE", [Int16.random(in: 0...255)])
            }
            milliseconds.append((ContinuousClock.now - start) / .milliseconds(1))
            try await Task.sleep(for: .milliseconds(5))
        }
        let work = try await seeding.value
        let sorted = milliseconds.sorted()
        func percentile(_ share: Double) -> String {
            Report.decimal(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))], 1)
        }
        Report.table(
            "bulk: how long a scheduler waits for a lane meanwhile, milliseconds",
            [
                ["", "visits", "p50", "p99", "highest", "friends/s"],
                [
                    "cherish seed, accounts mixed", "\(sorted.count)", percentile(0.5), percentile(0.99), percentile(1),
                    Report.count(Double(work.items) / work.seconds),
                ],
            ])
    }

    private static func seed(_ file: BulkFile, _ laboratory: Laboratory) throws -> Work {
        let child = try Child(arguments: ["bulk-child", file.path, "--database", laboratory.connectionString])
        try child.waitUntilReady()
        child.go()
        return try child.result()
    }

    @Sendable private static func empty(_ laboratory: Laboratory) async throws {
        try await laboratory.script("TRUNCATE plant, cycle_change, occurrence CASCADE")
        try await laboratory.script("CHECKPOINT")
    }

    private static func contestants(_ file: BulkFile, _ friends: Int) -> [Contestant] {
        var contestants = [
            Contestant(name: "cherish seed", prepare: empty, expectedItems: friends) { laboratory in
                var work = try seed(file, laboratory)
                work.items = try await file.plantedCount(laboratory)
                return work
            }
        ]
        guard PythonClient.isThere else { return contestants }
        for (mode, name) in [
            ("trusting", "csv + psycopg, nothing checked"), ("checking", "csv + phonenumbers + psycopg"),
        ] {
            contestants.append(
                Contestant(name: name, prepare: empty, expectedItems: friends) { laboratory in
                    let seconds = try PythonClient.run(
                        "bulk.py", [mode, laboratory.connectionString, file.path, "\(now.secondsSinceEpoch)"])
                    return Work(items: try await file.plantedCount(laboratory), seconds: seconds)
                })
        }
        return contestants
    }

    private static func addAccounts(_ count: Int, in laboratory: Laboratory) async throws {
        try await laboratory.script(
            """
            SELECT make_partition('occurrence', 'month', '2027-03-01'::timestamptz + month * interval '1 month')
            FROM generate_series(0, 4) AS month;
            INSERT INTO account
            SELECT number % 256, (substr(md5('account' || number), 1, 30) || lpad(to_hex(number % 256), 2, '0'))::uuid,
                'someone' || number || '@example.com', '민지', NULL, 'Asia/Seoul', 'ko', true, true, false, false,
                '2027-01-01'
            FROM generate_series(0, \(count) - 1) AS number;
            INSERT INTO account_email (email, lane, account_id) SELECT email, lane, id FROM account;
            """)
        try await laboratory.script("VACUUM ANALYZE")
    }
}

/// A table of friends as an operator might have it.
struct BulkFile: Sendable {
    let path: String
    /// A digest of the rows that the database must contain afterwards. The first contestant sets it; all others must
    /// match.
    private let digests = Digests()

    private actor Digests {
        private var first: Int?

        func agrees(_ digest: Int) -> Bool {
            first = first ?? digest
            return first == digest
        }
    }

    private static let names = [
        "김민서", "이서준", "박지우", "최도윤", "정하은", "강시우", "Emma Smith", "Liam Jones", "Olivia Brown", "남궁예준",
    ]

    static func write(_ friends: Int, of accounts: Int, in folder: String, isShuffled: Bool) throws -> BulkFile {
        var text = "account,name,phone,birthday,cycle_days\n"
        let perAccount = friends / accounts
        for number in 0..<friends {
            // Every number occurs once, because the factor and the count are coprime.
            let friend = isShuffled ? number * 7_919 % friends : number
            let subscriber = 20_000_000 + friend * 104_729 % 70_000_000
            let digits = "\(subscriber)"
            let birthday =
                friend.isMultiple(of: 2)
                ? "\(1950 + friend % 50)-0\(1 + friend / 3 % 9)-\(10 + friend / 7 % 19)" : ""
            let cycle = friend.isMultiple(of: 3) ? "\([3, 14, 30][friend / 3 % 3])" : ""
            text += """
                someone\(friend / perAccount)@example.com,\(names[friend % names.count]),\
                010-\(digits.prefix(4))-\(digits.suffix(4)),\(birthday),\(cycle)

                """
        }
        let path = "\(folder)/friends\(isShuffled ? "-shuffled" : "").csv"
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        return BulkFile(path: path)
    }

    /// Counts the plants with their occurrences, and compares all rows by account and phone, because ids are random.
    /// The first due date is random too: it must lie within the cycle and agree between the tables.
    ///
    /// - Throws: ``BenchmarkError`` if the rows differ from those that another contestant wrote.
    func plantedCount(_ laboratory: Laboratory) async throws -> Int {
        let digest = try await laboratory.value(
            """
            SELECT coalesce(sum(hashtextextended(concat_ws('|', plant.account_id, name, phone, nickname, birthday_year,
                birthday_month, birthday_day, plant.cycle_days, alarm_minute, planted_on,
                plant.due_on - planted_on BETWEEN 1 AND plant.cycle_days, cycle_change.due_on = plant.due_on,
                occurrence.account_id = plant.account_id, ref = plant.due_on - date '1970-01-01', at = alarm_at,
                alarm_at AT TIME ZONE 'Asia/Seoul' - plant.due_on::timestamp, source), 0) / 1000000)::int8, 0)
            FROM plant JOIN occurrence ON occurrence.lane = plant.lane AND occurrence.subject_id = plant.id
            JOIN cycle_change ON cycle_change.lane = plant.lane AND cycle_change.plant_id = plant.id
            """, as: Int.self)
        guard await digests.agrees(digest) else { throw BenchmarkError("the contestants wrote different rows") }
        return try await laboratory.value(
            "SELECT count(*) FROM occurrence JOIN plant ON plant.lane = occurrence.lane AND plant.id = subject_id",
            as: Int.self)
    }
}

/// Runs `cherish seed` in a process of its own.
struct BulkChild: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "bulk-child", shouldDisplay: false)

    @Argument var file: String
    @Option var database: String

    func run() async throws {
        let settings = try Settings(environment: ["DATABASE_URL": database])
        let work = try await Engine.with(settings, now: BulkBenchmark.now) { engine in
            _ = try await engine.store.now()
            FileHandle.standardOutput.write(Data("ready\n".utf8))
            _ = readLine()
            let start = ContinuousClock.now
            let result = try await CareService(engine).seed(
                from: try .file(file), SeedOptions(cycle: try Cycle(days: 7)),
                problem: { throw BenchmarkError("\($0)") })
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            return Work(items: result.friends.plantedCount, seconds: seconds, peakMemoryBytes: Child.peakMemoryBytes)
        }
        print(String(decoding: try JSONEncoder().encode(work), as: UTF8.self))
    }
}

import CherishCore
import CherishPush
import CherishTestSupport
import Postgres
import Testing

@testable import CherishStore
@testable import CherishWorker

/// Partitions long in the past: a day of the log and a month of the calendar, in the order of dropping.
private let oldPartitions = [
    "push_job_20200105", "push_receipt_20200105", "push_device_outcome_20200105", "sent_push_20200105",
    "occurrence_outcome_20200105", "push_outcome_202001", "occurrence_202001",
]

extension ServiceUnderTest {
    fileprivate func makeOldPartitions() async throws {
        try await execute(
            """
            SELECT make_log_partitions('2020-01-05T00:00:00Z'),
                make_partition('occurrence', 'month', '2020-01-01T00:00:00Z')
            """)
    }

    /// The days of the log with partitions, and how many of the five tables have one: `20200105 5`.
    fileprivate func logDays() async throws -> [String] {
        try await texts(
            """
            SELECT right(relname, 8) || ' ' || count(*) FROM pg_class
            WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname ~ '_[0-9]{8}$'
            GROUP BY right(relname, 8) ORDER BY 1
            """)
    }

    func oldLogDays() async throws -> [String] {
        try await logDays().filter { $0.hasPrefix("2020") }
    }

    fileprivate func months() async throws -> [String] {
        try await texts(
            """
            SELECT relname FROM pg_class
            WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname ~ '^occurrence_[0-9]{6}$'
            ORDER BY 1
            """)
    }

    /// The partitions being detached.
    fileprivate func pendingPartitions() async throws -> [String] {
        try await texts("SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhdetachpending ORDER BY 1")
    }

    /// How many engine locks are held.
    fileprivate func heldLocks() async throws -> Int {
        try await count("SELECT count(*) FROM engine_lock WHERE held_by IS NOT NULL")
    }

    /// Moves today's rows of the log to a day in January 2020.
    func dateLogBack(to day: Int) async throws {
        try await dateLogBack(to: instant("2020-01-0\(day)T12:00:00Z"))
    }

    /// Moves the rows that the log recorded since 2021 to an earlier instant.
    func dateLogBack(to earlier: Instant) async throws {
        try await execute("SELECT make_log_partitions($1)", [earlier])
        let tables = [
            "push_job", "push_outcome", "push_receipt", "push_device_outcome", "sent_push", "push_retry",
            "occurrence_outcome",
        ]
        for table in tables {
            try await execute(
                "UPDATE \(table) SET recorded_at = $1 WHERE recorded_at > '2021-01-01T00:00:00Z'", [earlier])
        }
        try await execute(
            "UPDATE lane_delivery SET cursor_recorded_at = $1 WHERE cursor_recorded_at > '2021-01-01T00:00:00Z'",
            [earlier])
        try await execute(
            "UPDATE lane SET last_recorded_at = $1 WHERE last_recorded_at > '2021-01-01T00:00:00Z'", [earlier])
    }

    /// Plants a friend on 23 February 2027 whose alarm comes that many days later, runs then, and moves the log to that
    /// day of January 2020.
    func push(on day: Int, of account: Account, isDelivered: Bool = true) async throws {
        _ = try await friend(of: account, number: day, cycle: day, at: seoul("2027-02-23T10:00"))
        if isDelivered {
            try await run(at: alarm(day))
        } else {
            _ = try await tick(at: alarm(day)).schedule()
        }
        try await dateLogBack(to: day)
    }

    func alarm(_ day: Int) throws -> Instant {
        try seoul("2027-02-23T09:00").adding(hours: 24 * day)
    }
}

@Suite("Partitions ahead", .migratedDatabase, .serialized)
struct PartitionsAheadTests {
    @Test("are made once, for today and two more days of the log, and for sixteen months of the calendar")
    func ahead() async throws {
        let service = ServiceUnderTest()
        let housekeeping = try service.housekeeping(at: seoul("2027-03-02T09:00"))
        func today() async throws -> String {
            try await service.single("SELECT (now() AT TIME ZONE 'UTC')::date::text")
        }
        let day = try await today()
        let report = try await housekeeping.run()
        let again = try await housekeeping.run()
        let months = try await service.months()
        #expect(months.count == 16)
        #expect(months.first == "occurrence_202703")
        #expect(months.last == "occurrence_202806")
        let days = try await service.logDays()
        let expected = try await service.texts(
            """
            SELECT to_char(now() AT TIME ZONE 'UTC' + number * interval '1 day', 'YYYYMMDD') || ' 5'
            FROM generate_series(0, 2) AS number
            """)
        #expect(Set(report.made).isSuperset(of: months))
        #expect(report.dropped.isEmpty)
        // Midnight in between would bring one more day.
        guard try await today() == day else { return }
        #expect(days == expected)
        let outcomes = try await service.texts(
            """
            SELECT DISTINCT to_char(now() AT TIME ZONE 'UTC' + number * interval '1 day', '"push_outcome_"YYYYMM')
            FROM generate_series(0, 2) AS number
            """)
        #expect(Set(report.made).isSuperset(of: outcomes))
        #expect(report.made.count == 16 + 3 * 5 + outcomes.count)
        #expect(again == Housekeeping.Report())
    }

    @Test("cover whatever a plant can plan, so that commands need not make any")
    func suffice() async throws {
        let service = ServiceUnderTest()
        let now = try seoul("2027-02-01T08:00")
        _ = try await service.housekeeping(at: now).run()
        let months = try await service.months()
        let account = try await service.account(switches: NotificationSwitches(withered: true), at: now)
        _ = try await service.friend(of: account, cycle: 90, at: now)
        let afterwards = try await service.months()
        #expect(afterwards == months)
        let planned = try await service.rows(of: "occurrence")
        #expect(planned == 2)
    }

    @Test("have names that give their days")
    func names() throws {
        for name in [
            "push_job_20270302", "push_device_outcome_20270302", "sent_push_20270302", "occurrence_202712",
            "occurrence_outcome_20280229", "push_outcome_202703", "push_outcome_20270302",
        ] {
            let period = try #require(Period(partition: name))
            let table = name.prefix { !$0.isNumber }.dropLast()
            #expect(period.partition(of: String(table)) == name)
        }
        let december = try #require(Period(partition: "occurrence_202712"))
        let newYear = try instant("2028-01-01T00:00:00Z")
        #expect(december.end == newYear)
        let leapDay = try #require(Period(partition: "push_receipt_20280229"))
        let march = try instant("2028-03-01T00:00:00Z")
        #expect(leapDay.end == march)
        for name in [
            "occurrence_202713", "push_job_20270229", "push_job_2027030", "push_job_copy", "lane_20270302",
            "occurrence_20270302", "occurrence_outcome_202703",
        ] {
            #expect(Period(partition: name) == nil, "\(name)")
        }
    }
}

@Suite("Old days of the log", .migratedDatabase, .serialized)
struct OldLogTests {
    /// So early that no month of the calendar is over.
    private func housekeeping(_ service: ServiceUnderTest) throws -> Housekeeping {
        try service.housekeeping(at: seoul("2027-03-04T09:00"))
    }

    @Test("are dropped with all their tables, jobs first, once all their jobs have ended; newer ones stay")
    func dropped() async throws {
        let service = ServiceUnderTest()
        let account = try await service.account(at: seoul("2027-02-23T10:00"))
        try await service.push(on: 5, of: account)
        try await service.push(on: 6, of: account)
        _ = try await service.friend(of: account, number: 7, cycle: 7, at: seoul("2027-02-23T10:00"))
        try await service.run(at: service.alarm(7))
        let before = try await service.pushes()
        #expect(before.count == 3)

        let report = try await housekeeping(service).run()
        let tables = ["push_job", "push_receipt", "push_device_outcome", "sent_push", "occurrence_outcome"]
        let expected =
            ["20200105", "20200106"].flatMap { day in tables.map { "\($0)_\(day)" } } + ["push_outcome_202001"]
        #expect(report.dropped == expected)
        #expect(report.counted.map(\.description) == ["2020-01-05", "2020-01-06"])
        #expect(report.held == nil)
        let old = try await service.oldLogDays()
        #expect(old.isEmpty)
        let after = try await service.pushes()
        #expect(after == ["watering_due 2027-03-02 delivered sent"])

        // The lane continues where it was.
        _ = try await service.friend(of: account, number: 8, cycle: 8, at: seoul("2027-02-23T10:00"))
        let counts = try await service.run(at: service.alarm(8))
        #expect(counts.delivered == 1)
        let seqs = try await service.texts("SELECT seq::text FROM push_job ORDER BY seq")
        #expect(seqs == ["3", "4"])
    }

    @Test("stay for the retention period, by the clock that recorded them, whatever the engine's now")
    func retention() async throws {
        let service = ServiceUnderTest()
        let later = try instant("2041-12-20T10:00:00Z")
        try await service.execute("SELECT make_log_partitions(now() - interval '72 hours')")
        let day = try await service.single(
            "SELECT to_char(now() AT TIME ZONE 'UTC' - interval '72 hours', 'YYYYMMDD')", as: String.self)
        let kept = try await service.housekeeping(at: later, retention: 3).run()
        #expect(kept.dropped.isEmpty)
        let report = try await service.housekeeping(at: later, retention: 2).run()
        #expect(report.dropped.first == "push_job_\(day)")
        // On the third of a month, the outcomes of the one before go with its last day.
        #expect(report.dropped.filter { !$0.hasPrefix("push_outcome") }.count == 5)
    }

    @Test("stay while one of their jobs is undelivered, and so do all later days")
    func undelivered() async throws {
        let service = ServiceUnderTest()
        let account = try await service.account(at: seoul("2027-02-23T10:00"))
        try await service.push(on: 5, of: account)
        try await service.push(on: 6, of: account, isDelivered: false)
        try await service.execute("SELECT make_log_partitions('2020-01-07T00:00:00Z')")
        let first = try await housekeeping(service).run()
        #expect(first.dropped == Array(oldPartitions.prefix(5)))
        #expect(first.counted.map(\.description) == ["2020-01-05"])
        let kept = try await service.oldLogDays()
        #expect(kept == ["20200106 5", "20200107 5"])

        let counts = try await service.run(at: service.alarm(6))
        #expect(counts.delivered == 1)
        let second = try await housekeeping(service).run()
        #expect(second.dropped.count == 11)
        #expect(second.dropped.last == "push_outcome_202001")
        let old = try await service.oldLogDays()
        #expect(old.isEmpty)
    }

    @Test("of a month that an earlier release began by day keep their outcomes by day")
    func outcomesByDay() async throws {
        let service = ServiceUnderTest()
        try await service.execute("SELECT make_partition('push_outcome', 'day', '2020-01-05')")
        try await service.execute("SELECT make_log_partitions('2020-01-06'), make_log_partitions('2020-02-01')")
        let outcomes: SQL = """
            SELECT relname FROM pg_class WHERE relkind = 'r' AND relname ~ '^push_outcome_20200' ORDER BY 1
            """
        #expect(
            try await service.texts(outcomes)
                == ["push_outcome_20200105", "push_outcome_20200106", "push_outcome_202002"])
        let report = try await housekeeping(service).run()
        #expect(report.dropped.filter { $0.hasPrefix("push_outcome") }.count == 3)
        #expect(try await service.texts(outcomes).isEmpty)
    }

    @Test("stay while one lane has not delivered its job, whatever the others did")
    func onlyOneLane() async throws {
        let service = ServiceUnderTest()
        let planted = try seoul("2027-02-23T10:00")
        let account = try await service.account(at: planted)
        let other = try await service.account(lane: Lane(200), email: "jun@example.com", at: planted)
        _ = try await service.friend(of: other, number: 1, cycle: 5, at: planted)
        _ = try await service.friend(of: account, number: 5, cycle: 5, at: planted)
        let now = try service.alarm(5)
        _ = try await service.tick(at: now).schedule()
        _ = try await service.deliverer(at: now).deliver(account.id.lane, shouldStop: { false })
        try await service.dateLogBack(to: 5)
        let first = try await housekeeping(service).run()
        #expect(first.dropped.isEmpty)
        _ = try await service.deliverer(at: now).deliver(other.id.lane, shouldStop: { false })
        let second = try await housekeeping(service).run()
        #expect(second.dropped.count == 6)
    }

    @Test("stay while one of their jobs has a retry")
    func retried() async throws {
        let sender = RecordingSender { _, attempt in .answers(attempt == 1 ? .retry(error: "busy") : .delivered) }
        let service = ServiceUnderTest(sender: sender)
        let account = try await service.account(at: seoul("2027-02-23T10:00"))
        try await service.push(on: 5, of: account)
        let retries = try await service.rows(of: "push_retry")
        #expect(retries == 1)
        let first = try await housekeeping(service).run()
        #expect(first.dropped.isEmpty)
        let kept = try await service.oldLogDays()
        #expect(kept == ["20200105 5"])

        try await service.run(at: service.alarm(5).adding(minutes: 1))
        let pushes = try await service.pushes()
        #expect(pushes == ["watering_due 2027-02-28 delivered sent_after_retry"])
        let second = try await housekeeping(service).run()
        #expect(second.dropped.count == 6)
    }

    @Test("stay for a scheduler that read the clock on that day and has not committed yet")
    func schedulerInFlight() async throws {
        let service = ServiceUnderTest()
        try await service.execute("SELECT make_log_partitions('2020-01-05T00:00:00Z')")
        let housekeeping = try housekeeping(service)
        let report = try await service.pool.withConnection { connection in
            try await connection.script("BEGIN")
            _ = try await connection.query("SELECT 1 FROM lane WHERE lane = $1 FOR UPDATE", [ServiceUnderTest.lane])
            try await connection.execute(
                """
                INSERT INTO push_job
                VALUES ($1, '2020-01-05T12:00:00Z', 1, gen_random_uuid(), gen_random_uuid(), 'watering_due', 0, now(), now())
                """, [ServiceUnderTest.lane])
            let cleaning = Task { try await housekeeping.run() }
            let isWaiting = try await eventually { try await service.sessionsWaitingForLocks() == 1 }
            #expect(isWaiting)
            try await connection.script("COMMIT")
            return try await cleaning.value
        }
        #expect(report.dropped.isEmpty)
        let jobs = try await service.rows(of: "push_job")
        #expect(jobs == 1)
    }
}

@Suite("Old months of the calendar", .migratedDatabase, .serialized)
struct OldCalendarTests {
    /// When March is long over, and April is not.
    private func now() throws -> Instant {
        try seoul("2027-07-15T09:00")
    }

    @Test("are dropped once all their occurrences are scheduled; lanes without occurrences do not delay them")
    func dropped() async throws {
        let service = ServiceUnderTest()
        _ = try await service.garden()
        let now = try now()
        let end = try instant("2027-04-01T00:00:00Z")
        let before = try await service.housekeeping(at: now).run()
        #expect(before.dropped.isEmpty)
        let cursor = try await service.cursor()
        #expect(cursor == Instant(secondsSinceEpoch: 0))
        let advanced = try await service.count("SELECT count(*) FROM lane WHERE cursor_at = $1", [end])
        #expect(advanced == 255)

        let counts = try await service.run(at: now)
        #expect(counts.expired == 1)
        let unaccounted = try await service.unaccounted(upTo: now)
        #expect(unaccounted.isEmpty)
        let after = try await service.housekeeping(at: now).run()
        #expect(after.dropped == ["occurrence_202703"])
        let moved = try await service.cursor()
        #expect(moved == end)
        let pushes = try await service.pushes()
        #expect(pushes == ["watering_due 2027-03-02 expired too_late"])
    }

    @Test(
        "end where the next one begins: an occurrence at that instant is not lost, one just before keeps the month",
        arguments: [("09:00", ["occurrence_202703"]), ("08:59", [])] as [(String, [String])])
    func border(alarm: String, dropped: [String]) async throws {
        let service = ServiceUnderTest()
        // 09:00 on 1 April in Seoul is the first instant of April in UTC.
        let (_, plant) = try await service.garden(cycle: 37, alarm: alarm)
        #expect(plant.dueOn.description == "2027-04-01")
        try await service.execute("SELECT make_partition('occurrence', 'month', '2027-03-01T00:00:00Z')")
        let report = try await service.housekeeping(at: now()).run()
        #expect(report.dropped == dropped)
        let counts = try await service.run(at: now())
        #expect(counts.expired == 1)
        let unaccounted = try await service.unaccounted(upTo: now())
        #expect(unaccounted.isEmpty)
    }

    @Test("leave no gap for a late command: it plans after them, and its occurrence is scheduled")
    func lateCommand() async throws {
        let service = ServiceUnderTest()
        try await service.execute("SELECT make_partition('occurrence', 'month', '2027-03-01T00:00:00Z')")
        let report = try await service.housekeeping(at: now()).run()
        #expect(report.dropped == ["occurrence_202703"])
        let (_, plant) = try await service.garden()
        let ahead = try instant("2027-04-01T00:00:00Z").adding(microseconds: 1)
        #expect(plant.plans.wateringDue?.at == ahead)
        try await service.run(at: now())
        let pushes = try await service.pushes()
        #expect(pushes == ["watering_due 2027-03-02 expired too_late"])
        let unaccounted = try await service.unaccounted(upTo: now())
        #expect(unaccounted.isEmpty)
    }

    @Test("stay for a command in flight: housekeeping waits for it and sees its occurrence")
    func commandInFlight() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        try await service.run(at: seoul("2027-03-02T09:00"))
        let now = try now()
        let housekeeping = service.housekeeping(at: now)
        let report = try await service.pool.withConnection { connection in
            try await connection.script("BEGIN")
            _ = try await connection.query("SELECT 1 FROM lane WHERE lane = $1 FOR SHARE", [ServiceUnderTest.lane])
            let cleaning = Task { try await housekeeping.run() }
            let isWaiting = try await eventually { try await service.sessionsWaitingForLocks() == 1 }
            #expect(isWaiting)
            try await connection.execute(
                "INSERT INTO occurrence VALUES ($1, '2027-03-20T00:00:00Z', $2, $3, 'watering_due', 0)",
                [ServiceUnderTest.lane, plant.accountID, plant.id])
            try await connection.script("COMMIT")
            return try await cleaning.value
        }
        #expect(report.dropped.isEmpty)
        let counts = try await service.run(at: now)
        #expect(counts.superseded == 1)
        let unaccounted = try await service.unaccounted(upTo: now)
        #expect(unaccounted.isEmpty)
        let afterwards = try await housekeeping.run()
        #expect(afterwards.dropped == ["occurrence_202703"])
    }

    @Test("after forty days off, a worker makes partitions, schedules everything once, and then cleans up")
    func offForLong() async throws {
        let service = ServiceUnderTest()
        let planted = try seoul("2027-02-23T10:00")
        let account = try await service.account(at: planted)
        for days in 1...40 {
            _ = try await service.friend(of: account, number: days, cycle: days, at: planted)
        }
        let days = try await service.logDays()
        #expect(days.isEmpty)
        let now = try seoul("2027-04-04T10:00")
        let counts = try await service.run(at: now)
        #expect(counts.expired == 39)
        #expect(counts.delivered == 1)
        let unaccounted = try await service.unaccounted(upTo: now)
        #expect(unaccounted.isEmpty)
        let ended = try await service.count("SELECT count(*) FROM push WHERE outcome IS NOT NULL")
        #expect(ended == 40)

        try await service.dateLogBack(to: 5)
        let report = try await service.housekeeping(at: now, retention: 3).run()
        let expected = Array(oldPartitions.dropLast()) + ["occurrence_202702", "occurrence_202703"]
        #expect(report.dropped == expected)
        let planned = try await service.rows(of: "occurrence")
        #expect(planned == 4)
    }
}

@Suite("Dropping partitions", .migratedDatabase, .serialized)
struct DroppingTests {
    private func now() throws -> Instant {
        try seoul("2027-03-02T09:00")
    }

    @Test("four concurrent runs drop each partition once, and none fails")
    func atOnce() async throws {
        let service = ServiceUnderTest(maximumConnections: 8)
        try await service.makeOldPartitions()
        let housekeeping = try service.housekeeping(at: now())
        let results = await concurrently(4) { _ in try await housekeeping.run() }
        let dropped = try results.flatMap { try $0.get().dropped }
        #expect(dropped == oldPartitions)
        let days = try await service.logDays()
        #expect(days.count == 3)
        let months = try await service.months()
        #expect(months.count == 16)
        let locks = try await service.heldLocks()
        #expect(locks == 0)
    }

    @Test("it waits for a reader without blocking others", arguments: ["push_job", "occurrence"])
    func besideReader(table: String) async throws {
        let service = ServiceUnderTest(maximumConnections: 8)
        let (account, plant) = try await service.garden(switches: NotificationSwitches(birthday: true))
        try await service.makeOldPartitions()
        let partition = try #require(oldPartitions.first { $0.hasPrefix("\(table)_2") })
        let now = try now()
        let housekeeping = service.housekeeping(at: now)
        let report = try await service.pool.withConnection { reader in
            try await reader.script("BEGIN; SELECT count(*) FROM \(table)")
            let cleaning = Task { try await housekeeping.run() }
            let isWaiting = try await eventually { try await service.pendingPartitions() == [partition] }
            #expect(isWaiting)

            // Anything blocked by the reader would hang here.
            let counts = try await service.run(at: now)
            #expect(counts.delivered == 1)
            _ = try await service.store(at: now).water(plant.reference, WateringRequest(method: .call))
            _ = try await service.friend(of: account, number: 2, birthday: "12-24", at: now)
            // A month without a partition yet.
            try await service.execute("SELECT make_calendar_partition('2031-05-05T00:00:00Z')")
            let pending = try await service.pendingPartitions()
            #expect(pending == [partition])

            try await reader.script("COMMIT")
            return try await cleaning.value
        }
        #expect(report.dropped == oldPartitions)
        let months = try await service.months()
        #expect(months.contains("occurrence_203105"))
    }

    @Test("a cancelled run stops waiting and leaves no lock; the next one continues")
    func cancelled() async throws {
        let service = ServiceUnderTest(maximumConnections: 8)
        try await service.makeOldPartitions()
        let housekeeping = try service.housekeeping(at: now())
        try await service.pool.withConnection { reader in
            try await reader.script("BEGIN; SELECT count(*) FROM push_job")
            let cleaning = Task { try await housekeeping.run() }
            let isWaiting = try await eventually { try await service.pendingPartitions() == [oldPartitions[0]] }
            #expect(isWaiting)
            cleaning.cancel()
            await #expect(throws: CancellationError.self) { _ = try await cleaning.value }
            let isUnlocked = try await eventually { try await service.heldLocks() == 0 }
            #expect(isUnlocked)
            try await reader.script("COMMIT")
        }
        let report = try await housekeeping.run()
        #expect(report.dropped == oldPartitions)
    }

    @Test("a run gives up waiting: it reports what is held, and leaves no lock or setting behind")
    func patience() async throws {
        // Two pools, so that the connection used by housekeeping is the one inspected afterwards.
        let service = ServiceUnderTest(maximumConnections: 1)
        let reading = ServiceUnderTest()
        try await service.makeOldPartitions()
        let housekeeping = try service.housekeeping(at: now(), patience: .zero)
        try await reading.pool.withConnection { reader in
            try await reader.script("BEGIN; SELECT count(*) FROM push_receipt")
            let first = try await housekeeping.run()
            #expect(first.dropped == ["push_job_20200105"])
            #expect(first.held == "push_receipt_20200105")
            let timeout = try await service.single("SHOW lock_timeout", as: String.self)
            #expect(timeout == "0")
            let locks = try await reading.heldLocks()
            #expect(locks == 0)
            let second = try await housekeeping.run()
            #expect(second == Housekeeping.Report(held: "push_receipt_20200105"))
            try await reader.script("COMMIT")
        }
        let third = try await housekeeping.run()
        #expect(third == Housekeeping.Report(dropped: Array(oldPartitions.dropFirst())))
    }

    @Test("only one worker drops at a time; a dead one is replaced once its lease expires")
    func lease() async throws {
        let service = ServiceUnderTest()
        try await service.makeOldPartitions()
        let housekeeping = try service.housekeeping(at: now())
        func hold(until offset: String) async throws {
            try await service.execute(
                """
                UPDATE engine_lock SET held_by = 'gone', held_until = clock_timestamp() + $1::text::interval
                WHERE name = 'dropping'
                """, [offset])
        }
        try await hold(until: "1 hour")
        let beside = try await housekeeping.run()
        #expect(beside.dropped.isEmpty)
        #expect(beside.held == nil)
        #expect(try await service.heldLocks() == 1)
        try await hold(until: "-1 second")
        let after = try await housekeeping.run()
        #expect(after.dropped == oldPartitions)
        #expect(try await service.heldLocks() == 0)
    }

    @Test("an interrupted detach is completed by the next run", arguments: ["push_job", "occurrence"])
    func interrupted(table: String) async throws {
        let service = ServiceUnderTest()
        try await service.makeOldPartitions()
        let partition = try #require(oldPartitions.first { $0.hasPrefix("\(table)_2") })
        try await service.pool.withConnection { reader in
            try await reader.script("BEGIN; SELECT count(*) FROM \(table)")
            let detaching = Task {
                try await service.pool.withConnection { connection in
                    try await connection.script("ALTER TABLE \(table) DETACH PARTITION \(partition) CONCURRENTLY")
                }
            }
            let isPending = try await eventually { try await service.pendingPartitions() == [partition] }
            #expect(isPending)
            detaching.cancel()
            await #expect(throws: CancellationError.self) { try await detaching.value }
            try await reader.script("COMMIT")
        }
        let pending = try await service.pendingPartitions()
        #expect(pending == [partition])
        let report = try await service.housekeeping(at: now()).run()
        #expect(report.dropped == oldPartitions)
        let pendingAfterwards = try await service.pendingPartitions()
        #expect(pendingAfterwards.isEmpty)
    }

    @Test("detached partitions are dropped by the next run; tables with other names are left alone")
    func leftovers() async throws {
        let service = ServiceUnderTest()
        try await service.makeOldPartitions()
        try await service.execute("ALTER TABLE push_job DETACH PARTITION push_job_20200105")
        try await service.execute("ALTER TABLE occurrence DETACH PARTITION occurrence_202001")
        let others = ["push_job_20200105_copy", "push_job_20200230", "archived_push_job_20200105"]
        for other in others { try await service.execute("CREATE TABLE \(other) (LIKE push_job)") }
        let report = try await service.housekeeping(at: now()).run()
        #expect(report.dropped == oldPartitions)
        let left = try await service.tables().filter { others.contains($0) }
        #expect(left.count == others.count)
    }
}

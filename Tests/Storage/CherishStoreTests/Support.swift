import CherishCore
import CherishPush
import CherishStore
import CherishTestSupport
import Foundation
import Logging
import Postgres
import SystemTimeZones
import Testing

@testable import CherishWorker

/// A friend to register; the number determines the phone.
func registration(
    number: Int = 1, name: String = "김하나", nickname: String? = nil, cycle: Int = 7, alarm: String = "09:00",
    birthday: String? = nil
) throws -> Registration {
    let contactName = try ContactName(name)
    var registration = Registration(
        name: contactName, phone: try PhoneNumber(e164: "+8210\(10_000_000 + number)"),
        nickname: try Nickname(nickname, for: contactName), birthday: nil, cycle: try Cycle(days: cycle),
        alarmTime: try TimeOfDay(alarm: alarm))
    if let birthday { registration.birthday = try Birthday(birthday) }
    return registration
}

extension FriendContact {
    /// The contact that becomes this registration.
    init(_ registration: Registration) {
        self.init(
            name: registration.name, phones: [registration.phone], nickname: registration.nickname,
            birthday: registration.birthday, cycle: registration.cycle, alarmTime: registration.alarmTime)
    }
}

func importOptions(restoring: Bool = false, merging: Bool = false, spreading: Bool? = false, cycle: Int = 7) throws
    -> ImportOptions
{
    var options = ImportOptions(cycle: try Cycle(days: cycle))
    options.restoring = restoring
    options.merging = merging
    options.spreading = spreading
    return options
}

func plantEdit(cycle: Int? = nil, alarm: String? = nil, pushesEnabled: Bool? = nil) throws -> PlantEdit {
    var edit = PlantEdit()
    if let cycle { edit.cycle = try Cycle(days: cycle) }
    if let alarm { edit.alarmTime = try TimeOfDay(alarm: alarm) }
    edit.pushesEnabled = pushesEnabled
    return edit
}

extension Result {
    var isSuccess: Bool {
        if case .success = self { return true }
        return false
    }

    /// The rule's refusal, if any.
    var refusal: CareError? {
        if case .failure(let error) = self { return error as? CareError }
        return nil
    }
}

extension Logger {
    static var silent: Logger { Logger(label: "cherish.test") { _ in SwiftLogNoOpLogHandler() } }
}

extension UUID {
    /// A random UUID with this last byte, which is the lane if it is an account's id.
    static func random(lane: UInt8) -> UUID {
        var bytes = UUID().uuid
        bytes.15 = lane
        return UUID(uuid: bytes)
    }
}

/// The service on the current test's database. It has no clock: each call gives its instant, and stores, schedulers and
/// deliverers are made for it.
struct ServiceUnderTest: Sendable {
    /// Shared, because reading zones takes time.
    static let zones = SystemTimeZones()
    /// The lane of accounts, by default.
    static let lane = Lane(7)

    let pool: ConnectionPool
    let sender: RecordingSender
    /// Where pushes go instead of the sender, if set.
    var devices: DeviceSenders?
    /// The programs' tz database, by default the system's.
    var timeZones = ServiceUnderTest.zones
    /// What pushes may be about, by default plants.
    var domains = DueDomains.all
    /// Called with unreadable rows.
    var report: UnreadableRowReport = { _, _ in }

    /// - Parameters:
    ///   - role: the role to connect as; nil is the owner of everything.
    ///   - settings: server parameters of each session.
    init(
        maximumConnections: Int = 4, sender: RecordingSender = RecordingSender(), devices: DeviceSenders? = nil,
        role: String? = nil, settings: [String: String] = [:]
    ) {
        pool = TestDatabase.current.pool(maximumConnections: maximumConnections, role: role, settings: settings)
        self.sender = sender
        self.devices = devices
    }

    func store(at now: Instant) -> CareStore {
        CareStore(pool: pool, zones: timeZones, time: .fixed(now), domains: domains)
    }

    func scheduler(at now: Instant) -> LaneScheduler {
        LaneScheduler(pool: pool, zones: timeZones, time: .fixed(now), domains: domains, report: report)
    }

    func log(at now: Instant, leaseDuration: Duration = longWait) -> DeliveryLog {
        DeliveryLog(
            pool: pool, zones: timeZones, time: .fixed(now), leaseDuration: leaseDuration, domains: domains,
            report: report)
    }

    /// A worker that delivers through the service's sender by default, without jitter in its retries.
    func deliverer(
        at now: Instant, worker: String = "worker-1", sender: RecordingSender? = nil, batchSize: Int = 1000,
        leaseDuration: Duration = longWait, clock: any Clock<Duration> = ContinuousClock()
    ) -> Deliverer {
        var deliverer = Deliverer(
            log: log(at: now, leaseDuration: leaseDuration),
            destination: devices.map { .devices($0) } ?? .lines(sender ?? self.sender),
            retryPolicy: RetryPolicy(random: { 0.5 }), worker: worker, batchSizes: batchSize...batchSize,
            logger: .silent)
        deliverer.clock = clock
        return deliverer
    }

    func tick(
        at now: Instant, worker: String = "worker-1", sender: RecordingSender? = nil, batchSize: Int = 1000,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> LaneRunner {
        LaneRunner(
            scheduler: scheduler(at: now),
            deliverer: deliverer(at: now, worker: worker, sender: sender, batchSize: batchSize, clock: clock))
    }

    func housekeeping(at now: Instant, retention: Int = 90, patience: Duration = .seconds(600)) -> Housekeeping {
        Housekeeping(pool: pool, time: .fixed(now), retention: retention, patience: patience)
    }

    /// Schedules and delivers everything due at an instant.
    @discardableResult
    func run(at now: Instant) async throws -> RoundCounts {
        try await tick(at: now).run()
    }
}

// MARK: - Accounts and plants

extension ServiceUnderTest {
    func account(
        lane: Lane = ServiceUnderTest.lane, email: String = "minji@example.com", zone: String = "Asia/Seoul",
        switches: NotificationSwitches = NotificationSwitches(), at now: Instant
    ) async throws -> Account {
        let identifiers = UniqueIdentifiers(random: { UUID.random(lane: lane.number) })
        let store = CareStore(pool: pool, zones: timeZones, time: .fixed(now), identifiers: identifiers)
        let account = try await store.addAccount(
            email: EmailAddress(email), nickname: Nickname("민지"), phone: nil, timeZone: zone, language: .korean)
        if account.switches == switches { return account }
        var edit = AccountEdit()
        edit.wateringPushes = switches.watering
        edit.reviewPushes = switches.review
        edit.birthdayPushes = switches.birthday
        edit.witheredPushes = switches.withered
        return try await store.editAccount(account.id, edit)
    }

    func friend(
        of account: Account, number: Int = 1, cycle: Int = 7, alarm: String = "09:00", birthday: String? = nil,
        at now: Instant
    ) async throws -> Plant {
        try await store(at: now).addFriend(
            registration(number: number, cycle: cycle, alarm: alarm, birthday: birthday), to: account.id)
    }

    /// An account in Seoul with one plant, by default registered on 23 February 2027 at 10:00 with a cycle of 7 days,
    /// so due on 2 March.
    func garden(
        lane: Lane = ServiceUnderTest.lane, email: String = "minji@example.com",
        switches: NotificationSwitches = NotificationSwitches(), cycle: Int = 7, alarm: String = "09:00"
    ) async throws -> (account: Account, plant: Plant) {
        let now = try seoul("2027-02-23T10:00")
        let account = try await account(lane: lane, email: email, switches: switches, at: now)
        return (account, try await friend(of: account, cycle: cycle, alarm: alarm, at: now))
    }

    /// Adds many copies of a plant and its occurrences at once, each with its own id and phone.
    func multiply(_ plant: Plant, by count: Int) async throws {
        try await pool.withTransaction { connection in
            try await connection.execute(
                """
                INSERT INTO plant SELECT copy.* FROM plant, generate_series(1, $3) AS number,
                    LATERAL jsonb_populate_record(plant, jsonb_build_object(
                        'id', md5(plant.id::text || number)::uuid, 'phone', '+8220' || (10000000 + number))) AS copy
                WHERE plant.lane = $1 AND plant.id = $2
                """, [plant.accountID.lane, plant.id, count])
            try await connection.execute(
                """
                INSERT INTO occurrence SELECT planned.lane, planned.at, planned.account_id, copy.id, planned.topic, planned.ref
                FROM occurrence AS planned
                JOIN plant AS copy ON copy.lane = planned.lane AND copy.id <> planned.subject_id AND copy.account_id = $3
                WHERE planned.lane = $1 AND planned.subject_id = $2
                """, [plant.accountID.lane, plant.id, plant.accountID])
        }
    }
}

// MARK: - Looking into the database

extension ServiceUnderTest {
    /// The first column of each row.
    func texts(_ sql: SQL, _ parameters: [any PostgresEncodable] = []) async throws -> [String] {
        try await pool.withConnection { connection in
            try await connection.query(sql, parameters).map { try $0.decode(0, as: String.self) }
        }
    }

    /// The only value of the only row.
    func single<Value: PostgresDecodable>(
        _ sql: SQL, _ parameters: [any PostgresEncodable] = [], as type: Value.Type = Value.self
    ) async throws -> Value {
        try await pool.withConnection { connection in
            let rows = try await connection.query(sql, parameters)
            let row = try #require(rows.first)
            return try row.decode(0, as: type)
        }
    }

    func count(_ sql: SQL, _ parameters: [any PostgresEncodable] = []) async throws -> Int {
        try await single(sql, parameters)
    }

    /// How many rows the statements of a service with one connection have read so far, by index or by sequential scan.
    func rowsRead() async throws -> Int {
        // At the end of its transaction; otherwise a session reports its statistics once a second.
        try await execute("SELECT pg_stat_force_next_flush()")
        return try await ServiceUnderTest(maximumConnections: 1).count(
            """
            SELECT ((SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE schemaname = 'public')
                + (SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE schemaname = 'public'))::int8
            """)
    }

    /// The number of rows of a table or view.
    func rows(of table: String) async throws -> Int {
        try await count("SELECT count(*) FROM \(table)")
    }

    func execute(_ sql: SQL, _ parameters: [any PostgresEncodable] = []) async throws {
        _ = try await pool.withConnection { connection in try await connection.execute(sql, parameters) }
    }

    /// Drops the checks, so that rows that no rule allows can be written, as in a damaged or foreign database.
    func dropChecks() async throws {
        try await pool.withConnection { connection in
            try await connection.script(
                """
                DO $$
                DECLARE
                    dropped record;
                BEGIN
                    FOR dropped IN
                        SELECT conrelid::regclass AS owner, conname FROM pg_constraint
                        WHERE contype = 'c' AND connamespace = 'public'::regnamespace AND coninhcount = 0
                    LOOP
                        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', dropped.owner, dropped.conname);
                    END LOOP;
                END
                $$
                """)
        }
    }

    /// A civil day, or the number of a watering.
    private static let ref = """
        CASE topic WHEN 'review_missing' THEN ref::text ELSE to_char(date '1970-01-01' + ref, 'YYYY-MM-DD') END
        """

    /// The scheduled pushes, such as `watering_due 2027-03-02 delivered sent`; pending ones lack the last two words.
    func pushes(_ topic: Topic? = nil) async throws -> [String] {
        try await texts(
            """
            SELECT concat_ws(' ', topic, \(Self.ref), outcome, reason) FROM push
            WHERE $1 IS NULL OR topic = $1::topic ORDER BY planned_at, subject_id, topic, ref
            """, [topic?.label])
    }

    /// Everything ever planned, such as `watering_due 2027-03-02 2027-03-02T00:00:00Z`.
    func calendar() async throws -> [String] {
        try await texts(
            """
            SELECT concat_ws(' ', topic, \(Self.ref), to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
            FROM occurrence ORDER BY at, subject_id, topic, ref
            """)
    }

    /// The retries, such as `1 2027-03-02T00:00:30Z timeout`: attempts, instant, error.
    func retries() async throws -> [String] {
        try await texts(
            """
            SELECT concat_ws(' ', attempts, to_char(retry_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), last_error)
            FROM push_retry ORDER BY lane, seq
            """)
    }

    /// The instant up to which a lane's calendar is scheduled.
    func cursor(of lane: Lane = ServiceUnderTest.lane) async throws -> Instant {
        try await single("SELECT cursor_at FROM lane WHERE lane = $1", [lane])
    }

    /// Violations of "everything planned up to an instant has exactly one row in the view `push`" (rule 7.8).
    func unaccounted(upTo now: Instant) async throws -> [String] {
        try await texts(
            """
            SELECT concat_ws(' ', lane, at, subject_id, topic, ref, 'planned', planned.lane IS NOT NULL, 'ended',
                coalesce(ended.number, 0))
            FROM (SELECT lane, at, subject_id, topic, ref FROM occurrence WHERE at <= $1) AS planned
            FULL JOIN (
                SELECT lane, planned_at AS at, subject_id, topic, ref, count(*) AS number FROM push
                GROUP BY 1, 2, 3, 4, 5
            ) AS ended USING (lane, at, subject_id, topic, ref)
            WHERE ended.number IS DISTINCT FROM 1 OR planned.lane IS NULL
            """, [now])
    }

    /// How many sessions of this database wait for a lock.
    func sessionsWaitingForLocks() async throws -> Int {
        try await count(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
    }

    /// A hash of all tables, to detect writes.
    func fingerprint() async throws -> [String] {
        var hashes: [String] = []
        for table in try await tables() {
            hashes += try await texts(
                "SELECT md5(coalesce(string_agg(entry::text, ' ' ORDER BY entry::text), '')) FROM \(table) AS entry")
        }
        return hashes
    }

    /// The tables of the schema, without partitions.
    func tables() async throws -> [String] {
        try await texts(
            """
            SELECT relname FROM pg_class
            WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1
            """)
    }
}

extension Account {
    /// The e-mail, which accounts have unless a test is about those without one.
    var address: String { email?.description ?? "" }
}

import CherishCore
import CherishStore
import CherishTestSupport
import Foundation
import Postgres
import SystemTimeZones
import Testing

/// Hand-made tz databases: folders like `/usr/share/zoneinfo`.
private enum MadeUpZones {
    /// Zones by name, each given by the footer of its file, such as `KST-9`; see RFC 9636.
    static func database(_ footers: [String: String]) throws -> SystemTimeZones {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("zones-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let zones = SystemTimeZones(directory: folder.path)
        for (name, footer) in footers {
            let file = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(bytes(footer: footer)).write(to: file)
            // Zones are read once, so the folder is not needed afterwards.
            _ = try zones.rules(name)
        }
        return zones
    }

    /// The database if Korea reintroduced summer time: UTC+10 from the end of February.
    static func koreaWithSummerTime() throws -> SystemTimeZones {
        try database(["Asia/Seoul": "KST-9KDT-10,M2.5.0/0,M10.5.0/0"])
    }

    /// An empty block for old readers, then one local time type without transitions, and the footer.
    private static func bytes(footer: String) -> [UInt8] {
        let magic = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
        var bytes = magic + [UInt8](repeating: 0, count: 24)
        // The fifth of the six counts is that of types, the sixth that of bytes in their names.
        bytes += magic + [UInt8](repeating: 0, count: 16)
        bytes += [0, 0, 0, 1, 0, 0, 0, 4]
        // The type's offset is irrelevant with a footer.
        bytes += [UInt8](repeating: 0, count: 6)
        bytes += Array("XXX\u{0}\n\(footer)\n".utf8)
        return bytes
    }
}

/// Instants and wall-clock times in and around every clock change of every zone from 1990 to 2040.
private struct ZoneMoments {
    var zones: [String] = []
    var seconds: [Int64] = []
    var walls: [Int64] = []
    var days: [CivilDay] = []

    /// The names and changes in `fixtures/time-zones/transitions.txt`. Of zones with the same clock one is enough, plus
    /// those whose names look like abbreviations.
    static func changes() throws -> [(zone: String, second: Int64)] {
        let file = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .appendingPathComponent("fixtures/time-zones/transitions.txt")
        var changes: [(zone: String, second: Int64)] = []
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard fields.count == 4, fields[0] == "zone" else { continue }
            let names = fields[1].split(separator: ",")
            let seconds = fields[3].split(separator: " ").compactMap { Int64($0.prefix { $0 != ":" }) }
            for name in names where name == names[0] || !name.contains("/") {
                changes += seconds.map { (zone: String(name), second: $0) }
            }
        }
        // Every seventh in a debug build; an odd stride, so that both changes of a year are covered.
        let stride = repetitions(1, inDebug: 7)
        return changes.enumerated().filter { $0.offset.isMultiple(of: stride) }.map(\.element)
    }

    mutating func add(_ zone: String, second: Int64, wall: Int64, day: CivilDay) {
        zones.append(zone)
        seconds.append(second)
        walls.append(wall)
        days.append(day)
    }
}

@Suite("The tz databases of PostgreSQL and of the programs", .migratedDatabase, .serialized)
struct TimeZoneDataTests {
    /// Zones whose names `AT TIME ZONE` interprets as abbreviations without summer time.
    private static let abbreviations: Set = ["CET", "EET", "MET", "WET"]

    @Test("2.1: clock and civil day agree around every clock change and the midnights near it")
    func clocks() async throws {
        var moments = ZoneMoments()
        let distances: [Int64] = [-86_400, -3600, -1, 0, 1, 3600, 86_400]
        let midnight = try TimeOfDay(alarm: "00:00")
        for (zone, change) in try ZoneMoments.changes() {
            let rules = try ServiceUnderTest.zones.rules(zone)
            // Ten days later the clock runs evenly, so that errors in SQL show at midnight.
            let later = rules.day(at: Instant(secondsSinceEpoch: change + 10 * 86_400))
            let dayBegin = rules.firstInstant(on: later, at: midnight).secondsSinceEpoch
            for second in distances.map({ change + $0 }) + [dayBegin - 1, dayBegin] {
                let wall = second + Int64(rules.offset(atSecond: second))
                let day = rules.day(at: Instant(secondsSinceEpoch: second))
                moments.add(zone, second: second, wall: wall, day: day)
            }
        }
        let service = ServiceUnderTest()
        let byClock = try await service.texts(
            """
            SELECT DISTINCT zone FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS known (zone, second, wall)
            WHERE extract(epoch FROM to_timestamp(second) AT TIME ZONE zone) <> wall
            """, [moments.zones, moments.seconds, moments.walls])
        #expect(Set(byClock).isSubset(of: Self.abbreviations), "\(byClock)")
        let byDay = try await service.texts(
            """
            SELECT DISTINCT zone FROM unnest($1::text[], $2::bigint[], $3::date[]) AS known (zone, second, day)
            WHERE report.civil_day(to_timestamp(second), zone) <> day
            """, [moments.zones, moments.seconds, moments.days])
        #expect(byDay.isEmpty, "\(byDay)")
        #expect(moments.zones.count > repetitions(50_000, inDebug: 7_000))
    }

    @Test("13.4: where days end late, PostgreSQL and the programs agree on them around every clock change")
    func lateDays() async throws {
        var moments = ZoneMoments()
        var ends: [Int16] = []
        for (number, (zone, change)) in try ZoneMoments.changes().enumerated() {
            // Each change with another end of the day; over the years every zone sees all of them.
            let end = [30, 60, 90, 120, 150, 180, 240, 1, 210][number % 9]
            let clock = try ServiceUnderTest.zones.rules(zone).withDays(endingAt: DayEnd(minuteOfDay: end))
            let begin = clock.start(of: clock.day(at: Instant(secondsSinceEpoch: change))).secondsSinceEpoch
            let next = clock.start(of: clock.day(at: Instant(secondsSinceEpoch: change)) + 1).secondsSinceEpoch
            let around = [-7200, -3600, -1800, -1, 0, 1, 1800, 3600, 7200].map { change + $0 }
            for second in around + [begin - 1, begin, next - 1, next] {
                moments.add(zone, second: second, wall: 0, day: clock.day(at: Instant(secondsSinceEpoch: second)))
                ends.append(Int16(end))
            }
        }
        let wrong = try await ServiceUnderTest().texts(
            """
            SELECT concat_ws(' ', zone, to_timestamp(second), day_end, day)
            FROM unnest($1::text[], $2::bigint[], $3::date[], $4::smallint[]) AS known (zone, second, day, day_end)
            WHERE report.civil_day(to_timestamp(second), zone, day_end) <> day
            """, [moments.zones, moments.seconds, moments.days, ends])
        #expect(wrong.isEmpty, "\(wrong.count) differ, such as \(wrong.prefix(5))")
        #expect(moments.zones.count > repetitions(70_000, inDebug: 10_000))
    }

    @Test("2.1, 13.4: reports count days as accounts do")
    func lateToday() async throws {
        let service = ServiceUnderTest()
        let (account, _) = try await service.garden()
        var edit = AccountEdit()
        edit.dayEnd = try DayEnd("03:00")
        _ = try await service.store(at: seoul("2027-02-24T10:00")).editAccount(account.id, edit)
        for (time, today) in [("2027-03-03T02:59", "2027-03-02"), ("2027-03-03T03:00", "2027-03-03")] {
            let now = try seoul(time)
            let days = try await service.pool.withTransaction { connection in
                try await connection.execute("SELECT set_config('cherish.now', $1, true)", [now.description])
                return try await connection.query(
                    "SELECT today FROM report.account_day UNION ALL SELECT today FROM report.plant_day"
                ).map { try $0.decode(0, as: CivilDay.self).description }
            }
            #expect(days == [today, today])
        }
    }

    @Test("7.5: in PostgreSQL too, an alarm is the first instant that shows its time or a later one")
    func alarms() async throws {
        var moments = ZoneMoments()
        for (zone, change) in try ZoneMoments.changes() where !Self.abbreviations.contains(zone) {
            let rules = try ServiceUnderTest.zones.rules(zone)
            let walls = [change - 1, change].map { ($0 + Int64(rules.offset(atSecond: $0))) / 60 * 60 }
            for wall in [walls[0], walls[1], (walls[0] + walls[1]) / 120 * 60] {
                let day = CivilDay(daysSinceEpoch: Int32(wall / 86_400))
                let time = try #require(TimeOfDay(minuteOfDay: Int(wall % 86_400 / 60)))
                let alarm = rules.firstInstant(on: day, at: time).secondsSinceEpoch
                moments.add(zone, second: alarm, wall: wall, day: day)
            }
        }
        // For ambiguous times PostgreSQL takes the second instant, and moves skipped ones beyond the gap. Converting
        // the time back shows whether it exists, and the second before the alarm shows whether the alarm is the first.
        let wrong = try await ServiceUnderTest().texts(
            """
            WITH asked AS (
                SELECT zone, wall, first, wall AT TIME ZONE zone AS theirs, first AT TIME ZONE zone AS shown,
                    (first - interval '1 second') AT TIME ZONE zone AS shown_before
                FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS known (zone, second, wall_second)
                CROSS JOIN LATERAL (
                    SELECT timestamp 'epoch' + wall_second * interval '1 second', to_timestamp(second)
                ) AS moment (wall, first)
            )
            SELECT concat_ws(' ', zone, wall, first) FROM asked
            WHERE NOT (shown = wall AND first <= theirs
                OR shown > wall AND theirs AT TIME ZONE zone <> wall AND shown_before < wall)
            """, [moments.zones, moments.seconds, moments.walls])
        #expect(wrong.isEmpty, "\(wrong.count) differ, such as \(wrong.prefix(5))")
        #expect(moments.zones.count > repetitions(20_000, inDebug: 2_800))
    }

    // MARK: - Programs whose databases differ

    private func service(reading zones: SystemTimeZones) -> ServiceUnderTest {
        var service = ServiceUnderTest()
        service.timeZones = zones
        return service
    }

    @Test(
        "7.2, 7.8: occurrences planned with one tz database are sent once by a worker with another, newer or older",
        arguments: [true, false], [true, false])
    func updated(isPlannerNewer: Bool, isUpdatedAfterScheduling: Bool) async throws {
        let (older, newer) = (ServiceUnderTest(), service(reading: try MadeUpZones.koreaWithSummerTime()))
        let (planner, worker) = isPlannerNewer ? (newer, older) : (older, newer)
        let registered = try seoul("2027-02-23T10:00")
        let account = try await planner.account(at: registered)
        for (number, alarm) in ["00:10", "09:00", "23:50"].enumerated() {
            _ = try await planner.friend(of: account, number: number + 1, alarm: alarm, at: registered)
        }
        // By one of the two clocks, this is 1 March 22:25 to 3 March 01:25.
        for halfHour in 0...54 {
            let now = try seoul("2027-03-01T22:25").adding(minutes: 30 * halfHour)
            if isUpdatedAfterScheduling { _ = try await planner.tick(at: now).schedule() }
            try await worker.run(at: now)
        }
        let pushes = try await worker.pushes()
        #expect(pushes == Array(repeating: "watering_due 2027-03-02 delivered sent", count: 3))
        #expect(await worker.sender.sent.count == 3)
        #expect(try await worker.unaccounted(upTo: seoul("2027-03-03T01:25")).isEmpty)
    }

    @Test("7.5: planned instants stay after an update, until a command replans by the new rules")
    func replanned() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        _ = try await service.friend(of: account, number: 2, at: seoul("2027-02-23T10:00"))
        let updated = self.service(reading: try MadeUpZones.koreaWithSummerTime())
        _ = try await updated.store(at: seoul("2027-03-01T10:00")).editFriend(
            plant.reference, plantEdit(alarm: "09:00"))
        // 09:00 by the new clock.
        try await updated.run(at: instant("2027-03-01T23:00:00Z"))
        #expect(await updated.sender.sent.map(\.plantID) == [plant.id])
        // 09:00 by the old one.
        try await updated.run(at: instant("2027-03-02T00:00:00Z"))
        #expect(await updated.sender.sent.count == 2)
        let pushes = try await updated.pushes().sorted()
        #expect(
            pushes == [
                "watering_due 2027-03-02 delivered sent", "watering_due 2027-03-02 delivered sent",
                "watering_due 2027-03-02 superseded edited",
            ])
    }

    @Test("6.1: a command's day follows the program's tz database, whatever PostgreSQL's")
    func commandsGoByTheProgram() async throws {
        let service = self.service(reading: try MadeUpZones.koreaWithSummerTime())
        let (_, plant) = try await service.garden()
        // 00:30 on 2 March in the program's tz database, 23:30 on 1 March in PostgreSQL's.
        let now = try instant("2027-03-01T14:30:00Z")
        let postponed = try await service.store(at: now).postpone(plant.reference, days: 3)
        #expect(postponed.dueOn.description == "2027-03-05")
        let today: CivilDay = try await service.single("SELECT report.civil_day($1, time_zone) FROM account", [now])
        #expect(today.description == "2027-03-01")
    }

    @Test("7.8, 7.10: a zone unknown to a worker stops no lane: its pushes are sent, and planned in UTC")
    func zoneOfNewerPrograms() async throws {
        let service = ServiceUnderTest()
        let registered = try seoul("2027-02-23T10:00")
        let account = try await service.account(switches: NotificationSwitches(birthday: true), at: registered)
        _ = try await service.friend(of: account, birthday: "03-02", at: registered)
        let worker = self.service(reading: try MadeUpZones.database([:]))
        try await worker.run(at: seoul("2027-03-02T09:00"))
        let pushes = try await worker.pushes().sorted()
        #expect(pushes == ["birthday 2027-03-02 delivered sent", "watering_due 2027-03-02 delivered sent"])
        #expect(try await worker.calendar().last == "birthday 2028-03-02 2028-03-02T09:00:00Z")
    }

    @Test("a zone unknown to the database is refused, because it would break everybody's reports")
    func zoneOfNewerProgramsInReports() async throws {
        let zones = try MadeUpZones.database(["Asia/Newtown": "<+07>-7", "Asia/Seoul": "KST-9"])
        let service = self.service(reading: zones)
        let (known, _) = try await service.garden()
        let before = try await service.fingerprint()
        let now = try seoul("2027-03-01T10:00")
        let store = service.store(at: now)
        let refusal = CareError.invalidTimeZone("Asia/Newtown")
        await #expect(throws: refusal) {
            try await service.account(email: "jun@example.com", zone: "Asia/Newtown", at: now)
        }
        var edit = AccountEdit()
        edit.timeZone = "Asia/Newtown"
        await #expect(throws: refusal) { try await store.editAccount(known.id, edit) }
        let other = Account(
            id: store.newAccountID(), email: try EmailAddress("jun@example.com"), nickname: try Nickname("준"),
            phone: nil, timeZone: "Asia/Newtown", language: .korean)
        await #expect(throws: refusal) { try await store.addAccounts([other]) }
        #expect(try await service.fingerprint() == before)
        #expect(try await service.rows(of: "report.account_day") == 1)
    }

    /// The start of 1 July in summer time.
    static let summerMidnights: [(String, String)] = [
        ("CET", "2027-06-30T22:00:00Z"), ("MET", "2027-06-30T22:00:00Z"), ("EET", "2027-06-30T21:00:00Z"),
        ("WET", "2027-06-30T23:00:00Z"),
    ]

    @Test(
        "2.1: reports apply summer time in zones named like abbreviations",
        arguments: TimeZoneDataTests.summerMidnights)
    func summerDays(zone: String, midnight: String) async throws {
        let service = ServiceUnderTest()
        let now = try instant(midnight)
        _ = try await service.account(zone: zone, at: now)
        let registered: CivilDay = try await service.single("SELECT registered_on FROM report.account_day")
        #expect(registered.description == "2027-07-01")
    }
}

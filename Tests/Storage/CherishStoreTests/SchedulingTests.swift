import CherishCore
import CherishStore
import CherishTestSupport
import CherishWorker
import Testing

/// The rows of "Worked examples" in docs/rules.md that need a worker.
@Suite("Worked examples with a worker", .migratedDatabase, .serialized)
struct WorkedExampleTests {
    @Test("7.7: worker down from before the alarm to two days later: expired, and the plant has withered")
    func outage() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        let before = try await service.run(at: seoul("2027-03-02T08:00"))
        #expect(before == RoundCounts())
        let now = try seoul("2027-03-04T10:00")
        let counts = try await service.run(at: now)
        #expect(counts.expired == 1)
        #expect(try await service.pushes() == ["watering_due 2027-03-02 expired too_late"])
        #expect(await service.sender.sent.isEmpty)
        let found = try await service.store(at: now).plant(plant.id.description)
        #expect(found.dDay(on: try civilDay("2027-03-04")).condition == .withered)
    }

    @Test("7.7: after an outage, a push that is still fresh is sent once, late")
    func lateOnce() async throws {
        let service = ServiceUnderTest()
        _ = try await service.garden()
        try await service.run(at: seoul("2027-03-02T23:59:59"))
        try await service.run(at: seoul("2027-03-02T23:59:59"))
        #expect(try await service.pushes() == ["watering_due 2027-03-02 delivered sent"])
        #expect(await service.sender.sent.count == 1)
    }

    @Test("7.3: two waterings at 22:10 and 22:50 without reviews: one reminder, at 08:00, for the newer")
    func oneReminder() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        for time in ["2027-03-02T22:10", "2027-03-02T22:50"] {
            _ = try await service.store(at: seoul(time)).water(plant.reference, WateringRequest(method: .call))
        }
        try await service.run(at: seoul("2027-03-03T07:59:59"))
        #expect(try await service.pushes(.reviewMissing).isEmpty)
        try await service.run(at: seoul("2027-03-03T08:00"))
        #expect(
            try await service.pushes() == [
                "watering_due 2027-03-02 superseded watered", "review_missing 1 superseded newer_watering",
                "review_missing 2 delivered sent",
            ])
        #expect(await service.sender.sent.map(\.topic) == [.reviewMissing])
    }

    @Test("7.2: alarm fired at 09:00, then moved to 20:00 the same day: no second push")
    func movedAlarm() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        try await service.run(at: seoul("2027-03-02T09:00"))
        _ = try await service.store(at: seoul("2027-03-02T10:00")).editFriend(
            plant.reference, plantEdit(alarm: "20:00"))
        try await service.run(at: seoul("2027-03-02T20:00"))
        #expect(try await service.pushes() == ["watering_due 2027-03-02 delivered sent"])
        #expect(try await service.calendar().count == 1)
    }

    @Test("1.7, 7.2: cycle edited 7, 10, 7 before the alarm: one push, on the first date")
    func cycleThereAndBack() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        for (time, cycle) in [("2027-02-24T10:00", 10), ("2027-02-25T10:00", 7)] {
            _ = try await service.store(at: seoul(time)).editFriend(plant.reference, plantEdit(cycle: cycle))
        }
        try await service.run(at: seoul("2027-03-02T09:00"))
        try await service.run(at: seoul("2027-03-05T09:00"))
        #expect(
            try await service.pushes() == [
                "watering_due 2027-03-02 delivered sent", "watering_due 2027-03-05 superseded edited",
            ])
    }

    @Test("7.5: zone changed from Asia/Seoul to America/New_York after the alarm fired on D-day: no second push")
    func zoneChangedAfterAlarm() async throws {
        let service = ServiceUnderTest()
        let (account, _) = try await service.garden()
        try await service.run(at: seoul("2027-03-02T09:00"))
        var edit = AccountEdit()
        edit.timeZone = "America/New_York"
        _ = try await service.store(at: seoul("2027-03-02T10:00")).editAccount(account.id, edit)
        // The account lives through 2 March again.
        try await service.run(at: instant("2027-03-02T09:00:00-05:00"))
        try await service.run(at: instant("2027-03-05T09:00:00-05:00"))
        #expect(try await service.pushes() == ["watering_due 2027-03-02 delivered sent"])
    }

    @Test("7.5: an alarm in a gap that runs to midnight is sent in the first instant of the next day")
    func gapToMidnight() async throws {
        let service = ServiceUnderTest()
        let registered = try instant("2027-03-20T12:00:00-02:00")
        let account = try await service.account(zone: "America/Nuuk", at: registered)
        _ = try await service.friend(of: account, alarm: "23:30", at: registered)
        let planned = try instant("2027-03-28T01:00:00Z")
        try await service.run(at: planned.adding(microseconds: -1))
        #expect(try await service.pushes().isEmpty)
        try await service.run(at: planned)
        #expect(try await service.pushes() == ["watering_due 2027-03-27 delivered sent"])
    }
}

@Suite("Scheduling", .migratedDatabase, .serialized)
struct SchedulingTests {
    @Test("7.6: a postponed or watered plant is pushed on its new date, not on the old one")
    func movedDueDate() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        _ = try await service.store(at: seoul("2027-03-02T08:00")).postpone(plant.reference, days: 2)
        try await service.run(at: seoul("2027-03-02T09:00"))
        try await service.run(at: seoul("2027-03-04T09:00"))
        _ = try await service.store(at: seoul("2027-03-04T10:00")).water(
            plant.reference, WateringRequest(method: .call, declinesReview: true))
        try await service.run(at: seoul("2027-03-11T09:00"))
        #expect(
            try await service.pushes() == [
                "watering_due 2027-03-02 superseded postponed", "watering_due 2027-03-04 delivered sent",
                "watering_due 2027-03-11 delivered sent",
            ])
    }

    @Test("7.4: pushes switched off are planned, and recorded as suppressed")
    func switchedOff() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden(
            switches: NotificationSwitches(watering: false, review: false))
        _ = try await service.friend(of: account, number: 2, cycle: 8, at: seoul("2027-02-23T10:00"))
        _ = try await service.store(at: seoul("2027-03-03T10:00")).water(
            plant.reference, WateringRequest(method: .call))
        try await service.run(at: seoul("2027-03-03T12:00"))
        #expect(
            try await service.pushes() == [
                "watering_due 2027-03-02 superseded watered", "watering_due 2027-03-03 suppressed account_pushes_off",
                "review_missing 1 suppressed account_pushes_off",
            ])
        #expect(try await service.rows(of: "push_job") == 0)
    }

    @Test("1.8: a removed plant is not pushed")
    func removed() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        _ = try await service.store(at: seoul("2027-03-02T08:00")).removeFriend(plant.reference)
        try await service.run(at: seoul("2027-03-02T09:00"))
        #expect(try await service.pushes() == ["watering_due 2027-03-02 superseded archived"])
    }

    @Test("8.2: the list of an account's pushes shows their subjects")
    func pushRecords() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let other = try await service.garden(email: "jun@example.com")
        let watered = try seoul("2027-03-01T10:00")
        _ = try await service.store(at: watered).water(plant.reference, WateringRequest(method: .call))
        let now = try seoul("2027-03-02T09:00")
        try await service.run(at: watered.adding(minutes: 30))
        try await service.run(at: now)
        let records = try await service.store(at: now).pushes(account, plant: plant.id)
        #expect(records.map(\.topic) == [.reviewMissing, .wateringDue])
        #expect(records.map(\.occursOn.description) == ["2027-03-01", "2027-03-02"])
        #expect(records.compactMap(\.outcome) == [.delivered, .superseded])
        #expect(records.compactMap(\.reason?.rawValue) == ["sent", "watered"])
        #expect(records.first?.seq == 1)
        #expect(records.last?.seq == nil)
        let delivered = watered.adding(minutes: 30)
        #expect(records.compactMap(\.finishedAt) == [delivered, now])
        #expect(records.compactMap(\.expiresAt) == [delivered.adding(hours: 24)])
        #expect(try await service.store(at: now).pushes(other.account).map(\.plantID) == [other.plant.id])
    }

    @Test("the cursor never passes the engine's now and never moves back")
    func cursor() async throws {
        let service = ServiceUnderTest()
        let (account, _) = try await service.garden()
        let registered = try seoul("2027-02-23T10:00")
        _ = try await service.friend(of: account, number: 2, cycle: 8, at: registered)
        #expect(try await service.cursor() == Instant(secondsSinceEpoch: 0))
        try await service.run(at: seoul("2027-03-02T08:59:59"))
        #expect(try await service.cursor() == Instant(secondsSinceEpoch: 0))
        let first = try seoul("2027-03-02T09:00")
        try await service.run(at: first.adding(hours: 10))
        #expect(try await service.cursor() == first)
        // Another program with an earlier --now.
        try await service.run(at: first.adding(hours: -48))
        let batch = try await service.scheduler(at: first.adding(hours: -48)).schedule(ServiceUnderTest.lane)
        #expect(batch == LaneScheduler.Batch())
        #expect(try await service.cursor() == first)
        try await service.run(at: first.adding(hours: 24))
        #expect(try await service.cursor() == first.adding(hours: 24))
    }

    @Test("a command with a now behind the cursor is planned just ahead of the cursor, and still pushed")
    func earlierCommand() async throws {
        let service = ServiceUnderTest()
        let (account, _) = try await service.garden()
        let cursor = try seoul("2027-03-02T09:00")
        try await service.run(at: cursor)
        let late = try await service.friend(
            of: account, number: 2, cycle: 1, alarm: "08:00", at: seoul("2027-03-01T10:00"))
        #expect(late.plans.wateringDue?.at == cursor.adding(microseconds: 1))
        #expect(try await service.store(at: cursor).plant(late.id.description) == late)
        try await service.run(at: cursor.adding(minutes: 1))
        #expect(await service.sender.sent.last?.plantID == late.id)
        #expect(try await service.unaccounted(upTo: cursor.adding(minutes: 1)).isEmpty)
    }

    @Test("the scheduler knows when the next occurrence is planned, and which lanes have work")
    func next() async throws {
        let service = ServiceUnderTest()
        let alarm = try seoul("2027-03-02T09:00")
        func outlook(_ now: Instant) async throws -> LaneScheduler.Outlook {
            try await service.scheduler(at: now).outlook()
        }
        #expect(try await outlook(alarm).next == nil)
        _ = try await service.garden(lane: Lane(9), email: "a@example.com", alarm: "09:01")
        _ = try await service.garden(lane: Lane(0))
        let before = try await outlook(alarm.adding(microseconds: -1))
        #expect(before.due.isEmpty)
        #expect(before.next == alarm)
        let then = try await outlook(alarm)
        #expect(then.now == alarm)
        #expect(then.due == [Lane(0)])
        #expect(then.next == alarm.adding(minutes: 1))
        let later = try await outlook(alarm.adding(minutes: 1))
        #expect(later.due == [Lane(0), Lane(9)])
        #expect(later.next == nil)
        try await service.run(at: alarm)
        let after = try await outlook(alarm)
        #expect(after.due.isEmpty)
        #expect(after.next == alarm.adding(minutes: 1))
    }

    @Test("more occurrences of one instant than fit a batch are all scheduled, once")
    func largeInstant() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        try await service.multiply(plant, by: 2000)
        let now = try seoul("2027-03-02T09:00")
        let scheduler = service.scheduler(at: now)
        let first = try await scheduler.schedule(ServiceUnderTest.lane)
        #expect(first.enqueued == 2000)
        #expect(first.isFull)
        #expect(try await service.cursor() == now)
        let second = try await scheduler.schedule(ServiceUnderTest.lane)
        #expect(second.enqueued == 1)
        #expect(!second.isFull)
        #expect(try await scheduler.schedule(ServiceUnderTest.lane) == LaneScheduler.Batch())
        #expect(try await service.unaccounted(upTo: now).isEmpty)
    }

    @Test("four concurrent schedulers number a lane's jobs without gaps, in planned order, and nothing twice")
    func fourSchedulers() async throws {
        let service = ServiceUnderTest(maximumConnections: 8)
        for number in 1...5 {
            let (_, plant) = try await service.garden(email: "account-\(number)@example.com", alarm: "09:0\(number)")
            try await service.multiply(plant, by: 599)
        }
        _ = try await service.garden(lane: Lane(8), email: "other-lane@example.com")
        let now = try seoul("2027-03-02T09:30")
        let scheduler = service.scheduler(at: now)
        let results = await concurrently(4) { _ in
            var enqueued = 0
            for lane in [ServiceUnderTest.lane, Lane(8)] {
                var isFull = true
                while isFull {
                    let batch = try await scheduler.schedule(lane)
                    enqueued += batch.enqueued
                    isFull = batch.isFull
                }
            }
            return enqueued
        }
        let enqueued = try results.reduce(0) { try $0 + $1.get() }
        #expect(enqueued == 3001)
        #expect(
            try await service.texts(
                """
                SELECT concat_ws(' ', job.lane, count(*), min(seq), max(seq), count(DISTINCT seq), last_seq)
                FROM push_job AS job JOIN lane ON lane.lane = job.lane GROUP BY job.lane, last_seq ORDER BY job.lane
                """) == ["7 3000 1 3000 3000 3000", "8 1 1 1 1 1"])
        let outOfOrder = try await service.count(
            """
            SELECT count(*) FROM (
                SELECT lane, seq, (planned_at, subject_id) AS place, recorded_at,
                    lag((planned_at, subject_id)) OVER before AS place_before, lag(recorded_at) OVER before AS recorded_before
                FROM push_job WINDOW before AS (PARTITION BY lane ORDER BY seq)) AS job
            WHERE place <= place_before OR recorded_at < recorded_before
            """)
        #expect(outOfOrder == 0)
        #expect(try await service.unaccounted(upTo: now).isEmpty)
    }
}

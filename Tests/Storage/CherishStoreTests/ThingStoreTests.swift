import CherishCore
import CherishPush
import CherishTestSupport
import CherishWorker
import Foundation
import Postgres
import SeededChance
import Testing

@testable import CherishStore

@Suite("10: things in the database", .migratedDatabase, .serialized)
struct ThingStoreTests {
    private func draft(
        _ kind: Thing.Kind = .reminder, _ title: String = "병원", due: String = "2027-03-10", time: String? = nil,
        _ change: (inout ThingDraft) throws -> Void = { _ in }
    ) throws -> ThingDraft {
        var draft = ThingDraft(kind: kind, title: try ThingTitle(title), dueOn: try civilDay(due))
        draft.dueTime = try time.map { try TimeOfDay(alarm: $0) }
        try change(&draft)
        return draft
    }

    /// An account in Seoul with a phone, and nothing due before 2027-03-04.
    private func service(dailyCap: Int = 20) async throws -> (ServiceUnderTest, RecordingDeviceSender, Account) {
        let sender = RecordingDeviceSender()
        let service = ServiceUnderTest(devices: sender.senders(dailyCap: dailyCap))
        let now = try seoul("2027-03-01T08:00")
        let account = try await service.account(at: now)
        _ = try await service.store(at: now).addDevice(account, platform: .ios, token: "phone")
        return (service, sender, account)
    }

    private func garden(_ service: ServiceUnderTest, _ account: Account, at now: String) throws -> Garden {
        service.store(at: try seoul(now)).garden(of: account.id)
    }

    private func outcomes(_ service: ServiceUnderTest) async throws -> [String] {
        try await service.texts("SELECT concat_ws(' ', outcome, reason) FROM push ORDER BY planned_at, 1")
    }

    // MARK: Rows

    @Test("a thing is read back as it was written, whatever it holds")
    func roundTrip() async throws {
        let (service, _, account) = try await service()
        var random = SplitMix64(seed: 22)
        for number in 0..<200 {
            let thing = try random.thing(of: account.id)
            try await service.pool.withTransaction { connection in
                _ = try await connection.query(ThingRow.insert(thing))
                let inserted = try await connection.query(ThingRow.read(thing.id, of: account.id))
                #expect(try ThingRow.decode(try #require(inserted.first)) == thing)
                let changed = try random.changed(thing)
                _ = try await connection.query(
                    number.isMultiple(of: 2) ? ThingRow.update(changed) : ThingRow.updates([changed], of: account.id)[0]
                )
                let updated = try await connection.query(ThingRow.read(thing.id, of: account.id))
                #expect(try ThingRow.decode(try #require(updated.first)) == changed)
            }
        }
    }

    // MARK: Alerts

    @Test("10.4, 10.13: an alert is sent at its time, with what is due in words")
    func alert() async throws {
        let (service, sender, account) = try await service()
        let garden = try garden(service, account, at: "2027-03-01T08:00")
        let food = try await garden.recordThing(draft(.food, "우유") { $0.alerts = nil }).thing
        let visit = try await garden.recordThing(draft(time: "15:30") { $0.alerts = [.minutesBefore(30)] }).thing
        for now in ["2027-03-07T08:59", "2027-03-07T09:00", "2027-03-10T15:00"] {
            try await service.run(at: seoul(now))
        }
        let sent = await sender.sent.map(\.push)
        #expect(sent.map(\.text.title) == ["우유", "병원"])
        #expect(sent.map(\.text.body) == ["3월 10일까지 드세요.", "3월 10일 15:30"])
        #expect(sent.map(\.link) == ["cherish://things/\(food.id)", "cherish://things/\(visit.id)"])
        #expect(sent.map(\.occursOn) == [try civilDay("2027-03-10"), try civilDay("2027-03-10")])
        // 24 hours, and an hour after the due time.
        #expect(sent.map(\.expiresAt) == [try seoul("2027-03-08T09:00"), try seoul("2027-03-10T16:30")])
        #expect(try await outcomes(service) == ["delivered sent", "delivered sent"])
    }

    @Test("10.7: completing, moving and deleting silence what is planned, and what is queued")
    func silenced() async throws {
        let (service, sender, account) = try await service()
        let before = try garden(service, account, at: "2027-03-09T08:00")
        var things: [String: Thing] = [:]
        for title in ["done", "moved", "deleted", "late", "off"] {
            things[title] = try await before.recordThing(draft(.reminder, title)).thing
        }
        _ = try await before.completeThing(#require(things["done"]).id)
        var edit = ThingEdit()
        edit.dueOn = try civilDay("2027-03-11")
        _ = try await before.editThing(#require(things["moved"]).id, edit)
        try await before.removeThing(#require(things["deleted"]).id)
        var off = ThingEdit()
        off.pushesEnabled = false
        _ = try await before.editThing(#require(things["off"]).id, off)
        let due = try seoul("2027-03-10T09:00")
        // Queued before it is completed, read by the deliverer after.
        _ = try await service.tick(at: due).schedule()
        _ = try await service.store(at: due).garden(of: account.id).completeThing(#require(things["late"]).id)
        try await service.run(at: due)
        #expect(await sender.sent.isEmpty)
        #expect(
            try await service.texts("SELECT concat_ws(' ', outcome, reason) FROM push ORDER BY 1") == [
                "superseded done", "superseded done", "superseded edited", "superseded erased",
                "suppressed thing_pushes_off",
            ])
        try await service.run(at: seoul("2027-03-11T09:00"))
        #expect(await sender.sent.map(\.push.text.title) == ["moved"])
    }

    @Test("7.4: an account that turned alerts off gets none, and repetitions go on until it wants them")
    func switchedOff() async throws {
        let (service, sender, account) = try await service()
        let garden = try garden(service, account, at: "2027-03-09T08:00")
        _ = try await garden.recordThing(draft { $0.repetition = .daily })
        var edit = AccountEdit()
        edit.thingPushes = false
        _ = try await garden.editAccount(edit)
        try await service.run(at: seoul("2027-03-10T09:00"))
        edit.thingPushes = true
        _ = try await service.store(at: seoul("2027-03-10T10:00")).garden(of: account.id).editAccount(edit)
        try await service.run(at: seoul("2027-03-11T09:00"))
        #expect(try await outcomes(service) == ["suppressed account_pushes_off", "delivered sent"])
        #expect(await sender.sent.count == 1)
    }

    @Test("10.5, 10.6: each alert that is reached plans the next, until the seventh day after the due day")
    func repeated() async throws {
        let (service, sender, account) = try await service()
        _ = try await garden(service, account, at: "2027-03-09T08:00").recordThing(draft { $0.repetition = .daily })
        for day in 9...25 { try await service.run(at: seoul("2027-03-\(day < 10 ? "0" : "")\(day)T09:00")) }
        let mornings = try (10...17).map { try seoul("2027-03-\($0)T09:00") }
        #expect(await sender.sent.map(\.push.plannedAt) == mornings)
        // Nothing else was ever planned.
        #expect(try await service.count("SELECT count(*) FROM occurrence") == 8)
    }

    @Test("10.6: after an outage only the newest missed alert is sent", arguments: [false, true])
    func outage(wasQueued: Bool) async throws {
        let (service, sender, account) = try await service()
        _ = try await garden(service, account, at: "2027-03-09T08:00").recordThing(draft { $0.repetition = .hourly })
        if wasQueued {
            // The scheduler ran, and nobody delivered.
            for hour in ["09", "10", "11"] { _ = try await service.tick(at: seoul("2027-03-10T\(hour):00")).schedule() }
        }
        let now = try seoul("2027-03-10T12:40")
        // One round ends what was planned, plans the newest and sends it.
        try await service.run(at: now)
        let noon = try seoul("2027-03-10T12:00")
        #expect(await sender.sent.map(\.push.plannedAt) == [noon])
        let missed = wasQueued ? Array(repeating: "superseded newer_alert", count: 3) : ["expired too_late"]
        #expect(try await outcomes(service) == missed + ["delivered sent"])
    }

    @Test("10.6: an alert more than 400 days ahead is planned by a waypoint, which nobody gets")
    func waypoint() async throws {
        let (service, sender, account) = try await service()
        let garden = try garden(service, account, at: "2027-03-01T08:00")
        let thing = try await garden.recordThing(draft(due: "2029-01-10")).thing
        #expect(try await service.texts("SELECT ref::text FROM occurrence") == ["-1"])
        let forecast = try await garden.forecast(days: 100)
        #expect(forecast.deliveries.isEmpty && forecast.withheld.isEmpty)
        let far = try seoul("2027-03-01T08:00").adding(hours: 400 * 24)
        try await service.run(at: far)
        #expect(await sender.sent.isEmpty)
        #expect(try await outcomes(service) == ["suppressed waypoint"])
        let planned = try await service.store(at: far).garden(of: account.id).thing(thing.id.description)
        #expect(planned.plans.next?.planned.at == (try seoul("2029-01-10T09:00")))
        try await service.run(at: seoul("2029-01-10T09:00"))
        #expect(await sender.sent.count == 1)
    }

    @Test("10.13: things of a minute are one push; an appointment is sent beyond the daily cap, and does not count")
    func folded() async throws {
        let (service, sender, account) = try await service(dailyCap: 1)
        let garden = try garden(service, account, at: "2027-03-09T08:00")
        for title in ["bread", "milk", "apples"] { _ = try await garden.recordThing(draft(.reminder, title)) }
        for time in ["08:30", "09:30", "09:45"] {
            _ = try await garden.recordThing(draft(.reminder, "at \(time)", time: time))
        }
        _ = try await garden.recordThing(draft(.reminder, "late") { $0.alerts = [try ThingAlert("0d@09:50")] })
        for time in ["08:30", "09:00", "09:30", "09:45", "09:50"] {
            try await service.run(at: seoul("2027-03-10T\(time)"))
        }
        let titles = await sender.sent.map(\.push.text.title)
        #expect(titles == ["at 08:30", "apples 외 2개", "at 09:30", "at 09:45", "오늘의 소식이 더 있어요"])
        #expect(await sender.sent.map(\.push.link)[1] == "cherish://things")
        #expect(
            try await service.texts("SELECT counts_towards_cap::text FROM sent_push ORDER BY collapse_id, sent_on")
                .sorted()
                == ["false", "false", "false", "true", "true"])
    }

    @Test("a preview shows the alerts to come, as they are then sent")
    func previewed() async throws {
        let (service, sender, account) = try await service()
        let garden = try garden(service, account, at: "2027-03-08T08:00")
        _ = try await garden.recordThing(draft(.pickup, "소포") { $0.repetition = .daily })
        _ = try await garden.recordThing(draft(.reminder, "약속", time: "15:00"))
        _ = try await garden.recordThing(draft(.food, "우유") { $0.pushesEnabled = false })
        let forecast = try await garden.forecast(days: 12)
        let preview = PushPreview(of: forecast, as: .devices, sent: [], dailyCap: 20, links: DeepLinks())
        #expect(preview.pushes.map(\.text.title) == ["소포", "소포", "약속"] + Array(repeating: "소포", count: 7))
        #expect(forecast.withheld.map(\.end?.reason) == [.thingPushesOff])
        for instant in preview.pushes.map(\.sentAt) { try await service.run(at: instant) }
        let sent = await sender.sent.map(\.push)
        #expect(sent.map(\.text) == preview.pushes.map(\.text))
        #expect(sent.map(\.plannedAt) == preview.pushes.map(\.sentAt))
    }

    @Test("7.5, 10.4: another zone moves alerts, other warning days move those that nobody chose")
    func replanned() async throws {
        let (service, _, account) = try await service()
        let garden = try garden(service, account, at: "2027-03-01T08:00")
        let usual = try await garden.recordThing(draft(.food, "우유")).thing
        let chosen = try await garden.recordThing(draft(.food, "빵") { $0.alerts = [try ThingAlert("1d@18:00")] }).thing
        func planned(_ thing: Thing) async throws -> Instant? {
            try await garden.thing(thing.id.description).plans.next?.planned.at
        }
        var edit = AccountEdit()
        edit.warningDays = try WarningDays(5)
        _ = try await garden.editAccount(edit)
        #expect(try await planned(usual) == (try seoul("2027-03-05T09:00")))
        #expect(try await planned(chosen) == (try seoul("2027-03-09T18:00")))
        var zone = AccountEdit()
        zone.timeZone = "UTC"
        _ = try await garden.editAccount(zone)
        #expect(try await planned(usual) == Instant("2027-03-05T09:00:00Z"))
        #expect(try await planned(chosen) == Instant("2027-03-09T18:00:00Z"))
    }

    @Test("7.5: plants and things are replanned in pieces of any size, each once", arguments: [1, 2, 3, 7, 100])
    func pieces(size: Int) async throws {
        let (service, _, account) = try await service()
        let garden = try garden(service, account, at: "2027-03-01T08:00")
        for number in 1...5 {
            _ = try await service.friend(of: account, number: number, at: seoul("2027-03-01T08:00"))
            _ = try await garden.recordThing(draft(.food, "\(number)"))
        }
        var store = service.store(at: try seoul("2027-03-01T08:00"))
        store.replanningPiece = size
        var edit = AccountEdit()
        edit.timeZone = "America/New_York"
        _ = try await store.garden(of: account.id).editAccount(edit)
        let hours = try await service.texts(
            """
            SELECT DISTINCT to_char(at AT TIME ZONE 'America/New_York', 'HH24:MI') FROM (
                SELECT alarm_at AS at FROM plant UNION ALL SELECT alert_at FROM thing) AS planned
            """)
        #expect(hours == ["09:00"])
        #expect(try await service.count("SELECT count(*) FROM account WHERE replan_after IS NULL") == 1)
    }

    @Test("a tick with a future time moved the alerts; the repair plans them anew")
    func repaired() async throws {
        let (service, sender, account) = try await service()
        _ = try await garden(service, account, at: "2027-03-01T08:00").recordThing(draft { $0.repetition = .daily })
        _ = try await service.tick(at: seoul("2027-03-12T12:00")).schedule()
        let now = try seoul("2027-03-01T12:00")
        let reports = try await CursorRepair(store: service.store(at: now)).run()
        #expect(reports.map(\.subjectCount) == [1])
        for day in 10...12 { try await service.run(at: seoul("2027-03-\(day)T09:00").adding(minutes: 1)) }
        var mornings = try (10...12).map { try seoul("2027-03-\($0)T09:00") }
        // That of the 10th has an outcome already, so the one that replaces it comes right after.
        mornings[0] = mornings[0].adding(microseconds: 1)
        let sent = await sender.sent.map(\.push.plannedAt)
        #expect(sent == mornings)
    }

    // MARK: Exports

    @Test("8.6: things are exported, erased and restored with what happened to them, and alert as before")
    func exported() async throws {
        let (service, sender, account) = try await service()
        let garden = try garden(service, account, at: "2027-03-01T08:00")
        _ = try await garden.addTag(TagName("집"), colour: nil, cycle: nil)
        let later = try await garden.recordThing(draft(due: "2027-03-20"), tags: [TagName("집")]).thing
        let filter = try await garden.recordThing(
            draft(.reminder, "필터", due: "2027-03-02") { $0.recurrence = try Recurrence(every: 1, .weeks) }
        ).thing
        let milk = try await garden.recordThing(draft(.food, "우유", due: "2027-03-02") { $0.alerts = [] }).thing
        _ = try await garden.completeThing(filter.id)
        _ = try await garden.reopenThing(filter.id)
        _ = try await garden.completeThing(filter.id)
        _ = try await garden.completeThing(milk.id, as: .thrownAway)
        // It alerts while the account is away.
        _ = try await garden.recordThing(draft(.pickup, "택배", due: "2027-03-04") { $0.repetition = .daily })

        let store = service.store(at: try seoul("2027-03-02T12:00"))
        let export = try await store.export(of: account.id)
        #expect(export.things.count == 4)
        #expect(Set(export.things.map(\.completions.count)) == [0, 1, 2])
        _ = try await store.eraseAccount(account.id)
        for table in ["thing", "thing_completion", "thing_tag"] { #expect(try await service.rows(of: table) == 0) }
        let away = service.store(at: try seoul("2027-03-03T12:00"))
        try await service.run(at: seoul("2027-03-03T12:00"))
        #expect(try await away.seed([export]) == [.written])
        let restored = try await away.export(of: account.id)
        func withoutPlans(_ histories: [ThingHistory]) -> [ThingHistory] {
            histories.map { history in
                var history = history
                history.thing = history.thing.withoutPlans
                return history
            }
        }
        #expect(withoutPlans(restored.things) == withoutPlans(export.things))
        #expect(restored.tags == export.tags)
        for now in ["2027-03-03T12:01", "2027-03-04T09:01", "2027-03-09T09:01", "2027-03-20T09:01"] {
            try await service.run(at: seoul(now))
        }
        let moments = try ["2027-03-03T09:00", "2027-03-04T09:00", "2027-03-09T09:00", "2027-03-20T09:00"].map {
            try seoul($0)
        }
        let sent = await sender.sent.map(\.push)
        #expect(sent.map(\.text.title) == ["택배", "택배", "택배 외 1개", "병원"])
        #expect(sent.map { $0.plannedAt.adding(microseconds: -1) }.first == moments[0])
        #expect(sent.dropFirst().map(\.plannedAt) == Array(moments.dropFirst()))
        #expect(sent.last?.subjectID == later.id.subject)
    }

    // MARK: Commands

    @Test("10.8: a fact is recorded once, also after its completion was undone")
    func facts() async throws {
        let (service, _, account) = try await service()
        let garden = try garden(service, account, at: "2027-03-10T10:00")
        let thing = try await garden.recordThing(draft { $0.recurrence = try Recurrence(every: 1, .weeks) }).thing
        let (fact, other) = (UUID(), UUID())
        for _ in 0..<2 {
            let changed = try await garden.completeThing(thing.id, factID: fact).thing
            #expect(changed.due.day == (try civilDay("2027-03-17")))
            #expect(changed.version == 2)
        }
        #expect(try await garden.reopenThing(thing.id).thing.due.day == (try civilDay("2027-03-10")))
        // A retry that was on its way.
        #expect(try await garden.completeThing(thing.id, factID: fact).thing.due.day == (try civilDay("2027-03-10")))
        #expect(try await garden.completeThing(thing.id, factID: other).thing.completionCount == 2)
        let rows = try await service.texts(
            "SELECT concat_ws(' ', number, due_on, next_due_on, undone_at IS NOT NULL) FROM thing_completion ORDER BY 1"
        )
        #expect(rows == ["1 2027-03-10 2027-03-17 t", "2 2027-03-10 2027-03-17 f"])
        _ = try await garden.reopenThing(thing.id)
        await #expect(throws: ThingError.notDone) { _ = try await garden.reopenThing(thing.id) }
    }

    @Test("9.1: a thing has at most ten tags, all known to the account; a refused edit changes nothing")
    func tags() async throws {
        let (service, _, account) = try await service()
        let garden = try garden(service, account, at: "2027-03-01T08:00")
        let names = try (0...10).map { try TagName("tag \($0)") }
        for name in names { _ = try await garden.addTag(name, colour: nil, cycle: nil) }
        let thing = try await garden.recordThing(draft(), tags: Array(names.prefix(9))).thing
        var edit = ThingEdit()
        edit.isFavourite = true
        await #expect(throws: CareError.tooManyTags(limit: 10)) {
            _ = try await garden.editThing(thing.id, edit, Tagging(adding: names))
        }
        await #expect(throws: CareError.notFound(.tag)) {
            _ = try await garden.editThing(thing.id, edit, Tagging(adding: [TagName("other")]))
        }
        await #expect(throws: CareError.notFound(.tag)) {
            _ = try await garden.recordThing(draft(), tags: [TagName("other")])
        }
        #expect(try await garden.things().things == [thing])
        _ = try await garden.editThing(thing.id, edit, Tagging(adding: [names[9]], removing: Array(names.prefix(8))))
        let seen = try await garden.detail(of: thing.id)
        #expect(seen.tags(of: thing.id).map(\.name) == [names[8], names[9]])
        #expect(seen.things[0].isFavourite)
        _ = try await garden.removeTag(names[8])
        #expect(try await garden.detail(of: thing.id).tags(of: thing.id).map(\.name) == [names[9]])
    }

    @Test("10.7, 14.2: of a deleted thing devices learn that it is gone, and nothing else remains")
    func deleted() async throws {
        let (service, _, account) = try await service()
        let garden = try garden(service, account, at: "2027-03-01T08:00")
        _ = try await garden.addTag(TagName("home"), colour: nil, cycle: nil)
        let thing = try await garden.recordThing(
            draft { $0.recurrence = try Recurrence(every: 1, .days) }, tags: [TagName("home")]
        )
        .thing
        _ = try await garden.completeThing(thing.id)
        try await garden.removeThing(thing.id)
        await #expect(throws: CareError.notFound(.thing)) { try await garden.removeThing(thing.id) }
        for table in ["thing", "thing_completion", "thing_tag"] {
            #expect(try await service.rows(of: table) == 0, "\(table)")
        }
        let changes = try await garden.changes(after: .beginning, limit: 100)
        #expect(changes.gone == [.thing(thing.id)] && changes.things.isEmpty)
    }

    @Test("a thing of somebody else is not found, whatever is done with it")
    func foreign() async throws {
        let (service, _, account) = try await service()
        let other = try await service.account(email: "other@example.com", at: seoul("2027-03-01T08:00"))
        let thing = try await garden(service, other, at: "2027-03-01T08:00").recordThing(draft()).thing
        let garden = try garden(service, account, at: "2027-03-01T09:00")
        let attempts: [() async throws -> Void] = [
            { _ = try await garden.completeThing(thing.id) }, { _ = try await garden.reopenThing(thing.id) },
            { _ = try await garden.editThing(thing.id, ThingEdit()) }, { try await garden.removeThing(thing.id) },
            { _ = try await garden.thing(thing.id.description) }, { _ = try await garden.detail(of: thing.id) },
        ]
        for attempt in attempts { await #expect(throws: CareError.notFound(.thing)) { try await attempt() } }
        #expect(try await garden.things().things.isEmpty)
        #expect(try await garden.things(areDone: true).things.isEmpty)
    }

    @Test("an import whose days count from today records what is open only once, and anew what was eaten")
    func countedDays() async throws {
        let (service, _, account) = try await service()
        func outcomes(_ day: String) async throws -> [String] {
            let products = try ["2027-04-0", "2027-05-0"].map { start in
                ImportedDraft(try draft(.food, start, due: start + day.suffix(1)), isDueRelative: true)
            }
            return try await garden(service, account, at: "\(day)T09:00").importThings(products + products).outcomes
                .map { "\($0)" }
        }
        #expect(try await outcomes("2027-03-01") == ["recorded", "recorded", "unchanged", "unchanged"])
        #expect(try await outcomes("2027-03-02") == Array(repeating: "unchanged", count: 4))
        let later = try garden(service, account, at: "2027-03-02T10:00")
        let first = try #require(try await later.things().things.first { $0.title.description == "2027-04-0" })
        _ = try await later.completeThing(first.id)
        #expect(try await outcomes("2027-03-03") == ["recorded", "unchanged", "unchanged", "unchanged"])
    }

    @Test("a program of the release before clears an alert and leaves its wall-clock time")
    func earlierRelease() async throws {
        let (service, _, account) = try await service()
        let garden = try garden(service, account, at: "2027-03-01T08:00")
        let thing = try await garden.recordThing(draft()).thing
        try await service.execute("UPDATE thing SET alert_ref = NULL, alert_at = NULL, alert_expires_at = NULL")
        #expect(try await garden.thing(thing.id.description).plans == ThingPlans())
    }

    @Test("14.3: a command that expects another version is refused")
    func versions() async throws {
        let (service, _, account) = try await service()
        let garden = try garden(service, account, at: "2027-03-01T08:00")
        let thing = try await garden.recordThing(draft()).thing
        _ = try await garden.expecting([1]).editThing(thing.id, ThingEdit())
        await #expect(throws: VersionPassed(current: 2)) {
            _ = try await garden.expecting([1]).completeThing(thing.id)
        }
    }

    @Test("a broken row ends its own pushes only, and the next alert is planned after its repair")
    func broken() async throws {
        let (service, sender, account) = try await service()
        let garden = try garden(service, account, at: "2027-03-09T08:00")
        for title in ["broken", "whole"] {
            _ = try await garden.recordThing(draft(.reminder, title) { $0.repetition = .daily })
        }
        try await service.execute("ALTER TABLE thing DROP CONSTRAINT thing_due_minute_range")
        try await service.execute("UPDATE thing SET due_minute = 2000 WHERE title = 'broken'")
        for day in 10...11 { try await service.run(at: seoul("2027-03-\(day)T09:00")) }
        #expect(await sender.sent.map(\.push.text.title) == ["whole", "whole"])
        #expect(try await outcomes(service) == ["dead unreadable_row", "delivered sent", "delivered sent"])
    }
}

// MARK: - Random things

extension SplitMix64 {
    private mutating func maybe<Value>(_ make: (inout Self) throws -> Value) rethrows -> Value? {
        try chance(50) ? make(&self) : nil
    }

    private mutating func day() -> CivilDay { Thing.dueDays.lowerBound + number(in: 0...36_000) }

    private mutating func instant() -> Instant {
        Instant(microsecondsSinceEpoch: Int64(number(in: 0...4_000_000_000_000_000)))
    }

    private mutating func time() throws -> TimeOfDay { try #require(TimeOfDay(minuteOfDay: number(in: 0...1439))) }

    private mutating func alert() throws -> ThingAlert {
        chance(50)
            ? .daysBefore(number(in: ThingAlert.dayRange), at: try time())
            : .minutesBefore(number(in: ThingAlert.minuteRange))
    }

    private mutating func plan() -> ThingPlans.Alert {
        ThingPlans.Alert(
            planned: PlannedMoment(ref: number(in: -1...40_000), at: instant()), expiresAt: instant(),
            wallMinute: maybe { $0.number(in: ThingPlans.Alert.wallMinutes.lowerBound...11_519) })
    }

    fileprivate mutating func thing(of account: Account.ID) throws -> Thing {
        try thing(Thing.ID(UUID()), element(of: Thing.Kind.allCases), instant(), of: account)
    }

    /// The same thing, with everything changed that may change.
    fileprivate mutating func changed(_ thing: Thing) throws -> Thing {
        try self.thing(thing.id, thing.kind, thing.createdAt, of: thing.accountID)
    }

    private mutating func thing(_ id: Thing.ID, _ kind: Thing.Kind, _ createdAt: Instant, of account: Account.ID) throws
        -> Thing
    {
        let end = maybe { random in
            Thing.End(
                completedOn: random.day(), recordedAt: random.instant(),
                outcome: kind == .food ? random.element(of: ThingCompletion.Outcome.allCases) : nil)
        }
        return Thing(
            id: id, accountID: account, kind: kind, createdAt: createdAt, title: try ThingTitle("우유 🥛"),
            note: try maybe { _ in try #require(try ThingNote("note, \"quoted\" {x}")) }, isFavourite: chance(50),
            due: ThingDue(day: day(), time: kind.hasTime ? try maybe { try $0.time() } : nil),
            category: kind == .food ? try maybe { _ in try FoodCategory("유제품") } : nil,
            boughtOn: kind.hasPurchase ? maybe { $0.day() } : nil,
            storeID: kind.hasStore ? maybe { _ in Store.ID(UUID()) } : nil,
            orderNumber: kind.hasStore ? try maybe { _ in try OrderNumber("A-1") } : nil,
            chosenAlerts: try maybe { random in try (0..<random.number(in: 0...5)).map { _ in try random.alert() } },
            repetition: element(of: AlertRepetition.allCases), pushesEnabled: chance(50),
            recurrence: try maybe { random in
                try Recurrence(
                    every: random.number(in: 1...99), random.element(of: Recurrence.Unit.allCases),
                    from: random.element(of: Recurrence.Base.allCases), until: random.maybe { $0.day() })
            },
            seriesStart: day(), completionCount: number(in: 0...1_000), end: end,
            plans: end == nil ? ThingPlans(next: maybe { $0.plan() }, reached: maybe { $0.plan() }) : ThingPlans(),
            version: number(in: 1...9), modifiedAt: instant())
    }
}

extension Thing {
    /// The same thing as if nothing was planned.
    fileprivate var withoutPlans: Thing {
        Thing(
            id: id, accountID: accountID, kind: kind, createdAt: createdAt, title: title, note: note,
            isFavourite: isFavourite, due: due, category: category, boughtOn: boughtOn, storeID: storeID,
            orderNumber: orderNumber, chosenAlerts: chosenAlerts, repetition: repetition, pushesEnabled: pushesEnabled,
            recurrence: recurrence, seriesStart: seriesStart, completionCount: completionCount, end: end,
            plans: ThingPlans(), version: version, modifiedAt: modifiedAt)
    }
}

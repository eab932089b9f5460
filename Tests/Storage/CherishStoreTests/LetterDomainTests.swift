import CherishCore
import CherishPush
import CherishTestSupport
import CherishWorker
import Postgres
import Testing

@testable import CherishStore

/// Scheduler, log, receipts, folding, caps, housekeeping, lists, previews and reports serve a second domain without
/// knowing it.
@Suite("A second domain", .migratedDatabase, .serialized)
struct LetterDomainTests {
    private func service(_ sender: RecordingDeviceSender? = nil, dailyCap: Int = 20) async throws -> ServiceUnderTest {
        var service = ServiceUnderTest(devices: sender?.senders(dailyCap: dailyCap))
        service.domains = DueDomains([PlantDomain(), LetterDomain()])
        try await service.addLetters()
        return service
    }

    private func written() throws -> Instant { try seoul("2027-02-24T10:00") }

    @Test("its pushes are scheduled and delivered among those of plants, in the order of their instants")
    func together() async throws {
        let service = try await service()
        let (account, plant) = try await service.garden()
        let (before, after) = (try seoul("2027-03-02T08:30"), try seoul("2027-03-02T09:30"))
        let first = try await service.letter(to: "수아", of: account, by: before, at: written())
        let second = try await service.letter(to: "지우", of: account, by: after, at: written())
        try await service.run(at: after)
        let sent = await service.sender.sent
        #expect(sent.map(\.subjectID) == [first, plant.id.subject, second])
        #expect(sent.map(\.topic) == [.letterDue, .wateringDue, .letterDue])
        #expect(sent.map(\.text.title) == ["수아에게 편지를", "김하나가 물을 기다려요", "지우에게 편지를"])
        #expect(sent[0].text.body == "1번째 편지예요.")
        #expect(sent[0].link == "cherish://letters/\(first)/write")
        #expect(try await service.unaccounted(upTo: after).isEmpty)
    }

    @Test("7.6: a letter that was written, moved or erased with its account is not sent")
    func superseded() async throws {
        let service = try await service()
        let (account, _) = try await service.garden(alarm: "23:00")
        let gone = try await service.account(email: "gone@example.com", at: written())
        let due = try seoul("2027-03-02T09:00")
        for (addressee, owner) in [("written", account), ("moved", account), ("late", account), ("erased", gone)] {
            try await service.letter(to: addressee, of: owner, by: due, at: written())
        }
        try await service.execute("UPDATE letter SET is_written = true WHERE addressee = 'written'")
        try await service.execute("UPDATE letter SET write_at = write_at + interval '1 day' WHERE addressee = 'moved'")
        _ = try await service.store(at: written()).eraseAccount(gone.id)
        // Scheduled before it is written, delivered after: the second look.
        _ = try await service.tick(at: due).schedule()
        try await service.execute("UPDATE letter SET is_written = true WHERE addressee = 'late'")
        try await service.run(at: due)
        let ends = try await service.texts("SELECT concat_ws(' ', outcome, reason) FROM push ORDER BY 1")
        #expect(
            ends == [
                "superseded edited", "superseded erased", "superseded letter_written", "superseded letter_written",
            ])
        #expect(await service.sender.sent.isEmpty)
    }

    @Test("7.3, 7.7: its declaration decides about quiet hours and expiry")
    func declared() async throws {
        let service = try await service()
        let (account, _) = try await service.garden(alarm: "12:00")
        let night = try seoul("2027-02-26T23:00")
        try await service.letter(to: "수아", of: account, by: night, at: written())
        try await service.run(at: night)
        #expect(await service.sender.sent.isEmpty)
        try await service.run(at: seoul("2027-02-27T08:00"))
        #expect(await service.sender.sent.count == 1)
        let expiry: Instant = try await service.single("SELECT expires_at FROM push_job")
        #expect(expiry == night.adding(hours: 48))
    }

    @Test("7.7: a domain may know better than its declaration when a push is not worth sending")
    func ownExpiry() async throws {
        let sender = RecordingDeviceSender()
        let service = try await service(sender)
        let (account, _) = try await service.garden(alarm: "23:00")
        _ = try await service.store(at: written()).addDevice(account, platform: .ios, token: "phone")
        let due = try seoul("2027-03-02T09:00")
        for addressee in ["지우", "수아"] { try await service.letter(to: addressee, of: account, by: due, at: written()) }
        try await service.execute(
            "UPDATE letter SET late_at = write_at + interval '20 minutes' WHERE addressee = '수아'")
        // After an outage of half an hour.
        try await service.run(at: due.adding(minutes: 30))
        let ends = try await service.texts("SELECT concat_ws(' ', outcome, reason) FROM push ORDER BY 1")
        #expect(ends == ["delivered sent", "expired too_late"])
        let expiry: Instant = try await service.single("SELECT expires_at FROM push_job")
        #expect(expiry == due.adding(hours: 48))
        #expect(await sender.sent.map(\.push.text.title) == ["지우에게 편지를"])
        // A letter that is scheduled in time has its own expiry in the log, and so at the providers.
        let later = try seoul("2027-03-02T14:00")
        try await service.letter(to: "하준", of: account, by: later, at: written())
        try await service.execute(
            "UPDATE letter SET late_at = write_at + interval '20 minutes' WHERE addressee = '하준'")
        try await service.run(at: later)
        let own: Instant = try await service.single(
            "SELECT max(expires_at) FROM push_job WHERE planned_at = $1", [later])
        #expect(own == later.adding(minutes: 20))
        #expect(await sender.sent.map(\.push.expiresAt).last == own)
    }

    @Test("what follows a letter is planned by its domain: the next one, a week later")
    func following() async throws {
        let service = try await service()
        let (account, _) = try await service.garden(cycle: 90)
        let due = try seoul("2027-03-02T10:00")
        let letter = try await service.letter(to: "수아", of: account, by: due, isWeekly: true, at: written())
        for week in 0..<3 { _ = try await service.tick(at: due.adding(hours: 7 * 24 * week)).schedule() }
        let planned = try await service.texts(
            "SELECT concat_ws(' ', topic, ref) FROM occurrence WHERE subject_id = $1 ORDER BY at", [letter])
        #expect(planned == ["letter_due 1", "letter_due 2", "letter_due 3", "letter_due 4"])
    }

    @Test("letters of one minute are one push that names each, and count towards the cap of the day")
    func folded() async throws {
        let sender = RecordingDeviceSender()
        let service = try await service(sender, dailyCap: 2)
        let (account, _) = try await service.garden()
        _ = try await service.store(at: written()).addDevice(account, platform: .ios, token: "phone")
        let due = try seoul("2027-03-02T08:30")
        for addressee in ["지우", "수아", "하준"] {
            try await service.letter(to: addressee, of: account, by: due, at: written())
        }
        for minute in ["09:30", "09:31"] {
            try await service.letter(to: "도윤", of: account, by: seoul("2027-03-02T\(minute)"), at: written())
        }
        for time in ["08:30", "09:00", "09:31"] { try await service.run(at: seoul("2027-03-02T\(time)")) }
        let titles = await sender.sent.map(\.push.text.title)
        #expect(titles == ["수아 외 2명에게 편지를", "김하나가 물을 기다려요", "오늘 1명이 물을 기다려요"])
        #expect(await sender.sent.map(\.push.link).first == "cherish://letters")
        let ends = try await service.texts(
            "SELECT concat_ws(' ', outcome, reason, count(*)) FROM push GROUP BY outcome, reason ORDER BY 1")
        #expect(ends == ["delivered digest 2", "delivered sent 4"])
    }

    @Test("7.4, 8.6: its pushes are listed for their account alone, and erased with it")
    func listed() async throws {
        let service = try await service()
        let (account, plant) = try await service.garden()
        let other = try await service.garden(email: "other@example.com")
        let due = try seoul("2027-03-02T08:30")
        let letter = try await service.letter(to: "수아", of: account, by: due, at: written())
        let now = try seoul("2027-03-02T09:00")
        try await service.run(at: now)
        let store = service.store(at: now)
        let listed = try await store.garden(of: account.id).pushes()
        #expect(listed.map(\.subjectID) == [letter, plant.id.subject])
        #expect(listed.map(\.topic.label) == ["letter_due", "watering_due"])
        #expect(listed.map(\.reason?.rawValue) == ["sent", "sent"])
        #expect(try await store.garden(of: other.account.id).pushes(of: letter).isEmpty)
        let reported = try await service.texts(
            "SELECT concat_ws(' ', topic, day, outcome) FROM report.pushes WHERE account_id = $1 ORDER BY 1",
            [account.id])
        #expect(reported == ["letter_due 2027-03-02 delivered", "watering_due 2027-03-02 delivered"])
        let counted = try await service.texts(
            "SELECT concat_ws(' ', topic, day, push_count) FROM report.service_push_outcomes ORDER BY 1")
        #expect(counted == ["letter_due 2027-03-02 1", "watering_due 2027-03-02 2"])
        _ = try await store.eraseAccount(account.id)
        #expect(try await service.rows(of: "letter") == 0)
        for table in ["occurrence", "occurrence_outcome", "push_job"] {
            let left = try await service.count(
                "SELECT count(*) FROM \(name: table) WHERE account_id = $1", [account.id])
            #expect(left == 0, "\(table)")
        }
    }

    @Test("7.8: lists of pushes show its reasons with their meaning, and the day that it says a push is about")
    func reasons() async throws {
        let service = try await service()
        let (account, _) = try await service.garden(cycle: 90)
        // A Wednesday.
        let due = try seoul("2027-03-03T10:00")
        let letter = try await service.letter(to: "수아", of: account, by: due, at: written())
        try await service.execute("UPDATE letter SET is_written = true")
        try await service.run(at: due)
        func record(_ service: ServiceUnderTest) async throws -> PushRecord {
            let pushes = try await service.store(at: due).garden(of: account.id).pushes(of: letter)
            #expect(pushes.count == 1)
            return try #require(pushes.first)
        }
        let known = try await record(service)
        #expect(known.topic == .letterDue)
        #expect(known.occursOn.description == "2027-03-01")
        #expect(known.reason?.rawValue == "letter_written")
        #expect(known.reason?.meaning == "the letter had been written")
        // A program that does not know the domain shows the labels, and the day of the instant.
        var older = service
        older.domains = DueDomains([PlantDomain()])
        let unknown = try await record(older)
        #expect(unknown.topic.label == "letter_due")
        #expect(unknown.occursOn.description == "2027-03-03")
        #expect(unknown.reason?.rawValue == "letter_written")
        #expect(unknown.reason?.meaning == "of letter_written")
    }

    @Test("a preview shows its pushes among those of plants, weekly letters again and again, as they are then sent")
    func previewed() async throws {
        let service = try await service()
        let (account, plant) = try await service.garden()
        let weekly = try await service.letter(
            to: "수아", of: account, by: seoul("2027-03-02T08:30"), isWeekly: true, at: written())
        // In quiet hours.
        let once = try await service.letter(to: "지우", of: account, by: seoul("2027-03-03T23:00"), at: written())
        try await service.letter(to: "하준", of: account, by: seoul("2027-03-04T10:00"), at: written())
        try await service.execute("UPDATE letter SET is_written = true WHERE addressee = '하준'")
        // Beyond the span.
        try await service.letter(to: "도윤", of: account, by: seoul("2027-03-17T00:00"), at: written())
        let forecast = try await service.store(at: seoul("2027-03-01T12:00")).forecast(of: account.id, days: 16)
        #expect(forecast.withheld.isEmpty)
        let preview = PushPreview(of: forecast, as: .lines, sent: [], dailyCap: 20, links: DeepLinks())
        let instants = try [
            "2027-03-02T08:30", "2027-03-02T09:00", "2027-03-04T08:00", "2027-03-09T08:30", "2027-03-16T08:30",
        ].map { try seoul($0) }
        #expect(preview.pushes.map(\.sentAt) == instants)
        #expect(preview.pushes.map(\.subjectID) == [weekly, plant.id.subject, once, weekly, weekly])
        let titles = ["수아에게 편지를", "김하나가 물을 기다려요", "지우에게 편지를", "수아에게 편지를", "수아에게 편지를"]
        #expect(preview.pushes.map(\.text.title) == titles)
        let letters = preview.pushes.filter { $0.kind == "letter_due" }
        #expect(letters.map(\.text.body) == ["1번째 편지예요.", "1번째 편지예요.", "2번째 편지예요.", "3번째 편지예요."])
        let weeks = ["2027-03-01", "2027-03-01", "2027-03-08", "2027-03-15"]
        #expect(letters.map(\.occursOn.description) == weeks)
        #expect(letters.first?.link == "cherish://letters/\(weekly)/write")
        // Beyond the daily cap, the digest counts what each domain says.
        let capped = PushPreview(of: forecast, as: .devices, sent: [], dailyCap: 1, links: DeepLinks())
        #expect(capped.pushes.map(\.sentAt) == instants)
        #expect(Array(capped.pushes.map(\.text.title).prefix(2)) == ["수아에게 편지를", "오늘 1명이 물을 기다려요"])
        for instant in instants { try await service.run(at: instant) }
        let sent = await service.sender.sent
        #expect(sent.map(\.text) == preview.pushes.map(\.text))
        #expect(sent.map(\.occursOn) == preview.pushes.map(\.occursOn))
    }

    @Test("a preview shows a letter that waits in the log once, and what follows it")
    func previewedFromTheLog() async throws {
        let service = try await service()
        let (account, _) = try await service.garden(cycle: 90)
        let due = try seoul("2027-03-02T10:00")
        try await service.letter(to: "수아", of: account, by: due, isWeekly: true, at: written())
        _ = try await service.tick(at: due).schedule()
        let now = due.adding(minutes: 5)
        func instants() async throws -> [Instant] {
            try await service.store(at: now).forecast(of: account.id, days: 9).deliveries.map(\.at)
        }
        let week = 7 * 24
        let pending = try await instants()
        #expect(pending == [now, due.adding(hours: week)])
        try await service.run(at: now)
        let delivered = try await instants()
        #expect(delivered == [due.adding(hours: week)])
    }

    @Test("7.8: a program that does not know the domain ends its pushes, and the lane's others are delivered")
    func unknown() async throws {
        let service = try await service()
        let (account, plant) = try await service.garden()
        let due = try seoul("2027-03-02T09:00")
        try await service.letter(to: "수아", of: account, by: due, at: written())
        // Between the two looks, another program takes over.
        try await service.letter(to: "지우", of: account, by: seoul("2027-03-01T09:00"), at: written())
        _ = try await service.tick(at: seoul("2027-03-01T09:00")).schedule()
        var older = service
        older.domains = DueDomains([PlantDomain()])
        try await older.run(at: due)
        let ends = try await service.texts(
            "SELECT concat_ws(' ', topic, outcome, reason) FROM push ORDER BY planned_at, topic")
        #expect(
            ends == [
                "letter_due dead unreadable_row", "watering_due delivered sent", "letter_due dead unreadable_row",
            ])
        let letter = Occurrence(
            at: due, accountID: account.id, subjectID: plant.id.subject, topic: .letterDue, ref: 1)
        let unreadable = try #require(throws: UnreadableRow.self) {
            try older.domains.state(
                of: letter, in: nil, plannedIn: "occurrence", key: { letter.place(in: account.id.lane) })
        }
        #expect(unreadable.column == "topic")
        // The cursor has passed all of them.
        try await service.run(at: due)
        #expect(await service.sender.sent.count == 1)
    }
}

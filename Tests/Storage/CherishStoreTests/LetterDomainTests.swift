import CherishCore
import CherishPush
import CherishTestSupport
import CherishWorker
import Postgres
import Testing

@testable import CherishStore

/// Scheduler, log, receipts, folding, caps, housekeeping and reports serve a second domain without knowing it.
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
            ends == ["superseded edited", "superseded erased", "superseded reviewed", "superseded reviewed"])
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
        #expect(listed.map(\.reason) == ["sent", "sent"])
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

    @Test("7.8: a program that does not know the domain ends its pushes, and the lane's others are delivered")
    func unknown() async throws {
        let service = try await service()
        let (account, _) = try await service.garden()
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
        // The cursor has passed all of them.
        try await service.run(at: due)
        #expect(await service.sender.sent.count == 1)
    }
}

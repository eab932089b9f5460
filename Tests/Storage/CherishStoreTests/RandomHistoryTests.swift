import CherishCore
import CherishPush
import CherishStore
import CherishTestSupport
import Testing

@Suite("Random histories", .migratedDatabase, .serialized)
struct RandomHistoryTests {
    /// A provider that refuses some messages and accepts some only the second time.
    private func moodySender() -> RecordingSender {
        RecordingSender { message, attempt in
            if message.collapseID.hasSuffix("7") { return .answers(.refused) }
            return .answers(message.collapseID.hasSuffix("3") && attempt == 1 ? .retry(error: "busy") : .delivered)
        }
    }

    @Test(
        "7.8: after any history, every occurrence has exactly one outcome, and cursors only move ahead",
        arguments: 1...UInt64(repetitions(4, inDebug: 2)))
    func everythingEndsOnce(seed: UInt64) async throws {
        let service = ServiceUnderTest(sender: moodySender())
        var history = try await RandomHistory(seed: seed, service: service, goesBack: seed.isMultiple(of: 2))
        _ = try await service.housekeeping(at: history.now).run()
        var cursors = try await self.cursors(service)
        for _ in 1...100 {
            try await history.step()
            guard history.chance(50) else { continue }
            try await service.run(at: history.now)
            let moved = try await self.cursors(service)
            #expect(zip(cursors, moved).allSatisfy { $0 <= $1 })
            let now = history.now
            #expect(moved.allSatisfy { $0 <= now })
            cursors = moved
        }
        // At 18:00 in Seoul it is outside quiet hours in Berlin too: nothing is left waiting.
        let seoulZone = try ServiceUnderTest.zones.rules("Asia/Seoul")
        let end = seoulZone.firstInstant(on: seoulZone.day(at: history.now) + 4, at: try TimeOfDay(alarm: "18:00"))
        _ = try await service.tick(at: end, sender: RecordingSender()).run()

        #expect(try await service.count("SELECT count(*) FROM occurrence WHERE at <= $1", [end]) > 30)
        #expect(try await service.unaccounted(upTo: end).isEmpty)
        #expect(try await service.count("SELECT count(*) FROM push WHERE outcome IS NULL") == 0)
        #expect(try await service.rows(of: "push_retry") == 0)
        try await checkLog(service)
        try await checkOnce(service)
        let outcomes = try await service.texts("SELECT DISTINCT outcome::text FROM push ORDER BY 1")
        #expect(outcomes.contains("delivered") && outcomes.contains("superseded"))
    }

    private func cursors(_ service: ServiceUnderTest) async throws -> [Instant] {
        [try await service.cursor(of: Lane(7)), try await service.cursor(of: Lane(200))]
    }

    /// Jobs are numbered without gaps, and receipts cover each of them once.
    private func checkLog(_ service: ServiceUnderTest) async throws {
        let wrongNumbers = try await service.count(
            """
            SELECT count(*) FROM lane JOIN lane_delivery AS delivery ON delivery.lane = lane.lane
            WHERE last_seq <> (SELECT count(DISTINCT seq) FROM push_job AS job WHERE job.lane = lane.lane)
                OR last_seq <> (SELECT coalesce(max(seq), 0) FROM push_job AS job WHERE job.lane = lane.lane)
                OR last_seq <> cursor_seq OR leased_by IS NOT NULL
            """)
        #expect(wrongNumbers == 0)
        let wrongReceipts = try await service.count(
            """
            SELECT count(*) FROM (
                SELECT from_seq, lag(to_seq, 1, 0::bigint) OVER (PARTITION BY lane ORDER BY to_seq) AS before
                FROM push_receipt) AS receipt
            WHERE from_seq <> before + 1
            """)
        #expect(wrongReceipts == 0)
    }

    /// Rules 7.2 and 7.3: one alarm per due date, one reminder per watering.
    private func checkOnce(_ service: ServiceUnderTest) async throws {
        let repeated = try await service.texts(
            """
            SELECT concat_ws(' ', subject_id, topic, ref, count(*)) FROM push
            WHERE outcome = 'delivered' AND topic IN ('watering_due', 'review_missing', 'birthday')
            GROUP BY subject_id, topic, ref HAVING count(*) > 1
            """)
        #expect(repeated.isEmpty)
    }
}

import CherishCore
import CherishStore
import CherishTestSupport
import Postgres
import Testing

/// Ways to lock a lane and read its calendar. Only the first is right, which is why the scheduler locks in a statement
/// of its own: the others see the calendar as it was before they waited.
enum CalendarLook: String, CaseIterable, Sendable {
    case twoStatements, joinedStatement, commonTableExpression, repeatableRead

    var seesWhatItWaitedFor: Bool { self == .twoStatements }

    /// How many occurrences a scheduler of this kind sees.
    func occurrences(in pool: ConnectionPool, upTo now: Instant) async throws -> Int {
        let lane = ServiceUnderTest.lane
        switch self {
        case .twoStatements: return try await lockThenCount(.readCommitted, pool, now)
        case .repeatableRead: return try await lockThenCount(.repeatableRead, pool, now)
        case .joinedStatement:
            return try await pool.withTransaction { connection in
                try await connection.query(
                    """
                    SELECT planned.at FROM lane JOIN occurrence AS planned ON planned.lane = lane.lane
                    WHERE lane.lane = $1 AND planned.at <= $2 FOR UPDATE OF lane
                    """, [lane, now]
                ).count
            }
        case .commonTableExpression:
            return try await pool.withTransaction { connection in
                try await connection.query(
                    """
                    WITH locked AS (SELECT lane FROM lane WHERE lane = $1 FOR UPDATE)
                    SELECT planned.at FROM locked JOIN occurrence AS planned ON planned.lane = locked.lane
                    WHERE planned.at <= $2
                    """, [lane, now]
                ).count
            }
        }
    }

    private func lockThenCount(_ isolation: IsolationLevel, _ pool: ConnectionPool, _ now: Instant) async throws -> Int
    {
        let lane = ServiceUnderTest.lane
        return try await pool.withTransaction(isolation: isolation) { connection in
            _ = try await connection.query("SELECT 1 FROM lane WHERE lane = $1 FOR UPDATE", [lane])
            return try await connection.query("SELECT 1 FROM occurrence WHERE lane = $1 AND at <= $2", [lane, now])
                .count
        }
    }
}

@Suite("A command in flight", .migratedDatabase, .serialized)
struct CommandInFlightTests {
    /// Holds a share lock on the plant's lane, as a command does, starts `work`, waits until that blocks, moves the
    /// plant's alarm and commits.
    private func whileAlarmMoves<Value: Sendable>(
        of plant: Plant, to alarm: Instant, _ service: ServiceUnderTest,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let lane = plant.accountID.lane
        return try await service.pool.withConnection { connection in
            try await connection.script("BEGIN")
            _ = try await connection.query("SELECT 1 FROM lane WHERE lane = $1 FOR SHARE", [lane])
            let other = Task { try await work() }
            let isWaiting = try await eventually { try await service.sessionsWaitingForLocks() == 1 }
            #expect(isWaiting)
            try await connection.execute(
                "UPDATE plant SET alarm_at = $3 WHERE lane = $1 AND id = $2", [lane, plant.id, alarm])
            try await connection.execute(
                """
                INSERT INTO occurrence SELECT lane, alarm_at, account_id, id, 'watering_due', due_on - date '1970-01-01'
                FROM plant WHERE lane = $1 AND id = $2
                """, [lane, plant.id])
            try await connection.script("COMMIT")
            return try await other.value
        }
    }

    @Test("blocks the scheduler, which then sees its occurrence")
    func isNotOvertaken() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        let now = try seoul("2027-03-02T09:30")
        let moved = try seoul("2027-03-02T08:30")
        let batch = try await whileAlarmMoves(of: plant, to: moved, service) {
            try await service.scheduler(at: now).schedule(ServiceUnderTest.lane)
        }
        #expect(batch.enqueued == 1)
        #expect(batch.ended == [.superseded: 1])
        try await service.run(at: now)
        #expect(
            try await service.pushes() == [
                "watering_due 2027-03-02 delivered sent", "watering_due 2027-03-02 superseded edited",
            ])
        #expect(try await service.unaccounted(upTo: now).isEmpty)
    }

    @Test(
        "is missed by a scheduler that does not lock in a statement of its own, or uses repeatable read",
        arguments: CalendarLook.allCases)
    func isMissed(look: CalendarLook) async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        let now = try seoul("2027-03-02T09:30")
        let seen = try await whileAlarmMoves(of: plant, to: seoul("2027-03-02T08:30"), service) {
            try await look.occurrences(in: service.pool, upTo: now)
        }
        #expect(try await service.rows(of: "occurrence") == 2)
        #expect(seen == (look.seesWhatItWaitedFor ? 2 : 1))
    }

    @Test("in reality: a command that waits for its plant makes the scheduler wait")
    func realCommand() async throws {
        let service = ServiceUnderTest(maximumConnections: 8)
        let (_, plant) = try await service.garden()
        let now = try seoul("2027-03-02T09:30")
        let store = service.store(at: try seoul("2027-03-02T08:00"))
        let earlier = try plantEdit(alarm: "08:30")
        let batch = try await service.pool.withConnection { connection in
            try await connection.script("BEGIN")
            _ = try await connection.query("SELECT 1 FROM plant WHERE lane = $1 FOR UPDATE", [ServiceUnderTest.lane])
            let command = Task { try await store.editFriend(plant.reference, earlier) }
            let commandIsWaiting = try await eventually { try await service.sessionsWaitingForLocks() == 1 }
            #expect(commandIsWaiting)
            let scheduling = Task { try await service.scheduler(at: now).schedule(ServiceUnderTest.lane) }
            let schedulerIsWaiting = try await eventually { try await service.sessionsWaitingForLocks() == 2 }
            #expect(schedulerIsWaiting)
            try await connection.script("COMMIT")
            _ = try await command.value
            return try await scheduling.value
        }
        #expect(batch.enqueued == 1)
        #expect(batch.ended == [.superseded: 1])
    }

    @Test("does not block other commands of its lane; all of them wait for the scheduler")
    func sideBySide() async throws {
        let service = ServiceUnderTest(maximumConnections: 8)
        let (account, plant) = try await service.garden()
        let store = service.store(at: try seoul("2027-03-01T10:00"))
        let late = try await service.pool.withConnection { connection in
            try await connection.script("BEGIN")
            _ = try await connection.query("SELECT 1 FROM lane WHERE lane = $1 FOR SHARE", [ServiceUnderTest.lane])
            // Must not wait, or this test would never end.
            _ = try await store.water(plant.reference, WateringRequest(method: .call, declinesReview: true))
            try await connection.script("COMMIT; BEGIN")
            _ = try await connection.query("SELECT 1 FROM lane WHERE lane = $1 FOR UPDATE", [ServiceUnderTest.lane])
            let command = Task {
                try await store.addFriend(registration(number: 2, cycle: 1), to: account.id)
            }
            let isWaiting = try await eventually { try await service.sessionsWaitingForLocks() == 1 }
            #expect(isWaiting)
            // The scheduler's cursor moves beyond the alarm of the waiting command.
            try await connection.execute(
                "UPDATE lane SET cursor_at = $2 WHERE lane = $1", [ServiceUnderTest.lane, seoul("2027-03-02T12:00")])
            try await connection.script("COMMIT")
            return try await command.value
        }
        let ahead = try seoul("2027-03-02T12:00").adding(microseconds: 1)
        #expect(late.plans.wateringDue?.at == ahead)
    }
}

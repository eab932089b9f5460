import CherishCore
import CherishTestSupport
import Foundation
import Postgres
import Testing

@testable import CherishStore

/// Over a network, round trips are what a command takes; within a lane, its scheduler waits for them.
@Suite("Round trips", .migratedDatabase)
struct RoundTripTests {
    @Test("a command takes two: what it reads with BEGIN, what it writes with COMMIT", arguments: [false, true])
    func commands(isInGarden: Bool) async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        // Whatever is planned below has its partition.
        try await service.execute(
            "SELECT make_calendar_partition(month) FROM generate_series('2027-02-01'::timestamptz, '2027-06-01', '1 month') AS month"
        )
        let name = TestDatabase.current.name
        let role = isInGarden ? "gardener_\(name)" : nil
        _ = try await Roles(
            pool: service.pool, application: "app_\(name)", reporting: "reader_\(name)", account: "gardener_\(name)"
        ).establish()
        let trips = RoundTrips()
        let pool = trips.pool()
        func taking(_ time: String, _ command: (Garden) async throws -> Void) async throws -> Int {
            let store = CareStore(
                pool: pool, zones: ServiceUnderTest.zones, time: .fixed(try seoul(time)), gardenRole: role,
                announcer: ChangeAnnouncer(pool: service.pool))
            _ = trips.take()
            try await command(store.garden(of: account.id))
            return trips.take()
        }
        var counts: [String: Int] = [:]
        counts["add"] = try await taking("2027-02-24T10:00") {
            _ = try await $0.addFriend(registration(number: 2, cycle: 30))
        }
        counts["edit"] = try await taking("2027-02-24T10:01") {
            _ = try await $0.editFriend(plant.id, plantEdit(cycle: 6))
        }
        counts["postpone"] = try await taking("2027-03-01T08:00") { _ = try await $0.postpone(plant.id, days: 2) }
        counts["water"] = try await taking("2027-03-02T10:00") {
            _ = try await $0.water(plant.id, WateringRequest(method: .call))
        }
        counts["review"] = try await taking("2027-03-02T10:01") {
            _ = try await $0.writeReview(plant.id, on: nil, keywords: ["여행"], memo: nil)
        }
        counts["remove"] = try await taking("2027-03-02T10:02") { _ = try await $0.removeFriend(plant.id) }
        await pool.close()
        #expect(counts == ["add": 2, "edit": 2, "postpone": 2, "water": 2, "review": 2, "remove": 2])
    }

    @Test("a session is proved in the round trip that reads; nothing is read for one that has ended")
    func provedSession() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let (other, _) = try await service.garden(email: "jun@example.com")
        let name = TestDatabase.current.name
        _ = try await Roles(
            pool: service.pool, application: "app_\(name)", reporting: "reader_\(name)", account: "gardener_\(name)"
        ).establish()
        let trips = RoundTrips()
        let pool = trips.pool()
        let store = CareStore(
            pool: pool, zones: ServiceUnderTest.zones, time: .fixed(try seoul("2027-02-24T10:00")),
            gardenRole: "gardener_\(name)", announcer: ChangeAnnouncer(pool: service.pool))
        let token = SessionToken(
            lane: account.id.lane, sessionID: SignInSession.ID(UUID()),
            secret: [UInt8](repeating: 7, count: SessionToken.secretLength))
        let hash = [UInt8](repeating: 8, count: 32)
        func begin() async throws {
            try await service.execute(
                """
                INSERT INTO account_session (lane, id, account_id, secret_hash, device_name, signed_in_at, used_at)
                VALUES ($1, $2, $3, $4, 'phone', '2027-02-24', '2027-02-24')
                """, [account.id.lane, token.sessionID, account.id, Bytea(hash)])
        }
        try await begin()
        let proof = SessionProof(token, secretHash: hash)
        let garden = store.garden(of: account.id, proving: proof)
        _ = trips.take()
        #expect(try await garden.plants().map(\.id) == [plant.id])
        #expect(trips.take() == 1)
        #expect(proof.isGiven)
        // Proved once, it is not asked for again.
        try await service.execute("DELETE FROM account_session")
        #expect(try await garden.plants().map(\.id) == [plant.id])
        let ended = SessionProof(token, secretHash: hash)
        await #expect(throws: PeopleError.notSignedIn) {
            try await store.garden(of: account.id, proving: ended).plants()
        }
        #expect(!ended.isGiven)
        try await begin()
        let guessed = SessionProof(token, secretHash: [UInt8](repeating: 9, count: 32))
        await #expect(throws: PeopleError.notSignedIn) {
            try await store.garden(of: account.id, proving: guessed).plants()
        }
        // A right token opens no other garden, whatever the caller believes.
        let mistaken = SessionProof(token, secretHash: hash)
        await #expect(throws: PeopleError.notSignedIn) {
            try await store.garden(of: other.id, proving: mistaken).plants()
        }
        #expect(!guessed.isGiven && !mistaken.isGiven)
        await pool.close()
    }

    @Test("scheduling a batch takes three, and two if nothing is due")
    func scheduling() async throws {
        let service = ServiceUnderTest()
        _ = try await service.garden()
        try await service.execute("SELECT make_log_partitions(now())")
        let trips = RoundTrips()
        let pool = trips.pool()
        let scheduler = LaneScheduler(
            pool: pool, zones: ServiceUnderTest.zones, time: .fixed(try seoul("2027-03-02T09:00")))
        #expect(try await scheduler.schedule(ServiceUnderTest.lane).enqueued == 1)
        let due = trips.take()
        #expect(try await scheduler.schedule(ServiceUnderTest.lane).count == 0)
        let idle = trips.take()
        await pool.close()
        #expect(due == 3)
        // The ROLLBACK, which no interceptor sees, is the second.
        #expect(idle == 1)
    }

    @Test("a command whose plan lacks a month makes the month and runs again, once")
    func missingMonth() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        let now = try seoul("2031-03-02T10:00")
        let watered = try await service.store(at: now).water(plant.reference, WateringRequest(method: .call))
        #expect(watered.watering.watering.number == 1)
        #expect(try await service.rows(of: "watering") == 1)
        let planned = try await service.texts(
            "SELECT concat_ws(' ', topic, at) FROM occurrence WHERE at > '2031-01-01' ORDER BY at")
        #expect(planned.count == 2)
    }
}

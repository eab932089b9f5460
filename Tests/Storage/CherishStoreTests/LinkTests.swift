import CherishCore
import CherishTestSupport
import Foundation
import Postgres
import Secrets
import Testing

@testable import CherishStore

@Suite("10.12: secret links", .migratedDatabase, .serialized)
struct LinkTests {
    private struct Shared {
        let service: ServiceUnderTest
        let account: Account
        let thing: Thing
        let share: ThingShare
        let token: CapabilityToken
    }

    private func start() throws -> Instant { try seoul("2027-03-01T08:00") }

    private func reminder(_ title: String = "병원") throws -> ThingDraft {
        ThingDraft(kind: .reminder, title: try ThingTitle(title), dueOn: try civilDay("2027-03-10"))
    }

    private func shared(days: Int = 7) async throws -> Shared {
        let service = ServiceUnderTest()
        let account = try await service.account(at: start())
        let garden = service.store(at: try start()).garden(of: account.id)
        let thing = try await garden.recordThing(reminder()).thing
        let token = CapabilityToken(in: account.id.lane)
        let share = try await garden.shareThing(thing.id, days: days, tokenHash: SecretHash.sha256(token.secret))
        return Shared(service: service, account: account, thing: thing, share: share, token: token)
    }

    private func find(_ token: CapabilityToken, _ shared: Shared, at now: Instant) async throws -> Thing.ID? {
        try await shared.service.store(at: now).people.sharedThing(token, secretHash: SecretHash.sha256(token.secret))?
            .thingID
    }

    @Test("a link shows its thing until it expires; nobody finds it by another token or in another lane")
    func expiry() async throws {
        let shared = try await shared(days: 3)
        #expect(shared.share.expiresAt == (try start()).adding(hours: 72))
        let last = shared.share.expiresAt.adding(microseconds: -1)
        #expect(try await find(shared.token, shared, at: start()) == shared.thing.id)
        #expect(try await find(shared.token, shared, at: last) == shared.thing.id)
        #expect(try await find(shared.token, shared, at: shared.share.expiresAt) == nil)
        #expect(try await find(CapabilityToken(in: shared.token.lane), shared, at: start()) == nil)
        let hash = SecretHash.sha256(shared.token.secret)
        let elsewhere = CapabilityToken(in: Lane(shared.token.lane.number &+ 1))
        let people = shared.service.store(at: try start()).people
        #expect(try await people.sharedThing(elsewhere, secretHash: hash) == nil)
        let stored = try await shared.service.texts("SELECT encode(token_hash, 'hex') FROM thing_share")
        #expect(stored == [hash.map { String(format: "%02x", $0) }.joined()])
        #expect(stored != [shared.token.secret.map { String(format: "%02x", $0) }.joined()])
    }

    @Test("a link shows nothing once it is withdrawn, or its thing is done or deleted; reopening brings it back")
    func ends() async throws {
        let shared = try await shared()
        let garden = shared.service.store(at: try start()).garden(of: shared.account.id)
        #expect(try await garden.shares(of: shared.thing.id) == [shared.share])
        _ = try await garden.completeThing(shared.thing.id)
        #expect(try await find(shared.token, shared, at: start()) == nil)
        #expect(try await garden.detail(ofShared: shared.thing.id) == nil)
        _ = try await garden.reopenThing(shared.thing.id)
        #expect(try await find(shared.token, shared, at: start()) == shared.thing.id)
        try await garden.withdrawShare(String(shared.share.id.description.prefix(8)))
        #expect(try await find(shared.token, shared, at: start()) == nil)
        await #expect(throws: CareError.notFound(.share)) {
            try await garden.withdrawShare(shared.share.id.description)
        }
        let token = CapabilityToken(in: shared.account.id.lane)
        _ = try await garden.shareThing(shared.thing.id, days: 1, tokenHash: SecretHash.sha256(token.secret))
        try await garden.removeThing(shared.thing.id)
        #expect(try await find(token, shared, at: start()) == nil)
        #expect(try await shared.service.rows(of: "thing_share") == 0)
    }

    @Test("only open reminders are shared, for 1 to 30 days, by at most 20 links; those that are over make room")
    func limits() async throws {
        let shared = try await shared(days: 1)
        let garden = shared.service.store(at: try start()).garden(of: shared.account.id)
        func share(_ garden: Garden, _ thing: Thing.ID, days: Int = 1) async throws {
            let hash = SecretHash.sha256(CapabilityToken(in: shared.account.id.lane).secret)
            _ = try await garden.shareThing(thing, days: days, tokenHash: hash)
        }
        for days in [0, 31, -1] {
            await #expect(throws: ThingError.invalidShareDays(days)) {
                try await share(garden, shared.thing.id, days: days)
            }
        }
        let milk = ThingDraft(kind: .food, title: try ThingTitle("우유"), dueOn: try civilDay("2027-03-10"))
        let food = try await garden.recordThing(milk).thing
        await #expect(throws: ThingError.notForKind(.share, .food)) { try await share(garden, food.id) }
        let done = try await garden.recordThing(reminder()).thing
        _ = try await garden.completeThing(done.id)
        await #expect(throws: ThingError.alreadyDone(on: try civilDay("2027-03-01"))) {
            try await share(garden, done.id)
        }
        for _ in 1..<20 { try await share(garden, shared.thing.id) }
        await #expect(throws: CareError.tooManyLinks(limit: 20)) { try await share(garden, shared.thing.id) }
        let tomorrow = shared.service.store(at: try start().adding(hours: 24)).garden(of: shared.account.id)
        try await share(tomorrow, shared.thing.id)
        #expect(try await tomorrow.shares(of: shared.thing.id).count == 1)
        #expect(try await shared.service.rows(of: "thing_share") == 1)
    }

    @Test("a calendar's link names its account until it is withdrawn; there are at most 10, however many ask at once")
    func feeds() async throws {
        let service = ServiceUnderTest()
        let account = try await service.account(at: start())
        let store = service.store(at: try start())
        let garden = store.garden(of: account.id)
        let token = CapabilityToken(in: account.id.lane)
        let hash = SecretHash.sha256(token.secret)
        let feed = try await garden.addFeed(tokenHash: hash)
        #expect(try await store.people.feedOwner(token, secretHash: hash) == account.id)
        let other = CapabilityToken(in: account.id.lane)
        #expect(try await store.people.feedOwner(other, secretHash: SecretHash.sha256(other.secret)) == nil)
        let made = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<15 {
                group.addTask {
                    (try? await garden.addFeed(tokenHash: [UInt8](repeating: UInt8(number), count: 32))) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(made == 9)
        await #expect(throws: CareError.tooManyLinks(limit: 10)) {
            try await garden.addFeed(tokenHash: hash.reversed())
        }
        try await garden.removeFeed(feed.id.description)
        #expect(try await store.people.feedOwner(token, secretHash: hash) == nil)
        #expect(try await garden.feeds().count == 9)
        _ = try await store.eraseAccount(account.id)
        #expect(try await service.rows(of: "calendar_feed") == 0)
    }
}

import CherishCore
import CherishTestSupport
import Foundation
import Postgres
import Testing

@testable import CherishStore

/// What housekeeping does with accounts that nobody can sign in to any more (rule 12.5).
@Suite("Unused anonymous accounts", .migratedDatabase, .serialized)
struct UnusedAccountTests {
    private let service = ServiceUnderTest()
    private let start = "2027-03-01T10:00"
    private static let secretHash = [UInt8](repeating: 1, count: 32)

    private func day(_ number: Int) throws -> Instant { try seoul(start).adding(hours: 24 * number) }

    /// Begins an account in the lane of the tests.
    private func begin() async throws -> Account {
        let account = Account(
            id: Account.ID(UUID.random(lane: ServiceUnderTest.lane.number)), email: nil, nickname: try Nickname("민지"),
            phone: nil, timeZone: "Asia/Seoul", language: .korean)
        try await service.store(at: day(0)).people.beginAnonymously(
            account,
            session: PeopleStore.NewSession(
                id: SignInSession.ID(UUID()), secretHash: Self.secretHash, deviceName: "phone"))
        return account
    }

    private func erase(onDay number: Int) async throws -> Int {
        try await service.housekeeping(at: day(number), retention: 3_650).run().erased
    }

    @Test("are erased after 180 days, with everything in them, and a proof remains")
    func erasing() async throws {
        let account = try await begin()
        _ = try await service.friend(of: account, at: day(0))
        #expect(try await erase(onDay: 180) == 0)
        #expect(try await service.rows(of: "plant") == 1)
        #expect(try await erase(onDay: 181) == 1)
        for table in ["account", "account_session", "plant"] { #expect(try await service.rows(of: table) == 0) }
        #expect(try await service.rows(of: "erasure") == 1)
    }

    @Test("stay while somebody uses them, or can sign in to them")
    func used() async throws {
        let used = try await begin()
        let completed = try await begin()
        let linked = try await begin()
        let people = service.store(at: try day(0)).people
        let session = try #require(try await people.sessions(of: used.id).first).id
        let token = SessionToken(lane: used.id.lane, sessionID: session, secret: Array(repeating: 9, count: 32))
        let later = try await service.store(at: day(100)).people.session(token, secretHash: Self.secretHash)
        #expect(later?.account == used.id)
        var edit = AccountEdit()
        edit.email = try EmailAddress("minji@example.com")
        _ = try await service.store(at: day(0)).editAccount(completed.id, edit)
        let identity = VerifiedIdentity(provider: .google, subject: "1", email: nil, isEmailConfirmed: false)
        #expect(try await people.link(identity, to: linked.id) == .done)
        #expect(try await erase(onDay: 280) == 0)
        #expect(try await erase(onDay: 281) == 1)
        let left = try await service.store(at: day(281)).accounts().map(\.id)
        #expect(Set(left) == [completed.id, linked.id])
    }

    @Test("count as used on the day on which an export brought them back")
    func restored() async throws {
        let account = try await begin()
        let export = try await service.store(at: day(1)).export(of: account.id)
        _ = try await service.store(at: day(1)).eraseAccount(account.id)
        #expect(try await service.store(at: day(400)).seed([export]) == [.written])
        #expect(try await erase(onDay: 580) == 0)
        #expect(try await erase(onDay: 581) == 1)
    }

    @Test("are erased a few at a time, so that the lane is free in between")
    func inPieces() async throws {
        for _ in 1...6 { _ = try await begin() }
        #expect(try await erase(onDay: 200) == 4)
        #expect(try await erase(onDay: 200) == 2)
        #expect(try await service.rows(of: "account") == 0)
    }
}

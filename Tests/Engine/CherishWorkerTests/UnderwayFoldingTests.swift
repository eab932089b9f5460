import CherishCore
import CherishPush
import CherishStore
import CherishTestSupport
import Foundation
import Testing

@testable import CherishWorker

@Suite("Folding next to pushes that are underway")
struct UnderwayFoldingTests {
    private typealias Sent = PushSurroundings.Sent

    private let account = Account.ID(UUID())

    private func plant() throws -> PushSurroundings.GroupMember {
        .init(subjectID: Subject.ID(UUID()), name: "하나")
    }

    private func group(_ time: String = "2027-03-02T09:00") throws -> PushGroup {
        PushGroup(accountID: account, topic: .wateringDue, plannedAt: try seoul(time))
    }

    private func fold(
        _ jobs: [(PushSurroundings.GroupMember, PushGroup)], underway: [Sent], sent: [Sent] = [], cap: Int = 20
    ) throws -> PushFolding {
        let today = try civilDay("2027-03-02")
        return PushFolding(
            jobs.map { PushFolding.Job(group: $1, subject: $0, today: today) },
            PushSurroundings(sent: [account: sent]), underway: [account: underway], cap: cap,
            digestID: AccountPush.digestCollapseID)
    }

    private func sentPush(_ collapseID: String, _ plants: [PushSurroundings.GroupMember] = []) throws -> Sent {
        Sent(collapseID: collapseID, sentOn: try civilDay("2027-03-02"), subjectIDs: Set(plants.map(\.subjectID)))
    }

    @Test("a job joins an underway push that names its plant; otherwise it is a push of its own")
    func joins() throws {
        let (group, named, new) = (try group(), try plant(), try plant())
        let folding = try fold([(named, group), (new, group)], underway: [try sentPush(group.collapseID, [named])])
        #expect(folding.joining.map(\.job) == [0])
        #expect(folding.joining.map(\.collapseID) == [group.collapseID])
        #expect(folding.joining.map(\.reason) == [.combined])
        #expect(folding.folds.map(\.jobs) == [[1]])
        #expect(folding.sent.isEmpty)
    }

    @Test("jobs already sent do not join")
    func sentAlready() throws {
        let (group, plant) = (try group(), try plant())
        let one = try sentPush(group.collapseID, [plant])
        let folding = try fold([(plant, group)], underway: [one], sent: [one])
        #expect(folding.sent.map(\.reason) == [.combined])
        #expect(folding.joining.isEmpty)
        #expect(folding.folds.isEmpty)
    }

    @Test("underway pushes count towards the cap; beyond it, jobs join the digest or begin it")
    func cap() throws {
        let (group, plant) = (try group("2027-03-02T09:05"), try plant())
        let first = try sentPush("watering_due-20270302T0000Z", [try self.plant()])
        let begun = try fold([(plant, group)], underway: [first], cap: 1)
        #expect(begun.folds.map(\.content) == [.digest])
        let joined = try fold([(plant, group)], underway: [first, try sentPush("digest-2027-03-02")], cap: 1)
        #expect(joined.folds.isEmpty)
        #expect(joined.joining.map(\.reason) == [.digest])
        #expect(joined.joining.map(\.collapseID) == ["digest-2027-03-02"])
    }
}

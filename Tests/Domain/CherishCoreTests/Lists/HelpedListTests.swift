import CherishTestSupport
import SeededChance
import SystemTimeZones
import Testing

@testable import CherishCore

@Suite("11.4, 11.5: what the helper's lane knows of a list")
struct HelpedListTests {
    private static let owner: Account.ID = identifier(1)
    private static let helper = Helper(id: identifier(2), hasConfirmedEmail: true)
    private static let other = Helper(id: identifier(3), hasConfirmedEmail: true)

    private static func context(_ now: Instant) throws -> CommandContext {
        CommandContext(
            now: now, zone: try SystemTimeZones().rules("Asia/Seoul"), calendarCursor: now.adding(microseconds: -1))
    }

    private static func opened(at now: Instant) throws -> ShoppingList {
        var draft = ShoppingListDraft(title: try ThingTitle("장보기"))
        draft.entries = [ShoppingList.Entry(name: try EntryName("우유"))]
        var list = try ShoppingList.write(draft, id: identifier(9), for: owner, at: now)
        try list.open(at: now)
        return list
    }

    private static func claim(_ list: ShoppingList, at now: Instant) -> HelpedList {
        HelpedList(list.id, of: owner, by: helper.id, slot: 1, at: now)
    }

    @Test("an acceptance plans a warning 6 hours before the end, and the end; a claim takes its place for a minute")
    func acceptance() throws {
        let start = try seoul("2027-03-01T19:00")
        var list = try Self.opened(at: start)
        var helped = Self.claim(list, at: start)
        let minute = start.adding(microseconds: 60_000_000)
        #expect(helped.takesSlot(at: minute.adding(microseconds: -1)) && !helped.takesSlot(at: minute))
        #expect(!helped.isCurrent(at: start))
        try list.accept(by: Self.helper, at: start)
        let planned = helped.learn(list, ownerNickname: "minji", in: try Self.context(start))
        let end = start.adding(hours: 168)
        #expect(
            planned == [
                ListPlans.Event(topic: .listExpiring, at: end.adding(hours: -6)),
                ListPlans.Event(topic: .listExpired, at: end),
            ])
        #expect(helped.isCurrent(at: end.adding(microseconds: -1)) && !helped.takesSlot(at: end))
        // Nothing new: nothing happens.
        let before = helped
        #expect(helped.learn(list, ownerNickname: "x", in: try Self.context(minute)).isEmpty && helped == before)
    }

    @Test("a list that is gone with its owner counts as cancelled, but only for whoever had it")
    func gone() throws {
        let start = try seoul("2027-03-01T19:00")
        var list = try Self.opened(at: start)
        var claimed = Self.claim(list, at: start)
        #expect(claimed.learn(nil, ownerNickname: "", in: try Self.context(start)).isEmpty && claimed.slot == nil)
        var helped = Self.claim(list, at: start)
        try list.accept(by: Self.helper, at: start)
        _ = helped.learn(list, ownerNickname: "minji", in: try Self.context(start))
        let told = helped.learn(nil, ownerNickname: "", in: try Self.context(start.adding(hours: 1)))
        #expect(told.map(\.topic) == [.listCancelled] && helped.slot == nil && helped.ownerNickname == "minji")
    }

    @Test("news in any order, and more than once, ends as it does in its order")
    func anyOrder() throws {
        var random = SplitMix64(seed: 58)
        var held = 0
        for _ in 0..<3_000 {
            var now = try seoul("2027-03-01T19:00")
            var list = try Self.opened(at: now)
            var inOrder = Self.claim(list, at: now)
            var mixed = inOrder
            var versions: [ShoppingList] = []
            // The helper has claimed it once, and so accepts it once at most.
            try list.accept(by: Bool.random(using: &random) ? Self.helper : Self.other, at: now)
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                versions.append(list)
                now = now.adding(hours: Int.random(in: 1...30, using: &random))
                let helper = Bool.random(using: &random) ? Self.helper : Self.other
                switch Int.random(in: 0..<6, using: &random) {
                case 0: try? list.accept(by: Self.other, at: now)
                case 1: try? list.release(by: helper.id, at: now)
                case 2: try? list.deliver(by: helper.id, at: now)
                case 3: try? list.cancel(at: now)
                default: try? list.mark(1, isBought: Bool.random(using: &random), by: helper.id, at: now)
                }
            }
            let context = try Self.context(now)
            for version in versions + [list] { _ = inOrder.learn(version, ownerNickname: "minji", in: context) }
            for version in (versions + [list] + versions).shuffled(using: &random) {
                _ = mixed.learn(version, ownerNickname: "minji", in: context)
            }
            // The list as it is comes at last, whatever came before: those who tell read it.
            _ = mixed.learn(list, ownerNickname: "minji", in: context)
            #expect(mixed.listVersion == inOrder.listVersion)
            #expect(mixed.isCurrent(at: now) == inOrder.isCurrent(at: now))
            #expect(
                mixed.isCurrent(at: now)
                    == (list.acceptance?.helperID == Self.helper.id && list.state(at: now) == .accepted))
            if inOrder.isCurrent(at: now) {
                #expect(mixed.plans == inOrder.plans && mixed.expiresAt == inOrder.expiresAt)
            }
            held += inOrder.isCurrent(at: now) ? 1 : 0
        }
        // Otherwise the histories say little.
        #expect((300...2_700).contains(held))
    }

    @Test("old news does not take the slot of a claim that is on its way to the list")
    func claimOnItsWay() throws {
        let start = try seoul("2027-03-01T19:00")
        var list = try Self.opened(at: start)
        var helped = Self.claim(list, at: start)
        try list.accept(by: Self.helper, at: start)
        _ = helped.learn(list, ownerNickname: "minji", in: try Self.context(start))
        try list.release(by: Self.helper.id, at: start.adding(hours: 1))
        let released = list
        _ = helped.learn(released, ownerNickname: "minji", in: try Self.context(start.adding(hours: 1)))
        #expect(helped.slot == nil && helped.releaseCount == 1)
        // Claimed once more; a worker tells what it read before.
        let now = start.adding(hours: 2)
        helped.claim(slot: 3, at: now)
        var old = try Self.opened(at: start)
        for _ in 0..<9 { try old.edit(ShoppingListEdit(), at: now) }
        #expect(helped.learn(old, ownerNickname: "minji", in: try Self.context(now)).isEmpty && helped.slot == 3)
        // Once it can arrive no more, the place is free.
        try old.edit(ShoppingListEdit(), at: now)
        _ = helped.learn(old, ownerNickname: "minji", in: try Self.context(now.adding(hours: 1)))
        #expect(helped.slot == nil)
    }

    @Test("what the owner is told gives way to what is newer, and stays while it is so")
    func owner() throws {
        let start = try seoul("2027-03-01T19:00")
        var list = try Self.opened(at: start)
        var plans = ListPlans()
        #expect(list.plan(&plans, telling: nil, in: try Self.context(start)).map(\.topic) == [.listExpired])
        try list.accept(by: Self.helper, at: start)
        let accepted = try #require(list.plan(&plans, telling: .listAccepted, in: try Self.context(start)).first)
        try list.mark(1, isBought: true, by: Self.helper.id, at: start.adding(hours: 1))
        #expect(list.plan(&plans, telling: nil, in: try Self.context(start.adding(hours: 1))).isEmpty)
        #expect(plans.end(of: accepted) == nil)
        try list.release(by: Self.helper.id, at: start.adding(hours: 2))
        _ = list.plan(&plans, telling: .listReleased, in: try Self.context(start.adding(hours: 2)))
        #expect(plans.end(of: accepted)?.reason == .listChanged)
        // Given back after the 168 hours: it has expired at once, and that is what the owner hears.
        var late = try Self.opened(at: start)
        try late.accept(by: Self.helper, at: start.adding(hours: 150))
        var latePlans = ListPlans()
        _ = late.plan(&latePlans, telling: .listAccepted, in: try Self.context(start.adding(hours: 150)))
        let now = start.adding(hours: 180)
        try late.release(by: Self.helper.id, at: now)
        #expect(late.plan(&latePlans, telling: .listReleased, in: try Self.context(now)).map(\.topic) == [.listExpired])
        #expect(latePlans == ListPlans(expiredAt: now))
    }
}

import CherishTestSupport
import SeededChance
import Testing

@testable import CherishCore

@Suite("11: shopping lists")
struct ShoppingListTests {
    static let owner: Account.ID = identifier(1)
    static let first = Helper(id: identifier(2), hasConfirmedEmail: true)
    static let second = Helper(id: identifier(3), hasConfirmedEmail: true)
    /// When the list of ``open(_:)`` was opened.
    static func opening() throws -> Instant { try seoul("2027-03-01T19:00") }

    private static func draft(_ entries: Int = 2) throws -> ShoppingList {
        let milk = ShoppingList.Entry(name: try EntryName("우유"), quantity: try EntryQuantity("2 l"))
        var draft = ShoppingListDraft(
            title: try ThingTitle("장보기"), entries: Array(repeating: milk, count: entries))
        draft.deliveryNote = try DeliveryNote("문 앞에")
        return try ShoppingList.write(draft, id: identifier(9), for: owner, at: opening().adding(hours: -1))
    }

    private static func open() throws -> ShoppingList {
        var list = try draft()
        try list.open(at: opening())
        return list
    }

    private static func accepted(after hours: Int = 1) throws -> ShoppingList {
        var list = try open()
        try list.accept(by: first, at: opening().adding(hours: hours))
        return list
    }

    @Test("11.1: each limit, one at a time")
    func limits() throws {
        #expect(try Self.draft(100).entries.count == 100)
        #expect(throws: ShoppingListError.tooManyEntries(101)) { try Self.draft(101) }
        #expect(try EntryName(String(repeating: "가", count: 60)).description.count == 60)
        for text in ["", " ", "a\u{7}", String(repeating: "가", count: 61)] {
            #expect(throws: ShoppingListError.invalidEntry) { try EntryName(text) }
        }
        #expect(try EntryQuantity(" ") == nil)
        #expect(try EntryQuantity(String(repeating: "2", count: 20)) != nil)
        #expect(throws: ShoppingListError.invalidQuantity) { try EntryQuantity(String(repeating: "2", count: 21)) }
        #expect(try DeliveryNote("\n") == nil)
        #expect(try DeliveryNote(String(repeating: "x", count: 300)) != nil)
        #expect(throws: ShoppingListError.deliveryNoteTooLong(length: 301)) {
            try DeliveryNote(String(repeating: "x", count: 301))
        }
        for points in [0, 6] {
            #expect(throws: ShoppingListError.invalidRating(points)) { try HelperRating(points: points) }
        }
        for kilometres in [1, 51] {
            #expect(throws: ShoppingListError.invalidRadius(kilometres)) {
                try NeighbourRadius(kilometres: kilometres)
            }
        }
        #expect(NeighbourRadius.usual.kilometres == 6)
    }

    @Test("11.1: a draft and an open list can be edited, an accepted one cannot; an open list is never empty")
    func editing() throws {
        let now = try Self.opening().adding(hours: 2)
        var edit = ShoppingListEdit()
        edit.entries = []
        edit.deliveryNote = .some(nil)
        var list = try Self.draft()
        try list.edit(edit, at: now)
        #expect(list.entries.isEmpty && list.deliveryNote == nil && list.version == 2 && list.modifiedAt == now)
        #expect(throws: ShoppingListError.noEntries) { try list.open(at: now) }
        list = try Self.open()
        let before = list
        #expect(throws: ShoppingListError.noEntries) { try list.edit(edit, at: now) }
        #expect(list == before)
        edit.entries = nil
        try list.edit(edit, at: now)
        #expect(list.deliveryNote == nil && list.entries.count == 2)
        list = try Self.accepted()
        #expect(throws: ShoppingListError.notPossible(.accepted)) { try list.edit(edit, at: now) }
    }

    @Test("11.2: opened 2027-03-01T10:00Z, it has expired at 2027-03-08T10:00Z")
    func expiry() throws {
        let list = try Self.open()
        let end = try seoul("2027-03-08T19:00")
        #expect(list.expiresAt == end)
        #expect(list.state(at: end.adding(microseconds: -1)) == .open && list.state(at: end) == .expired)
        #expect(list.timeLeft(at: try Self.opening().adding(hours: 167)) == .seconds(3600))
        #expect(list.timeLeft(at: end) == nil && list.endedAt(end) == end)
        #expect(try list.endedAt(Self.opening()) == nil)
    }

    @Test(
        "11.2: a helper has 48 hours at least, but no list lasts longer than 9 days",
        arguments: [(0, 168), (119, 168), (120, 168), (121, 169), (167, 215)])
    func helpersTime(acceptedAfter: Int, endsAfter: Int) throws {
        #expect(try Self.accepted(after: acceptedAfter).expiresAt == Self.opening().adding(hours: endsAfter))
    }

    @Test("11.4: the first helper wins, and whoever asks twice has it still")
    func first() throws {
        var list = try Self.accepted()
        let before = list
        let now = try Self.opening().adding(hours: 2)
        #expect(throws: ShoppingListError.alreadyAccepted) { try list.accept(by: Self.second, at: now) }
        try list.accept(by: Self.first, at: now)
        #expect(list == before)
        try list.deliver(by: Self.first.id, at: now)
        #expect(throws: ShoppingListError.alreadyAccepted) { try list.accept(by: Self.second, at: now) }
    }

    @Test("11.4: a list is not accepted by its owner, without a confirmed e-mail, as a draft, or when it is over")
    func refusals() throws {
        func refusal(_ list: ShoppingList, by helper: Helper = Self.first, after hours: Int = 1) throws -> String? {
            var list = list
            let now = try Self.opening().adding(hours: hours)
            do {
                try list.accept(by: helper, at: now)
                return nil
            } catch {
                return error.code
            }
        }
        let list = try Self.open()
        #expect(try refusal(list, by: Helper(id: Self.owner, hasConfirmedEmail: true)) == "own_list")
        #expect(try refusal(list, by: Helper(id: Self.first.id, hasConfirmedEmail: false)) == "email_not_confirmed")
        #expect(try refusal(Self.draft()) == "list_draft")
        #expect(try refusal(list, after: 168) == "list_expired")
        var cancelled = list
        try cancelled.cancel(at: Self.opening())
        #expect(try refusal(cancelled) == "list_cancelled")
        #expect(try refusal(list, after: 167) == nil)
    }

    @Test(
        "11.4: a list that is given back is open for the rest of its time, or expires at once; nothing is bought"
    )
    func release() throws {
        var list = try Self.accepted(after: 150)
        try list.mark(2, isBought: true, by: Self.first.id, at: Self.opening().adding(hours: 151))
        #expect(list.entries.map(\.isBought) == [false, true])
        var late = list
        try list.release(by: Self.first.id, at: Self.opening().adding(hours: 160))
        #expect(try list.state(at: Self.opening().adding(hours: 160)) == .open)
        #expect(list.entries.map(\.isBought) == [false, false])
        try list.accept(by: Self.second, at: Self.opening().adding(hours: 161))
        try late.release(by: Self.first.id, at: Self.opening().adding(hours: 170))
        #expect(try late.state(at: Self.opening().adding(hours: 170)) == .expired)
        #expect(try late.endedAt(Self.opening().adding(hours: 170)) == Self.opening().adding(hours: 168))
    }

    @Test("11.4, 11.5: only the helper marks, gives back and delivers, and not after the end")
    func onlyTheHelper() throws {
        let now = try Self.opening().adding(hours: 2)
        var list = try Self.accepted()
        for other in [Self.owner, Self.second.id] {
            #expect(throws: ShoppingListError.notTheHelper) { try list.deliver(by: other, at: now) }
            #expect(throws: ShoppingListError.notTheHelper) { try list.release(by: other, at: now) }
            #expect(throws: ShoppingListError.notTheHelper) { try list.mark(1, isBought: true, by: other, at: now) }
        }
        for number in [0, 3] {
            #expect(throws: ShoppingListError.noSuchEntry(number)) {
                try list.mark(number, isBought: true, by: Self.first.id, at: now)
            }
        }
        let end = try #require(list.expiresAt)
        #expect(throws: ShoppingListError.listExpired) { try list.deliver(by: Self.first.id, at: end) }
        try list.deliver(by: Self.first.id, at: now)
        #expect(throws: ShoppingListError.notPossible(.delivered)) { try list.deliver(by: Self.first.id, at: now) }
    }

    @Test("11.4: the delivery note is for the owner, and for the helper until 24 hours after the end")
    func deliveryNote() throws {
        let list = try Self.accepted()
        let end = try #require(list.expiresAt)
        #expect(list.showsDeliveryNote(to: Self.owner, at: end.adding(hours: 1000)))
        #expect(!list.showsDeliveryNote(to: Self.second.id, at: try Self.opening().adding(hours: 2)))
        #expect(list.showsDeliveryNote(to: Self.first.id, at: end.adding(hours: 24).adding(microseconds: -1)))
        #expect(!list.showsDeliveryNote(to: Self.first.id, at: end.adding(hours: 24)))
        #expect(try !Self.open().showsDeliveryNote(to: Self.first.id, at: Self.opening()))
        var released = list
        try released.release(by: Self.first.id, at: Self.opening().adding(hours: 2))
        #expect(!released.showsDeliveryNote(to: Self.first.id, at: try Self.opening().adding(hours: 2)))
        var cancelled = list
        try cancelled.cancel(at: Self.opening().adding(hours: 2))
        #expect(cancelled.showsDeliveryNote(to: Self.first.id, at: try Self.opening().adding(hours: 25)))
        #expect(!cancelled.showsDeliveryNote(to: Self.first.id, at: try Self.opening().adding(hours: 26)))
    }

    @Test("11.6: the owner rates once, after the delivery, within 30 days")
    func rating() throws {
        let delivery = try Self.opening().adding(hours: 2)
        let five = try HelperRating(points: 5)
        var list = try Self.accepted()
        #expect(throws: ShoppingListError.notPossible(.accepted)) { try list.rate(five, at: delivery) }
        try list.deliver(by: Self.first.id, at: delivery)
        var late = list
        #expect(throws: ShoppingListError.rateTooLate) { try late.rate(five, at: delivery.adding(hours: 720)) }
        try list.rate(five, at: delivery.adding(hours: 719))
        #expect(list.rating?.points == 5)
        #expect(throws: ShoppingListError.alreadyRated) { try list.rate(HelperRating(points: 1), at: delivery) }
    }

    @Test(
        "11.6: the helper attaches a receipt from acceptance until 24 hours after the delivery; it goes with the helper"
    )
    func receipt() throws {
        let now = try Self.opening().adding(hours: 2)
        var list = try Self.accepted()
        #expect(throws: ShoppingListError.notTheHelper) { try list.attach(.jpeg, by: Self.owner, at: now) }
        #expect(throws: ShoppingListError.notTheHelper) { try list.attach(.jpeg, by: Self.second.id, at: now) }
        let before = list
        try list.attach(nil, by: Self.first.id, at: now)
        #expect(list == before)
        try list.attach(.jpeg, by: Self.first.id, at: now)
        #expect(list.acceptance?.receipt == .jpeg && list.version == before.version + 1)
        var released = list
        try released.release(by: Self.first.id, at: now)
        try released.accept(by: Self.second, at: now)
        #expect(released.acceptance?.helperID == Self.second.id && released.acceptance?.receipt == nil)
        var cancelled = list
        try cancelled.cancel(at: now)
        #expect(throws: ShoppingListError.notPossible(.cancelled)) {
            try cancelled.attach(.pdf, by: Self.first.id, at: now)
        }
        var expired = list
        let end = try #require(list.expiresAt)
        #expect(throws: ShoppingListError.listExpired) { try expired.attach(.pdf, by: Self.first.id, at: end) }
        try list.deliver(by: Self.first.id, at: now)
        #expect(throws: ShoppingListError.notTheHelper) { try list.attach(nil, by: Self.second.id, at: now) }
        try list.attach(.pdf, by: Self.first.id, at: now.adding(hours: 24).adding(microseconds: -1))
        #expect(list.acceptance?.receipt == .pdf)
        #expect(throws: ShoppingListError.receiptTooLate) {
            try list.attach(nil, by: Self.first.id, at: now.adding(hours: 24))
        }
    }

    @Test("11.6: what a receipt is, its first bytes say")
    func receiptFormats() {
        #expect(ShoppingReceipt([0xff, 0xd8, 0xff, 0xe0])?.format == .jpeg)
        #expect(ShoppingReceipt(Array("%PDF-1.7".utf8))?.format == .pdf)
        for other in ["", "%PD", "GIF89a", "<svg/>", " %PDF-1.7"] { #expect(ShoppingReceipt(Array(other.utf8)) == nil) }
    }

    @Test("11.7: an owner cancels until it is delivered")
    func cancelling() throws {
        let now = try Self.opening().adding(hours: 2)
        for var list in [try Self.open(), try Self.accepted()] {
            try list.cancel(at: now)
            #expect(list.state(at: now) == .cancelled)
            #expect(throws: ShoppingListError.notPossible(.cancelled)) { try list.cancel(at: now) }
        }
        var draft = try Self.draft()
        #expect(throws: ShoppingListError.notPossible(.draft)) { try draft.cancel(at: now) }
        var expired = try Self.open()
        #expect(throws: ShoppingListError.notPossible(.expired)) { try expired.cancel(at: now.adding(hours: 168)) }
    }

    // MARK: - Any history

    /// The rules once more, as plainly as they are written: what a list is at an hour, and who has it.
    private struct Model {
        var opened, accepted, delivered, cancelled: Int?
        var helper: Int?

        func end() -> Int? {
            guard let opened else { return nil }
            var end = opened + 7 * 24
            if let accepted, accepted + 48 > end { end = accepted + 48 }
            return end > opened + 9 * 24 ? opened + 9 * 24 : end
        }

        func state(_ hour: Int) -> String {
            if cancelled != nil { return "cancelled" }
            if delivered != nil { return "delivered" }
            if opened == nil { return "draft" }
            if let end = end(), hour >= end { return "expired" }
            return helper == nil ? "open" : "accepted"
        }

        /// Whether the act is allowed; then it has happened.
        mutating func act(_ act: Int, by person: Int, _ hour: Int) -> Bool {
            switch (act, state(hour)) {
            case (0, "draft"): opened = hour
            case (1, "open"): (accepted, helper) = (hour, person)
            case (1, "accepted") where helper == person: break
            case (2, "accepted") where helper == person: (accepted, helper) = (nil, nil)
            case (3, "accepted") where helper == person: delivered = hour
            case (4, "open"), (4, "accepted"): cancelled = hour
            default: return false
            }
            return true
        }
    }

    @Test("any history goes as a second, plainer implementation of the rules says")
    func histories() throws {
        var chance = SplitMix64(seed: 11)
        var seen: Set<String> = []
        for _ in 0..<repetitions(20_000, inDebug: 2_000) {
            var list = try Self.draft()
            var (model, hour) = (Model(), 0)
            for _ in 0..<10 {
                hour += Int.random(in: 0...50, using: &chance)
                let now = try Self.opening().adding(hours: hour)
                let (act, person) = (Int.random(in: 0...4, using: &chance), Int.random(in: 2...3, using: &chance))
                let helper = Helper(id: identifier(UInt8(person)), hasConfirmedEmail: true)
                let before = list
                let isDone: Bool
                do {
                    switch act {
                    case 0: try list.open(at: now)
                    case 1: try list.accept(by: helper, at: now)
                    case 2: try list.release(by: helper.id, at: now)
                    case 3: try list.deliver(by: helper.id, at: now)
                    default: try list.cancel(at: now)
                    }
                    isDone = true
                } catch {
                    isDone = false
                    #expect(list == before)
                }
                #expect(isDone == model.act(act, by: person, hour), "\(act) by \(person) at \(hour): \(before)")
                let state = list.state(at: now).rawValue
                #expect(state == model.state(hour))
                seen.insert(state)
            }
        }
        #expect(seen.count == ShoppingList.State.allCases.count)
    }
}

@Suite("11.3: neighbours")
struct NeighbourhoodTests {
    @Test("a distance says less than 2, 4, 6 … kilometres")
    func steps() {
        let metres: [(Double, Int)] = [(0, 2), (1_999.9, 2), (2_000, 4), (5_999, 6), (6_000, 8), (19_999_999, 20_000)]
        for (metres, kilometres) in metres {
            #expect(NeighbourDistance(metres: metres).kilometres == kilometres)
        }
    }

    @Test("distances are those of PostgreSQL's earthdistance, and symmetric")
    func distances() throws {
        // earth_distance(ll_to_earth(…), ll_to_earth(…)) * 6371008.8 / earth(), by PostgreSQL 15.
        let known: [(Double, Double, Double, Double, Double)] = [
            (37.5665, 126.978, 37.5707, 126.9779, 467.102),
            (37.5665, 126.978, 35.1796, 129.0756, 325_111.708),
            (51.5007, -0.1246, 48.8584, 2.2945, 340_539.390),
            (-33.8568, 151.2153, 40.6892, -74.0445, 15_984_301.805),
            (64.1466, -21.9426, 64.1355, -21.8954, 2600.679),
            (-16.5, 179.9, -16.5, -179.9, 21_323.207),
            (89.9, 0, 89.9, 180, 22_239.016),
            (0, 0, 0, 180, 20_015_114.442),
        ]
        for (latitude, longitude, otherLatitude, otherLongitude, metres) in known {
            let one = try #require(Position(latitude: latitude, longitude: longitude))
            let other = try #require(Position(latitude: otherLatitude, longitude: otherLongitude))
            #expect(abs(one.metres(to: other) - metres) < 0.01)
            #expect(one.metres(to: other) == other.metres(to: one) && one.metres(to: one) == 0)
        }
    }

    @Test("a postcode is changed twice in 30 days at most")
    func changes() throws {
        let start = try seoul("2027-03-01T10:00")
        var changes = PostcodeChanges()
        try changes.add(at: start)
        try changes.add(at: start.adding(hours: 24))
        #expect(throws: ShoppingListError.postcodeChangedTooOften) { try changes.add(at: start.adding(hours: 719)) }
        #expect(changes.instants.count == 2)
        try changes.add(at: start.adding(hours: 720))
        #expect(throws: ShoppingListError.postcodeChangedTooOften) { try changes.add(at: start.adding(hours: 743)) }
        try changes.add(at: start.adding(hours: 744))
    }
}

import CherishCore
import CherishTestSupport
import CherishWorker
import Foundation
import Postgres
import SeededChance
import Testing

@testable import CherishStore

@Suite("11: shopping lists in the database", .migratedDatabase, .serialized)
struct ShoppingListStoreTests {
    private let service: ServiceUnderTest
    private let sender: RecordingDeviceSender

    init() {
        sender = RecordingDeviceSender()
        service = ServiceUnderTest(maximumConnections: 8, devices: sender.senders(dailyCap: 20))
    }

    private static let opening = "2027-03-01T19:00"

    /// A store whose ids are random: a list's must lie in its owner's lane all the same.
    private func store(_ now: String = opening) throws -> CareStore { service.store(at: try seoul(now)) }

    /// Postcodes on a line to the north, 1 km apart from each other: K0, K1 …
    private func importPostcodes(_ count: Int = 100) async throws {
        let korea = try #require(Country("KR"))
        let centres = try (0..<count).map { number in
            let position = Position(latitude: 37.5 + Double(number) / 111.195, longitude: 127)
            return PostcodeCentre(country: korea, key: "K\(number)", position: try #require(position))
        }
        _ = try await store().importPostcodes(centres)
    }

    private func person(_ name: String, lane: UInt8 = 7, postcode: String = "K0") async throws -> Account {
        let account = try await service.account(
            lane: Lane(lane), email: "\(name)@example.com", at: seoul(Self.opening))
        _ = try await store().addDevice(account, platform: .ios, token: "phone of \(name)")
        var edit = AccountEdit()
        edit.nickname = try Nickname(name)
        edit.postcode = .some(try Postcode(postcode))
        edit.country = .some(Country("KR"))
        return try await store().editAccount(account.id, edit)
    }

    private func draft(_ title: String = "장보기", entries: Int = 2) throws -> ShoppingListDraft {
        var draft = ShoppingListDraft(
            title: try ThingTitle(title),
            entries: try (0..<entries).map {
                ShoppingList.Entry(name: try EntryName("우유, \($0)"), quantity: try EntryQuantity($0 == 0 ? "2 l" : ""))
            })
        draft.note = try ThingNote("저지방으로")
        draft.deliveryNote = try DeliveryNote("문 앞에")
        return draft
    }

    private func open(_ owner: Account, _ now: String = opening) async throws -> ShoppingList.ID {
        let garden = try store(now).garden(of: owner.id)
        let id = try await garden.writeList(draft()).list.id
        _ = try await garden.openList(id)
        return id
    }

    private func errands(_ account: Account, _ now: String = opening) throws -> Errands {
        try store(now).errands(of: account.id)
    }

    private func helped() async throws -> [String] {
        try await service.texts(
            """
            SELECT concat_ws(' ', coalesce(slot::text, '-'), accepted_at IS NOT NULL, ended_at IS NOT NULL, acceptance_count,
                release_count) FROM helped_list ORDER BY claimed_at, list_id
            """)
    }

    private func news() async throws -> Int { try await service.rows(of: "list_news") }

    /// What was sent since the last call: whose phone, the title and the body.
    private func sent(at now: String) async throws -> [String] {
        let before = await sender.sent.count
        try await service.run(at: seoul(now))
        return await sender.sent.dropFirst(before).map {
            "\($0.device.token): \($0.push.text.title) | \($0.push.text.body)"
        }
    }

    // MARK: The way of a list

    @Test("from the draft to the rating: both people in different lanes, or in one", arguments: [UInt8(9), 7])
    func way(helpersLane: UInt8) async throws {
        try await importPostcodes()
        let (owner, helper) = (try await person("minji"), try await person("hana", lane: helpersLane, postcode: "K3"))
        let garden = try store().garden(of: owner.id)
        let draft = try await garden.writeList(draft())
        #expect(draft.list.id.lane == owner.id.lane && draft.list.entries[1].quantity == nil)
        #expect(try await garden.shoppingList(draft.list.id).lists == [draft])
        #expect(try await errands(helper).nearby(within: .usual).lists.isEmpty)
        let opened = try await garden.openList(draft.list.id)
        let found = try await errands(helper).nearby(within: .usual).lists
        #expect(found.map(\.id) == [draft.list.id] && found.map(\.distance.kilometres) == [4])
        #expect(found.map(\.ownerNickname.description) == ["minji"] && found.map(\.entryCount) == [2])
        #expect(opened.list.expiresAt == found[0].expiresAt)

        let accepted = try await errands(helper, "2027-03-01T20:00").accept(draft.list.id)
        #expect(accepted.stored.helper?.nickname.description == "hana" && accepted.ownerNickname.description == "minji")
        #expect(accepted.stored.list.deliveryNote?.description == "문 앞에")
        // Who asks twice has it still.
        #expect(try await errands(helper, "2027-03-01T20:00").accept(draft.list.id).stored == accepted.stored)
        #expect(try await helped() == ["1 t f 1 0"])
        #expect(try await news() == 0)
        #expect(try await sent(at: "2027-03-01T20:01") == ["phone of minji: 장보기 | hana 님이 장을 봐 주기로 했어요."])
        await #expect(throws: ShoppingListError.notPossible(.accepted)) {
            try await garden.editList(draft.list.id, ShoppingListEdit())
        }
        let bought = try await errands(helper, "2027-03-02T10:00").mark(draft.list.id, 2, isBought: true)
        #expect(bought.stored.list.entries.map(\.isBought) == [false, true])
        _ = try await errands(helper, "2027-03-02T11:00").deliver(draft.list.id)
        #expect(try await helped() == ["- t t 1 0"])
        #expect(try await news() == 0)
        #expect(
            try await sent(at: "2027-03-02T11:01") == ["phone of minji: 장보기 | hana 님이 장 본 것을 가져다 놓았어요."])
        let later = try store("2027-03-02T12:00").garden(of: owner.id)
        _ = try await later.rateHelper(draft.list.id, HelperRating(points: 4))
        #expect(try await errands(helper).ratings() == HelperRatings(count: 1, sum: 4))
        #expect(try await news() == 0)
        await #expect(throws: ShoppingListError.alreadyRated) {
            try await later.rateHelper(draft.list.id, HelperRating(points: 5))
        }
        // 24 hours after the end, the helper sees nothing of it.
        #expect(try await errands(helper, "2027-03-03T10:59").lists().count == 1)
        #expect(try await errands(helper, "2027-03-03T11:00").lists().isEmpty)
        await #expect(throws: CareError.notFound(.list)) {
            try await errands(helper, "2027-03-03T11:00").list(draft.list.id)
        }
        // Neither got a push about an end that did not come.
        #expect(try await sent(at: "2027-03-12T00:00") == [])
    }

    @Test("given back, it is open again and the owner hears of it; accepted anew, nothing is bought yet")
    func release() async throws {
        try await importPostcodes()
        let (owner, helper, other) = (
            try await person("minji"), try await person("hana", lane: 9), try await person("doyun", lane: 11)
        )
        let list = try await open(owner)
        _ = try await errands(helper, "2027-03-01T20:00").accept(list)
        _ = try await errands(helper, "2027-03-01T20:10").mark(list, 1, isBought: true)
        // What was told before is superseded by what is newer.
        try await errands(helper, "2027-03-01T20:20").release(list)
        #expect(try await helped() == ["- f f 1 1"])
        #expect(
            try await sent(at: "2027-03-01T20:21") == [
                "phone of minji: 장보기 | 이웃이 목록을 돌려주었어요. 다른 이웃이 볼 수 있어요."
            ])
        await #expect(throws: CareError.notFound(.list)) { try await errands(helper).mark(list, 1, isBought: true) }
        let again = try await errands(other, "2027-03-01T21:00").accept(list)
        #expect(again.stored.list.entries.allSatisfy { !$0.isBought })
        // Marking an entry does not take back what the owner is to hear.
        _ = try await errands(other, "2027-03-01T21:00").mark(list, 1, isBought: true)
        #expect(try await sent(at: "2027-03-01T21:01") == ["phone of minji: 장보기 | doyun 님이 장을 봐 주기로 했어요."])
    }

    private func receipt(_ text: String) throws -> ShoppingReceipt {
        try #require(ShoppingReceipt(Array("%PDF-1.7 \(text)".utf8)))
    }

    private func receipts() async throws -> [String] {
        try await service.texts("SELECT coalesce(convert_from(content, 'UTF8'), '-') FROM list_receipt")
    }

    @Test(
        "11.6: only the two see a receipt, and it goes with the helper, whether the list is given back or an account erased",
        arguments: [UInt8(9), 7])
    func receipt(helpersLane: UInt8) async throws {
        try await importPostcodes()
        let (owner, helper) = (try await person("minji"), try await person("hana", lane: helpersLane))
        let other = try await person("doyun", lane: 11)
        let (list, garden) = (try await open(owner), try store().garden(of: owner.id))
        let before = try await errands(helper).accept(list).stored.list.version
        await #expect(throws: CareError.notFound(.receipt)) { try await garden.receipt(of: list) }
        await #expect(throws: CareError.notFound(.list)) { try await errands(other).attach(receipt("x"), to: list) }
        try await errands(helper).attach(receipt("one"), to: list)
        try await errands(helper).attach(receipt("two"), to: list)
        #expect(try await garden.receipt(of: list) == receipt("two"))
        #expect(try await errands(helper).receipt(of: list) == receipt("two"))
        #expect(try await receipts() == ["%PDF-1.7 two"])
        // The owner's devices learn of it by the version; the owner gets no push.
        let seen = try await garden.shoppingList(list).lists[0].list
        #expect(seen.acceptance?.receipt == .pdf && seen.version == before + 2)
        #expect(try await sent(at: "2027-03-01T19:01").count == 1)
        for stranger in [other, owner] {
            await #expect(throws: CareError.notFound(.list)) { try await errands(stranger).receipt(of: list) }
        }
        await #expect(throws: CareError.notFound(.list)) {
            try await store().garden(of: other.id).receipt(of: list)
        }

        try await errands(helper).removeReceipt(of: list)
        try await errands(helper).removeReceipt(of: list)
        #expect(try await receipts() == ["-"])
        await #expect(throws: CareError.notFound(.receipt)) { try await errands(helper).receipt(of: list) }

        try await errands(helper).attach(receipt("three"), to: list)
        try await errands(helper).release(list)
        #expect(try await receipts() == ["-"])
        _ = try await errands(other).accept(list)
        await #expect(throws: CareError.notFound(.receipt)) { try await errands(other).receipt(of: list) }
        await #expect(throws: CareError.notFound(.receipt)) { try await garden.receipt(of: list) }

        try await errands(other).attach(receipt("four"), to: list)
        _ = try await errands(other).deliver(list)
        #expect(try await errands(other).receipt(of: list) == receipt("four"))
        // The helper sees it for a day, the owner for as long as there is somebody to thank.
        await #expect(throws: CareError.notFound(.list)) {
            try await errands(other, "2027-03-02T19:00").receipt(of: list)
        }
        _ = try await store().eraseAccount(other.id)
        #expect(try await receipts() == ["-"])
        _ = try await store().eraseAccount(owner.id)
        #expect(try await receipts() == [])
    }

    @Test(
        "a receipt of somebody who helped before is nobody's, even if a program of an older release gave the list back")
    func foreignReceipt() async throws {
        try await importPostcodes()
        let (owner, helper, other) = (
            try await person("minji"), try await person("hana", lane: 9), try await person("doyun", lane: 11)
        )
        let list = try await open(owner)
        _ = try await errands(helper).accept(list)
        try await errands(helper).attach(receipt("hers"), to: list)
        // That release does not know the column.
        try await service.execute(
            """
            UPDATE shopping_list SET helper_id = '\(other.id)', helper_nickname = 'doyun', version = version + 1
            """)
        await #expect(throws: CareError.notFound(.receipt)) { try await errands(other).receipt(of: list) }
        await #expect(throws: CareError.notFound(.receipt)) {
            try await store().garden(of: owner.id).receipt(of: list)
        }
    }

    @Test("the end: the helper is warned 6 hours before, both hear of it, and the place is free")
    func expiry() async throws {
        try await importPostcodes()
        let (owner, helper) = (try await person("minji"), try await person("hana", lane: 9))
        let list = try await open(owner)
        // On the sixth day: 48 hours to help end after the list's own 168, and before its 216.
        _ = try await errands(helper, "2027-03-07T19:00").accept(list)
        #expect(try await sent(at: "2027-03-07T19:01").count == 1)
        #expect(try await sent(at: "2027-03-09T12:59") == [])
        #expect(
            try await sent(at: "2027-03-09T13:00") == ["phone of hana: minji 님의 장보기 | 여섯 시간 안에 전해 주거나 돌려주세요."])
        #expect(try await sent(at: "2027-03-09T18:59") == [])
        #expect(
            try await sent(at: "2027-03-09T19:00").sorted() == [
                "phone of hana: minji 님의 장보기 | 목록의 기한이 지났어요.", "phone of minji: 장보기 | 목록의 기한이 지났어요.",
            ])
        // The place is free by computation: five more can be accepted.
        for _ in 0..<5 {
            _ = try await errands(helper, "2027-03-09T19:00").accept(try await open(owner, "2027-03-09T19:00"))
        }
        await #expect(throws: ShoppingListError.listExpired) {
            try await errands(try await person("doyun", lane: 11), "2027-03-09T19:00").accept(list)
        }
    }

    @Test("two helpers of one lane, one after the other: the second is warned, and the first hears nothing")
    func twoHelpersOfOneLane() async throws {
        try await importPostcodes()
        let owner = try await person("minji")
        let (first, second) = (try await person("hana", lane: 9), try await person("doyun", lane: 9))
        let list = try await open(owner)
        _ = try await errands(first).accept(list)
        try await errands(first).release(list)
        _ = try await errands(second).accept(list)
        _ = try await sent(at: "2027-03-01T19:01")
        #expect(
            try await sent(at: "2027-03-08T13:00") == ["phone of doyun: minji 님의 장보기 | 여섯 시간 안에 전해 주거나 돌려주세요."])
        #expect(
            try await sent(at: "2027-03-08T19:00").sorted() == [
                "phone of doyun: minji 님의 장보기 | 목록의 기한이 지났어요.", "phone of minji: 장보기 | 목록의 기한이 지났어요.",
            ])
    }

    @Test("11.7: cancelled, the helper hears of it; the operator can close a list, and it is on the record")
    func cancelled() async throws {
        try await importPostcodes()
        let (owner, helper) = (try await person("minji"), try await person("hana", lane: 9))
        let (one, two) = (try await open(owner), try await open(owner))
        for list in [one, two] { _ = try await errands(helper).accept(list) }
        _ = try await sent(at: "2027-03-01T19:01")
        _ = try await store("2027-03-01T20:00").garden(of: owner.id).cancelList(one)
        let expected = "phone of hana: minji 님의 장보기 | 목록이 취소되었어요. 사지 않아도 돼요."
        #expect(try await sent(at: "2027-03-01T20:01") == [expected])
        let operators = try store("2027-03-01T21:00")
        try await errands(helper).report(two, ListReportText("돈을 먼저 달래요."))
        try await errands(helper).report(two, ListReportText("again"))
        #expect(try await operators.listReports().reports.map(\.reason) == ["돈을 먼저 달래요."])
        _ = try await operators.closeList(two, because: ListReportText("asks for money"), by: "root")
        #expect(try await sent(at: "2027-03-01T21:01") == [expected])
        try await operators.bar(helper.id, because: ListReportText("kept it"), by: "root")
        await #expect(throws: ShoppingListError.barredFromHelping) { try await errands(helper).nearby(within: .usual) }
        await #expect(throws: ShoppingListError.barredFromHelping) {
            try await errands(helper).accept(try await open(owner))
        }
        try await operators.bar(helper.id, lifts: true, because: ListReportText("a mistake"), by: "root")
        _ = try await errands(helper).nearby(within: .usual)
        let measures = try await operators.listMeasures()
        #expect(Set(measures.map(\.action)) == [.close, .bar, .admit] && measures.allSatisfy { $0.takenBy == "root" })
    }

    // MARK: Races

    @Test(
        "500 concurrent acceptances of 100 lists: each list one helper, five lists a helper, all else clearly refused")
    func races() async throws {
        try await importPostcodes()
        var owners: [Account] = []
        for number in 0..<20 { owners.append(try await person("owner\(number)", lane: UInt8(number % 3))) }
        var helpers: [Account] = []
        for number in 0..<50 { helpers.append(try await person("helper\(number)", lane: UInt8(number % 4))) }
        var lists: [ShoppingList.ID] = []
        for number in 0..<100 { lists.append(try await open(owners[number % 20])) }
        var random = SplitMix64(seed: 23)
        // Ten attempts of each helper, many of them for the same lists.
        let attempts = helpers.flatMap { helper in
            lists.shuffled(using: &random).prefix(10).map { (helper, $0) }
        }.shuffled(using: &random)
        let results = await withTaskGroup(of: Result<Void, any Error>.self) { group in
            for (helper, list) in attempts {
                group.addTask {
                    do {
                        _ = try await errands(helper).accept(list)
                        return .success(())
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let refusals = results.compactMap { result -> (any Error)? in
            if case .failure(let error) = result { error } else { nil }
        }
        let codes = Set(refusals.map { ($0 as? ShoppingListError)?.code ?? "\($0)" })
        #expect(codes.isSubset(of: ["already_accepted", "too_many_accepted"]), "\(codes)")
        let accepted = results.count - refusals.count
        #expect(accepted > 60)
        let taken = try await service.count("SELECT count(*) FROM shopping_list WHERE helper_id IS NOT NULL")
        #expect(taken == accepted)
        #expect(try await news() == 0)
        // Both lanes say the same.
        let differing = try await service.count(
            """
            SELECT count(*) FROM shopping_list AS list
            FULL JOIN (SELECT * FROM helped_list WHERE accepted_at IS NOT NULL) AS helped
                ON helped.list_id = list.id AND helped.account_id = list.helper_id
            WHERE (list.helper_id IS NOT NULL) <> (helped.account_id IS NOT NULL) OR helped.accepted_at <> list.accepted_at
                OR helped.expires_at <> list.expires_at OR helped.list_version <> list.version
            """)
        #expect(differing == 0)
        let most = try await service.count(
            "SELECT max(count) FROM (SELECT count(*) FROM shopping_list WHERE helper_id IS NOT NULL GROUP BY helper_id) AS c"
        )
        #expect(most <= 5)
        // Nobody holds a place without a list.
        #expect(
            try await service.count("SELECT count(*) FROM helped_list WHERE slot IS NOT NULL AND accepted_at IS NULL")
                == 0)
    }

    @Test(
        "stopped after the claim: the place is free after a minute, and the claim is too old for the list after half of it"
    )
    func stoppedAfterClaim() async throws {
        try await importPostcodes()
        let (owner, helper) = (try await person("minji"), try await person("hana", lane: 9))
        var claims: [Errands.Claim] = []
        var lists: [ShoppingList.ID] = []
        for _ in 0..<5 { lists.append(try await open(owner)) }
        for list in lists { claims.append(try await errands(helper).claim(list, of: owner.id)) }
        #expect(Set(try await service.texts("SELECT slot::text FROM helped_list")) == ["1", "2", "3", "4", "5"])
        let other = try await open(try await person("doyun", lane: 11))
        for seconds in ["00", "59"] {
            await #expect(throws: ShoppingListError.tooManyAccepted) {
                try await errands(helper, "2027-03-01T19:00:\(seconds)").accept(other)
            }
        }
        await #expect(throws: ShoppingListError.claimTooOld) {
            _ = try await errands(helper, "2027-03-01T19:00:30").accept(lists[0], of: owner.id, claims[0])
        }
        // A second earlier it still counts.
        _ = try await errands(helper, "2027-03-01T19:00:29").accept(lists[1], of: owner.id, claims[1])
        _ = try await errands(helper, "2027-03-01T19:01:00").accept(other)
        // Looking at the old claims found the one that its list confirms.
        #expect(
            try await service.count(
                "SELECT count(*) FROM helped_list WHERE slot IS NOT NULL AND accepted_at IS NOT NULL") == 2)
    }

    @Test("stopped after the acceptance: a worker tells the helper's lane, and pushes follow")
    func stoppedAfterAcceptance() async throws {
        try await importPostcodes()
        let (owner, helper) = (try await person("minji"), try await person("hana", lane: 9))
        let list = try await open(owner)
        let claim = try await errands(helper).claim(list, of: owner.id)
        _ = try await errands(helper).accept(list, of: owner.id, claim)
        #expect(try await helped() == ["1 f f 0 0"])
        #expect(try await news() == 1)
        #expect(try await store("2027-03-01T19:00:04").tellOldNews() == 0)
        #expect(try await store("2027-03-01T19:00:06").tellOldNews() == 1)
        #expect(try await helped() == ["1 t f 1 0"])
        #expect(try await news() == 0)
        _ = try await sent(at: "2027-03-01T19:01")
        #expect(try await sent(at: "2027-03-08T13:00").count == 1)
        // Cancelled without telling; told twice; told again after that.
        let garden = try store("2027-03-08T14:00").garden(of: owner.id)
        try await garden.command(onList: list) { command, locked in
            try locked.stored.list.cancel(at: command.now)
            _ = locked.finish(command, tells: true)
        }
        #expect(try await helped() == ["1 t f 1 0"])
        #expect(try await news() == 1)
        let known = ListNews(ownerID: owner.id, listID: list, recipientID: helper.id)
        for _ in 0..<3 { try await store("2027-03-08T14:01").tell(known) }
        #expect(try await helped() == ["- t t 1 0"])
        #expect(try await sent(at: "2027-03-08T14:02") == ["phone of hana: minji 님의 장보기 | 목록이 취소되었어요. 사지 않아도 돼요."])
    }

    @Test(
        "11.9: an erasure gives back, and tells, what a stopped program had left untold; doctor sees how long it waited"
    )
    func erasureAfterStop() async throws {
        try await importPostcodes()
        let owner = try await person("minji")
        let (helper, other) = (try await person("hana", lane: 9), try await person("doyun", lane: 11))
        let list = try await open(owner)
        #expect(try await store().newsAge() == .zero)
        let claim = try await errands(helper).claim(list, of: owner.id)
        _ = try await errands(helper).accept(list, of: owner.id, claim)
        #expect(try await store("2027-03-01T19:03").newsAge() == .seconds(180))
        _ = try await store().eraseAccount(helper.id)
        #expect(try await service.texts("SELECT coalesce(helper_id::text, 'open') FROM shopping_list") == ["open"])

        _ = try await errands(other).accept(list)
        _ = try await sent(at: "2027-03-01T19:01")
        try await store("2027-03-01T20:00").garden(of: owner.id).command(onList: list) { command, locked in
            try locked.stored.list.cancel(at: command.now)
            _ = locked.finish(command, tells: true)
        }
        _ = try await store("2027-03-01T20:00").eraseAccount(owner.id)
        #expect(
            try await sent(at: "2027-03-01T20:01") == ["phone of doyun: minji 님의 장보기 | 목록이 취소되었어요. 사지 않아도 돼요."])
        #expect(try await helped() == ["- t t 1 0"])
    }

    @Test("a broken list stops neither its helper, nor others' news, nor an erasure")
    func brokenList() async throws {
        try await importPostcodes()
        let (owner, helper) = (try await person("minji"), try await person("hana", lane: 9))
        let (broken, list, kept) = (try await open(owner), try await open(owner), try await open(owner))
        _ = try await errands(helper).accept(kept)
        for id in [broken, list] {
            _ = try await errands(helper).accept(id, of: owner.id, try await errands(helper).claim(id, of: owner.id))
        }
        try await service.dropChecks()
        try await service.execute("UPDATE shopping_list SET rating = 9 WHERE id = \(id: broken)")
        await #expect(throws: UnreadableRow.self) { try await store("2027-03-01T19:01").tellOldNews() }
        #expect(try await news() == 1)
        // Hana's claim of the broken list is old and unreadable by now.
        let other = try await open(try await person("doyun", lane: 11))
        _ = try await errands(helper, "2027-03-01T19:02").accept(other)
        _ = try await store("2027-03-01T20:00").eraseAccount(helper.id)
        #expect(try await service.count("SELECT count(*) FROM shopping_list WHERE helper_id IS NOT NULL") == 1)
    }

    @Test("news that was written while older news is delivered stays")
    func newerNews() async throws {
        try await importPostcodes()
        let (owner, helper) = (try await person("minji"), try await person("hana", lane: 9))
        let list = try await open(owner)
        let accepted = try await errands(helper).accept(list)
        let garden = try store().garden(of: owner.id)
        try await garden.command(onList: list) { command, locked in
            try locked.stored.list.cancel(at: command.now)
            _ = locked.finish(command, tells: true)
        }
        let known = ListNews(ownerID: owner.id, listID: list, recipientID: helper.id)
        try await garden.command(reading: []) { command, _ in
            command.finish([ListNewsRow.delete(known, upTo: accepted.stored.list.version)])
        }
        #expect(try await news() == 1)
    }

    // MARK: Limits

    @Test("limits: drafts, open lists, acceptances of a day, lists given back in a week")
    func limits() async throws {
        try await importPostcodes()
        let (owner, helper) = (try await person("minji"), try await person("hana", lane: 9))
        let garden = try store().garden(of: owner.id)
        var drafts: [ShoppingList.ID] = []
        for _ in 0..<ListLimits.drafts { drafts.append(try await garden.writeList(draft()).list.id) }
        await #expect(throws: ShoppingListError.tooManyDrafts) { try await garden.writeList(draft()) }
        for list in drafts.prefix(ListLimits.open) { _ = try await garden.openList(list) }
        await #expect(throws: ShoppingListError.tooManyOpen) { try await garden.openList(drafts[9]) }
        // Given back five times in a week, then no more.
        for (number, list) in drafts.prefix(5).enumerated() {
            let now = "2027-03-02T0\(number):00"
            _ = try await errands(helper, now).accept(list)
            try await errands(helper, now).release(list)
        }
        await #expect(throws: ShoppingListError.releasedTooOften) {
            try await errands(helper, "2027-03-02T06:00").accept(drafts[0])
        }
        await #expect(throws: ShoppingListError.notADraft) { try await garden.removeList(drafts[0]) }
        try await garden.removeList(drafts[19])
        await #expect(throws: CareError.notFound(.list)) { try await garden.shoppingList(drafts[19]) }

        let busy = try await person("busy", lane: 11)
        for number in 0..<ListLimits.acceptancesADay {
            let other = try await person("owner\(number)", lane: 13)
            let list = try await open(other)
            _ = try await errands(busy).accept(list)
            _ = try await errands(busy).deliver(list)
        }
        let one = try await open(try await person("last", lane: 13))
        await #expect(throws: ShoppingListError.acceptedTooOften) { try await errands(busy).accept(one) }
        _ = try await errands(busy, "2027-03-02T19:00").accept(one)
    }

    @Test("11.3: a postcode is changed twice in 30 days; without a known one nobody opens or searches")
    func postcodes() async throws {
        try await importPostcodes()
        let owner = try await person("minji")
        var edit = AccountEdit()
        for (postcode, now, isAllowed) in [
            ("K1", "2027-03-02T19:00", true), ("k 2", "2027-03-03T19:00", true), ("K3", "2027-04-01T18:59", false),
            ("K3", "2027-04-01T19:00", true), ("K4", "2027-04-02T18:59", false), ("K4", "2027-04-02T19:00", true),
        ] {
            edit.postcode = .some(try Postcode(postcode))
            if isAllowed {
                _ = try await store(now).editAccount(owner.id, edit)
            } else {
                await #expect(throws: ShoppingListError.postcodeChangedTooOften) {
                    try await store(now).editAccount(owner.id, edit)
                }
            }
        }
        let nobody = try await service.account(lane: Lane(3), email: "x@example.com", at: seoul(Self.opening))
        await #expect(throws: ShoppingListError.postcodeUnknown) { try await errands(nobody).nearby(within: .usual) }
        await #expect(throws: ShoppingListError.postcodeUnknown) { try await open(nobody) }
    }

    @Test("a code of two countries needs the country; another import replaces those of its countries alone")
    func catalogue() async throws {
        try await importPostcodes()
        let (korea, japan) = (try #require(Country("KR")), try #require(Country("JP")))
        let place = try #require(Position(latitude: 35, longitude: 139))
        let one = PostcodeCentre(country: japan, key: "K0", position: place)
        #expect(try await store().importPostcodes([one]) == PostcodeImportCounts(countries: 1, before: 0, after: 1))
        let owner = try await person("minji")
        _ = try await errands(owner).nearby(within: .usual)
        var edit = AccountEdit()
        edit.country = .some(nil)
        _ = try await store().editAccount(owner.id, edit)
        await #expect(throws: ShoppingListError.postcodeUnknown) { try await errands(owner).nearby(within: .usual) }
        let dry = try await store().importPostcodes(
            [PostcodeCentre(country: korea, key: "K0", position: place)], isDryRun: true)
        #expect(dry == PostcodeImportCounts(countries: 1, before: 100, after: 1))
        #expect(try await service.rows(of: "postcode") == 101)
    }

    // MARK: Neighbours

    @Test(
        "11.3: nearby lists are those that the haversine formula finds, by steps of 2 km, in random order within a step"
    )
    func nearby() async throws {
        let korea = try #require(Country("KR"))
        var random = SplitMix64(seed: 42)
        // Also around the 180th meridian.
        for (middle, prefix) in [(127.0, "A"), (179.98, "B")] {
            let positions = try (0..<30).map { _ in
                var longitude = middle + Double.random(in: -0.2...0.2, using: &random)
                if longitude > 180 { longitude -= 360 }
                return try #require(
                    Position(latitude: 37.5 + Double.random(in: -0.15...0.15, using: &random), longitude: longitude))
            }
            _ = try await store().importPostcodes(
                positions.enumerated().map { PostcodeCentre(country: korea, key: "\(prefix)\($0)", position: $1) })
            var lists: [ShoppingList.ID: Position] = [:]
            for number in 0..<90 {
                let owner = try await person(
                    "\(prefix)\(number)", lane: UInt8(number), postcode: "\(prefix)\(number % 30)")
                lists[try await open(owner)] = positions[number % 30]
            }
            let helper = try await person("helper\(prefix)", lane: 250, postcode: "\(prefix)0")
            for kilometres in [2, 6, 13, 50] {
                let radius = try NeighbourRadius(kilometres: kilometres)
                let found = try await errands(helper).nearby(within: radius).lists
                let expected = lists.mapValues { positions[0].metres(to: $0) }
                    .filter { $0.value < Double(kilometres * 1000) }.mapValues { NeighbourDistance(metres: $0) }
                #expect(found.count == min(50, expected.count), "\(kilometres) km")
                #expect(found.allSatisfy { expected[$0.id] == $0.distance })
                #expect(found.map(\.distance) == Array(expected.values.sorted().prefix(50)))
            }
            let orders = try await [0, 1, 2].asyncMap { _ in
                try await errands(helper).nearby(within: .usual).lists.map(\.id)
            }
            #expect(Set(orders).count > 1)
        }
    }

    @Test("11.3: distances from 100 places say no more than the postcode")
    func trilateration() async throws {
        try await importPostcodes()
        let (one, other) = (
            try await person("minji", lane: 1, postcode: "K50"), try await person("doyun", lane: 2, postcode: "K50")
        )
        let (first, second) = (try await open(one), try await open(other))
        for place in 0..<100 {
            let spy = try await person("spy\(place)", lane: 9, postcode: "K\(place)")
            let found = try await errands(spy).nearby(within: NeighbourRadius(kilometres: 50)).lists
            let distances = Dictionary(uniqueKeysWithValues: found.map { ($0.id, $0.distance.kilometres) })
            // Whoever of the postcode opened it: the same, in steps.
            #expect(distances[first] == distances[second])
            if let distance = distances[first] { #expect(distance.isMultiple(of: 2) && distance > abs(place - 50) - 1) }
        }
    }

    @Test("11.7: blocked either way, nobody finds or accepts the other's lists; what is accepted stays")
    func blocks() async throws {
        try await importPostcodes()
        let (owner, helper, spare) = (
            try await person("minji"), try await person("hana", lane: 9), try await person("doyun", lane: 11)
        )
        let (list, kept, own) = (try await open(owner), try await open(owner), try await open(helper))
        _ = try await errands(helper).accept(kept)
        let block = try await errands(helper).block(ofList: list)
        #expect(block.nickname.description == "minji")
        #expect(try await errands(helper).block(ofList: kept).id == block.id)
        #expect(try await errands(helper).nearby(within: .usual).lists.isEmpty)
        #expect(try await errands(owner).nearby(within: .usual).lists.isEmpty)
        #expect(try await errands(spare).nearby(within: .usual).lists.count == 2)
        await #expect(throws: CareError.notFound(.list)) { try await errands(helper).accept(list) }
        await #expect(throws: CareError.notFound(.list)) { try await errands(owner).accept(own) }
        _ = try await errands(helper).deliver(kept)
        // The owner names the helper by the list that it helped with.
        let other = try await errands(owner).block(ofList: kept)
        #expect(other.nickname.description == "hana")
        try await errands(helper).unblock(String(block.id.description.prefix(8)))
        await #expect(throws: CareError.notFound(.list)) { try await errands(helper).accept(list) }
        await #expect(throws: CareError.notFound(.block)) { try await errands(helper).unblock(other.id.description) }
        try await errands(owner).unblock(other.id.description)
        _ = try await errands(helper).accept(list)
        await #expect(throws: ShoppingListError.blockedYourself) {
            try await errands(spare).block(ofList: try await open(spare))
        }
    }

    // MARK: Leaving

    @Test("11.9: erasing cancels one's lists, gives back what one had, and leaves no name; both hear of it")
    func erasure() async throws {
        try await importPostcodes()
        let (owner, helper) = (try await person("minji"), try await person("hana", lane: 9))
        let (mine, theirs, done) = (try await open(owner), try await open(helper), try await open(helper))
        _ = try await errands(helper).accept(mine)
        for list in [theirs, done] { _ = try await errands(owner).accept(list) }
        _ = try await errands(owner).deliver(done)
        _ = try await sent(at: "2027-03-01T19:01")
        _ = try await store("2027-03-01T20:00").eraseAccount(owner.id)
        #expect(
            try await sent(at: "2027-03-01T20:01").sorted() == [
                "phone of hana: minji 님의 장보기 | 목록이 취소되었어요. 사지 않아도 돼요.",
                "phone of hana: 장보기 | 이웃이 목록을 돌려주었어요. 다른 이웃이 볼 수 있어요.",
            ])
        #expect(try await service.texts("SELECT coalesce(helper_nickname, '-') FROM shopping_list") == ["-", "-"])
        #expect(
            try await store("2027-03-01T20:00").garden(of: helper.id).shoppingLists().lists.map {
                $0.list.state(at: try! seoul("2027-03-01T20:00"))
            }.sorted { $0.rawValue < $1.rawValue } == [.delivered, .open])
        _ = try await errands(try await person("doyun", lane: 11), "2027-03-01T20:02").accept(theirs)
    }

    @Test("housekeeping forgets where ended lists were, then who helped; the ratings stay")
    func housekeeping() async throws {
        try await importPostcodes()
        let (owner, helper) = (try await person("minji"), try await person("hana", lane: 9))
        let list = try await open(owner)
        _ = try await errands(helper).accept(list)
        try await errands(helper).attach(receipt("x"), to: list)
        _ = try await errands(helper).deliver(list)
        _ = try await store().garden(of: owner.id).rateHelper(list, HelperRating(points: 5))
        _ = try await service.housekeeping(at: seoul("2027-03-08T20:00")).run()
        #expect(
            try await service.texts("SELECT concat_ws(' ', latitude IS NULL, helper_nickname) FROM shopping_list") == [
                "f hana"
            ])
        _ = try await service.housekeeping(at: seoul("2027-03-11T20:00")).run()
        #expect(
            try await service.texts("SELECT concat_ws(' ', latitude IS NULL, helper_nickname) FROM shopping_list") == [
                "t hana"
            ])
        _ = try await service.housekeeping(at: seoul("2027-04-25T20:00")).run()
        #expect(
            try await service.texts("SELECT concat_ws(' ', latitude IS NULL, helper_nickname) FROM shopping_list") == [
                "t"
            ])
        #expect(try await helped() == [])
        await #expect(throws: CareError.notFound(.receipt)) { try await store().garden(of: owner.id).receipt(of: list) }
        _ = try await service.housekeeping(at: seoul("2027-05-01T20:00")).run()
        #expect(try await receipts() == [])
        #expect(try await errands(helper).ratings() == HelperRatings(count: 1, sum: 5))
    }

    @Test("an area is reported from 20 opened lists on")
    func report() async throws {
        try await importPostcodes()
        let helper = try await person("hana", lane: 9)
        for number in 0..<20 {
            #expect(try await service.rows(of: "report.shopping_list_area") == 0)
            let list = try await open(try await person("owner\(number)"))
            if number < 4 {
                _ = try await errands(helper, "2027-03-01T2\(number):00").accept(list)
                if number == 0 { _ = try await errands(helper, "2027-03-01T20:00").deliver(list) }
            }
        }
        #expect(
            try await service.texts(
                """
                SELECT concat_ws(' ', area, opened_count, accepted_count, delivered_count, cancelled_count,
                    median_hours_to_acceptance) FROM report.shopping_list_area
                """) == ["KR-K0 20 4 1 0 2.5"])
    }
}

extension Array where Element: Sendable {
    fileprivate func asyncMap<Result>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}

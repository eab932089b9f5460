import CherishCore
import CherishStore
import CherishTestSupport
import Foundation
import Testing

@Suite("Commands in SQL", .migratedDatabase, .serialized)
struct CommandTests {
    @Test("1.4, 7.2: registering a friend writes the plant, the origin of its due date, and its alarm")
    func registering() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        #expect(plant.accountID == account.id)
        #expect(plant.dueOn.description == "2027-03-02")
        #expect(
            try await service.texts("SELECT concat_ws(' ', cycle_days, due_on, source) FROM cycle_change")
                == ["7 2027-03-02 registration"])
        #expect(try await service.calendar() == ["watering_due 2027-03-02 2027-03-02T00:00:00Z"])
    }

    @Test("every field of a plant and an account is read back as written")
    func readBack() async throws {
        let service = ServiceUnderTest()
        let now = try seoul("2027-02-23T10:00")
        let account = try await service.account(
            lane: Lane(255), zone: "America/Nuuk",
            switches: NotificationSwitches(watering: false, review: true, birthday: true, withered: true), at: now)
        let store = service.store(at: now)
        #expect(try await store.account("MINJI@example.com") == account)
        #expect(try await store.account(account.id.description) == account)
        for (number, birthday) in ["1994-05-21", "02-29"].enumerated() {
            let plant = try await service.friend(
                of: account, number: number, cycle: 90, alarm: "23:59", birthday: birthday, at: now)
            _ = try await store.water(plant.reference, WateringRequest(method: .inPerson))
            let watered = try await store.plant(String(plant.id.description.prefix(8)))
            #expect(watered.plans.reviewMissing != nil)
            #expect(watered.plans.withered != nil)
            #expect(watered.plans.birthday != nil)
            let edited = try await store.editFriend(plant.reference, plantEdit(cycle: 1, pushesEnabled: false))
            #expect(try await store.plant(plant.id.description) == edited)
        }
    }

    @Test("3.3, 4.1, 4.5: a watering writes itself, its ledger and the next alarm, and moves the due date")
    func watering() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        let now = try seoul("2027-03-01T10:00")
        let review = try Review(keywords: ["안부", "점심"], memo: "다음 주에 만나기로 했다")
        let (recorded, watered) = try await service.store(at: now).water(
            plant.reference, WateringRequest(method: .call, review: review))
        #expect(recorded.watering.number == 1)
        #expect(recorded.pointsGained == 24)
        #expect(watered.dueOn.description == "2027-03-08")
        #expect(watered.affection.points == 24)
        #expect(
            try await service.texts(
                "SELECT concat_ws(' ', number, watered_on, method, due_on, keywords, memo) FROM watering")
                == ["1 2027-03-01 call 2027-03-08 {안부,점심} 다음 주에 만나기로 했다"])
        #expect(
            try await service.texts(
                "SELECT concat_ws(' ', watering_number, reason, points) FROM affection_entry ORDER BY reason")
                == ["1 contact 8", "1 keywords 8", "1 memo 8"])
        #expect(
            try await service.calendar() == [
                "watering_due 2027-03-02 2027-03-02T00:00:00Z", "watering_due 2027-03-08 2027-03-08T00:00:00Z",
            ])
    }

    @Test("6: postponing on D-day writes itself and the new alarm; a refusal writes nothing")
    func postponing() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        let before = try await service.fingerprint()
        await #expect(throws: CareError.notYetDue(daysLeft: 1)) {
            try await service.store(at: seoul("2027-03-01T23:59")).postpone(plant.reference, days: 3)
        }
        await #expect(throws: CareError.withered(daysOver: 1)) {
            try await service.store(at: seoul("2027-03-03T00:00")).postpone(plant.reference, days: 3)
        }
        let store = service.store(at: try seoul("2027-03-02T08:00"))
        for days in [0, 8] {
            await #expect(throws: CareError.invalidDays(days)) { try await store.postpone(plant.reference, days: days) }
        }
        #expect(try await service.fingerprint() == before)

        let postponed = try await store.postpone(plant.reference, days: 3)
        #expect(postponed.dueOn.description == "2027-03-05")
        #expect(
            try await service.texts("SELECT concat_ws(' ', number, from_due_on, days, due_on) FROM postponement")
                == ["1 2027-03-02 3 2027-03-05"])
        #expect(try await service.calendar().contains("watering_due 2027-03-05 2027-03-05T00:00:00Z"))
    }

    @Test("6.3: of eight concurrent postponements exactly one succeeds")
    func postponingAtOnce() async throws {
        let service = ServiceUnderTest(maximumConnections: 8)
        let (_, plant) = try await service.garden()
        let store = service.store(at: try seoul("2027-03-02T08:00"))
        let results = await concurrently(8) { _ in try await store.postpone(plant.reference, days: 1) }
        #expect(results.filter(\.isSuccess).count == 1)
        let refusals = Array(repeating: CareError.notYetDue(daysLeft: 1), count: 7)
        #expect(results.compactMap(\.refusal) == refusals)
        #expect(try await service.rows(of: "postponement") == 1)
        #expect(try await store.plant(plant.id.description).dueOn.description == "2027-03-03")
    }

    @Test("3.5: of concurrent waterings for one day all count and one earns affection")
    func wateringAtOnce() async throws {
        let service = ServiceUnderTest(maximumConnections: 8)
        let (_, plant) = try await service.garden()
        let store = service.store(at: try seoul("2027-03-01T10:00"))
        let results = await concurrently(4) { _ in
            try await store.water(plant.reference, WateringRequest(method: .message)).watering.pointsGained
        }
        let points = try results.map { try $0.get() }
        #expect(points.sorted() == [0, 0, 0, 8])
        #expect(try await service.rows(of: "affection_entry") == 1)
        let watered = try await store.plant(plant.id.description)
        #expect(watered.affection.points == 8)
        #expect(watered.wateringCount == 4)
        #expect(
            try await service.texts("SELECT number::text FROM watering ORDER BY number") == ["1", "2", "3", "4"])
    }

    @Test("1.7: only a changed cycle moves the due date and is recorded")
    func editing() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        let store = service.store(at: try seoul("2027-02-24T10:00"))
        var nickname = PlantEdit()
        nickname.nickname = "짝꿍"
        let renamed = try await store.editFriend(plant.reference, nickname)
        #expect(renamed.nickname.description == "짝꿍")
        #expect(renamed.plans == plant.plans)
        #expect(try await service.rows(of: "cycle_change") == 1)

        let edited = try await store.editFriend(plant.reference, plantEdit(cycle: 10, alarm: "20:00"))
        #expect(edited.dueOn.description == "2027-03-05")
        #expect(
            try await service.texts(
                "SELECT concat_ws(' ', cycle_days, due_on, source) FROM cycle_change ORDER BY changed_at")
                == ["7 2027-03-02 registration", "10 2027-03-05 edit"])
        #expect(
            try await service.calendar() == [
                "watering_due 2027-03-02 2027-03-02T00:00:00Z", "watering_due 2027-03-05 2027-03-05T11:00:00Z",
            ])
    }

    @Test("4.4, 5.3: a review is written later, edited in part and deleted; affection is earned once and stays")
    func reviewing() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        let store = service.store(at: try seoul("2027-03-01T10:00"))
        let day = try civilDay("2027-03-01")
        await #expect(throws: CareError.notFound(.watering)) {
            try await store.writeReview(plant.reference, on: nil, keywords: ["안부"], memo: nil)
        }
        _ = try await store.water(plant.reference, WateringRequest(method: .call))
        let withKeyword = try await store.writeReview(plant.reference, on: nil, keywords: ["안부"], memo: nil)
        #expect(withKeyword.watering.pointsGained == 16)
        let withMemo = try await store.writeReview(plant.reference, on: day, keywords: nil, memo: "오랜만")
        #expect(withMemo.watering.pointsGained == 24)
        let whole = try Review(keywords: ["안부"], memo: "오랜만")
        #expect(withMemo.watering.watering.review == whole)
        #expect(withMemo.plant.affection.points == 24)
        #expect(try await store.waterings(plant, from: day, to: day) == [withMemo.watering.watering])

        let deleted = try await store.deleteReview(plant.reference, on: day)
        #expect(deleted.watering.watering.review == nil)
        #expect(deleted.plant.affection.points == 24)
        await #expect(throws: CareError.notFound(.review)) {
            try await store.deleteReview(plant.reference, on: day)
        }
        await #expect(throws: CareError.notFound(.watering)) {
            try await store.deleteReview(plant.reference, on: day + -1)
        }
        let again = try await store.writeReview(plant.reference, on: day, keywords: ["점심"], memo: "다시")
        #expect(again.plant.affection.points == 24)
        #expect(try await service.rows(of: "affection_entry") == 3)
    }

    @Test("5.4: declining to review a watering is stored")
    func declining() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        let store = service.store(at: try seoul("2027-03-01T10:00"))
        let day = try civilDay("2027-03-01")
        _ = try await store.water(plant.reference, WateringRequest(method: .call))
        let declined = try await store.declineReview(plant.reference, on: day)
        #expect(declined.watering.watering.isReviewDeclined)
        #expect(try await store.waterings(plant, from: day, to: day) == [declined.watering.watering])
    }

    @Test("1.8: a removed plant refuses commands, and its phone can be registered again")
    func removing() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let now = try seoul("2027-03-01T10:00")
        let store = service.store(at: now)
        let removed = try await store.removeFriend(plant.reference)
        #expect(removed.archivedAt == now)
        let since = CareError.archived(since: try civilDay("2027-03-01"))
        await #expect(throws: since) { try await store.water(plant.reference, WateringRequest(method: .call)) }
        await #expect(throws: since) { try await store.editFriend(plant.reference, plantEdit(cycle: 3)) }
        await #expect(throws: since) { try await store.postpone(plant.reference, days: 1) }
        await #expect(throws: since) { try await store.removeFriend(plant.reference) }
        let again = try await service.friend(of: account, at: now)
        #expect(again.id != plant.id)
        #expect(try await store.garden(account) == [again])
        #expect(try await store.garden(account, isRemoved: true) == [removed])
    }

    @Test("accounts, plants and devices that do not exist are not found")
    func notFound() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let store = service.store(at: try seoul("2027-03-02T08:00"))
        await #expect(throws: CareError.notFound(.account)) { try await store.account("nobody@example.com") }
        await #expect(throws: CareError.notFound(.plant)) { try await store.plant("00000000") }
        await #expect(throws: CareError.notFound(.device)) { try await store.removeDevice(Device.ID(UUID())) }
        _ = try await store.eraseAccount(account.id)
        let before = try await service.fingerprint()
        await #expect(throws: CareError.notFound(.account)) { try await store.eraseAccount(account.id) }
        await #expect(throws: CareError.notFound(.account)) { try await store.account(account.id.description) }
        await #expect(throws: CareError.notFound(.account)) {
            try await store.addFriend(registration(number: 9), to: account.id)
        }
        await #expect(throws: CareError.notFound(.account)) { try await store.postpone(plant.reference, days: 1) }
        #expect(try await service.fingerprint() == before)
    }

    @Test("7.5: a changed zone replans what is ahead")
    func zoneChange() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        var edit = AccountEdit()
        edit.timeZone = "America/New_York"
        _ = try await service.store(at: seoul("2027-02-24T10:00")).editAccount(account.id, edit)
        #expect(
            try await service.calendar() == [
                "watering_due 2027-03-02 2027-03-02T00:00:00Z", "watering_due 2027-03-02 2027-03-02T14:00:00Z",
            ])
        try await service.run(at: instant("2027-03-02T00:00:00Z"))
        #expect(try await service.pushes() == ["watering_due 2027-03-02 superseded edited"])
        try await service.run(at: instant("2027-03-02T14:00:00Z"))
        #expect(
            try await service.pushes() == [
                "watering_due 2027-03-02 superseded edited", "watering_due 2027-03-02 delivered sent",
            ])
        #expect(await service.sender.sent.map(\.plantID) == [plant.id])
    }

    @Test("13.4: a day that ends late moves alarms of the small hours to its end, and all else stays")
    func dayEndChange() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let registered = try seoul("2027-02-23T10:00")
        _ = try await service.friend(of: account, number: 2, alarm: "01:30", at: registered)
        var edit = AccountEdit()
        edit.dayEnd = try DayEnd("03:00")
        let edited = try await service.store(at: seoul("2027-02-24T10:00")).editAccount(account.id, edit)
        #expect(edited.dayEnd == edit.dayEnd)
        #expect(try await service.store(at: registered).account(account.id.description).dayEnd == edit.dayEnd)
        let calendar = try await service.calendar().sorted()
        #expect(
            calendar == [
                "watering_due 2027-03-02 2027-03-01T16:30:00Z", "watering_due 2027-03-02 2027-03-02T00:00:00Z",
                "watering_due 2027-03-02 2027-03-02T16:30:00Z",
            ])
        // Half an hour before the end of the day, the late alarm is still worth sending and the plant can be postponed.
        try await service.run(at: seoul("2027-03-02T09:00"))
        try await service.run(at: seoul("2027-03-03T02:30"))
        let pushes = try await service.pushes().sorted()
        #expect(
            pushes == [
                "watering_due 2027-03-02 delivered sent", "watering_due 2027-03-02 delivered sent",
                "watering_due 2027-03-02 superseded edited",
            ])
        let postponed = try await service.store(at: seoul("2027-03-03T02:30")).postpone(plant.reference, days: 1)
        #expect(postponed.dueOn.description == "2027-03-03")
    }

    @Test("13.4: after the end of the day a push about it has expired")
    func expiresAtDayEnd() async throws {
        let service = ServiceUnderTest()
        let (account, _) = try await service.garden()
        var edit = AccountEdit()
        edit.dayEnd = try DayEnd("03:00")
        _ = try await service.store(at: seoul("2027-02-24T10:00")).editAccount(account.id, edit)
        try await service.run(at: seoul("2027-03-03T03:00"))
        #expect(try await service.pushes() == ["watering_due 2027-03-02 expired too_late"])
    }

    @Test("7.3, 7.5: a changed zone moves an upcoming review reminder")
    func zoneChangeMovesReminder() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        // 22:10 in Seoul: the reminder waits until 08:00 there, 23:00Z.
        _ = try await service.store(at: seoul("2027-03-01T22:10")).water(
            plant.reference, WateringRequest(method: .call))
        var edit = AccountEdit()
        edit.timeZone = "Europe/Berlin"
        // 14:40 in Berlin is outside quiet hours.
        _ = try await service.store(at: seoul("2027-03-01T22:20")).editAccount(account.id, edit)
        try await service.run(at: seoul("2027-03-01T22:40"))
        #expect(try await service.pushes() == ["review_missing 1 delivered sent"])
        try await service.run(at: seoul("2027-03-02T08:00"))
        #expect(try await service.pushes(.reviewMissing).last == "review_missing 1 superseded edited")
        #expect(await service.sender.sent.count == 1)
    }

    @Test("4.5, 2.2: after any commands the ledger sums up to the affection, and the history gives the due date")
    func sums() async throws {
        let service = ServiceUnderTest()
        var history = try await RandomHistory(seed: 5, service: service, erasesAccounts: false)
        for _ in 1...150 { try await history.step() }
        #expect(try await service.rows(of: "affection_entry") > 10)
        #expect(try await service.rows(of: "postponement") > 0)
        let wrong = try await service.texts(
            """
            SELECT concat_ws(' ', id, affection, due_on) FROM plant
            WHERE affection <> (
                    SELECT coalesce(sum(points), 0) FROM affection_entry AS entry
                    WHERE entry.lane = plant.lane AND entry.plant_id = plant.id)
                OR watering_count <> (
                    SELECT count(*) FROM watering WHERE watering.lane = plant.lane AND watering.plant_id = plant.id)
                OR postponement_count <> (
                    SELECT count(*) FROM postponement AS moved
                    WHERE moved.lane = plant.lane AND moved.plant_id = plant.id)
                OR due_on <> (
                    SELECT due_on FROM (
                        SELECT plant_id, recorded_at AS at, due_on FROM watering WHERE due_on IS NOT NULL
                        UNION ALL SELECT plant_id, postponed_at, due_on FROM postponement
                        UNION ALL SELECT plant_id, changed_at, due_on FROM cycle_change) AS told
                    WHERE told.plant_id = plant.id ORDER BY at DESC LIMIT 1)
            """)
        #expect(wrong.isEmpty)
    }
}

@Suite("Identity in SQL", .migratedDatabase, .serialized)
struct IdentityTests {
    @Test("1.5: a phone is unique among the living plants of an account, not across accounts")
    func duplicatePhone() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let now = try seoul("2027-02-24T10:00")
        let before = try await service.fingerprint()
        await #expect(throws: CareError.duplicatePhone(plant.phone)) {
            try await service.friend(of: account, at: now)
        }
        #expect(try await service.fingerprint() == before)
        let other = try await service.account(email: "jun@example.com", at: now)
        let sameFriend = try await service.friend(of: other, at: now)
        #expect(sameFriend.phone == plant.phone)
        #expect(sameFriend.id != plant.id)
    }

    @Test("1.5: of concurrent registrations of one phone exactly one succeeds")
    func duplicatePhoneAtOnce() async throws {
        let service = ServiceUnderTest(maximumConnections: 8)
        let now = try seoul("2027-02-24T10:00")
        let account = try await service.account(at: now)
        let results = await concurrently(6) { _ in try await service.friend(of: account, at: now) }
        #expect(results.filter(\.isSuccess).count == 1)
        let refusals = Array(repeating: CareError.duplicatePhone(try registration().phone), count: 5)
        #expect(results.compactMap(\.refusal) == refusals)
        #expect(try await service.rows(of: "plant") == 1)
        #expect(try await service.rows(of: "cycle_change") == 1)
    }

    @Test("8.5: an e-mail is unique regardless of case, and free again once its account changes it")
    func duplicateEmail() async throws {
        let service = ServiceUnderTest()
        let now = try seoul("2027-02-24T10:00")
        let minji = try await service.account(lane: Lane(1), email: "minji@example.com", at: now)
        await #expect(throws: CareError.duplicateEmail("Minji@Example.com")) {
            try await service.account(lane: Lane(2), email: "Minji@Example.com", at: now)
        }
        let jun = try await service.account(lane: Lane(2), email: "jun@example.com", at: now)
        var edit = AccountEdit()
        edit.email = try EmailAddress("MINJI@example.com")
        let before = try await service.fingerprint()
        await #expect(throws: CareError.duplicateEmail("MINJI@example.com")) {
            try await service.store(at: now).editAccount(jun.id, edit)
        }
        #expect(try await service.fingerprint() == before)
        // Its own e-mail in another case is no duplicate.
        let respelled = try await service.store(at: now).editAccount(minji.id, edit)
        #expect(respelled.address == "MINJI@example.com")
        edit.email = try EmailAddress("minji2@example.com")
        _ = try await service.store(at: now).editAccount(minji.id, edit)
        edit.email = try EmailAddress("minji@example.com")
        let taken = try await service.store(at: now).editAccount(jun.id, edit)
        #expect(try await service.store(at: now).account("minji@example.com") == taken)
    }

    @Test("8.5: of accounts added concurrently with one e-mail exactly one succeeds")
    func duplicateEmailAtOnce() async throws {
        let service = ServiceUnderTest(maximumConnections: 8)
        let now = try seoul("2027-02-24T10:00")
        // Each in another lane: the lane's row lock cannot separate them.
        let results = await concurrently(6) { number in
            try await service.account(lane: Lane(UInt8(number)), at: now)
        }
        #expect(results.filter(\.isSuccess).count == 1)
        let refusals = Array(repeating: CareError.duplicateEmail("minji@example.com"), count: 5)
        #expect(results.compactMap(\.refusal) == refusals)
        #expect(try await service.rows(of: "account") == 1)
        #expect(try await service.rows(of: "account_email") == 1)
    }

    @Test("1.8: after each removal, a phone can be registered again as another plant")
    func registeredAgain() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let now = try seoul("2027-03-01T10:00")
        var ids: Set<Plant.ID> = [plant.id]
        for _ in 1...2 {
            let living = try await service.store(at: now).garden(account)
            let current = try #require(living.first)
            _ = try await service.store(at: now).removeFriend(current.reference)
            ids.insert(try await service.friend(of: account, at: now).id)
        }
        #expect(ids.count == 3)
        #expect(try await service.rows(of: "plant") == 3)
    }

    @Test("a plant is found by a prefix of its id unless that is ambiguous")
    func prefix() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        try await service.execute(
            """
            INSERT INTO plant SELECT copy.* FROM plant, LATERAL jsonb_populate_record(plant, jsonb_build_object(
                'id', overlay(plant.id::text PLACING 'ffff' FROM 20 FOR 4), 'phone', '+821099999999')) AS copy
            """)
        let store = service.store(at: try seoul("2027-03-01T10:00"))
        let id = plant.id.description
        let short = String(id.prefix(8))
        await #expect(throws: CareError.ambiguousID(short)) { try await store.plant(short) }
        #expect(try await store.plant(id.replacing("-", with: "").uppercased()) == plant)
        await #expect(throws: CareError.notFound(.plant)) { try await store.plant(String(id.prefix(7))) }
        await #expect(throws: CareError.notFound(.plant)) { try await store.plant("not hexadecimal") }
    }

    @Test("a device is added once, becomes the newest when added again, and can be removed")
    func devices() async throws {
        let service = ServiceUnderTest()
        let account = try await service.account(at: seoul("2027-02-23T10:00"))
        let first = try await service.store(at: seoul("2027-02-23T10:01")).addDevice(
            account, platform: .ios, token: "first")
        let second = try await service.store(at: seoul("2027-02-23T10:02")).addDevice(
            account, platform: .android, token: "second")
        let store = service.store(at: try seoul("2027-02-23T10:03"))
        #expect(try await store.devices(account) == [second, first])
        let again = try await store.addDevice(account, platform: .ios, token: "first")
        #expect(again.id == first.id)
        #expect(try await store.devices(account).map(\.token) == ["first", "second"])
        try await store.removeDevice(first.id)
        #expect(try await store.devices(account) == [second])
        await #expect(throws: CareError.notFound(.device)) { try await store.removeDevice(first.id) }
    }
}

import CherishCore
import CherishTestSupport
import Foundation
import Testing

@testable import GardenArchive

@Suite("An account's document")
struct ExportDocumentTests {
    @Test("is read back unchanged, whatever the account contains", arguments: 1...UInt64(repetitions(150, inDebug: 30)))
    func roundTrip(seed: UInt64) throws {
        var random = RandomExport(seed: seed)
        let export = try random.export()
        let bytes = try ExportDocument.encode(export, pretty: seed.isMultiple(of: 2))
        let decoded = try ExportDocument.decode(bytes)
        #expect(decoded == .archive(export), "seed \(seed)")
        // Tags and e-mails compare ignoring case: the second document shows what that hides.
        guard case .archive(let again) = decoded else { return }
        let second = try ExportDocument.encode(again, pretty: seed.isMultiple(of: 2))
        #expect(text(second) == text(bytes), "seed \(seed)")
    }

    @Test("of Minji equals fixtures/archives, byte for byte")
    func golden() throws {
        let encoded = try ExportDocument.encode(try minji(), pretty: true)
        #expect(text(encoded) + "\n" == text(try fixture("account.json")))
    }

    @Test("of Minji is read as fixtures/archives shows")
    func content() throws {
        let export = try minji()
        #expect(export.account.email?.description == "minji@example.com")
        #expect(export.createdAt.description == "2026-11-30T15:00:00.000001Z")
        #expect(export.devices[0].secret?.bytes == Array("0123456789abcdef01234567".utf8))
        #expect(export.devices[1].retirement?.reason == "410 Unregistered")
        #expect(export.devices[2].subscriptionKeys?.p256dh.count == 65)
        #expect(export.devices[2].subscriptionKeys?.auth == Base64URL.decode("CZt3Eky63FCFMSTWZBEpNQ"))
        #expect(export.tags.map(\.name.description) == ["old, dear; friends", "work", "가족"])
        let jiwoo = export.plants[0]
        #expect(jiwoo.plant.accountID == export.account.id)
        #expect(jiwoo.plant.isFavourite && jiwoo.plant.affection.points == 40)
        #expect(jiwoo.tagIDs == [export.tags[0].id, export.tags[2].id])
        #expect(jiwoo.waterings[0].review?.keywords == ["안부", "점심"])
        #expect(jiwoo.waterings[1].review == nil)
        #expect(jiwoo.postponements[0].postponement.dueOn == CivilDay("2027-02-18"))
        // In the order of gaining, although the third watering was recorded for an earlier day.
        #expect(jiwoo.ledger.map(\.entry.wateringNumber) == [1, 1, 1, 2, 3])
        #expect(jiwoo.ledger.map(\.entry.reason) == [.contact, .keywords, .memo, .contact, .contact])
        #expect(jiwoo.plant.plans.reviewMissing?.ref == 2)
        #expect(export.pushes[4].occurrence.topic == .reviewMissing && export.pushes[4].occurrence.ref == 2)
        let isPending = export.pushes.map { $0.end == nil }
        #expect(isPending == Array(repeating: false, count: 8) + [true, true])
        let changes = export.imports[0].changes
        #expect(changes.map(\.kind) == [.updated, .planted, .restored])
        #expect(changes[0].names?.nicknameBefore?.description == "지우")
        #expect(changes[1].after == ImportBatch.PlantState(careCount: 0, fingerprint: "7d4a0c5b9e21f836"))
        #expect(changes[2].dueBefore?.on == CivilDay("2027-01-14"))
    }

    @Test("12.5: of an anonymous account has null in place of the e-mail")
    func anonymous() throws {
        var export = try minji()
        export.account.email = nil
        let bytes = try ExportDocument.encode(export, pretty: true)
        #expect(text(bytes).contains(#""email" : null"#))
        #expect(try ExportDocument.decode(bytes) == .archive(export))
    }

    @Test("1.8: keeps upcoming occurrences of a removed friend")
    func pushOfRemovedFriend() throws {
        var export = try minji()
        let plant = try #require(export.plants.last).plant
        #expect(plant.archivedAt != nil)
        let planned = try #require(plant.plans.wateringDue)
        let occurrence = plant.occurrence(.wateringDue, planned)
        export.pushes.append(ExportedPush(occurrence: occurrence, end: nil))
        let encoded = try ExportDocument.encode(export, pretty: false)
        let decoded = try ExportDocument.decode(encoded)
        #expect(decoded == .archive(export))
    }

    @Test("is one line, unless it is for people")
    func lines() throws {
        let export = try minji()
        let line = text(try ExportDocument.encode(export, pretty: false))
        #expect(!line.contains("\n"))
        #expect(line.hasPrefix(#"{"account":{"appearance":{"colours":"dark"},"birthdayPushes":true,"createdAt":"#))
    }

    @Test("may omit absent values and lists")
    func shortest() throws {
        let document = """
            {"format": "cherish-account", "version": 1, "account": {
                "id": "5EED0000-0000-4000-8000-000000000007", "email": "minji@example.com", "nickname": "민지",
                "timeZone": "Asia/Seoul", "language": "ko", "wateringPushes": true, "reviewPushes": false,
                "birthdayPushes": false, "witheredPushes": true, "createdAt": "2027-03-02T09:00:00+09:00"}}
            """
        let entry = try ExportDocument.decode(Array(document.utf8))
        var account = try minji().account
        account.phone = nil
        account.postcode = nil
        account.appearance = .empty
        account.switches = NotificationSwitches(watering: true, review: false, birthday: false, withered: true)
        let createdAt = try #require(Instant("2027-03-02T00:00:00Z"))
        #expect(entry == .archive(AccountExport(account: account, createdAt: createdAt)))
    }

    @Test("1.8: by an older version lacks the day of return, and can still be read")
    func withoutRestoration() throws {
        let current = text(try fixture("account.json"))
        let older = current.replacing(#/\n *"restoredOn" : [^\n]+/#, with: "")
        #expect(!older.contains("restoredOn"))
        var export = try minji()
        let restored = try #require(export.plants.firstIndex { $0.plant.restoredOn != nil })
        export.plants[restored].plant.restoredOn = nil
        #expect(try ExportDocument.decode(Array(older.utf8)) == .archive(export))
    }

    @Test("is not written if a plant has a tag unknown to the account")
    func unknownTag() throws {
        var export = try minji()
        export.tags.removeFirst()
        let problem = #expect(throws: ExportProblem.self) {
            _ = try ExportDocument.encode(export, pretty: false)
        }
        #expect(problem?.path == "plants[0].tags[0]")
    }
}

@Suite("A tampered document")
struct BrokenDocumentTests {
    /// One change to `fixtures/archives/account.json`, at the first occurrence of the text.
    struct Change: Sendable, CustomTestStringConvertible {
        let old: String
        let new: String
        let path: String
        /// A part of the reason.
        let reason: String

        init(_ old: String, _ new: String, at path: String, _ reason: String) {
            self.old = old
            self.new = new
            self.path = path
            self.reason = reason
        }

        var testDescription: String { "\(old) → \(new)" }
    }

    static let account = [
        Change("cherish-account", "minji-account", at: "format", "no document of an account"),
        Change(#""version" : 1"#, #""version" : 0"#, at: "account.version", "begin with 1"),
        Change("\"version\" : 1\n}\n", "\"version\" : 2\n}\n", at: "version", "a newer Cherish"),
        Change("\"version\" : 1\n}\n", "\"version\" : 0\n}\n", at: "version", "write 1"),
        Change("\"version\" : 1\n}\n", "\"version\" : null\n}\n", at: "version", "is null"),
        Change("\"version\" : 1\n}\n", "\"version\" : \"1\"\n}\n", at: "version", "a whole number"),
        Change("5eed0000-0000", "5eed", at: "account.id", "UUID"),
        Change("minji@example.com", "minji", at: "account.email", "no e-mail address"),
        Change("Asia/Seoul", "", at: "account.timeZone", "IANA"),
        Change(#""ko""#, #""kr""#, at: "account.language", "ko, en"),
        Change("30T15:00:00.000001Z", "30T25:00:00Z", at: "account.createdAt", "RFC 3339"),
        // In some zone this is the year 0, or 10000.
        Change("2026-11-30T15:00:00.000001Z", "0001-01-01T23:59:59Z", at: "account.createdAt", "years 1 to 9999"),
        Change("2026-11-30T15:00:00.000001Z", "9999-12-31T00:00:00Z", at: "account.createdAt", "years 1 to 9999"),
        Change(#""secret" : null"#, #""secret" : "whsec_""#, at: "devices[1].secret", "only webhooks"),
        Change("whsec_MDEy", "whsec_", at: "devices[0].secret", "Base64"),
        Change(#""auth" : null"#, #""auth" : "CZt3Eky63FCFMSTWZBEpNQ""#, at: "devices[0]", "only browsers"),
        Change(#""auth" : "CZt3Eky63FCFMSTWZBEpNQ""#, #""auth" : null"#, at: "devices[2]", "65 bytes"),
        Change("CZt3Eky63FCFMSTWZBEpNQ", "CZt3Eky63FCFMSTWZBEp", at: "devices[2]", "16 bytes"),
        Change("BHK4w_c2", "AnK4w_c2", at: "devices[2]", "65 bytes"),
        Change(#""410 Unregistered""#, "null", at: "devices[1]", "belong together"),
        Change("de710000-0000-4000-8000-000000000001", "de710000-0000-4000-8000-000000000002", at: "devices[1]", "id"),
        Change("7a600000-0000-4000-8000-000000000002", "7a600000-0000-4000-8000-000000000001", at: "tags[2]", "id"),
        Change(#""name" : "work""#, #""name" : "OLD, dear; friends""#, at: "tags[1]", "name"),
        Change("#3b6fc9", "blue", at: "tags[1].colour", "#3b6fc9"),
    ]

    static let plants = [
        Change(#""favourite" : true"#, #""favorite" : true"#, at: "plants[0].favourite", "missing"),
        Change(#""favourite" : true"#, #""favourite" : true, "star" : 1"#, at: "plants[0].star", "no such key"),
        Change(#""favourite" : true"#, #""favourite" : 1"#, at: "plants[0].favourite", "true or false"),
        Change(#""affection" : 40"#, #""affection" : 48"#, at: "plants[0].affection", "gained 40"),
        Change(#""cycleDays" : 14"#, #""cycleDays" : 91"#, at: "plants[0].cycleDays", "1 to 90"),
        Change(#""alarmTime" : "09:00""#, #""alarmTime" : "9am""#, at: "plants[0].alarmTime", "09:00"),
        Change(
            #""lastWateredOn" : "2027-02-23""#, #""lastWateredOn" : null"#, at: "plants[0].lastWateredOn",
            "2027-02-23"),
        Change(#""wateringCount" : 3"#, #""wateringCount" : 4"#, at: "plants[0].wateringCount", "write 3"),
        Change(#""postponementCount" : 1"#, #""postponementCount" : 0"#, at: "plants[0].postponementCount", "write 1"),
        Change(#""old, dear; friends""#, #""new friends""#, at: "plants[0].tags[0]", "no tag"),
        Change(#""old, dear; friends""#, #""가족""#, at: "plants[0].tags[1]", "same name"),
        Change(#""on" : "2027-03-09""#, #""on" : "2027-03-10""#, at: "plants[0].plans.wateringDue.on", "2027-03-09"),
        Change(#""number" : 2,"#, #""number" : 4,"#, at: "plants[0].waterings[1].number", "write 2"),
        Change(
            #""wateredOn" : "2027-02-08""#, #""wateredOn" : "2027-02-30""#, at: "plants[0].waterings[0].wateredOn",
            "no day"),
        Change(#""in_person""#, #""smoke""#, at: "plants[0].waterings[2].method", "in_person"),
        Change(#""점심""#, #""안부""#, at: "plants[0].waterings[0]", "equal"),
        Change(#""points" : 8"#, #""points" : 9"#, at: "plants[0].waterings[0].gained[0].points", "1 to 8"),
        Change(#""reason" : "keywords""#, #""reason" : "contact""#, at: "plants[0].waterings[0].gained[1]", "reason"),
        Change(#""days" : 3"#, #""days" : 8"#, at: "plants[0].postponements[0].days", "1 to 7"),
        Change(#""source" : "edit""#, #""source" : "watering""#, at: "plants[0].dueDateChanges[1].source", "edit"),
        Change("2027-02-16T10", "2027-01-16T10", at: "plants[0].dueDateChanges[1].changedAt", "oldest first"),
        Change("+821000000308", "+821000000301", at: "plants[2]", "phone"),
        Change(
            "11110000-0000-5000-8000-000000000004\",\n      \"lastWateredOn",
            "11110000-0000-5000-8000-000000000003\",\n      \"lastWateredOn", at: "plants[3]", "id"),
    ]

    static let rest = [
        Change(
            #""plantId" : "11110000-0000-5000-8000-000000000003""#,
            #""plantId" : "11110000-0000-5000-8000-000000000009""#, at: "pushes[5].plantId", "no plant"),
        Change(#""on" : null,"#, #""on" : "2027-02-23","#, at: "pushes[4].on", "write null"),
        Change(
            "\"number\" : 2,\n      \"on\"", "\"number\" : 4,\n      \"on\"", at: "pushes[4].number", "3 waterings"),
        Change(#""delivered""#, #""lost""#, at: "pushes[0].outcome", "delivered"),
        Change(#""sent_after_retry""#, "null", at: "pushes[5]", "belong together"),
        Change("1a900000-0000-4000", "1a9", at: "imports[0].id", "UUID"),
        Change(#""김지후""#, "null", at: "imports[0].changes[0]", "belong together"),
        Change(#""2027-01-10T00:00:00Z""#, "null", at: "imports[0].changes[2].archivedAt", "restored"),
        Change(
            #""nicknameBefore" : null"#, #""nicknameBefore" : "지우""#, at: "imports[0].changes[1]",
            "nicknameBefore to them"),
        Change(
            #""nicknameBefore" : "지우""#, #""nicknameBefore" : "\t""#, at: "imports[0].changes[0].nicknameBefore", "20"),
        Change(#""dueOn" : "2027-01-14""#, #""dueOn" : null"#, at: "imports[0].changes[2]", "belong together"),
        Change(#""2027-01-14""#, #""2027-02-30""#, at: "imports[0].changes[2].dueOn", "no day"),
        Change(
            "\"dueOn\" : null,\n          \"dueSource\" : null",
            "\"dueOn\" : \"2027-01-14\",\n          \"dueSource\" : \"edit\"", at: "imports[0].changes[0].dueOn",
            "restored"),
        Change(#""careCount" : 0"#, #""careCount" : null"#, at: "imports[0].changes[1]", "belong together"),
        Change(#""careCount" : 0"#, #""careCount" : -1"#, at: "imports[0].changes[1].careCount", "counts"),
        Change("7d4a0c5b9e21f836", "7D4A0C5B9E21F836", at: "imports[0].changes[1].fingerprint", "16 hexadecimal"),
    ]

    static let changes = account + plants + rest

    @Test("is refused with the path and a remedy", arguments: BrokenDocumentTests.changes)
    func refused(change: Change) throws {
        let document = text(try fixture("account.json"))
        let place = try #require(document.range(of: change.old), "the fixture lacks \(change.old)")
        let found = try problem(in: document.replacingCharacters(in: place, with: change.new))
        #expect(found.path == change.path)
        #expect(found.reason.contains(change.reason), "\(found)")
    }

    @Test("is not JSON, or JSON of another form")
    func otherForms() throws {
        for document in ["", "hello", "{\"account\": ", "{} {}"] {
            let found = try problem(in: document)
            #expect(found.path.isEmpty && found.reason.contains("not JSON"), "\(document): \(found)")
        }
        #expect(try problem(in: "[]").reason.contains("an object"))
        #expect(try problem(in: "{}").description == "account: is missing; add it")
        #expect(try problem(in: #"{"account": []}"#).path == "account")
    }

    @Test("is refused without revealing a phone number")
    func privacy() throws {
        let document = text(try fixture("account.json")).replacing("+447700900305", with: "07700 900305")
        let found = try problem(in: document)
        #expect(found.path == "plants[1].phone")
        #expect(!found.description.contains("900305"))
    }
}

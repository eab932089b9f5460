import CherishCore
import Testing

@testable import GardenArchive

@Suite("A document without an id")
struct SeedTests {
    private func seed(_ document: String) throws -> AccountSeed {
        guard case .newAccount(let seed) = try ExportDocument.decode(Array(document.utf8)) else {
            throw Unexpected(what: "an export instead of a new account")
        }
        return seed
    }

    @Test("is a new account with few required keys")
    func shortest() throws {
        let seed = try seed(
            #"{"account": {"email": "minji@example.com", "nickname": "민지", "timeZone": "Asia/Seoul"}}"#)
        #expect(seed.email == "minji@example.com" && seed.nickname == "민지" && seed.timeZone == "Asia/Seoul")
        #expect(seed.language == .english)
        #expect(seed.phone == nil)
        #expect(seed.switches == NotificationSwitches(watering: true, review: true, birthday: false, withered: false))
        #expect(seed.tags.isEmpty && seed.friends.isEmpty)
    }

    @Test("may have everything a new account can have; texts stay as written")
    func longest() throws {
        let document = """
            {"format": "cherish-account", "version": 1, "account": {
                "email": "minji@example.com", "nickname": "민지", "timeZone": "Asia/Seoul", "language": "ko",
                "phone": "010-0000-0300", "wateringPushes": false, "reviewPushes": false, "birthdayPushes": true,
                "witheredPushes": true},
             "tags": [{"name": "work", "colour": "#3b6fc9", "cycleDays": 30}, {"name": "가족"}],
             "plants": [
                {"name": "김지우", "phone": "010-0000-0301", "nickname": "지우", "birthday": "--0521", "cycleDays": 7,
                 "alarmTime": "8:30", "tags": ["가족", "friends"], "favourite": true},
                {"name": "Emma", "phone": "07700 900305", "nickname": null}]}
            """
        let seed = try seed(document)
        #expect(seed.language == .korean && seed.phone == "010-0000-0300")
        #expect(seed.switches == NotificationSwitches(watering: false, review: false, birthday: true, withered: true))
        let work = TagSeed(
            name: try TagName("work"), colour: try TagColour("#3b6fc9"), cycle: try Cycle(days: 30))
        #expect(seed.tags == [work, TagSeed(name: try TagName("가족"))])
        let jiwoo = FriendSeed(
            name: "김지우", phone: "010-0000-0301", nickname: "지우", birthday: "--0521", cycleDays: 7, alarm: "8:30",
            tags: ["가족", "friends"], isFavourite: true)
        #expect(seed.friends == [jiwoo, FriendSeed(name: "Emma", phone: "07700 900305")])
    }

    @Test(
        "may have no history and no ids",
        arguments: [
            (#""id": "11110000-0000-5000-8000-000000000001""#, "plants[0].id"),
            (#""waterings": []"#, "plants[0].waterings"),
            (#""dueOn": "2027-03-09""#, "plants[0].dueOn"),
            (#""birtday": "05-21""#, "plants[0].birtday"),
        ])
    func history(key: String, path: String) throws {
        let found = try problem(
            in: """
                {"account": {"email": "minji@example.com", "nickname": "민지", "timeZone": "Asia/Seoul"},
                 "plants": [{"name": "김지우", "phone": "010-0000-0301", \(key)}]}
                """)
        #expect(found.path == path)
        #expect(found.reason.contains("a new account"))
    }

    @Test(
        "is checked as far as no other rows are needed",
        arguments: [
            (#"{"name": "work", "colour": "blue"}"#, "tags[0].colour"), (#"{"name": " "}"#, "tags[0].name"),
            (#"{"name": "work", "cycleDays": 0}"#, "tags[0].cycleDays"), (##"{"colour": "#3b6fc9"}"##, "tags[0].name"),
            (#"{"name": "work"}, {"name": "Work"}"#, "tags[1]"),
        ])
    func tags(tags: String, path: String) throws {
        let found = try problem(
            in: """
                {"account": {"email": "minji@example.com", "nickname": "민지", "timeZone": "Asia/Seoul"},
                 "tags": [\(tags)]}
                """)
        #expect(found.path == path)
    }

    @Test("is refused in an unknown language, of another version, or with devices")
    func heading() throws {
        let account = #""account": {"email": "minji@example.com", "nickname": "민지", "timeZone": "Asia/Seoul""#
        #expect(try problem(in: "{\(account), \"language\": \"fr\"}}").path == "account.language")
        #expect(try problem(in: "{\"version\": 2, \(account)}}").path == "version")
        #expect(try problem(in: "{\"devices\": [], \(account)}}").path == "devices")
    }
}

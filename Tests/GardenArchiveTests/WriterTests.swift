import CherishCore
import Foundation
import Testing

@testable import GardenArchive

@Suite("An address book")
struct VCardWriterTests {
    @Test("of Minji's friends is what fixtures/archives shows, byte for byte")
    func golden() throws {
        let archive = try minji()
        let written = VCardWriter.write(archive.plants, tags: archive.tags, at: try now())
        #expect(text(written) == text(try fixture("garden.vcf")))
    }

    @Test("is empty without friends")
    func empty() throws {
        let written = VCardWriter.write([], tags: [], at: try now())
        #expect(written.isEmpty)
    }
}

@Suite("A calendar")
struct ICalendarWriterTests {
    /// The logical lines of the calendar of one plant.
    private func lines(
        _ archive: AccountArchive, _ plant: PlantArchive, on day: String = "2027-03-02", horizonDays: Int = 365
    ) throws -> [String] {
        let today = try #require(CivilDay(day))
        let written = ICalendarWriter.write(
            [plant], for: archive.account, today: today, at: try now(), horizonDays: horizonDays)
        return text(written).replacing("\r\n ", with: "").components(separatedBy: "\r\n")
    }

    /// The days on which events of a kind begin.
    private func starts(of category: String, in lines: [String]) -> [String] {
        lines.split(separator: "BEGIN:VEVENT").dropFirst().filter { $0.contains("CATEGORIES:\(category)") }
            .flatMap { $0 }.filter { $0.hasPrefix("DTSTART") }.map { String($0.suffix(8)) }
    }

    @Test("of Minji's garden is what fixtures/archives shows, byte for byte")
    func golden() throws {
        let archive = try minji()
        let written = ICalendarWriter.write(
            archive.plants, for: archive.account, today: try today(), at: try now(), horizonDays: 31)
        #expect(text(written) == text(try fixture("garden.ics")))
    }

    @Test("RFC 5545, 3.6: has a component even without a living friend, and none that shows anything")
    func withoutFriends() throws {
        let archive = try minji()
        let removed = archive.plants.filter { $0.plant.archivedAt != nil }
        #expect(!removed.isEmpty)
        for plants in [[], removed] {
            let written = text(
                ICalendarWriter.write(plants, for: archive.account, today: try today(), at: try now()))
            let parts = written.components(separatedBy: "\r\n").filter { $0.hasPrefix("BEGIN:") }
            #expect(parts == ["BEGIN:VCALENDAR", "BEGIN:VTIMEZONE", "BEGIN:STANDARD"])
            let ends = written.components(separatedBy: "\r\n").filter { $0.hasPrefix("END:") }
            #expect(ends == ["END:STANDARD", "END:VTIMEZONE", "END:VCALENDAR"])
        }
        let withFriends = try lines(archive, archive.plants[0])
        #expect(!withFriends.contains("BEGIN:VTIMEZONE"))
    }

    @Test("8.3: has projections every cycle, after today and for a year")
    func projections() throws {
        let archive = try minji()
        // 25 cycles of 14 days after 9 March is 22 February; the next one, 7 March 2028, is more than a year ahead.
        let projected = starts(of: "PROJECTED", in: try lines(archive, archive.plants[0]))
        #expect(projected.count == 25)
        #expect(projected.first == "20270323" && projected.last == "20280222")
        // Withered on 25 February every 15 days: 12 March is today and 27 March is to come.
        let withered = try lines(archive, archive.plants[2], on: "2027-03-12", horizonDays: 30)
        #expect(starts(of: "DUE", in: withered) == ["20270225"])
        #expect(starts(of: "PROJECTED", in: withered) == ["20270327", "20270411"])
    }

    @Test("7.10: keeps a birthday on 29 February without a year from the next one on")
    func leapDay() throws {
        var archive = try minji()
        archive.plants[0].plant.birthday = try Birthday("02-29")
        let calendar = try lines(archive, archive.plants[0])
        #expect(starts(of: "BIRTHDAY", in: calendar) == ["20280229"])
        #expect(calendar.contains("RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1"))
        let commonYear = try lines(archive, archive.plants[0], on: "2027-01-01")
        #expect(starts(of: "BIRTHDAY", in: commonYear) == ["20270228"])
    }

    @Test("speaks English to those who do")
    func english() throws {
        var archive = try minji()
        archive.account.language = .english
        archive.account.nickname = try Nickname("Minji, M.")
        let calendar = try lines(archive, archive.plants[1])
        #expect(calendar.contains(#"X-WR-CALNAME:Minji\, M.'s garden"#))
        #expect(calendar.contains("SUMMARY:Em is waiting for water"))
        #expect(calendar.contains("SUMMARY:(projected) Em is waiting for water"))
        #expect(calendar.contains("SUMMARY:Em's birthday"))
    }

    @Test(
        "has an alarm on the due day at the plant's alarm time",
        arguments: [("07:45", "PT7H45M"), ("00:05", "PT5M"), ("23:00", "PT23H"), ("00:00", "PT0S")])
    func alarm(time: String, trigger: String) throws {
        var archive = try minji()
        archive.plants[0].plant.alarmTime = try TimeOfDay(alarm: time)
        let triggers = try lines(archive, archive.plants[0]).filter { $0.hasPrefix("TRIGGER") }
        #expect(triggers == ["TRIGGER;RELATED=START:\(trigger)"])
    }

    @Test("7.4: has no alarm where pushes are off, for the account or the plant")
    func silence() throws {
        var archive = try minji()
        let silentPlant = try lines(archive, archive.plants[1])
        #expect(!silentPlant.contains("BEGIN:VALARM"))
        archive.account.switches.watering = false
        let silentAccount = try lines(archive, archive.plants[0])
        #expect(!silentAccount.contains("BEGIN:VALARM"))
    }

    @Test("holds no phone, no name of the address book, no keyword and no memo")
    func privacy() throws {
        let archive = try minji()
        let calendar = try lines(archive, archive.plants[0]).joined()
        for secret in ["1000000301", "김지우", "안부", "이직"] { #expect(!calendar.contains(secret), "\(secret)") }
    }
}

@Suite("A table of friends")
struct FriendTableTests {
    @Test("of Minji is what fixtures/archives shows, byte for byte")
    func golden() throws {
        let archive = try minji()
        let written = FriendTable.write(archive.plants, tags: archive.tags)
        #expect(text(written) == text(try fixture("friends.csv")))
    }

    @Test("has a header even without friends")
    func empty() throws {
        let header = text(FriendTable.write([], tags: []))
        #expect(header.hasPrefix("name,phone,nickname,birthday,cycle_days,alarm,tags,favourite,"))
    }

    @Test("puts cells in quotes only where it must")
    func quotes() {
        #expect(FriendTable.row(["a b", "", "c;d", "'"]) == "a b,,c;d,'\r\n")
        #expect(FriendTable.row(["a,b", #"say "hi""#]) == #""a,b","say ""hi""""# + "\r\n")
        #expect(FriendTable.row(["two\nlines", "\r"]) == "\"two\nlines\",\"\r\"\r\n")
        #expect(Array(FriendTable.row(["\"\u{301}"]).utf8) == Array("\"\"\"\u{301}\"\r\n".utf8))
    }
}

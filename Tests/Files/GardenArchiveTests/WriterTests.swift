import CherishCore
import Foundation
import SeededChance
import Testing

@testable import AddressBook
@testable import GardenArchive

@Suite("An address book")
struct VCardWriterTests {
    @Test("of Minji's friends equals fixtures/archives, byte for byte")
    func golden() throws {
        let export = try minji()
        let written = VCardWriter.write(export.plants, tags: export.tags, at: try now())
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
    /// A whole calendar, written plant by plant.
    private func calendar(
        of plants: [PlantHistory], for account: Account, today: CivilDay, at now: Instant, horizonDays: Int = 365
    ) -> [UInt8] {
        var writer = ICalendarWriter(for: account, today: today, at: now, horizonDays: horizonDays)
        return writer.begin() + plants.flatMap { writer.add([$0]) } + writer.finish()
    }

    /// The unfolded lines of the calendar of one plant.
    private func lines(
        _ export: AccountExport, _ plant: PlantHistory, on day: String = "2027-03-02", horizonDays: Int = 365
    ) throws -> [String] {
        let today = try #require(CivilDay(day))
        let written = calendar(of: [plant], for: export.account, today: today, at: try now(), horizonDays: horizonDays)
        return text(written).replacing("\r\n ", with: "").components(separatedBy: "\r\n")
    }

    /// The days on which events of a category begin.
    private func starts(of category: String, in lines: [String]) -> [String] {
        lines.split(separator: "BEGIN:VEVENT").dropFirst().filter { $0.contains("CATEGORIES:\(category)") }
            .flatMap { $0 }.filter { $0.hasPrefix("DTSTART") }.map { String($0.suffix(8)) }
    }

    @Test("of Minji's garden equals fixtures/archives, byte for byte")
    func golden() throws {
        let export = try minji()
        let written = calendar(
            of: export.plants, for: export.account, today: try today(), at: try now(), horizonDays: 31)
        #expect(text(written) == text(try fixture("garden.ics")))
    }

    @Test("RFC 5545, 3.6: has a component even without a living friend, but no visible one")
    func withoutFriends() throws {
        let export = try minji()
        let removed = export.plants.filter { $0.plant.archivedAt != nil }
        #expect(!removed.isEmpty)
        for plants in [[], removed] {
            let written = text(
                calendar(of: plants, for: export.account, today: try today(), at: try now()))
            let parts = written.components(separatedBy: "\r\n").filter { $0.hasPrefix("BEGIN:") }
            #expect(parts == ["BEGIN:VCALENDAR", "BEGIN:VTIMEZONE", "BEGIN:STANDARD"])
            let ends = written.components(separatedBy: "\r\n").filter { $0.hasPrefix("END:") }
            #expect(ends == ["END:STANDARD", "END:VTIMEZONE", "END:VCALENDAR"])
        }
        let withFriends = try lines(export, export.plants[0])
        #expect(!withFriends.contains("BEGIN:VTIMEZONE"))
    }

    @Test("8.3: has projections every cycle, after today and for a year")
    func projections() throws {
        let export = try minji()
        // 25 cycles of 14 days after 9 March is 22 February; the next one, 7 March 2028, is more than a year ahead.
        let projected = starts(of: "PROJECTED", in: try lines(export, export.plants[0]))
        #expect(projected.count == 25)
        #expect(projected.first == "20270323" && projected.last == "20280222")
        // Withered on 25 February, every 15 days: 12 March is today and 27 March is ahead.
        let withered = try lines(export, export.plants[2], on: "2027-03-12", horizonDays: 30)
        #expect(starts(of: "DUE", in: withered) == ["20270225"])
        #expect(starts(of: "PROJECTED", in: withered) == ["20270327", "20270411"])
    }

    @Test("7.10: has a birthday on 29 February without a year, starting with the next one")
    func leapDay() throws {
        var export = try minji()
        export.plants[0].plant.birthday = try Birthday("02-29")
        let calendar = try lines(export, export.plants[0])
        #expect(starts(of: "BIRTHDAY", in: calendar) == ["20280229"])
        #expect(calendar.contains("RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1"))
        let commonYear = try lines(export, export.plants[0], on: "2027-01-01")
        #expect(starts(of: "BIRTHDAY", in: commonYear) == ["20270228"])
    }

    @Test("is in English for accounts in English")
    func english() throws {
        var export = try minji()
        export.account.language = .english
        export.account.nickname = try Nickname("Minji, M.")
        let calendar = try lines(export, export.plants[1])
        #expect(calendar.contains(#"X-WR-CALNAME:Minji\, M.'s garden"#))
        #expect(calendar.contains("SUMMARY:Em is waiting for water"))
        #expect(calendar.contains("SUMMARY:(projected) Em is waiting for water"))
        #expect(calendar.contains("SUMMARY:Em's birthday"))
    }

    @Test(
        "has an alarm on the due date at the plant's alarm time",
        arguments: [("07:45", "PT7H45M"), ("00:05", "PT5M"), ("23:00", "PT23H"), ("00:00", "PT0S")])
    func alarm(time: String, trigger: String) throws {
        var export = try minji()
        export.plants[0].plant.alarmTime = try TimeOfDay(alarm: time)
        let triggers = try lines(export, export.plants[0]).filter { $0.hasPrefix("TRIGGER") }
        #expect(triggers == ["TRIGGER;RELATED=START:\(trigger)"])
    }

    @Test("7.4: has no alarm if pushes are off, for the account or the plant")
    func silence() throws {
        var export = try minji()
        let silentPlant = try lines(export, export.plants[1])
        #expect(!silentPlant.contains("BEGIN:VALARM"))
        export.account.switches.watering = false
        let silentAccount = try lines(export, export.plants[0])
        #expect(!silentAccount.contains("BEGIN:VALARM"))
    }

    @Test("contains no phone, no name from the address book, no keyword and no memo")
    func privacy() throws {
        let export = try minji()
        let calendar = try lines(export, export.plants[0]).joined()
        for secret in ["1000000301", "김지우", "안부", "이직"] { #expect(!calendar.contains(secret), "\(secret)") }
    }
}

@Suite("A table of friends")
struct FriendTableTests {
    @Test("of Minji equals fixtures/archives, byte for byte")
    func golden() throws {
        let export = try minji()
        let written = FriendTable.write(export.plants, tags: export.tags)
        #expect(text(written) == text(try fixture("friends.csv")))
    }

    @Test("has a header even without friends")
    func empty() throws {
        let header = text(FriendTable.write([], tags: []))
        #expect(header.hasPrefix("name,phone,nickname,birthday,cycle_days,alarm,tags,favourite,"))
    }

    @Test("quotes cells only if necessary")
    func quotes() {
        #expect(FriendTable.row(["a b", "", "c;d", "'"]) == "a b,,c;d,'\r\n")
        #expect(FriendTable.row(["a,b", #"say "hi""#]) == #""a,b","say ""hi""""# + "\r\n")
        #expect(FriendTable.row(["two\nlines", "a\r"]) == "\"two\nlines\",\"a\r\"\r\n")
        #expect(Array(FriendTable.row(["\"\u{301}"]).utf8) == Array("\"\"\"\u{301}\"\r\n".utf8))
    }

    @Test("escapes cells that look like formulas, except numbers")
    func formulas() {
        #expect(FriendTable.row(["=1+1", "+8210", "-3", "@a", "a=b"]) == "'=1+1,'+8210,'-3,'@a,a=b\r\n")
        #expect(FriendTable.row(["\ta", "\ra", "＝1", "'=1"]) == "'\ta,\"'\ra\",'＝1,''=1\r\n")
        #expect(FriendTable.row(["''+", "'a", "'", "''"]) == "'''+,'a,',''\r\n")
        #expect(FriendTable.row([TableCell.number("-3"), .text("-3")]) == "-3,'-3\r\n")
    }

    @Test("is read back unchanged, whatever the texts", arguments: [1, 2, 3] as [UInt64])
    func readBack(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let letters: [String] = [
            "=", "+", "-", "@", "\t", "\r", "\n", "'", "'", "\"", ",", ";", " ", "a", "8", "가", "＝", "＠", "\u{301}",
        ]
        let rows = (0..<2000).map { _ in
            (0..<3).map { _ in
                (0..<Int.random(in: 0...5, using: &random)).map { _ in
                    letters[Int.random(in: 0..<letters.count, using: &random)]
                }.joined()
            }
        }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("table-\(UUID().uuidString).csv")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(rows.map { FriendTable.row($0) }.joined().utf8).write(to: file)
        var lines = try LineReader(.file(file.path))
        var parser = CSVRowParser(separator: UInt8(ascii: ","))
        var read: [[String]] = []
        while let line = try lines.nextLine() {
            guard let row = try parser.take(line) else { continue }
            read.append((0..<row.count).map { row.text($0) })
        }
        // By bytes: texts that look alike are not the same.
        #expect(read.map { $0.map { Array($0.utf8) } } == rows.map { $0.map { Array($0.utf8) } })
    }
}

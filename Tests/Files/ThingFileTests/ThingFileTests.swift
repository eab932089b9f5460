import AddressBook
import CherishCore
import CherishTestSupport
import Foundation
import GardenArchive
import SystemTimeZones
import Testing
import ThingFile

@Suite("10: files of things")
struct ThingFileTests {
    private static let zones = SystemTimeZones()
    /// Monday.
    private let today = CivilDay("2027-03-01")!

    private func read(
        _ bytes: [UInt8], zone: String = "Asia/Seoul", dayEnd: String = "00:00",
        _ change: (inout ThingFileOptions) throws -> Void = { _ in }
    ) throws -> [ThingFileReader.Row] {
        var options = ThingFileOptions(
            today: today, zone: try Self.zones.rules(zone).withDays(endingAt: DayEnd(dayEnd)),
            zoneNamed: { try? Self.zones.rules($0) })
        try change(&options)
        var reader = try ThingFileReader(ByteSource(name: "file", bytes: bytes), options)
        var rows: [ThingFileReader.Row] = []
        while let row = try reader.next() { rows.append(row) }
        return rows
    }

    private func read(
        _ text: String, _ change: (inout ThingFileOptions) throws -> Void = { _ in }
    ) throws -> [ThingFileReader.Row] {
        try read(Array(text.utf8), change)
    }

    /// One line for each row: what is of interest in the tests.
    private func seen(_ rows: [ThingFileReader.Row]) -> [String] {
        rows.map { line, record in
            switch record {
            case .failure(.skipped(let why)): return "\(line) skipped: \(why)"
            case .failure(.refused(let code, _)): return "\(line) \(code)"
            case .success(let record):
                let draft = record.draft
                var words = ["\(line)", draft.kind.rawValue, draft.title.description, draft.dueOn?.description ?? "-"]
                words += [draft.dueTime?.description, draft.recurrence.map(Self.text)].compactMap(\.self)
                words += (draft.alerts.map { $0.isEmpty ? ["none"] : $0.map(\.description) }) ?? []
                words += record.tags.map { "@\($0)" }
                return words.joined(separator: " ")
            }
        }
    }

    private static func text(_ recurrence: Recurrence) -> String {
        "(\(recurrence.interval) \(recurrence.base.rawValue)\(recurrence.until.map { " until \($0)" } ?? ""))"
    }

    // MARK: Tables

    @Test("a table has our titles, friendly ones, or those of a map")
    func tables() throws {
        let ours = try read(
            """
            kind,title,due_on,due_time,note,category,bought_on,order_number,alerts,notice,every,from,until,tags,favourite
            reminder,Dentist,2027-03-05,15:00,"3rd floor, left",,,,1d@20:00 60m,daily,6 months,completion,2030-01-01,"family; health",yes
            food,Milk,2027-03-09,,,dairy,2027-03-01,,,,,,,,
            """)
        #expect(
            seen(ours) == [
                "2 reminder Dentist 2027-03-05 15:00 (6 months completion until 2030-01-01) 1d@20:00 60m @family @health",
                "3 food Milk 2027-03-09",
            ])
        let dentist = try ours[0].record.get().draft
        #expect(dentist.note?.description == "3rd floor, left" && dentist.isFavourite && dentist.repetition == .daily)
        #expect(try ours[1].record.get().draft.category?.description == "dairy")
        let korean = try read("제목\t유통기한\t메모\n우유\t2027.03.09\t두 병\n") { $0.kind = .food }
        #expect(seen(korean) == ["2 food 우유 2027-03-09"])
        let mapped = try read("품명;만료;비고\n치즈;2027/04/01;x\n") {
            $0.kind = .food
            $0.columns = try ThingField.columns("title=품명, due_on=만료,note=비고")
        }
        #expect(seen(mapped) == ["2 food 치즈 2027-04-01"])
        #expect(throws: InvalidColumnMap.self) { try ThingField.columns("titel=x") }
        #expect(throws: UnreadableFile.self) { try read("a,b\n1,2\n") }
        #expect(throws: UnreadableFile.self) {
            try read("title,due_on\n") { $0.columns = try ThingField.columns("note=missing") }
        }
    }

    @Test("each limit is told by line, and stops no other row")
    func broken() throws {
        let long = String(repeating: "x", count: 101)
        let rows = try read(
            """
            kind,title,due,time,every,alerts,tags
            reminder,,2027-03-05,,,,
            reminder,\(long),2027-03-05,,,,
            reminder,Visit,,,,,
            reminder,Visit,soon,,,,
            reminder,Visit,2027-03-05,25:00,,,
            reminder,Visit,2027-03-05,,100 days,,
            reminder,Visit,2027-03-05,,,4 hours,
            party,Visit,2027-03-05,,,,
            reminder,Visit,2027-03-05,,,,\(String(repeating: "t", count: 21))
            reminder,Visit,2027-03-05,,,,
            """)
        #expect(
            seen(rows) == [
                "2 invalid_title", "3 invalid_title", "4 due_unknown", "5 unreadable_day", "6 invalid_alarm",
                "7 invalid_recurrence", "8 invalid_alert", "9 unreadable_thing", "10 invalid_tag",
                "11 reminder Visit 2027-03-05",
            ])
    }

    @Test("Todoist's table: tasks, labels, comments, and dates as people type them")
    func todoist() throws {
        let rows = try read(
            """
            TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE
            meta,view_style=list,,,,,,,,
            section,Home,,,,,,,,
            task,Call the bank @phone @money,Ask about the card,1,1,Minji (1),,2027-03-05,en,Asia/Seoul
            note,They close at 4,,,,Minji (1),,,,
            task,Standup,,4,1,,,every day at 9:30,en,
            task,Filter,,4,1,,,every! 3 months,en,
            task,Rent,,4,1,,,every month starting 31 march,en,
            task,Swim,,4,1,,,every friday,en,
            task,Plane,,4,1,,,2027-08-13T18:30:00-05:00,en,US/Central
            task,Tea,,4,1,,,tomorrow at 5pm,en,
            task,Lunch,,4,1,,,12 apr 12:15 am,en,
            task,Someday,,4,1,,,,en,
            task,Odd,,4,1,,,ev 3rd full moon,en,
            ,,,,,,,,,
            """)
        #expect(
            seen(rows) == [
                "4 reminder Call the bank 2027-03-05 @phone @money", "6 reminder Standup 2027-03-01 09:30 (1 day due)",
                "7 reminder Filter 2027-03-01 (3 months completion)", "8 reminder Rent 2027-03-31 (1 month due)",
                "9 reminder Swim 2027-03-05 (1 week due)", "10 reminder Plane 2027-08-14 08:30",
                "11 reminder Tea 2027-03-02 17:00", "12 reminder Lunch 2027-04-12 00:15", "13 due_unknown",
                "14 unreadable_day",
            ])
        #expect(try rows[0].record.get().draft.note?.description == "Ask about the card They close at 4")
    }

    // MARK: JSON

    @Test("JSON Lines and documents have the names of our own, and Grocy's stock is food")
    func json() throws {
        let lines = try read(
            """
            {"kind": "reminder", "title": "치과", "dueOn": "2027-03-05", "dueTime": "15:00", "alertsChosen": true, "alerts": [{"daysBefore": 1, "time": "20:00", "minutesBefore": null}, {"minutesBefore": 60}], "recurrence": {"every": 2, "unit": "weeks", "from": "due", "until": null}, "tags": ["가족"]}
            {"title": "Milk", "kind": "food", "dueOn": "2027-03-09", "alertsChosen": false, "alerts": [{"daysBefore": 3, "time": "09:00"}]}
            {"title": "Silent", "dueOn": "2027-03-09", "alerts": []}
            {"title": "Old", "dueOn": "2027-03-09", "completedAt": "2027-03-01T00:00:00Z"}

            {"title": 1
            [1]
            """)
        #expect(
            seen(lines) == [
                "1 reminder 치과 2027-03-05 15:00 (2 weeks due) 1d@20:00 60m @가족", "2 food Milk 2027-03-09",
                "3 reminder Silent 2027-03-09 none", "4 skipped: it is done", "6 unreadable_thing",
                "7 unreadable_thing",
            ])
        let document = try read("{\n  \"things\": [\n {\"title\": \"A\", \"dueOn\": \"2027-03-09\"}, {}]\n}")
        #expect(seen(document) == ["1 reminder A 2027-03-09", "2 invalid_title"])
        let grocy = try read(
            """
            [{"product_id": "1", "amount": "2", "best_before_date": "2027-05-15", "amount_opened": "0", "product": {"id": "1", "name": "Cookies"}},
             {"product_id": 2, "amount": 1, "best_before_date": "2999-12-31", "product": {"name": "Salt"}},
             {"id": 3, "product_id": 2, "best_before_date": "2027-05-15", "purchased_date": "2027-03-01"},
             {"id": 4, "best_before_date": null, "product_name": "Yeast"}]
            """)
        #expect(
            seen(grocy) == [
                "1 food Cookies 2027-05-15", "2 skipped: it never expires", "3 unreadable_thing", "4 unreadable_thing",
            ])
        #expect(try grocy[0].record.get().draft.note?.description == "× 2")
        let products = try read(
            """
            [{"id": 4, "name": "Flour", "description": "whole grain", "default_best_before_days": "180", "active": "1"},
             {"id": 5, "name": "Salt", "default_best_before_days": -1}, {"id": 6, "name": "Tea", "default_best_before_days": 0},
             {"id": 7, "name": "Ice", "default_best_before_days": 9, "active": 0}, {"default_best_before_days": 3},
             {"id": 8, "name": "Stone", "default_best_before_days": "99999999999"},
             {"id": 9, "name": "Rock", "default_best_before_days": 99999999999}]
            """)
        let due = today + 180
        #expect(
            seen(products) == [
                "1 food Flour \(due)", "2 skipped: it never expires", "3 unreadable_thing",
                "4 skipped: Grocy does not use it any more", "5 unreadable_thing", "6 unreadable_thing",
                "7 unreadable_thing",
            ])
        let flour = try products[0].record.get()
        #expect(flour.isDueRelative && flour.warnings.count == 1 && flour.draft.note?.description == "whole grain")
        #expect(throws: UnreadableFile.self) { try read("[{\"title\": ") }
    }

    // MARK: Calendars

    private func calendar(_ entries: String) -> String {
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n\(entries.replacing("\n", with: "\r\n"))\r\nEND:VCALENDAR\r\n"
    }

    private func event(_ lines: String) -> String { "BEGIN:VEVENT\nSUMMARY:E\n\(lines)\nEND:VEVENT" }

    @Test("events and to-dos become things; times of other zones are converted")
    func calendars() throws {
        let rows = try read(
            calendar(
                """
                BEGIN:VTIMEZONE
                TZID:America/New_York
                BEGIN:STANDARD
                DTSTART:20071104T020000
                END:STANDARD
                END:VTIMEZONE
                BEGIN:VTODO
                SUMMARY:Tax\\, first\\nhalf
                DUE;VALUE=DATE:20270531
                CATEGORIES:Money,Work\\, home
                DESCRIPTION:a lo
                 ng note
                END:VTODO
                BEGIN:VEVENT
                SUMMARY;LANGUAGE=en:Call
                DTSTART;TZID="America/New_York":20270313T200000
                BEGIN:VALARM
                TRIGGER:-PT30M
                END:VALARM
                BEGIN:VALARM
                TRIGGER;VALUE=DATE-TIME:20270313T000000Z
                END:VALARM
                BEGIN:VALARM
                TRIGGER;RELATED=END:PT0S
                END:VALARM
                END:VEVENT
                BEGIN:VEVENT
                SUMMARY:UTC
                DTSTART:20270301T160000Z
                END:VEVENT
                BEGIN:VEVENT
                SUMMARY:Nowhere
                DTSTART;TZID=Mars/Base:20270301T160000
                END:VEVENT
                BEGIN:VTODO
                SUMMARY:Done
                DUE:20270301T160000
                STATUS:COMPLETED
                END:VTODO
                BEGIN:VTODO
                SUMMARY:Whenever
                END:VTODO
                BEGIN:VEVENT
                SUMMARY:Moved
                DTSTART:20270301T160000
                RECURRENCE-ID:20270228T160000
                END:VEVENT
                BEGIN:VEVENT
                SUMMARY:Cut off
                DTSTART:20270301
                """))
        #expect(
            seen(rows) == [
                "9 reminder Tax, first half 2027-05-31 @Money @Work, home",
                "16 reminder Call 2027-03-14 10:00 30m 1d@09:00", "29 reminder UTC 2027-03-02 01:00",
                "33 reminder Nowhere 2027-03-01 16:00", "37 skipped: it is done", "42 due_unknown",
                "45 unreadable_thing", "50 unreadable_thing",
            ])
        #expect(try rows[0].record.get().draft.note?.description == "a long note")
        #expect(try rows[1].record.get().warnings.count == 1)
        #expect(try rows[3].record.get().warnings.first?.contains("Mars/Base") == true)
    }

    @Test(
        "rules of recurrence within rule 10.8 are taken over, and others are told",
        arguments: [
            ("20270331", "FREQ=DAILY;INTERVAL=2", "(2 days due)"),
            ("20270301", "FREQ=WEEKLY;BYDAY=MO;WKST=SU", "(1 week due)"),
            ("20270331", "FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1", "(1 month due)"),
            ("20270331", "FREQ=MONTHLY;BYMONTHDAY=-1", "(1 month due)"),
            ("20270315", "FREQ=MONTHLY;BYMONTHDAY=15;UNTIL=20271231", "(1 month due until 2027-12-31)"),
            ("20280229", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1", "(1 year due)"),
            ("20270301", "FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=1", "(1 year due)"),
            ("20270131", "FREQ=MONTHLY;COUNT=3", "(1 month due until 2027-03-31)"),
            ("20270301", "FREQ=DAILY;COUNT=1", ""), ("20270301", "FREQ=YEARLY;COUNT=500", "(1 year due)"),
            ("20270301", "FREQ=WEEKLY;BYDAY=MO,WE", nil), ("20270301", "FREQ=WEEKLY;BYDAY=TU", nil),
            ("20270301", "FREQ=MONTHLY;BYDAY=1MO", nil), ("20270315", "FREQ=MONTHLY;BYMONTHDAY=-1", nil),
            ("20270301", "FREQ=MONTHLY;BYMONTHDAY=1,15", nil), ("20270301", "FREQ=HOURLY", nil),
            ("20270301", "FREQ=DAILY;INTERVAL=100", nil), ("20270301", "FREQ=DAILY;INTERVAL=0", nil),
            ("20270301", "FREQ=DAILY;BYHOUR=9", nil), ("20270301", "FREQ=YEARLY;BYMONTH=3,9", nil),
            ("20270301", "INTERVAL=1", nil), ("20270301", "FREQ=DAILY;COUNT=0", nil),
        ])
    func rules(_ start: String, _ rule: String, _ expected: String?) throws {
        let rows = seen(try read(calendar(event("DTSTART;VALUE=DATE:\(start)\nRRULE:\(rule)"))))
        let day = "\(start.prefix(4))-\(start.dropFirst(4).prefix(2))-\(start.suffix(2))"
        #expect(
            rows == [expected.map { "3 reminder E \(day)\($0.isEmpty ? "" : " ")\($0)" } ?? "3 invalid_recurrence"])
    }

    @Test(
        "our own calendar comes back: kind, title, note, day, time, recurrence and the instants of alerts, whenever days end",
        arguments: ["00:00", "03:00"])
    func roundTrip(dayEnd: String) throws {
        let zone = try Self.zones.rules("Asia/Seoul").withDays(endingAt: DayEnd(dayEnd))
        let account = Account(
            id: Account.ID(UUID()), email: try EmailAddress("minji@example.com"), nickname: try Nickname("민지"),
            phone: nil,
            timeZone: "Asia/Seoul", dayEnd: try DayEnd(dayEnd), language: .korean)
        let now = zone.firstInstant(on: today, at: .defaultAlarm)
        let context = CommandContext(now: now, zone: zone, calendarCursor: now)
        var things: [Thing] = []
        for kind in Thing.Kind.allCases {
            for time in kind.hasTime ? [nil, "15:00", "01:00"] : [nil] {
                for every in [nil, "2 weeks", "1 month", "1 year"] {
                    var draft = ThingDraft(
                        kind: kind, title: try ThingTitle("제목, \(kind) \\n \(every ?? "once")"),
                        dueOn: CivilDay("2027-03-31"))
                    draft.dueTime = try time.map { try TimeOfDay(alarm: $0) }
                    draft.note = try ThingNote("note; with, everything \"in it\"")
                    draft.alerts =
                        [.daysBefore(3, at: .defaultAlarm), .daysBefore(2, at: try TimeOfDay(alarm: "01:30"))]
                        + (time == nil ? [] : [.minutesBefore(30)])
                    draft.recurrence = try every.map { try Recurrence(every: $0, until: CivilDay("2030-12-31")) }
                    things.append(
                        try Thing.record(
                            draft, id: Thing.ID(UUID()), for: account.id, .usual, in: context
                        ).thing)
                }
            }
        }
        var writer = ICalendarWriter(for: account, today: today, at: now)
        let bytes = writer.begin() + writer.add(things, in: zone) + writer.finish()
        let drafts = try read(bytes, dayEnd: dayEnd).map { try $0.record.get().draft }
        #expect(drafts.count == things.count && drafts.count == 40)
        for (draft, thing) in zip(drafts, things) {
            #expect(draft.kind == thing.kind && draft.title == thing.title && draft.note == thing.note)
            #expect(draft.dueOn == thing.due.day && draft.dueTime == thing.due.time)
            #expect(draft.recurrence == thing.recurrence, "\(thing.title)")
            let again = try Thing.record(draft, id: thing.id, for: account.id, .usual, in: context).thing
            let instants = [again, thing].map { Set($0.alertInstants(WarningDays.usual, in: zone)) }
            #expect(instants[0] == instants[1], "\(thing.title)")
        }
    }

    @Test("hostile files end with a sentence and in time")
    func hostile() throws {
        let nested = String(repeating: "BEGIN:VEVENT\n", count: 10_000)
        #expect(try read(calendar(nested)).count <= 1)
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: UnreadableFile.self) { try read(deep) }
        #expect(throws: UnreadableFile.self) { try read(String(repeating: "x", count: 9 << 20)) }
        #expect(try read(Array("title,due\n\u{0}\u{0},2027-03-01\n\n".utf8)).count == 1)
        #expect(
            seen(try read(Array("title,due\n".utf8) + [0xFF, 0xFE, UInt8(ascii: ",")] + Array("2027-03-01\n".utf8)))
                .count == 1)
        for text in ["", " \n\t\n"] { #expect(throws: UnreadableFile.self) { try read(text) } }
        let colons = calendar(event("DTSTART;X=\"a:b;c\":20270301\n:::\n;;;\nRRULE:=;=\n=:"))
        #expect(seen(try read(colons)) == ["3 invalid_recurrence"])
    }
}

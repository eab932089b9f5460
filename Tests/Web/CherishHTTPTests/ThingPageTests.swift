import CherishCore
import CherishTestSupport
import Foundation
import Testing

@testable import CherishHTTP
@testable import WebGarden

/// Things and the calendar in the web garden, without JavaScript (rule 10).
@Suite("10: pages of things", .migratedDatabase)
struct ThingPageTests {
    /// Monday, 10:00 in Seoul.
    private let start = Instant("2027-03-01T01:00:00Z")!

    private func withVisitor(_ body: (TestVisitor) async throws -> Void) async throws {
        try await TestVisitor.run(time: .fixed(start)) { _, visitor in
            let minji = visitor()
            try await minji.signUp("minji@example.com")
            try await body(minji)
        }
    }

    private func add(_ minji: TestVisitor, _ kind: String, _ fields: [(String, String)]) async throws -> String {
        let added = try await minji.submit("/things/new", [("kind", kind), ("pushesEnabled", "true")] + fields)
        #expect(added.status == 303, "\(added.text)")
        return String(try added.location.split(separator: "=").last ?? "")
    }

    @Test("a kind by one tap, a title and a day in words; the day is shown back as a date")
    func adding() async throws {
        try await withVisitor { minji in
            let empty = try await minji.open("/things")
            #expect(empty.text.contains("Nothing to remember yet"))
            for kind in Thing.Kind.allCases {
                #expect(empty.text.contains("href=\"/things/new?kind=\(kind.rawValue)\""))
            }
            let form = try await minji.open("/things/new?kind=food")
            #expect(form.text.contains("<h1>Food</h1>") && form.text.contains("Tuesday, 2 March"))
            #expect(!form.text.contains("name=\"dueTime\"") && form.text.contains("name=\"category\""))
            for (words, date) in [
                ("tomorrow", "Tuesday, 2 March"), ("내일", "Tuesday, 2 March"), ("in 3 days", "Thursday, 4 March"),
                ("다음 주 금요일", "Friday, 12 March"), ("2028-01-05", "Wednesday, 5 January 2028"),
            ] {
                let added = try await minji.submit(
                    "/things/new", [("kind", "food"), ("title", "Milk"), ("day", "2027-03-01"), ("due", words)])
                let shown = try await minji.open(try added.location)
                #expect(shown.text.contains("<bdi>Milk</bdi> · \(date)"), "\(words)")
            }
            let wrong = try await minji.submit(
                "/things/new", [("kind", "food"), ("title", "Milk <b>"), ("due", "some day")])
            #expect(wrong.status == 422)
            #expect(wrong.text.contains("href=\"#due\"") && wrong.text.contains("value=\"some day\""))
            #expect(wrong.text.contains("value=\"Milk &lt;b&gt;\""))
        }
    }

    @Test("one tap completes, another undoes it; what recurs is due again")
    func completing() async throws {
        try await withVisitor { minji in
            let milk = try await add(
                minji, "food", [("title", "Milk"), ("day", "2027-03-02"), ("category", "dairy")])
            let filter = try await add(
                minji, "reminder",
                [
                    ("title", "Filter"), ("day", "2027-03-01"), ("every", "1"), ("unit", "months"), ("base", "due"),
                    ("alertMode", "chosen"), ("alerts", "1d@09:00"), ("alerts", "0d@09:00"),
                ])
            let list = try await minji.open("/things")
            // Red, and told in words.
            #expect(list.text.contains("<span class=\"due late\">expiring, 1 day left</span>"))
            #expect(list.text.contains("<span class=\"due thirsty\">today</span>"))
            let eaten = try await minji.submit("/things/\(milk)/completion", [("as", "thrown_away")])
            let told = try await minji.open(try eaten.location)
            #expect(told.text.contains("<bdi>Milk</bdi> is done."))
            #expect(told.text.contains("action=\"/things/\(milk)/reopening\""))
            #expect(try await minji.open("/things?list=done").text.contains(">thrown away<"))
            let undone = try await minji.submit("/things/\(milk)/reopening", [])
            #expect(try await minji.open(try undone.location).text.contains("<bdi>Milk</bdi> is open again."))
            let done = try await minji.submit("/things/\(filter)/completion", [])
            #expect(try await minji.open(try done.location).text.contains("Next: Thursday, 1 April."))
            let page = try await minji.open("/things/\(filter)")
            #expect(page.text.contains("every 1 month, from its due day"))
            #expect(page.text.contains("1 day before, 09:00, on the day, 09:00"))
        }
    }

    @Test("everything of a thing can be changed, and it can be deleted after a question")
    func editing() async throws {
        try await withVisitor { minji in
            _ = try await minji.submit("/more/tags", [("name", "home"), ("cycleDays", "")])
            let id = try await add(
                minji, "pickup",
                [("title", "Parcel"), ("day", "2027-03-04"), ("orderNumber", "A-17"), ("tags", "home")])
            let form = try await minji.open("/things/\(id)/edit")
            #expect(try form.value("title") == "Parcel")
            #expect(try form.value("due") == "2027-03-04")
            #expect(form.text.contains("value=\"home\" checked"))
            let saved = try await minji.submit(
                "/things/\(id)/edit",
                [
                    ("title", "Parcel 2"), ("due", "next friday"), ("dueTime", "18:30"), ("boughtOn", "2027-02-20"),
                    ("orderNumber", ""), ("note", "behind the counter"), ("alertMode", "chosen"), ("alerts", "30m"),
                    ("notice", "daily"), ("unit", ""), ("pushesEnabled", "true"),
                ])
            let page = try await minji.open(try saved.location)
            for text in [
                "<bdi>Parcel 2</bdi>", "Friday, 12 March, 18:30", "behind the counter",
                "30 minutes before, then every day",
                "Saturday, 20 February",
            ] {
                #expect(page.text.contains(text), "\(text)")
            }
            #expect(!page.text.contains("A-17") && !page.text.contains("<bdi>home</bdi>"))
            let late = try await minji.submit(
                "/things/\(id)/edit", [("title", ""), ("due", "2027-03-12"), ("note", "kept")])
            #expect(late.status == 422 && late.text.contains("kept</textarea>"))
            _ = try await minji.submit("/things/\(id)/favourite", [("favourite", "true")])
            #expect(try await minji.open("/things?favourite=true").text.contains("<bdi>Parcel 2</bdi>"))
            #expect(try await minji.open("/things/\(id)/removal").text.contains("Delete it?"))
            let removed = try await minji.submit("/things/\(id)/removal", [])
            #expect(try await minji.open(try removed.location).text.contains("It has been deleted."))
            #expect(try await minji.open("/things/\(id)").status == 404)
        }
    }

    @Test("10.11: the calendar shows a month, a week and a day, with friends and things")
    func calendar() async throws {
        try await withVisitor { minji in
            _ = try await minji.addFriend("김하나")
            let id = try await add(
                minji, "reminder", [("title", "Dentist"), ("day", "2027-03-04"), ("dueTime", "15:00")])
            let month = try await minji.open("/calendar")
            #expect(month.text.contains("March 2027") && month.text.contains("<table class=\"month\""))
            #expect(month.text.contains("href=\"/things/\(id)\"") && month.text.contains("<bdi>김하나</bdi>"))
            #expect(month.text.contains(", today</span>") && month.text.contains(", 1 entry</span>"))
            let week = try await minji.open("/calendar?view=week&on=2027-03-04")
            #expect(week.text.contains("1 March – 7 March") && !week.text.contains("<bdi>김하나</bdi>"))
            let day = try await minji.open("/calendar?view=day&on=2027-03-04")
            #expect(day.text.contains("<span class=\"time\">15:00</span>"))
            #expect(try await minji.open("/calendar?view=day&on=2027-03-05").text.contains("There is nothing here."))
            for query in ["?view=year", "?on=1999-12-31", "?on=x", "?view=month&on=2099-12-31", "?on=2000-01-01"] {
                #expect(try await minji.open("/calendar\(query)").status == 200, "\(query)")
            }
        }
    }
}

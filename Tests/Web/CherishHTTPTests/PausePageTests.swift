import CherishCore
import CherishTestSupport
import Foundation
import Testing

@testable import CherishHTTP

/// Pauses without JavaScript (rule 13.1).
@Suite("Pages of pauses", .migratedDatabase)
struct PausePageTests {
    private func today(_ page: String) throws -> CivilDay {
        let shown = try #require(page.firstMatch(of: /name="from" type="date" required value="([0-9-]{10})"/)).1
        return try #require(CivilDay(String(shown)))
    }

    @Test("a break begins on a page, the garden says until when, and one tap ends it")
    func wholeGarden() async throws {
        try await TestVisitor.run { _, visitor in
            let minji = visitor()
            try await minji.signUp("minji@example.com")
            let id = try await minji.addFriend("김하나")
            let today = try today(try await minji.open("/more/pauses").text)
            let begun = try await minji.submit(
                "/more/pauses", [("from", "\(today)"), ("to", "\(today + 9)"), ("spread", "true")])
            #expect(try begun.location == "/more/pauses?done=begun")
            let garden = try await minji.open("/").text
            #expect(garden.contains("You are on a break, back on") && garden.contains("I am back"))
            #expect(!garden.contains("D-7<"))
            #expect(try await minji.open("/plants/\(id)").text.contains("On a break, back on"))
            #expect(try await minji.submit("/more/pauses/end", []).location == "/?done=back")
            let back = try await minji.open("/").text
            #expect(!back.contains("You are on a break") && back.contains("D-7<"))
            #expect(try await minji.open("/more/pauses").text.contains("Nothing is paused."))
        }
    }

    @Test("a pause of one friend that is refused does not become one of the whole garden")
    func refused() async throws {
        try await TestVisitor.run { _, visitor in
            let minji = visitor()
            try await minji.signUp("minji@example.com")
            let id = try await minji.addFriend("김하나")
            let today = try today(try await minji.open("/more/pauses").text)
            let refused = try await minji.submit(
                "/more/pauses", [("friend", id), ("from", "\(today)"), ("to", "\(today + -1)")])
            #expect(refused.status == 422 && refused.text.contains("pause ends before it begins"))
            #expect(refused.text.contains("name=\"friend\" value=\"\(id)\""))
            #expect(try await minji.submit("/more/pauses", [("from", "\(today)"), ("to", "x")]).status == 422)
            let begun = try await minji.submit(
                "/more/pauses", [("friend", id), ("from", "\(today)"), ("to", "\(today)")])
            #expect(begun.status == 303)
            #expect(try await !minji.open("/").text.contains("You are on a break"))
            #expect(try await minji.open("/more/pauses").text.contains("<strong><bdi>김하나</bdi></strong>"))
        }
    }
}

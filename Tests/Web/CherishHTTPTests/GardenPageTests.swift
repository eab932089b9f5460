import CherishCore
import CherishRuntime
import CherishStore
import CherishTestSupport
import Foundation
import Testing

@testable import CherishHTTP
@testable import WebGarden

/// The web garden without JavaScript.
@Suite("Pages", .migratedDatabase)
struct GardenPageTests {
    @Test("a new person signs up, adds a friend, waters, reviews, and signs out")
    func wholeWay() async throws {
        try await TestVisitor.run { server, visitor in
            let minji = visitor()
            #expect(try await minji.open("/").text.contains("href=\"/sign-up\""))
            try await minji.signUp("minji@example.com")
            #expect(try await minji.open("/").text.contains("Plant your first friend"))
            let id = try await minji.addFriend("김하나")
            let garden = try await minji.open("/")
            #expect(garden.text.contains("<bdi>김하나</bdi>") && garden.text.contains("D-7"))
            let water = try await minji.open("/plants/\(id)/water")
            #expect(
                water.text.contains("href=\"tel:+821012345678\"") && water.text.contains("href=\"sms:+821012345678\""))
            let watered = try await minji.submit(
                "/plants/\(id)/water", [("once", try water.value("once")), ("method", "call")])
            #expect(watered.status == 303)
            let review = try await minji.open(try watered.location)
            #expect(review.text.contains("data-keep=\"review-\(id)"))
            let form = [
                ("points", try review.value("points")), ("keywords", "이사"), ("keywords", ""), ("keywords", "새 집"),
                ("memo", "5월에\r\n부산으로"),
            ]
            let path = String(try watered.location.prefix { $0 != "?" })
            // A refused review keeps the way to the garden.
            let refused = try await minji.submit(
                path, form.map { $0.0 == "memo" ? ("memo", String(repeating: "x", count: 101)) : $0 })
            #expect(refused.status == 422)
            #expect(try refused.value("points") == "8")
            let written = try await minji.submit(path, form)
            #expect(try written.location.contains("done=watered&points=24"))
            let after = try await minji.open(try written.location)
            #expect(after.text.contains("watering\"") && after.text.contains("Affection grew by 24, to 24."))
            #expect(after.text.contains("data-kept=\"review-\(id)"))
            let plant = try await minji.open("/plants/\(id)")
            #expect(plant.text.contains("<bdi>이사</bdi>") && plant.text.contains("<bdi>새 집</bdi>"))
            #expect(try await minji.open("/plants/\(id)/calendar").text.contains("class=\"watered today\""))
            #expect(try await minji.open("/plants/\(id)/why").text.contains("+8 for the contact"))
            let out = try await minji.submit("/sign-out", [])
            #expect(out.status == 303 && !minji.hasSession)
            #expect(out.headers.first(name: "Clear-Site-Data")?.contains("storage") == true)
            let afterwards = try await minji.open(try out.location)
            #expect(afterwards.headers.first(name: "X-Garden-Forget") == "1")
            #expect(afterwards.text.contains(" data-signed-out"))
            #expect(try await minji.open("/plants/\(id)").status == 303)
        }
    }

    @Test("whoever is not signed in chooses a language, which a cookie keeps")
    func language() async throws {
        try await TestVisitor.run { server, visitor in
            let minji = visitor()
            let korean = try await minji.open("/?language=ko")
            #expect(korean.text.contains("lang=\"ko\""))
            let cookie = try #require(korean.headers.first(name: "Set-Cookie"))
            #expect(cookie.hasPrefix("__Host-language=ko; Path=/;") && cookie.contains("Secure"))
            #expect(try await minji.open("/sign-in").text.contains("로그인"))
            #expect(try await minji.open("/?language=fr").text.contains("lang=\"ko\""))
        }
    }

    @Test("what was written survives a session that has ended, and is recorded only when it is sent again")
    func expiredSession() async throws {
        try await TestVisitor.run { server, visitor in
            let minji = visitor()
            try await minji.signUp("minji@example.com")
            let id = try await minji.addFriend("김하나")
            let watered = try await minji.submit("/plants/\(id)/water", [("method", "call")])
            let path = String(try watered.location.prefix { $0 != "?" })
            minji.loseSession()
            let memo = "a memo & <b>more</b>"
            let refused = try await minji.submit(path, [("keywords", "이사"), ("memo", memo)])
            #expect(refused.status == 401 && refused.text.contains("what you wrote is still there"))
            let kept = try refused.value("kept")
            let next = try refused.value("next")
            #expect(next == path)
            let signIn = [
                ("email", "minji@example.com"), ("password", TestServer.password), ("next", next),
                ("kept", kept.replacing("&amp;", with: "&")),
            ]
            // A wrong password does not lose it either.
            let wrong = try await minji.submit(
                "/sign-in", signIn.map { $0.0 == "password" ? ("password", "wrong") : $0 })
            #expect(wrong.status == 401)
            #expect(try wrong.value("kept") == kept)
            let again = try await minji.submit("/sign-in", signIn)
            #expect(again.status == 200 && minji.hasSession)
            #expect(again.text.contains("a memo &amp; &lt;b&gt;more&lt;/b&gt;</textarea>"))
            #expect(again.text.contains("value=\"이사\""))
            #expect(again.text.contains("action=\"\(path)\""))
            #expect(try await minji.open("/plants/\(id)").text.contains("No review yet."))
            // A page that is only opened leads back after the sign-in.
            minji.loseSession()
            let page = try await minji.open("/plants/\(id)/calendar?month=2027-03")
            #expect(try page.location == "/sign-in?next=/plants/\(id)/calendar%3Fmonth%3D2027-03")
        }
    }

    @Test(
        "after a session has ended, neither passwords nor codes are in the page, and what takes forms only is not opened"
    )
    func expiredSecrets() async throws {
        try await TestVisitor.run { server, visitor in
            let minji = visitor()
            try await minji.signUp("minji@example.com")
            let id = try await minji.addFriend("김하나")
            minji.loseSession()
            let form = [
                ("present", "old-secret-1!"), ("password", "new-secret-1!"), ("code", "987654"), ("note", "kept"),
            ]
            let page = try await minji.submit("/more/password", form)
            #expect(page.status == 401)
            #expect(try page.value("kept") == "note=kept")
            #expect(!page.text.contains("secret-1") && !page.text.contains("987654"))
            let favourite = try await minji.submit("/plants/\(id)/favourite", [("favourite", "true")])
            #expect(favourite.status == 401 && !favourite.text.contains("what you wrote is still there"))
            #expect(try favourite.value("next") == "/")
            let long = try await minji.submit("/me/imports/chosen", [("name-0", String(repeating: "x", count: 70_000))])
            #expect(long.status == 401 && !long.text.contains("name=\"kept\""))
            // Signing out without a session still makes the browser forget.
            let out = try await minji.submit("/sign-out", [])
            #expect(out.status == 303 && out.headers.first(name: "Clear-Site-Data") != nil)
            #expect(try await minji.open("/sign-in").headers.first(name: "X-Garden-Forget") == "1")
        }
    }

    @Test("pages carry what protects browsers; those of an account are kept by none")
    func headers() async throws {
        try await TestVisitor.run { server, visitor in
            let minji = visitor()
            let welcome = try await minji.open("/")
            try await minji.signUp("minji@example.com")
            let garden = try await minji.open("/")
            for page in [welcome, garden] {
                let policy = try #require(page.headers.first(name: "Content-Security-Policy"))
                for part in [
                    "default-src 'none'", "script-src 'self';", "style-src 'self';", "form-action 'self'",
                    "base-uri 'none'",
                    "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types cherish",
                ] { #expect(policy.contains(part), "\(part)") }
                #expect(!policy.contains("unsafe"))
                #expect(page.headers.first(name: "X-Content-Type-Options") == "nosniff")
                #expect(page.headers.first(name: "Referrer-Policy") == "no-referrer")
                // Nothing inline, which the policy would forbid.
                #expect(page.text.firstMatch(of: #/<script(?![^>]* src=)|<style| style=| on[a-z]+=/#) == nil)
            }
            #expect(garden.headers.first(name: "Cache-Control") == "no-store")
            #expect(garden.headers.first(name: "X-Garden-Offline") == "1")
            #expect(try await minji.open("/?done=welcome").headers.first(name: "X-Garden-Offline") == nil)
            let names = garden.text.matches(of: #/"(\/assets\/[^"#]+)/#).map { String($0.1) }
            #expect(Set(names).count > 10)
            for name in Set(names) {
                let file = try await minji.open(name)
                #expect(file.status == 200)
                #expect(file.headers.first(name: "Cache-Control") == "public, max-age=31536000, immutable")
            }
            #expect(try await minji.open("/assets/garden.css").status == 404)
            #expect(try await minji.open("/assets/..%2F..%2Fetc%2Fpasswd").status == 404)
        }
    }

    @Test("a form that is sent twice is carried out once")
    func twice() async throws {
        try await TestVisitor.run { server, visitor in
            let minji = visitor()
            try await minji.signUp("minji@example.com")
            let page = try await minji.open("/plants/new")
            #expect(page.text.contains(" data-count=\"20\" aria-describedby=\"nickname-hint nickname-count\""))
            #expect(!page.text.contains("&quot;"))
            let form = [
                ("once", try page.value("once")), ("name", "김하나"), ("phone", "010-1234-5678"), ("cycleDays", "7"),
            ]
            let first = try await minji.submit("/plants/new", form)
            let second = try await minji.submit("/plants/new", form)
            #expect(first.status == 303)
            #expect(try second.location == first.location)
            // The same name on another form is refused: what changed since must be looked at.
            #expect(
                try await minji.submit("/plants/new", form.map { $0.0 == "name" ? ("name", "x") : $0 }).status == 422)
            let id = String(try first.location.dropFirst("/?plant=".count))
            let water = [
                ("once", try await minji.open("/plants/\(id)/water").value("once")), ("method", "call"),
                ("id", UUID().uuidString.lowercased()),
            ]
            let other = minji.copy()
            async let one = other.submit("/plants/\(id)/water", water)
            let answers = [try await minji.submit("/plants/\(id)/water", water), try await one]
            #expect(answers.map(\.status) == [303, 303])
            #expect(try answers[0].location == answers[1].location)
            #expect(try await minji.open("/me").text.contains("<dt>watering</dt><dd>1</dd>"))
        }
    }

    @Test("a refused form shows what was written, and what is wrong with which field")
    func refused() async throws {
        try await TestVisitor.run { server, visitor in
            let minji = visitor()
            try await minji.signUp("minji@example.com")
            let page = try await minji.submit(
                "/plants/new",
                [("name", "김하나"), ("phone", "12"), ("cycleDays", "7"), ("birthdayMonth", "5"), ("birthdayDay", "21")])
            #expect(page.status == 422)
            #expect(page.text.contains("<a href=\"#phone\">"))
            #expect(page.text.contains("aria-invalid=\"true\" aria-describedby=\"phone-hint phone-error\""))
            #expect(try page.value("name") == "김하나")
            #expect(try page.value("birthdayDay") == "21")
            minji.language = "ko"
            let korean = visitor()
            korean.language = "ko"
            let wrong = try await korean.submit("/sign-in", [("email", "minji@example.com"), ("password", "wrong")])
            #expect(wrong.status == 401 && wrong.text.contains("비밀번호") && wrong.text.contains("lang=\"ko\""))
            #expect(!wrong.text.contains("value=\"wrong\""))
        }
    }

    @Test("later works on D-day alone, and says why not on other days")
    func later() async throws {
        try await TestVisitor.run(time: .fixed(try seoul("2027-03-02T09:00"))) { server, visitor in
            let minji = visitor()
            try await minji.signUp("minji@example.com")
            let id = try await minji.addFriend("김하나", cycle: 3)
            #expect(try await minji.open("/plants/\(id)/later").text.contains("Not yet"))
            let refused = try await minji.submit("/plants/\(id)/later", [("days", "3"), ("fromDueOn", "2027-03-05")])
            #expect(refused.status == 409 && refused.text.contains("errors-title"))
        }
        try await TestVisitor.run(time: .fixed(try seoul("2027-03-05T09:00"))) { server, visitor in
            let minji = visitor()
            _ = try await minji.submit("/sign-in", [("email", "minji@example.com"), ("password", TestServer.password)])
            let garden = try await minji.open("/")
            #expect(garden.text.contains("id=\"later-sheet\"") && garden.text.contains("Monday, 8 March"))
            let id = try #require(garden.text.firstMatch(of: #/plants\/([0-9a-f-]{36})\/later/#)).1
            let postponed = try await minji.submit("/plants/\(id)/later", [("days", "3"), ("fromDueOn", "2027-03-05")])
            #expect(try await minji.open(try postponed.location).text.contains("waits until Monday, 8 March"))
        }
        try await TestVisitor.run(time: .fixed(try seoul("2027-03-10T09:00"))) { server, visitor in
            let minji = visitor()
            _ = try await minji.submit("/sign-in", [("email", "minji@example.com"), ("password", TestServer.password)])
            let id = try #require(try await minji.open("/").text.firstMatch(of: #/\?plant=([0-9a-f-]{36})/#)).1
            #expect(try await minji.open("/plants/\(id)/later").text.contains("has withered"))
        }
    }

    @Test("a contact file fills in the form for one friend")
    func card() async throws {
        try await TestVisitor.run { server, visitor in
            let minji = visitor()
            try await minji.signUp("minji@example.com")
            func card(_ name: String, _ more: String = "") -> String {
                "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:\(name)\r\nTEL:010-1234-5678\r\n\(more)END:VCARD\r\n"
            }
            let whole = card("김 <하나>", "NICKNAME:하나\r\nBDAY:19940521\r\n")
            let one = try await minji.upload("/plants/new/card", Array(whole.utf8), name: "hana.vcf")
            #expect(one.status == 200 && one.text.contains("value=\"김 &lt;하나&gt;\""))
            let fields = ["phone", "nickname", "birthdayDay", "birthdayYear", "cycleDays", "alarmTime"]
            let filled = try fields.map { try one.value($0) }
            #expect(filled == ["010-1234-5678", "하나", "21", "1994", "7", "09:00"])
            #expect(one.text.contains("value=\"5\" selected") && !one.text.contains("in this file"))
            // A phone that cannot be read is shown, to be corrected.
            let wrong = try await minji.upload(
                "/plants/new/card", Array("BEGIN:VCARD\r\nFN:Jun\r\nTEL:12\r\nEND:VCARD\r\n".utf8), name: "jun.vcf")
            #expect(try wrong.value("name") == "Jun")
            #expect(try wrong.value("phone") == "12")
            let both = Array((card("Ann") + card("Bo")).utf8)
            let two = try await minji.upload("/plants/new/card", both, name: "two.vcf")
            #expect(try two.value("name") == "Ann")
            #expect(two.text.contains("There are 2 people in this file"))
            // Of several, the first that can be read.
            let broken =
                "BEGIN:VCARD\r\nVERSION:3.0\r\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=FF=FE\r\nTEL:010-1111-2222\r\nEND:VCARD\r\n"
            let second = try await minji.upload(
                "/plants/new/card", Array((broken + card("Ann")).utf8), name: "broken.vcf")
            #expect(try second.value("name") == "Ann")
            let empty = try await minji.upload("/plants/new/card", Array("name,phone\n".utf8), name: "a.csv")
            #expect(empty.status == 422 && empty.text.contains("errors-title"))
            #expect(try empty.value("cycleDays") == "7")
            #expect(try await minji.open("/plants/new/card").text.contains("action=\"/plants/new\""))
            #expect(try await minji.open("/me/plants").text.contains("Ann") == false, "nothing is planted yet")
            let stranger = try await visitor().upload("/plants/new/card", Array(whole.utf8), name: "a.vcf")
            #expect(try stranger.location == "/sign-in?next=/plants/new/card")
        }
    }

    @Test("the page that somebody chose comes first, and the garden has an address of its own then")
    func firstPage() async throws {
        try await TestVisitor.run { server, visitor in
            let minji = visitor()
            try await minji.signUp("minji@example.com")
            _ = try await minji.submit(
                "/plants/new", [("name", "Jun"), ("phone", "010-1234-5678"), ("cycleDays", "3")])
            #expect(try await minji.open("/").text.contains("<a href=\"/\" aria-current=\"page\">"))
            let settings = [("colours", "system"), ("size", "100")]
            _ = try await minji.submit("/more/appearance", settings + [("firstPage", "things")])
            #expect(try await minji.open("/").location == "/things")
            #expect(try await minji.open("/things").text.contains("<a href=\"/plants\">"))
            let garden = try await minji.open("/plants").text
            #expect(garden.contains("<a href=\"/plants\" aria-current=\"page\">") && garden.contains("Jun"))
            #expect(try await minji.open("/?search=Jun").text.contains("<a href=\"/plants\">Show all</a>"))
            #expect(try await minji.open("/more/appearance").text.contains("value=\"things\" checked"))
            _ = try await minji.submit("/more/appearance", settings + [("firstPage", "more")])
            #expect(try await minji.open("/").location == "/things", "what is no first page changes nothing")
            _ = try await minji.submit("/more/appearance", settings + [("firstPage", "garden")])
            #expect(try await minji.open("/").status == 200)
        }
    }

    @Test("an address book is read, corrected in its table, imported and undone")
    func imports() async throws {
        try await TestVisitor.run { server, visitor in
            let minji = visitor()
            try await minji.signUp("minji@example.com")
            let cards = [("김하나", "010-1234-5678"), ("Jun", "12"), ("엄마 <3", "010-2222-3333")].map {
                "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:\($0.0)\r\nTEL:\($0.1)\r\nEND:VCARD\r\n"
            }
            let table = try await minji.upload("/me/imports", Array(cards.joined().utf8), name: "<b>.vcf")
            #expect(table.status == 200 && table.text.contains("3 people in &lt;b&gt;.vcf"))
            #expect(table.text.contains("value=\"엄마 &lt;3\""))
            #expect(try table.value("phone-1") == "12")
            let chosen = [
                ("fileName", "contacts.vcf"), ("rows", "0"), ("rows", "1"), ("name-0", "김하나"),
                ("phone-0", "010-1234-5678"),
                ("cycle-0", "3"), ("name-1", "Jun"), ("phone-1", "010-9999-8888"), ("cycle-1", "30"), ("name-2", "엄마"),
                ("phone-2", "010-2222-3333"),
            ]
            // With nobody ticked, the table comes back with what was corrected.
            let nobody = try await minji.submit("/me/imports/chosen", chosen.filter { $0.0 != "rows" })
            #expect(nobody.status == 422)
            #expect(try nobody.value("phone-1") == "010-9999-8888")
            let imported = try await minji.submit("/me/imports/chosen", chosen)
            let done = try await minji.open(try imported.location)
            #expect(done.text.contains("2 friends are planted."))
            let plants = try await minji.open("/me/plants").text
            #expect(plants.contains("Jun") && plants.contains("김하나") && !plants.contains("엄마"))
            let wrong = try await minji.submit(
                "/me/imports/chosen", [("rows", "0"), ("name-0", "Jun"), ("phone-0", "12")])
            #expect(
                try await minji.open(try wrong.location).text.contains(
                    "1 contact could not be read, and is not planted."))
            let undo = try #require(done.text.firstMatch(of: #/action="(\/me\/imports\/[0-9a-f-]+\/undo)"/#)).1
            #expect(try await minji.submit(String(undo), []).location == "/me/imports?done=undone")
            #expect(!(try await minji.open("/me/plants").text.contains("Jun")))
            let zip = try await minji.upload("/me/imports", Array("PK\u{3}\u{4}".utf8) + Array(0...255), name: "a.vcf")
            #expect(zip.status == 422 && zip.text.contains("A.vcf is a ZIP archive or a spreadsheet"))
            let empty = try await minji.upload("/me/imports", Array("name,phone\n".utf8), name: "a.csv")
            #expect(empty.status == 422)
            let stranger = try await visitor().upload("/me/imports", Array(cards[0].utf8), name: "a.vcf")
            #expect(try stranger.location == "/sign-in?next=/me/imports")
        }
    }
}

/// Who attacks pages finds nothing.
@Suite("Attacks on pages", .migratedDatabase)
struct PageAttackTests {
    @Test("nobody reaches another account's plants by any page")
    func isolation() async throws {
        try await TestVisitor.run { server, visitor in
            let (victim, attacker) = (visitor(), visitor())
            try await victim.signUp("victim@example.com")
            let id = try await victim.addFriend("피해자", "010-7777-7777")
            let watered = try await victim.submit("/plants/\(id)/water", [("method", "call")])
            let day = try #require(try watered.location.firstMatch(of: #/review\/([0-9-]{10})/#)).1
            try await attacker.signUp("attacker@example.com")
            _ = try await attacker.addFriend("친구")
            let before = try await victim.open("/plants/\(id)").text
            for page in WebGarden.all where page.path.contains("{") {
                let path = page.path.replacing("{plant}", with: id).replacing("{day}", with: String(day))
                    .replacing(#/\{[a-z]+\}/#, with: UUID().uuidString.lowercased())
                if page.shows != nil, page.access == .signedIn {
                    let shown = try await attacker.open(path)
                    #expect(shown.status == 404, "\(path)")
                    #expect(!shown.text.contains("피해자") && !shown.text.contains("7777"))
                }
                if page.does != nil, page.access == .signedIn {
                    let form = [
                        ("method", "call"), ("days", "1"), ("keywords", "해킹"), ("memo", "hacked"),
                        ("nickname", "hacked"),
                        ("cycleDays", "1"), ("alarmTime", "10:00"), ("name", "hacked"), ("colour", "#000000"),
                    ]
                    let answered = try await attacker.submit(path, form)
                    #expect([404, 303].contains(answered.status), "\(path): \(answered.status)")
                    #expect(!answered.text.contains("피해자"))
                }
            }
            let after = try await victim.open("/plants/\(id)").text
            #expect(!after.contains("hacked") && !after.contains("해킹"))
            #expect(before.count == after.count)
        }
    }

    @Test("pages of other sites send no form, and no link leads elsewhere after a sign-in")
    func otherSites() async throws {
        try await TestVisitor.run { server, visitor in
            let minji = visitor()
            try await minji.signUp("minji@example.com")
            let id = try await minji.addFriend("김하나")
            for headers in [["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"]] {
                let refused = try await minji.submit("/plants/\(id)/removal", [], headers: headers)
                #expect(refused.status == 403 && refused.text.contains("<h1>"))
            }
            #expect(try await minji.open("/plants/\(id)").text.contains("/removal"))
            for next in [
                "//evil.example", "https://evil.example/", "/\\evil.example", "javascript:alert(1)", "/\n/x", "evil",
            ] {
                let signIn = [("email", "minji@example.com"), ("password", TestServer.password), ("next", next)]
                #expect(try await visitor().submit("/sign-in", signIn).location == "/", "\(next)")
            }
        }
    }

    @Test(
        "whatever a name consists of is text, and stays within its own direction",
        arguments: [
            "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "a' onclick='x", "\u{202E}txt.exe",
            "👨‍👩‍👧‍👦 가족", "e" + String(repeating: "\u{301}", count: 50), "{{7*7}}", "&lt;b&gt;",
        ])
    func names(name: String) async throws {
        try await TestVisitor.run { server, visitor in
            let minji = visitor()
            try await minji.signUp("minji@example.com")
            let id = try await minji.addFriend(name)
            for path in [
                "/", "/plants/\(id)", "/plants/\(id)/water", "/plants/\(id)/edit", "/me/plants", "/plants/\(id)/why",
            ] {
                let page = try await minji.open(path)
                #expect(page.status == 200)
                #expect(!page.text.contains("<script>alert") && !page.text.contains("<img src=x"))
                #expect(!page.text.contains(" onclick='x") && !page.text.contains("<b>"))
                #expect(page.text.contains("<bdi>"))
            }
        }
    }

    @Test("a keyword of five syllables in NFD is taken, one of six is refused")
    func decomposed() async throws {
        try await TestVisitor.run { server, visitor in
            let minji = visitor()
            try await minji.signUp("minji@example.com")
            let id = try await minji.addFriend("김하나")
            let watered = try await minji.submit("/plants/\(id)/water", [("method", "call")])
            let path = String(try watered.location.prefix { $0 != "?" })
            let five = "가나다라마".decomposedStringWithCanonicalMapping
            #expect(five.unicodeScalars.count == 10)
            #expect(
                try await minji.submit(path, [("keywords", five + "바".decomposedStringWithCanonicalMapping)]).status
                    == 422)
            #expect(try await minji.submit(path, [("keywords", five)]).status == 303)
            #expect(try await minji.open("/plants/\(id)").text.contains("<bdi>가나다라마</bdi>"))
        }
    }
}

import CherishCore
import CherishTestSupport
import DocumentEncoding
import Foundation
import Testing

@testable import CherishHTTP

/// What was done for friends, day by day.
@Suite("Histories over HTTP", .migratedDatabase)
struct HistoryRouteTests {
    /// Records a contact, and returns the id of the watering.
    private func water(
        _ friend: String, on day: String? = nil, _ server: TestServer, _ token: String, memo: String? = nil
    ) async throws -> String {
        let answer = try await server.send(
            "POST", "/v1/friends/\(friend)/waterings",
            [
                "method": "call", "wateredOn": day.map(JSONValue.string) ?? .null,
                "memo": memo.map(JSONValue.string) ?? .null,
            ], token: token)
        #expect(answer.status == 201)
        guard case .string(let id)? = answer["watering"]?["id"] else { throw Missing(what: "a watering") }
        return id
    }

    private func items(_ answer: Answer, _ name: String) throws -> [JSONValue] {
        guard case .array(let items)? = answer[name] else { throw Missing(what: "\(name) in \(answer.status)") }
        return items
    }

    private func ids(_ waterings: [JSONValue]) -> [String] {
        waterings.compactMap { if case .string(let id)? = $0["id"] { id } else { nil } }
    }

    @Test("pages give every watering once, the newest first, also while waterings are recorded")
    func pages() async throws {
        let start = Instant("2027-03-01T00:00:00Z")!
        try await TestServer.run(time: .fixed(start)) { server in
            let token = try await server.signUp("minji@example.com")
            let friend = try await server.addFriend(token: token)
            let other = try await server.addFriend("010-5555-5555", token: token)
            let path = "/v1/friends/\(friend)/waterings"
            let none = try await server.send("GET", path, token: token)
            #expect(none.status == 200 && none["waterings"] == [] && none["next"] == .null)
            try await TestServer.run(time: .fixed(start.adding(hours: 24 * 5))) { later in
                _ = try await water(other, later, token)
                // The order of days differs from that of recording, and two are of one day.
                var recorded: [(day: String, id: String)] = []
                for day in ["2027-03-06", "2027-03-03", "2027-03-05", "2027-03-05", "2027-03-02"] {
                    recorded.append((day, try await water(friend, on: day, later, token, memo: "memo")))
                }
                let wanted = recorded.enumerated().sorted { ($0.element.day, $0.offset) > ($1.element.day, $1.offset) }
                    .map(\.element.id)
                var seen: [JSONValue] = []
                var next: JSONValue? = nil
                repeat {
                    var query = "?limit=2"
                    if case .string(let cursor)? = next { query += "&after=\(cursor)" }
                    let page = try await later.send("GET", path + query, token: token)
                    #expect(page.status == 200)
                    let items = try items(page, "waterings")
                    #expect(items.count <= 2)
                    seen += items
                    next = page["next"]
                    // Between two pages somebody records the newest of all, and one of the day at which the page ended.
                    if seen.count == 2 {
                        _ = try await water(friend, on: "2027-03-06", later, token)
                        _ = try await water(friend, on: "2027-03-05", later, token)
                    }
                } while next != .null
                #expect(ids(seen) == wanted)
                // The second contact of 5 March earned nothing (rule 3.5).
                #expect(seen.map { $0["pointsGained"] } == [16, 0, 16, 16, 16])
                #expect(seen[0]["memo"] == "memo" && seen[0]["plantId"] == .string(friend))
                let all = try await later.send("GET", path, token: token)
                #expect(try items(all, "waterings").count == 7 && all["next"] == .null)
            }
        }
    }

    @Test("a page refuses what is no cursor of waterings, and shows waterings of removed friends")
    func cursors() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let friend = try await server.addFriend(token: token)
            let path = "/v1/friends/\(friend)/waterings"
            _ = try await water(friend, server, token)
            let foreign = Cursor(place: 1, id: friend).text
            for query in ["limit=0", "limit=201", "after=x!", "after=\(foreign)", "page=2"] {
                #expect(try await server.send("GET", "\(path)?\(query)", token: token).status == 422, "\(query)")
            }
            let far = Cursor(place: Int.max, id: "9999-12-31").text
            #expect(
                try items(try await server.send("GET", "\(path)?after=\(far)", token: token), "waterings").count == 1)
            let early = Cursor(place: 0, id: "0001-01-01").text
            #expect(try await server.send("GET", "\(path)?after=\(early)", token: token)["waterings"] == [])
            _ = try await server.send("DELETE", "/v1/friends/\(friend)", token: token)
            #expect(try items(try await server.send("GET", path, token: token), "waterings").count == 1)
            let unknown = "/v1/friends/\(UUID().uuidString.lowercased())/waterings"
            #expect(try await server.send("GET", unknown, token: token).status == 404)
        }
    }

    @Test("a watering that If-Match refuses shows the friend as it is now")
    func presentFriend() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let friend = try await server.addFriend(token: token)
            let refused = try await server.send(
                "POST", "/v1/friends/\(friend)/waterings", ["method": "call"], token: token,
                headers: ["If-Match": "\"9\""])
            #expect(refused.status == 412 && refused["present"]?["id"] == .string(friend))
        }
    }

    @Test("the calendar has each friend's days as the friend's own calendar has them")
    func calendar() async throws {
        let start = Instant("2027-03-01T00:00:00Z")!
        try await TestServer.run(time: .fixed(start)) { server in
            let token = try await server.signUp("minji@example.com")
            let empty = try await server.send("GET", "/v1/calendar", token: token)
            #expect(empty["days"] == [] && empty["from"] == "2027-01-30" && empty["to"] == "2027-04-30")
            var friends: [String: String] = [:]
            for (number, name) in ["김하나", "이둘", "박셋"].enumerated() {
                friends[try await server.addFriend("010-5555-000\(number)", name: name, token: token)] = name
            }
            let removed = try await server.addFriend("010-5555-0009", name: "최넷", token: token)
            _ = try await water(removed, server, token)
            _ = try await server.send("DELETE", "/v1/friends/\(removed)", token: token)
            try await TestServer.run(time: .fixed(start.adding(hours: 24 * 9))) { later in
                let watered = try #require(friends.keys.sorted().first)
                _ = try await water(watered, on: "2027-03-04", later, token, memo: "memo")
                _ = try await water(watered, later, token)
                for span in [
                    "", "?from=2027-03-04&to=2027-03-04", "?from=2027-03-05", "?to=2027-03-17", "?to=2020-01-01",
                ] {
                    let calendar = try await later.send("GET", "/v1/calendar\(span)", token: token)
                    #expect(calendar.status == 200)
                    var found: [String: [[JSONValue?]]] = [:]
                    var days: [String] = []
                    for day in try items(calendar, "days") {
                        guard case .string(let text)? = day["day"], case .array(let entries)? = day["entries"] else {
                            throw Missing(what: "a day")
                        }
                        days.append(text)
                        #expect(!entries.isEmpty)
                        for entry in entries {
                            guard case .string(let id)? = entry["plantId"] else { throw Missing(what: "a plant") }
                            #expect(entry["nickname"] == friends[id].map(JSONValue.string))
                            let names = ["kind", "method", "keywords", "memo"]
                            found[id, default: []].append([.string(text)] + names.map { entry[$0] })
                        }
                    }
                    #expect(days == days.sorted() && Set(days).count == days.count)
                    for friend in friends.keys {
                        let own = try await later.send("GET", "/v1/friends/\(friend)/calendar\(span)", token: token)
                        let names = ["day", "kind", "method", "keywords", "memo"]
                        #expect(
                            try items(own, "days").map { day in names.map { day[$0] } } == found[friend] ?? [],
                            "\(span)")
                    }
                    #expect(found[removed] == nil)
                }
            }
        }
    }

    @Test("the calendar refuses spans that are none, and gardens that are too large for one answer")
    func spans() async throws {
        let start = Instant("2027-03-01T00:00:00Z")!
        try await TestServer.run(time: .fixed(start)) { server in
            let token = try await server.signUp("minji@example.com")
            func status(_ query: String) async throws -> (Int, String?) {
                let answer = try await server.send("GET", "/v1/calendar?\(query)", token: token)
                return (answer.status, answer.status == 200 ? nil : answer.code)
            }
            for query in ["from=2027-03-02&to=2027-03-01", "from=2026-03-01&to=2027-03-03", "from=2026-01-01"] {
                #expect(try await status(query) == (422, "invalid_span"), "\(query)")
            }
            #expect(try await status("from=2026-03-01&to=2027-03-02").0 == 200)
            #expect(try await status("from=9999-12-31&to=9999-12-31").0 == 200)
            #expect(try await status("to=0001-01-01").0 == 200)
            #expect(try await status("from=2027-02-30") == (422, "not_a_day"))
            // A friend of a cycle of one day has an entry on each day from the due date on: 60 friends more than 20,000.
            for number in 100..<160 {
                let answer = try await server.send(
                    "POST", "/v1/friends",
                    ["name": "친구", "phone": .string("010-5555-0\(number)"), "cycleDays": 1], token: token)
                #expect(answer.status == 201)
            }
            #expect(try await status("from=2027-03-02&to=2028-03-01") == (422, "too_many_entries"))
            #expect(try await status("from=2027-03-02&to=2028-01-28").0 == 200)
            #expect(try await status("from=2027-03-02&to=2028-01-29").0 == 422)
        }
    }
}

import CherishCore
import CherishTestSupport
import DocumentEncoding
import Foundation
import Testing

@testable import CherishHTTP

/// Pickups, returns, reminders and food over HTTP (rule 10), as an app uses them.
@Suite("10: things over HTTP", .migratedDatabase)
struct ThingRouteTests {
    private let start = Instant("2027-03-01T01:00:00Z")!

    private func withAccount(
        at now: Instant? = nil, _ body: (TestServer, String) async throws -> Void
    ) async throws {
        try await TestServer.run(time: .fixed(now ?? start)) { server in
            try await body(server, try await server.signUp("minji@example.com"))
        }
    }

    private func titles(_ answer: Answer) throws -> [JSONValue] {
        guard case .array(let things)? = answer["things"] else { throw Missing(what: "things") }
        return things.compactMap { $0["title"] }
    }

    @Test("an appointment is recorded, read, changed, completed, reopened and deleted")
    func life() async throws {
        try await withAccount { server, token in
            _ = try await server.send("POST", "/v1/tags", ["name": "건강"], token: token)
            let added = try await server.send(
                "POST", "/v1/things",
                [
                    "kind": "reminder", "title": " 치과 ", "dueOn": "2027-03-05", "dueTime": "15:00", "note": "3층",
                    "alerts": [["daysBefore": 1, "time": "20:00"], ["minutesBefore": 60]], "notice": "hourly",
                    "recurrence": ["every": 6, "unit": "months", "from": "completion"], "tags": ["건강"],
                    "favourite": true,
                ], token: token)
            #expect(added.status == 201)
            let thing = "/v1/things/\(try added.text("id"))"
            let names: Set<String> = [
                "id", "accountId", "kind", "title", "note", "dueOn", "dueTime", "state", "daysLeft", "category",
                "boughtOn", "storeId", "orderNumber", "alerts", "alertsChosen", "pastAlerts", "notice", "recurrence",
                "nextAlertAt", "pushesEnabled", "tags", "favourite", "completedAt", "completedAs", "version",
                "modifiedAt",
            ]
            guard case .object(let fields) = try added.json else { throw Missing(what: "an object") }
            #expect(Set(fields.keys) == names)
            #expect(added["title"] == "치과" && added["state"] == "upcoming" && added["daysLeft"] == 4)
            #expect(added["nextAlertAt"] == "2027-03-04T11:00:00Z" && added["alertsChosen"] == true)
            #expect(
                added["alerts"] == [
                    ["daysBefore": 1, "time": "20:00", "minutesBefore": .null],
                    ["daysBefore": .null, "time": .null, "minutesBefore": 60],
                ])
            #expect(added["recurrence"] == ["every": 6, "unit": "months", "from": "completion", "until": .null])
            #expect(try await server.send("GET", thing, token: token).json == added.json)

            // What an answer says of alerts and recurrence, a request may say too.
            let edited = try await server.send(
                "PATCH", thing,
                [
                    "alerts": added["alerts"]!, "recurrence": added["recurrence"]!, "note": .null, "dueTime": "16:00",
                    "removeTags": ["건강"], "notice": "once",
                ], token: token, headers: ["If-Match": "\"1\""])
            #expect(edited.status == 200 && edited["version"] == 2 && edited["note"] == .null)
            #expect(edited["alerts"] == added["alerts"] && edited["tags"] == [] && edited["dueTime"] == "16:00")
            let late = try await server.send(
                "PATCH", thing, ["title": "x"], token: token, headers: ["If-Match": "\"1\""])
            let now = try edited.json
            #expect(late.status == 412 && late["present"] == now)
            let usual = try await server.send(
                "PATCH", thing, ["alerts": .null, "recurrence": .null], token: token)
            #expect(usual["alertsChosen"] == false && usual["recurrence"] == .null)
            #expect(usual["nextAlertAt"] == "2027-03-05T07:00:00Z")

            // A fact is recorded once.
            let fact: JSONValue = ["id": .string(UUID().uuidString.lowercased()), "madeAt": "2027-02-28T10:00:00Z"]
            let done = try await server.send("POST", "\(thing)/completion", fact, token: token)
            #expect(done.status == 200 && done["state"] == "done" && done["nextAlertAt"] == .null)
            #expect(try await server.send("POST", "\(thing)/completion", fact, token: token).status == 200)
            let again = try await server.send("POST", "\(thing)/completion", [:], token: token)
            #expect(again.status == 409 && again.code == "already_done")
            #expect(try titles(try await server.send("GET", "/v1/things", token: token)).isEmpty)
            #expect(try titles(try await server.send("GET", "/v1/things?done=true", token: token)) == ["치과"])
            #expect(try titles(try await server.send("GET", "/v1/things?state=done", token: token)) == ["치과"])
            let reopened = try await server.send("DELETE", "\(thing)/completion", token: token)
            #expect(reopened["state"] == "upcoming" && reopened["completedAt"] == .null)
            let undone = try await server.send("DELETE", "\(thing)/completion", token: token)
            #expect(undone.status == 409 && undone.code == "not_done")

            #expect(try await server.send("DELETE", thing, token: token)["title"] == "치과")
            #expect(try await server.send("GET", thing, token: token).code == "not_found")
            #expect(try await server.send("DELETE", thing, token: token).status == 404)
        }
    }

    @Test("10.10: lists are filtered, sorted and cut into pages")
    func lists() async throws {
        try await withAccount { server, token in
            _ = try await server.send("POST", "/v1/tags", ["name": "집"], token: token)
            let things: [JSONValue] = [
                ["kind": "food", "title": "우유", "dueOn": "2027-03-03", "category": "유제품", "boughtOn": "2027-02-27"],
                ["kind": "food", "title": "달걀", "dueOn": "2027-03-20", "category": "달걀", "boughtOn": "2027-02-28"],
                ["kind": "pickup", "title": "택배", "dueOn": "2027-02-28", "orderNumber": "A-17", "tags": ["집"]],
                ["kind": "reminder", "title": "세금", "dueOn": "2027-03-01", "favourite": true],
            ]
            for thing in things {
                #expect(try await server.send("POST", "/v1/things", thing, token: token).status == 201)
            }
            func list(_ query: String) async throws -> [JSONValue] {
                let query = query.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed)!
                return try titles(try await server.send("GET", "/v1/things?\(query)", token: token))
            }
            #expect(try await list("") == ["택배", "세금", "우유", "달걀"])
            #expect(try await list("kind=food") == ["우유", "달걀"])
            #expect(try await list("state=expiring") == ["우유"])
            #expect(try await list("state=overdue") == ["택배"])
            #expect(try await list("state=due") == ["세금"])
            #expect(try await list("category=유제품") == ["우유"])
            #expect(try await list("tag=집") == ["택배"])
            #expect(try await list("favourite=true") == ["세금"])
            #expect(try await list("sort=bought") == ["달걀", "우유", "택배", "세금"])
            #expect(try await list("sort=title") == ["달걀", "세금", "우유", "택배"])
            let first = try await server.send("GET", "/v1/things?limit=3", token: token)
            #expect(try titles(first) == ["택배", "세금", "우유"])
            #expect(try await list("limit=3&after=\(try first.text("next"))") == ["달걀"])
            let refused = try await server.send("GET", "/v1/things?kind=chore&tag=none", token: token)
            #expect(refused.status == 422)
            #expect(try await server.send("GET", "/v1/things?tag=none", token: token).code == "not_found")
        }
    }

    /// One value that no rule allows, its code and where it is.
    private static let limits: [(JSONValue, String, String)] = [
        (["title": ""], "invalid_title", "/title"),
        (["title": .string(String(repeating: "가", count: 101))], "invalid_title", "/title"),
        (["title": "a\u{7}b"], "invalid_title", "/title"),
        (["note": .string(String(repeating: "x", count: 1_001))], "note_too_long", "/note"),
        (["category": .string(String(repeating: "x", count: 21))], "invalid_category", "/category"),
        (["orderNumber": .string(String(repeating: "x", count: 61))], "invalid_order_number", "/orderNumber"),
        (["dueTime": "25:00"], "invalid_alarm", "/dueTime"), (["dueOn": "2027-02-30"], "not_a_day", "/dueOn"),
        (["alerts": [["daysBefore": 366]]], "invalid_alert", "/alerts/0/daysBefore"),
        (["alerts": [["daysBefore": 1], ["minutesBefore": 10_081]]], "invalid_alert", "/alerts/1/minutesBefore"),
        (["alerts": [["daysBefore": 1, "minutesBefore": 1]]], "invalid_alert", "/alerts/0"),
        (["alerts": [["time": "09:00"]]], "invalid_alert", "/alerts/0"),
        (["alerts": [["daysBefore": 1, "hour": 9]]], "unknown_name", "/alerts/0/hour"),
        (["alerts": ["3d"]], "not_an_object", "/alerts/0"),
        (["alerts": .array(Array(repeating: ["daysBefore": 1], count: 6))], "length", "/alerts"),
        (["recurrence": ["every": 0, "unit": "days"]], "invalid_recurrence", "/recurrence/every"),
        (["recurrence": ["every": 100, "unit": "days"]], "invalid_recurrence", "/recurrence/every"),
        (["recurrence": ["every": 1, "unit": "fortnights"]], "not_a_choice", "/recurrence/unit"),
        (["recurrence": ["unit": "days"]], "missing", "/recurrence/every"),
        (["notice": "yearly"], "not_a_choice", "/notice"), (["kind": "chore"], "not_a_choice", "/kind"),

    ]

    @Test("10.1–10.9: every limit has its code and its pointer")
    func limits() async throws {
        try await withAccount { server, token in
            for (change, code, pointer) in Self.limits {
                let answer = try await server.send("POST", "/v1/things", merged(change), token: token)
                #expect(answer.status == 422 && answer.code == code, "\(String(decoding: answer.body, as: UTF8.self))")
                guard case .array(let errors)? = answer["errors"] else { throw Missing(what: "errors") }
                #expect(errors.map { $0["pointer"] } == [.string(pointer)])
            }
        }
    }

    private func merged(_ change: JSONValue) -> JSONValue {
        guard case .object(let changes) = change else { return change }
        let body: [String: JSONValue] = ["kind": "reminder", "title": "x", "dueOn": "2027-03-05"]
        return .object(body.merging(changes) { $1 })
    }

    /// What only the whole thing shows to be wrong.
    private static let conflicts: [(JSONValue, String)] = [
        (["dueOn": "1999-12-31"], "invalid_due"), (["dueOn": "2100-01-01"], "invalid_due"),
        (["dueOn": .null], "due_unknown"), (["kind": "food", "dueTime": "10:00"], "not_for_kind"),
        (["category": "x"], "not_for_kind"), (["boughtOn": "2027-02-01"], "not_for_kind"),
        (["kind": "food", "orderNumber": "1"], "not_for_kind"),
        (["alerts": [["minutesBefore": 5]]], "invalid_alert"),
        (["recurrence": ["every": 1, "unit": "days", "until": "2027-03-04"]], "invalid_recurrence"),

    ]

    @Test("10.2–10.9: what does not fit together is refused, in the person's language")
    func conflicts() async throws {
        try await withAccount { server, token in
            for (change, code) in Self.conflicts {
                for language in ["en", "ko"] {
                    let answer = try await server.send(
                        "POST", "/v1/things", merged(change), token: token, headers: ["Accept-Language": language])
                    #expect(answer.status == 422 && answer.code == code, "\(change)")
                    #expect(answer.headers.first(name: "Content-Language") == language)
                }
            }
        }
    }

    @Test("10.4: equal alerts are one, and an alert in the past is told and not planned")
    func alerts() async throws {
        try await withAccount { server, token in
            let five = try await server.send(
                "POST", "/v1/things",
                merged(["alerts": .array(Array(repeating: ["daysBefore": 1, "time": "09:00"], count: 5))]), token: token
            )
            #expect(five.status == 201 && five["nextAlertAt"] == "2027-03-04T00:00:00Z")
            let past = try await server.send(
                "POST", "/v1/things", merged(["alerts": [["daysBefore": 5, "time": "09:00"], ["daysBefore": 0]]]),
                token: token)
            #expect(past["pastAlerts"] == [["daysBefore": 5, "time": "09:00", "minutesBefore": .null]])
            #expect(past["nextAlertAt"] == "2027-03-05T00:00:00Z")
        }
    }

    @Test("10.11: the agenda has everything of a day, and only of the days that were asked for")
    func agenda() async throws {
        try await withAccount { server, token in
            _ = try await server.send("POST", "/v1/tags", ["name": "집", "colour": "#3b6fc9"], token: token)
            let friend = try await server.addFriend(token: token)
            _ = try await server.send("PATCH", "/v1/friends/\(friend)", ["birthday": "03-20"], token: token)
            _ = try await server.send("POST", "/v1/friends/\(friend)/waterings", ["method": "call"], token: token)
            let thing = try await server.send(
                "POST", "/v1/things", merged(["dueTime": "15:00", "tags": ["집"]]), token: token)
            let agenda = try await server.send("GET", "/v1/agenda?from=2027-03-01&to=2027-03-20", token: token)
            #expect(agenda.status == 200 && agenda["from"] == "2027-03-01" && agenda["to"] == "2027-03-20")
            func entry(_ kind: JSONValue, _ id: JSONValue, _ title: JSONValue, _ rest: [String: JSONValue] = [:])
                -> JSONValue
            {
                .object(
                    [
                        "kind": kind, "id": id, "title": title, "time": .null, "state": .null, "colours": [],
                    ].merging(rest) { $1 })
            }
            let plant = { (kind: JSONValue, time: JSONValue) in
                entry(kind, .string(friend), "김하나", ["time": time])
            }
            #expect(
                agenda["days"] == [
                    ["day": "2027-03-01", "entries": [plant("watered", .null)]],
                    [
                        "day": "2027-03-05",
                        "entries": [
                            entry(
                                "reminder", .string(try thing.text("id")), "x",
                                ["time": "15:00", "state": "upcoming", "colours": ["#3b6fc9"]])
                        ],
                    ],
                    ["day": "2027-03-08", "entries": [plant("plant_due", "09:00")]],
                    ["day": "2027-03-15", "entries": [plant("plant_projected", "09:00")]],
                    ["day": "2027-03-20", "entries": [plant("birthday", .null)]],
                ])
            for (query, status) in [
                ("from=2027-03-02&to=2027-03-01", 422), ("from=2027-03-01&to=2027-06-08", 200),
                ("from=2027-03-01&to=2027-06-09", 422), ("from=x", 422),
            ] {
                #expect(try await server.send("GET", "/v1/agenda?\(query)", token: token).status == status, "\(query)")
            }
        }
    }
}

import CherishCore
import CherishTestSupport
import Foundation
import Postgres
import SeededChance
import Testing

@testable import CherishStore

/// The report views of things, beside CherishCore.
@Suite("Reports of things", .migratedDatabase, .serialized)
struct ThingReportTests {
    /// Three accounts in different zones with a made-up year of things.
    private func household(_ service: ServiceUnderTest) async throws -> [Account] {
        var random = SplitMix64(seed: 10)
        var accounts: [Account] = []
        for zone in ["Asia/Seoul", "America/Los_Angeles", "Pacific/Kiritimati"] {
            let store = service.store(at: try seoul("2026-12-01T10:00"))
            var account = try await store.addAccount(
                email: EmailAddress("minji\(accounts.count)@example.com"), nickname: Nickname("민지"), phone: nil,
                timeZone: zone, language: .korean)
            var edit = AccountEdit()
            edit.warningDays = try WarningDays(accounts.count * 3)
            account = try await store.garden(of: account.id).editAccount(edit)
            accounts.append(account)
            for number in 0..<40 {
                let kind = random.element(of: Thing.Kind.allCases)
                let recorded = try seoul("2027-01-01T00:00").adding(hours: random.number(in: 0...1_500))
                let garden = service.store(at: recorded).garden(of: account.id)
                var draft = ThingDraft(
                    kind: kind, title: try ThingTitle("thing \(number)"),
                    dueOn: TimeZoneRules.utc.day(at: recorded) + random.number(in: -20...40))
                if random.chance(30) { draft.recurrence = try Recurrence(every: random.number(in: 1...20), .days) }
                let thing = try await garden.recordThing(draft).thing
                for step in 0..<random.number(in: 0...3) {
                    let now = recorded.adding(hours: 24 * (step + 1) + random.number(in: 0...20))
                    let later = service.store(at: now).garden(of: account.id)
                    let outcome = kind == .food && random.chance(40) ? ThingCompletion.Outcome.thrownAway : nil
                    guard (try? await later.completeThing(thing.id, as: outcome)) != nil else { break }
                    if random.chance(25) { _ = try await later.reopenThing(thing.id) }
                }
            }
        }
        return accounts
    }

    @Test("how things stand today, and what was done by month, is what the rules say")
    func truth() async throws {
        let service = ServiceUnderTest()
        let accounts = try await household(service)
        let now = try seoul("2027-03-02T03:00")
        var things: [String] = []
        var months: [String: [Int]] = [:]
        var serviceMonths: [String: [Int]] = [:]
        for account in accounts {
            let zone = try ServiceUnderTest.zones.rules(account.timeZone)
            let today = zone.day(at: now)
            for history in try await service.store(at: now).garden(of: account.id).export().things {
                let thing = history.thing
                let state = thing.state(on: today, warningDays: account.warningDays).rawValue
                things.append(
                    [
                        thing.id.description, thing.kind.rawValue, state, thing.due.day.description,
                        "\(thing.due.day - today)", "\(thing.completionCount)",
                        thing.end?.completedOn.description ?? "-", zone.day(at: thing.createdAt).description,
                    ].joined(separator: "|"))
                for exported in history.completions where exported.undoneAt == nil {
                    let completion = exported.completion
                    let month = "\(completion.completedOn.description.prefix(7))-01|\(thing.kind.rawValue)"
                    let counts = [
                        1, completion.completedOn <= completion.dueOn ? 1 : 0, completion.outcome == .eaten ? 1 : 0,
                        completion.outcome == .thrownAway ? 1 : 0,
                    ]
                    let key = "\(account.id)|\(month)"
                    months[key] = zip(months[key] ?? [0, 0, 0, 0], counts).map(+)
                    serviceMonths[month] = zip(serviceMonths[month] ?? [0, 0, 0, 0], counts).map(+)
                }
            }
        }
        func rows(_ counts: [String: [Int]]) -> [String] {
            counts.map { "\($0.key)|\($0.value.map(String.init).joined(separator: "|"))" }.sorted()
        }
        func texts(_ sql: SQL) async throws -> [String] {
            try await service.pool.withTransaction { connection in
                try await connection.execute("SELECT set_config('cherish.now', $1, true)", [now.description])
                return try await connection.query(sql).map { try $0.decode(0, as: String.self) }.sorted()
            }
        }
        let shown = try await texts(
            """
            SELECT concat_ws('|', thing_id, kind, state, due_on, days_left, completion_count, coalesce(done_on::text, '-'),
                recorded_on) FROM report.things
            """)
        #expect(shown == things.sorted())
        let states = Set(shown.map { $0.split(separator: "|")[2] })
        #expect(states.count == 7)
        let monthly = try await texts(
            """
            SELECT concat_ws('|', account_id, month, kind, completion_count, in_time_count, eaten_count, thrown_away_count)
            FROM report.thing_completion_monthly
            """)
        #expect(monthly == rows(months))
        #expect(monthly.contains { $0.hasSuffix("|1") })
        let ofService = try await texts(
            """
            SELECT concat_ws('|', month, kind, completion_count, in_time_count, eaten_count, thrown_away_count)
            FROM report.service_thing_completion_monthly
            """)
        #expect(ofService == rows(serviceMonths))
    }
}

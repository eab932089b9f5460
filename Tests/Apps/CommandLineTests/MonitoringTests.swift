import CherishTestSupport
import Foundation
import FoundationNetworking
import Postgres
import PrivatePostgres
import Testing

@Suite("The worker's metrics and health checks")
struct MonitoringTests {
    private struct Answer {
        let status: Int
        let type: String?
        let body: String

        /// The value of a series, by its name and labels.
        func value(_ series: String) -> Double? {
            let line = body.split(separator: "\n").first { $0.hasPrefix(series + " ") }
            return line.flatMap { Double($0.dropFirst(series.count + 1)) }
        }
    }

    private func ask(_ url: String) async throws -> Answer {
        let address = try #require(URL(string: url))
        let (data, response) = try await URLSession.shared.data(from: address)
        let http = try #require(response as? HTTPURLResponse)
        return Answer(
            status: http.statusCode, type: http.value(forHTTPHeaderField: "Content-Type"),
            body: String(decoding: data, as: UTF8.self))
    }

    /// Where a worker started with port 0 listens: `http://127.0.0.1:12345`.
    private func url(of worker: RunningProgram) async throws -> String {
        let pattern = #/metrics=(http:\/\/127\.0\.0\.1:\d+)\/metrics/#
        try await eventually("it does not listen: \(worker.errors)") { worker.errors.contains(pattern) }
        let match = try #require(worker.errors.firstMatch(of: pattern))
        return String(match.1)
    }

    /// Adds an account in UTC with friends whose alarm came at midnight.
    private func plant(_ count: Int, with cherish: Program) async throws {
        let yesterday = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: -86_400))
        _ = try await cherish.json(
            "account", "add", "--email", "a@example.com", "--nickname", "A", "--time-zone", "UTC", "--now", yesterday)
        for number in 0..<count {
            _ = try await cherish.json(
                "friend", "add", "a@example.com", "--name", "Hana", "--phone", "+8210\(20_000_000 + number)",
                "--cycle-days", "1", "--alarm", "00:00", "--now", yesterday)
        }
    }

    @Test("metrics count what is done, and match docs/metrics.md", .migratedDatabase)
    func metrics() async throws {
        try await withTemporaryFile("pushes.jsonl") { file in
            let worker = try Program.worker.with([
                "CHERISH_METRICS_PORT": "0", "CHERISH_PUSH": "jsonl:\(file.path)", "CHERISH_CONCURRENCY": "3",
                "CHERISH_POLL_MILLISECONDS": "50",
            ]).start()
            let url = try await url(of: worker)
            try await eventually("the loops do not turn") {
                let metrics = try await ask(url + "/metrics")
                return metrics.value(#"cherish_service_errors_total{service="delivery"}"#) == 0
            }
            let before = try await ask(url + "/metrics")
            #expect(before.status == 200)
            #expect(before.type == "text/plain; version=0.0.4; charset=utf-8")
            #expect(before.value("cherish_pushes_enqueued_total") == 0)
            #expect(before.value(#"cherish_pushes_ended_total{outcome="delivered"}"#) == 0)
            #expect(before.value("cherish_pool_limit") == 8)
            let names = before.body.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
                .map { String($0.split(separator: " ")[2]) }
            #expect(try Set(names) == documentedNames())

            try await plant(3, with: .cherish)
            try await eventually("no push was counted") {
                let now = try await ask(url + "/metrics")
                return now.value(#"cherish_pushes_ended_total{outcome="delivered"}"#) == 3
            }
            // Figures looked up before the last delivery are served for a second.
            try await Task.sleep(for: .milliseconds(1100))
            try check(try await ask(url + "/metrics"))
            worker.signal(SIGTERM)
            #expect(await worker.result().status == 0)
        }
    }

    /// Checks the metrics after three deliveries, once cached figures have expired.
    private func check(_ after: Answer) throws {
        #expect(after.value("cherish_pushes_enqueued_total") == 3)
        #expect(after.value("cherish_pushes_deferred_total") == 0)
        for service in ["scheduling", "delivery"] {
            let rounds = try #require(after.value("cherish_tick_seconds_count{service=\"\(service)\"}"))
            #expect((1...3).contains(rounds))
            let everything = "cherish_tick_seconds_bucket{service=\"\(service)\",le=\"+Inf\"}"
            #expect(after.value(everything) == rounds)
            let silence = try #require(after.value("cherish_loop_silence_seconds{service=\"\(service)\"}"))
            #expect((0...600).contains(silence))
        }
        #expect(after.value("cherish_database_up") == 1)
        #expect(after.value("cherish_scheduling_lag_seconds") == 0)
        #expect(after.value("cherish_delivery_lag_seconds") == 0)
        #expect(after.value("cherish_undelivered_pushes") == 0)
        #expect(after.value(#"cherish_leases{state="held"}"#) == 0)
        #expect(after.value("cherish_lease_age_seconds") == 0)
        let memory = try #require(after.value("process_resident_memory_bytes"))
        #expect((1_000_000...4_000_000_000).contains(memory))
        let start = try #require(after.value("process_start_time_seconds"))
        #expect((0...3600).contains(Date().timeIntervalSince1970 - start))
        let processor = try #require(after.value("process_cpu_seconds_total"))
        #expect(processor > 0)
        #expect(after.value("metrics_refused_total") == 0)
    }

    /// The metric names in the first column of the tables.
    private func documentedNames() throws -> Set<String> {
        let file = fixtures.deletingLastPathComponent().appendingPathComponent("docs/metrics.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let rows = text.split(separator: "\n").compactMap { $0.prefixMatch(of: #/\| `([a-z_]+)` \|/#) }
        return Set(rows.map { String($0.1) })
    }

    @Test("lanes whose cursor is ahead, and pushes underway to a webhook, are counted", .migratedDatabase)
    func counted() async throws {
        let silent = try await WebhookReceiver.start(
            authority: try TestCertificateAuthority(), protocol: .plainHTTP1,
            respond: { _ in PushServer.Answer(ending: .silence) })
        try await plant(1, with: .cherish)
        _ = try await Program.cherish.with(["CHERISH_WEBHOOKS": "private"]).json(
            "device", "add", "a@example.com", "--platform", "webhook", "--token",
            "http://127.0.0.1:\(silent.server.port)/hook")
        let pool = TestDatabase.current.pool(maximumConnections: 1)
        _ = try await pool.withConnection {
            try await $0.execute(
                """
                UPDATE lane SET cursor_at = now() + interval '1 day' WHERE lane IN (
                    SELECT lane FROM lane WHERE lane NOT IN (SELECT lane FROM account) ORDER BY lane LIMIT 2)
                """)
        }
        await pool.close()
        let worker = try Program.worker.with([
            "CHERISH_METRICS_PORT": "0", "CHERISH_PUSH": "devices", "CHERISH_WEBHOOKS": "private",
            "CHERISH_PUSH_DEADLINE_MILLISECONDS": "120000", "CHERISH_POLL_MILLISECONDS": "50",
        ]).start()
        let url = try await url(of: worker)
        try await eventually("they are not counted") {
            let metrics = try await ask(url + "/metrics")
            return metrics.value("cherish_pushes_underway") == 1 && metrics.value("cherish_lanes_ahead") == 2
        }
        await silent.stop()
        try await eventually("the push is still counted") {
            try await ask(url + "/metrics").value("cherish_pushes_underway") == 0
        }
        worker.signal(SIGTERM)
        #expect(await worker.result().status == 0)
    }

    @Test("without its database the worker is alive but not ready, and ready again once it is back")
    func databaseGone() async throws {
        try await withTemporaryFile("home") { home in
            let cherish = Program(name: "cherish", environment: ["CHERISH_HOME": home.path])
            _ = try await cherish.json("account", "list")
            let cluster = PrivateCluster(home: home.path)
            let worker = try Program(
                name: "cherish-worker",
                environment: [
                    "DATABASE_URL": cluster.connectionString(), "CHERISH_METRICS_PORT": "0",
                    "CHERISH_POLL_MILLISECONDS": "50",
                ]
            ).start()
            let url = try await url(of: worker)
            let ready = try await ask(url + "/readyz")
            #expect(ready.status == 200)
            #expect(ready.body == "ready\n")

            _ = try await cluster.stop()
            try await eventually("it still seems ready") { try await ask(url + "/readyz").status == 503 }
            #expect(try await ask(url + "/readyz").body.contains("DATABASE_URL"))
            #expect(try await ask(url + "/livez").body == "alive\n")
            try await eventually("no error was counted") {
                let metrics = try await ask(url + "/metrics")
                return metrics.value("cherish_database_up") == 0
                    && metrics.value("cherish_scheduling_lag_seconds")?.isNaN == true
                    && metrics.value(#"cherish_service_errors_total{service="scheduling"}"#) ?? 0 > 0
            }

            try await cluster.ensureRunning()
            try await eventually("it never was ready again") { try await ask(url + "/readyz").status == 200 }
            try await eventually("it knows nothing of the lag") {
                try await ask(url + "/metrics").value("cherish_scheduling_lag_seconds") == 0
            }
            worker.signal(SIGTERM)
            #expect(await worker.result().status == 0)
            try await cluster.destroy()
        }
    }

    @Test("is not ready on a database migrated by a newer program", .migratedDatabase)
    func newerDatabase() async throws {
        let worker = try Program.worker.with(["CHERISH_METRICS_PORT": "0"]).start()
        let url = try await url(of: worker)
        #expect(try await ask(url + "/readyz").status == 200)
        let pool = TestDatabase.current.pool(maximumConnections: 1)
        _ = try await pool.withConnection {
            try await $0.execute("INSERT INTO schema_migration VALUES (9999, 'from the future', 'x')")
        }
        await pool.close()
        try await eventually("it still seems ready") { try await ask(url + "/readyz").status == 503 }
        #expect(try await ask(url + "/readyz").body.contains("migration 9999"))
        worker.signal(SIGTERM)
        _ = await worker.result()
    }

    @Test("nothing listens by default, and a taken port ends the worker", .migratedDatabase)
    func ports() async throws {
        let quiet = try Program.worker.with(["CHERISH_METRICS_HOST": "127.0.0.1"]).start()
        try await eventually("it never started: \(quiet.errors)") { quiet.errors.contains("started") }
        #expect(!quiet.errors.contains("metrics="))
        quiet.signal(SIGTERM)
        _ = await quiet.result()

        let first = try Program.worker.with(["CHERISH_METRICS_PORT": "0"]).start()
        let address = try await url(of: first)
        let port = try #require(address.split(separator: ":").last)
        let second = try await Program.worker.with(["CHERISH_METRICS_PORT": String(port)]).run()
        #expect(second.status == 64)
        #expect(second.errors.contains("error: invalid_setting: CHERISH_METRICS_PORT cannot be used"))
        // On a busy machine, it may serve metrics some time before it listens to signals.
        try await eventually("it never started: \(first.errors)") { first.errors.contains("started") }
        first.signal(SIGTERM)
        #expect(await first.result().status == 0)
    }
}

import CherishTestSupport
import Foundation
import Postgres
import Testing

/// `cherish-server`, and what operators do for people, as programs.
@Suite("The server's program", .migratedDatabase)
struct ServerTests {
    private var server: Program {
        Program(
            name: "cherish-server",
            environment: [
                "DATABASE_URL": TestDatabase.current.connectionString, "CHERISH_HTTP": "127.0.0.1:0",
                "CHERISH_PUSH": "stdout", "CHERISH_MAIL": "jsonl:/dev/null",
                "CHERISH_SMS": "jsonl:/dev/null",
            ])
    }

    private func address(of server: RunningProgram) async throws -> String {
        try await eventually("it never listened: \(server.errors)") { server.errors.contains("api=") }
        let found = try #require(server.errors.firstMatch(of: #/api=(http://127\.0\.0\.1:\d+)/#))
        return String(found.1)
    }

    private func roles() async throws {
        let result = try await Program.cherish.run("database", "roles")
        try #require(result.status == 0, "\(result.errors)")
    }

    /// The status of a GET, or of a POST of JSON.
    private func status(_ url: String, _ body: String? = nil) async throws -> Int? {
        let script = """
            import sys, urllib.request, urllib.error
            body = sys.argv[2].encode() if len(sys.argv) > 2 else None
            request = urllib.request.Request(sys.argv[1], body, {"Content-Type": "application/json"})
            try: print(urllib.request.urlopen(request).status)
            except urllib.error.HTTPError as error: print(error.code)
            """
        let arguments = ["python3", "-c", script, url] + (body.map { [$0] } ?? [])
        return Int(
            try await RunningProgram("/usr/bin/env", arguments).result().output
                .trimmingCharacters(in: .whitespacesAndNewlines))
    }

    @Test("12.5: a provider with client ids judges tokens, one without is not offered")
    func providers() async throws {
        try await roles()
        let running = try server.with(["CHERISH_APPLE_CLIENT_IDS": "com.example.cherish"]).start()
        let url = try await address(of: running)
        for (provider, expected) in [("apple", 401), ("google", 422)] {
            let body = #"{"provider":"\#(provider)","idToken":"a.b.c","nonce":"0123456789abcdef","deviceName":"x"}"#
            #expect(try await status(url + "/v1/sessions", body) == expected)
        }
        running.signal(SIGTERM)
        #expect(await running.result().status == 0)
        #expect(running.errors.contains("an ID token was refused"))
    }

    @Test("answers until SIGTERM, alone and with a worker, and exits with 0", arguments: [[], ["--with-worker"]])
    func lifetime(arguments: [String]) async throws {
        try await roles()
        let running = try server.start(arguments)
        let url = try await address(of: running)
        #expect(try await status(url + "/readyz") == 200)
        #expect(try await status(url + "/v1/account") == 401)
        running.signal(SIGTERM)
        #expect(await running.result().status == 0)
    }

    @Test(
        "a setting that cannot work ends it with 64 and says what to write",
        arguments: [
            ("CHERISH_HTTP", "nowhere"), ("CHERISH_HTTP", "127.0.0.1:70000"), ("CHERISH_HTTP", "0.0.0.0:0"),
            ("CHERISH_PUBLIC_URL", "cherish"),
            ("CHERISH_TLS_KEY", "/key.pem"), ("CHERISH_TRUSTED_PROXIES", "proxy"), ("CHERISH_MAIL", "post"),
            ("CHERISH_SMS", "post"),
            ("CHERISH_HTTP_CONNECTIONS", "0"), ("CHERISH_ENQUIRIES", "help"),
            ("CHERISH_PRIVACY_FILE", "/nowhere.md"), ("CHERISH_TERMS_FILE", "/nowhere.md"),
            ("CHERISH_GOOGLE_CLIENT_IDS", "one;two"),
        ])
    func settings(variable: String, value: String) async throws {
        try await roles()
        let result = try await server.with([variable: value]).run()
        #expect(result.status == 64)
        #expect(result.errors.contains("error: invalid_setting: CHERISH_"))
        #expect(!result.errors.contains("bug"))
    }

    @Test("a taken port ends it with 64")
    func takenPort() async throws {
        try await roles()
        let first = try server.start()
        let port = try #require(try await address(of: first).split(separator: ":").last)
        let second = try await server.with(["CHERISH_HTTP": "127.0.0.1:\(port)"]).run()
        #expect(second.status == 64)
        #expect(second.errors.contains("error: invalid_setting: CHERISH_HTTP cannot be used"))
        first.signal(SIGTERM)
        _ = await first.result()
    }

    @Test("operators set a password, and list and end sessions")
    func people() async throws {
        let cherish = Program.cherish
        _ = try await cherish.json(
            "account", "add", "--email", "minji@example.com", "--nickname", "Minji", "--time-zone", "Asia/Seoul")
        func set(_ password: String) async throws -> ProgramResult {
            try await withTemporaryFile("password") { file in
                try password.write(to: file, atomically: true, encoding: .utf8)
                return try await cherish.with(["FILE": file.path]).shell(
                    "\"$CHERISH\" account password minji@example.com --password-stdin --output json < \"$FILE\"",
                    in: file.deletingLastPathComponent())
            }
        }
        #expect(try await set("password\n").code == "weak_password")
        #expect(try await set("\n").code == "usage")
        let done = try await set("lilac-7-umbrella\n")
        #expect(done.status == 0 && !(done.output + done.errors).contains("lilac"))
        let none = try await cherish.json("session", "list", "minji@example.com")
        #expect((none["sessions"] as? [Any])?.isEmpty == true)
        let pool = TestDatabase.current.pool(maximumConnections: 1)
        let id = "3c5f6bd0-63a1-4a55-8f0e-3f0a3c1c1f6e"
        _ = try await pool.withConnection { connection in
            try await connection.execute(
                """
                INSERT INTO account_session SELECT lane, $1::uuid, id, sha256('x'), 'phone', now(), now() FROM account
                """, [id])
        }
        await pool.close()
        let listed = try await cherish.json("session", "list", "minji@example.com")
        #expect((listed["sessions"] as? [[String: Any]])?.first?["deviceName"] as? String == "phone")
        #expect(try await cherish.json("session", "end", id)["ended"] as? String == id)
        #expect(try await cherish.run("session", "end", id).code == "not_found")
    }

    @Test("operators confirm the phone that an account has given, and another account that had it loses it")
    func phones() async throws {
        let cherish = Program.cherish
        for (email, phone) in [("minji@example.com", "010-1234-5678"), ("jun@example.com", "+821012345678")] {
            _ = try await cherish.json(
                "account", "add", "--email", email, "--nickname", "M", "--time-zone", "Asia/Seoul", "--phone", phone)
            #expect(try await cherish.json("account", "verify", email)["phone"] as? String == "+821012345678")
        }
        func owners() async throws -> [String] {
            let pool = TestDatabase.current.pool(maximumConnections: 1)
            let rows = try await pool.withConnection { connection in
                try await connection.query(
                    "SELECT email FROM account JOIN account_phone ON account_id = id AND account_phone.lane = account.lane"
                )
            }
            await pool.close()
            return try rows.map { try $0.decode(0) }
        }
        #expect(try await owners() == ["jun@example.com"])
        // Another phone is another person's until it is confirmed.
        _ = try await cherish.json("account", "edit", "jun@example.com", "--phone", "010-9999-9999")
        #expect(try await owners() == [])
        _ = try await cherish.json("account", "edit", "jun@example.com", "--phone", "")
        #expect(try await cherish.run("account", "verify", "jun@example.com").code == "phone_missing")
    }
}

import CherishTestSupport
import Foundation
import Testing

/// The programs push to devices, through local servers that behave like Apple's and Google's.
@Suite("Pushes to devices", .migratedDatabase)
struct PushTests {
    private static let token = String(repeating: "ab12", count: 16)
    private static let now = "2027-03-02T09:00:00+09:00"

    /// An operator's setup: keys in files, servers, and the variables that point to them.
    private struct Operator {
        let folder: URL
        let authority: TestCertificateAuthority
        let key: TestSigningKey
        let variables: [String: String]

        init(_ folder: URL, apns: (TestCertificateAuthority, TestSigningKey) async throws -> String) async throws {
            self.folder = folder
            authority = try TestCertificateAuthority()
            key = TestSigningKey.es256()
            try key.privateKeyPEM.write(to: folder.appendingPathComponent("key.p8"), atomically: true, encoding: .utf8)
            chmod(folder.appendingPathComponent("key.p8").path, 0o600)
            try authority.pem.write(to: folder.appendingPathComponent("ca.pem"), atomically: true, encoding: .utf8)
            variables = [
                "CHERISH_PUSH": "devices", "CHERISH_APNS_KEY": folder.appendingPathComponent("key.p8").path,
                "CHERISH_APNS_KEY_ID": "ABC123DEFG", "CHERISH_APNS_TEAM_ID": "DEF123GHIJ",
                "CHERISH_APNS_TOPIC": "com.example.cherish", "CHERISH_APNS_URL": try await apns(authority, key),
                "CHERISH_PUSH_CA_FILE": folder.appendingPathComponent("ca.pem").path,
                "CHERISH_WEBHOOKS": "private", "CHERISH_PUSH_DEADLINE_MILLISECONDS": "5000",
            ]
        }
    }

    private func withOperator(
        apns: (TestCertificateAuthority, TestSigningKey) async throws -> String, _ body: (Operator) async throws -> Void
    ) async throws {
        try await withTemporaryFile("unused") { file in
            try await body(try await Operator(file.deletingLastPathComponent(), apns: apns))
        }
    }

    /// Adds an account in Seoul with an iPhone and plants due on 2 March 2027 at 09:00, and returns the plants' ids.
    @discardableResult
    private func plant(_ friends: Int = 1) async throws -> [String] {
        let registered = "2027-02-23T10:00:00+09:00"
        _ = try await Program.cherish.json(
            "account", "add", "--email", "a@example.com", "--nickname", "A", "--time-zone", "Asia/Seoul",
            "--language", "ko", "--now", registered)
        _ = try await Program.cherish.json(
            "device", "add", "a@example.com", "--platform", "ios", "--token", PushTests.token, "--now", registered)
        var plants: [String] = []
        for number in 0..<friends {
            let plant = try await Program.cherish.json(
                "friend", "add", "a@example.com", "--name", "민지\(number)", "--phone", "+82102000000\(number)",
                "--cycle-days", "7", "--now", registered)
            plants.append(try #require(plant["id"] as? String))
        }
        return plants
    }

    @Test("tick pushes to an iPhone and a webhook; explain shows each outcome; a dead token is retired")
    func tick() async throws {
        let plants = try await plant(3)
        let receivers = try TestCertificateAuthority()
        let webhook = try await WebhookReceiver.start(authority: receivers, protocol: .plainHTTP1)
        let added = try await Program.cherish.with(["CHERISH_WEBHOOKS": "private"]).json(
            "device", "add", "a@example.com", "--platform", "webhook", "--token", webhook.url + "/hook", "--now",
            "2027-02-23T11:00:00+09:00")
        let secret = try #require(added["secret"] as? String)
        #expect(secret.hasPrefix("whsec_"))
        let answers = AnswerQueue([
            APNsServer.refusal(status: 410, reason: "Unregistered", timestamp: 1_803_945_600_000)
        ])
        let holder = ServerHolder()
        try await withOperator { authority, key in
            try await holder.start(authority, key, fault: { _, _ in answers.next() })
        } _: { set in
            let cherish = Program.cherish.with(set.variables)
            let counts = try await cherish.json("tick", "--now", PushTests.now)
            #expect(counts["delivered"] as? Int == 3)
            #expect(webhook.requests.count == 1)
            let body = try #require(
                try JSONSerialization.jsonObject(with: Data(webhook.requests[0].body)) as? [String: Any])
            #expect((body["text"] as? String)?.hasPrefix("민지0 외 2명이 물을 기다려요\n") == true)
            let explained = try await cherish.json("push", "explain", plants[1], "--now", PushTests.now)
            let sentences = try #require(explained["explanation"] as? [String]).joined(separator: "\n")
            #expect(sentences.contains("ios device"))
            #expect(sentences.contains("token_dead (410 Unregistered)"))
            #expect(sentences.contains("webhook device"))
            let listed = try await cherish.json("device", "list", "a@example.com")
            let devices = try #require(listed["devices"] as? [[String: Any]])
            #expect(devices.compactMap { $0["retiredReason"] as? String } == ["410 Unregistered"])
            #expect(devices.allSatisfy { $0["secret"] == nil })
            // Adding it again reactivates it.
            _ = try await cherish.json(
                "device", "add", "a@example.com", "--platform", "ios", "--token", PushTests.token)
            let again = try await cherish.json("device", "list", "a@example.com")
            #expect((again["devices"] as? [[String: Any]])?.contains { $0["retiredReason"] is String } == false)
        }
        await holder.stop()
        await webhook.stop()
    }

    @Test("given credentials, the worker pushes to devices and logs so")
    func worker() async throws {
        // Registered yesterday, so due from midnight today.
        let yesterday = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: -86_400))
        let cherish = Program.cherish
        _ = try await cherish.json(
            "account", "add", "--email", "a@example.com", "--nickname", "A", "--time-zone", "UTC", "--now", yesterday)
        _ = try await cherish.json(
            "device", "add", "a@example.com", "--platform", "ios", "--token", PushTests.token, "--now", yesterday)
        _ = try await cherish.json(
            "friend", "add", "a@example.com", "--name", "Hana", "--phone", "+821020000000", "--cycle-days", "1",
            "--alarm", "00:00", "--now", yesterday)
        let holder = ServerHolder()
        try await withOperator {
            try await holder.start($0, $1)
        } _: { set in
            var variables = set.variables
            variables["CHERISH_PUSH"] = nil
            let worker = try Program.worker.with(variables).start()
            try await eventually("the push never came: \(worker.errors)") { holder.acceptedCount == 1 }
            worker.signal(SIGTERM)
            let result = await worker.result()
            #expect(result.status == 0)
            #expect(result.errors.contains("devices: ios, webhook"))
            #expect(result.output.isEmpty)
        }
        await holder.stop()
    }

    @Test("a wrong team: the worker names the settings, keeps the job, retries rarely, and leaks neither key nor token")
    func wrongTeam() async throws {
        let yesterday = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: -86_400))
        _ = try await Program.cherish.json(
            "account", "add", "--email", "a@example.com", "--nickname", "A", "--time-zone", "UTC", "--now", yesterday)
        _ = try await Program.cherish.json(
            "device", "add", "a@example.com", "--platform", "ios", "--token", PushTests.token, "--now", yesterday)
        _ = try await Program.cherish.json(
            "friend", "add", "a@example.com", "--name", "Hana", "--phone", "+821020000000", "--cycle-days", "1",
            "--alarm", "00:00", "--now", yesterday)
        let holder = ServerHolder()
        try await withOperator {
            try await holder.start($0, $1)
        } _: { set in
            let wrong = set.variables.merging([
                "CHERISH_APNS_TEAM_ID": "WRONGTEAM1", "CHERISH_LOG_LEVEL": "trace",
            ]) { $1 }
            let worker = try Program.worker.with(wrong).start()
            try await eventually("it never said what is wrong: \(worker.errors)") {
                worker.errors.contains("CHERISH_APNS_TEAM_ID")
            }
            // Long enough for another attempt, if attempts were frequent.
            try await Task.sleep(for: .seconds(2))
            worker.signal(SIGTERM)
            let result = await worker.result()
            #expect(result.status == 0)
            #expect(result.errors.contains("403 InvalidProviderToken"))
            #expect(holder.requestCount == 1)
            let secrets = [PushTests.token] + set.key.privateKeyPEM.split(separator: "\n").map(String.init)
            for secret in secrets { #expect(!result.errors.contains(secret)) }
            let pushes = try await Program.cherish.json("push", "list", "a@example.com")
            let push = try #require((pushes["pushes"] as? [[String: Any]])?.first)
            #expect(push["outcome"] is NSNull)
        }
        await holder.stop()
    }

    /// A setting, its value, and what the program must say. FILE stands for the path of a file with `contents`.
    struct BrokenSetting: Sendable, CustomTestStringConvertible {
        let variable: String
        let value: String?
        let contents: String?
        let says: String

        init(_ variable: String, _ value: String?, contents: String? = nil, says: String) {
            self.variable = variable
            self.value = value
            self.contents = contents
            self.says = says
        }

        var testDescription: String { "\(variable) \(value ?? "unset") \(contents?.prefix(20) ?? "")" }
    }

    static let brokenSettings = [
        BrokenSetting("CHERISH_APNS_KEY", "/nowhere/key.p8", says: "CHERISH_APNS_KEY cannot be used"),
        BrokenSetting("CHERISH_APNS_KEY", nil, says: "CHERISH_APNS_KEY cannot be used: it is missing"),
        BrokenSetting("CHERISH_APNS_KEY", "FILE", contents: "secret-rubbish", says: "no EC private key in PEM"),
        BrokenSetting(
            "CHERISH_APNS_KEY", "FILE",
            contents: "-----BEGIN PRIVATE KEY-----\nc2VjcmV0LXJ1YmJpc2g=\n-----END PRIVATE KEY-----\n",
            says: "no EC private key in PEM"),
        // The key itself instead of a path.
        BrokenSetting("CHERISH_APNS_KEY", "-----BEGIN PRIVATE KEY-----\nsecret-rubbish", says: "the path of a file"),
        BrokenSetting("CHERISH_FCM_CREDENTIALS", #"{"private_key":"secret-rubbish"}"#, says: "the path of a file"),
        BrokenSetting("CHERISH_PUSH_CA_FILE", "-----BEGIN CERTIFICATE-----secret-rubbish", says: "the path of a file"),
        BrokenSetting("CHERISH_APNS_KEY_ID", nil, says: "CHERISH_APNS_KEY_ID cannot be used: it is missing"),
        BrokenSetting("CHERISH_APNS_TEAM_ID", "a b", says: "CHERISH_APNS_TEAM_ID is not understood"),
        BrokenSetting("CHERISH_APNS_TOPIC", nil, says: "CHERISH_APNS_TOPIC cannot be used: it is missing"),
        BrokenSetting("CHERISH_APNS_ENVIRONMENT", "test", says: "production or sandbox"),
        BrokenSetting("CHERISH_APNS_URL", "http://localhost", says: "CHERISH_APNS_URL is not understood"),
        BrokenSetting("CHERISH_FCM_CREDENTIALS", "/nowhere", says: "CHERISH_FCM_CREDENTIALS cannot be used"),
        BrokenSetting("CHERISH_FCM_CREDENTIALS", "FILE", contents: "{}", says: "no service account in JSON"),
        BrokenSetting(
            "CHERISH_FCM_CREDENTIALS", "FILE",
            contents: #"""
                {"type":"service_account","project_id":"p","private_key_id":"k","client_email":"e",
                "token_uri":"https://localhost/token","private_key":"secret-rubbish"}
                """#, says: "no RSA key in PEM"),
        BrokenSetting("CHERISH_PUSH_CA_FILE", "FILE", contents: "secret-rubbish", says: "CHERISH_PUSH_CA_FILE"),
        BrokenSetting("CHERISH_WEBHOOKS", "yes", says: "public, private or off"),
        BrokenSetting("CHERISH_PUSH_DAILY_CAP", "0", says: "a number from 1 to 1000"),
        BrokenSetting("CHERISH_PUSH_CONCURRENCY", "lots", says: "a number from 1 to 10000"),
        BrokenSetting("CHERISH_PUSH_DEADLINE_MILLISECONDS", "-1", says: "a number from 100 to 120000"),
        BrokenSetting("CHERISH_PUSH", "phones", says: "stdout, jsonl:PATH or devices"),
    ]

    @Test("an unusable setting is named, and nothing is pushed", arguments: PushTests.brokenSettings)
    func brokenSetting(_ broken: BrokenSetting) async throws {
        try await plant()
        try await withOperator(apns: { _, _ in "https://localhost:1" }) { set in
            var variables = set.variables
            let file = set.folder.appendingPathComponent("broken")
            try broken.contents?.write(to: file, atomically: true, encoding: .utf8)
            chmod(file.path, 0o600)
            variables[broken.variable] = broken.value == "FILE" ? file.path : broken.value
            for result in [
                try await Program.worker.with(variables).run(),
                try await Program.cherish.with(variables).run("tick", "--now", PushTests.now),
            ] {
                #expect(result.status == 64)
                #expect(result.code == "invalid_setting")
                #expect(result.errors.contains(broken.says), "\(result.errors)")
                #expect(!result.errors.contains("secret-rubbish"))
            }
            let pushes = try await Program.cherish.json("push", "list", "a@example.com")
            #expect((pushes["pushes"] as? [Any])?.isEmpty == true)
        }
    }

    @Test("a key that others may read is refused with the fix, and nothing is pushed")
    func openKey() async throws {
        try await plant()
        try await withOperator(apns: { _, _ in "https://localhost:1" }) { set in
            let key = set.folder.appendingPathComponent("key.p8").path
            chmod(key, 0o644)
            let result = try await Program.cherish.with(set.variables).run("tick", "--now", PushTests.now)
            #expect(result.status == 64)
            #expect(result.errors.hasPrefix("error: invalid_setting: CHERISH_APNS_KEY cannot be used: "))
            #expect(result.errors.contains("chmod 600 \(key)"))
        }
    }

    @Test("no connection: tick ends, keeps the job and reports the network")
    func unreachable() async throws {
        try await plant()
        try await withOperator(apns: { _, _ in "https://localhost:1" }) { set in
            let result = try await Program.cherish.with(set.variables).run(
                "tick", "--now", PushTests.now, "--output", "json")
            #expect(result.status == 0)
            #expect(try result.json()["retrying"] as? Int == 1)
            #expect(result.errors.contains("APNs cannot be reached (no connection)"))
        }
    }

    @Test("opt-in kinds are off by default; once on, the account's birthday push goes to its phone")
    func birthday() async throws {
        let plants = try await plant()
        let cherish = Program.cherish
        _ = try await cherish.json(
            "friend", "edit", plants[0], "--birthday", "03-01", "--now", "2027-02-23T10:00:00+09:00")
        let holder = ServerHolder()
        try await withOperator {
            try await holder.start($0, $1)
        } _: { set in
            let pushing = cherish.with(set.variables)
            _ = try await cherish.json(
                "account", "edit", "a@example.com", "--birthday-pushes", "on", "--now", "2027-02-24T10:00:00+09:00")
            let counts = try await pushing.json("tick", "--now", "2027-03-01T09:00:00+09:00")
            #expect(counts["delivered"] as? Int == 1)
            #expect(holder.acceptedBodies.first?.contains("오늘은 민지0의 생일이에요") == true)
            // A plant's own switch covers all kinds.
            _ = try await cherish.json(
                "friend", "edit", plants[0], "--pushes", "off", "--now", "2027-03-01T10:00:00+09:00")
            let off = try await pushing.json("tick", "--now", PushTests.now)
            #expect(off["suppressed"] as? Int == 1)
            #expect(holder.acceptedCount == 1)
        }
        await holder.stop()
    }
}

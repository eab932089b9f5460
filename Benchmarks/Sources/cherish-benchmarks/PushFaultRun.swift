import CherishCore
import CherishProviders
import CherishPush
import CherishStore
import CherishTestSupport
import CherishWorker
import Foundation
import Logging
import NIOSSL
import Postgres
import Synchronization
import SystemTimeZones

/// Delivers to local servers that fail one request in five, in every way that Apple, Google and Standard Webhooks
/// document and as networks fail. Then compares each job's outcome with the answers that the servers recorded.
enum PushFaultRun {
    static func run(size: Size, in laboratory: Laboratory) async throws {
        let count = size.isSmoke ? 1000 : 100_000
        try await plant(count, in: laboratory)
        let servers = try await FaultyServers.start()
        try await laboratory.script(
            "UPDATE device SET token = '\(servers.webhook.url)' || token WHERE platform = 'webhook'")
        _ = try await WorkerChild.run(.schedule, in: laboratory)
        let start = ContinuousClock.now
        let rounds = try await deliver(servers, in: laboratory)
        let time = (ContinuousClock.now - start) / .seconds(1)
        try await judge(servers, jobs: count, in: laboratory)
        Report.table(
            "push faults: \(Report.count(Double(count))) jobs, every fifth request fails",
            [["ended", "jobs"]]
                + (try await pairs(
                    "SELECT outcome || ' ' || reason, count(*) FROM push GROUP BY 1 ORDER BY 2 DESC", in: laboratory)))
        Report.table(
            "what the servers answered",
            [["answer", "requests"]] + servers.ledger.counts.map { [$0.key, "\($0.value)"] })
        progress("push faults: \(rounds) looks at what is due, \(Report.decimal(time, 1)) s")
        await servers.stop()
    }

    /// Of every five accounts, three have an iPhone, one an Android phone and one a webhook; each has one plant.
    private static func plant(_ count: Int, in laboratory: Laboratory) async throws {
        try await Garden(accounts: count, plants: count, due: count).plant(in: laboratory)
        try await laboratory.script(
            """
            INSERT INTO device (lane, id, account_id, platform, token, secret, added_at)
            SELECT lane, md5('device' || id)::uuid, id, platform,
                CASE platform WHEN 'webhook' THEN '/hook/' || md5('token' || id)
                    ELSE md5('token' || id) || md5('more' || id) END,
                CASE platform WHEN 'webhook' THEN 'whsec_' || encode(sha256(id::text::bytea), 'base64') END, '2027-02-01'
            FROM account, LATERAL (
                SELECT (ARRAY['ios', 'ios', 'ios', 'android', 'webhook'])[1 + get_byte(uuid_send(id), 3) % 5]::device_platform
            ) AS chosen (platform)
            """)
    }

    /// Delivers until no retry is left. The engine's now jumps from one retry to the next, except while a circuit
    /// breaker waits, which uses the real clock.
    private static func deliver(_ servers: FaultyServers, in laboratory: Laboratory) async throws -> Int {
        let logger = Logger(label: "faults") { _ in SwiftLogNoOpLogHandler() }
        let senders = try servers.senders(logger)
        let zones = SystemTimeZones()
        var now = Garden.now
        var rounds = 0
        while true {
            rounds += 1
            let tick = LaneRunner(
                scheduler: LaneScheduler(pool: laboratory.pool, zones: zones, time: .fixed(now)),
                deliverer: Deliverer(
                    log: DeliveryLog(
                        pool: laboratory.pool, zones: zones, time: .fixed(now), leaseDuration: .seconds(30)),
                    destination: .devices(senders.all), worker: "faults", logger: logger))
            _ = try await tick.deliver()
            let waiting = try await laboratory.pool.withConnection { connection in
                try await connection.query(
                    "SELECT min(retry_at), coalesce(bool_or(last_error LIKE '%left alone%'), false) FROM push_retry")
            }
            guard let row = waiting.first, let next = try row.decode(0, as: Instant?.self) else { break }
            if try row.decode(1, as: Bool.self) { try await Task.sleep(for: .seconds(1)) }
            // Batch the retries that fall due within five seconds.
            now = max(now, next).adding(microseconds: 5_000_000)
        }
        await senders.close()
        return rounds
    }

    /// Checks that every job has exactly one outcome, the one that its last answer requires.
    private static func judge(_ servers: FaultyServers, jobs: Int, in laboratory: Laboratory) async throws {
        let rows = try await laboratory.pool.withConnection { connection in
            try await connection.query(
                """
                SELECT device.token, push.outcome || ' ' || push.reason, device.retired_at IS NOT NULL
                FROM push JOIN device ON device.lane = push.lane AND device.account_id = push.account_id
                """)
        }
        guard rows.count == jobs else { throw BenchmarkError("\(rows.count) outcomes instead of \(jobs)") }
        var wrong: [String] = []
        for row in rows {
            let token = try row.decode(0, as: String.self).replacing(servers.webhook.url, with: "")
            let outcome = try row.decode(1, as: String.self)
            let isRetired = try row.decode(2, as: Bool.self)
            let answers = servers.ledger.answers(to: token)
            let expected = Verdict.expected(after: answers)
            if !expected.outcomes.contains(outcome) || expected.isRetired != isRetired {
                wrong.append("\(outcome), \(isRetired ? "retired" : "living"), after \(answers.map(\.name))")
            }
        }
        guard wrong.isEmpty else {
            throw BenchmarkError(
                "\(wrong.count) jobs ended wrongly, such as: \(wrong.prefix(5).joined(separator: "; "))")
        }
    }

    private static func pairs(_ sql: SQL, in laboratory: Laboratory) async throws -> [[String]] {
        let rows = try await laboratory.pool.withConnection { try await $0.query(sql) }
        return try rows.map { [try $0.decode(0, as: String.self), "\(try $0.decode(1, as: Int.self))"] }
    }
}

/// How a job must end, derived from a server's answers: an independent, simpler version of the senders' answer tables.
private struct Verdict {
    let outcomes: Set<String>
    let isRetired: Bool

    static func expected(after answers: [Fault]) -> Verdict {
        guard let last = answers.last else { return Verdict(outcomes: [], isRetired: false) }
        switch last.meaning {
        case .accepted: return Verdict(outcomes: ["delivered sent", "delivered sent_after_retry"], isRetired: false)
        case .refused: return Verdict(outcomes: ["dead refused"], isRetired: false)
        case .tokenDead: return Verdict(outcomes: ["dead token_dead"], isRetired: true)
        // Retried until other tokens are accepted: before that, the token may not be the cause.
        case .tokenWrong: return Verdict(outcomes: ["dead token_dead"], isRetired: true)
        // Dead after ten counted attempts.
        case .transient:
            let isEnough = answers.count { $0.meaning == .transient } >= 10
            return Verdict(outcomes: isEnough ? ["dead attempts_exhausted"] : [], isRetired: false)
        case .ours: return Verdict(outcomes: ["expired too_late"], isRetired: false)
        }
    }
}

/// One way in which a server answers or fails to answer.
struct Fault: Sendable {
    enum Meaning: Sendable {
        case accepted, refused, tokenDead, tokenWrong, transient
        /// Our settings are wrong: retried without counting an attempt.
        case ours
    }

    let name: String
    let meaning: Meaning
    let answer: @Sendable () -> PushServer.Answer?

    static let accepted = Fault(name: "accepted", meaning: .accepted) { nil }

    /// Fails a fifth of all requests. The token and the number of the attempt decide which, and how.
    static func next(_ faults: [Fault], token: String, attempt: Int) -> Fault {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in "\(token) \(attempt)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        hash ^= hash >> 32
        return hash % 5 == 0 ? faults[Int(hash / 5 % UInt64(faults.count))] : accepted
    }

    /// Faults of connections to any server.
    static let ofNetworks = [
        Fault(name: "reset", meaning: .transient) { PushServer.Answer(ending: .reset) },
        Fault(name: "silence", meaning: .transient) { PushServer.Answer(ending: .silence) },
        Fault(name: "cut body", meaning: .transient) { PushServer.Answer(status: 503, body: huge, ending: .cutBody) },
        Fault(name: "10 MB", meaning: .transient) { PushServer.Answer(status: 500, body: huge) },
        Fault(name: "no JSON", meaning: .transient) {
            PushServer.Answer(status: 502, headers: [("content-type", "text/html")], body: Array("<html>".utf8))
        },
    ]

    private static let huge = [UInt8](repeating: UInt8(ascii: " "), count: 10_000_000)

    static let ofAPNs =
        ofNetworks + [
            apns(400, "BadCollapseId", .refused), apns(400, "BadDeviceToken", .tokenWrong),
            apns(400, "BadExpirationDate", .refused), apns(400, "BadMessageId", .refused),
            apns(400, "BadPriority", .refused), apns(400, "BadTopic", .ours),
            apns(400, "DeviceTokenNotForTopic", .tokenWrong), apns(400, "DuplicateHeaders", .refused),
            apns(400, "IdleTimeout", .transient), apns(400, "InvalidPushType", .refused),
            apns(400, "MissingDeviceToken", .refused), apns(400, "MissingTopic", .ours),
            apns(400, "PayloadEmpty", .refused), apns(400, "TopicDisallowed", .ours),
            apns(403, "BadCertificate", .ours), apns(403, "BadCertificateEnvironment", .ours),
            apns(403, "BadEnvironmentKeyIdInToken", .ours), apns(403, "ExpiredProviderToken", .ours),
            apns(403, "Forbidden", .ours), apns(403, "InvalidProviderToken", .ours),
            apns(403, "MissingProviderToken", .ours), apns(404, "BadPath", .refused),
            apns(405, "MethodNotAllowed", .refused), apns(410, "ExpiredToken", .tokenDead),
            apns(410, "Unregistered", .tokenDead), apns(413, "PayloadTooLarge", .refused),
            apns(429, "TooManyProviderTokenUpdates", .transient), apns(429, "TooManyRequests", .transient),
            apns(500, "InternalServerError", .transient), apns(503, "ServiceUnavailable", .transient),
            apns(503, "Shutdown", .transient),
        ]

    private static func apns(_ status: Int, _ reason: String, _ meaning: Meaning) -> Fault {
        Fault(name: "\(status) \(reason)", meaning: meaning) { APNsServer.refusal(status: status, reason: reason) }
    }

    static let ofFCM =
        ofNetworks + [
            fcm(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", .refused, badField: "message.data"),
            fcm(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", .tokenWrong, badField: "message.token"),
            fcm(404, "NOT_FOUND", "UNREGISTERED", .tokenDead),
            fcm(403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH", .tokenWrong),
            fcm(403, "PERMISSION_DENIED", nil, .ours), fcm(401, "UNAUTHENTICATED", nil, .ours),
            fcm(401, "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR", .ours),
            fcm(429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED", .transient),
            fcm(503, "UNAVAILABLE", "UNAVAILABLE", .transient), fcm(500, "INTERNAL", "INTERNAL", .transient),
        ]

    private static func fcm(
        _ status: Int, _ code: String, _ errorCode: String?, _ meaning: Meaning, badField: String? = nil
    ) -> Fault {
        Fault(name: "\(status) \(errorCode ?? code)\(badField.map { " of \($0)" } ?? "")", meaning: meaning) {
            FCMServer.refusal(status: status, code: code, errorCode: errorCode, badField: badField)
        }
    }

    static let ofWebhooks =
        ofNetworks.filter { $0.name != "10 MB" }
        + [
            (301, Meaning.refused), (400, .refused), (401, .refused), (403, .refused), (404, .refused),
            (408, .transient),
            (410, .tokenDead), (413, .refused), (425, .transient), (429, .transient), (500, .transient),
            (502, .transient),
            (503, .transient), (504, .transient),
        ].map { status, meaning in
            Fault(name: "webhook \(status)", meaning: meaning) {
                PushServer.Answer(status: status, headers: [("location", "https://example.com/")])
            }
        }
}

/// The answers to each token, in order.
final class Ledger: Sendable {
    private let entries = Mutex<[String: [Fault]]>([:])

    /// Chooses the next answer, and records it.
    func next(_ faults: [Fault], token: String) -> Fault {
        entries.withLock { entries in
            let fault = Fault.next(faults, token: token, attempt: entries[token]?.count ?? 0)
            entries[token, default: []].append(fault)
            return fault
        }
    }

    func answers(to token: String) -> [Fault] { entries.withLock { $0[token] ?? [] } }

    /// How often each answer was given.
    var counts: [(key: String, value: Int)] {
        entries.withLock { entries in
            var counts: [String: Int] = [:]
            for fault in entries.values.joined() { counts[fault.name, default: 0] += 1 }
            return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        }
    }
}

/// One server per platform, all with the same ledger.
struct FaultyServers {
    let apns: APNsServer
    let fcm: FCMServer
    let webhook: PushServer
    let ledger: Ledger
    private let authority: TestCertificateAuthority
    private let apnsKey: TestSigningKey
    private let fcmKey: TestSigningKey

    static func start() async throws -> FaultyServers {
        let authority = try TestCertificateAuthority()
        let (apnsKey, fcmKey) = (TestSigningKey.es256(), try TestSigningKey.rs256())
        let ledger = Ledger()
        return FaultyServers(
            apns: try await APNsServer.start(
                authority: authority, publicKeyPEM: apnsKey.publicKeyPEM, keyID: "ABC123DEFG", teamID: "DEF123GHIJ",
                topic: "com.example.cherish", remembers: false,
                fault: { _, token in ledger.next(Fault.ofAPNs, token: token).answer() }),
            fcm: try await FCMServer.start(
                authority: authority, publicKeyPEM: fcmKey.publicKeyPEM, remembers: false,
                fault: { _, token in ledger.next(Fault.ofFCM, token: token).answer() }),
            webhook: try await PushServer.start(authority: authority, protocol: .http2) { request in
                ledger.next(Fault.ofWebhooks, token: request.path).answer() ?? PushServer.Answer(status: 204)
            },
            ledger: ledger, authority: authority, apnsKey: apnsKey, fcmKey: fcmKey)
    }

    /// The senders of a worker, and how to close them.
    struct Senders {
        let all: DeviceSenders
        let close: @Sendable () async -> Void
    }

    func senders(_ logger: Logger) throws -> Senders {
        let transport = TransportSettings(
            deadline: .seconds(1),
            additionalRoots: [try NIOSSLCertificate(bytes: Array(authority.pem.utf8), format: .pem)])
        let apnsSender = try APNsSender(
            APNsSettings(
                privateKey: apnsKey.privateKeyPEM, keyID: "ABC123DEFG", teamID: "DEF123GHIJ",
                topic: "com.example.cherish", url: apns.url), transport: transport, logger: logger)
        let account = try ServiceAccount(json: try fcm.serviceAccount(privateKeyPEM: fcmKey.privateKeyPEM))
        let fcmSender = FCMSender(
            FCMSettings(account: account, url: fcm.url), transport: transport, logger: logger)
        let webhookSender = WebhookSender(allowsPrivateAddresses: true, transport: transport, logger: logger)
        return Senders(all: DeviceSenders([.ios: apnsSender, .android: fcmSender, .webhook: webhookSender])) {
            await apnsSender.close()
            await fcmSender.close()
            await webhookSender.close()
        }
    }

    func stop() async {
        await apns.stop()
        await fcm.stop()
        await webhook.stop()
    }
}

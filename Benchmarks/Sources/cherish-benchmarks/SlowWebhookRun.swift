import CherishCore
import CherishProviders
import CherishPush
import CherishStore
import CherishTestSupport
import CherishWorker
import Foundation
import Glibc
import Logging
import NIOSSL
import Postgres
import ServiceLifecycle
import Synchronization
import SystemTimeZones

/// How much stalling webhooks delay everyone else. Equal numbers of accounts with stalling webhooks, quick webhooks and
/// iPhones, each in its own lane, are due at the same instant; other turns leave out the stalling ones. A freshly
/// started worker, which knows nothing of the hosts, delivers with real senders to local servers.
enum SlowWebhookRun {
    static func run(size: Size, in laboratory: Laboratory) async throws {
        let count = size.isSmoke ? 3 : 24
        let rounds = size.isSmoke ? 1 : size.rounds
        let servers = try await StallingServers.start(stall: size.isSmoke ? .seconds(2) : .milliseconds(9500))
        try await plant(count, servers, in: laboratory)
        var turn = 0
        func measure(_ groups: [Group]) async throws -> [Group: [Double]] {
            turn += 1
            progress(
                "slow webhooks: turn \(turn) of \(2 * rounds + 1), \(groups.map(\.rawValue).joined(separator: ", "))")
            return try await deliver(groups, count: count, turn: turn, servers, in: laboratory)
        }
        // Warm up connections, statistics and caches, as in a long-running service.
        _ = try await measure(Group.others)
        var (without, with): ([Group: [Double]], [Group: [Double]]) = ([:], [:])
        for round in 0..<rounds {
            for stalls in round.isMultiple(of: 2) ? [false, true] : [true, false] {
                let delays = try await measure(stalls ? Group.allCases : Group.others)
                if stalls {
                    with.merge(delays) { $0 + $1 }
                } else {
                    without.merge(delays) { $0 + $1 }
                }
            }
        }
        await servers.stop()
        try report(without, with, count: count, isSmoke: size.isSmoke)
    }

    /// The devices of a third of the accounts.
    private enum Group: String, CaseIterable {
        case stalling = "stalling webhooks"
        case quick = "quick webhooks"
        case phones = "iPhones"

        static let others: [Group] = [.quick, .phones]

        /// An account belongs to the group whose place is the account's number modulo 3.
        var place: Int { Group.allCases.firstIndex(of: self) ?? 0 }
    }

    private static func report(
        _ without: [Group: [Double]], _ with: [Group: [Double]], count: Int, isSmoke: Bool
    ) throws {
        func row(_ name: String, _ milliseconds: [Double]) -> [String] {
            [name, "\(milliseconds.count)"]
                + [0.5, 0.99, 1].map { Report.decimal(percentile($0, milliseconds), 1) }
        }
        var rows = [["", "count", "p50", "p99", "highest"]]
        for group in Group.others {
            rows.append(row("\(group.rawValue), nobody stalls", without[group] ?? []))
            rows.append(row("\(group.rawValue), beside \(count) that stall", with[group] ?? []))
        }
        Report.table("slow webhooks: due → received by the others, milliseconds", rows)
        for group in Group.others {
            let ratio = percentile(0.99, with[group] ?? []) / percentile(0.99, without[group] ?? [])
            progress("slow webhooks: p99 of \(group.rawValue) is \(Report.decimal(ratio, 2)) times as high")
            if ratio > 2 && !isSmoke {
                throw BenchmarkError("webhooks that stall delay \(group.rawValue): p99 is \(ratio) times as high")
            }
        }
    }

    private static func percentile(_ share: Double, _ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }

    // MARK: - The garden

    /// A zone where it is about noon, so that no day ends during the run.
    private static var zone: String {
        let shift = 12 - (Int(Date().timeIntervalSince1970) / 3600) % 24
        return shift == 0 ? "Etc/GMT" : "Etc/GMT\(shift > 0 ? "-" : "+")\(abs(shift))"
    }

    private static let account =
        "(substr(md5('stall' || number), 1, 30) || lpad(to_hex(number), 2, '0'))::uuid"

    /// Adds accounts, each in its own lane with one device; no two webhooks share a host.
    private static func plant(_ count: Int, _ servers: StallingServers, in laboratory: Laboratory) async throws {
        try await laboratory.script(
            """
            SELECT make_partition('occurrence', 'month', now()), make_log_partitions(now());
            INSERT INTO account SELECT number, \(account), 'stall' || number || '@example.com', '민지', NULL, '\(zone)', 'ko',
                true, true, false, false, now() FROM generate_series(0, \(3 * count) - 1) AS number;
            """)
        for number in 0..<(3 * count) {
            let group = Group.allCases[number % 3]
            let (platform, token) =
                group == .phones
                ? ("ios", StallingServers.token(number))
                : ("webhook", servers.url(of: number, stalls: group == .stalling))
            try await laboratory.script(
                """
                INSERT INTO device (lane, id, account_id, platform, token, secret, added_at)
                SELECT number, md5('device' || number)::uuid, \(account), '\(platform)', '\(token)',
                    CASE '\(platform)' WHEN 'webhook' THEN 'whsec_' || encode(sha256('\(number)'), 'base64') END, now()
                FROM (VALUES (\(number))) AS one (number)
                """)
        }
        try await laboratory.script("VACUUM ANALYZE")
    }

    /// Adds a plant for each account of some groups, all due in three seconds. Returns that instant.
    private static func sow(_ groups: [Group], count: Int, turn: Int, in laboratory: Laboratory) async throws -> Instant
    {
        let places = groups.map { "\($0.place)" }.joined(separator: ", ")
        try await laboratory.script(
            """
            SELECT make_partition('occurrence', 'month', now()), make_log_partitions(now());
            CREATE TABLE sown AS
            SELECT number::smallint AS lane, \(account) AS account, md5('plant \(turn) ' || number)::uuid AS plant, due.at
            FROM generate_series(0, \(3 * count) - 1) AS number,
                (SELECT clock_timestamp() + interval '3 seconds' AS at) AS due
            WHERE number % 3 IN (\(places));
            INSERT INTO plant SELECT lane, plant, account, '김하나', '+8210' || 10000000 + \(turn), '하나', NULL, NULL, NULL, 7,
                720, (at AT TIME ZONE '\(zone)')::date - 7, NULL, (at AT TIME ZONE '\(zone)')::date, 'registration', 0, 0,
                0, true, at, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, now(), NULL FROM sown;
            INSERT INTO occurrence SELECT lane, at, account, plant, 'watering_due',
                (at AT TIME ZONE '\(zone)')::date - '1970-01-01'::date FROM sown;
            """)
        let due = try await laboratory.value("SELECT min(at) FROM sown", as: Instant.self)
        try await laboratory.script("DROP TABLE sown")
        return due
    }

    // MARK: - A turn

    /// Returns the milliseconds from the due instant to each push's arrival, except at stalling webhooks.
    private static func deliver(
        _ groups: [Group], count: Int, turn: Int, _ servers: StallingServers, in laboratory: Laboratory
    ) async throws -> [Group: [Double]] {
        servers.forget()
        let due = try await sow(groups, count: count, turn: turn, in: laboratory)
        try await withWorker(servers, in: laboratory) {
            let end = ContinuousClock.now.advanced(by: .seconds(120))
            while ContinuousClock.now < end {
                let open = try await laboratory.value(
                    "SELECT count(*) FROM push WHERE outcome IS NULL", as: Int.self)
                let waiting = servers.received.count < groups.count * count
                if open == 0 && !waiting { return }
                try await Task.sleep(for: .milliseconds(100))
            }
            throw BenchmarkError("\(servers.received.count) of \(groups.count * count) pushes within two minutes")
        }
        var delays: [Group: [Double]] = [:]
        for (number, at) in servers.received where number % 3 != Group.stalling.place {
            let microseconds = at.microsecondsSinceEpoch - due.microsecondsSinceEpoch
            delays[Group.allCases[number % 3], default: []].append(Double(microseconds) / 1000)
        }
        return delays
    }

    /// Runs all services of a worker, with new senders, while the body runs.
    private static func withWorker(
        _ servers: StallingServers, in laboratory: Laboratory, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let logger = Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() }
        let senders = try servers.senders(logger)
        let zones = SystemTimeZones()
        try await laboratory.withConnections(10) { pool in
            let worker = Worker(
                scheduler: LaneScheduler(pool: pool, zones: zones, time: .database),
                deliverer: Deliverer(
                    log: DeliveryLog(pool: pool, zones: zones, time: .database, leaseDuration: .seconds(30)),
                    destination: .devices(senders.all), worker: "slow webhooks", logger: logger),
                housekeeping: Housekeeping(pool: pool, time: .database, retention: 90),
                store: CareStore(pool: pool, zones: zones), concurrency: 4, pollInterval: .milliseconds(500),
                logger: logger)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for service in worker.services { group.addTask { try await service.run() } }
                group.addTask { try await body() }
                // The services run until they are cancelled.
                try await group.next()
                group.cancelAll()
            }
        }
        await senders.close()
    }
}

/// An APNs server, a webhook server that answers at once, and one that stalls.
private struct StallingServers {
    private let apns: APNsServer
    private let quick: PushServer
    private let stalling: PushServer
    private let log: Arrivals
    private let authority: TestCertificateAuthority
    private let key: TestSigningKey

    /// When each account first received its push, by account number.
    private final class Arrivals: Sendable {
        let times = Mutex<[Int: Instant]>([:])

        func note(_ number: Int?) {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            let at = Instant(
                microsecondsSinceEpoch: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
            guard let number else { return }
            times.withLock { $0[number] = $0[number] ?? at }
        }
    }

    static func start(stall: Duration) async throws -> StallingServers {
        let (authority, key, log) = (try TestCertificateAuthority(), TestSigningKey.es256(), Arrivals())
        return StallingServers(
            apns: try await APNsServer.start(
                authority: authority, publicKeyPEM: key.publicKeyPEM, keyID: "ABC123DEFG", teamID: "DEF123GHIJ",
                topic: "com.example.cherish", remembers: false,
                fault: { _, token in
                    log.note(Int(token.prefix(4), radix: 16))
                    return nil
                }),
            quick: try await PushServer.start(authority: authority, protocol: .plainHTTP1) { request in
                log.note(Int(request.path.dropFirst()))
                return PushServer.Answer(status: 204)
            },
            stalling: try await PushServer.start(authority: authority, protocol: .plainHTTP1) { request in
                log.note(Int(request.path.dropFirst()))
                return PushServer.Answer(status: 204, delay: stall)
            },
            log: log, authority: authority, key: key)
    }

    var received: [Int: Instant] { log.times.withLock { $0 } }

    func forget() { log.times.withLock { $0 = [:] } }

    /// The token of an account's iPhone, which begins with the account's number.
    static func token(_ number: Int) -> String { String(format: "%04x", number) + String(repeating: "ab12", count: 15) }

    /// An account's webhook URL, with one of the many spellings of 127.0.0.1 as its host.
    func url(of number: Int, stalls: Bool) -> String {
        let first = ["127", "0177", "0x7f", "0x07f"], other = ["0", "00", "0x0", "000"]
        let name =
            "\(first[number % 4]).\(other[number / 4 % 4]).\(other[number / 16 % 4]).\(number < 64 ? "1" : "0x1")"
        return "http://\(name):\(stalls ? stalling.port : quick.port)/\(number)"
    }

    struct Senders {
        let all: DeviceSenders
        let close: @Sendable () async -> Void
    }

    /// The senders of a worker.
    func senders(_ logger: Logger) throws -> Senders {
        let transport = TransportSettings(
            deadline: .seconds(10),
            additionalRoots: [try NIOSSLCertificate(bytes: Array(authority.pem.utf8), format: .pem)])
        let apnsSender = try APNsSender(
            APNsSettings(
                privateKey: key.privateKeyPEM, keyID: "ABC123DEFG", teamID: "DEF123GHIJ",
                topic: "com.example.cherish", url: apns.url), transport: transport, logger: logger)
        let webhookSender = WebhookSender(allowsPrivateAddresses: true, transport: transport, logger: logger)
        return Senders(
            all: DeviceSenders(
                [.ios: apnsSender, .webhook: webhookSender], dailyCap: 1000, patience: .seconds(15),
                waitsForWebhooks: false)
        ) {
            await apnsSender.close()
            await webhookSender.close()
        }
    }

    func stop() async {
        await apns.stop()
        await quick.stop()
        await stalling.stop()
    }
}

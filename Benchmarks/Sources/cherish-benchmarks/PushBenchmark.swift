import ArgumentParser
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
import SystemTimeZones

/// Pushes over one HTTP/2 connection to a local server that behaves like Apple's, against other clients at the same
/// concurrency.
enum PushBenchmark {
    static let concurrency = 500
    static let deviceToken = String(repeating: "ab12", count: 16)

    static func run(size: Size, in laboratory: Laboratory) async throws {
        let count = size.isSmoke ? 500 : 100_000
        try await plant(count, in: laboratory)
        let folder = laboratory.cluster.home
        let server = try PushServerProcess(folder: folder)
        let request = SampleRequest(folder: folder, url: server.url)
        try request.write()
        var contestants = [
            Contestant(name: "Cherish, the sender alone", expectedItems: count) { _ in
                try await PushChild.run("send", count: count, server)
            },
            Contestant(
                name: "Cherish, from the log to receipts", prepare: DeliverBenchmark.rewind, expectedItems: count
            ) { laboratory in
                try await PushChild.run("deliver", count: count, server, database: laboratory.connectionString)
            },
        ]
        if FileManager.default.isExecutableFile(atPath: "/usr/bin/h2load") {
            contestants.append(
                Contestant(name: "h2load (C)", expectedItems: count) { _ in try request.h2load(count) })
        }
        if PythonClient.isThere {
            let part = size.isSmoke ? count : count / 10
            contestants.append(
                Contestant(name: "httpx (Python)", expectedItems: part) { _ in
                    let seconds = try PythonClient.run(
                        "push.py",
                        [
                            "\(server.url)/3/device/\(deviceToken)", server.authorityPath, folder + "/headers.json",
                            folder + "/payload.json", "\(part)", "\(concurrency)",
                        ])
                    return Work(items: part, seconds: seconds)
                })
        }
        try await Contest(
            title: "push: one HTTP/2 connection, \(concurrency) at once, \(Report.count(Double(count))) pushes",
            rounds: min(size.rounds, 5), contestants: contestants
        ).run(in: laboratory)
        try server.stop()
    }

    /// Schedules due plants, each in its own account with an iPhone.
    private static func plant(_ count: Int, in laboratory: Laboratory) async throws {
        try await Garden(accounts: count, plants: count, due: count).plant(in: laboratory)
        try await laboratory.script(
            """
            INSERT INTO device (lane, id, account_id, platform, token, added_at)
            SELECT lane, md5('device' || id)::uuid, id, 'ios', md5('token' || id) || md5('more' || id), '2027-01-01'
            FROM account
            """)
        _ = try await WorkerChild.run(.schedule, in: laboratory)
        try await laboratory.script("VACUUM ANALYZE")
    }
}

/// The local server, in a process of its own.
struct PushServerProcess {
    let url: String
    let authorityPath: String
    let keyPath: String
    private let child: Child

    /// - Parameter command: The child process that serves.
    init(_ command: String = "push-child", folder: String) throws {
        child = try Child(arguments: [command, "serve", "--folder", folder])
        try child.waitUntilReady()
        authorityPath = folder + "/authority.pem"
        keyPath = folder + "/key.p8"
        url = try String(contentsOfFile: folder + "/url", encoding: .utf8)
    }

    /// Stops it, and returns how many pushes it accepted.
    @discardableResult
    func stop() throws -> Int {
        child.go()
        return try child.result(as: Work.self).items
    }
}

/// The benchmark's child processes: the server, the sender alone, and delivery.
struct PushChild: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "push-child", shouldDisplay: false)

    enum Task: String, ExpressibleByArgument {
        case serve, send, deliver
    }

    @Argument var task: Task
    @Option var folder = ""
    @Option var url = ""
    @Option var count = 0
    @Option var database = ""

    static func run(_ task: String, count: Int, _ server: PushServerProcess, database: String = "") async throws
        -> Work
    {
        let child = try Child(arguments: [
            "push-child", task, "--url", server.url, "--count", "\(count)", "--database", database, "--folder",
            URL(fileURLWithPath: server.keyPath).deletingLastPathComponent().path,
        ])
        try child.waitUntilReady()
        child.go()
        return try child.result()
    }

    func run() async throws {
        if task == .serve { return try await serve() }
        let logger = Logger(label: "benchmark") { StreamLogHandler.standardError(label: $0) }
        let settings = APNsSettings(
            privateKey: try String(contentsOfFile: folder + "/key.p8", encoding: .utf8), keyID: "ABC123DEFG",
            teamID: "DEF123GHIJ", topic: "com.example.cherish", url: url, concurrency: PushBenchmark.concurrency)
        let sender = try APNsSender(settings, transport: try Self.transport(trusting: folder), logger: logger)
        // Connect first, like a long-running worker.
        _ = await sender.send(try SampleRequest.push(), to: SampleRequest.device, at: Garden.now)
        try await Child.work {
            task == .send
                ? try await Self.send(count, through: sender, to: [SampleRequest.device])
                : try await deliver(through: sender, logger)
        }
        await sender.close()
    }

    static func transport(trusting folder: String) throws -> TransportSettings {
        TransportSettings(
            deadline: .seconds(30), additionalRoots: try NIOSSLCertificate.fromPEMFile(folder + "/authority.pem"))
    }

    /// Sends as the worker does, to the devices in turns: as many tasks as the sender sends at once, each one push after
    /// the other. Returns how many were accepted.
    static func send(_ count: Int, through sender: any DeviceSender, to devices: [Device]) async throws -> Int {
        let push = try SampleRequest.push()
        let rest = Rest(Array(0..<count))
        return await withTaskGroup(of: Int.self) { group in
            for _ in 0..<sender.concurrency {
                group.addTask {
                    var accepted = 0
                    while let number = await rest.next() {
                        let device = devices[number % devices.count]
                        if await sender.send(push, to: device, at: Garden.now) == .accepted { accepted += 1 }
                    }
                    return accepted
                }
            }
            return await group.reduce(0, +)
        }
    }

    private func deliver(through sender: APNsSender, _ logger: Logger) async throws -> Int {
        let pool = ConnectionPool(
            configuration: PostgresConfiguration(
                connectionString: database, applicationName: "contestant", connectTimeout: .seconds(30),
                statementTimeout: nil),
            maximumConnections: 10, acquireTimeout: .seconds(60))
        let zones = SystemTimeZones()
        let counts = try await LaneRunner(
            scheduler: LaneScheduler(pool: pool, zones: zones, time: .fixed(Garden.now)),
            deliverer: Deliverer(
                log: DeliveryLog(pool: pool, zones: zones, time: .fixed(Garden.now), leaseDuration: .seconds(30)),
                destination: .devices(DeviceSenders([.ios: sender])), worker: "\(getpid())", logger: logger)
        ).deliver()
        await pool.close()
        return counts.delivered
    }

    private func serve() async throws {
        let key = TestSigningKey.es256()
        let authority = try TestCertificateAuthority()
        try key.privateKeyPEM.write(toFile: folder + "/key.p8", atomically: true, encoding: .utf8)
        chmod(folder + "/key.p8", 0o600)
        try authority.pem.write(toFile: folder + "/authority.pem", atomically: true, encoding: .utf8)
        let server = try await APNsServer.start(
            authority: authority, publicKeyPEM: key.publicKeyPEM, keyID: "ABC123DEFG", teamID: "DEF123GHIJ",
            topic: "com.example.cherish", maximumStreams: 1000, checksPayload: false, remembers: false)
        try await key.providerToken(keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
            .write(toFile: folder + "/provider-token", atomically: true, encoding: .utf8)
        try server.url.write(toFile: folder + "/url", atomically: true, encoding: .utf8)
        try await Child.serve { server.acceptedCount }
        await server.stop()
    }
}

/// The same push for all clients.
struct SampleRequest {
    let folder: String
    let url: String

    static let device = Device(
        id: Device.ID(UUID()), platform: .ios, token: PushBenchmark.deviceToken, addedAt: Garden.firstAlarm)

    static func push() throws -> AccountPush {
        let account = Account.ID(UUID())
        let message = PushMessage(
            lane: Lane(7), seq: 1, accountID: account, subjectID: Subject.ID(UUID()), topic: .wateringDue,
            occursOn: CivilDay(daysSinceEpoch: 20_878), language: .korean,
            values: PushValues(name: "하나", noun: Species.dandelion.name(in: .korean), number: 1), deviceToken: nil)
        return AccountPush(
            accountID: account, language: .korean, content: .one(message), collapseID: "watering_due-20270302T0000Z",
            plannedAt: Garden.firstAlarm, expiresAt: Garden.firstAlarm.adding(hours: 15), links: DeepLinks())
    }

    /// Writes the payload and the headers that our sender would send.
    func write() throws {
        let payload = #"""
            {"aps":{"alert":{"body":"함께한 지 1일째, 오늘은 민들레에 물을 주는 날이에요. 반가운 목소리를 들려주세요.","title":"하나가 물을 기다려요"},"sound":"default","thread-id":"watering_due"},"kind":"watering_due","link":"cherish://plants/11110000-0000-5000-8000-000000000001/water","occursOn":"2027-03-02","plantId":"11110000-0000-5000-8000-000000000001"}
            """#
        try payload.write(toFile: folder + "/payload.json", atomically: true, encoding: .utf8)
        try JSONEncoder().encode(try headers()).write(to: URL(fileURLWithPath: folder + "/headers.json"))
    }

    private func headers() throws -> [String: String] {
        [
            "authorization": "bearer \(try String(contentsOfFile: folder + "/provider-token", encoding: .utf8))",
            "apns-topic": "com.example.cherish", "apns-push-type": "alert", "apns-priority": "10",
            "apns-expiration": "1803999600", "apns-collapse-id": "watering_due-20270302T0000Z",
            "apns-id": "11110000-0000-5000-8000-000000000001",
        ]
    }

    /// nghttp2's load generator.
    func h2load(_ count: Int) throws -> Work {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/h2load")
        let headers = try headers().flatMap { ["-H", "\($0.key): \($0.value)"] }
        process.arguments =
            ["-n", "\(count)", "-c", "1", "-m", "\(PushBenchmark.concurrency)", "-d", folder + "/payload.json"]
            + headers
            + ["\(url)/3/device/\(PushBenchmark.deviceToken)"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard let rate = text.firstMatch(of: #/finished in [^,]*, ([0-9.]+) req\/s/#).flatMap({ Double($0.1) }),
            let done = text.firstMatch(of: #/status codes: ([0-9]+) 2xx/#).flatMap({ Int($0.1) }), rate > 0
        else { throw BenchmarkError("h2load said: \(text)") }
        return Work(items: done, seconds: Double(done) / rate)
    }
}

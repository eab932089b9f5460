import ArgumentParser
import CherishCore
import CherishProviders
import CherishPush
import CherishTestSupport
import Crypto
import Foundation
import Logging
import Secrets

/// The processor time of a push to a browser, beside that of one to an iPhone and that of the bare encryption, which no
/// browser can do without: a key of its own for each push, and an agreement with the browser's (RFC 8291).
enum WebPushBenchmark {
    static let browserCount = 1000
    /// A push to a browser may take the time of one to an iPhone, and so many times that of the encryption.
    private static let mostEncryptions = 1.3

    static func run(size: Size) async throws {
        let count = size.isSmoke ? 500 : 50_000
        let rounds = min(size.rounds, 5)
        let home = FileManager.default.temporaryDirectory.path + "/cherish-webpush-\(UUID().uuidString)"
        let folder = home + "/browsers"
        for folder in [home, folder] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        defer { try? FileManager.default.removeItem(atPath: home) }
        let apple = try PushServerProcess(folder: home)
        let service = try PushServerProcess("web-push-child", folder: folder)
        let contestants: [(name: String, work: () async throws -> Work)] = [
            ("APNs", { try await PushChild.run("send", count: count, apple) }),
            ("Web Push", { try WebPushChild.run("send", count: count, folder) }),
            ("the bare encryption", { try WebPushChild.run("encrypt", count: count, folder) }),
        ]
        var microseconds: [[Double]] = contestants.map { _ in [] }
        for round in 1...rounds {
            for place in contestants.indices.map({ ($0 + round - 1) % contestants.count }) {
                let (name, work) = contestants[place]
                progress("webpush: round \(round) of \(rounds), \(name)")
                let done = try await work()
                guard done.items == count, let processorSeconds = done.processorSeconds else {
                    throw BenchmarkError("\(name) did \(done.items) instead of \(count)")
                }
                microseconds[place].append(processorSeconds / Double(count) * 1_000_000)
            }
        }
        try apple.stop()
        try service.stop()
        let most = zip(microseconds[0], microseconds[2]).map { $0 + mostEncryptions * $1 }
        let shares = zip(microseconds[1], most).map { $0 / $1 }
        var rows = [["", "median", "lowest – highest"]]
        func add(_ name: String, _ values: [Double], places: Int) {
            let figure = Standing.Figure(values)
            let (lowest, highest) = (
                Report.decimal(figure.lowest, places), Report.decimal(figure.highest, places)
            )
            rows.append([name, Report.decimal(figure.median, places), "\(lowest) – \(highest)"])
        }
        for (contestant, values) in zip(contestants, microseconds) { add(contestant.name, values, places: 1) }
        add("APNs + \(mostEncryptions) × the encryption", most, places: 1)
        add("Web Push / that; the bar is 1", shares, places: 2)
        Report.table("webpush: microseconds of processor time a push, \(Report.count(Double(count))) pushes", rows)
    }
}

/// The benchmark's child processes: the push service with its browsers, the sender, and the encryption alone.
struct WebPushChild: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "web-push-child", shouldDisplay: false)

    enum Task: String, ExpressibleByArgument {
        case serve, send, encrypt
    }

    /// What the service tells the sender of a browser.
    private struct Subscription: Codable {
        let endpoint, p256dh, auth: String
    }

    @Argument var task: Task
    @Option var folder: String
    @Option var count = 0

    static func run(_ task: String, count: Int, _ folder: String) throws -> Work {
        let child = try Child(arguments: ["web-push-child", task, "--count", "\(count)", "--folder", folder])
        try child.waitUntilReady()
        child.go()
        return try child.result()
    }

    func run() async throws {
        switch task {
        case .serve: try await serve()
        case .send: try await send()
        case .encrypt: try await encrypt()
        }
    }

    private func send() async throws {
        guard let key = VAPIDKey(pem: try String(contentsOfFile: folder + "/vapid.pem", encoding: .utf8)),
            let subject = VAPIDSubject("mailto:push@example.com")
        else { throw BenchmarkError("the key cannot be read") }
        let sender = WebPushSender(
            WebPushSettings(
                key: key, subject: subject, origin: "https://cherish.example", hosts: ["127.0.0.1"],
                allowsPrivateAddresses: true, concurrency: PushBenchmark.concurrency),
            transport: try PushChild.transport(trusting: folder),
            logger: Logger(label: "benchmark") { StreamLogHandler.standardError(label: $0) })
        let devices = try devices()
        // Connect first, like a long-running worker.
        _ = await sender.send(try SampleRequest.push(), to: devices[0], at: Garden.now)
        try await Child.work { try await PushChild.send(count, through: sender, to: devices) }
        await sender.close()
    }

    /// Encrypts a push for one browser after the other, by swift-crypto alone.
    private func encrypt() async throws {
        let keys = try devices().compactMap(\.subscriptionKeys)
        let text = Array(try Data(contentsOf: URL(fileURLWithPath: "fixtures/push/webpush-watering_due-ko.json")))
        try await Child.work {
            var encrypted = 0
            for number in 0..<count where try body(of: text, for: keys[number % keys.count]) > text.count {
                encrypted += 1
            }
            return encrypted
        }
    }

    private func body(of text: [UInt8], for keys: PushSubscription.Keys) throws -> Int {
        let browser = try P256.KeyAgreement.PublicKey(x963Representation: keys.p256dh)
        let own = P256.KeyAgreement.PrivateKey()
        let point = own.publicKey.x963Representation
        let salt = SymmetricKey(size: .bits128).withUnsafeBytes { Data($0) }
        let agreed = try own.sharedSecretFromKeyAgreement(with: browser).hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: keys.auth, sharedInfo: Data("WebPush: info\0".utf8) + keys.p256dh + point,
            outputByteCount: 32)
        let secret = HKDF<SHA256>.extract(inputKeyMaterial: agreed, salt: salt)
        func expanded(_ purpose: String, _ count: Int) -> SymmetricKey {
            HKDF<SHA256>.expand(
                pseudoRandomKey: secret, info: Data("Content-Encoding: \(purpose)\0".utf8), outputByteCount: count)
        }
        let nonce = try AES.GCM.Nonce(data: expanded("nonce", 12).withUnsafeBytes { Data($0) })
        return try AES.GCM.seal(text, using: expanded("aes128gcm", 16), nonce: nonce).ciphertext.count + point.count
    }

    private func devices() throws -> [Device] {
        let file = try Data(contentsOf: URL(fileURLWithPath: folder + "/subscriptions.json"))
        return try JSONDecoder().decode([Subscription].self, from: file).map { subscription in
            Device(
                id: Device.ID(UUID()), platform: .web, token: subscription.endpoint,
                subscriptionKeys: PushSubscription.Keys(p256dh: subscription.p256dh, auth: subscription.auth),
                addedAt: Garden.firstAlarm)
        }
    }

    private func serve() async throws {
        let key = VAPIDKey()
        let authority = try TestCertificateAuthority()
        try key.pem.write(toFile: folder + "/vapid.pem", atomically: true, encoding: .utf8)
        try authority.pem.write(toFile: folder + "/authority.pem", atomically: true, encoding: .utf8)
        let service = try await WebPushService.start(authority: authority, remembers: false)
        let subscriptions = (0..<WebPushBenchmark.browserCount).compactMap { _ in
            service.subscribe(TestBrowser(), to: key.publicKey)
        }
        .map { subscription in
            Subscription(
                endpoint: subscription.endpoint, p256dh: Base64URL.encode(subscription.keys.p256dh),
                auth: Base64URL.encode(subscription.keys.auth))
        }
        try JSONEncoder().encode(subscriptions).write(to: URL(fileURLWithPath: folder + "/subscriptions.json"))
        try service.origin.write(toFile: folder + "/url", atomically: true, encoding: .utf8)
        try await Child.serve { service.acceptedCount }
        await service.stop()
    }
}

import CherishCore
import CherishPush
import CherishTestSupport
import Dispatch
import Foundation
import JWTKit
import Logging
import NIOSSL
import Secrets
import Synchronization
import Testing

@testable import CherishProviders

let accountID = Account.ID(UUID(uuid: (0x5e, 0xed, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 7)))
let plantID = Plant.ID(UUID(uuid: (0x11, 0x11, 0, 0, 0, 0, 0x50, 0, 0x80, 0, 0, 0, 0, 0, 0, 1)))

/// 09:00 in Seoul.
func now() throws -> Instant {
    try #require(Instant("2027-03-02T00:00:00Z"))
}

/// The end of the day in Seoul, fifteen hours later.
func endOfDay() throws -> Instant {
    try #require(Instant("2027-03-02T15:00:00Z"))
}

func today() throws -> CivilDay {
    try #require(CivilDay("2027-03-02"))
}

// MARK: - Pushes

/// The pushes in `fixtures/push`, by the middle part of their file names.
enum Sample: String, CaseIterable, Sendable {
    case wateringDue = "watering_due"
    case reviewMissing = "review_missing"
    case birthday
    case withered
    case combined
    case digest

    /// The push about 하나, or Hana, who is a dandelion of 43 days.
    func push(_ language: Language = .korean) throws -> AccountPush {
        let name = language == .korean ? "하나" : "Hana"
        switch self {
        case .wateringDue:
            let keywords = language == .korean ? ["이사", "고양이"] : ["moving", "cat"]
            return try plantPush(.wateringDue, language, nickname: name, keywords: keywords)
        case .reviewMissing: return try plantPush(.reviewMissing, language, nickname: name)
        case .birthday: return try plantPush(.birthday, language, nickname: name)
        case .withered: return try plantPush(.withered, language, nickname: name)
        case .combined:
            let content = AccountPush.Content.several(
                .wateringDue, occursOn: try today(), first: plantID.subject, name: name, others: 2)
            return try push(language, content, collapseID: "watering_due-20270302T0000Z")
        case .digest:
            let content = AccountPush.Content.digest(
                day: try today(), first: plantID.subject, topic: .wateringDue, dueCount: 5)
            return try push(language, content, collapseID: "digest-2027-03-02")
        }
    }

    private func push(
        _ language: Language, _ content: AccountPush.Content, collapseID: String
    ) throws -> AccountPush {
        AccountPush(
            accountID: accountID, language: language, content: content, collapseID: collapseID, plannedAt: try now(),
            expiresAt: try endOfDay(), links: DeepLinks())
    }

    /// The contents of a provider's file: one line.
    func fixture(_ provider: String, _ language: Language) throws -> String {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("fixtures/push")
        let file = folder.appendingPathComponent("\(provider)-\(rawValue)-\(language.rawValue).json")
        return try String(contentsOf: file, encoding: .utf8)
    }
}

/// A push about one plant, with any text.
func plantPush(
    _ topic: Topic, _ language: Language = .korean, nickname: String = "하나", keywords: [String] = [],
    collapseID: String? = nil, expiresAt: Instant? = nil
) throws -> AccountPush {
    let message = PushMessage(
        lane: Lane(7), seq: 1, accountID: accountID, subjectID: plantID.subject, topic: topic, occursOn: try today(),
        language: language,
        values: PushValues(
            name: nickname, noun: Species.dandelion.name(in: language), number: 43, words: keywords), deviceToken: nil)
    return AccountPush(
        accountID: accountID, language: language, content: .one(message),
        collapseID: collapseID ?? "\(topic)-20270302T0000Z", plannedAt: try now(),
        expiresAt: try expiresAt ?? endOfDay(), links: DeepLinks())
}

/// The longest texts an account can cause: characters with 30 marks each, or characters that JSON escapes.
enum LongText {
    static let zalgo = String(repeating: "하" + String(repeating: "\u{0301}", count: 30), count: 20)
    static let quotes = String(repeating: "\"\\", count: 10)
}

// MARK: - Devices

enum Token {
    static let iPhone = String(repeating: "0123456789abcdef", count: 4)
    static let android = "fcm-registration-token"
}

func deviceID(_ number: UInt8) -> Device.ID {
    Device.ID(UUID(uuid: (0xde, 0xf1, 0xce, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number)))
}

func iPhone(_ number: UInt8 = 1, token: String = Token.iPhone) throws -> Device {
    Device(id: deviceID(number), platform: .ios, token: token, addedAt: try now())
}

func android(_ number: UInt8 = 1, token: String = Token.android) throws -> Device {
    Device(id: deviceID(number), platform: .android, token: token, addedAt: try now())
}

/// The secret used in the examples of the Standard Webhooks reference.
let webhookSecretText = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func webhook(_ url: String, number: UInt8 = 1) throws -> Device {
    let secret = try #require(WebhookSecret(webhookSecretText))
    return Device(id: deviceID(number), platform: .webhook, token: url, secret: secret, addedAt: try now())
}

func web(_ subscription: PushSubscription, number: UInt8 = 1) throws -> Device {
    Device(
        id: deviceID(number), platform: .web, token: subscription.endpoint, subscriptionKeys: subscription.keys,
        addedAt: try now())
}

// MARK: - Keys

enum TestKeys {
    /// Like one of Apple's `.p8` files, generated for this run.
    static let apns = ES256PrivateKey()

    /// Like the key in a Google service account, generated for this run. If that fails, every test with it fails.
    private static let google = try? TestSigningKey.rs256()
    static let rsa = google?.privateKeyPEM ?? ""
    static let rsaPublic = google?.publicKeyPEM ?? ""

    /// Like the key of an installation, generated for this run.
    static let vapid = VAPIDKey()

    /// The lines of a PEM file that would reveal the key.
    static func bodyLines(_ pem: String) -> [String] {
        pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.map(String.init)
    }
}

// MARK: - Servers and settings

private let authorityOfRun = Result { try TestCertificateAuthority() }

func authority() throws -> TestCertificateAuthority {
    try authorityOfRun.get()
}

/// For senders that never time out, however busy the machine is.
///
/// - Parameter clock: the clock of circuit breakers and of the webhooks' places. It stands still unless a test advances
///   it.
func transportSettings(
    deadline: Duration = .seconds(3600), trustsAuthority: Bool = true, clock: ManualClock = ManualClock()
) throws -> TransportSettings {
    let roots =
        trustsAuthority ? [try NIOSSLCertificate(bytes: Array(try authority().pem.utf8), format: .pem)] : []
    var settings = TransportSettings(deadline: deadline, additionalRoots: roots)
    settings.clock = clock
    return settings
}

/// Tests a deadline, repeating with longer ones until the request reaches the server; a busy machine needs longer.
///
/// - Parameter body: returns whether the request arrived.
func withDeadline(_ body: (Duration) async throws -> Bool) async throws {
    for deadline in [Duration.milliseconds(500), .seconds(5), .seconds(50)] {
        if try await body(deadline) { return }
    }
    Issue.record("the request never came")
}

/// Holds answers until a whole group of requests has arrived, or all that are left.
final class Groups: Sendable {
    private let size: Int
    private let total: Int
    private let arrived = Counter()

    init(of size: Int, total: Int) {
        self.size = size
        self.total = total
    }

    /// Counts a request, and returns an answer held until its group is complete, plus a moment in which no request of
    /// the next group should arrive.
    func answer(status: Int = 200, headers: [(String, String)] = []) -> PushServer.Answer {
        let number = arrived.next()
        let last = min(total, ((number - 1) / size + 1) * size)
        return PushServer.Answer(
            status: status, headers: headers, delay: .milliseconds(20), heldWhile: { [self] in arrived.value < last })
    }
}

/// Sends `count` pushes concurrently; the results are in the order of their numbers.
func sendAtOnce(_ count: Int, _ send: @escaping @Sendable (Int) async -> DeviceResult) async -> [DeviceResult] {
    await withTaskGroup(of: (number: Int, result: DeviceResult).self) { group in
        for number in 0..<count { group.addTask { (number, await send(number)) } }
        var results: [(number: Int, result: DeviceResult)] = []
        for await result in group { results.append(result) }
        return results.sorted { $0.number < $1.number }.map(\.result)
    }
}

struct NotHeld: Error {
    let result: DeviceResult
}

/// How long a push is held for this reason.
func holdTime(
    _ result: DeviceResult, because expected: String, sourceLocation: SourceLocation = #_sourceLocation
) throws -> Duration {
    guard case .held(let reason, let time) = result else { throw NotHeld(result: result) }
    #expect(reason == expected, sourceLocation: sourceLocation)
    return time
}

/// Counts from 1, for servers that answer differently the second time.
final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
    var value: Int { count.load(ordering: .relaxed) }
}

/// A clock that tests set.
final class TestClock: Sendable {
    private let time: Mutex<Date>

    init(_ secondsSince1970: Double) {
        time = Mutex(Date(timeIntervalSince1970: secondsSince1970))
    }

    var now: Date { time.withLock { $0 } }
    func advance(by seconds: Double) { time.withLock { $0 = $0.addingTimeInterval(seconds) } }
}

// MARK: - The log

extension LogLines {
    /// The log must contain no credentials, and nothing that identifies a person's device.
    func expectNone(of secrets: [String], sourceLocation: SourceLocation = #_sourceLocation) {
        let text = text
        for secret in secrets where !secret.isEmpty {
            #expect(!text.contains(secret), "the log holds a secret", sourceLocation: sourceLocation)
        }
        // Every JWT begins like this.
        #expect(!text.contains("eyJ"), sourceLocation: sourceLocation)
    }
}

// MARK: - A second opinion

/// The output of a Python program.
func python(_ program: String, _ arguments: [String] = []) async throws -> String {
    let result = try await RunningProgram("/usr/bin/env", ["python3", "-c", program] + arguments).result()
    try #require(result.status == 0, "\(result.errors)")
    return result.output
}

/// Runs tasks one after the other, in the order of their creation.
final class SerialTaskExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "cherish.test.serial")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Why a planned push got its outcome (rule 7.8).
///
/// The engine's reasons are declared here, and each domain declares its own beside its topics. Two reasons are the same
/// if the log stores them alike.
public struct PushReason: RawRepresentable, Sendable {
    /// As the log stores it: `too_late`.
    public let rawValue: String
    /// The clause that follows "because".
    public let meaning: String

    /// Declares a reason. Both texts are literals, so that copying a reason counts no references.
    public init(_ rawValue: String, meaning: String) {
        self.rawValue = rawValue
        self.meaning = meaning
    }

    /// A reason from the log that nobody declares: it is shown as itself.
    public init(rawValue: String) {
        self.init(rawValue, meaning: "of \(rawValue)")
    }
}

extension PushReason: Hashable, CustomStringConvertible {
    public static func == (left: PushReason, right: PushReason) -> Bool { left.rawValue == right.rawValue }

    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    public var description: String { rawValue }
}

extension PushReason {
    /// The reasons of the engine and of all domains, in the order in which reports list them: by outcome.
    public static let all = [
        sent, sentAfterRetry, combined, digest, watered, postponed, edited, reviewed, declined, archived, thingDone,
        listChanged, erased, newerWatering, newerAlert, paused, accountPushesOff, plantPushesOff, thingPushesOff,
        waypoint,
        noDevice,
        providerNotConfigured, tooLate, refused, tokenDead, attemptsExhausted, unreadableRow,
    ]
}

// MARK: - Of the engine

extension PushReason {
    /// The engine's reasons, whatever a push is about.
    public static let ofEngine = [
        sent, sentAfterRetry, combined, digest, erased, paused, accountPushesOff, noDevice, providerNotConfigured,
        tooLate,
        refused, tokenDead, attemptsExhausted, unreadableRow,
    ]

    // delivered
    public static let sent = PushReason("sent", meaning: "it was sent")
    public static let sentAfterRetry = PushReason("sent_after_retry", meaning: "it was sent after trying again")
    /// An earlier push of the group already covered this subject.
    public static let combined = PushReason("combined", meaning: "a push that spoke of its subject too had been sent")
    /// The daily cap was reached; the day's digest covers it.
    public static let digest = PushReason(
        "digest", meaning: "the daily cap was reached, and the digest of the day stands for it")
    // superseded
    public static let erased = PushReason("erased", meaning: "the account had been erased")
    // suppressed, or superseded where the due date moved
    public static let paused = PushReason("paused", meaning: "it was paused")
    // suppressed
    public static let accountPushesOff = PushReason(
        "account_pushes_off", meaning: "the account has turned such pushes off")
    public static let noDevice = PushReason("no_device", meaning: "the account has no device")
    public static let providerNotConfigured = PushReason(
        "provider_not_configured", meaning: "no provider is set up for the account's devices")
    // expired
    public static let tooLate = PushReason("too_late", meaning: "it was too late to be worth sending")
    // dead
    public static let refused = PushReason("refused", meaning: "the provider refused it")
    public static let tokenDead = PushReason("token_dead", meaning: "the tokens of all its devices are dead")
    public static let attemptsExhausted = PushReason(
        "attempts_exhausted", meaning: "the provider did not take it, however often it was tried")
    /// A row that the push needs contains values that no rule allows.
    public static let unreadableRow = PushReason(
        "unreadable_row",
        meaning:
            "a row that it needs holds what no rule allows; the log of the worker names the row and how to repair it")
}

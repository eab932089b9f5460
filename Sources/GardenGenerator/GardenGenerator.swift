import CherishCore
import SystemTimeZones

/// Makes up gardens with a past, for staging and load tests: accounts in Korea and elsewhere, their friends, and what
/// happened to them until now.
///
/// Every life is told command by command by the rules themselves, each at its own moment, so that the result is a state
/// that the engine could be in. Nobody in it exists: names are made up, telephone numbers and e-mail addresses reach
/// nobody, and devices are no webhooks.
public struct GardenGenerator: Sendable {
    /// The most friends that an account can be given: the smallest block of numbers that nobody has holds no more.
    public static let mostFriends = 999

    let seed: UInt64
    let now: Instant
    let zones: SystemTimeZones

    /// How many friends an account has; from 0 to ``mostFriends``.
    public var friendsPerAccount: ClosedRange<Int> = 5...60
    /// How many days ago an account was made; at least 1.
    public var pastDays: ClosedRange<Int> = 30...400

    /// Nothing is read or made until the first account is asked for.
    ///
    /// - Parameters:
    ///   - seed: decides every choice.
    ///   - now: when the past ends; nothing that happened is later.
    ///   - zones: where the rules of the accounts' zones are read.
    public init(seed: UInt64, now: Instant, zones: SystemTimeZones) {
        self.seed = seed
        self.now = now
        self.zones = zones
    }

    /// The account with a number, with all that belongs to it.
    ///
    /// It depends on nothing but the number and what the generator was given, so that accounts can be made in any order
    /// and side by side.
    ///
    /// - Throws: ``CareError/invalidTimeZone(_:)`` where the system's tz database lacks one of the zones.
    public func account(_ number: Int) throws -> AccountArchive {
        precondition(
            friendsPerAccount.lowerBound >= 0 && friendsPerAccount.upperBound <= Self.mostFriends,
            "choose from 0 to \(Self.mostFriends) friends per account")
        precondition(pastDays.lowerBound >= 1, "choose a past of at least 1 day")
        var story = try AccountStory(number, of: self)
        return try story.tell()
    }
}

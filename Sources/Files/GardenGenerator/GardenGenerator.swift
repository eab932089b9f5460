import CherishCore
import SystemTimeZones

/// Generates gardens with a past for staging and load tests: accounts in Korea and elsewhere, their friends, and
/// everything that happened until now.
///
/// This module models invented people and their habits, and leaves every decision to the rules of care. It reads only
/// the system's time zones: no database, no network, no clock. Start with ``account(_:)``, then read `AccountStory`,
/// `FriendStory` and `PlantLife`.
///
/// Every command runs through the real rules at its own instant, so the result is a state that the engine could reach.
/// Nobody in it is real: names are invented, phone numbers and e-mail addresses reach nobody, and no device is a
/// webhook.
public struct GardenGenerator: Sendable {
    /// The maximum number of friends per account: the smallest block of unassigned numbers has 1000, and the account may
    /// use one.
    public static let mostFriends = 999

    let seed: UInt64
    let now: Instant
    let zones: SystemTimeZones

    /// The number of friends per account; from 0 to ``mostFriends``.
    public var friendsPerAccount: ClosedRange<Int> = 5...60
    /// How many days ago an account was created; at least 1.
    public var pastDays: ClosedRange<Int> = 30...400

    /// Creates a generator. It reads and generates nothing until the first account is requested.
    ///
    /// - Parameters:
    ///   - seed: Determines every choice.
    ///   - now: The end of the past; nothing happens later.
    ///   - zones: The source of the accounts' time zone rules.
    public init(seed: UInt64, now: Instant, zones: SystemTimeZones) {
        self.seed = seed
        self.now = now
        self.zones = zones
    }

    /// Generates the account with this number, and everything that belongs to it.
    ///
    /// The result depends only on the number and the generator's configuration, so accounts can be generated in any
    /// order and in parallel.
    ///
    /// - Throws: ``CareError/invalidTimeZone(_:)`` if the system's tz database lacks one of the zones.
    public func account(_ number: Int) throws -> AccountExport {
        precondition(
            friendsPerAccount.lowerBound >= 0 && friendsPerAccount.upperBound <= Self.mostFriends,
            "choose from 0 to \(Self.mostFriends) friends per account")
        precondition(pastDays.lowerBound >= 1, "choose a past of at least 1 day")
        var story = try AccountStory(number, of: self)
        return try story.play()
    }
}

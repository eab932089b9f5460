import Postgres

/// A part of a statement that tests replace, to prove that the simulation detects an engine broken there.
///
/// SQL comments around the part carry its name to the server. So a test finds the part however the SQL changes, and
/// fails if it is gone.
package enum MutationPoint: String, Sendable {
    /// The time of a thing, as its push tells it.
    case appointment
    /// The new values of a row.
    case changes
    /// When the days of an account end.
    case dayEnd
    /// The erasure of an account, which tells what it counted.
    case erasedAccount
    /// Whether a receipt finds its lease.
    case fence
    /// The state of a group's members.
    case groupMember
    /// The state of the subject of a push that is being delivered.
    case deliveredSubject
    /// Whether a plant points at the group's topic.
    case groupOfPointer
    /// The calendar's cursor as commands read it.
    case laneCursor
    /// The worker that holds the lease after a receipt.
    case leaseHolder
    /// The row of an affection gain.
    case ledgerEntry
    /// The subjects that a sent push names.
    case subjectsOfSentPush
    /// How a transaction notes what it changed.
    case notedChanges
    /// Whether a planned birthday is the one that already passed.
    case passedBirthday
    /// Which pushes of due dates an outage may have kept back.
    case missedPush
    /// Which outages are over, so that their plants can be excused.
    case outageToExcuse
    /// The days on which a plant, or a whole account, is paused, when its push is looked at.
    case pausedDays
    /// The columns of a plant that a command changes.
    case plantToChange
    /// The columns of a plant whose next birthday is planned.
    case plantToPlan
    /// The ref that a plant or thing points at.
    case pointedRef
    /// The instant that a plant or thing points at.
    case pointedInstant
    /// When the alert that a thing points at expires.
    case pointedExpiry
    /// Whether a plant was removed.
    case removal
    /// Whether a device was not added again after its token died.
    case retirement
    /// Whether a review was declined, and whether it was written.
    case reviewState
    /// The state of the subject of an occurrence that is due.
    case scheduledSubject
    /// The pushes that accounts received recently.
    case sentPushes
    /// An account's switches for birthdays and withered plants.
    case switches
    /// Whether a thing is done.
    case thingIsDone
    /// Whether nobody has looked at a lane for long enough to call it an outage.
    case unseenLane
    /// A thing's switch.
    case thingSwitch
    /// The columns of a thing that is replanned after an edit of its account.
    case thingToReplan
    /// Whether an alert may follow the one that a thing has reached.
    case thingWithMoreAlerts
    /// An account's time zone.
    case timeZone
    /// Whether a written review finds its watering.
    case writtenReview

    private var start: String { "/* \(rawValue): */" }
    private var end: String { "/* :\(rawValue) */" }

    fileprivate func around(_ sql: SQL) -> SQL {
        SQL(trusting: start + sql.text + end)
    }

    /// Returns the statement with each part of this name replaced.
    package func replace(in sql: String, with replacement: (String) -> String) -> String {
        var result = ""
        var rest = Substring(sql)
        while let opening = rest.firstRange(of: start), let closing = rest[opening.upperBound...].firstRange(of: end) {
            result += rest[..<opening.upperBound] + replacement(String(rest[opening.upperBound..<closing.lowerBound]))
            rest = rest[closing.lowerBound...]
        }
        return result + rest
    }
}

extension SQL.StringInterpolation {
    /// Adds SQL that tests may replace.
    mutating func appendInterpolation(_ sql: SQL, at point: MutationPoint) {
        appendInterpolation(point.around(sql))
    }
}

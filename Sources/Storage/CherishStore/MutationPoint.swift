import Postgres

/// A part of a statement that the simulation's tests replace, to prove that the simulation detects an engine broken
/// there.
///
/// Comments around the part carry its name to the server. A test therefore finds the part whatever the SQL looks like,
/// and fails when it is gone.
package enum MutationPoint: String, Sendable {
    /// The new values of a row.
    case changes
    /// Whether an account's erasure finds the account.
    case erasedAccount
    /// What an erasure counts afterwards.
    case rowsOfErasedAccount
    /// Whether a receipt finds the lease that it was written under.
    case fence
    /// The state of a group's members.
    case groupMember
    /// Whether a plant points at the group's kind of push.
    case groupOfPointer
    /// The calendar's cursor, as a command reads it.
    case laneCursor
    /// The worker that holds a lease after a receipt.
    case leaseHolder
    /// The row of a gain of affection.
    case ledgerEntry
    /// The plants that a sent push names.
    case plantsOfSentPush
    /// Whether a planned birthday is the one that has passed already.
    case passedBirthday
    /// The columns of a plant that a command changes.
    case plantToChange
    /// The columns of a plant whose next birthday is planned.
    case plantToPlan
    /// The subject that a plant points at.
    case pointedSubject
    /// The instant that a plant points at.
    case pointedInstant
    /// Whether a plant was removed.
    case removal
    /// Whether a device has not been added again since its token died.
    case retirement
    /// Whether a review was declined, and whether it was written.
    case reviewState
    /// The plant of an occurrence that is due.
    case scheduledPlant
    /// The pushes that accounts received lately.
    case sentPushes
    /// An account's switches of birthdays and withered plants.
    case switches
    /// An account's time zone.
    case timeZone
    /// Whether a written review finds its watering.
    case writtenReview

    private var start: String { "/* \(rawValue): */" }
    private var end: String { "/* :\(rawValue) */" }

    fileprivate func around(_ sql: SQL) -> SQL {
        SQL(trusting: start + sql.text + end)
    }

    /// The statement with each part of this name replaced.
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
    /// Adds other SQL that tests may replace.
    mutating func appendInterpolation(_ sql: SQL, at point: MutationPoint) {
        appendInterpolation(point.around(sql))
    }
}

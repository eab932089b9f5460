import CherishCore
import Testing

/// An instant in RFC 3339.
public func instant(_ text: String) throws -> Instant {
    try #require(Instant(text), "\(text) is not an instant")
}

/// An instant by the wall clock of Seoul, which is nine hours ahead of UTC all year: `2027-03-02T09:00`, or with
/// seconds.
public func seoul(_ text: String) throws -> Instant {
    try instant(text.count == 16 ? "\(text):00+09:00" : "\(text)+09:00")
}

/// A civil day: `2027-03-02`.
public func civilDay(_ text: String) throws -> CivilDay {
    try #require(CivilDay(text), "\(text) is not a civil day")
}

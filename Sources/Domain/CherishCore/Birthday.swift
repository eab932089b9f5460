/// A birthday: month, day, and optionally the year (rule 1.5).
public struct Birthday: Hashable, Sendable, CustomStringConvertible {
    public let month: Int
    public let day: Int
    public let year: Int?

    /// nil if the date does not exist. 29 February is valid, with or without a year.
    public init?(year: Int?, month: Int, day: Int) {
        // 2000 was a leap year, so it has every possible birthday.
        guard CivilDay(year: year ?? 2000, month: month, day: day) != nil else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Reads `1994-05-21`, `19940521`, and without a year `05-21`, `--05-21`, `--0521`.
    ///
    /// - Throws: ``CareError/invalidBirthday(_:)`` for other formats and for dates that do not exist.
    public init(_ text: String) throws(CareError) {
        let hasNoYear = text.hasPrefix("--")
        let digits = text.utf8.filter { (48...57).contains($0) }
        let separators = text.dropFirst(hasNoYear ? 2 : 0).filter { $0 == "-" }.count
        let length = text.utf8.count - (hasNoYear ? 2 : 0)
        let isPlain = length == digits.count + separators
        let parts: (year: ArraySlice<UInt8>?, rest: ArraySlice<UInt8>)
        switch (digits.count, separators, isPlain) {
        case (8, 0, true) where !hasNoYear, (8, 2, true) where !hasNoYear && CivilDay(text) != nil:
            parts = (digits[0..<4], digits[4...])
        case (4, 0, true) where hasNoYear, (4, 1, true) where text.dropLast(2).hasSuffix("-"):
            parts = (nil, digits[0...])
        default: throw .invalidBirthday(text)
        }
        guard let month = number(parts.rest.prefix(2)), let day = number(parts.rest.suffix(2)),
            let birthday = Birthday(year: parts.year.flatMap { number($0) }, month: month, day: day)
        else { throw .invalidBirthday(text) }
        self = birthday
    }

    /// The day on which it is celebrated in a year: 29 February moves to 28 February in common years (rule 7.10).
    public func day(in year: Int) -> CivilDay? {
        CivilDay(year: year, month: month, day: min(day, CivilDay.length(ofMonth: month, year: year)))
    }

    /// The first celebration on or after `day`.
    public func next(onOrAfter day: CivilDay) -> CivilDay? {
        let year = day.components.year
        return [year, year + 1].lazy.compactMap { self.day(in: $0) }.first { $0 >= day }
    }

    /// `1994-05-21`, or `05-21` without a year.
    public var description: String {
        (year.map { "\(padded($0, to: 4))-" } ?? "") + "\(padded(month, to: 2))-\(padded(day, to: 2))"
    }
}

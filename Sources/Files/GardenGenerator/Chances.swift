import CherishCore
import SeededChance

/// The random draws that make up an invented life.
extension SplitMix64 {
    /// One of a seed's many sequences. Mixes the seed, then the number, so that neighbouring sequences are unrelated.
    init(seed: UInt64, sequence: Int) {
        var seeds = SplitMix64(seed: seed)
        var sequences = SplitMix64(seed: seeds.next() &+ UInt64(bitPattern: Int64(sequence)))
        self.init(seed: sequences.next())
    }

    /// Returns an independent generator, so that one part's draws do not affect the next part.
    mutating func split() -> SplitMix64 {
        SplitMix64(seed: next())
    }

    /// Returns distinct elements of a pool that has at least that many.
    mutating func elements<Value: Equatable>(_ count: Int, of pool: [Value]) -> [Value] {
        var chosen: [Value] = []
        while chosen.count < count {
            let candidate = element(of: pool)
            if !chosen.contains(candidate) { chosen.append(candidate) }
        }
        return chosen
    }

    /// Returns an element with a probability proportional to its weight.
    mutating func weighted<Value>(_ pool: [(Value, Int)]) -> Value {
        let sum = pool.reduce(0) { $0 + $1.1 }
        var rest = number(in: 1...sum)
        for (value, weight) in pool {
            if rest <= weight { return value }
            rest -= weight
        }
        preconditionFailure("what is drawn is never more than the sum of the weights")
    }
}

extension SplitMix64 {
    /// A random UUID (version 4).
    mutating func identifier<Owner>() -> Identifier<Owner> {
        Identifier(uuid())
    }

    /// Hexadecimal digits, 16 per word.
    mutating func hexadecimal(words: Int) -> String {
        (0..<words).map { _ in
            let digits = String(next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// A random instant between two, inclusive.
    mutating func instant(from first: Instant, to last: Instant) -> Instant {
        let span = Int(last.microsecondsSinceEpoch - first.microsecondsSinceEpoch)
        return first.adding(microseconds: Int64(number(in: 0...max(0, span))))
    }

    /// A random moment of a day, in a minute of the range, which defaults to waking hours.
    mutating func moment(
        on day: CivilDay, minutes: ClosedRange<Int> = (7 * 60 + 30)...(23 * 60 + 15), in zone: TimeZoneRules
    ) -> Instant {
        let time = TimeOfDay(minuteOfDay: number(in: minutes)) ?? .defaultAlarm
        return zone.firstInstant(on: day, at: time).adding(microseconds: Int64(number(in: 0...59_999_999)))
    }

    /// A birthday with or without a year, occasionally on 29 February.
    mutating func birthday() -> Birthday? {
        let year: Int? = chance(65) ? number(in: 1950...2012) : nil
        // In that range, every year divisible by four is a leap year.
        if chance(2) { return Birthday(year: year.map { $0 / 4 * 4 }, month: 2, day: 29) }
        let month = number(in: 1...12)
        let day = number(in: 1...CivilDay.length(ofMonth: month, year: year ?? 2000))
        return Birthday(year: year, month: month, day: day)
    }
}

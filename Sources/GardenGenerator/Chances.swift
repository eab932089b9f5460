import CherishCore
import SeededChance

/// What the life of a made-up person is drawn from.
extension SplitMix64 {
    /// One of the many sequences of a seed. Seed and number are mixed one after the other, so that neighbours have
    /// nothing in common.
    init(seed: UInt64, sequence: Int) {
        var seeds = SplitMix64(seed: seed)
        var sequences = SplitMix64(seed: seeds.next() &+ UInt64(bitPattern: Int64(sequence)))
        self.init(seed: sequences.next())
    }

    /// A generator of its own, so that what one part draws does not change what the next one gets.
    mutating func split() -> SplitMix64 {
        SplitMix64(seed: next())
    }

    /// Different ones of a pool that has at least so many.
    mutating func elements<Value: Equatable>(_ count: Int, of pool: [Value]) -> [Value] {
        var chosen: [Value] = []
        while chosen.count < count {
            let candidate = element(of: pool)
            if !chosen.contains(candidate) { chosen.append(candidate) }
        }
        return chosen
    }

    /// One of a pool, each as often as its weight among the sum of the weights says.
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

    /// Hexadecimal digits, 16 at a time.
    mutating func hexadecimal(words: Int) -> String {
        (0..<words).map { _ in
            let digits = String(next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// An instant from one to another, both included.
    mutating func instant(from first: Instant, to last: Instant) -> Instant {
        let span = Int(last.microsecondsSinceEpoch - first.microsecondsSinceEpoch)
        return first.adding(microseconds: Int64(number(in: 0...max(0, span))))
    }

    /// A moment of a day, in a minute of the range, which is when people are awake unless said otherwise.
    mutating func moment(
        on day: CivilDay, minutes: ClosedRange<Int> = (7 * 60 + 30)...(23 * 60 + 15), in zone: TimeZoneRules
    ) -> Instant {
        let time = TimeOfDay(minuteOfDay: number(in: minutes)) ?? .defaultAlarm
        return zone.firstInstant(on: day, at: time).adding(microseconds: Int64(number(in: 0...59_999_999)))
    }

    /// A birthday with or without a year, now and then on 29 February.
    mutating func birthday() -> Birthday? {
        let year: Int? = chance(65) ? number(in: 1950...2012) : nil
        // Every fourth year of that range is a leap year.
        if chance(2) { return Birthday(year: year.map { $0 / 4 * 4 }, month: 2, day: 29) }
        let month = number(in: 1...12)
        let day = number(in: 1...CivilDay.length(ofMonth: month, year: year ?? 2000))
        return Birthday(year: year, month: month, day: day)
    }
}

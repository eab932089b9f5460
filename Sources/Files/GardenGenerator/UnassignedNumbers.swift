import CherishCore
import SeededChance

/// Phone numbers that nobody has: reserved for fiction, or in an unallocated block.
enum UnassignedNumbers: Sendable {
    case korean, american, british

    private static let areaCodes = [
        212, 213, 206, 303, 305, 312, 313, 404, 415, 503, 512, 602, 612, 615, 617, 702, 713, 718, 808, 919,
    ]

    /// The size of the block. Its only prime factors are 2 and 5.
    var count: Int {
        switch self {
        case .korean: 10_000
        case .american: Self.areaCodes.count * 100
        case .british: 1000
        }
    }

    /// The number at a position below the count, in E.164.
    func number(_ position: Int) throws -> PhoneNumber {
        switch self {
        case .korean: try PhoneNumber(e164: "+82100000\(digits(position, count: 4))")
        case .american:
            try PhoneNumber(e164: "+1\(Self.areaCodes[position / 100])55501\(digits(position % 100, count: 2))")
        case .british: try PhoneNumber(e164: "+447700900\(digits(position, count: 3))")
        }
    }

    private func digits(_ number: Int, count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: count - digits.count) + digits
    }
}

/// Hands out a country's numbers in shuffled order, each once.
struct PhoneBook: Sendable {
    private let numbers: UnassignedNumbers
    private let start: Int
    private let step: Int
    private var taken = 0

    init(_ numbers: UnassignedNumbers, using generator: inout SplitMix64) {
        self.numbers = numbers
        start = generator.number(in: 0...(numbers.count - 1))
        // A step coprime to the count visits every number before it repeats one.
        step = generator.number(in: 0...99) * 10 + generator.element(of: [1, 3, 7, 9])
    }

    mutating func next() throws -> PhoneNumber {
        precondition(taken < numbers.count, "an account knows more people than there are unassigned numbers")
        let position = (start + taken * step) % numbers.count
        taken += 1
        return try numbers.number(position)
    }
}

import CherishCore
import SeededChance

/// How an account knows a friend.
enum Circle: CaseIterable, Sendable {
    case family, friends, work, studies

    static let shares: [(Circle, Int)] = [(.family, 20), (.friends, 42), (.work, 22), (.studies, 16)]

    /// Draws the cycle that an account chooses for somebody of this circle.
    func cycle(using generator: inout SplitMix64) throws -> Cycle {
        try Cycle(days: generator.weighted(cycles))
    }

    private var cycles: [(Int, Int)] {
        switch self {
        case .family: [(1, 6), (2, 8), (3, 22), (5, 14), (7, 35), (14, 15)]
        case .friends: [(7, 25), (10, 15), (14, 30), (21, 15), (30, 15)]
        case .work: [(14, 10), (30, 40), (45, 15), (60, 20), (90, 15)]
        case .studies: [(14, 15), (21, 20), (30, 40), (60, 20), (90, 5)]
        }
    }
}

/// How somebody looks after a friendship.
enum Habit: Sendable {
    /// Waters on D-day, within hours of the alarm.
    case diligent
    /// Postpones often, and occasionally misses the day.
    case forgetful
    /// Lets the plant wither for days.
    case tardy
    /// Gives up after a while.
    case abandoning

    static let shares: [(Habit, Int)] = [(.diligent, 46), (.forgetful, 25), (.tardy, 22), (.abandoning, 7)]

    /// The days from the due date until the account thinks of the friend, with their shares.
    var daysLate: [(Int, Int)] {
        switch self {
        case .diligent: [(0, 96), (1, 3), (2, 1)]
        case .forgetful: [(0, 70), (1, 18), (2, 8), (4, 4)]
        case .tardy: [(0, 15), (1, 25), (2, 20), (4, 20), (7, 15), (14, 5)]
        case .abandoning: [(0, 75), (1, 15), (3, 10)]
        }
    }

    /// The probability of postponing on D-day instead of watering, in percent.
    var postponing: Int {
        switch self {
        case .diligent: 3
        case .forgetful: 45
        case .tardy: 12
        case .abandoning: 20
        }
    }
}

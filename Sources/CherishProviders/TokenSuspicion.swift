/// Tells dead tokens from a wrong environment. Where most tokens are "bad", it is our setting that is wrong, and no device
/// must be retired for it.
///
/// Counts the answers of late: older ones weigh half after every 500.
struct TokenSuspicion: Sendable {
    private static let window = 500.0
    private static let mass = 10.0
    private var accepted = 0.0
    private var wrong = 0.0

    mutating func noteAccepted() {
        accepted += 1
        age()
    }

    mutating func noteWrong() {
        wrong += 1
        age()
    }

    private mutating func age() {
        guard accepted + wrong >= TokenSuspicion.window else { return }
        accepted /= 2
        wrong /= 2
    }

    /// Whether a bad token may be taken for a dead one: others are taken, so the environment is right.
    var trustsAnswers: Bool { accepted > wrong }

    /// Whether so many are bad that it cannot be the tokens.
    var isWrongEnvironment: Bool { wrong >= TokenSuspicion.mass && !trustsAnswers }
}

/// Distinguishes dead tokens from a wrong environment. If most tokens are "bad", our setting is wrong, and no device
/// must be retired.
///
/// Counts recent answers: whenever the total reaches 500, both counts are halved.
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

    /// Whether a bad token counts as dead: other tokens are accepted, so the environment is right.
    var trustsAnswers: Bool { accepted > wrong }

    /// Whether so many tokens are bad that they cannot be the cause.
    var isWrongEnvironment: Bool { wrong >= TokenSuspicion.mass && !trustsAnswers }
}

import CherishCore
import CherishPush

/// A provider that remembers what it was handed and does with it what a test says.
actor RecordingSender: PushSender {
    /// What the provider does with one message.
    enum Reaction: Sendable {
        case answers(SendResult)
        /// Holds the whole batch until ``release()``, then takes the message.
        case hangs
    }

    private let react: @Sendable (_ message: PushMessage, _ attempt: Int) -> Reaction
    /// All messages in the order they came, repetitions too.
    private(set) var sent: [PushMessage] = []
    private var attempts: [String: Int] = [:]
    private var isReleased = false
    private var held: [CheckedContinuation<Void, Never>] = []

    /// - Parameter react: is called with how often the message came, by its collapse id, this time included.
    init(
        react: @escaping @Sendable (_ message: PushMessage, _ attempt: Int) -> Reaction = { _, _ in .answers(.delivered)
        }
    ) {
        self.react = react
    }

    func send(_ messages: [PushMessage], at now: Instant) async -> [SendResult] {
        let reactions = messages.map { message in
            attempts[message.collapseID, default: 0] += 1
            return react(message, attempts[message.collapseID, default: 0])
        }
        sent += messages
        var results: [SendResult] = []
        for reaction in reactions {
            switch reaction {
            case .answers(let result): results.append(result)
            case .hangs:
                await untilReleased()
                results.append(.delivered)
            }
        }
        return results
    }

    /// Lets go of what hangs, now and from now on.
    func release() {
        isReleased = true
        for continuation in held { continuation.resume() }
        held = []
    }

    private func untilReleased() async {
        if isReleased { return }
        await withCheckedContinuation { held.append($0) }
    }

    var collapseIDs: [String] { sent.map(\.collapseID) }
}

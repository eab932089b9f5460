import CherishCore
import CherishPush

/// A provider that records what it receives and reacts as a test specifies.
actor RecordingSender: PushSender {
    /// The provider's reaction to a message.
    enum Reaction: Sendable {
        case answers(SendResult)
        /// Holds the whole batch until ``release()``, then accepts the message.
        case hangs
    }

    private let react: @Sendable (_ message: PushMessage, _ attempt: Int) -> Reaction
    /// All messages in order of arrival, including repetitions.
    private(set) var sent: [PushMessage] = []
    private var attempts: [String: Int] = [:]
    private var isReleased = false
    private var held: [CheckedContinuation<Void, Never>] = []

    /// - Parameter react: called with how often the message has come, by its collapse id, including this time.
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

    /// Releases everything that hangs, now and later.
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

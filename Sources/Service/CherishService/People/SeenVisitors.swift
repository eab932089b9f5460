import CherishCore
import Synchronization

/// Remembers which account a session belongs to, so that its next request need not ask before it reads (decision 68).
///
/// It proves nothing: a session may have ended since. What an entry says of a session never changes, but for the time of the
/// sign-in, which only becomes later.
final class SeenVisitors: Sendable {
    typealias Seen = (accountID: Account.ID, signedInAt: Instant)

    /// Some 100 bytes each. A server whose visitors are more forgets all, and asks once for each.
    static let most = 10_000

    private let sessions = Mutex<[SignInSession.ID: Seen]>([:])

    func remember(_ visitor: Visitor) {
        sessions.withLock { sessions in
            if sessions.count >= Self.most { sessions.removeAll(keepingCapacity: true) }
            sessions[visitor.sessionID] = (visitor.accountID, visitor.signedInAt)
        }
    }

    /// Forgets a session that has ended.
    func forget(_ session: SignInSession.ID) { sessions.withLock { $0[session] = nil } }

    func visitor(of session: SignInSession.ID) -> Seen? { sessions.withLock { $0[session] } }
}

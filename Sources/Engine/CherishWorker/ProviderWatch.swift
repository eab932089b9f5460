import CherishCore
import CherishPush
import CherishStore
import Synchronization

/// Which providers take pushes and which do not, as far as this process knows. A provider that takes none for more than 30 minutes
/// has an outage (rule 13.3). Webhooks have none: their receivers are the account's own.
public final class ProviderWatch: Sendable {
    private struct Observed {
        /// When it last answered as it should; nil if it has not.
        var workedAt: Instant?
        /// Since when it has not, by the lane of the push.
        var failingSince: [Lane: Instant] = [:]
    }

    /// Since the last record.
    private let observed = Mutex<[Outage.Cause: Observed]>([:])

    init() {}

    /// Notes what the providers of a push's devices answered.
    ///
    /// - Parameter answers: one per device; nil where an answer is missing or already noted.
    func note(_ sending: DeviceDelivery.Sending, _ answers: [DeviceResult?], at now: Instant) {
        for (device, answer) in zip(sending.devices, answers) {
            guard let answer, let provider = Outage.Cause(refusing: device.platform) else { continue }
            note(provider, isWorking: answer.isOfWorkingProvider, in: sending.push.accountID.lane, at: now)
        }
    }

    func note(_ provider: Outage.Cause, isWorking: Bool, in lane: Lane, at now: Instant) {
        observed.withLock { observed in
            var seen = observed[provider] ?? Observed()
            if isWorking {
                seen.workedAt = now
                seen.failingSince = [:]
            } else if seen.failingSince[lane] == nil {
                seen.failingSince[lane] = now
            }
            observed[provider] = seen
        }
    }

    /// Records what was noted since the last time. It forgets that, recorded or not: as long as a provider fails, or works, its next
    /// answers say so again, and an outage that another worker has ended begins anew.
    public func record(in store: CareStore) async throws {
        let noted = observed.withLock { observed in
            defer { observed = [:] }
            return observed
        }
        for (provider, seen) in noted {
            if let workedAt = seen.workedAt { try await store.noteWorking(provider, at: workedAt) }
            if !seen.failingSince.isEmpty { try await store.noteFailing(provider, in: seen.failingSince) }
        }
    }
}

extension DeviceResult {
    /// Whether the provider did its work, whatever it thought of the push.
    fileprivate var isOfWorkingProvider: Bool {
        switch self {
        case .accepted, .refused, .tokenDead: true
        case .failed, .held: false
        }
    }
}

import CherishCore
import CherishPush
import CherishStore
import Synchronization

/// This process's pushes that still wait for devices although their batch does not, and the answers still to be
/// recorded.
///
/// A batch begins them and records the answers that arrive in time. When the last device of a push has answered, or its
/// wait has ended, the bell rings, and the next visit to the lane settles the push.
final class UnderwayPushes: Sendable {
    struct Push: Sendable {
        let sending: DeviceDelivery.Sending
        /// The jobs it covers, and the reason each ends with when a device accepts it.
        fileprivate(set) var jobs: [(push: DuePush, reason: PushReason)]
        /// One per device, in order; nil where an answer is missing.
        fileprivate(set) var answers: [DeviceResult?]
        /// The answers that its batch records; all false while the batch waits for phones.
        fileprivate var taken: [Bool]
        /// The answers that its batch has recorded; nil until the batch ends.
        fileprivate(set) var recorded: [Bool]?
        /// When its jobs are resent unless it is settled first.
        let until: Instant

        /// Whether its jobs ended with the batch because a device had accepted it by then.
        var isDelivered: Bool {
            zip(answers, recorded ?? []).contains { $0 == .accepted && $1 }
        }
        /// The answers that the batch did not record; nil for other devices.
        var lateAnswers: [DeviceResult?] {
            zip(answers, recorded ?? []).map { $1 ? nil : $0 }
        }
        fileprivate var isAnswered: Bool { recorded != nil && !answers.contains(nil) }
        fileprivate var lane: Lane { sending.push.accountID.lane }
    }

    private struct State {
        var pushes: [Int: Push] = [:]
        var lastNumber = 0
    }

    private let most: Int
    private let bell: Bell
    private let state = Mutex(State())

    /// - Parameters:
    ///   - most: the limit of entries, answered or not.
    ///   - bell: rings when a push can be settled.
    init(most: Int = 4096, bell: Bell) {
        self.most = most
        self.bell = bell
    }

    // MARK: - While a batch is sent

    /// Adds a push that goes out now; nil if there are too many.
    func begin(_ sending: DeviceDelivery.Sending, until: Instant) -> Int? {
        state.withLock { state in
            guard state.pushes.count < most else { return nil }
            state.lastNumber += 1
            let reason: PushReason = sending.fold.content == .digest ? .digest : .sent
            state.pushes[state.lastNumber] = Push(
                sending: sending, jobs: sending.jobs.map { ($0, reason) },
                answers: sending.devices.map { _ in nil }, taken: sending.devices.map { _ in false }, until: until)
            return state.lastNumber
        }
    }

    /// Stores the answer of a device; ignores one that arrives after its wait has ended.
    func note(_ answer: DeviceResult, of device: Int, to number: Int) {
        let isAnswered = state.withLock { state in
            guard state.pushes[number]?.answers[device] == .some(nil) else { return false }
            state.pushes[number]?.answers[device] = answer
            return state.pushes[number]?.isAnswered ?? false
        }
        if isAnswered { bell.ring() }
    }

    /// Returns the answers so far, for the batch to record. Forgets the push if all devices have answered.
    ///
    /// - Parameter awaited: the answers of the devices that the batch waited for; nil for the others.
    func takeAnswers(to number: Int, adding awaited: [DeviceResult?]) -> [DeviceResult?] {
        state.withLock { state in
            guard var push = state.pushes[number] else { return awaited }
            push.answers = zip(awaited, push.answers).map { $0 ?? $1 }
            push.taken = push.answers.map { $0 != nil }
            state.pushes[number] = push.taken.contains(false) ? push : nil
            return push.answers
        }
    }

    /// Ends a batch of a lane. If it was not recorded, all its answers are still to be recorded, and its jobs rejoin
    /// their pushes when they are read again.
    func endBatch(in lane: Lane, isRecorded: Bool) {
        let isAnswered = state.withLock { state in
            var isAnswered = false
            for (number, push) in state.pushes where push.lane == lane && push.recorded == nil {
                state.pushes[number]?.recorded = isRecorded ? push.taken : push.taken.map { _ in false }
                isAnswered = isAnswered || !push.answers.contains(nil)
            }
            return isAnswered
        }
        if isAnswered { bell.ring() }
    }

    /// Adds a job of a later batch to the push that covers it, so that both end alike.
    ///
    /// - Returns: when the job is resent unless the push is settled first; nil if the push is gone.
    func join(_ job: DuePush, _ collapseID: String, _ reason: PushReason) -> Instant? {
        state.withLock { state in
            let found = state.pushes.first {
                $1.sending.push.accountID == job.message.accountID && $1.sending.push.collapseID == collapseID
                    && !$1.isDelivered
            }
            guard let number = found?.key else { return nil }
            // An earlier batch with this job may have failed to record.
            let isKnown = found?.value.jobs.contains { $0.push.message.seq == job.message.seq } ?? false
            if !isKnown { state.pushes[number]?.jobs.append((job, reason)) }
            return found?.value.until
        }
    }

    /// The pushes underway in a lane, by account: folding counts them as sent.
    func countedAsSent(in lane: Lane) -> [Account.ID: [PushSurroundings.Sent]] {
        state.withLock { state in
            var sent: [Account.ID: [PushSurroundings.Sent]] = [:]
            for push in state.pushes.values where push.lane == lane && !push.isDelivered {
                sent[push.sending.push.accountID, default: []].append(push.sending.sent)
            }
            return sent
        }
    }

    // MARK: - Settling

    /// How many there are, answered or not.
    var count: Int { state.withLock { $0.pushes.count } }
    var isEmpty: Bool { count == 0 }

    /// The lanes with pushes to settle, in order.
    var lanesToSettle: [Lane] {
        Set(state.withLock { $0.pushes.values.filter(\.isAnswered).map(\.lane) }).sorted()
    }

    /// The pushes of a lane that can be settled, in the order of sending.
    func answered(in lane: Lane) -> [(number: Int, push: Push)] {
        state.withLock { state in
            state.pushes.filter { $1.lane == lane && $1.isAnswered }.sorted { $0.key < $1.key }
                .map { (number: $0.key, push: $0.value) }
        }
    }

    /// Forgets settled pushes.
    func forget(_ numbers: [Int]) {
        state.withLock { state in
            for number in numbers { state.pushes[number] = nil }
        }
    }
}

import CherishCore
import CherishPush
import CherishStore
import Synchronization

/// The pushes of this process that devices have not answered yet and no batch waits for, and the answers that are still to
/// be recorded.
///
/// A batch begins them and takes along what was answered until it is recorded. When the last device of a push has
/// answered, or has been given up, the bell rings, and the push is settled with the next visit to its lane.
final class UnderwayPushes: Sendable {
    /// One push.
    struct Push: Sendable {
        let sending: DeviceDelivery.Sending
        /// The jobs that it tells of, and how each ends when a device takes it.
        fileprivate(set) var jobs: [(push: DuePush, reason: PushReason)]
        /// One per device, in their order; nil where there is none yet.
        fileprivate(set) var answers: [DeviceResult?]
        /// Which of the answers its batch takes along; none yet while it waits for them.
        fileprivate var taken: [Bool]
        /// Which of the answers its batch has recorded; nil while the batch goes on.
        fileprivate(set) var recorded: [Bool]?
        /// When its jobs are sent again, unless it is settled before.
        let until: Instant

        /// Whether its jobs ended with the batch, since a device had taken it by then.
        var isDelivered: Bool {
            zip(answers, recorded ?? []).contains { $0 == .accepted && $1 }
        }
        /// What came after the batch; nil for the other devices.
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
    ///   - most: how many there may be, answered or not.
    ///   - bell: rings when one is to be settled.
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
            let reason: PushReason = sending.fold.subject == .digest ? .digest : .sent
            state.pushes[state.lastNumber] = Push(
                sending: sending, jobs: sending.jobs.map { ($0, reason) },
                answers: sending.devices.map { _ in nil }, taken: sending.devices.map { _ in false }, until: until)
            return state.lastNumber
        }
    }

    /// Notes what a device answered; an answer that comes after it was given up is ignored.
    func note(_ answer: DeviceResult, of device: Int, to number: Int) {
        let isAnswered = state.withLock { state in
            guard state.pushes[number]?.answers[device] == .some(nil) else { return false }
            state.pushes[number]?.answers[device] = answer
            return state.pushes[number]?.isAnswered ?? false
        }
        if isAnswered { bell.ring() }
    }

    /// Takes along the answers so far, for the batch to record. A push that is answered by all is forgotten.
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

    /// A batch of a lane has come to its end. If it was not recorded, all answers are still to be recorded, and its jobs join
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

    /// A job of a later batch that a push tells of ends as the push does.
    ///
    /// - Returns: when it is sent again, unless the push is settled before; nil if there is no such push any more.
    func join(_ job: DuePush, _ collapseID: String, _ reason: PushReason) -> Instant? {
        state.withLock { state in
            let found = state.pushes.first {
                $1.sending.push.accountID == job.message.accountID && $1.sending.push.collapseID == collapseID
                    && !$1.isDelivered
            }
            guard let number = found?.key else { return nil }
            // It was in a batch before that could not be recorded.
            let isKnown = found?.value.jobs.contains { $0.push.message.seq == job.message.seq } ?? false
            if !isKnown { state.pushes[number]?.jobs.append((job, reason)) }
            return found?.value.until
        }
    }

    /// What the accounts of a lane are being told.
    func told(in lane: Lane) -> [Account.ID: [PushSurroundings.Told]] {
        state.withLock { state in
            var told: [Account.ID: [PushSurroundings.Told]] = [:]
            for push in state.pushes.values where push.lane == lane && !push.isDelivered {
                told[push.sending.push.accountID, default: []].append(push.sending.told)
            }
            return told
        }
    }

    // MARK: - Settling

    /// How many there are, answered or not.
    var count: Int { state.withLock { $0.pushes.count } }
    var isEmpty: Bool { count == 0 }

    /// The lanes with pushes to settle, in their order.
    var lanesToSettle: [Lane] {
        Set(state.withLock { $0.pushes.values.filter(\.isAnswered).map(\.lane) }).sorted()
    }

    /// The pushes of a lane that are to be settled, in the order in which they went out.
    func answered(in lane: Lane) -> [(number: Int, push: Push)] {
        state.withLock { state in
            state.pushes.filter { $1.lane == lane && $1.isAnswered }.sorted { $0.key < $1.key }
                .map { (number: $0.key, push: $0.value) }
        }
    }

    /// Forgets what was settled.
    func forget(_ numbers: [Int]) {
        state.withLock { state in
            for number in numbers { state.pushes[number] = nil }
        }
    }
}

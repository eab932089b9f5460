import CherishCore
import CherishRuntime
import CherishStore
import Foundation
import Logging
import Synchronization

/// Tells the devices that listen at this server that their account has changed (rule 14.1).
///
/// One connection to the database listens, however many devices do. A notification names accounts; the hub asks for the newest
/// change of those that have devices here, in one round trip for all of a moment, and wakes the devices. It also asks for each
/// device once in ``usualBeat``: announcements may be lost (``ChangeAnnouncer``), and a session may have ended without one.
///
/// A device that does not read keeps nobody: it has one word waiting, the newest cursor.
public final class ChangeHub: Sendable {
    /// How often a device hears something, if only that the server is there.
    public static let usualBeat = Duration.seconds(25)
    /// After how long a stream ends, and its device opens another one, which counts as a use of its session.
    static let longest = Duration.seconds(3_600)
    /// How many streams a session has; another one ends the oldest.
    static let mostOfSession = 4
    /// How many streams there are from one network address, and in all.
    static let (mostOfAddress, most) = (500, 12_000)
    /// The devices are asked for in so many parts, one after the other.
    private static let parts = 25

    /// A device that listens.
    fileprivate struct Listener {
        let account: Account.ID
        let session: SignInSession.ID
        let address: NetworkAddress
        let latest: LatestCursor
    }

    fileprivate struct State {
        var listeners: [Int: Listener] = [:]
        var ofAccount: [Account.ID: Set<Int>] = [:]
        var ofSession: [SignInSession.ID: [Int]] = [:]
        var ofAddress: [NetworkAddress: Int] = [:]
        var next = 0
        /// Whose newest change is to be asked for.
        var waiting: Set<Int> = []
        var isClosed = false
    }

    private let store: CareStore
    private let beat: Duration
    private let logger: Logger
    private let state = Mutex(State())
    /// Says that somebody is waiting.
    private let work: AsyncStream<Void>
    private let begin: AsyncStream<Void>.Continuation

    public init(_ engine: Engine, beat: Duration = ChangeHub.usualBeat, logger: Logger) {
        (store, self.beat, self.logger) = (engine.store, beat, logger)
        (work, begin) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// How many devices listen.
    public var count: Int { state.withLock { $0.listeners.count } }

    /// Adds a device.
    ///
    /// - Throws: ``HubFull`` if too many listen, or the server stops.
    public func listen(_ visitor: Visitor, from address: NetworkAddress) throws(HubFull) -> ChangeStream {
        let latest = LatestCursor()
        let (number, ended) = try state.withLock { state throws(HubFull) in
            try state.requireRoom(for: address)
            let older = state.ofSession[visitor.sessionID] ?? []
            let ended = older.count < Self.mostOfSession ? nil : older.first.flatMap { state.remove($0) }
            state.next += 1
            state.add(
                Listener(
                    account: visitor.accountID, session: visitor.sessionID, address: address, latest: latest),
                as: state.next)
            return (state.next, ended)
        }
        ended?.latest.end()
        begin.yield()
        return ChangeStream(latest: latest) { [weak self] in self?.remove(number) }
    }

    /// - Throws: ``HubFull`` if ``listen(_:from:)`` would.
    public func requireRoom(for address: NetworkAddress) throws(HubFull) {
        try state.withLock { state throws(HubFull) in try state.requireRoom(for: address) }
    }

    /// Ends all streams, because the server stops.
    public func close() {
        let listeners = state.withLock { state in
            state.isClosed = true
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.latest.end() }
    }

    private func remove(_ number: Int) {
        _ = state.withLock { $0.remove(number) }
    }

    /// Listens to the database until the task is cancelled.
    public func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.hear() }
            group.addTask { await self.askInTurn() }
            group.addTask {
                for await _ in self.work { await self.tellWaiting() }
            }
        }
    }
}

extension ChangeHub {
    /// Takes notifications; connects again whenever the database was away.
    private func hear() async {
        while !Task.isCancelled {
            do {
                for try await accounts in store.announcer.announcements() { await wait(for: accounts) }
            } catch {
                logger.warning("changes are announced late: the database is away", metadata: ["error": "\(error)"])
            }
            // What was announced meanwhile was missed.
            await wait { _ in true }
            try? await Task.sleep(for: .seconds(1))
        }
    }

    /// Asks for each device once in a while.
    private func askInTurn() async {
        var part = 0
        while !Task.isCancelled {
            try? await Task.sleep(for: beat / Self.parts)
            part = (part + 1) % Self.parts
            await wait { $0 % Self.parts == part }
        }
    }

    private func wait(for accounts: [Account.ID]) async {
        let isAny = state.withLock { state in
            for account in accounts { state.waiting.formUnion(state.ofAccount[account] ?? []) }
            return !state.waiting.isEmpty
        }
        if isAny { begin.yield() }
    }

    private func wait(for isWanted: (Int) -> Bool) async {
        let isAny = state.withLock { state in
            state.waiting.formUnion(state.listeners.keys.filter(isWanted))
            return !state.waiting.isEmpty
        }
        if isAny { begin.yield() }
    }

    /// Asks the database about everybody who is waiting, and wakes them.
    private func tellWaiting() async {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting.compactMap { state.listeners[$0] }
        }
        if waiting.isEmpty { return }
        do {
            let newest = try await store.people.newestChanges(
                of: Set(waiting.map { SignInSession.Place(lane: $0.account.lane, id: $0.session) }))
            for listener in waiting {
                if let cursor = newest[listener.session] {
                    listener.latest.wake(cursor)
                } else {
                    listener.latest.end()
                }
            }
        } catch {
            // Their clients hear that the server is there, and ask by themselves when they want to know more.
            for listener in waiting { listener.latest.wake(nil) }
        }
    }
}

extension ChangeHub.State {
    fileprivate func requireRoom(for address: NetworkAddress) throws(HubFull) {
        guard !isClosed, listeners.count < ChangeHub.most,
            ofAddress[address, default: 0] < ChangeHub.mostOfAddress
        else { throw HubFull() }
    }

    fileprivate mutating func add(_ listener: ChangeHub.Listener, as number: Int) {
        listeners[number] = listener
        ofAccount[listener.account, default: []].insert(number)
        ofSession[listener.session, default: []].append(number)
        ofAddress[listener.address, default: 0] += 1
        waiting.insert(number)
    }

    fileprivate mutating func remove(_ number: Int) -> ChangeHub.Listener? {
        guard let listener = listeners.removeValue(forKey: number) else { return nil }
        ofAccount[listener.account]?.remove(number)
        if ofAccount[listener.account]?.isEmpty == true { ofAccount[listener.account] = nil }
        ofSession[listener.session]?.removeAll { $0 == number }
        if ofSession[listener.session]?.isEmpty == true { ofSession[listener.session] = nil }
        let left = ofAddress[listener.address, default: 1] - 1
        ofAddress[listener.address] = left == 0 ? nil : left
        return listener
    }
}

/// Too many devices listen at this server.
public struct HubFull: Error, Sendable {}

/// The newest change of one device's account.
final class LatestCursor: Sendable {
    private let cursor = Mutex<ChangeCursor?>(nil)
    /// A word that waits already stands for all that follow.
    let words: AsyncStream<Void>
    private let say: AsyncStream<Void>.Continuation

    init() {
        (words, say) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// - Parameter newest: nil if it is not known.
    func wake(_ newest: ChangeCursor?) {
        cursor.withLock { $0 = newest ?? $0 }
        say.yield()
    }

    func end() { say.finish() }

    var newest: ChangeCursor? { cursor.withLock { $0 } }
}

/// What one device hears.
public final class ChangeStream: Sendable {
    /// What a device is told.
    public enum Word: Sendable, Equatable {
        /// The account has changed, or the stream begins: with the newest cursor.
        case changed(ChangeCursor)
        /// The server is there.
        case nothing
    }

    private let latest: LatestCursor
    private let end: @Sendable () -> Void

    fileprivate init(latest: LatestCursor, end: @escaping @Sendable () -> Void) {
        (self.latest, self.end) = (latest, end)
    }

    deinit { end() }

    /// Passes on every word until the session ends, an hour has passed, or the server stops.
    public func forEach(_ body: (Word) async throws -> Void) async throws {
        let over = ContinuousClock.now + ChangeHub.longest
        var told: ChangeCursor?
        for await _ in latest.words {
            guard ContinuousClock.now < over else { return }
            if let newest = latest.newest, newest != told {
                told = newest
                try await body(.changed(newest))
            } else {
                try await body(.nothing)
            }
        }
    }
}

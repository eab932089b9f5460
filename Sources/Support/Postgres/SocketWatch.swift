import CEpoll
import Dispatch
import Glibc
import Synchronization

/// Tells tasks when a socket is ready, so that no thread is blocked while the server works.
///
/// One thread waits for all sockets. Under load it wakes many tasks at once, which costs far fewer thread switches than
/// a thread for each connection.
final class SocketWatch: Sendable {
    static let shared = SocketWatch()

    /// In nanoseconds: how long the thread sleeps at most while anybody waits, and how long it stays awake for the next.
    private static let slice: UInt64 = 250_000_000
    private static let never = UInt64.max

    private struct Waiter {
        let continuation: UnsafeContinuation<Int32, Never>
        /// By the monotonic clock, in nanoseconds.
        let end: UInt64
    }

    private struct State {
        /// By socket.
        var waiters: [Int32: Waiter] = [:]
        /// When the thread looks for ends that have come; it need not be woken for a later one.
        var wakesAt = SocketWatch.never
    }

    private let state = Mutex(State())
    private let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    /// Wakes the thread.
    private let alarm = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))

    private init() {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.fd = alarm
        _ = epoll_ctl(epoll, EPOLL_CTL_ADD, alarm, &event)
        DispatchQueue(label: "postgres.sockets").async { self.run() }
    }

    /// Waits until a socket has one of the events or fails, or until the time is over. Only one task may wait for a socket.
    ///
    /// - Parameters:
    ///   - events: `POLLIN`, `POLLOUT`, or both.
    ///   - milliseconds: nil waits until the task is cancelled.
    /// - Returns: The events, as `poll` has them; 0 if the time is over or the task is cancelled.
    func wait(for socket: Int32, events: Int32, milliseconds: Int32?) async -> Int32 {
        guard let milliseconds else {
            return await withTaskCancellationHandler {
                await wait(for: socket, events: events, until: Self.never)
            } onCancel: {
                finish(socket)
            }
        }
        return await wait(for: socket, events: events, until: Self.now + UInt64(max(0, milliseconds)) * 1_000_000)
    }

    private func wait(for socket: Int32, events: Int32, until end: UInt64) async -> Int32 {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Int32, Never>) in
            let start = state.withLock { state -> Start in
                // Whoever was cancelled before does not wait at all.
                if end == Self.never, Task.isCancelled { return .over(0) }
                // libpq finds out what is wrong with a socket that cannot be watched.
                guard watch(socket, events) else { return .over(POLLERR) }
                state.waiters[socket] = Waiter(continuation: continuation, end: end)
                guard end < state.wakesAt else { return .waiting }
                state.wakesAt = end
                return .waitingLessThanOthers
            }
            switch start {
            case .over(let result): continuation.resume(returning: result)
            case .waitingLessThanOthers: eventfd_write(alarm, 1)
            case .waiting: break
            }
        }
    }

    private enum Start {
        case waiting, waitingLessThanOthers
        case over(Int32)
    }

    private func finish(_ socket: Int32) {
        state.withLock { $0.waiters.removeValue(forKey: socket) }?.continuation.resume(returning: 0)
    }

    /// Watches a socket for one event.
    private func watch(_ socket: Int32, _ events: Int32) -> Bool {
        var event = epoll_event()
        event.events = UInt32(events) | EPOLLONESHOT.rawValue
        event.data.fd = socket
        if epoll_ctl(epoll, EPOLL_CTL_MOD, socket, &event) == 0 { return true }
        return errno == ENOENT && epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event) == 0
    }

    private static var now: UInt64 { monotonicNanoseconds(CLOCK_MONOTONIC) }

    private func run() {
        var events = [epoll_event](repeating: epoll_event(), count: 64)
        while true {
            let wakesAt = state.withLock { $0.wakesAt }
            let now = Self.now
            // Rounded up, so that the thread does not spin before an end.
            let pause = wakesAt == Self.never ? -1 : Int32((max(wakesAt, now) - now + 999_999) / 1_000_000)
            let count = epoll_wait(epoll, &events, Int32(events.count), pause)
            let ready = state.withLock { take(events.prefix(Int(max(0, count))), &$0) }
            for (continuation, events) in ready { continuation.resume(returning: events) }
        }
    }

    /// Removes whoever need not wait any more.
    private func take(_ events: ArraySlice<epoll_event>, _ state: inout State) -> [(
        UnsafeContinuation<Int32, Never>, Int32
    )] {
        var ready: [(UnsafeContinuation<Int32, Never>, Int32)] = []
        for event in events {
            if event.data.fd == alarm {
                var count: eventfd_t = 0
                eventfd_read(alarm, &count)
            } else if let waiter = state.waiters.removeValue(forKey: event.data.fd) {
                ready.append((waiter.continuation, Int32(bitPattern: event.events)))
            }
        }
        let now = Self.now
        guard now >= state.wakesAt else { return ready }
        for (socket, waiter) in state.waiters where waiter.end <= now {
            state.waiters[socket] = nil
            ready.append((waiter.continuation, 0))
        }
        let next = state.waiters.values.lazy.map(\.end).min() ?? Self.never
        // Whoever waits next is soon: the thread need not be woken for them.
        state.wakesAt = ready.isEmpty && events.isEmpty ? next : min(next, now + Self.slice)
        return ready
    }
}

private func monotonicNanoseconds(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

import BoundedWork
import Foundation
import Testing

@Suite("The executor of low priority")
struct LowPriorityExecutorTests {
    /// The name and the priority of the thread that runs this.
    private static func thread() -> (name: String?, priority: Int32) {
        let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        return (name?.trimmingCharacters(in: .newlines), getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0))
    }

    @Test("runs a task and its children on its thread, which gives way to others; what comes afterwards runs elsewhere")
    func thread() async throws {
        let usual = Self.thread().priority
        let executor = LowPriorityExecutor(name: "patient")
        let seen = await withTaskExecutorPreference(executor) {
            await withTaskGroup(of: (String?, Int32).self) { group in
                for _ in 1...20 {
                    group.addTask {
                        await Task.yield()
                        return Self.thread()
                    }
                }
                return await group.reduce(into: [Self.thread()]) { $0.append($1) }
            }
        }
        #expect(seen.count == 21)
        #expect(seen.map { "\($0.0 ?? "") \($0.1)" } == Array(repeating: "patient \(max(10, usual))", count: 21))
        await Task.yield()
        #expect(Self.thread().name != "patient")
    }

    @Test("its thread ends with it")
    func end() async throws {
        // The thread itself says which it is: a list of all threads changes while it is read.
        func name(of thread: String) -> String? { try? String(contentsOfFile: "/proc/\(thread)/comm", encoding: .utf8) }
        var thread = ""
        do {
            let executor = LowPriorityExecutor(name: "shortlived")
            thread = try await withTaskExecutorPreference(executor) {
                try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
            }
            // Otherwise the last use would be the end of it, and of the thread.
            withExtendedLifetime(executor) { #expect(name(of: thread) == "shortlived\n") }
        }
        var tries = 0
        while name(of: thread) == "shortlived\n", tries < 6_000 {
            try await Task.sleep(for: .milliseconds(10))
            tries += 1
        }
        #expect(name(of: thread) != "shortlived\n")
    }
}

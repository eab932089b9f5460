import BoundedWork
import Foundation
import Testing

@Suite("The executor of low priority")
struct LowPriorityExecutorTests {
    /// The name and the priority of the thread that runs this.
    private static func thread() -> (name: String?, priority: Int32) {
        (Thread.current.name, getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0))
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
        #expect(seen.allSatisfy { $0.0 == "patient" && $0.1 == max(10, usual) })
        await Task.yield()
        #expect(Self.thread().name != "patient")
    }

    @Test("its thread ends with it")
    func end() async throws {
        // A list of all threads may leave some out while others end, so the thread says itself which it is.
        func name(of thread: String) -> String? { try? String(contentsOfFile: "/proc/\(thread)/comm", encoding: .utf8) }
        var thread = ""
        do {
            let executor = LowPriorityExecutor(name: "shortlived")
            thread = try await withTaskExecutorPreference(executor) {
                try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
            }
            #expect(name(of: thread) == "shortlived\n")
        }
        var tries = 0
        while name(of: thread) == "shortlived\n", tries < 6_000 {
            try await Task.sleep(for: .milliseconds(10))
            tries += 1
        }
        #expect(name(of: thread) != "shortlived\n")
    }
}

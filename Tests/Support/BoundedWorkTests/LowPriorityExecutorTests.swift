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
        func count() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count { task in
                (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)) == "shortlived\n"
            }
        }
        do {
            let executor = LowPriorityExecutor(name: "shortlived")
            let running = try await withTaskExecutorPreference(executor) { try count() }
            #expect(running == 1)
        }
        var (left, tries) = (1, 0)
        while left > 0, tries < 6_000 {
            try await Task.sleep(for: .milliseconds(10))
            (left, tries) = (try count(), tries + 1)
        }
        #expect(left == 0)
    }
}

import CherishTestSupport
import Foundation
import PictureFormat
import Synchronization
import Testing

@testable import Pictures

@Suite("Children that make pictures", .timeLimit(.minutes(30)))
struct PictureMakerTests {
    // MARK: - The program

    private struct Confinement: Decodable {
        let systemCallsAreFiltered, gainsNoPrivileges: Bool
        let priority: Int
        let limits: [String: String]
    }

    @Test("before it reads a byte, the program has given up all that it does not need")
    func confinement() async throws {
        let output = try await python("confinement.py", pictureProgram)
        let confinement = try JSONDecoder().decode(Confinement.self, from: Data(output.utf8))
        #expect(confinement.systemCallsAreFiltered)
        #expect(confinement.gainsNoPrivileges)
        #expect(confinement.priority == 5)
        let expected = [
            "Max address space": "671088640", "Max cpu time": "8", "Max file size": "0", "Max core file size": "0",
            "Max open files": "0", "Max processes": "0",
        ]
        for (name, limit) in expected { #expect(confinement.limits[name] == limit, "\(name)") }
    }

    @Test("a child inherits no variable, no descriptor and no folder")
    func inheritance() async throws {
        // Would be inherited, as it is not closed by exec.
        let descriptor = open("/dev/null", O_RDONLY)
        defer { close(descriptor) }
        let script = """
            /bin/ls /proc/self/fd > "$FOLDER/descriptors"
            /bin/pwd > "$FOLDER/folder"
            /usr/bin/env -u PWD -u OLDPWD -u SHLVL -u _ > "$FOLDER/variables"
            exit 5
            """
        try await withScript(script) { maker, folder in
            let error = try await refusal([], maker)
            #expect(error == .broken)
            // The fourth is the listed folder itself.
            #expect(text("descriptors", in: folder) == "0\n1\n2\n3\n")
            #expect(text("folder", in: folder) == "/\n")
            #expect(text("variables", in: folder) == "")
        }
    }

    @Test("a missing program, library or right is reported to the operator, with what to do")
    func unusable() async throws {
        let missing = pictureMaker(program: "/nowhere/cherish-picture")
        let noLibrary = try await withScript("exit 127") { maker, _ in try await refusal([], maker) }
        let noRights = try await withScript("exit 6") { maker, _ in try await refusal([], maker) }
        for error in [try await refusal([], missing), noLibrary, noRights] {
            guard case .unusableProgram = try #require(error) else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        let message = try #require(try await refusal([], missing)).description
        #expect(message.contains("/nowhere/cherish-picture"))
        #expect(message.contains("install it"))
    }

    // MARK: - Endings

    @Test(
        "a child that crashes, is killed or fails otherwise is a broken picture",
        arguments: ["kill -KILL $$", "kill -SEGV $$", "exit 5", "exit 1", "exit 99", "exec /bin/false"])
    func endings(script: String) async throws {
        try await withScript(script) { maker, _ in
            // More than a pipe holds: the child ends before it has read all of it.
            let error = try await refusal([UInt8](repeating: 0, count: 1 << 20), maker)
            #expect(error == .broken)
        }
    }

    @Test("a child that takes too long is killed")
    func timeLimit() async throws {
        let script = "echo $$ > \"$FOLDER/child\"; exec /bin/sleep 3600"
        try await withScript(script, timeLimit: .milliseconds(500)) { maker, folder in
            #expect(try await refusal([1, 2, 3], maker) == .broken)
            if let child = text("child", in: folder) { try await expectEnd(of: child) }
        }
    }

    @Test("cancelling the task kills the child")
    func cancellation() async throws {
        try await withScript("echo $$ > \"$FOLDER/child\"; exec /bin/sleep 3600") { maker, folder in
            let task = Task { try await maker.picture(from: [UInt8](repeating: 0, count: 1 << 20)) }
            try await eventually("the child did not start") { text("child", in: folder)?.hasSuffix("\n") == true }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            try await expectEnd(of: try #require(text("child", in: folder)))
        }
    }

    /// Expects a process to be gone, and reaped.
    private func expectEnd(of child: String) async throws {
        let process = try #require(pid_t(child.trimmingCharacters(in: .newlines)))
        try await eventually("the child lives on") { kill(process, 0) != 0 && errno == ESRCH }
    }

    @Test("no child and no descriptor is left behind, whatever the ending")
    func leftovers() async throws {
        func descriptorCount() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        }
        let picture = try fixture("dot.png")
        let before = try descriptorCount()
        try await withScript("exec /bin/sleep 3600", timeLimit: .milliseconds(20)) { slow, _ in
            for _ in 0..<100 {
                _ = try await refusal(picture, slow)
                _ = try await refusal([], pictureMaker(program: "/nowhere/cherish-picture"))
                _ = try await maker.picture(from: picture)
            }
        }
        // Other tests open some at the same time.
        try await eventually("descriptors leak") { try descriptorCount() < before + 50 }
        try await eventually("children stay") { try childCount() < 20 }
    }

    /// How many children this process has, with those that nobody has reaped.
    private func childCount() throws -> Int {
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
        return threads.reduce(0) { count, thread in
            // The thread may have ended meanwhile.
            let children = try? String(contentsOfFile: "/proc/self/task/\(thread)/children", encoding: .utf8)
            return count + (children?.split(separator: " ").count ?? 0)
        }
    }

    // MARK: - What is believed

    @Test("what a child answers is checked: a large, long, disguised or endless answer is refused")
    func answers() async throws {
        let echo = pictureMaker(program: "/bin/cat")
        let stored = try await maker.picture(from: fixture("large.jpg"))
        #expect(try await echo.picture(from: stored) == stored)
        for name in try pictureNames() where name != "dot.jpg" {
            #expect(try await refusal(fixture(name), echo) == .broken, "\(name)")
        }
        for answer in [[], stored + [0], Array(stored.dropLast()), Array("hello".utf8)] {
            #expect(try await refusal(answer, echo) == .broken)
        }
        // The same frame, 513 pixels high and wide.
        let frame = try #require(JPEGSegments(stored).first { $0.isFrame }).content.lowerBound
        let large = stored[..<frame] + [8, 2, 1, 2, 1] + stored[(frame + 5)...]
        #expect(try await refusal(Array(large), echo) == .broken)
        for marker: UInt8 in [0xe0, 0xe1, 0xfe] {
            let segment = [0xff, marker, 0, 6] + Array("evil".utf8)
            #expect(try await refusal(stored[..<2] + segment + stored[2...], echo) == .broken)
        }
        try await withScript("while :; do echo y; done") { maker, _ in
            let error = try await refusal(stored, maker)
            #expect(error == .broken)
        }
    }

    // MARK: - Many at once

    @Test("two are made at once, sixteen wait in order, and the others are told to come back")
    func line() async throws {
        let script = """
            echo x >> "$FOLDER/started"
            while [ ! -e "$FOLDER/open" ]; do /bin/sleep 0.05; done
            exec \(pictureProgram)
            """
        let picture = try fixture("dot.png")
        try await withScript(script) { maker, folder in
            let busyCount = Mutex(0)
            let results = Task {
                await concurrently(40) { _ in
                    let outcome = try await outcome(picture, maker)
                    if outcome == .failure(.busy) { busyCount.withLock { $0 += 1 } }
                    return outcome
                }
            }
            try await eventually("the line did not fill") {
                busyCount.withLock { $0 } == 22 && text("started", in: folder) == "x\nx\n"
            }
            #expect(maker.waitingCount == 16)
            try Data().write(to: folder.appendingPathComponent("open"))
            let storedCount = try await results.value.count { try $0.get() != .failure(.busy) }
            #expect(storedCount == 18)
            #expect(maker.waitingCount == 0)
            // There is room again.
            _ = try await maker.picture(from: picture)
        }
    }

    @Test("whoever is cancelled while waiting leaves the line, and takes no place in it")
    func leaving() async throws {
        let script = "while [ ! -e \"$FOLDER/open\" ]; do /bin/sleep 0.05; done; exec \(pictureProgram)"
        let picture = try fixture("dot.png")
        try await withScript(script, children: 1, limit: 2) { maker, folder in
            let first = Task { try await maker.picture(from: picture) }
            let waiting = (1...2).map { _ in Task { try await maker.picture(from: picture) } }
            try await eventually("nobody waits") { maker.waitingCount == 2 }
            for task in waiting {
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            #expect(maker.waitingCount == 0)
            let next = Task { try await maker.picture(from: picture) }
            try await eventually("nobody waits") { maker.waitingCount == 1 }
            try Data().write(to: folder.appendingPathComponent("open"))
            #expect(try await first.value == next.value)
        }
    }
}

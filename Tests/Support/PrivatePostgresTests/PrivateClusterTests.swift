import CherishTestSupport
import Foundation
import Glibc
import Testing

@testable import PrivatePostgres

// Serialized, because each test runs a server.
@Suite("A private cluster", .serialized, .timeLimit(.minutes(60)))
struct PrivateClusterTests {
    @Test("is created and started below a path with spaces and quotes, and reports its state")
    func life() async throws {
        try await withCluster(named: "a friend's \"own\" $HOME") { cluster in
            #expect(cluster.socketDirectory.hasPrefix(cluster.home))
            #expect(try await cluster.status() == .missing)
            try await cluster.ensureRunning()
            let processID = try await runningProcess(of: cluster)
            #expect(kill(processID, 0) == 0)
            #expect(try query("SELECT current_database(), current_user", on: cluster) == "cherish|cherish")
            #expect(try await cluster.stop())
            #expect(try await cluster.status() == .stopped)
            #expect(try await cluster.stop() == false)
        }
    }

    @Test("listens only on its socket, uses UTC, and accepts additional settings")
    func settings() async throws {
        try await withCluster(additionalSettings: ["max_connections": "17"]) { cluster in
            try await cluster.ensureRunning()
            #expect(try query("SHOW listen_addresses", on: cluster) == "")
            #expect(try query("SHOW timezone", on: cluster) == "UTC")
            #expect(try query("SHOW fsync", on: cluster) == "off")
            #expect(try query("SHOW max_connections", on: cluster) == "17")
            #expect(try information(on: cluster.socketDirectory).st_mode & 0o777 == 0o700)
        }
    }

    @Test("is found running, without any server programs and by another instance")
    func secondTime() async throws {
        try await withCluster { cluster in
            try await cluster.ensureRunning()
            let processID = try await runningProcess(of: cluster)
            let another = PrivateCluster(
                home: cluster.home + "/../home/", durability: .none, binaryDirectory: "/nowhere")
            try await another.ensureRunning()
            #expect(try await runningProcess(of: another) == processID)
        }
    }

    @Test("is created once by concurrent callers")
    func concurrency() async throws {
        try await withCluster { cluster in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...4 {
                    group.addTask { try await cluster.ensureRunning() }
                }
                try await group.waitForAll()
            }
            #expect(try query("SELECT 1", on: cluster) == "1")
        }
    }

    @Test("keeps its data when stopped, moved and started again")
    func persistence() async throws {
        try await withCluster { cluster in
            try await cluster.ensureRunning()
            _ = try query("CREATE TABLE kept AS SELECT 42 AS number", on: cluster)
            _ = try await cluster.stop()
            let moved = PrivateCluster(home: cluster.home + ".moved", durability: .none)
            try FileManager.default.moveItem(atPath: cluster.home, toPath: moved.home)
            try await destroying(moved) {
                try await moved.ensureRunning()
                #expect(try query("SELECT number FROM kept", on: moved) == "42")
            }
        }
    }

    @Test("starts after a crash even if another process now has its pid")
    func staleProcessFile() async throws {
        try await withCluster { cluster in
            try await cluster.ensureRunning()
            let crashed = try await runningProcess(of: cluster)
            let children = try String(contentsOfFile: "/proc/\(crashed)/task/\(crashed)/children", encoding: .utf8)
                .split(separator: " ").compactMap { pid_t($0) }
            try #require(!children.isEmpty)
            kill(crashed, SIGKILL)
            try await eventually("processes of the crashed server never noticed") {
                (children + [crashed]).allSatisfy { hasEnded($0) }
            }
            let program = try startStranger()
            let stranger = try #require(program.processID)
            defer { program.signal(SIGKILL) }
            let processFile = cluster.dataDirectory + "/postmaster.pid"
            let content = try String(contentsOfFile: processFile, encoding: .utf8)
            try content.replacing("\(crashed)\n", with: "\(stranger)\n", maxReplacements: 1)
                .write(toFile: processFile, atomically: false, encoding: .utf8)
            let lock = cluster.socketDirectory + PrivateCluster.socketName + ".lock"
            try "\(stranger)\n".write(toFile: lock, atomically: false, encoding: .utf8)

            #expect(try await cluster.status() == .stopped)
            try await cluster.ensureRunning()
            let restarted = try await runningProcess(of: cluster)
            #expect(restarted != stranger)
            #expect(program.processID == stranger)
            #expect(try query("SELECT 1", on: cluster) == "1")
        }
    }

    @Test("does not mistake the calling process for its server")
    func ownProcessNumber() async throws {
        try await withCluster { cluster in
            try await cluster.ensureRunning()
            _ = try await cluster.stop()
            try "\(getpid())\n".write(
                toFile: cluster.dataDirectory + "/postmaster.pid", atomically: false, encoding: .utf8)
            #expect(try await cluster.status() == .stopped)
            try await cluster.ensureRunning()
            #expect(try await runningProcess(of: cluster) != getpid())
        }
    }

    @Test("is created again if creation was interrupted", arguments: ["postgres.making", "postgres"])
    func halfMade(name: String) async throws {
        try await withCluster { cluster in
            let begun = cluster.home + "/" + name
            try makeDirectory(begun + "/base/1")
            try makeDirectory(begun + "/global")
            for file in ["/PG_VERSION", "/base/1/PG_VERSION"] {
                try "15\n".write(toFile: begun + file, atomically: false, encoding: .utf8)
            }
            #expect(try await cluster.status() == .missing)
            try await cluster.ensureRunning()
            #expect(try query("SELECT 1", on: cluster) == "1")
            #expect(access(cluster.home + "/postgres.making", F_OK) != 0)
        }
    }

    @Test("refuses to touch damaged data, and names the file", arguments: ["global/pg_control", "PG_VERSION"])
    func damaged(missingFile: String) async throws {
        try await withCluster { cluster in
            try await cluster.ensureRunning()
            _ = try await cluster.stop()
            try FileManager.default.removeItem(atPath: cluster.dataDirectory + "/" + missingFile)
            let error = await #expect(throws: PrivateClusterError.self) { try await cluster.ensureRunning() }
            #expect(error?.description.contains(cluster.dataDirectory) == true)
            #expect(access(cluster.dataDirectory + "/base/1", F_OK) == 0)
        }
    }

    @Test("refuses a directory with foreign files")
    func foreignDirectory() async throws {
        try await withCluster { cluster in
            try makeDirectory(cluster.dataDirectory)
            let letter = cluster.dataDirectory + "/letter.txt"
            try "Dear friend".write(toFile: letter, atomically: false, encoding: .utf8)
            await #expect(throws: PrivateClusterError.self) { try await cluster.ensureRunning() }
            #expect(access(letter, F_OK) == 0)
        }
    }

    @Test("puts its socket into a short directory if its home has a long path")
    func longHome() async throws {
        try await withCluster(named: String(repeating: "long", count: 40)) { cluster in
            #expect(cluster.socketDirectory.hasPrefix("/tmp/cherish-"))
            #expect(cluster.socketDirectory == PrivateCluster(home: cluster.home).socketDirectory)
            #expect(cluster.socketDirectory != PrivateCluster(home: cluster.home + "er").socketDirectory)
            try await cluster.ensureRunning()
            #expect(try query("SELECT 1", on: cluster) == "1")
            try await cluster.destroy()
            #expect(access(cluster.socketDirectory, F_OK) != 0)
        }
    }

    @Test("escapes what would end a value of a connection string")
    func connectionString() {
        let cluster = PrivateCluster(home: #"/a'b\c"#)
        #expect(
            cluster.connectionString(database: "d'")
                == #"host='/a\'b\\c/socket' port=5432 user=cherish dbname='d\''"#)
    }

    @Test("runs as another user below a directory that only root may enter", .enabled(if: geteuid() == 0))
    func closedDirectory() async throws {
        try await withCluster { cluster in
            let parent = URL(fileURLWithPath: cluster.home).deletingLastPathComponent().path
            #expect(chmod(parent, 0o700) == 0)
            try await cluster.ensureRunning()
            let processID = try await runningProcess(of: cluster)
            #expect(try information(on: "/proc/\(processID)").st_uid != 0)
            #expect(try query("SELECT 1", on: cluster) == "1")
        }
    }

    @Test("does not inherit our open files, so readers of our output see its end")
    func inheritedFiles() async throws {
        try await withCluster { cluster in
            var ends: [Int32] = [-1, -1]
            let failure = pipe(&ends)
            try #require(failure == 0)
            let (reader, writer) = (ends[0], ends[1])
            defer { close(reader) }
            try await cluster.ensureRunning()
            close(writer)
            // Another test's child may hold the closed end until its exec, a moment later.
            var waiting = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
            let count = poll(&waiting, 1, 600_000)
            #expect(count == 1)
            #expect(waiting.revents & Int16(POLLHUP) != 0)
        }
    }

    @Test("says what to install if PostgreSQL is missing")
    func missingPrograms() async throws {
        try await withTemporaryDirectory { directory in
            let cluster = PrivateCluster(home: directory + "/home", binaryDirectory: directory)
            let error = await #expect(throws: PrivateClusterError.self) { try await cluster.ensureRunning() }
            #expect(error?.description.contains("install postgresql-15") == true)
            #expect(error?.description.contains("DATABASE_URL") == true)
            #expect(error?.description.contains(directory) == true)
            let status = try await cluster.status()
            #expect(status == .missing)
        }
    }

    @Test("shows the end of the server's log if it cannot start")
    func failingStart() async throws {
        try await withCluster(additionalSettings: ["shared_buffers": "a lot"]) { cluster in
            let error = await #expect(throws: PrivateClusterError.self) { try await cluster.ensureRunning() }
            #expect(error?.description.contains("shared_buffers") == true)
            let status = try await cluster.status()
            #expect(status == .stopped)
        }
    }

    @Test("leaves nothing behind when destroyed")
    func destruction() async throws {
        try await withCluster { cluster in
            try await cluster.ensureRunning()
            try await cluster.destroy()
            #expect(access(cluster.home, F_OK) != 0)
            #expect(try await cluster.status() == .missing)
            try await cluster.destroy()
        }
    }
}

// MARK: - Setting the scene

/// Runs a test with a cluster in a directory of its own, and destroys it afterwards.
private func withCluster(
    named name: String = "home",
    additionalSettings: [String: String] = [:],
    _ test: @Sendable (PrivateCluster) async throws -> Void
) async throws {
    try await withTemporaryDirectory { directory in
        let cluster = PrivateCluster(
            home: directory + "/" + name, durability: .none, additionalSettings: additionalSettings)
        try await destroying(cluster) { try await test(cluster) }
    }
}

private func destroying(_ cluster: PrivateCluster, after test: () async throws -> Void) async throws {
    do {
        try await test()
    } catch {
        // The test's own error is the one to report.
        try? await cluster.destroy()
        throw error
    }
    try await cluster.destroy()
}

private func withTemporaryDirectory(_ test: (String) async throws -> Void) async throws {
    // Short, so that socket paths below it fit.
    let directory = "\(FileManager.default.temporaryDirectory.path)/cluster-\(UUID().uuidString.prefix(8))"
    try makeDirectory(directory)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try await test(directory)
}

private func makeDirectory(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
}

private func information(on path: String) throws -> stat {
    var information = stat()
    guard lstat(path, &information) == 0 else { throw PrivateClusterError(system: "Cannot look at \(path)") }
    return information
}

private func runningProcess(of cluster: PrivateCluster) async throws -> pid_t {
    guard case .running(let processID) = try await cluster.status() else {
        throw PrivateClusterError("No server runs on \(cluster.home).")
    }
    return processID
}

/// What psql prints for a statement: columns separated by `|`.
private func query(_ statement: String, on cluster: PrivateCluster) throws -> String {
    let programs = try ServerPrograms.find(binaryDirectory: nil, dataVersion: nil)
    let outcome = try programs.run(
        "psql", ["-X", "-A", "-t", "-c", statement, cluster.connectionString()], in: "/")
    try #require(outcome.status == 0, "\(outcome.output)")
    return outcome.output.trimmingCharacters(in: .newlines)
}

/// Whether a process is gone, or is a zombie.
private func hasEnded(_ id: pid_t) -> Bool {
    guard let line = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8) else { return true }
    return line.contains(") Z ")
}

/// Starts a process unrelated to PostgreSQL, but of the user that its servers run as: otherwise PostgreSQL itself would
/// notice that it is not a server.
private func startStranger() throws -> RunningProgram {
    let asServerUser = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    return try RunningProgram("/usr/bin/env", (geteuid() == 0 ? asServerUser : []) + ["sleep", "300"])
}

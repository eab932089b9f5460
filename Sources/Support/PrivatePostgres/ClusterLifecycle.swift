import Foundation
import Glibc

/// The cluster's operations in blocking form.
extension PrivateCluster {
    static let socketName = "/.s.PGSQL.5432"

    private var socketPath: String { socketDirectory + Self.socketName }
    private var logFile: String { home + "/postgres.log" }
    private var processFile: String { dataDirectory + "/postmaster.pid" }
    /// Stored in the data directory, so that it disappears with the data.
    private var databaseMarker: String { dataDirectory + "/cherish.database-made" }

    func ensureRunningBlocking() throws {
        try withLock { lock in
            let answers = try settledProcess() != nil && socketAnswers()
            let isComplete = answers && access(databaseMarker, F_OK) == 0
            if isComplete { return }
            let programs = try findPrograms(lock)
            if !answers { try startServer(programs) }
            try makeDatabase(programs)
        }
    }

    func stopBlocking() throws -> Bool {
        guard access(home, F_OK) == 0 else { return false }
        return try withLock { lock in
            guard serverProcess() != nil else { return false }
            try stopServer(findPrograms(lock), mode: "fast")
            return true
        }
    }

    func currentStatus() -> Status {
        if let process = serverProcess() { return .running(processID: process.id) }
        return dataState() == .complete ? .stopped : .missing
    }

    /// Stops the server and deletes everything, blocking the thread, for a process that is exiting.
    package func destroyBlocking() throws {
        guard access(home, F_OK) == 0 else { return }
        try withLock { lock in
            if serverProcess() != nil { try stopServer(findPrograms(lock), mode: "immediate") }
            for path in [socketDirectory, home] where access(path, F_OK) == 0 {
                try FileManager.default.removeItem(atPath: path)
            }
        }
    }

    /// Locks the cluster while `work` runs. Child programs hold the lock too: if this process is killed, nobody else
    /// starts before they have exited.
    private func withLock<Value>(_ work: (Int32) throws -> Value) throws -> Value {
        do {
            return try withExclusiveLock(on: home + "/lock", makingParentWith: makeHome, work)
        } catch let error as CocoaError {
            throw PrivateClusterError(home: home, error)
        }
    }

    private func makeHome() throws {
        guard access(home, F_OK) != 0 else { return }
        // The user postgres must traverse it to reach its own directories, which are closed to everyone else.
        let permissions = geteuid() == 0 ? 0o711 : 0o700
        try FileManager.default.createDirectory(
            atPath: home,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: permissions]
        )
    }

    private func findPrograms(_ lock: Int32) throws -> ServerPrograms {
        let version = dataState() == .complete ? readText(ofFile: dataDirectory + "/PG_VERSION") : nil
        return try ServerPrograms.find(
            binaryDirectory: binaryDirectory,
            dataVersion: version?.trimmingCharacters(in: .whitespacesAndNewlines),
            lock: lock
        )
    }
}

// MARK: - The server

extension PrivateCluster {
    private struct ServerProcess {
        let id: pid_t
        let isReady: Bool
    }

    /// Starts a server, after stopping one that runs but does not answer on its socket because the home directory was
    /// moved or the socket deleted.
    ///
    /// Paths are relative to the home directory: `pg_ctl` puts them into a shell command without escaping quotes and
    /// dollar signs.
    private func startServer(_ programs: ServerPrograms) throws {
        if serverProcess() != nil { try stopServer(programs, mode: "fast") }
        try prepareDataDirectory(programs)
        try programs.makeDirectory(socketDirectory)
        try writeSettings(programs)
        try clearStaleFiles()
        try beginLog(programs)
        let start = try programs.run(
            "pg_ctl", ["start", "-D", "postgres", "-l", "postgres.log", "-w", "-t", "60"], in: home,
            leavesServer: true)
        guard start.status == 0 else {
            throw PrivateClusterError("PostgreSQL could not be started on \(dataDirectory). " + advice(start.output))
        }
    }

    private func stopServer(_ programs: ServerPrograms, mode: String) throws {
        let stop = try programs.run("pg_ctl", ["stop", "-D", "postgres", "-m", mode, "-w", "-t", "60"], in: home)
        // The server may have stopped by itself in between.
        guard stop.status == 0 || serverProcess() == nil else {
            throw PrivateClusterError("PostgreSQL on \(dataDirectory) did not stop. " + advice(stop.output))
        }
    }

    private func makeDatabase(_ programs: ServerPrograms) throws {
        guard access(databaseMarker, F_OK) != 0 else { return }
        let creation = try programs.run(
            "createdb",
            ["-h", socketDirectory, "-p", "5432", "-U", "cherish", "-w", "--maintenance-db=postgres", "cherish"],
            in: home
        )
        guard creation.status == 0 || creation.output.contains("already exists") else {
            throw PrivateClusterError("The database \"cherish\" could not be made. " + advice(creation.output))
        }
        try "".write(toFile: databaseMarker, atomically: false, encoding: .utf8)
        try programs.giveToServer(databaseMarker)
    }

    /// Waits until the server is neither starting nor stopping, and returns its process; `nil` if there is none.
    private func settledProcess() throws -> ServerProcess? {
        let deadline = ContinuousClock.now + .seconds(60)
        while let process = serverProcess() {
            if process.isReady { return process }
            guard ContinuousClock.now < deadline else {
                throw PrivateClusterError(
                    "PostgreSQL on \(dataDirectory) (process \(process.id)) is still starting or stopping after a minute. "
                        + advice("")
                )
            }
            usleep(50_000)
        }
        return nil
    }

    /// Returns the process that `postmaster.pid` names, if it really is this cluster's server.
    private func serverProcess() -> ServerProcess? {
        guard let lines = processFileLines(), let id = pid_t(lines[0]), isServer(id) else { return nil }
        let state = lines.count > 7 ? lines[7].trimmingCharacters(in: .whitespaces) : ""
        return ServerProcess(id: id, isReady: state == "ready")
    }

    /// The lines of `postmaster.pid`: the first is the process ID, the eighth the state. Never empty.
    private func processFileLines() -> [String]? {
        readText(ofFile: processFile)?.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// After a crash `postmaster.pid` remains, and another process may reuse its process ID. A server of this cluster
    /// has the data directory as its working directory.
    private func isServer(_ id: pid_t) -> Bool {
        let prefix = "\(id) (postgres) "
        guard let line = readText(ofFile: "/proc/\(id)/stat"), line.hasPrefix(prefix),
            !line.dropFirst(prefix.count).hasPrefix("Z")
        else { return false }
        var workingDirectory = stat()
        var data = stat()
        guard stat("/proc/\(id)/cwd", &workingDirectory) == 0 else {
            // In a container, root may lack the right to inspect other users' processes.
            return (errno == EACCES || errno == EPERM) && socketAnswers()
        }
        return stat(dataDirectory, &data) == 0
            && data.st_dev == workingDirectory.st_dev && data.st_ino == workingDirectory.st_ino
    }

    private func socketAnswers() -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array(socketPath.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    /// Removes leftovers of a crashed server that would prevent a new one from starting. No server is running.
    ///
    /// Keeps `postmaster.pid`, because it also leads PostgreSQL to the shared memory that reveals whether sessions of
    /// the crashed server are still writing. Replaces its process ID with one that cannot exist, in case an unrelated
    /// process has taken over the old one. Deletes the file only if it has no process ID.
    private func clearStaleFiles() throws {
        if var lines = processFileLines() {
            if pid_t(lines[0]) == nil {
                unlink(processFile)
            } else {
                lines[0] = String(pid_t.max)
                try lines.joined(separator: "\n").write(toFile: processFile, atomically: false, encoding: .utf8)
            }
        }
        unlink(socketPath)
        unlink(socketPath + ".lock")
    }

    /// Keeps the log of the last run and starts a new one that the server's user can write.
    private func beginLog(_ programs: ServerPrograms) throws {
        if access(logFile, F_OK) == 0 {
            guard rename(logFile, logFile + ".previous") == 0 else {
                throw PrivateClusterError(system: "Cannot rename \(logFile)")
            }
        }
        let descriptor = open(logFile, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw PrivateClusterError(system: "Cannot make \(logFile)") }
        close(descriptor)
        try programs.giveToServer(logFile)
    }

    /// Describes a failure: the program's output and the end of the server's log.
    private func advice(_ output: String) -> String {
        let log = (readText(ofFile: logFile) ?? "").split(separator: "\n").suffix(20).joined(separator: "\n")
        let said = output.trimmingCharacters(in: .whitespacesAndNewlines)
        return [said, log.isEmpty ? "" : "The end of \(logFile):\n\(log)"]
            .filter { !$0.isEmpty }
            .joined(separator: "\n")
    }
}

// MARK: - The data

extension PrivateCluster {
    private enum DataState {
        case missing
        case halfMade
        case complete
        case damaged
    }

    private func dataState() -> DataState {
        guard access(dataDirectory, F_OK) == 0 else { return .missing }
        let isComplete = ["PG_VERSION", "global/pg_control"].allSatisfy { access("\(dataDirectory)/\($0)", F_OK) == 0 }
        if isComplete { return .complete }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: dataDirectory) else { return .damaged }
        let ours: Set = [
            "PG_VERSION", "base", "global", "postgresql.conf", "postgresql.auto.conf", "cherish.conf",
            "postmaster.pid", "postmaster.opts",
        ]
        // Only files that initdb creates, and no table yet: initdb writes pg_control before the first table.
        let isByInitdb = names.allSatisfy { ours.contains($0) || $0.hasPrefix("pg_") }
        return isByInitdb && !hasTables() ? .halfMade : .damaged
    }

    private func hasTables() -> Bool {
        let base = dataDirectory + "/base"
        let databases = (try? FileManager.default.contentsOfDirectory(atPath: base)) ?? []
        return databases.contains { database in
            let files = (try? FileManager.default.contentsOfDirectory(atPath: "\(base)/\(database)")) ?? []
            return files.contains { $0 != "PG_VERSION" }
        }
    }

    private func prepareDataDirectory(_ programs: ServerPrograms) throws {
        switch dataState() {
        case .complete:
            return
        case .damaged:
            throw PrivateClusterError(
                "\(dataDirectory) holds data, but is not a complete PostgreSQL data directory any more. Restore it from "
                    + "a backup, or move it away and try again to begin with an empty one."
            )
        case .halfMade:
            try FileManager.default.removeItem(atPath: dataDirectory)
        case .missing:
            break
        }
        try makeDataDirectory(programs)
    }

    /// Creates the data directory under a temporary name, so that the final name always means a complete one. An
    /// existing temporary directory is left from a killed attempt; its initdb has exited, because it held the lock.
    private func makeDataDirectory(_ programs: ServerPrograms) throws {
        let making = home + "/postgres.making"
        if access(making, F_OK) == 0 { try FileManager.default.removeItem(atPath: making) }
        try programs.makeDirectory(making)
        let initialization = try programs.run(
            "initdb",
            ["-D", "postgres.making", "-U", "cherish", "-A", "trust", "-E", "UTF8", "--no-locale"]
                + (durability == .none ? ["--no-sync"] : []),
            in: home
        )
        guard initialization.status == 0 else {
            throw PrivateClusterError(
                "PostgreSQL's initdb failed in \(home), which it must be able to reach.\n" + initialization.output)
        }
        let configuration = making + "/postgresql.conf"
        let settings = try String(contentsOfFile: configuration, encoding: .utf8) + "\ninclude 'cherish.conf'\n"
        try settings.write(toFile: configuration, atomically: false, encoding: .utf8)
        guard rename(making, dataDirectory) == 0 else {
            throw PrivateClusterError(system: "Cannot rename \(making)")
        }
    }

    /// Rewrites the settings before each start, because the home directory may have moved.
    private func writeSettings(_ programs: ServerPrograms) throws {
        let file = dataDirectory + "/cherish.conf"
        let lines = settings.sorted { $0.key < $1.key }.map { "\($0.key) = \(quoted($0.value))\n" }
        try lines.joined().write(toFile: file, atomically: false, encoding: .utf8)
        try programs.giveToServer(file)
    }

    private var settings: [String: String] {
        var settings = [
            "listen_addresses": "",
            "port": "5432",
            // A list of names, each optionally in double quotes.
            "unix_socket_directories": "\"" + escaped(socketDirectory, "\"", with: "\"") + "\"",
            // The directory is closed to others, which is enough.
            "unix_socket_permissions": "0777",
            "timezone": "UTC",
            "log_timezone": "UTC",
            "log_destination": "stderr",
            // Error details contain rows, and rows contain names, phones, and memos.
            "log_error_verbosity": "terse",
            "logging_collector": "off",
            "max_connections": "100",
        ]
        if durability == .none {
            for name in ["fsync", "synchronous_commit", "full_page_writes"] {
                settings[name] = "off"
            }
        }
        return settings.merging(additionalSettings) { _, additional in additional }
    }
}

import Foundation
import Glibc

/// The programs of PostgreSQL and the user who runs them: PostgreSQL refuses to run as root.
struct ServerPrograms {
    private static let required = ["initdb", "pg_ctl", "postgres", "createdb"]

    let directory: String
    /// The cluster's lock. Each program holds it until it exits: one that outlives us is still working on the cluster.
    private let lock: Int32?
    /// The owner of the server's files; `nil` if we are not root and the server runs as ourselves.
    private let account: (userID: uid_t, groupID: gid_t)?
    /// The start of each command line, which switches to that user.
    private let launcher: [String]

    /// Finds the programs.
    ///
    /// - Parameters:
    ///   - binaryDirectory: The only directory to search, if given.
    ///   - dataVersion: The version of PostgreSQL that created the data, such as `15`: no other can read them.
    ///   - lock: The descriptor that holds the cluster's lock.
    static func find(binaryDirectory: String?, dataVersion: String?, lock: Int32? = nil) throws -> ServerPrograms {
        let directory = try findDirectory(binaryDirectory: binaryDirectory, dataVersion: dataVersion)
        guard geteuid() == 0 else {
            return ServerPrograms(directory: directory, lock: lock, account: nil, launcher: [])
        }
        guard let account = findAccount(named: "postgres") else {
            throw PrivateClusterError(
                "PostgreSQL refuses to run as root, and there is no user \"postgres\" to run it as. Make one "
                    + "(adduser --system --group postgres), run this as another user, or set DATABASE_URL."
            )
        }
        return ServerPrograms(
            directory: directory, lock: lock, account: account, launcher: try makeLauncher(account.groupID))
    }

    /// Runs one of the programs to completion, without environment variables that could mislead it, such as `PGPORT`.
    ///
    /// - Parameter leavesServer: Whether it starts a server, which keeps running without the lock.
    func run(
        _ program: String, _ arguments: [String], in workingDirectory: String, leavesServer: Bool = false
    ) throws -> ChildProcess.Outcome {
        try ChildProcess.run(
            launcher + ["\(directory)/\(program)"] + arguments,
            in: workingDirectory,
            environment: ["PATH": directory + ":" + searchPath.joined(separator: ":"), "LC_ALL": "C"],
            holding: lock.map { ChildProcess.Lock(descriptor: $0, isKeptByShell: leavesServer) }
        )
    }

    /// Creates a directory that only the server's user (and root) may enter, or adopts an existing one.
    func makeDirectory(_ path: String) throws {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw PrivateClusterError(system: "Cannot make the directory \(path)")
        }
        // Below /tmp anyone may have created something with this name.
        var found = stat()
        guard lstat(path, &found) == 0, found.st_mode & S_IFMT == S_IFDIR,
            found.st_uid == geteuid() || found.st_uid == account?.userID
        else {
            throw PrivateClusterError("\(path) is not a directory of ours. Remove it and try again.")
        }
        guard chmod(path, 0o700) == 0 else { throw PrivateClusterError(system: "Cannot close \(path) to others") }
        try giveToServer(path)
    }

    /// Changes the owner of a file or directory to the server's user.
    func giveToServer(_ path: String) throws {
        guard let account else { return }
        guard chown(path, account.userID, account.groupID) == 0 else {
            throw PrivateClusterError(system: "Cannot give \(path) to the user postgres")
        }
    }

    private static func findDirectory(binaryDirectory: String?, dataVersion: String?) throws -> String {
        let variable = ProcessInfo.processInfo.environment["CHERISH_POSTGRES_BIN"].flatMap { $0.isEmpty ? nil : $0 }
        if let chosen = binaryDirectory ?? variable {
            guard hasAllPrograms(chosen) else { throw notFound(in: chosen) }
            return chosen
        }
        let root = "/usr/lib/postgresql"
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [])
            .filter { hasAllPrograms("\(root)/\($0)/bin") }
            .sorted { $0.compare($1, options: .numeric) == .orderedDescending }
        if let newest = versions.first {
            guard let dataVersion else { return "\(root)/\(newest)/bin" }
            guard versions.contains(dataVersion) else {
                throw PrivateClusterError(
                    "The private cluster was made by PostgreSQL \(dataVersion), which is not installed any more. "
                        + "Install postgresql-\(dataVersion) (apt-get install postgresql-\(dataVersion)) or set DATABASE_URL."
                )
            }
            return "\(root)/\(dataVersion)/bin"
        }
        guard let directory = searchPath.first(where: hasAllPrograms) else { throw notFound(in: nil) }
        return directory
    }

    private static func notFound(in directory: String?) -> PrivateClusterError {
        PrivateClusterError(
            "PostgreSQL's programs (\(required.joined(separator: ", "))) were not found"
                + (directory.map { " in \($0)" } ?? "")
                + ": install postgresql-15 (apt-get install postgresql-15) or set DATABASE_URL."
        )
    }

    private static func hasAllPrograms(_ directory: String) -> Bool {
        required.allSatisfy { access("\(directory)/\($0)", X_OK) == 0 }
    }

    private static func findAccount(named name: String) -> (userID: uid_t, groupID: gid_t)? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        let capacity = buffer.count
        guard getpwnam_r(name, &entry, &buffer, capacity, &found) == 0, found != nil else { return nil }
        return (entry.pw_uid, entry.pw_gid)
    }

    /// Builds the command that runs a program as the user postgres. The server gets root's capability to read and
    /// search everywhere, but not to write, so that it can reach data below a closed directory such as `/root`. Where
    /// even root cannot pass that capability on, the server runs without it.
    private static func makeLauncher(_ groupID: gid_t) throws -> [String] {
        guard let program = searchPath.map({ $0 + "/setpriv" }).first(where: { access($0, X_OK) == 0 }) else {
            throw PrivateClusterError(
                "PostgreSQL refuses to run as root, and setpriv, which would run it as the user postgres, was not "
                    + "found. Install it (apt-get install util-linux), or run this as another user."
            )
        }
        let plain = [program, "--reuid=postgres", "--regid=\(groupID)", "--init-groups"]
        let reaching = plain + ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
        let trial = try ChildProcess.run(reaching + ["--", program, "--version"], in: "/", environment: [:])
        return (trial.status == 0 ? reaching : plain) + ["--"]
    }
}

/// The directories in `PATH`, followed by the standard ones.
private var searchPath: [String] {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").map(String.init) + ["/usr/bin", "/bin"]
}

import Dispatch
import Foundation
import Glibc

/// A private PostgreSQL cluster below a directory, reachable only through a Unix-domain socket.
///
/// The module `PrivatePostgres` knows how to find, set up, start, and stop a PostgreSQL server. It may touch only the
/// home directory, the socket directory, and the server's processes. Start reading here; `ClusterLifecycle.swift` does
/// the work.
///
/// The value holds no resources; it only names a place. Each call inspects the current state, so any number of values
/// and processes may refer to the same cluster.
public struct PrivateCluster: Sendable {
    /// How much an operating system crash may cost.
    public enum Durability: Sendable {
        /// Committed data survives a crash.
        case full
        /// A crash of the operating system may destroy everything; for tests.
        case none
    }

    /// The state of the cluster below the home directory.
    public enum Status: Sendable, Equatable {
        /// There is no cluster, or only an incomplete one.
        case missing
        /// There is a cluster, but no server runs on it.
        case stopped
        /// A server runs, or is starting up or shutting down.
        case running(processID: Int32)
    }

    /// The absolute path of the directory that contains the whole cluster.
    public let home: String
    let durability: Durability
    let additionalSettings: [String: String]
    let binaryDirectory: String?

    /// Names a cluster without creating or starting anything.
    ///
    /// - Parameters:
    ///   - home: The directory of the cluster; created when needed. Values with equal homes are the same cluster.
    ///   - durability: How much an operating system crash may cost.
    ///   - additionalSettings: Settings as in `postgresql.conf`; they override this type's own and take effect at the
    ///     next server start.
    ///   - binaryDirectory: The directory of `initdb`, `pg_ctl`, `postgres` and `createdb`. `nil`: the environment
    ///     variable `CHERISH_POSTGRES_BIN`, else the newest version below `/usr/lib/postgresql`, else the search path.
    public init(
        home: String,
        durability: Durability = .full,
        additionalSettings: [String: String] = [:],
        binaryDirectory: String? = nil
    ) {
        self.home = URL(fileURLWithPath: home).standardizedFileURL.path
        self.durability = durability
        self.additionalSettings = additionalSettings
        self.binaryDirectory = binaryDirectory
    }

    /// The directory of the data.
    public var dataDirectory: String { home + "/postgres" }

    /// The directory of the server's socket: below the home directory, or, if that path does not fit a socket address
    /// or contains a comma, a directory below `/tmp` named after a hash of the home directory.
    public var socketDirectory: String {
        let preferred = home + "/socket"
        // The address holds 108 bytes including the NUL; and a comma would end a host name for libpq.
        let fits = (preferred + Self.socketName).utf8.count <= 107
        return fits && !preferred.utf8.contains(UInt8(ascii: ",")) ? preferred : "/tmp/cherish-" + fingerprint(of: home)
    }

    /// The conninfo string for libpq.
    public func connectionString(database: String = "cherish") -> String {
        "host=\(quoted(socketDirectory)) port=5432 user=cherish dbname=\(quoted(database))"
    }

    /// Creates the cluster and its database `cherish` and starts the server, unless that is already done.
    ///
    /// The server keeps running when this process exits. Several processes may call this at once: one does the work,
    /// the others wait for it.
    ///
    /// - Throws: ``PrivateClusterError`` if PostgreSQL is not installed, or cannot be set up or started.
    public func ensureRunning() async throws {
        try await awayFromTheCooperativePool { try ensureRunningBlocking() }
    }

    /// Stops the server: open transactions are rolled back, committed data is kept.
    ///
    /// - Returns: `false` if no server was running.
    /// - Throws: ``PrivateClusterError`` if the server does not stop within a minute.
    public func stop() async throws -> Bool {
        try await awayFromTheCooperativePool { try stopBlocking() }
    }

    /// Inspects the cluster without changing anything.
    public func status() async throws -> Status {
        try await awayFromTheCooperativePool { currentStatus() }
    }

    /// Stops the server immediately and deletes the home directory with everything in it.
    ///
    /// - Throws: ``PrivateClusterError`` if the server does not stop, or another error if a file cannot be deleted.
    public func destroy() async throws {
        try await awayFromTheCooperativePool { try destroyBlocking() }
    }
}

/// Runs blocking work outside the cooperative pool, which has only one thread per processor.
private func awayFromTheCooperativePool<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
            do {
                continuation.resume(returning: try work())
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}

/// A short name for a path that is stable across runs, unlike `hashValue`: 64-bit FNV-1a.
private func fingerprint(of path: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in path.utf8 {
        hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }
    return String(hash, radix: 16)
}

/// Quotes a value with single quotes, as in conninfo strings and `postgresql.conf`.
func quoted(_ value: String) -> String {
    "'" + escaped(value, "'\\", with: "\\") + "'"
}

/// Escapes special characters. Works on code points, as PostgreSQL does: in Swift, a quote with a combining accent is a
/// different `Character`, but for PostgreSQL it still ends the string.
func escaped(_ text: String, _ special: String, with escape: Unicode.Scalar) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        if special.unicodeScalars.contains(scalar) { result.append(escape) }
        result.append(scalar)
    }
    return String(result)
}

/// Why creating, starting, or stopping a private cluster failed, with advice for a person.
public struct PrivateClusterError: Error, Sendable, CustomStringConvertible {
    /// One or more sentences, followed by the end of the server's log where it helps.
    public let description: String

    /// Whether the cluster's files or folders cannot be created or written, as opposed to a server that does not run.
    public let isUnwritable: Bool

    init(_ description: String, isUnwritable: Bool = false) {
        self.description = description
        self.isUnwritable = isUnwritable
    }

    /// An operating system error; call this before anything else can change `errno`.
    init(system action: String) {
        let unwritable = [EACCES, EPERM, EROFS, ENOSPC, EDQUOT, ENOENT, ENOTDIR, EISDIR, ENAMETOOLONG]
        let isUnwritable = unwritable.contains(errno)
        let reason = String(cString: strerror(errno))
        self.init(
            "\(action): \(reason)." + (isUnwritable ? PrivateClusterError.remedy : ""), isUnwritable: isUnwritable)
    }

    /// A Foundation error about files below the home directory.
    init(home: String, _ error: any Error) {
        let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        let isSystems = cause?.domain == NSPOSIXErrorDomain
        let reason = isSystems ? String(cString: strerror(Int32(cause?.code ?? 0))) : error.localizedDescription
        self.init("\(home) cannot be written: \(reason)." + PrivateClusterError.remedy, isUnwritable: true)
    }

    private static let remedy =
        " Set CHERISH_HOME to a folder that can be made and written, or DATABASE_URL to a server."
}

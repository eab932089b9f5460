import Dispatch
import Foundation
import Glibc

/// A PostgreSQL cluster of one's own: made below a directory, reached through a unix socket only, by nobody else.
///
/// The value itself holds no resources; it names a place. What runs there is found anew on each call, so any number of
/// values and processes may speak of the same cluster.
public struct PrivateCluster: Sendable {
    /// How much a crash of the machine may cost.
    public enum Durability: Sendable {
        /// What is committed survives a crash.
        case full
        /// A crash of the machine may destroy everything; for tests.
        case none
    }

    /// What is found below the home directory.
    public enum Status: Sendable, Equatable {
        /// There is no cluster, or only a half-made one.
        case missing
        /// There is a cluster, and no server runs on it.
        case stopped
        /// A server runs, or is starting up or shutting down.
        case running(processID: Int32)
    }

    /// The directory below which everything of this cluster lies: an absolute path.
    public let home: String
    let durability: Durability
    let additionalSettings: [String: String]
    let binaryDirectory: String?

    /// Names a cluster; nothing is made or started yet.
    ///
    /// - Parameters:
    ///   - home: The directory that holds the cluster; it is made when needed. Two values are the same cluster when
    ///     their homes are equal.
    ///   - durability: What a crash of the machine may cost.
    ///   - additionalSettings: Settings as in `postgresql.conf`; they win over this type's own, and take effect when
    ///     the server is started the next time.
    ///   - binaryDirectory: Where `initdb`, `pg_ctl`, `postgres` and `createdb` lie. `nil`: the environment variable
    ///     `CHERISH_POSTGRES_BIN`, else the newest below `/usr/lib/postgresql`, else the search path.
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

    /// Where the data lie.
    public var dataDirectory: String { home + "/postgres" }

    /// Where the server's socket lies: below the home directory, or, when that path is too long for a socket's
    /// address, in a directory below `/tmp` whose name follows from the home directory.
    public var socketDirectory: String {
        let preferred = home + "/socket"
        // The address holds 108 bytes including the final zero; and libpq takes a comma for the end of a host.
        let fits = (preferred + Self.socketName).utf8.count <= 107
        return fits && !preferred.utf8.contains(UInt8(ascii: ",")) ? preferred : "/tmp/cherish-" + fingerprint(of: home)
    }

    /// What libpq needs to connect, as a conninfo string.
    public func connectionString(database: String = "cherish") -> String {
        "host=\(quoted(socketDirectory)) port=5432 user=cherish dbname=\(quoted(database))"
    }

    /// Makes the cluster and its database `cherish`, and starts the server, as far as that has not been done.
    ///
    /// The server goes on running when this process ends. Several processes may call this at once: one of them works,
    /// the others wait for it.
    ///
    /// - Throws: ``PrivateClusterError`` when PostgreSQL is not installed, or cannot be set up or started here.
    public func ensureRunning() async throws {
        try await awayFromTheCooperativePool { try ensureRunningBlocking() }
    }

    /// Ends the server: open transactions are rolled back, all that is committed is kept.
    ///
    /// - Returns: `false` when no server was running.
    /// - Throws: ``PrivateClusterError`` when the server does not end within a minute.
    public func stop() async throws -> Bool {
        try await awayFromTheCooperativePool { try stopBlocking() }
    }

    /// Looks at what is there, without changing anything.
    public func status() async throws -> Status {
        try await awayFromTheCooperativePool { currentStatus() }
    }

    /// Ends the server at once and deletes the home directory with everything in it.
    ///
    /// - Throws: ``PrivateClusterError`` when the server does not end, or an error when a file cannot be deleted.
    public func destroy() async throws {
        try await awayFromTheCooperativePool { try destroyBlocking() }
    }
}

/// Runs work that blocks on a thread that may block: the threads of the cooperative pool are as few as the processors.
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

/// A short name for a path that stays the same from run to run, unlike `hashValue`: FNV-1a with 64 bits.
private func fingerprint(of path: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in path.utf8 {
        hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }
    return String(hash, radix: 16)
}

/// A value in single quotes, as both conninfo strings and `postgresql.conf` take it.
func quoted(_ value: String) -> String {
    "'" + escaped(value, "'\\", with: "\\") + "'"
}

/// Puts a character before each of some special ones. It goes by code points, as PostgreSQL does: a quote with a
/// combining accent is another `Character` in Swift, and still ends a string there.
func escaped(_ text: String, _ special: String, with escape: Unicode.Scalar) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        if special.unicodeScalars.contains(scalar) { result.append(escape) }
        result.append(scalar)
    }
    return String(result)
}

/// Why a private cluster could not be made, started or ended, in words that tell a person what to do.
public struct PrivateClusterError: Error, Sendable, CustomStringConvertible {
    /// One sentence or more, followed by the last lines of the server's log where they help.
    public let description: String

    /// Whether files or folders of the cluster cannot be made or written, rather than that its server does not run.
    public let isUnwritable: Bool

    init(_ description: String, isUnwritable: Bool = false) {
        self.description = description
        self.isUnwritable = isUnwritable
    }

    /// An error of the operating system; call it before anything else can change `errno`.
    init(system action: String) {
        let unwritable = [EACCES, EPERM, EROFS, ENOSPC, EDQUOT, ENOENT, ENOTDIR, EISDIR, ENAMETOOLONG]
        let isUnwritable = unwritable.contains(errno)
        let reason = String(cString: strerror(errno))
        self.init(
            "\(action): \(reason)." + (isUnwritable ? PrivateClusterError.remedy : ""), isUnwritable: isUnwritable)
    }

    /// An error of Foundation, about files below the home directory.
    init(home: String, _ error: any Error) {
        let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        let isSystems = cause?.domain == NSPOSIXErrorDomain
        let reason = isSystems ? String(cString: strerror(Int32(cause?.code ?? 0))) : error.localizedDescription
        self.init("\(home) cannot be written: \(reason)." + PrivateClusterError.remedy, isUnwritable: true)
    }

    private static let remedy =
        " Set CHERISH_HOME to a folder that can be made and written, or DATABASE_URL to a server."
}

import Configuration
import Foundation
import Logging

/// Where the database is.
public enum DatabaseLocation: Sendable, Equatable {
    /// `DATABASE_URL`, or libpq's own `PG…` variables if that is empty. Migrated only on request.
    case server(connectionString: String)
    /// A private cluster in this directory, created and migrated on first use.
    case privateCluster(home: String)
}

/// Where pushes go (`CHERISH_PUSH`).
public enum PushOutletSetting: Sendable, Equatable {
    case standardOutput
    case jsonLines(path: String)
    /// The accounts' devices, through the configured providers.
    case devices
}

/// Where the worker serves metrics and probes (`CHERISH_METRICS_HOST`, `CHERISH_METRICS_PORT`).
public struct MonitoringAddress: Sendable, Equatable {
    public let host: String
    /// 0 for any free port.
    public let port: Int
}

/// The settings from the environment. `docs/operating.md` lists all variables.
public struct Settings: Sendable {
    public private(set) var database: DatabaseLocation
    /// nil if unset.
    public let push: PushOutletSetting?
    public let providers: ProviderSettings
    public let linkScheme: String
    public let logLevel: Logger.Level
    /// The maximum delay until the worker sees what another program added.
    public let pollInterval: Duration
    public let leaseDuration: Duration
    /// How many lanes the worker processes concurrently.
    public let concurrency: Int
    public let maximumConnections: Int
    /// How many days the log and the calendar are kept.
    public let retentionDays: Int
    /// Where the worker serves metrics and probes; nil to serve none.
    public let monitoring: MonitoringAddress?
    /// Whether the server sends mail (`CHERISH_MAIL`), or writes it into a file.
    public let sendsMail: Bool

    /// The same settings for another login or database.
    public func with(database: DatabaseLocation) -> Settings {
        var settings = self
        settings.database = database
        return settings
    }

    /// Where the worker sends pushes. By default, to devices if a provider is configured, otherwise to standard output.
    package var workerPush: PushOutletSetting { push ?? (providers.areSetUp ? .devices : .standardOutput) }

    /// - Throws: ``SettingError`` for an invalid value.
    public init(environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        let provider = EnvironmentVariablesProvider(
            environmentVariables: environment, secretsSpecifier: .specific(["DATABASE_URL", "PGPASSWORD"]))
        let reader = SettingsReader(config: ConfigReader(provider: provider))
        database = reader.database()
        push = try reader.push()
        providers = try reader.providers()
        linkScheme = try reader.linkScheme()
        logLevel = try reader.logLevel()
        pollInterval = .milliseconds(try reader.number("cherish.poll.milliseconds", default: 500, in: 10...60_000))
        leaseDuration = .milliseconds(
            try reader.number("cherish.lease.milliseconds", default: 30_000, in: 300...600_000))
        concurrency = try reader.number("cherish.concurrency", default: 4, in: 1...64)
        // Each lane being processed may need one connection, and the renewal of its lease another.
        maximumConnections = concurrency * 2 + 2
        retentionDays = try reader.number("cherish.retention.days", default: 90, in: 1...3650)
        monitoring = try reader.monitoring()
        sendsMail = environment["CHERISH_MAIL"]?.isEmpty == false
    }
}

/// An environment variable has an invalid value. The message omits the value, which may be a secret.
public struct SettingError: Error, Sendable, CustomStringConvertible {
    public let description: String

    init(variable: String, expected: String) {
        description = "\(variable) is not understood; set it to \(expected)"
    }

    /// - Parameter problem: what is wrong, and what to do.
    package init(variable: String, problem: String) {
        description = "\(variable) cannot be used: \(problem)"
    }
}

/// Reads the individual settings. The key `database.url` stands for the variable `DATABASE_URL`.
struct SettingsReader {
    let config: ConfigReader

    /// An empty variable counts as unset.
    func text(_ key: ConfigKey, isSecret: Bool = false) -> String? {
        config.string(forKey: key, isSecret: isSecret).flatMap { $0.isEmpty ? nil : $0 }
    }

    func database() -> DatabaseLocation {
        if let url = text("database.url", isSecret: true) { return .server(connectionString: url) }
        // Any of these implies a server to connect to.
        let keys: [ConfigKey] = ["pghost", "pghostaddr", "pgport", "pgservice", "pgdatabase"]
        if keys.contains(where: { text($0) != nil }) { return .server(connectionString: "") }
        return .privateCluster(home: text("cherish.home") ?? Settings.defaultHome)
    }

    func push() throws -> PushOutletSetting? {
        guard let value = text("cherish.push") else { return nil }
        if value == "stdout" { return .standardOutput }
        if value == "devices" { return .devices }
        let path = value.dropFirst("jsonl:".count)
        guard value.hasPrefix("jsonl:"), !path.isEmpty else {
            throw SettingError(variable: "CHERISH_PUSH", expected: "stdout, jsonl:PATH or devices")
        }
        return .jsonLines(path: String(path))
    }

    func linkScheme() throws -> String {
        let scheme = text("cherish.link.scheme") ?? "cherish"
        guard scheme.first?.isLetter == true,
            scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
        else { throw SettingError(variable: "CHERISH_LINK_SCHEME", expected: "a URL scheme such as cherish") }
        return scheme
    }

    func logLevel() throws -> Logger.Level {
        guard let value = text("cherish.log.level") else { return .info }
        guard let level = Logger.Level(rawValue: value.lowercased()) else {
            let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw SettingError(variable: "CHERISH_LOG_LEVEL", expected: "one of \(levels)")
        }
        return level
    }

    func monitoring() throws -> MonitoringAddress? {
        let port: ConfigKey = "cherish.metrics.port"
        guard text(port) != nil else { return nil }
        return MonitoringAddress(
            host: text("cherish.metrics.host") ?? "127.0.0.1", port: try number(port, default: 0, in: 0...65_535))
    }

    func number(_ key: ConfigKey, default standard: Int, in range: ClosedRange<Int>) throws -> Int {
        guard let value = text(key) else { return standard }
        guard let number = Int(value), range.contains(number) else {
            throw SettingError(
                variable: key.components.joined(separator: "_").uppercased(),
                expected: "a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

extension Settings {
    /// `~/.local/share/cherish`.
    static var defaultHome: String {
        FileManager.default.homeDirectoryForCurrentUser.path + "/.local/share/cherish"
    }
}

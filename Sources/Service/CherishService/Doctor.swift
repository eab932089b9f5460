import CherishCore
import CherishRuntime
import CherishStore
import Foundation
import PrivatePostgres
import SystemTimeZones

/// Checks the database and everything else that the programs need, except push delivery. Read-only; each finding says
/// what to do.
public struct Doctor: Sendable {
    private let settings: Settings
    private let now: Instant?

    /// - Parameter now: overrides the current time; nil uses the database's clock.
    public init(_ settings: Settings, now: Instant?) {
        self.settings = settings
        self.now = now
    }

    /// Runs all checks that are possible. An error in a check becomes a finding.
    public func examine() async -> [Finding] {
        do {
            if case .privateCluster(let home) = settings.database {
                // The check must not start it.
                guard case .running = try await PrivateCluster(home: home).status() else {
                    return [
                        .warning(
                            "database", "the private cluster in \(home) does not run",
                            "nothing, if you have no data yet; else run 'cherish database start'")
                    ]
                }
            }
            return try await Engine.withUnprepared(settings, now: now) { engine in
                await DatabaseChecks(engine: engine, settings: settings).findings()
            }
        } catch {
            return [Finding(broken: "database", error)]
        }
    }
}

/// The checks that query the database.
struct DatabaseChecks {
    let engine: Engine
    let settings: Settings

    /// How far two clocks may differ. Leases use only the database's clock, but tokens for Apple and Google and webhook
    /// signatures contain this machine's time, and receivers reject a time that is off by some minutes.
    static let bearableClockDifference = Duration.seconds(2)
    static let longestClockDifference = Duration.seconds(60)
    /// The same limits as the alerts in `dashboards/prometheus`.
    static let longestLag = Duration.seconds(300)
    static let longestRetryLag = Duration.seconds(900)
    private static let noticeableLag = Duration.seconds(60)
    /// Zones compared in addition to the accounts': with half-hour offsets, unusual clock changes, and none at all.
    private static let comparedZones = [
        "Africa/Casablanca", "America/New_York", "America/Nuuk", "Asia/Gaza", "Asia/Kathmandu", "Asia/Seoul",
        "Australia/Lord_Howe", "Europe/London", "Pacific/Apia",
    ]

    private var inspection: DatabaseInspection { DatabaseInspection(pool: engine.store.pool) }

    func findings() async -> [Finding] {
        let server: DatabaseInspection.Server
        do { server = try await inspection.server() } catch { return [Finding(broken: "database", error)] }
        var findings = [database(server)]
        let migrations = await check("migrations") { try await schema() }
        findings += migrations
        findings += await check("clock") { [try await clock()] }
        // The following checks query Cherish's tables.
        guard migrations.first?.verdict == .ok else { return findings }
        findings += await check("scheduling") { try await lags() }
        findings += await check("outages") { [try await outages()] }
        findings += await check("replanning") { [try await replanning()] }
        findings += await check("news") { [try await news()] }
        findings += await check("leases") { [try await leases()] }
        findings += await check("partitions") { [try await partitions()] }
        findings += await check("roles") { [try await roles(server)] }
        findings += await check("privileges") { [try await privileges(server)] }
        findings += await check("time_zones") { [try await timeZones()] }
        findings += await check("mail") { [try await mail()] }
        return findings
    }

    private func check(_ name: String, _ body: () async throws -> [Finding]) async -> [Finding] {
        do { return try await body() } catch { return [Finding(broken: name, error)] }
    }

    private func database(_ server: DatabaseInspection.Server) -> Finding {
        let name = "PostgreSQL \(server.version), user \(server.user)"
        if server.isReadOnly {
            return .problem(
                "database", "\(name): it takes no writes",
                "let DATABASE_URL lead to the primary, and leave default_transaction_read_only off")
        }
        if server.encoding != "UTF8" {
            return .problem(
                "database", "\(name): its encoding is \(server.encoding)",
                "make a database with ENCODING 'UTF8' and move there")
        }
        if server.versionNumber < 150_000 {
            return .warning("database", "\(name): everything is tested on 15", "upgrade the server")
        }
        return .ok("database", name)
    }

    private func schema() async throws -> [Finding] {
        let status: Migrator.Status
        do {
            status = try await engine.migrator.status()
        } catch let error as SchemaError {
            return [.problem("migrations", "\(error)", "run this command with the program that the database is for")]
        }
        guard status.applied == status.known else {
            return [
                .problem(
                    "migrations", "\(status.applied) of \(status.known) migrations are applied",
                    "run 'cherish database migrate'")
            ]
        }
        let migrations = Finding.ok("migrations", "\(status.applied) of \(status.known)")
        switch status.reports {
        case .current: return [migrations, .ok("reports", "current")]
        case .missing, .outdated:
            return [
                migrations, .warning("reports", status.reports.rawValue, "run 'cherish database migrate'"),
            ]
        }
    }

    private func clock() async throws -> Finding {
        let before = Instant(Date())
        let database = try await inspection.clock()
        let after = Instant(Date())
        return DatabaseChecks.clock(before: before, database: database, after: after)
    }

    /// - Parameters:
    ///   - before: this machine's clock before the query.
    ///   - after: this machine's clock after the answer.
    static func clock(before: Instant, database: Instant, after: Instant) -> Finding {
        // The database read its clock at some moment in between.
        let difference = max(.zero, database.duration(to: before), after.duration(to: database))
        let seconds = "\(difference.components.seconds) s"
        let direction = database < before ? "behind" : "ahead of"
        let message = "the database's clock is \(seconds) \(direction) this machine's"
        let remedy = "let both follow the same time servers (NTP): tokens and signatures bear this machine's time"
        if difference > longestClockDifference { return .problem("clock", message, remedy) }
        if difference > bearableClockDifference { return .warning("clock", message, remedy) }
        return .ok("clock", "this machine's and the database's agree")
    }

    private func lags() async throws -> [Finding] {
        let health = try await EngineHealth.read(from: engine.store.pool, time: engine.store.time)
        return [
            lag("scheduling", health.schedulingLag, "what is due has not been scheduled", DatabaseChecks.longestLag),
            lag(
                "delivery", health.deliveryLag, "\(health.undeliveredCount) pushes have not been looked at",
                DatabaseChecks.longestLag),
            lag(
                "retries", health.retryLag, "\(health.retryCount) pushes are to be tried again",
                DatabaseChecks.longestRetryLag),
            DatabaseChecks.cursors(aheadCount: health.aheadCount, by: health.aheadBy),
        ]
    }

    /// - Parameters:
    ///   - count: the number of lanes whose calendar is scheduled ahead of now.
    ///   - lead: how far ahead they are, at most.
    static func cursors(aheadCount count: Int, by lead: Duration) -> Finding {
        if count == 0 { return .ok("cursors", "no calendar is ahead of the clock") }
        let seconds = lead.components.seconds
        let howFar =
            seconds < 7200
            ? Int(seconds / 60).counted("minute")
            : seconds < 172_800 ? "\(seconds / 3600) hours" : "\(seconds / 86_400) days"
        return .problem(
            "cursors",
            """
            the calendars of \(count) lanes are ahead of the clock, by up to \(howFar): what they passed over does not \
            ring again, and what is added there rings late
            """,
            "as the owner of the tables run 'cherish database repair-cursors', and let nobody tick with a --now of the future"
        )
    }

    /// Checks for outages that last, and those of the last week.
    private func outages() async throws -> Finding {
        let now = try await engine.store.now()
        let all = try await engine.store.outages()
        if let lasting = all.first(where: { $0.endedAt == nil }) {
            return .warning(
                "outages", "\(Self.words(lasting.cause)) since \(lasting.beganAt)",
                "look at the worker's log for what the provider answers; plants whose pushes expire meanwhile are excused "
                    + "once pushes leave again")
        }
        let recent = all.filter { $0.beganAt > now.adding(hours: -24 * 7) }
        guard let last = recent.first, let endedAt = last.endedAt else {
            return .ok("outages", "none in the last week")
        }
        let more = recent.count > 1 ? ", and \(recent.count - 1) more in the last week" : ""
        return .ok(
            "outages",
            "\(Self.words(last.cause)) from \(last.beganAt) to \(endedAt), \(last.excusedCount.counted("plant")) excused\(more); "
                + "'cherish outage list' shows all")
    }

    private static func words(_ cause: Outage.Cause) -> String {
        switch cause {
        case .engine: "no worker scheduled pushes"
        case .apple: "Apple took no pushes"
        case .google: "Google took no pushes"
        case .browsers: "the push services of browsers took no pushes"
        case .declared: "an operator declared an outage"
        }
    }

    /// Checks for gardens whose replanning is unfinished.
    private func replanning() async throws -> Finding {
        let count = try await engine.store.accountsToReplan().count
        if count == 0 { return .ok("replanning", "every garden is planned by its account's zone and switches") }
        return .warning(
            "replanning", "\(count) gardens are being planned again after their accounts were edited",
            "wait for the commands, or keep a cherish-worker running, which goes on with what a command left")
    }

    /// Checks for people who have not been told of changes of shopping lists.
    private func news() async throws -> Finding {
        lag(
            "news", try await engine.store.newsAge(), "somebody has not been told of a change of a shopping list",
            DatabaseChecks.longestRetryLag)
    }

    private func lag(_ check: String, _ lag: Duration, _ what: String, _ longest: Duration) -> Finding {
        if lag <= DatabaseChecks.noticeableLag { return .ok(check, "up to date") }
        let message = "\(what) for \(lag.components.seconds) s"
        let remedy = "check that cherish-worker runs and what it logs; start more of them if they are busy"
        return lag > longest ? .problem(check, message, remedy) : .warning(check, message, remedy)
    }

    private func leases() async throws -> Finding {
        let abandoned = try await inspection.abandonedLeases()
        guard !abandoned.isEmpty else { return .ok("leases", "none ran out") }
        let lanes = abandoned.prefix(5).map { "lane \($0.lane) of \($0.worker) \($0.age.components.seconds) s ago" }
        let more = abandoned.count > lanes.count ? ", and \(abandoned.count - lanes.count) more" : ""
        let message = "ran out without being given back: \(lanes.joined(separator: ", "))\(more)"
        guard abandoned.contains(where: \.hasJobs) else {
            return .warning(
                "leases", message, "look why that worker died; the next push of these lanes takes the leases over")
        }
        return .problem(
            "leases", "\(message); jobs wait there",
            "start cherish-worker, which takes them over, and look why the other one died")
    }

    private func partitions() async throws -> Finding {
        let missing = try await Housekeeping(
            pool: engine.store.pool, time: engine.store.time, retention: settings.retentionDays
        ).missing()
        if missing.isEmpty { return .ok("partitions", "made ahead") }
        let more = missing.count > 6 ? " and \(missing.count - 6) more" : ""
        return .warning(
            "partitions", "not made ahead: \(missing.prefix(6).joined(separator: ", "))\(more)",
            "keep a cherish-worker running, which makes them; without one, whoever needs one has to wait for it")
    }

    /// Without mail, nobody but the operator gets a code.
    private func mail() async throws -> Finding {
        if settings.sendsMail { return .ok("mail", "CHERISH_MAIL is set") }
        guard try await inspection.hasPasswords() else { return .ok("mail", "nobody signs in with a password") }
        return .warning(
            "mail", "CHERISH_MAIL is not set: codes for people go to a file that only the operator reads",
            "set CHERISH_MAIL for the server, and for this command")
    }

    private func roles(_ server: DatabaseInspection.Server) async throws -> Finding {
        let missing = try await inspection.missingPrivileges()
        if !missing.isEmpty, server.isForOneAccount == true, server.isApplication != true {
            return .problem(
                "roles", "\(server.user) is a member of cherish_account, which acts for one account at a time",
                "run this command with the worker's DATABASE_URL")
        }
        if !missing.isEmpty {
            let more = missing.count > 3 ? " and \(missing.count - 3) more" : ""
            return .problem(
                "roles", "\(server.user) lacks \(missing.prefix(3).joined(separator: ", "))\(more)",
                "as the owner of the tables run 'cherish database roles', then GRANT cherish_app TO \(server.user)")
        }
        if server.isSuperuser, case .server = settings.database {
            return .warning(
                "roles", "\(server.user) is a superuser, and may do anything to the whole server",
                "run 'cherish database roles' and connect as a user who is a member of cherish_app")
        }
        let standing =
            if server.isSuperuser {
                "a superuser of the private cluster"
            } else if server.ownsTables == true {
                "the owner of the tables"
            } else {
                server.isApplication == true ? "a member of cherish_app" : "granted what the programs need"
            }
        return .ok("roles", "\(server.user) is \(standing)")
    }
}

// MARK: - Privileges

extension DatabaseChecks {
    /// The maximum number of openings to report; a restored database has one for each function.
    private static let mostOpenings = 5

    /// Checks for privileges beyond those that the roles are meant to have.
    private func privileges(_ server: DatabaseInspection.Server) async throws -> Finding {
        let openings = try await inspection.openings()
        if !openings.isEmpty {
            let reported = openings.prefix(DatabaseChecks.mostOpenings)
            let more = openings.count > reported.count ? ", and \(openings.count - reported.count) more" : ""
            var remedies: [String] = []
            for opening in reported where !remedies.contains(opening.remedy) { remedies.append(opening.remedy) }
            return .problem(
                "privileges", "too much is allowed: \(reported.map(\.what).joined(separator: "; "))\(more)",
                remedies.joined(separator: "; "))
        }
        if case .server = settings.database, !server.isSuperuser, let owner = try await inspection.superuserOfTables() {
            return .warning(
                "privileges", "the tables belong to \(owner), a superuser, with whose rights their functions work",
                "let them belong to a user of their own: REASSIGN OWNED, or a restore by that user")
        }
        return .ok("privileges", "nobody may do more than the roles are for")
    }
}

// MARK: - Time zones

extension DatabaseChecks {
    private func timeZones() async throws -> Finding {
        let zones = engine.zones
        let used = try await inspection.timeZones()
        let unknown = (used + ["Asia/Seoul"]).filter { (try? zones.rules($0)) == nil }
        if !unknown.isEmpty {
            return .problem(
                "time_zones", "this machine's tz database lacks \(unknown.prefix(5).joined(separator: ", "))",
                "install or update the package tzdata, then restart the workers")
        }
        let compared = Set(used + DatabaseChecks.comparedZones).sorted()
        let differing = try await differing(compared)
        guard let version = zones.version else {
            return .warning(
                "time_zones", "this machine's tz database does not tell its version", "install the package tzdata")
        }
        if differing.isEmpty {
            return .ok("time_zones", "tz database \(version), as PostgreSQL's in \(compared.count) zones")
        }
        return .warning(
            "time_zones",
            "tz database \(version) differs from PostgreSQL's in \(differing.prefix(5).joined(separator: ", "))",
            "update the package tzdata on both machines, then restart the workers: reports count by PostgreSQL's days")
    }

    /// The zones in which PostgreSQL's offsets are missing or differ, sampled monthly from a year ago to two years
    /// ahead.
    private func differing(_ names: [String]) async throws -> [String] {
        let clock = try await inspection.clock()
        let instants = (-12...24).map { clock.adding(hours: $0 * 730) }
        var differing: [String] = []
        for name in names {
            let rules = try engine.zones.rules(name)
            let theirs = try await inspection.offsets(of: name, at: instants)
            let ours = instants.map { rules.offset(atSecond: $0.secondsSinceEpoch) }
            if theirs != ours { differing.append(name) }
        }
        return differing
    }
}

extension Instant {
    /// Converts a reading of this machine's clock.
    fileprivate init(_ date: Date) {
        self.init(microsecondsSinceEpoch: Int64((date.timeIntervalSince1970 * 1_000_000).rounded()))
    }
}

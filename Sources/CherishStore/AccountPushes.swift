import CherishCore
import Postgres

/// What the provider of a device said about a job.
public struct DeviceAttempt: Sendable {
    public let job: PushJob
    public let deviceID: Device.ID
    public let outcome: DeviceOutcome
    /// The provider's status and code, without personal data.
    public let reason: String

    public init(job: PushJob, deviceID: Device.ID, outcome: DeviceOutcome, reason: String) {
        self.job = job
        self.deviceID = deviceID
        self.outcome = outcome
        self.reason = reason
    }
}

/// A push that reached a device of an account.
public struct PushNotice: Sendable {
    /// One of the jobs that it was sent for.
    public let job: PushJob
    public let accountID: Account.ID
    public let collapseID: String
    /// The civil day in the account's zone.
    public let toldOn: CivilDay
    /// The plants that it spoke of.
    public let plantIDs: Set<Plant.ID>

    public init(job: PushJob, accountID: Account.ID, collapseID: String, toldOn: CivilDay, plantIDs: Set<Plant.ID>) {
        self.job = job
        self.accountID = accountID
        self.collapseID = collapseID
        self.toldOn = toldOn
        self.plantIDs = plantIDs
    }

    /// An array within an array has to be as long as its neighbours, so each travels as text.
    var plantArray: String { "{\(plantIDs.map(\.description).joined(separator: ","))}" }
}

/// A token that is dead.
public struct DeviceRetirement: Sendable {
    public let deviceID: Device.ID
    public let reason: String
    /// A device that was added again after this instant lives.
    public let deadSince: Instant

    public init(deviceID: Device.ID, reason: String, deadSince: Instant) {
        self.deviceID = deviceID
        self.reason = reason
        self.deadSince = deadSince
    }
}

/// What a worker has to know of accounts before it pushes to their devices.
public struct PushSurroundings: Sendable {
    /// A plant whose push belongs to a group and is worth sending now, whether its job was read with this batch or not.
    public struct Companion: Sendable, Hashable {
        public let plantID: Plant.ID
        public let nickname: Nickname

        public init(plantID: Plant.ID, nickname: Nickname) {
            self.plantID = plantID
            self.nickname = nickname
        }
    }

    /// What an account was told already.
    public struct Told: Sendable {
        public let collapseID: String
        public let toldOn: CivilDay
        public let plantIDs: Set<Plant.ID>

        public init(collapseID: String, toldOn: CivilDay, plantIDs: Set<Plant.ID>) {
            self.collapseID = collapseID
            self.toldOn = toldOn
            self.plantIDs = plantIDs
        }
    }

    public let companions: [PushGroup: [Companion]]
    public let told: [Account.ID: [Told]]
    /// The devices whose providers refused a job for good when it was tried before, by the job's number.
    public let refused: [Int: Set<Device.ID>]

    public init(
        companions: [PushGroup: [Companion]] = [:], told: [Account.ID: [Told]] = [:],
        refused: [Int: Set<Device.ID>] = [:]
    ) {
        self.companions = companions
        self.told = told
        self.refused = refused
    }
}

extension DeliveryLog {
    /// What belongs to the pushes of some jobs, which are all of one lane and worth sending.
    public func surroundings(of jobs: [DeliveryJob], at now: Instant) async throws -> PushSurroundings {
        var states: [PushGroup: PushCandidate.State] = [:]
        for job in jobs {
            guard let group = job.group, let state = job.candidate.state else { continue }
            states[group] = state
        }
        guard let lane = jobs.first?.job.lane, !states.isEmpty else { return PushSurroundings() }
        let retries = jobs.filter(\.isRetry).map(\.job)
        let answers = try await withConnection { [groups = Array(states.keys)] connection in
            try await connection.pipeline(
                [Companions.statement(of: groups, in: lane), Told.statement(of: groups, in: lane)]
                    + (retries.isEmpty ? [] : [Refused.statement(of: retries, in: lane)]))
        }
        return PushSurroundings(
            companions: try Companions.worthSending(answers[0], states, at: now), told: try Told.byAccount(answers[1]),
            refused: answers.count > 2 ? try Refused.byJob(answers[2]) : [:])
    }

    /// How many plants of an account want water on a day.
    public func thirstyCount(of account: Account.ID, on day: CivilDay) async throws -> Int {
        let rows = try await withConnection { connection in
            try await connection.query(
                """
                SELECT count(*) FROM plant
                WHERE lane = $1 AND account_id = $2 AND due_on = $3 AND archived_at IS NULL AND pushes_enabled
                """, [account.lane, account, day])
        }
        return try rows.first?.decode(0) ?? 0
    }

    /// Retires devices of a lane, except those that were added again since their tokens died.
    public func retire(_ retirements: [DeviceRetirement], in lane: Lane, at now: Instant) async throws {
        guard !retirements.isEmpty else { return }
        _ = try await withConnection { connection in
            try await connection.query(
                """
                UPDATE device SET retired_at = $2, retired_reason = dead.reason
                FROM unnest($3::uuid[], $4::text[], $5::timestamptz[]) AS dead (id, reason, since)
                WHERE device.lane = $1 AND device.id = dead.id AND device.added_at <= dead.since
                    AND device.retired_at IS NULL
                """,
                [
                    lane, now, retirements.map(\.deviceID), retirements.map(\.reason), retirements.map(\.deadSince),
                ])
        }
    }
}

extension DeliveryJob {
    /// The group its push belongs to; nil when plant and account were erased.
    public var group: PushGroup? {
        content.map { PushGroup(accountID: $0.accountID, kind: job.kind, plannedAt: job.planned.at) }
    }
}

/// The plants that point at a moment within a group's minute.
enum Companions {
    static func statement(of groups: [PushGroup], in lane: Lane) -> Statement {
        Statement(
            """
            SELECT due.account_id, due.nickname, due.planned_at, due.plant_id, due.kind, due.subject,
                \(PlantCandidate.columns(for: "due"))
            FROM (
                SELECT plant.lane, plant.account_id, plant.id AS plant_id, plant.nickname, wanted.kind,
                    pointer.subject, pointer.planned_at
                FROM unnest($2::uuid[], $3::push_kind[], $4::timestamptz[]) AS wanted (account_id, kind, minute)
                JOIN plant ON plant.lane = $1 AND plant.account_id = wanted.account_id AND plant.archived_at IS NULL
                CROSS JOIN LATERAL (
                    VALUES ('watering_due'::push_kind, \(PlantCandidate.days("plant.due_on")), plant.alarm_at),
                        ('review_missing', plant.reminder_number, plant.reminder_at),
                        ('birthday', \(PlantCandidate.days("plant.birthday_on")), plant.birthday_at),
                        ('birthday', \(PlantCandidate.days("plant.passed_birthday_on")), plant.passed_birthday_at),
                        ('withered', \(PlantCandidate.days("plant.due_on")), plant.withered_at)
                ) AS pointer (kind, subject, planned_at)
                WHERE pointer.kind = wanted.kind AND pointer.planned_at >= wanted.minute
                    AND pointer.planned_at < wanted.minute + interval '1 minute'
            ) AS due
            \(PlantCandidate.joins(to: "due"))
            """, [lane, groups.map(\.accountID), groups.map(\.kind.rawValue), groups.map(\.minute)])
    }

    /// The second look of rule 7.6 at each; in the order of nickname and id.
    static func worthSending(
        _ rows: Rows, _ states: [PushGroup: PushCandidate.State], at now: Instant
    ) throws -> [PushGroup: [PushSurroundings.Companion]] {
        var companions: [PushGroup: [PushSurroundings.Companion]] = [:]
        for row in rows {
            // A row that somebody broke by hand is not told of, and does not keep its neighbours from being told of. Its own
            // occurrence ends and is reported when its turn comes.
            guard let (key, account, nickname, plant) = try readable({ try companion(row) }) else { continue }
            let group = PushGroup(accountID: account, kind: key.kind, plannedAt: key.at)
            guard let plant, let known = states[group] else { continue }
            let candidate = PushCandidate(
                kind: key.kind, planned: key.planned,
                state: plant.state(isKindEnabled: known.isKindEnabled, zone: known.zone))
            guard candidate.verdict(at: now, expiresAt: candidate.expiry(in: known.zone)) == .send else { continue }
            companions[group, default: []].append(.init(plantID: key.plantID, nickname: nickname))
        }
        return companions.mapValues { all in
            all.sorted { ($0.nickname, $0.plantID) < ($1.nickname, $1.plantID) }
        }
    }

    private static func companion(_ row: Row) throws -> (OccurrenceKey, Account.ID, Nickname, PlantCandidate?) {
        var reader = row.reader
        let account = try reader.next(Account.ID.self)
        return try reader.reading("plant", key: { [.lane(account.lane)] }) { reader in
            let nickname = Nickname(stored: try reader.next())
            let key = try OccurrenceKey(&reader)
            return (key, account, nickname, try PlantCandidate(&reader, of: key.plantID, in: account.lane))
        }
    }
}

/// What accounts were told lately.
enum Told {
    static func statement(of groups: [PushGroup], in lane: Lane) -> Statement {
        // A job is sent at most a day after it was recorded, and a civil day is over two days later everywhere.
        Statement(
            """
            SELECT account_id, collapse_id, told_on, plant_ids FROM push_notice
            WHERE lane = $1 AND account_id = ANY ($2) AND recorded_at >= now() - interval '3 days'
            """, [lane, Array(Set(groups.map(\.accountID)))])
    }

    /// Those that can be read; what another tells is told once more at worst.
    static func byAccount(_ rows: Rows) throws -> [Account.ID: [PushSurroundings.Told]] {
        var told: [Account.ID: [PushSurroundings.Told]] = [:]
        for row in rows {
            var reader = row.reader
            let account = try reader.next(Account.ID.self)
            let known = try readable {
                try reader.reading("push_notice", key: { [.lane(account.lane)] }) { reader in
                    PushSurroundings.Told(
                        collapseID: try reader.next(), toldOn: try reader.next(),
                        plantIDs: Set(try reader.next([Plant.ID].self)))
                }
            }
            if let known { told[account, default: []].append(known) }
        }
        return told
    }
}

/// The devices that need not be asked again.
enum Refused {
    static func statement(of jobs: [PushJob], in lane: Lane) -> Statement {
        Statement(
            """
            SELECT asked.seq, asked.device_id FROM unnest($2::timestamptz[], $3::bigint[]) AS job (recorded_at, seq)
            JOIN push_device_outcome AS asked ON asked.lane = $1 AND asked.recorded_at = job.recorded_at
                AND asked.seq = job.seq
            WHERE asked.outcome = 'refused'
            """, [lane, jobs.map(\.recordedAt), jobs.map(\.seq)])
    }

    static func byJob(_ rows: Rows) throws -> [Int: Set<Device.ID>] {
        var devices: [Int: Set<Device.ID>] = [:]
        for row in rows { devices[try row.decode(0), default: []].insert(try row.decode(1)) }
        return devices
    }
}

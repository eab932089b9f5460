import CherishCore
import Postgres

/// A provider's answer for one device and job.
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

/// A sent push: one that reached at least one device of an account.
public struct SentPush: Sendable {
    /// One of the jobs that the push covers.
    public let job: PushJob
    public let accountID: Account.ID
    public let collapseID: String
    /// The civil day of the push in the account's zone.
    public let sentOn: CivilDay
    /// The plants that the push named.
    public let plantIDs: Set<Plant.ID>

    public init(job: PushJob, accountID: Account.ID, collapseID: String, sentOn: CivilDay, plantIDs: Set<Plant.ID>) {
        self.job = job
        self.accountID = accountID
        self.collapseID = collapseID
        self.sentOn = sentOn
        self.plantIDs = plantIDs
    }

    /// Sent as text, because PostgreSQL requires the inner arrays of an array to have equal lengths.
    var plantArray: String { "{\(plantIDs.map(\.description).joined(separator: ","))}" }
}

/// A device whose token is dead.
public struct DeviceRetirement: Sendable {
    public let deviceID: Device.ID
    public let reason: String
    /// A device added again after this instant stays active.
    public let deadSince: Instant

    public init(deviceID: Device.ID, reason: String, deadSince: Instant) {
        self.deviceID = deviceID
        self.reason = reason
        self.deadSince = deadSince
    }
}

/// What a worker must know about the accounts before it pushes to their devices.
public struct PushSurroundings: Sendable {
    /// A group member: a plant whose push belongs to the group and is worth sending now, in this batch or not.
    public struct GroupMember: Sendable, Hashable {
        public let plantID: Plant.ID
        public let nickname: Nickname

        public init(plantID: Plant.ID, nickname: Nickname) {
            self.plantID = plantID
            self.nickname = nickname
        }
    }

    /// A push that an account has received.
    public struct Sent: Sendable {
        public let collapseID: String
        public let sentOn: CivilDay
        public let plantIDs: Set<Plant.ID>

        public init(collapseID: String, sentOn: CivilDay, plantIDs: Set<Plant.ID>) {
            self.collapseID = collapseID
            self.sentOn = sentOn
            self.plantIDs = plantIDs
        }
    }

    public let groupMembers: [PushGroup: [GroupMember]]
    public let sent: [Account.ID: [Sent]]
    /// The devices whose providers permanently refused a job in an earlier attempt, by job number.
    public let refused: [Int: Set<Device.ID>]

    public init(
        groupMembers: [PushGroup: [GroupMember]] = [:], sent: [Account.ID: [Sent]] = [:],
        refused: [Int: Set<Device.ID>] = [:]
    ) {
        self.groupMembers = groupMembers
        self.sent = sent
        self.refused = refused
    }
}

extension DeliveryLog {
    /// Loads group members, sent pushes and refusals in one round trip. The jobs must be of one lane and worth sending.
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
                [GroupMembers.statement(of: groups, in: lane), SentPushes.statement(of: groups, in: lane)]
                    + (retries.isEmpty ? [] : [Refused.statement(of: retries, in: lane)]))
        }
        return PushSurroundings(
            groupMembers: try GroupMembers.worthSending(answers[0], states, at: now),
            sent: try SentPushes.byAccount(answers[1]),
            refused: answers.count > 2 ? try Refused.byJob(answers[2]) : [:])
    }

    /// Counts the plants of an account that are due on a day, except those with pushes switched off.
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

    /// Retires devices of a lane, except those added again since their tokens died.
    public func retire(_ retirements: [DeviceRetirement], in lane: Lane, at now: Instant) async throws {
        guard !retirements.isEmpty else { return }
        _ = try await withConnection { connection in
            try await connection.query(
                """
                UPDATE device SET retired_at = $2, retired_reason = dead.reason
                FROM unnest($3::uuid[], $4::text[], $5::timestamptz[]) AS dead (id, reason, since)
                WHERE device.lane = $1 AND device.id = dead.id
                    AND \("device.added_at <= dead.since", at: .retirement)
                    AND device.retired_at IS NULL
                """,
                [
                    lane, now, retirements.map(\.deviceID), retirements.map(\.reason), retirements.map(\.deadSince),
                ])
        }
    }
}

extension DeliveryJob {
    /// The group that its push belongs to; nil if the plant was erased or the job cannot be read.
    public var group: PushGroup? {
        content.map { PushGroup(accountID: $0.accountID, kind: job.kind, plannedAt: job.planned.at) }
    }
}

/// The plants that point at an instant within a group's minute.
enum GroupMembers {
    static func statement(of groups: [PushGroup], in lane: Lane) -> Statement {
        Statement(
            """
            SELECT due.account_id, due.nickname, due.planned_at, due.plant_id, due.kind, due.subject,
                \(PlantCandidate.columns(for: "due"), at: .groupMember)
            FROM (
                SELECT plant.lane, plant.account_id, plant.id AS plant_id, plant.nickname, wanted.kind,
                    pointer.subject, pointer.planned_at
                FROM unnest($2::uuid[], $3::push_kind[], $4::timestamptz[]) AS wanted (account_id, kind, minute)
                JOIN plant ON plant.lane = $1 AND plant.account_id = wanted.account_id AND plant.archived_at IS NULL
                CROSS JOIN LATERAL (
                    VALUES \(PlantPointer.rows)
                ) AS pointer (kind, subject, planned_at)
                WHERE \("pointer.kind = wanted.kind", at: .groupOfPointer) AND pointer.planned_at >= wanted.minute
                    AND pointer.planned_at < wanted.minute + interval '1 minute'
            ) AS due
            \(PlantCandidate.joins(to: "due"))
            """, [lane, groups.map(\.accountID), groups.map(\.kind.rawValue), groups.map(\.minute)])
    }

    /// Takes the second look (rule 7.6) at each plant, and sorts those worth sending by nickname and id.
    static func worthSending(
        _ rows: Rows, _ states: [PushGroup: PushCandidate.State], at now: Instant
    ) throws -> [PushGroup: [PushSurroundings.GroupMember]] {
        var groupMembers: [PushGroup: [PushSurroundings.GroupMember]] = [:]
        for row in rows {
            // Skip a broken row; the others are unaffected. Its own occurrence is ended and reported in its turn.
            guard let (key, account, nickname, plant) = try readable({ try groupMember(row) }) else { continue }
            let group = PushGroup(accountID: account, kind: key.kind, plannedAt: key.at)
            guard let plant, let known = states[group] else { continue }
            let candidate = PushCandidate(
                kind: key.kind, planned: key.planned,
                state: plant.state(isKindEnabled: known.isKindEnabled, zone: known.zone))
            guard candidate.verdict(at: now, expiresAt: candidate.expiry(in: known.zone)) == .send else { continue }
            groupMembers[group, default: []].append(.init(plantID: key.plantID, nickname: nickname))
        }
        return groupMembers.mapValues { all in
            all.sorted { ($0.nickname, $0.plantID) < ($1.nickname, $1.plantID) }
        }
    }

    private static func groupMember(_ row: Row) throws -> (OccurrenceKey, Account.ID, Nickname, PlantCandidate?) {
        var reader = row.reader
        let account = try reader.next(Account.ID.self)
        return try reader.reading("plant", key: { [.lane(account.lane)] }) { reader in
            let nickname = Nickname(stored: try reader.next())
            let key = try OccurrenceKey(&reader)
            return (key, account, nickname, try PlantCandidate(&reader, of: key.plantID, in: account.lane))
        }
    }
}

/// The pushes that accounts received recently.
enum SentPushes {
    static func statement(of groups: [PushGroup], in lane: Lane) -> Statement {
        // A job is sent within a day of being recorded. Two more days cover the civil day of any zone.
        let sent: SQL = """
            SELECT account_id, collapse_id, told_on, plant_ids FROM push_notice
            WHERE lane = $1 AND account_id = ANY ($2) AND recorded_at >= now() - interval '3 days'
            """
        return Statement("\(sent, at: .sentPushes)", [lane, Array(Set(groups.map(\.accountID)))])
    }

    /// Skips unreadable rows. At worst, their pushes are sent again.
    static func byAccount(_ rows: Rows) throws -> [Account.ID: [PushSurroundings.Sent]] {
        var sent: [Account.ID: [PushSurroundings.Sent]] = [:]
        for row in rows {
            var reader = row.reader
            let account = try reader.next(Account.ID.self)
            let known = try readable {
                try reader.reading("push_notice", key: { [.lane(account.lane)] }) { reader in
                    PushSurroundings.Sent(
                        collapseID: try reader.next(), sentOn: try reader.next(),
                        plantIDs: Set(try reader.next([Plant.ID].self)))
                }
            }
            if let known { sent[account, default: []].append(known) }
        }
        return sent
    }
}

/// Devices that have permanently refused a job.
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

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
    /// The subjects that the push named.
    public let subjectIDs: Set<Subject.ID>
    public let countsTowardsCap: Bool

    public init(
        job: PushJob, accountID: Account.ID, collapseID: String, sentOn: CivilDay, subjectIDs: Set<Subject.ID>,
        countsTowardsCap: Bool = true
    ) {
        self.countsTowardsCap = countsTowardsCap
        self.job = job
        self.accountID = accountID
        self.collapseID = collapseID
        self.sentOn = sentOn
        self.subjectIDs = subjectIDs
    }

    /// Sent as text, because PostgreSQL requires the inner arrays of an array to have equal lengths.
    var subjectArray: String { "{\(subjectIDs.map(\.description).joined(separator: ","))}" }
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
    /// A group member: a subject whose push belongs to the group and is worth sending now, in this batch or not.
    public struct GroupMember: Sendable, Hashable, Comparable {
        public let subjectID: Subject.ID
        public let name: String

        public init(subjectID: Subject.ID, name: String) {
            self.subjectID = subjectID
            self.name = name
        }

        /// By name, then by id.
        public static func < (left: GroupMember, right: GroupMember) -> Bool {
            (left.name, left.subjectID) < (right.name, right.subjectID)
        }
    }

    /// A push that an account has received.
    public struct Sent: Sendable {
        public let collapseID: String
        public let sentOn: CivilDay
        public let subjectIDs: Set<Subject.ID>
        public let countsTowardsCap: Bool

        public init(
            collapseID: String, sentOn: CivilDay, subjectIDs: Set<Subject.ID>, countsTowardsCap: Bool = true
        ) {
            self.collapseID = collapseID
            self.sentOn = sentOn
            self.subjectIDs = subjectIDs
            self.countsTowardsCap = countsTowardsCap
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
        let groups = Array(states.keys)
        let members = domains.groupMembers(of: groups)
        let answers = try await withConnection { connection in
            try await connection.pipeline(
                [SentPushes.statement(of: groups, in: lane)]
                    + members.map { GroupMembers.statement(of: $0.groups, in: lane, $0.domain) }
                    + (retries.isEmpty ? [] : [Refused.statement(of: retries, in: lane)]))
        }
        var groupMembers: [PushGroup: [PushSurroundings.GroupMember]] = [:]
        for (rows, member) in zip(answers.dropFirst(), members) {
            groupMembers.merge(
                try GroupMembers.worthSending(rows, of: member.domain, domains, states, at: now),
                uniquingKeysWith: { $0 + $1 })
        }
        return PushSurroundings(
            groupMembers: groupMembers, sent: try SentPushes.byAccount(answers[0]),
            refused: retries.isEmpty ? [:] : try Refused.byJob(answers[answers.count - 1]))
    }

    /// Counts the subjects of an account that are due on a day, except those with pushes switched off.
    public func dueCount(of account: Account.ID, on day: CivilDay) async throws -> Int {
        let statements = domains.dueCounts(of: account, on: day)
        let answers = try await withConnection { try await $0.pipeline(statements) }
        return try answers.reduce(0) { try $0 + ($1.first?.decode(0) ?? 0) }
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

extension Garden {
    /// The pushes that the account received recently, as whoever delivers these jobs would find them.
    public func sentPushes(before jobs: [DeliveryJob]) async throws -> [PushSurroundings.Sent] {
        let groups = Set(jobs.compactMap { job in job.candidate.state.flatMap { _ in job.group } })
        guard !groups.isEmpty else { return [] }
        let rows = try await read { connection in
            try await connection.query(SentPushes.statement(of: Array(groups), in: accountID.lane))
        }
        return try SentPushes.byAccount(rows)[accountID] ?? []
    }
}

extension DeliveryJob {
    /// The group that its push belongs to; nil if the subject was erased or the job cannot be read.
    public var group: PushGroup? {
        content.map { _ in
            PushGroup(accountID: job.occurrence.accountID, topic: job.occurrence.topic, plannedAt: job.occurrence.at)
        }
    }
}

extension DueDomains {
    /// The groups by domain.
    fileprivate func groupMembers(of groups: [PushGroup]) -> [(domain: any DueDomain, groups: [PushGroup])] {
        domains(of: groups.map(\.topic)).map { domain in
            (domain, groups.filter { domain.topics.contains($0.topic) })
        }
    }
}

/// The subjects that point at an instant within a group's minute.
enum GroupMembers {
    /// - Parameter groups: their topics belong to the domain.
    static func statement(of groups: [PushGroup], in lane: Lane, _ domain: any DueDomain) -> Statement {
        Statement(
            """
            WITH wanted AS (
                SELECT * FROM unnest($2::uuid[], $3::topic[], $4::timestamptz[]) AS wanted (account_id, topic, minute)
            )
            SELECT \(Occurrence.columns(of: "planned")),
                \(domain.stateColumns.joined(separator: ", "), at: .groupMember),
                \(domain.contentColumns.joined(separator: ", "))
            FROM (\(domain.pointersOfGroups)) AS planned
            \(domain.joins)
            """, [lane, groups.map(\.accountID), groups.map(\.topic.label), groups.map(\.minute)])
    }

    /// Takes the second look (rule 7.6) at each subject, and sorts those worth sending by name and id.
    static func worthSending(
        _ rows: Rows, of domain: any DueDomain, _ domains: DueDomains, _ states: [PushGroup: PushCandidate.State],
        at now: Instant
    ) throws -> [PushGroup: [PushSurroundings.GroupMember]] {
        var groupMembers: [PushGroup: [PushSurroundings.GroupMember]] = [:]
        for row in rows {
            // Skip a broken row; the others are unaffected. Its own occurrence is ended and reported in its turn.
            guard let (occurrence, state, name) = try readable({ try groupMember(row, of: domain, domains) }) else {
                continue
            }
            let group = PushGroup(
                accountID: occurrence.accountID, topic: occurrence.topic, plannedAt: occurrence.at)
            guard let name, let known = states[group] else { continue }
            let candidate = PushCandidate(
                topic: occurrence.topic, planned: occurrence.planned,
                state: .init(
                    end: state.end, isTopicWanted: known.isTopicWanted, zone: known.zone, expiresAt: state.expiresAt,
                    pausedDays: known.pausedDays, subjectPausedDays: state.pausedDays))
            guard candidate.verdict(at: now, expiresAt: candidate.expiry(in: known.zone)) == .send else { continue }
            groupMembers[group, default: []].append(.init(subjectID: occurrence.subjectID, name: name))
        }
        return groupMembers.mapValues { $0.sorted() }
    }

    /// - Returns: the name is nil if the subject was erased.
    private static func groupMember(
        _ row: Row, of domain: any DueDomain, _ domains: DueDomains
    ) throws -> (Occurrence, SubjectState, name: String?) {
        var reader = row.reader
        let occurrence = try Occurrence(&reader, domains)
        let state = try domain.state(of: occurrence, &reader)
        var content = row.reader(from: Occurrence.columnCount + domain.stateColumns.count)
        // The language does not matter for the name.
        return (
            occurrence, state, try domain.content(of: occurrence, in: .english, &content)?.values.name
        )
    }
}

/// The pushes that accounts received recently.
enum SentPushes {
    static func statement(of groups: [PushGroup], in lane: Lane) -> Statement {
        // A job is sent within a day of being recorded. Two more days cover the civil day of any zone.
        let sent: SQL = """
            SELECT account_id, collapse_id, sent_on, subject_ids, counts_towards_cap FROM sent_push
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
                try reader.reading("sent_push", key: { [.lane(account.lane)] }) { reader in
                    PushSurroundings.Sent(
                        collapseID: try reader.next(), sentOn: try reader.next(),
                        subjectIDs: Set(try reader.next([Subject.ID].self)), countsTowardsCap: try reader.next())
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

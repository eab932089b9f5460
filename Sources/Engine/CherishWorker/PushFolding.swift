import CherishCore
import CherishStore

/// Decides which pushes the devices get for the jobs of a batch.
///
/// The jobs of a group (one account, topic and minute) become one push. It names all subjects of the group, including
/// those whose jobs are not in this batch; those jobs later find that their push was sent. Pushes beyond an account's
/// daily cap become one digest. Each job still gets an outcome of its own.
struct PushFolding {
    /// The parts of a job that folding needs.
    struct Job {
        let group: PushGroup
        let subject: PushSurroundings.GroupMember
        /// Today in the account's zone.
        let today: CivilDay
        /// Whether its push is sent although the daily cap is reached, and does not count towards it.
        var isExemptFromCap = false
    }

    /// One push to send, and the jobs it covers.
    struct Fold: Equatable {
        enum Content: Equatable {
            case group(PushGroup)
            case digest
        }

        let content: Content
        /// The indices of the jobs in the batch; never empty.
        var jobs: [Int]
        /// The subjects it names, by name and id; never empty.
        var subjects: [PushSurroundings.GroupMember]
        let today: CivilDay
        var countsTowardsCap = true
    }

    private(set) var folds: [Fold] = []
    /// The jobs that an earlier push already covered.
    private(set) var sent: [(job: Int, reason: PushReason)] = []
    /// The jobs covered by a push that is underway, with its collapse id: they end as that push does.
    private(set) var joining: [(job: Int, collapseID: String, reason: PushReason)] = []

    /// - Parameters:
    ///   - underway: pushes sent but not answered yet. They count as sent.
    ///   - cap: how many pushes an account gets on a civil day before the digest.
    ///   - digestID: the collapse id of a day's digest.
    init(
        _ jobs: [Job], _ surroundings: PushSurroundings, underway: [Account.ID: [PushSurroundings.Sent]] = [:],
        cap: Int, digestID: (CivilDay) -> String
    ) {
        for (account, places) in Dictionary(grouping: jobs.indices, by: { jobs[$0].group.accountID }) {
            let sent = surroundings.sent[account] ?? []
            let underway = underway[account] ?? []
            let sentOrUnderway = sent + underway
            let today = jobs[places[0]].today
            let digest = digestID(today)
            // The digest covers everything after it, even if a push that counted towards the cap did not get through.
            let hasDigest = sentOrUnderway.contains { $0.collapseID == digest }
            var sentToday = Set(
                sentOrUnderway.filter { $0.sentOn == today && $0.collapseID != digest && $0.countsTowardsCap }
                    .map(\.collapseID))
            var beyond: [Int] = []
            let groups = Dictionary(grouping: places, by: { jobs[$0].group })
            for (group, places) in groups.sorted(by: { ($0.key.minute, $0.key.topic) < ($1.key.minute, $1.key.topic) })
            {
                let (named, awaited) = (sent.subjects(of: group), underway.subjects(of: group))
                self.sent += places.filter { named.contains(jobs[$0].subject.subjectID) }.map { ($0, .combined) }
                let unsent = places.filter { !named.contains(jobs[$0].subject.subjectID) }
                joining += unsent.filter { awaited.contains(jobs[$0].subject.subjectID) }
                    .map { ($0, group.collapseID, .combined) }
                let new = unsent.filter { !awaited.contains(jobs[$0].subject.subjectID) }
                if new.isEmpty { continue }
                let isExempt = new.contains { jobs[$0].isExemptFromCap }
                if named.isEmpty && awaited.isEmpty && !isExempt && (hasDigest || sentToday.count >= cap) {
                    beyond += new
                    continue
                }
                if !isExempt { sentToday.insert(group.collapseID) }
                let subjects = (surroundings.groupMembers[group] ?? []) + new.map { jobs[$0].subject }
                folds.append(
                    Fold(
                        content: .group(group), jobs: new, subjects: PushFolding.each(subjects), today: today,
                        countsTowardsCap: !isExempt))
            }
            if beyond.isEmpty { continue }
            if sent.contains(where: { $0.collapseID == digest }) {
                self.sent += beyond.map { ($0, .digest) }
            } else if hasDigest {
                joining += beyond.map { ($0, digest, .digest) }
            } else {
                let subjects = beyond.map { jobs[$0].subject }
                folds.append(Fold(content: .digest, jobs: beyond, subjects: PushFolding.each(subjects), today: today))
            }
        }
    }

    /// Removes duplicates, which differ if a subject was renamed between two looks. Sorts by name and id.
    private static func each(_ subjects: [PushSurroundings.GroupMember]) -> [PushSurroundings.GroupMember] {
        Dictionary(subjects.map { ($0.subjectID, $0) }, uniquingKeysWith: { first, _ in first }).values.sorted()
    }
}

extension [PushSurroundings.Sent] {
    /// The subjects that the pushes of a group named.
    fileprivate func subjects(of group: PushGroup) -> Set<Subject.ID> {
        filter { $0.collapseID == group.collapseID }.reduce(into: Set()) { $0.formUnion($1.subjectIDs) }
    }
}

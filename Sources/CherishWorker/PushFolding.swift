import CherishCore
import CherishStore

/// Which pushes the devices of accounts get for the jobs of a batch.
///
/// The jobs of a group, which are of one account, kind and minute, become one push. It speaks of all plants of the group,
/// whether their jobs came with this batch or not; the jobs that come later find that they were told. What goes beyond the
/// daily cap of an account becomes one digest. Every job keeps an outcome of its own.
struct PushFolding {
    /// A job as far as it matters here.
    struct Job {
        let group: PushGroup
        let plant: PushSurroundings.Companion
        /// The civil day of the account now.
        let today: CivilDay
    }

    /// One push to send, and what it stands for.
    struct Fold: Equatable {
        enum Subject: Equatable {
            case group(PushGroup)
            case digest
        }

        let subject: Subject
        /// The places of the jobs in the batch; never empty.
        var jobs: [Int]
        /// What it speaks of, by nickname and id; never empty.
        var plants: [PushSurroundings.Companion]
        let today: CivilDay
    }

    private(set) var folds: [Fold] = []
    /// The jobs that an earlier push has told.
    private(set) var told: [(job: Int, reason: PushReason)] = []
    /// The jobs that a push tells of which is underway, by its collapse id: they end as it does.
    private(set) var joining: [(job: Int, collapseID: String, reason: PushReason)] = []

    /// - Parameters:
    ///   - underway: the pushes that were sent and have not been answered. Until then they count as told.
    ///   - cap: how many pushes an account gets on a civil day before the digest.
    ///   - digestID: the collapse id of a day's digest.
    init(
        _ jobs: [Job], _ surroundings: PushSurroundings, underway: [Account.ID: [PushSurroundings.Told]] = [:],
        cap: Int, digestID: (CivilDay) -> String
    ) {
        for (account, places) in Dictionary(grouping: jobs.indices, by: { jobs[$0].group.accountID }) {
            let told = surroundings.told[account] ?? []
            let underway = underway[account] ?? []
            let sent = told + underway
            let today = jobs[places[0]].today
            let digest = digestID(today)
            // It stands for all that comes after it, also where a push that was counted towards the cap did not get through.
            let hasDigest = sent.contains { $0.collapseID == digest }
            var sentToday = Set(sent.filter { $0.toldOn == today && $0.collapseID != digest }.map(\.collapseID))
            var beyond: [Int] = []
            let groups = Dictionary(grouping: places, by: { jobs[$0].group })
            for (group, places) in groups.sorted(by: { ($0.key.minute, $0.key.kind) < ($1.key.minute, $1.key.kind) }) {
                let (named, awaited) = (told.plants(of: group), underway.plants(of: group))
                self.told += places.filter { named.contains(jobs[$0].plant.plantID) }.map { ($0, .combined) }
                let untold = places.filter { !named.contains(jobs[$0].plant.plantID) }
                joining += untold.filter { awaited.contains(jobs[$0].plant.plantID) }
                    .map { ($0, group.collapseID, .combined) }
                let new = untold.filter { !awaited.contains(jobs[$0].plant.plantID) }
                if new.isEmpty { continue }
                if named.isEmpty && awaited.isEmpty && (hasDigest || sentToday.count >= cap) {
                    beyond += new
                    continue
                }
                sentToday.insert(group.collapseID)
                let plants = (surroundings.companions[group] ?? []) + new.map { jobs[$0].plant }
                folds.append(Fold(subject: .group(group), jobs: new, plants: PushFolding.each(plants), today: today))
            }
            if beyond.isEmpty { continue }
            if told.contains(where: { $0.collapseID == digest }) {
                self.told += beyond.map { ($0, .digest) }
            } else if hasDigest {
                joining += beyond.map { ($0, digest, .digest) }
            } else {
                let plants = beyond.map { jobs[$0].plant }
                folds.append(Fold(subject: .digest, jobs: beyond, plants: PushFolding.each(plants), today: today))
            }
        }
    }

    /// Each plant once, though its friend may have been renamed between two looks; by nickname and id.
    private static func each(_ plants: [PushSurroundings.Companion]) -> [PushSurroundings.Companion] {
        Dictionary(plants.map { ($0.plantID, $0) }, uniquingKeysWith: { first, _ in first }).values
            .sorted { ($0.nickname, $0.plantID) < ($1.nickname, $1.plantID) }
    }
}

extension [PushSurroundings.Told] {
    /// The plants that pushes of a group spoke of.
    fileprivate func plants(of group: PushGroup) -> Set<Plant.ID> {
        filter { $0.collapseID == group.collapseID }.reduce(into: Set()) { $0.formUnion($1.plantIDs) }
    }
}

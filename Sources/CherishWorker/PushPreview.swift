import CherishCore
import CherishPush
import CherishStore

/// The pushes that an account will get if nobody does anything: what delivery would make of a forecast.
public struct PushPreview: Sendable {
    /// Where they go, which decides whether they are combined.
    public enum Form: String, CaseIterable, Sendable {
        /// One push for the plants of a minute, and a digest beyond the daily cap.
        case devices
        /// A line for each plant, as a terminal or a file gets them.
        case lines
    }

    /// One push.
    public struct Push: Sendable {
        public let sentAt: Instant
        /// One of ``PushKind``, or `digest`.
        public let kind: String
        /// The due date, the birthday, the day of the watering; for a digest the day itself.
        public let occursOn: CivilDay
        /// The plant it is about, or one of them.
        public let plantID: Plant.ID
        public let text: PushText
        public let link: String
        /// nil for a line: nobody knows yet which number it will have.
        public let collapseID: String?
        /// All plants that it speaks of, by nickname and id.
        public let friends: [PushSurroundings.Companion]
    }

    public let form: Form
    /// In the order in which they are sent.
    public let pushes: [Push]

    /// - Parameters:
    ///   - told: what the account was told already.
    ///   - dailyCap: how many pushes devices get on a civil day before the digest, at least 1.
    public init(
        of forecast: AccountForecast, as form: Form, told: [PushSurroundings.Told], dailyCap: Int, links: DeepLinks
    ) {
        self.form = form
        switch form {
        case .lines:
            pushes = forecast.deliveries.compactMap { delivery in
                DuePush(delivery.job, links: links).map { Push($0.message, at: delivery.at) }
            }
        case .devices:
            pushes = PushPreview.folded(forecast, told: told, dailyCap: dailyCap, links)
        }
    }

    /// Batch by batch, as a worker that never rests sends them: all that is to go out at an instant.
    private static func folded(
        _ forecast: AccountForecast, told: [PushSurroundings.Told], dailyCap: Int, _ links: DeepLinks
    ) -> [Push] {
        var told = told
        var pushes: [Push] = []
        let groups = Dictionary(grouping: forecast.deliveries.map(\.job), by: \.group)
        for (instant, batch) in Dictionary(grouping: forecast.deliveries, by: \.at).sorted(by: { $0.key < $1.key }) {
            let due = batch.compactMap { DuePush($0.job, links: links) }
            let batchGroups = Set(batch.compactMap(\.job.group))
            let companions = batchGroups.map { ($0, worthSending(groups[$0] ?? [], at: instant)) }
            let folding = PushFolding(
                due.map { $0.foldingJob(at: instant) },
                PushSurroundings(
                    companions: Dictionary(companions, uniquingKeysWith: { first, _ in first }),
                    told: [forecast.account.id: told]),
                cap: dailyCap, digestID: AccountPush.digestCollapseID)
            for fold in folding.folds {
                let push = fold.push(
                    fold.jobs.map { due[$0] }, thirstyCount: forecast.archive.thirstyCount(on: fold.today),
                    links: links, at: instant)
                pushes.append(Push(push, friends: fold.plants, at: instant))
                told.append(
                    PushSurroundings.Told(
                        collapseID: push.collapseID, toldOn: fold.today, plantIDs: Set(fold.plants.map(\.plantID))))
            }
        }
        return pushes
    }

    /// The plants of a group whose pushes are worth sending at an instant, though their own may lie some seconds ahead.
    private static func worthSending(_ jobs: [DeliveryJob], at instant: Instant) -> [PushSurroundings.Companion] {
        jobs.compactMap { job in
            guard job.candidate.verdict(at: instant, expiresAt: job.job.expiresAt) == .send else { return nil }
            return job.content.map {
                PushSurroundings.Companion(plantID: job.job.plantID, nickname: $0.friendNickname)
            }
        }
    }
}

extension PushPreview.Push {
    fileprivate init(_ message: PushMessage, at instant: Instant) {
        self.init(
            sentAt: instant, kind: message.kind.rawValue, occursOn: message.occursOn, plantID: message.plantID,
            text: message.text, link: message.link, collapseID: nil,
            friends: [PushSurroundings.Companion(plantID: message.plantID, nickname: message.nickname)])
    }

    fileprivate init(_ push: AccountPush, friends: [PushSurroundings.Companion], at instant: Instant) {
        self.init(
            sentAt: instant, kind: push.kind, occursOn: push.occursOn, plantID: push.plantID, text: push.text,
            link: push.link, collapseID: push.collapseID, friends: friends)
    }
}

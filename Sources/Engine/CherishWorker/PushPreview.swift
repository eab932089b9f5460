import CherishCore
import CherishPush
import CherishStore

/// The pushes that an account will get if nothing changes: delivery applied to a forecast.
public struct PushPreview: Sendable {
    /// Where the pushes go, which decides whether they are combined.
    public enum Form: String, CaseIterable, Sendable {
        /// One push for the subjects of a minute, and a digest beyond the daily cap.
        case devices
        /// A line for each subject, as in a terminal or a file.
        case lines
    }

    /// One push.
    public struct Push: Sendable {
        public let sentAt: Instant
        /// The label of a topic, or `digest`.
        public let kind: String
        /// The civil day that it is about, as its domain says; for a digest, its own day.
        public let occursOn: CivilDay
        /// The subject of the push, or one of its subjects.
        public let subjectID: Subject.ID
        /// What that is: `plant` or `thing`.
        public let subject: String
        public let text: PushText
        public let link: String
        /// nil for a line: its job has no number yet.
        public let collapseID: String?
        /// All subjects that the push names, by name and id.
        public let subjects: [PushSurroundings.GroupMember]
    }

    public let form: Form
    /// In the order of sending.
    public let pushes: [Push]

    /// - Parameters:
    ///   - sent: the pushes already sent to the account.
    ///   - dailyCap: how many pushes devices get on a civil day before the digest, at least 1.
    public init(
        of forecast: AccountForecast, as form: Form, sent: [PushSurroundings.Sent], dailyCap: Int, links: DeepLinks
    ) {
        self.form = form
        switch form {
        case .lines:
            pushes = forecast.deliveries.compactMap { delivery in
                DuePush(delivery.job, links: links).map { Push($0.message, at: delivery.at) }
            }
        case .devices:
            pushes = PushPreview.folded(forecast, sent: sent, dailyCap: dailyCap, links)
        }
    }

    /// Folds the jobs of each instant as one batch, like a worker that is never late.
    private static func folded(
        _ forecast: AccountForecast, sent: [PushSurroundings.Sent], dailyCap: Int, _ links: DeepLinks
    ) -> [Push] {
        var sent = sent
        var pushes: [Push] = []
        let groups = Dictionary(grouping: forecast.deliveries.map(\.job), by: \.group)
        for (instant, batch) in Dictionary(grouping: forecast.deliveries, by: \.at).sorted(by: { $0.key < $1.key }) {
            let due = batch.compactMap { DuePush($0.job, links: links) }
            let batchGroups = Set(batch.compactMap(\.job.group))
            let groupMembers = batchGroups.map { ($0, worthSending(groups[$0] ?? [], at: instant)) }
            let folding = PushFolding(
                due.map { $0.foldingJob(at: instant) },
                PushSurroundings(
                    groupMembers: Dictionary(groupMembers, uniquingKeysWith: { first, _ in first }),
                    sent: [forecast.account.id: sent]),
                cap: dailyCap, digestID: AccountPush.digestCollapseID)
            for fold in folding.folds {
                let push = fold.push(
                    fold.jobs.map { due[$0] }, dueCount: forecast.dueCount(on: fold.today), links: links, at: instant)
                pushes.append(Push(push, subjects: fold.subjects, at: instant))
                sent.append(
                    PushSurroundings.Sent(
                        collapseID: push.collapseID, sentOn: fold.today,
                        subjectIDs: Set(fold.subjects.map(\.subjectID)), countsTowardsCap: fold.countsTowardsCap))
            }
        }
        return pushes
    }

    /// The members of a group that are worth sending at an instant, even if their own jobs are due some seconds later.
    private static func worthSending(_ jobs: [DeliveryJob], at instant: Instant) -> [PushSurroundings.GroupMember] {
        jobs.compactMap { job in
            guard job.candidate.verdict(at: instant, expiresAt: job.job.expiresAt) == .send else { return nil }
            return job.content.map {
                PushSurroundings.GroupMember(subjectID: job.job.occurrence.subjectID, name: $0.subject.values.name)
            }
        }
    }
}

extension PushPreview.Push {
    fileprivate init(_ message: PushMessage, at instant: Instant) {
        self.init(
            sentAt: instant, kind: message.topic.label, occursOn: message.occursOn, subjectID: message.subjectID,
            subject: message.topic.subject, text: message.text, link: message.link, collapseID: nil,
            subjects: [PushSurroundings.GroupMember(subjectID: message.subjectID, name: message.values.name)])
    }

    fileprivate init(_ push: AccountPush, subjects: [PushSurroundings.GroupMember], at instant: Instant) {
        self.init(
            sentAt: instant, kind: push.kind, occursOn: push.occursOn, subjectID: push.subjectID, subject: push.subject,
            text: push.text, link: push.link, collapseID: push.collapseID, subjects: subjects)
    }
}

import CherishCore
import CherishStore

/// What only a subject's own domain can say about its pushes on a day, for ``PushExplanation``.
protocol SubjectExplanation: Sendable {
    /// The domain's topics, in the order of the database's type.
    var topics: [Topic] { get }

    /// The occurrence of a topic that the subject points at now.
    func pointer(_ topic: Topic) -> PlannedMoment?

    /// The clause that follows "because", by default that of the reason's declaration.
    func meaning(of reason: PushReason) -> String

    /// Why there was no subject to plan for on the day, as a clause; nil if there was one.
    var absence: String? { get }

    /// Why no push was planned for the day although there was a subject, as a sentence.
    var silence: String { get }

    /// Why events of the day caused no push, such as a watering without a reminder.
    ///
    /// - Parameter pushes: those of the day; they need no explanation.
    func missing(among pushes: [PushRecord]) -> [String]

    /// The subject's state at the end of the day, in sentences; empty for a day that is not over.
    var past: [String] { get }

    /// The subject's present state, as a clause; nil if nothing about it will be planned.
    var present: String? { get }

    /// What keeps all pushes about this subject from being sent, in sentences.
    var obstacles: [String] { get }
}

extension SubjectExplanation {
    func meaning(of reason: PushReason) -> String { reason.meaning }
}

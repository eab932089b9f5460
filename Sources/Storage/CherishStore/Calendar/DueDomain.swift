import CherishCore
import Postgres
import Synchronization

/// A kind of subject that the calendar plans pushes for, such as plants: all that scheduling, delivery, lists of pushes
/// and previews know about it.
///
/// A statement about planned pushes has a relation `planned` with the columns `at`, `account_id`, `subject_id`, `topic`
/// and `ref`, and adds the joins and columns of one domain. Parameter 1 is the lane.
///
/// An adopting type should have no stored properties, so that calling it counts no references.
///
/// Before a new domain plans anything, update all workers: a worker ends pushes about topics that it does not know.
package protocol DueDomain: Sendable {
    /// Its topics, in the order of the database's type `topic`.
    var topics: [Topic] { get }
    /// The reasons for which its subjects end pushes about themselves.
    var reasons: [PushReason] { get }

    /// LEFT JOINs of the rows that decide whether the subject still points at the push, and that hold what it says: at most
    /// one row of each.
    var joins: SQL { get }
    /// The columns that ``state(of:_:)`` reads.
    var stateColumns: [SQL] { get }

    /// Takes the subject's part of the second look (rule 7.6).
    ///
    /// - Throws: ``UnreadableRow``.
    func state(of occurrence: Occurrence, _ row: inout RowReader) throws -> SubjectState

    /// The columns that ``content(of:in:_:)`` reads.
    var contentColumns: [SQL] { get }

    /// Reads what the push says; nil if the subject was erased.
    ///
    /// - Throws: ``UnreadableRow``.
    func content(of occurrence: Occurrence, in language: Language, _ row: inout RowReader) throws -> SubjectContent?

    /// Selects the columns of `planned` for all subjects that point at a moment within the minute of one of the groups
    /// `wanted (account_id, topic, minute)`.
    var pointersOfGroups: SQL { get }

    /// Counts the account's subjects that are due on a day, for the digest; nil if the digest does not count them.
    /// Parameter 1 is the lane, 2 the account, 3 the day.
    var dueCount: SQL? { get }

    /// Plans what follows occurrences that their subjects still pointed at when they were scheduled, such as next
    /// year's birthday. Runs within the scheduler's transaction, while the lane's commands wait.
    ///
    /// - Parameter report: called for each unreadable row.
    func planNext(after reached: [Occurrence], _ command: LaneCommand, _ report: UnreadableRowReport) async throws

    /// The civil day that a push of the relation `planned` is about, as an SQL expression for lists of pushes; NULL if
    /// it is unknown. Parameter 1 is the lane. See ``SubjectContent/occursOn``.
    var occursOn: SQL { get }

    /// Forecasts an account's pushes about this domain's subjects if nobody does anything: the planned ones that have
    /// not ended, and what follows from them within the span.
    ///
    /// - Throws: ``UnreadableRow``.
    func forecast(_ scope: ForecastScope) async throws -> DomainForecast
}

/// A subject's part of a verdict on a planned push.
package enum SubjectState: Hashable, Sendable {
    /// The subject points at the push and wants it.
    case current
    /// The same, with the instant from which it is not worth sending, in place of that of its topic.
    case currentUntil(Instant)
    /// The subject points at the push and wants it, except on these days (rule 13.1).
    case currentUnless(PausedDays)
    case ended(PushEnd)
    /// There is no such subject any more.
    case erased
}

/// What a subject contributes to a push.
public struct SubjectContent: Hashable, Sendable {
    /// The civil day that the push is about. For plants it is the due date, the birthday, or for a reminder the day of
    /// the watering.
    public let occursOn: CivilDay
    public let values: PushValues
    /// Whether the push is sent although the daily cap is reached, and does not count towards it.
    public let isExemptFromCap: Bool

    public init(occursOn: CivilDay, values: PushValues, isExemptFromCap: Bool = false) {
        self.occursOn = occursOn
        self.values = values
        self.isExemptFromCap = isExemptFromCap
    }
}

/// The domains whose pushes a program schedules and delivers.
public final class DueDomains: Sendable {
    /// The domains of the product.
    public static let all = DueDomains([PlantDomain(), ThingDomain(), ListDomain()])

    private let domains: [any DueDomain]
    private let topics: [Topic]
    private let reasons: [PushReason]
    /// The domain of each topic, by the topic's position; nil for a position of none of the domains.
    private let domainOfTopic: [Int?]
    /// How each domain's subjects are read.
    private let texts: [SubjectReading.Texts]
    /// Where each domain's content begins in a row of ``SubjectReading``, after the place and the state.
    private let contentStarts: [Int]
    /// The civil day that a push of the relation `planned` is about; if its domain cannot tell, that of its instant in
    /// UTC. Parameter 1 is the lane.
    let occursOn: SQL

    /// - Parameter domains: their topics must have different positions.
    package init(_ domains: [any DueDomain]) {
        self.domains = domains
        topics = domains.flatMap(\.topics)
        reasons = PushReason.ofEngine + domains.flatMap(\.reasons)
        var domainOfTopic = [Int?](repeating: nil, count: (topics.map(\.position).max() ?? -1) + 1)
        for (place, domain) in domains.enumerated() {
            for topic in domain.topics {
                precondition(domainOfTopic[topic.position] == nil, "two topics have the position of \(topic)")
                domainOfTopic[topic.position] = place
            }
        }
        self.domainOfTopic = domainOfTopic
        texts = domains.map(SubjectReading.Texts.init)
        contentStarts = domains.map { 1 + $0.stateColumns.count }
        let days = domains.map { "WHEN planned.topic IN (\($0.topics.literals)) THEN \($0.occursOn)" as SQL }
        occursOn = "coalesce(CASE \(days.joined(separator: " ")) END, (planned.at AT TIME ZONE 'UTC')::date)"
    }

    /// The topic of a label. A label of no domain gives a topic whose pushes end as unreadable.
    func topic(_ label: String) -> Topic {
        topics.first { $0.label == label } ?? .unknown(label)
    }

    /// The reason of a label. A label that nobody declares gives a reason that is shown as itself.
    func reason(_ label: String) -> PushReason {
        reasons.first { $0.rawValue == label } ?? PushReason(rawValue: label)
    }

    private func place(of topic: Topic) -> Int? {
        domainOfTopic.indices.contains(topic.position) ? domainOfTopic[topic.position] : nil
    }

    private func place(ofKnown topic: Topic) throws(UnreadableRow) -> Int {
        guard let place = place(of: topic) else {
            throw UnreadableRow(what: "the topic \(topic), which this program does not know")
        }
        return place
    }

    /// The domains of some topics, each once; topics of no domain have none.
    func domains(of topics: [Topic]) -> [any DueDomain] {
        Set(topics.compactMap(place)).sorted().map { domains[$0] }
    }

    /// Groups occurrences by domain: how each domain's subjects are read, and which occurrences are its own.
    func places(of occurrences: [Occurrence?]) -> [(texts: SubjectReading.Texts, places: [Int])] {
        var places = [[Int]](repeating: [], count: domains.count)
        for (number, occurrence) in occurrences.enumerated() {
            if let occurrence, let place = place(of: occurrence.topic) { places[place].append(number) }
        }
        return zip(texts, places).filter { !$1.isEmpty }.map { ($0, $1) }
    }

    /// - Parameters:
    ///   - row: the subject's, of ``SubjectReading``.
    ///   - table: the table that holds the occurrence.
    ///   - key: the primary key of its row there.
    /// - Throws: ``UnreadableRow``.
    func state(
        of occurrence: Occurrence, in row: Row?, plannedIn table: String, key: () -> [UnreadableRow.KeyPart]
    ) throws -> SubjectState {
        do {
            let place = try place(ofKnown: occurrence.topic)
            guard var reader = row?.reader(from: 1) else { return .erased }
            return try domains[place].state(of: occurrence, &reader)
        } catch {
            let column = place(of: occurrence.topic) == nil ? "topic" : "ref"
            throw UnreadableRow(error, of: table, key(), column: column) ?? error
        }
    }

    /// - Parameter row: the subject's, of ``SubjectReading``.
    func content(of occurrence: Occurrence, in language: Language, _ row: Row?) throws -> SubjectContent? {
        let place = try place(ofKnown: occurrence.topic)
        guard var reader = row?.reader(from: contentStarts[place]) else { return nil }
        return try domains[place].content(of: occurrence, in: language, &reader)
    }

    /// Lets each domain plan what follows its occurrences.
    func planNext(after reached: [Occurrence], _ command: LaneCommand, _ report: UnreadableRowReport) async throws {
        for (place, domain) in domains.enumerated() {
            let own = reached.filter { self.place(of: $0.topic) == place }
            if !own.isEmpty { try await domain.planNext(after: own, command, report) }
        }
    }

    /// The statements that count what is due on a day, for the digest.
    func dueCounts(of account: Account.ID, on day: CivilDay) -> [Statement] {
        domains.compactMap(\.dueCount).map { Statement($0, [account.lane, account, day]) }
    }

    /// Forecasts the pushes of all domains, sorted by the time at which they are sent or end, then in calendar order.
    /// Superseded pushes are omitted.
    func forecast(_ scope: ForecastScope) async throws -> DomainForecast {
        var all = DomainForecast()
        for domain in domains {
            let forecast = try await domain.forecast(scope)
            all.pushes += forecast.pushes
            all.dueCounts.merge(forecast.dueCounts, uniquingKeysWith: +)
        }
        all.pushes = all.pushes.filter { $0.entry.at < scope.span.upperBound && !$0.entry.isSuperseded }
            .sorted { $0.entry.precedes($1.entry) }
        return all
    }
}

extension Sequence<Topic> {
    /// The labels as a list of SQL literals.
    var literals: SQL { map { "\(topic: $0)" as SQL }.joined(separator: ", ") }
}

extension Topic {
    private static let unknown = Mutex<[String: Topic]>([:])

    /// A topic for a label that this program does not know, whose position is that of no domain. Since a topic lives as
    /// long as the program, each label has one; the labels are those of the database's type, so there are few.
    fileprivate static func unknown(_ label: String) -> Topic {
        unknown.withLock { known in
            if let topic = known[label] { return topic }
            let empty = PushWording.Texts(
                one: PushTemplate(title: "", body: ""), several: PushTemplate(title: "", body: ""))
            let topic = Topic(
                label, position: .max, expiry: .endOfLocalDay, accountSwitch: nil, isUrgent: false, collection: "",
                page: "", wording: PushWording(korean: empty, english: empty))
            known[label] = topic
            return topic
        }
    }
}

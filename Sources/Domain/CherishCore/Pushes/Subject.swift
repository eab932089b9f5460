/// What a push is about: a plant, or something of another domain. The calendar and the log know subjects only by their
/// ids.
public enum Subject {
    public typealias ID = Identifier<Subject>
}

/// One planned moment: an account is reminded of a subject.
public struct Occurrence: Hashable, Sendable {
    public let at: Instant
    public let accountID: Account.ID
    public let subjectID: Subject.ID
    public let topic: Topic
    /// A number that the subject's domain understands. For a review it is the watering's number, for the other topics
    /// of plants a civil day in days since 1970-01-01.
    public let ref: Int

    public init(at: Instant, accountID: Account.ID, subjectID: Subject.ID, topic: Topic, ref: Int) {
        self.at = at
        self.accountID = accountID
        self.subjectID = subjectID
        self.topic = topic
        self.ref = ref
    }

    /// The pointer that names this occurrence.
    public var planned: PlannedMoment { PlannedMoment(ref: ref, at: at) }

    /// Whether the scheduler reaches this occurrence earlier, in the same lane.
    package func precedes(_ other: Occurrence) -> Bool {
        (at, subjectID, topic, ref) < (other.at, other.subjectID, other.topic, other.ref)
    }
}

/// A pointer of a subject: the one occurrence of a topic that counts. All others in the calendar are superseded.
public struct PlannedMoment: Hashable, Sendable {
    public let ref: Int
    public let at: Instant

    public init(ref: Int, at: Instant) {
        self.ref = ref
        self.at = at
    }
}

extension CivilDay {
    /// Decodes the day from a push's ref, if the ref is a day.
    package init(ref: Int) {
        self.init(daysSinceEpoch: Int32(ref))
    }
}

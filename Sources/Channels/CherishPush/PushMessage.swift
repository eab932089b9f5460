import CherishCore

/// The push of one job. Text and link are rendered when a sender asks for them.
public struct PushMessage: Hashable, Sendable {
    /// The job's lane and its number there.
    public let lane: Lane
    public let seq: Int
    public let accountID: Account.ID
    public let subjectID: Subject.ID
    public let topic: Topic
    /// The due date, the birthday, or for a reminder the civil day of the watering.
    public let occursOn: CivilDay
    public let language: Language
    public let values: PushValues
    public let links: DeepLinks
    /// The token of the account's newest device; nil if there is none.
    public let deviceToken: String?

    public init(
        lane: Lane, seq: Int, accountID: Account.ID, subjectID: Subject.ID, topic: Topic, occursOn: CivilDay,
        language: Language, values: PushValues, links: DeepLinks = DeepLinks(), deviceToken: String?
    ) {
        self.lane = lane
        self.seq = seq
        self.accountID = accountID
        self.subjectID = subjectID
        self.topic = topic
        self.occursOn = occursOn
        self.language = language
        self.values = values
        self.links = links
        self.deviceToken = deviceToken
    }

    public var text: PushText { PushText(topic.wording[language].one, values) }

    /// The target of a tap: watering or the review (rule 7.9).
    public var link: String { links.link(to: subjectID, for: topic) }

    /// The same for every attempt of a job; at most 64 bytes.
    public var collapseID: String { "cherish-\(lane)-\(seq)" }
}

/// Deep links of the app, or addresses of the web garden (rule 7.9).
public struct DeepLinks: Hashable, Sendable {
    /// What every link begins with.
    private let start: String

    /// Links into the app.
    ///
    /// - Parameter scheme: The app's URL scheme.
    public init(scheme: String = "cherish") {
        start = "\(scheme)://"
    }

    /// Links into the web garden.
    ///
    /// - Parameter origin: Where people reach it, such as `https://cherish.example`.
    public init(origin: String) {
        start = "\(origin)/"
    }

    /// The target of a tap on a push about one subject.
    public func link(to subject: Subject.ID, for topic: Topic) -> String {
        link(to: subject, in: topic.collection, page: topic.page)
    }

    /// A page about one subject.
    func link(to subject: Subject.ID, in collection: String, page: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(96)
        bytes += start.utf8
        bytes += collection.utf8
        bytes.append(UInt8(ascii: "/"))
        subject.write(to: &bytes)
        if !page.isEmpty {
            bytes.append(UInt8(ascii: "/"))
            bytes += page.utf8
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The target of a tap on a push about several subjects: the list of all.
    public func linkToAll(of topic: Topic) -> String { start + topic.collection }
}

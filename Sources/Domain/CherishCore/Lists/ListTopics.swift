// The topics of shopping lists (rule 11.5), and when and why a list ends a push about itself.
extension Topic {
    /// The topics of lists, in the order of the database's type.
    public static let ofLists = [
        listAccepted, listReleased, listDelivered, listExpiring, listExpired, listCancelled,
    ]

    /// To the owner: a helper has the list.
    public static let listAccepted = list(
        "list_accepted", position: 5,
        korean: ("{name}", "{words} 님이 장을 봐 주기로 했어요."), several: "이웃이 목록 여러 개를 맡았어요.",
        english: ("{name}", "{words} will do this shopping for you."), several: "Neighbours have taken several lists.")
    /// To the owner: the helper gave it back.
    public static let listReleased = list(
        "list_released", position: 6,
        korean: ("{name}", "이웃이 목록을 돌려주었어요. 다른 이웃이 볼 수 있어요."), several: "이웃이 목록을 돌려주었어요.",
        english: ("{name}", "The list was given back. Other neighbours find it again."),
        several: "Lists were given back.")
    /// To the owner: the shopping is there.
    public static let listDelivered = list(
        "list_delivered", position: 7,
        korean: ("{name}", "{words} 님이 장 본 것을 가져다 놓았어요."), several: "장 본 것이 왔어요.",
        english: ("{name}", "{words} has delivered your shopping."), several: "Your shopping was delivered.")
    /// To the helper: the list ends in 6 hours.
    public static let listExpiring = list(
        "list_expiring", position: 8,
        korean: ("{words} 님의 장보기", "여섯 시간 안에 전해 주거나 돌려주세요."), several: "곧 끝나는 목록이 있어요.",
        english: ("Shopping for {words}", "Deliver it within six hours, or give it back."),
        several: "Several lists end soon.")
    /// To both: nobody delivered it.
    public static let listExpired = list(
        "list_expired", position: 9,
        korean: ("{name}", "목록의 기한이 지났어요."), several: "기한이 지난 목록이 있어요.",
        english: ("{name}", "The list has expired."), several: "Several lists have expired.")
    /// To the helper: the owner does not need it any more.
    public static let listCancelled = list(
        "list_cancelled", position: 10,
        korean: ("{words} 님의 장보기", "목록이 취소되었어요. 사지 않아도 돼요."), several: "취소된 목록이 있어요.",
        english: ("Shopping for {words}", "The list was cancelled. There is nothing to buy."),
        several: "Lists were cancelled.")

    private static func list(
        _ label: String, position: Int, korean: (title: TextTemplate, body: TextTemplate),
        several koreanBody: TextTemplate,
        english: (title: TextTemplate, body: TextTemplate), several englishBody: TextTemplate
    ) -> Topic {
        Topic(
            label, position: position, expiry: .hours(24), accountSwitch: nil, isUrgent: true, collection: "lists",
            page: "",
            wording: PushWording(
                korean: PushWording.Texts(
                    one: PushTemplate(title: korean.title, body: korean.body),
                    several: PushTemplate(title: "장보기", body: koreanBody)),
                english: PushWording.Texts(
                    one: PushTemplate(title: english.title, body: english.body),
                    several: PushTemplate(title: "Shopping lists", body: englishBody))))
    }
}

extension PushReason {
    /// The reasons for which lists end pushes about themselves.
    public static let ofLists = [listChanged]

    // superseded
    public static let listChanged = PushReason("list_changed", meaning: "something newer had happened to the list")
}

/// The pushes about a list that one of the two people is to get (rule 11.5). All others in the calendar are superseded.
public struct ListPlans: Hashable, Sendable {
    /// What happened last; its push supersedes those about what happened before.
    public struct Event: Hashable, Sendable {
        public let topic: Topic
        public let at: Instant

        public init(topic: Topic, at: Instant) {
            (self.topic, self.at) = (topic, at)
        }
    }

    public var event: Event?
    /// When the helper hears that the list ends soon; always nil for the owner.
    public var expiringAt: Instant?
    /// When they hear that it has ended.
    public var expiredAt: Instant?

    public init(event: Event? = nil, expiringAt: Instant? = nil, expiredAt: Instant? = nil) {
        (self.event, self.expiringAt, self.expiredAt) = (event, expiringAt, expiredAt)
    }

    /// All pushes, in no order.
    public var all: [Event] {
        [
            event, expiringAt.map { Event(topic: .listExpiring, at: $0) },
            expiredAt.map { Event(topic: .listExpired, at: $0) },
        ].compactMap { $0 }
    }

    /// Why a planned push ends; nil if it is still to be sent.
    public func end(of planned: Event) -> PushEnd? {
        all.contains(planned) ? nil : PushEnd(.superseded, .listChanged)
    }
}

extension ShoppingList {
    /// Plans the owner's pushes after a command.
    ///
    /// - Parameters:
    ///   - plans: what was planned before; changed.
    ///   - topic: what the owner is told at once; nil if the owner did it.
    /// - Returns: what is planned anew.
    public func plan(_ plans: inout ListPlans, telling topic: Topic?, in context: CommandContext) -> [ListPlans.Event] {
        let before = plans
        let state = state(at: context.now)
        let soon = context.aheadOfCursor(context.now)
        // What was told before is still worth telling while it is so: marking an entry does not take it back.
        let kept = before.event.flatMap { Self.state(toldBy: $0.topic) == state ? $0 : nil }
        plans.event = state == .expired ? nil : topic.map { ListPlans.Event(topic: $0, at: soon) } ?? kept
        plans.expiredAt =
            switch state {
            case .open, .accepted: expiresAt.map(context.aheadOfCursor)
            // Given back too late for anybody else.
            case .expired: topic == nil ? before.expiredAt : soon
            case .draft, .delivered, .cancelled: nil
            }
        return plans.all.filter { !before.all.contains($0) }
    }

    /// The state of which a push tells the owner.
    private static func state(toldBy topic: Topic) -> State? {
        switch topic {
        case .listAccepted: .accepted
        case .listReleased: .open
        case .listDelivered: .delivered
        default: nil
        }
    }

    /// The occurrence of a push to the owner.
    public func occurrence(_ event: ListPlans.Event) -> Occurrence {
        Occurrence(at: event.at, accountID: ownerID, subjectID: Subject.ID(id.uuid), topic: event.topic, ref: 0)
    }
}

extension PushValues {
    /// What a push says of a list.
    ///
    /// - Parameters:
    ///   - title: of the list; the helper is told the owner's nickname instead.
    ///   - other: the nickname of the other person.
    public init(listTitle title: String, other: String) {
        self.init(name: title, words: [other])
    }
}

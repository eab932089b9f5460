// The topics of plants (rules 7.1 and 7.10), and when and why a plant ends a push about itself.
extension Topic {
    /// The topics of plants, in the order of the database's type.
    public static let ofPlants = [wateringDue, reviewMissing, birthday, withered]

    /// The due date has come (rule 7.2).
    public static let wateringDue = Topic(
        "watering_due", position: 0, expiry: .endOfLocalDay,
        accountSwitch: AccountSwitch(\.watering, isOnByDefault: true), isUrgent: true,
        collection: "plants", page: "water",
        actions: [
            .later,
            PushAction("done", korean: "연락했어요", english: "We talked", page: "water"),
        ],
        wording: PushWording(
            korean: PushWording.Texts(
                one: PushTemplate(
                    title: "{name:이/가} 물을 기다려요",
                    body: "함께한 지 {number}일째, 오늘은 {noun}에 물을 주는 날이에요. 반가운 목소리를 들려주세요.",
                    bodyWithWords: "함께한 지 {number}일째, 오늘은 {noun}에 물을 주는 날이에요. 지난 이야기: {words}",
                    bodyAfterPause: "쉬는 동안에도 잘 지냈어요. 오늘부터 다시 {noun}에 물을 줄 수 있어요. 서두르지 않아도 괜찮아요.",
                    bodyAfterOutage: "저희 문제로 알림을 보내지 못했어요. 그래서 오늘이 {noun}에 물을 주는 날이에요. 시든 날로 세지 않았어요."),
                several: PushTemplate(
                    title: "{name} 외 {others}명이 물을 기다려요", body: "오늘 물을 주는 날이에요. 반가운 목소리를 들려주세요.",
                    bodyAfterPause: "쉬는 동안에도 잘 지냈어요. 서두르지 않아도 괜찮아요.",
                    bodyAfterOutage: "저희 문제로 알림을 보내지 못해서 오늘이 물을 주는 날이에요. 시든 날로 세지 않았어요.")),
            english: PushWording.Texts(
                one: PushTemplate(
                    title: "{name} is waiting for water",
                    body: "Day {number} together, and today your {noun} wants water. Say hello!",
                    bodyWithWords: "Day {number} together, and today your {noun} wants water. Last time: {words}",
                    bodyAfterPause:
                        "It was fine while you paused. Your {noun} can have water again from today; there is no hurry.",
                    bodyAfterOutage:
                        "Our reminder could not leave in time, so your {noun} wants water today instead. No day counts as withered."
                ),
                several: PushTemplate(
                    title: "{name} and {others} more are waiting for water", body: "Today they want water. Say hello!",
                    bodyAfterPause: "They were fine while you paused. There is no hurry.",
                    bodyAfterOutage:
                        "Our reminders could not leave in time, so they want water today instead. No day counts as withered."
                ))
        ))

    /// A watering lacks its review (rule 7.3).
    public static let reviewMissing = Topic(
        "review_missing", position: 1, expiry: .hours(24), waitsForQuietHours: true,
        accountSwitch: AccountSwitch(\.review, isOnByDefault: true), isUrgent: false,
        collection: "plants", page: "review",
        wording: PushWording(
            korean: PushWording.Texts(
                one: PushTemplate(title: "{name:과/와} 나눈 이야기", body: "잊기 전에 키워드 세 개로 남겨 보세요."),
                several: PushTemplate(title: "{name} 외 {others}명과 나눈 이야기", body: "잊기 전에 키워드 세 개로 남겨 보세요.")),
            english: PushWording.Texts(
                one: PushTemplate(
                    title: "How was it with {name}?", body: "Keep it in three keywords before it slips away."),
                several: PushTemplate(
                    title: "How was it with {name} and {others} more?",
                    body: "Keep it in three keywords before it slips away."))))

    /// The friend's birthday (rule 7.10).
    public static let birthday = Topic(
        "birthday", position: 2, expiry: .endOfLocalDay,
        accountSwitch: AccountSwitch(\.birthday, isOnByDefault: false), isUrgent: true,
        collection: "plants", page: "water",
        wording: PushWording(
            korean: PushWording.Texts(
                one: PushTemplate(
                    title: "오늘은 {name}의 생일이에요", body: "{name:을/를} 축하해 주세요.",
                    bodyWithWords: "{name:을/를} 축하해 주세요. 지난 이야기: {words}"),
                several: PushTemplate(title: "오늘은 {name} 외 {others}명의 생일이에요", body: "모두 축하해 주세요.")),
            english: PushWording.Texts(
                one: PushTemplate(
                    title: "It is {name}'s birthday", body: "A good day to call.",
                    bodyWithWords: "A good day to call. Last time: {words}"),
                several: PushTemplate(
                    title: "It is the birthday of {name} and {others} more", body: "A good day to call."))))

    /// The plant withered yesterday (rule 7.10).
    public static let withered = Topic(
        "withered", position: 3, expiry: .endOfLocalDay,
        accountSwitch: AccountSwitch(\.withered, isOnByDefault: false), isUrgent: false,
        collection: "plants", page: "water",
        wording: PushWording(
            korean: PushWording.Texts(
                one: PushTemplate(
                    title: "{name:이/가} 어제 시들었어요", body: "함께한 지 {number}일째예요. {noun}에 물을 주면 바로 다시 살아나요."),
                several: PushTemplate(title: "{name} 외 {others}명이 어제 시들었어요", body: "물을 주면 바로 다시 살아나요.")),
            english: PushWording.Texts(
                one: PushTemplate(
                    title: "{name} withered yesterday",
                    body: "Day {number} together. Water brings your {noun} back at once."),
                several: PushTemplate(
                    title: "{name} and {others} more withered yesterday", body: "Water brings them back at once."))))
}

extension PushReason {
    /// The reasons for which plants end pushes about themselves.
    public static let ofPlants = [
        watered, postponed, edited, reviewed, declined, archived, newerWatering, plantPushesOff,
    ]

    // superseded
    public static let watered = PushReason("watered", meaning: "the plant had been watered")
    public static let postponed = PushReason("postponed", meaning: "the due date had been postponed")
    public static let edited = PushReason("edited", meaning: "the plan had been changed")
    public static let reviewed = PushReason("reviewed", meaning: "the review had been written")
    public static let declined = PushReason("declined", meaning: "the review had been declined")
    public static let archived = PushReason("archived", meaning: "the plant had been removed")
    public static let newerWatering = PushReason("newer_watering", meaning: "there was a newer watering")
    // suppressed
    public static let plantPushesOff = PushReason("plant_pushes_off", meaning: "the plant's pushes were off")
}

/// What a plant says about a push that was planned for it.
public struct PlantPushState: Sendable {
    /// Whether the watering of a reminder still lacks its review.
    public enum ReviewState: Sendable {
        case missing, written, declined
    }

    public let isArchived: Bool
    /// The plant's pointer for the push's topic.
    public let pointer: PlannedMoment?
    public let dueOn: CivilDay
    public let dueSource: Plant.DueSource
    /// Whether a pause has moved the due date.
    public let isMovedByPause: Bool
    public let pushesEnabled: Bool
    public let reviewState: ReviewState

    public init(
        isArchived: Bool, pointer: PlannedMoment?, dueOn: CivilDay, dueSource: Plant.DueSource,
        isMovedByPause: Bool = false, pushesEnabled: Bool, reviewState: ReviewState
    ) {
        self.isArchived = isArchived
        self.pointer = pointer
        self.dueOn = dueOn
        self.dueSource = dueSource
        self.isMovedByPause = isMovedByPause
        self.pushesEnabled = pushesEnabled
        self.reviewState = reviewState
    }

    /// Why the plant ends the push; nil if it still points at it (rule 7.6) and its switch is on (rule 7.4).
    public func end(of topic: Topic, _ planned: PlannedMoment) -> PushEnd? {
        if let reason = supersession(of: topic, planned) { return PushEnd(.superseded, reason) }
        return pushesEnabled ? nil : PushEnd(.suppressed, .plantPushesOff)
    }

    /// The pointer decides: an occurrence that its plant no longer points at is superseded.
    private func supersession(of topic: Topic, _ planned: PlannedMoment) -> PushReason? {
        if isArchived { return .archived }
        guard pointer == planned else {
            if topic == .reviewMissing { return pointer?.ref == planned.ref ? .edited : .newerWatering }
            // A birthday moves by edits alone.
            guard topic != .birthday, Int(dueOn.daysSinceEpoch) != planned.ref else { return .edited }
            if isMovedByPause { return .paused }
            switch dueSource {
            case .watering: return .watered
            case .postponement: return .postponed
            case .registration, .edit, .pause, .outage: return .edited
            }
        }
        guard topic == .reviewMissing else { return nil }
        switch reviewState {
        case .missing: return nil
        case .written: return .reviewed
        case .declined: return .declined
        }
    }
}

extension PushAction {
    /// Puts a plant off by a day (rule 6).
    public static let later = PushAction(
        "later", korean: "하루 미루기", english: "Tomorrow", page: "later", isDoneAtOnce: true)
}

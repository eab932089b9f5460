import CherishCore
import CherishStore

/// What plants say about their pushes on a day.
struct PlantPushExplanation: SubjectExplanation {
    /// The plant as it is now.
    private let plant: Plant
    /// The plant on the day.
    private let then: PlantExplanation
    private let clock: WallClock
    private let today: CivilDay

    /// - Parameter history: the plant with its whole history.
    init(_ history: PlantHistory, of account: Account, on day: CivilDay, at now: Instant, in zone: TimeZoneRules) {
        plant = history.plant
        then = PlantExplanation(of: history, for: account, on: day, at: now, in: zone)
        clock = WallClock(zone: zone)
        today = zone.day(at: now)
    }

    private var day: CivilDay { then.day }

    var topics: [Topic] { Topic.ofPlants }

    func pointer(_ topic: Topic) -> PlannedMoment? { plant.plans[topic] }

    func meaning(of reason: PushReason) -> String {
        reason == .combined ? "a push that spoke of this plant too had been sent" : reason.meaning
    }

    var absence: String? {
        guard let known = then.plant else { return "the plant was not registered yet" }
        if let archivedAt = known.archivedAt, clock.zone.day(at: archivedAt) <= day {
            return "the plant was removed on \(clock.zone.day(at: archivedAt))"
        }
        return nil
    }

    var silence: String {
        let dueOn = then.plant?.dueOn ?? plant.dueOn
        if dueOn == day { return silenceOfDueDate }
        let reason =
            dueOn < day
            ? "the plant was due on \(dueOn), and each due date has one alarm (rule 7.2)"
            : "it was not the due date, which was \(dueOn), and no reminder was due"
        return "Nothing was scheduled for \(day): \(reason)."
    }

    private var silenceOfDueDate: String {
        let alarmAt = clock.zone.firstInstant(on: day, at: plant.alarmTime)
        let isSetLate = then.dueDate.map { $0.setAt > alarmAt } ?? false
        if then.alarm == .wasPast || (then.isPast && isSetLate) {
            return "Nothing was scheduled for \(day): its alarm time was past when a command set it."
        }
        if then.isPast {
            return "\(day) was the due date, and no push of it is recorded: no worker has scheduled it."
        }
        return then.alarm == .notAgain
            ? "Nothing was scheduled again for \(day): the alarm of that due date had been reached before."
            : "\(day) is the due date; its alarm has not been scheduled yet."
    }

    /// Why waterings of the day got no reminder (rule 7.3).
    func missing(among pushes: [PushRecord]) -> [String] {
        then.events.filter { $0.day == day }.compactMap { event -> String? in
            guard case .watered(let watering, _) = event.kind,
                plant.plans.reviewMissing?.ref != watering.number,
                !pushes.contains(where: { $0.topic == .reviewMissing && $0.occursOn == watering.wateredOn })
            else { return nil }
            let reason =
                if watering.isBackdated {
                    "it was recorded for an earlier day, \(watering.wateredOn)"
                } else if watering.review != nil {
                    "it has its review"
                } else {
                    watering.isReviewDeclined ? "its review was declined" : "there was a newer watering, or no worker"
                }
            return "No reminder of watering \(watering.number): \(reason) (rule 7.3)."
        }
    }

    var past: [String] {
        guard then.isPast, let known = then.plant, known.archivedAt == nil else { return [] }
        let label = known.dDay(on: day).label
        return ["At the end of \(day) the plant was due on \(known.dueOn) (\(label))."]
    }

    var present: String? {
        if plant.archivedAt != nil { return nil }
        return "the plant is due on \(plant.dueOn) (\(plant.dDay(on: today).label))"
    }

    var obstacles: [String] { plant.pushesEnabled ? [] : ["The plant's pushes are off."] }
}

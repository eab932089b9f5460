// The topic of things (rule 10.13), and when and why a thing ends a push about itself.
extension Topic {
    /// The topics of things, in the order of the database's type.
    public static let ofThings = [thingAlert]

    /// An alert of a thing (rule 10.4). Its expiry is stored with the thing; that of the topic is the latest.
    public static let thingAlert = Topic(
        "thing_alert", position: 4, expiry: .hours(24),
        accountSwitch: AccountSwitch(\.thing, isOnByDefault: true), isUrgent: true,
        collection: "things", page: "",
        wording: PushWording(
            korean: PushWording.Texts(
                one: PushTemplate(title: "{name}", body: "{words}"),
                several: PushTemplate(title: "{name} 외 {others}개", body: "잊지 않게 챙겨 보세요.")),
            english: PushWording.Texts(
                one: PushTemplate(title: "{name}", body: "{words}"),
                several: PushTemplate(title: "{name} and {others} more", body: "Do not forget them.")))
    )
}

extension PushReason {
    /// The reasons for which things end pushes about themselves.
    public static let ofThings = [thingDone, edited, newerAlert, thingPushesOff, waypoint]

    // superseded
    public static let thingDone = PushReason("done", meaning: "the thing had been done")
    public static let newerAlert = PushReason("newer_alert", meaning: "there was a newer alert of the thing")
    // suppressed
    public static let thingPushesOff = PushReason("thing_pushes_off", meaning: "the thing's pushes were off")
    public static let waypoint = PushReason(
        "waypoint", meaning: "it stood for an alert that was too far ahead to be planned")
}

/// What a thing says about a push that was planned for it.
public struct ThingPushState: Sendable {
    public let isDone: Bool
    public let pushesEnabled: Bool
    public let plans: ThingPlans

    public init(isDone: Bool, pushesEnabled: Bool, plans: ThingPlans) {
        (self.isDone, self.pushesEnabled, self.plans) = (isDone, pushesEnabled, plans)
    }

    /// The alert that the thing still points at (rule 10.6); nil if it does not.
    public func alert(_ planned: PlannedMoment) -> ThingPlans.Alert? {
        [plans.next, plans.reached].compactMap { $0 }.first { $0.planned == planned }
    }

    /// Why the thing ends the push; nil if it still points at it (rule 7.6) and its switch is on (rule 10.13).
    public func end(of planned: PlannedMoment) -> PushEnd? {
        if alert(planned) == nil { return PushEnd(.superseded, supersession(of: planned)) }
        if planned.ref == ThingPlans.waypoint { return PushEnd(.suppressed, .waypoint) }
        return pushesEnabled ? nil : PushEnd(.suppressed, .thingPushesOff)
    }

    private func supersession(of planned: PlannedMoment) -> PushReason {
        if isDone { return .thingDone }
        // Alerts that were missed have the due day in common.
        guard let newer = plans.reached?.planned, newer.ref == planned.ref, newer.at > planned.at else {
            return .edited
        }
        return .newerAlert
    }
}

extension PushValues {
    /// What a push says of a thing.
    ///
    /// - Parameter year: The year in which the push is read; another one is named.
    public init(title: ThingTitle, kind: Thing.Kind, due: ThingDue, year: Int, in language: Language) {
        self.init(name: title.description, words: [kind.sentence(due, year: year, in: language)])
    }
}

extension Thing.Kind {
    /// When something of this kind is due.
    fileprivate func sentence(_ due: ThingDue, year: Int, in language: Language) -> String {
        let moment = due.text(year: year, in: language)
        return switch (language, self) {
        case (.korean, .pickup): "\(moment)까지 찾아오세요."
        case (.korean, .giveBack): "\(moment)까지 반품할 수 있어요."
        case (.korean, .reminder): "\(moment)"
        case (.korean, .food): "\(moment)까지 드세요."
        case (.english, .pickup): "Pick it up by \(moment)."
        case (.english, .giveBack): "It can be returned until \(moment)."
        case (.english, .reminder): moment
        case (.english, .food): "Eat it by \(moment)."
        }
    }
}

extension ThingDue {
    /// The day and time in words: `5 March, 15:00`.
    fileprivate func text(year: Int, in language: Language) -> String {
        let (dueYear, month, day) = self.day.components
        switch language {
        case .korean:
            let date = "\(dueYear == year ? "" : "\(dueYear)년 ")\(month)월 \(day)일"
            return time.map { "\(date) \($0)" } ?? date
        case .english:
            let date = "\(day) \(Self.englishMonths[month - 1])\(dueYear == year ? "" : " \(dueYear)")"
            return time.map { "\(date), \($0)" } ?? date
        }
    }

    private static let englishMonths = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
}

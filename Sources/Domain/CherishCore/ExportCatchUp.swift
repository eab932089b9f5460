extension AccountExport {
    /// Returns the account adjusted to a lane whose cursor has passed some of its pending pushes.
    ///
    /// A push still worth sending moves to the first instant after the cursor, and its plant's pointer follows. The
    /// others end by the current rules (rules 7.6–7.8); after a birthday, the next one is planned (rule 7.10).
    ///
    /// - Parameter context: Now, the account's zone and the lane's cursor.
    package func caughtUp(in context: CommandContext) -> AccountExport {
        let places = Dictionary(
            plants.indices.map { (plants[$0].plant.id, $0) }, uniquingKeysWith: { first, _ in first })
        var export = self
        export.pushes = []
        for push in pushes {
            guard push.end == nil, push.occurrence.at <= context.calendarCursor,
                let place = places[Plant.ID(push.occurrence.subjectID)]
            else {
                export.pushes.append(push)
                continue
            }
            let caughtUp = export.plants[place].catchUp(push.occurrence, for: account, in: context)
            export.pushes += caughtUp
        }
        return export
    }
}

extension PlantHistory {
    /// Moves an occurrence that the cursor has passed, or ends it.
    fileprivate mutating func catchUp(
        _ occurrence: Occurrence, for account: Account, in context: CommandContext
    ) -> [ExportedPush] {
        let candidate = PushCandidate(occurrence, of: self, for: account, in: context.zone)
        // Nothing can be scheduled before the cursor, which may be ahead of now.
        let verdict = candidate.verdict(
            at: context.aheadOfCursor(context.now), expiresAt: candidate.expiry(in: context.zone))
        guard case .end(let outcome, let reason) = verdict else {
            let moved = plant.occurrence(
                occurrence.topic,
                PlannedMoment(ref: occurrence.ref, at: context.aheadOfCursor(occurrence.at)))
            plant.plans.move(occurrence, to: moved.planned)
            return [ExportedPush(occurrence: moved, end: nil)]
        }
        let end = ExportedPush.End(outcome: outcome, reason: reason.rawValue, finishedAt: context.now)
        var pushes = [ExportedPush(occurrence: occurrence, end: end)]
        if occurrence.topic == .birthday, outcome != .superseded,
            let next = plant.planNextBirthday(for: account, in: context)
        {
            pushes.append(ExportedPush(occurrence: next, end: nil))
        }
        return pushes
    }
}

extension Plans {
    /// Moves the pointers that name an occurrence to another moment.
    fileprivate mutating func move(_ occurrence: Occurrence, to new: PlannedMoment) {
        if self[occurrence.topic] == occurrence.planned { self[occurrence.topic] = new }
        if occurrence.topic == .birthday, passedBirthday == occurrence.planned { passedBirthday = new }
    }
}

extension PushCandidate {
    /// A planned push with the exported state of its plant.
    package init(
        _ occurrence: Occurrence, of history: PlantHistory, for account: Account, in zone: TimeZoneRules
    ) {
        let plant = history.plant
        let (topic, planned) = (occurrence.topic, occurrence.planned)
        let state = PlantPushState(
            isArchived: plant.archivedAt != nil, pointer: plant.plans.pointer(topic, for: planned), dueOn: plant.dueOn,
            dueSource: plant.dueSource, isMovedByPause: plant.originalDueOn != nil, pushesEnabled: plant.pushesEnabled,
            reviewState: history.reviewState(for: occurrence))
        self.init(
            topic: topic, planned: planned,
            state: State(
                end: state.end(of: topic, planned), isTopicWanted: account.switches.allows(topic), zone: zone,
                subjectPausedDays: plant.pausedDays))
    }
}

extension PlantHistory {
    fileprivate func reviewState(for occurrence: Occurrence) -> PlantPushState.ReviewState {
        // Waterings are numbered 1, 2, 3 … in list order.
        guard occurrence.topic == .reviewMissing, waterings.indices.contains(occurrence.ref - 1) else {
            return .missing
        }
        let watering = waterings[occurrence.ref - 1]
        return watering.review != nil ? .written : watering.isReviewDeclined ? .declined : .missing
    }
}

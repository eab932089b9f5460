extension AccountArchive {
    /// The same account, fit for a lane whose calendar was walked beyond some of what was still to be pushed.
    ///
    /// What is still worth sending is planned for the first instant ahead of the calendar, and its plant points there.
    /// What is not has ended as the rules say now (rules 7.6–7.8), and after a birthday the next one is planned (7.10).
    ///
    /// - Parameter present: in the account's zone.
    package func caughtUp(at present: Present) -> AccountArchive {
        let places = Dictionary(
            plants.indices.map { (plants[$0].plant.id, $0) }, uniquingKeysWith: { first, _ in first })
        var archive = self
        archive.pushes = []
        for push in pushes {
            guard push.end == nil, push.occurrence.at <= present.calendarCursor,
                let place = places[push.occurrence.plantID]
            else {
                archive.pushes.append(push)
                continue
            }
            let caughtUp = archive.plants[place].catchUp(push.occurrence, for: account, at: present)
            archive.pushes += caughtUp
        }
        return archive
    }
}

extension PlantArchive {
    /// What becomes of an occurrence of the plant that the calendar was walked beyond: it is moved, or it has ended.
    fileprivate mutating func catchUp(
        _ occurrence: Occurrence, for account: Account, at present: Present
    ) -> [ArchivedPush] {
        let candidate = PushCandidate(occurrence, of: self, for: account, in: present.zone)
        // Nothing is scheduled before the cursor, which may be ahead of now.
        let verdict = candidate.verdict(
            at: present.aheadOfCursor(present.now), expiresAt: candidate.expiry(in: present.zone))
        guard case .end(let outcome, let reason) = verdict else {
            let moved = Occurrence(
                at: present.aheadOfCursor(occurrence.at), plantID: occurrence.plantID, kind: occurrence.kind,
                subject: occurrence.subject)
            plant.plans.move(occurrence, to: moved.at)
            return [ArchivedPush(occurrence: moved, end: nil)]
        }
        let end = ArchivedPush.End(outcome: outcome, reason: reason.rawValue, finishedAt: present.now)
        var pushes = [ArchivedPush(occurrence: occurrence, end: end)]
        if occurrence.kind == .birthday, outcome != .superseded,
            let next = plant.planNextBirthday(for: account, at: present)
        {
            pushes.append(ArchivedPush(occurrence: next, end: nil))
        }
        return pushes
    }
}

extension Plans {
    /// Points at the same occurrence at another instant.
    fileprivate mutating func move(_ occurrence: Occurrence, to instant: Instant) {
        let old = PlannedMoment(subject: occurrence.subject, at: occurrence.at)
        let new = PlannedMoment(subject: occurrence.subject, at: instant)
        switch occurrence.kind {
        case .wateringDue: if wateringDue == old { wateringDue = new }
        case .reviewMissing: if reviewMissing == old { reviewMissing = new }
        case .withered: if withered == old { withered = new }
        case .birthday:
            if birthday == old { birthday = new }
            if passedBirthday == old { passedBirthday = new }
        }
    }
}

extension PushCandidate {
    /// An occurrence beside the state that its plant's archive tells of.
    package init(
        _ occurrence: Occurrence, of archive: PlantArchive, for account: Account, in zone: TimeZoneRules
    ) {
        let plant = archive.plant
        let planned = PlannedMoment(subject: occurrence.subject, at: occurrence.at)
        self.init(
            kind: occurrence.kind, planned: planned,
            state: State(
                isArchived: plant.archivedAt != nil, pointer: plant.plans.pointer(occurrence.kind, for: planned),
                dueOn: plant.dueOn, dueSource: plant.dueSource, pushesEnabled: plant.pushesEnabled,
                isKindEnabled: account.switches.allows(occurrence.kind),
                reviewState: archive.reviewState(for: occurrence), zone: zone))
    }
}

extension PlantArchive {
    fileprivate func reviewState(for occurrence: Occurrence) -> PushCandidate.ReviewState {
        // Waterings are numbered 1, 2, 3 … in the order of the list.
        guard occurrence.kind == .reviewMissing, waterings.indices.contains(occurrence.subject - 1) else {
            return .missing
        }
        let watering = waterings[occurrence.subject - 1]
        return watering.review != nil ? .written : watering.isReviewDeclined ? .declined : .missing
    }
}

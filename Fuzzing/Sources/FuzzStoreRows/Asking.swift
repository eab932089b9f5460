import CherishCore
import CherishPush

@testable import CherishStore
@testable import CherishWorker
@testable import Postgres

// Uses decoded values as the programs do. Rules may refuse; nothing may trap.

func ask(_ account: Account) {
    requireReadableAgain(
        account,
        AccountRow.insert(account, lane: account.id.lane, createdAt: Sample.now).parameters.dropFirst().dropLast()
    ) { try AccountRow.decode($0) }
    let context = CommandContext(
        now: Sample.now, zone: Sample.zones.rulesOrUTC(account.timeZone), calendarCursor: Sample.now)
    _ = Plant.register(Sample.registration, id: Sample.plant.id, for: account, in: context)
}

func ask(_ plant: Plant) {
    requireReadableAgain(
        plant,
        PlantRow.insert(plant, createdAt: Sample.now).parameters.dropFirst().dropLast()
    ) { try PlantRow.decode($0) }
    requireCopyable { try PlantRow.append(plant, createdAt: Sample.now, to: &$0) }
    _ = plant.dDay(on: Sample.context.today).label
    care(for: plant)
    let pushes = Topic.ofPlants.compactMap { topic in
        plant.plans[topic].map {
            ExportedPush(
                occurrence: Occurrence(
                    at: $0.at, accountID: plant.accountID, subjectID: plant.id.subject, topic: topic, ref: $0.ref),
                end: nil)
        }
    }
    ask(
        AccountExport(
            account: Sample.account, createdAt: Sample.now,
            plants: [PlantHistory(plant: plant, createdAt: Sample.now)], pushes: pushes))
}

/// Applies every command to the plant as it was read, and plans what a scheduler plans.
private func care(for plant: Plant) {
    let (account, context) = (Sample.account, Sample.context)
    var (watered, postponed, edited, removed, scheduled) = (plant, plant, plant, plant, plant)
    let request = WateringRequest(method: .call)
    if let change = try? watered.water(request, isFirstOfDay: true, for: account, in: context) {
        let occurrences = watered.replanAfterAccountEdit(reminded: change.watering, for: account, in: context)
        requireWritable(watered, change.occurrences + occurrences)
        requireWritable(WateringRow.insert(change.watering, plant: plant.id, lane: account.id.lane))
    }
    if let change = try? postponed.postpone(days: 7, for: account, in: context) {
        requireWritable(postponed, change.occurrences)
    }
    var edit = PlantEdit()
    edit.cycle = try? Cycle(days: Cycle.range.upperBound)
    if let occurrences = try? edited.edit(edit, for: account, in: context) { requireWritable(edited, occurrences) }
    try? removed.remove(in: context)
    let restored = removed.restore(for: account, in: context)
    requireWritable(removed, restored)
    if let birthday = scheduled.planNextBirthday(for: account, in: context) { requireWritable(scheduled, [birthday]) }
}

private func requireWritable(_ plant: Plant, _ occurrences: [Occurrence]) {
    requireWritable(PlantRow.update(plant))
    requireWritable(OccurrenceRow.insert(occurrences, lane: plant.accountID.lane))
    _ = OccurrenceRow.missingPartition(occurrences)
}

private func requireCopyable(_ append: (inout CopyWriter) throws -> Void) {
    var rows = CopyWriter { _ in }
    do {
        try append(&rows)
    } catch {
        fatalError("a row cannot be copied: \(error)")
    }
}

/// Computes the explanations and the forecast for an account.
func ask(_ export: AccountExport) {
    let (context, plant) = (Sample.context, export.plants[0])
    for day in [context.today, context.today + -1, plant.plant.dueOn] {
        _ = PlantExplanation(of: plant, for: export.account, on: day, at: context.now, in: context.zone)
    }
    _ = PushForecast(
        of: export, from: context.now, before: context.now.adding(hours: 366 * 24), in: context.zone)
}

func ask(_ watering: Watering) {
    let plant = Sample.plant
    requireReadableAgain(
        watering, WateringRow.insert(watering, plant: plant.id, lane: plant.accountID.lane).parameters.dropFirst(2)
    ) {
        var reader = $0.reader
        return try WateringRow.decode(&reader)
    }
    requireCopyable { try WateringRow.append(watering, of: plant, to: &$0) }
    ask(Sample.history(waterings: [watering]))
    var replanned = plant
    _ = replanned.replanAfterAccountEdit(reminded: watering, for: Sample.account, in: Sample.context)
}

func ask(_ device: Device) {
    requireReadableAgain(device, DeviceRow.insert(device, account: Sample.account.id).parameters.dropFirst(2)) {
        var reader = $0.reader
        return try DeviceRow.decode(&reader)
    }
    _ = device.retirement(at: Sample.now)
}

func ask(_ tag: Tag) {
    requireReadableAgain(tag, TagRow.insert(tag, account: Sample.account.id).parameters.dropFirst(3)) {
        try TagRow.decode($0)
    }
    _ = tag.colour.description
}

func ask(_ change: ImportBatch.Change) {
    // Writes it as seeding an exported import does.
    requireCopyable { try ImportRow.append(change, of: ImportBatch.ID(Sample.id), lane: Lane(7), to: &$0) }
}

func ask(_ delivery: DeliveryJob) {
    let job = delivery.job
    ask(job)
    for now in [Sample.now, job.occurrence.at, job.expiresAt] {
        _ = delivery.candidate.verdict(at: now, expiresAt: job.expiresAt)
        record(delivery, at: now)
    }
    if let zone = delivery.candidate.state?.zone { _ = delivery.candidate.expiry(in: zone) }
    guard let push = DuePush(delivery, links: DeepLinks()) else { return }
    requireShort(push.message.collapseID)
    _ = (push.message.text, push.message.occursOn.description)
    let folding = PushFolding(
        [push.foldingJob(at: Sample.now)], PushSurroundings(), cap: 3, digestID: AccountPush.digestCollapseID)
    for fold in folding.folds {
        let folded = fold.push([push], dueCount: 1, links: DeepLinks(), at: Sample.now)
        requireShort(folded.collapseID)
        _ = folded.text
    }
}

/// Records a failed attempt and a deferral, as a worker does.
private func record(_ delivery: DeliveryJob, at now: Instant) {
    let attempts = delivery.attempts + 1
    let job = delivery.job
    var receipt = Receipt(finishedAt: now)
    receipt.note(
        delivery, RetryPolicy(random: { 0.5 }).result(attempts: attempts, now: now, job.expiresAt, "no answer"))
    receipt.note(delivery, .retry(at: job.expiresAt, attempts: attempts, error: nil))
    requireWritable(receipt.statement(under: lease(job), leaseMilliseconds: 30_000))
}

func ask(_ job: PushJob) {
    let receipt = Receipt(finishedAt: Sample.now, from: job, to: job)
    requireWritable(receipt.statement(under: lease(job), leaseMilliseconds: nil))
}

private func lease(_ job: PushJob) -> Lease {
    Lease(lane: job.lane, fence: 1, worker: "worker-1", cursorRecordedAt: job.recordedAt, cursorSeq: job.seq)
}

func ask(_ position: LaneScheduler.Position) {
    let context = CommandContext(now: position.now, zone: Sample.context.zone, calendarCursor: position.cursor.at)
    let (plant, occurrences) = Plant.register(
        Sample.registration, id: Sample.plant.id, for: Sample.account, in: context)
    requireWritable(plant, occurrences)
    // A lane's position after the maximum number of jobs of one round.
    requireWritable(Statement("", [position.lastSeq + 2000, Int32(position.cursor.ref), position.recordedAt]))
}

func ask(_ health: EngineHealth) {
    _ = [health.schedulingLag, health.deliveryLag, health.retryLag].map { $0 / Duration.seconds(1) }
}

/// Does what housekeeping does with the partitions that it finds.
func ask(_ period: Period) {
    for table in period.length.tables where Period(partition: period.partition(of: table)) != period {
        fatalError("\(period.partition(of: table)) is the name of another period")
    }
    _ = Period.all(period.length, from: period.start, to: period.end)
}

func ask(_ accounts: [Account.ID: AccountCandidate]) {
    for account in accounts.values {
        _ = account.zone.day(at: Sample.now)
        _ = account.zone.outsideQuietHours(Sample.now)
    }
}

func ask(_ values: [ReportValue?]) {
    for value in values {
        switch value {
        case .day(let day)?: _ = day.description
        case .instant(let instant)?: _ = instant.description
        default: break
        }
    }
}

/// Apple accepts collapse ids of at most 64 bytes.
func requireShort(_ collapseID: String) {
    if collapseID.utf8.count > 64 { fatalError("a collapse id is too long: \(collapseID)") }
}

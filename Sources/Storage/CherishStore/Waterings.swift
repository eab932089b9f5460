import CherishCore
import Foundation
import Postgres

/// A watering with its plant and the points that it earned.
public struct RecordedWatering: Sendable, Equatable {
    public let plantID: Plant.ID
    public let watering: Watering
    /// The sum of its ledger entries, 0–24.
    public let pointsGained: Int
}

extension Garden {
    /// Records a contact (rule 3).
    ///
    /// - Parameter factID: the id that the client made (rule 14.3). What was recorded with it before is returned, and nothing
    ///   changes.
    public func water(_ plantID: Plant.ID, _ request: WateringRequest, factID: UUID? = nil) async throws
        -> (watering: RecordedWatering, plant: Plant)
    {
        // Its day in the account's zone, which is still to be read, is at most a day off.
        let days = Statement(
            """
            SELECT watered_on FROM watering WHERE lane = $1 AND plant_id = $2
                AND watered_on >= coalesce($3, (coalesce($4, $5, clock_timestamp()) AT TIME ZONE 'UTC')::date - 1)
            """, [accountID.lane, plantID, request.day, request.madeAt, store.time.fixedInstant])
        let recorded = Statement(
            """
            SELECT \(WateringRow.columns), \(Self.pointsGained)
            FROM watering WHERE lane = $1 AND plant_id = $2 AND fact_id = $3
            """, [accountID.lane, plantID, factID])
        return try await command(on: plantID, reading: [days, recorded]) { command, locked, rows in
            if let row = rows[3].first { return (try recordedWatering(row, of: plantID), locked.before) }
            let day = try locked.plant.wateringDay(request, in: locked.context)
            let isFirst = try !rows[2].contains { row in
                var reader = row.reader
                return try reader.nextAsItIs(CivilDay.self) == day
            }
            let change = try locked.plant.water(
                request, isFirstOfDay: isFirst, for: locked.account, in: locked.context)
            let plant = locked.plant
            command.note([.friend(plant.id), .watering(plant.id, number: change.watering.number)], of: accountID)
            command.finish(
                [
                    PlantRow.update(plant),
                    WateringRow.insert(change.watering, plant: plant.id, lane: command.lane, factID: factID),
                ] + command.ledger(change.entries, plant: plant.id)
                    + (change.watering.dueOn == nil
                        ? [] : PlantRow.notePause(of: plant, lane: command.lane, at: command.now)),
                planning: change.occurrences)
            let points = change.entries.reduce(0) { $0 + $1.points }
            return (RecordedWatering(plantID: plant.id, watering: change.watering, pointsGained: points), plant)
        }
    }

    /// Writes or edits a review (rules 4.4 and 5). nil leaves keywords or memo unchanged.
    ///
    /// - Parameter day: the civil day of the watering; nil means the newest watering.
    /// - Throws: ``CareError/notFound(_:)`` if there is no watering on that day, and what ``Review`` throws.
    public func writeReview(_ plantID: Plant.ID, on day: CivilDay?, keywords: [String]?, memo: String?)
        async throws -> (watering: RecordedWatering, plant: Plant)
    {
        try await review(plantID, on: day) { change throws(CareError) in
            let before = change.watering.review
            let review = try Review(keywords: keywords ?? before?.keywords ?? [], memo: memo ?? before?.memo)
            change.entries = try change.plant.write(
                review, to: &change.watering, earned: change.earned, in: change.context)
        }
    }

    /// Deletes a review; the watering stays (rule 5.3).
    public func deleteReview(_ plantID: Plant.ID, on day: CivilDay) async throws
        -> (watering: RecordedWatering, plant: Plant)
    {
        try await review(plantID, on: day) { change throws(CareError) in
            change.occurrences = try change.plant.deleteReview(
                of: &change.watering, isNewest: change.isNewest, in: change.context)
        }
    }

    /// Declines to review a watering, so that no review push is sent (rule 5.4).
    public func declineReview(_ plantID: Plant.ID, on day: CivilDay) async throws
        -> (watering: RecordedWatering, plant: Plant)
    {
        try await review(plantID, on: day) { change throws(CareError) in
            try change.plant.declineReview(of: &change.watering, in: change.context)
        }
    }

    /// Moves the due date on D-day (rule 6).
    ///
    /// - Parameter factID: the id that the client made (rule 14.3); repeating it changes nothing.
    public func postpone(
        _ plantID: Plant.ID, days: Int, fromDueOn seen: CivilDay? = nil, madeAt: Instant? = nil, factID: UUID? = nil
    ) async throws -> Plant {
        let recorded = Statement(
            "SELECT 1 FROM postponement WHERE lane = $1 AND plant_id = $2 AND fact_id = $3",
            [accountID.lane, plantID, factID])
        return try await command(on: plantID, reading: [recorded]) { command, locked, rows in
            guard rows[2].isEmpty else { return locked.before }
            let (postponement, occurrences) = try locked.plant.postpone(
                days: days, fromDueOn: seen, madeAt: madeAt, for: locked.account, in: locked.context)
            let row = Statement(
                """
                INSERT INTO postponement (lane, plant_id, number, postponed_at, from_due_on, days, due_on, fact_id)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                """,
                [
                    command.lane, plantID, postponement.number, command.now, postponement.fromDueOn,
                    postponement.days, postponement.dueOn, factID,
                ])
            command.note([.friend(plantID)], of: accountID)
            command.finish(
                [PlantRow.update(locked.plant), row]
                    + PlantRow.notePause(of: locked.plant, lane: command.lane, at: command.now), planning: occurrences)
            return locked.plant
        }
    }

    /// A watering whose review is being changed, and the result.
    private struct ReviewChange {
        var plant: Plant
        var watering: Watering
        let earned: Set<AffectionReason>
        let isNewest: Bool
        let context: CommandContext
        var entries: [AffectionEntry] = []
        var occurrences: [Occurrence] = []
    }

    private func review(
        _ plantID: Plant.ID, on day: CivilDay?, _ change: (inout ReviewChange) throws(CareError) -> Void
    ) async throws -> (watering: RecordedWatering, plant: Plant) {
        // The requested watering, or the plant's newest.
        let order: SQL = "$3::date IS NULL OR watered_on = $3 DESC, watered_on DESC, number DESC LIMIT 1"
        let chosen = Statement(
            """
            SELECT \(WateringRow.columns), row_number() OVER newest = 1
            FROM watering WHERE lane = $1 AND plant_id = $2
            WINDOW newest AS (ORDER BY watered_on DESC, number DESC)
            ORDER BY \(order)
            """, [accountID.lane, plantID, day])
        let ledger = Statement(
            """
            SELECT reason, points FROM affection_entry WHERE lane = $1 AND plant_id = $2 AND watering_number = (
                SELECT number FROM watering WHERE lane = $1 AND plant_id = $2 ORDER BY \(order))
            """, [accountID.lane, plantID, day])
        // Its key is only known once the watering is.
        let edited = Statement(
            """
            SELECT parts, made_at FROM edited_item
            WHERE lane = $1 AND account_id = $4 AND kind = 'watering' AND id = $2 AND number = (
                SELECT number FROM watering WHERE lane = $1 AND plant_id = $2 ORDER BY \(order))
            """, [accountID.lane, plantID, day, accountID])
        return try await command(on: plantID, reading: [chosen, ledger, edited]) { command, locked, rows in
            guard var reader = rows[2].first?.reader else { throw CareError.notFound(.watering) }
            let watering = try WateringRow.decode(&reader, of: (plantID, command.lane))
            if let day, watering.wateredOn != day { throw CareError.notFound(.watering) }
            var earned: [AffectionReason: Int] = [:]
            for row in rows[3] {
                var reader = row.reader
                earned[try reader.next(label: AffectionReason.self)] = try AffectionRow.points(&reader)
            }
            let item = ChangedItem.watering(plantID, number: watering.number)
            var changed = ReviewChange(
                plant: locked.plant, watering: watering, earned: Set(earned.keys), isNewest: try reader.next(),
                context: locked.context)
            try change(&changed)
            var editOrder = try editOrder(rows[4], at: command.now)
            guard editOrder.wins("review") else {
                let points = earned.values.reduce(0, +)
                return (RecordedWatering(plantID: plantID, watering: watering, pointsGained: points), locked.before)
            }
            command.note([.friend(plantID), item], of: accountID)
            command.finish(
                EditedItemRow.write(editOrder, of: item, in: accountID) + [
                    PlantRow.update(changed.plant),
                    WateringRow.updateReview(changed.watering, plant: plantID, lane: command.lane),
                ] + command.ledger(changed.entries, plant: plantID), planning: changed.occurrences)
            let points = earned.values.reduce(0, +) + changed.entries.reduce(0) { $0 + $1.points }
            return (
                RecordedWatering(plantID: plantID, watering: changed.watering, pointsGained: points), changed.plant
            )
        }
    }
}

extension LaneCommand {
    /// Returns the statements that add entries to the ledger.
    func ledger(_ entries: [AffectionEntry], plant: Plant.ID) -> [Statement] {
        entries.map { AffectionRow.insert($0, plant: plant, lane: lane, at: now) }
    }
}

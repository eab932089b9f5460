import CherishCore
import Foundation
import Postgres

/// The rows of `thing`.
enum ThingRow {
    /// The columns to SELECT for ``decode(_:)``.
    static let columns: SQL = "\(table.list.names), created_at"

    private static let table = ThingColumns()

    /// How many things a statement of ``updates(_:of:)`` changes; see ``PlantRow/mostUpdated``.
    private static let mostUpdated = PlantRow.mostUpdated

    static func decode(_ row: Row) throws -> Thing {
        var reader = row.reader
        return try reader.reading("thing", key: { key(of: row) }) { try table.decode(&$0) }
    }

    private static func key(of row: Row) -> [UnreadableRow.KeyPart] {
        var reader = row.reader
        guard let id = try? reader.read(table.id), let owner = try? reader.read(table.accountID) else { return [] }
        return [.lane(owner.lane), .id(id)]
    }

    static func read(_ id: Thing.ID, of account: Account.ID) -> Statement {
        Statement(
            "SELECT \(columns) FROM thing WHERE lane = $1 AND id = $2 AND account_id = $3", [account.lane, id, account])
    }

    /// Reads a thing of an account and locks it until the transaction ends.
    static func locked(_ id: Thing.ID, of account: Account.ID) -> Statement {
        let read = read(id, of: account)
        return Statement("\(read.sql) FOR UPDATE", read.parameters)
    }

    static func insert(_ thing: Thing) -> Statement { table.list.insert(thing, createdAt: thing.createdAt) }

    /// Updates all mutable columns.
    static func update(_ thing: Thing) -> Statement { table.list.update(thing) }

    /// Updates all mutable columns of some things of one account, in few statements.
    static func updates(_ things: [Thing], of account: Account.ID) -> [Statement] {
        let things = things.sorted { $0.id < $1.id }
        return stride(from: 0, to: things.count, by: mostUpdated).map { start in
            table.list.update(
                things[start..<min(start + mostUpdated, things.count)],
                where: "thing.lane = $1 AND thing.account_id = $2", [account.lane, account])
        }
    }
}

/// The columns of `thing`, in the order of reading and writing.
private struct ThingColumns: Sendable {
    let list: TableColumns<Thing>
    let id: Column<Thing.ID>
    let accountID: Column<Account.ID>
    private let kind: Column<Thing.Kind>
    private let title: Column<String>
    private let note, category, orderNumber, chosenAlerts: Column<String?>
    private let isFavourite, pushesEnabled: Column<Bool>
    private let dueOn, seriesStart: Column<CivilDay>
    private let boughtOn, recurrenceUntil, doneOn: Column<CivilDay?>
    private let dueMinute, recurrenceEvery: Column<Int16?>
    private let storeID: Column<Store.ID?>
    private let repetition: Column<AlertRepetition>
    private let recurrenceUnit: Column<Recurrence.Unit?>
    private let recurrenceBase: Column<Recurrence.Base?>
    private let completionCount: Column<Int32>
    private let doneAt: Column<Instant?>
    private let doneAs: Column<ThingCompletion.Outcome?>
    private let alertRef, reachedAlertRef: Column<Int32?>
    private let alertAt, alertExpiresAt, reachedAlertAt, reachedAlertExpiresAt: Column<Instant?>
    private let alertWallMinute, reachedAlertWallMinute: Column<Int32?>
    private let version: Column<Int>
    private let modifiedAt: Column<Instant>

    init() {
        var list = TableColumns<Thing>("thing", lane: \.accountID.lane)
        id = list.key("id") { $0.id }
        accountID = list.owner("account_id") { $0.accountID }
        kind = list.label("kind", of: "thing_kind", isFixed: true) { $0.kind }
        title = list.column("title") { $0.title.description }
        note = list.column("note") { $0.note?.description }
        isFavourite = list.column("is_favourite") { $0.isFavourite }
        dueOn = list.column("due_on") { $0.due.day }
        dueMinute = list.column("due_minute") { $0.due.time.map { Int16($0.minuteOfDay) } }
        category = list.column("category") { $0.category?.description }
        boughtOn = list.column("bought_on") { $0.boughtOn }
        storeID = list.column("store_id") { $0.storeID }
        orderNumber = list.column("order_number") { $0.orderNumber?.description }
        chosenAlerts = list.column("chosen_alerts") { $0.chosenAlerts?.map(\.description).joined(separator: " ") }
        repetition = list.label("repetition", of: "alert_repetition") { $0.repetition }
        pushesEnabled = list.column("pushes_enabled") { $0.pushesEnabled }
        recurrenceEvery = list.column("recurrence_every") { $0.recurrence.map { Int16($0.every) } }
        recurrenceUnit = list.label("recurrence_unit", of: "recurrence_unit") { $0.recurrence?.unit }
        recurrenceBase = list.label("recurrence_base", of: "recurrence_base") { $0.recurrence?.base }
        recurrenceUntil = list.column("recurrence_until") { $0.recurrence?.until }
        seriesStart = list.column("series_start") { $0.seriesStart }
        completionCount = list.column("completion_count") { Int32($0.completionCount) }
        doneOn = list.column("done_on") { $0.end?.completedOn }
        doneAt = list.column("done_at") { $0.end?.recordedAt }
        doneAs = list.label("done_as", of: "completion_outcome") { $0.end?.outcome }
        alertRef = list.column("alert_ref") { $0.plans.next.map { Int32($0.planned.ref) } }
        alertAt = list.column("alert_at") { $0.plans.next?.planned.at }
        alertExpiresAt = list.column("alert_expires_at") { $0.plans.next?.expiresAt }
        alertWallMinute = list.column("alert_wall_minute") { $0.plans.next?.wallMinute.map { Int32($0) } }
        reachedAlertRef = list.column("reached_alert_ref") { $0.plans.reached.map { Int32($0.planned.ref) } }
        reachedAlertAt = list.column("reached_alert_at") { $0.plans.reached?.planned.at }
        reachedAlertExpiresAt = list.column("reached_alert_expires_at") { $0.plans.reached?.expiresAt }
        reachedAlertWallMinute = list.column("reached_alert_wall_minute") {
            $0.plans.reached?.wallMinute.map { Int32($0) }
        }
        version = list.column("version") { $0.version }
        modifiedAt = list.column("modified_at") { $0.modifiedAt }
        self.list = list
    }

    func decode(_ row: inout RowReader) throws -> Thing {
        let time = try row.read(dueMinute).map { try TimeOfDay(stored: $0) }
        let completionCount = try Int(row.read(completionCount))
            .within(0...RowLimit.count.upperBound, orHolds: "an impossible count of completions")
        let plans = ThingPlans(
            next: try ThingPlans.Alert(
                ref: row.read(alertRef), at: row.read(alertAt), expiresAt: row.read(alertExpiresAt),
                wallMinute: row.read(alertWallMinute)),
            reached: try ThingPlans.Alert(
                ref: row.read(reachedAlertRef), at: row.read(reachedAlertAt),
                expiresAt: row.read(reachedAlertExpiresAt), wallMinute: row.read(reachedAlertWallMinute)))
        return Thing(
            id: try row.read(id), accountID: try row.read(accountID), kind: try row.read(kind),
            createdAt: try row.read(list.createdAt), title: ThingTitle(stored: try row.read(title)),
            note: try row.read(note).map { ThingNote(stored: $0) }, isFavourite: try row.read(isFavourite),
            due: ThingDue(day: try row.read(dueOn), time: time),
            category: try row.read(category).map { FoodCategory(stored: $0) }, boughtOn: try row.read(boughtOn),
            storeID: try row.read(storeID), orderNumber: try row.read(orderNumber).map { OrderNumber(stored: $0) },
            chosenAlerts: try alerts(&row), repetition: try row.read(repetition),
            pushesEnabled: try row.read(pushesEnabled), recurrence: try recurrence(&row),
            seriesStart: try row.read(seriesStart), completionCount: completionCount, end: try end(&row), plans: plans,
            version: try row.read(version), modifiedAt: try row.read(modifiedAt))
    }

    private func alerts(_ row: inout RowReader) throws -> [ThingAlert]? {
        try row.read(chosenAlerts)?.split(separator: " ").map { text throws(ThingError) in try ThingAlert(text) }
    }

    private func recurrence(_ row: inout RowReader) throws -> Recurrence? {
        let until = try row.read(recurrenceUntil)
        guard let every = try row.read(recurrenceEvery), let unit = try row.read(recurrenceUnit),
            let base = try row.read(recurrenceBase)
        else { return nil }
        return try Recurrence(every: Int(every), unit, from: base, until: until)
    }

    private func end(_ row: inout RowReader) throws -> Thing.End? {
        let outcome = try row.read(doneAs)
        guard let day = try row.read(doneOn), let recordedAt = try row.read(doneAt) else { return nil }
        return Thing.End(completedOn: day, recordedAt: recordedAt, outcome: outcome)
    }
}

extension ThingPlans.Alert {
    /// A pointer as its columns hold it; nil unless all are there.
    init?(ref: Int32?, at: Instant?, expiresAt: Instant?, wallMinute: Int32?) {
        guard let ref, let at, let expiresAt else { return nil }
        self.init(
            planned: PlannedMoment(ref: Int(ref), at: at), expiresAt: expiresAt, wallMinute: wallMinute.map { Int($0) })
    }
}

extension TimeOfDay {
    /// - Throws: ``UnreadableRow`` for a minute outside the day.
    init(stored minute: Int16) throws {
        guard let time = TimeOfDay(minuteOfDay: Int(minute)) else {
            throw UnreadableRow(what: "a time outside the day")
        }
        self = time
    }
}

/// The rows of `thing_completion`.
enum CompletionRow {
    static let columns: SQL = "number, completed_on, recorded_at, outcome, due_on, next_due_on, series_start"

    static func decode(_ reader: inout RowReader, of thing: Thing.ID, _ account: Account.ID) throws -> ThingCompletion {
        var number: Int?
        let key = { () -> [UnreadableRow.KeyPart] in
            [.lane(account.lane), .id(account, column: "account_id"), .id(thing, column: "thing_id")]
                + (number.map { [.number($0)] } ?? [])
        }
        return try reader.reading("thing_completion", key: key) { reader in
            let known = try reader.next(Int.self).within(
                RowLimit.count, orHolds: "an impossible number of a completion")
            number = known
            let (completedOn, recordedAt) = (try reader.next(CivilDay.self), try reader.next(Instant.self))
            let outcome = try reader.next(String?.self).map { text in
                guard let outcome = ThingCompletion.Outcome(rawValue: text) else {
                    throw UnreadableRow(what: "an unknown way to complete food")
                }
                return outcome
            }
            return ThingCompletion(
                number: known, completedOn: completedOn, recordedAt: recordedAt, outcome: outcome,
                dueOn: try reader.next(), nextDueOn: try reader.next(), seriesStart: try reader.next())
        }
    }

    /// Selects the newest completion that was not undone.
    static func newest(of thing: Thing.ID, _ account: Account.ID) -> Statement {
        Statement(
            """
            SELECT \(columns) FROM thing_completion
            WHERE lane = $1 AND account_id = $2 AND thing_id = $3 AND undone_at IS NULL ORDER BY number DESC LIMIT 1
            """, [account.lane, account, thing])
    }

    /// - Parameter factID: the id that the client made (rule 14.3); nil without one.
    static func insert(_ completion: ThingCompletion, of thing: Thing, factID: UUID?) -> Statement {
        Statement(
            """
            INSERT INTO thing_completion (lane, thing_id, account_id, \(columns), fact_id)
            VALUES ($1, $2, $3, $4, $5, $6, $7::completion_outcome, $8, $9, $10, $11)
            """,
            [
                thing.accountID.lane, thing.id, thing.accountID, completion.number, completion.completedOn,
                completion.recordedAt, completion.outcome?.rawValue, completion.dueOn, completion.nextDueOn,
                completion.seriesStart, factID,
            ])
    }

    static func undo(_ number: Int, of thing: Thing, at now: Instant) -> Statement {
        Statement(
            """
            UPDATE thing_completion SET undone_at = $5
            WHERE lane = $1 AND account_id = $2 AND thing_id = $3 AND number = $4
            """, [thing.accountID.lane, thing.accountID, thing.id, number, now])
    }
}

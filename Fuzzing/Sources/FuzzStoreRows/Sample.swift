import CherishCore
import Foundation
import SystemTimeZones

@testable import CherishStore
@testable import Postgres

/// The context of a row: an account with all pushes on, a plant of that account, and now.
enum Sample {
    /// 2 March 2027, 10:00 in Seoul.
    static let now = Instant(secondsSinceEpoch: 1_803_949_200)
    static let zones = SystemTimeZones()
    static let context = CommandContext(now: now, zone: zones.rulesOrUTC("Asia/Seoul"), calendarCursor: now)

    static let registration: Registration = {
        do {
            return Registration(
                name: try ContactName("김하나"), phone: try PhoneNumber(e164: "+821012345678"),
                nickname: try Nickname("하나"), birthday: try Birthday("02-29"), cycle: try Cycle(days: 7))
        } catch {
            fatalError("\(error)")
        }
    }()

    static let account: Account = {
        do {
            return Account(
                id: Account.ID(id), email: try EmailAddress("minji@example.com"), nickname: try Nickname("민지"),
                phone: nil, timeZone: "Asia/Seoul", language: .korean,
                switches: NotificationSwitches(watering: true, review: true, birthday: true, withered: true))
        } catch {
            fatalError("\(error)")
        }
    }()

    static let id = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
    static let plant = Plant.register(registration, id: Plant.ID(id), for: account, in: context).plant
}

extension Sample {
    /// The account with its plant and some history.
    static func history(
        waterings: [Watering] = [], postponements: [ExportedPostponement] = [], dueDateChanges: [DueDateChange] = [],
        ledger: [ExportedAffection] = [], pushes: [ExportedPush] = []
    ) -> AccountExport {
        let plant = PlantHistory(
            plant: plant, createdAt: now, waterings: waterings, postponements: postponements,
            dueDateChanges: dueDateChanges, ledger: ledger)
        return AccountExport(account: account, createdAt: now, plants: [plant], pushes: pushes)
    }

    /// The context of a job: the account that its row names has all pushes on.
    static func context(of account: Account.ID) throws -> BatchContext {
        let switches = [Field](repeating: Field.of(true), count: 4)
        guard let rows = Rows.twice([Field.of(account), Field.of("Asia/Seoul"), Field.of("ko")] + switches) else {
            return BatchContext()
        }
        return BatchContext(accounts: try AccountCandidate.decode(rows, zones: zones))
    }

    /// The group that a group member's row names, if the row is readable up to there; other rows are skipped.
    static func states(_ row: Row) -> [PushGroup: PushCandidate.State] {
        var reader = row.reader
        guard let occurrence = try? Occurrence(&reader, .all), Topic.ofPlants.contains(occurrence.topic) else {
            return [:]
        }
        let group = PushGroup(
            accountID: occurrence.accountID, topic: occurrence.topic, plannedAt: occurrence.at)
        requireShort(group.collapseID)
        return [group: PushCandidate.State(end: nil, isTopicWanted: true, zone: context.zone)]
    }

    /// A report whose columns have all kinds in turn.
    static func report(_ rows: Rows) -> ReportRows {
        let kinds: [ReportColumn.Kind] = [.number, .boolean, .day, .instant, .identifier, .text, .numbers, .texts]
        let columns = rows.columns.indices.map {
            ReportColumn(name: "", type: "", kind: kinds[$0 % kinds.count], explanation: "", markers: [])
        }
        return ReportRows(report: ReportDescription(name: "", explanation: "", columns: columns), rows: rows)
    }
}

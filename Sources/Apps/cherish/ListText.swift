import CherishCore
import CherishService
import CherishStore

/// Formats shopping lists for a terminal.
enum ListText {
    static func table(_ views: [ShoppingListView]) -> Table {
        Table(
            [
                Table.Column(title: "LIST"), Table.Column(title: "TITLE"), Table.Column(title: "STATE"),
                Table.Column(title: "ENTRIES", isNumber: true), Table.Column(title: "BOUGHT", isNumber: true),
                Table.Column(title: "ENDS"), Table.Column(title: "OTHER"),
            ],
            rows: views.map { view in
                let list = view.list
                return [
                    list.id.short, list.title.description, view.state.rawValue, "\(list.entries.count)",
                    "\(list.entries.count { $0.isBought })", list.expiresAt.map(view.clock.moment) ?? "",
                    (view.ownerNickname ?? view.stored.helper?.nickname)?.description ?? "",
                ]
            })
    }

    static func table(_ lists: [ErrandService.Nearby]) -> Table {
        Table(
            [
                Table.Column(title: "LIST"), Table.Column(title: "OWNER"),
                Table.Column(title: "ENTRIES", isNumber: true), Table.Column(title: "HOURS LEFT", isNumber: true),
                Table.Column(title: "LESS THAN KM", isNumber: true),
            ],
            rows: lists.map { found in
                [
                    found.list.id.short, found.list.ownerNickname.description, "\(found.list.entryCount)",
                    "\(Int(found.now.duration(to: found.list.expiresAt) / .seconds(3600)))",
                    "\(found.list.distance.kilometres)",
                ]
            })
    }

    static func table(_ blocks: [Block]) -> Table {
        Table(
            [Table.Column(title: "BLOCK"), Table.Column(title: "NICKNAME"), Table.Column(title: "SINCE")],
            rows: blocks.map { [$0.id.short, $0.nickname.description, $0.blockedAt.description] })
    }

    static func table(_ document: ListReportsDocument) -> Table {
        Table(
            [
                Table.Column(title: "REPORTED"), Table.Column(title: "LIST"), Table.Column(title: "STATE"),
                Table.Column(title: "TITLE"), Table.Column(title: "OWNER"), Table.Column(title: "BY"),
                Table.Column(title: "REASON"),
            ],
            rows: document.reports.map { report in
                [
                    report.reportedAt, report.listId, report.state.value ?? "deleted", report.title.value ?? "",
                    report.ownerId, report.reporterId, report.reason,
                ]
            })
    }

    static func table(_ document: ListMeasuresDocument) -> Table {
        Table(
            [
                Table.Column(title: "TAKEN"), Table.Column(title: "BY"), Table.Column(title: "ACTION"),
                Table.Column(title: "ACCOUNT"), Table.Column(title: "LIST"), Table.Column(title: "REASON"),
            ],
            rows: document.measures.map { measure in
                [
                    measure.takenAt, measure.takenBy, measure.action, measure.accountId, measure.listId.value ?? "",
                    measure.reason,
                ]
            })
    }

    static func detail(_ view: ShoppingListView) -> String {
        let list = view.list
        var lines = ["🥕 \(list.title)   \(view.state.rawValue)", line("list", list.id.short)]
        if let owner = view.ownerNickname { lines.append(line("owner", owner.description)) }
        if let helper = view.stored.helper, view.role == .owner {
            let mean = helper.ratings.mean.map { ", rated \($0) (\(helper.ratings.count))" } ?? ""
            lines.append(line("helper", "\(helper.nickname)\(mean)"))
        }
        if let expiresAt = list.expiresAt, view.state == .open || view.state == .accepted {
            lines.append(line("ends", view.clock.text(expiresAt)))
        }
        if let note = list.note { lines.append(line("note", note.description)) }
        if let note = list.deliveryNote { lines.append(line("leave it", note.description)) }
        if let rating = list.rating { lines.append(line("rated", "\(rating.points)")) }
        for (index, entry) in list.entries.enumerated() {
            let quantity = entry.quantity.map { ", \($0)" } ?? ""
            lines.append(" \(index + 1). [\(entry.isBought ? "x" : " ")] \(entry.name)\(quantity)")
        }
        return lines.joined(separator: "\n")
    }

    private static func line(_ name: String, _ text: String) -> String {
        "  \(name)\(String(repeating: " ", count: max(1, 10 - name.count)))\(text)"
    }
}

import Foundation
import Testing

/// Values reach the database as parameters. What is put into the text of SQL is listed here, with the reason why it cannot
/// hold what somebody wrote.
@Suite("SQL is never built of values")
struct ParameterTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Expressions, behind the name of their file where others might mean something else by them.
    private static let allowed: [(reason: String, expressions: [String])] = [
        (
            "columns, joins and comparisons that are written in the source",
            [
                "AccountRow.columns", "DeviceRow.columns", "PlantRow.columns", "WateringRow.columns",
                "WateringRow.columns.qualified(by: \"watering\")", "OccurrenceKey.isPlannedAfterCursor",
                "PlantCandidate.columns(for: \"due\")", "PlantCandidate.columns(for: \"job\")",
                "PlantCandidate.joins(to: \"due\")", "PlantCandidate.joins(to: \"job\")",
                "CopyTarget.swift columns", "CopyTarget.swift table", "CopyTarget.swift target.columns",
                "CopyTarget.swift target.table", "Devices.swift columns",
                "Devices.swift columns.qualified(by: \"device\")", "Rows.swift columns",
                "Tags.swift columns", "Imports.swift changeColumns",
                "Archives.swift table.columns.qualified(by: \"event\")",
                "Archives.swift table.order.qualified(by: \"event\")", "PlantHistory.swift table.columns",
                "PlantHistory.swift table.order", "Candidates.swift planned",
                "Migrator.swift Self.mark", "Housekeeping.swift Housekeeping.lock",
            ]
        ),
        (
            "one of some names or clauses that are written in the source",
            [
                "CareStore.swift lock.rawValue", "Rows.swift lock?.rawValue ?? \"\"", "Accounts.swift keys",
                "Accounts.swift name", "Accounts.swift source", "Archives.swift table.name",
                "PlantHistory.swift table.name", "Imports.swift condition",
                "DeliveryLog.swift selection", "ReportFigures.swift scope.condition",
                "ReportFigures.swift scope.view(\"push_outcomes\", ofService: \"service_push_outcomes\")",
                "ReportFigures.swift scope.view(\"review_keywords\", ofService: \"service_review_keywords\")",
                "ReportFigures.swift scope.view(\"watering_daily\", ofService: \"service_watering_daily\")",
                "Housekeeping.swift isPending ? \"FINALIZE\" : \"CONCURRENTLY\"",
                "Reports.swift conditions.isEmpty ? \"\" : \"WHERE \" + conditions.joined(separator: \" AND \")",
            ]
        ),
        (
            "numbers of parameters, and texts made of them",
            [
                "DeliveryLog.swift nowPlace", "Receipt.swift seqs", "Receipt.swift parts.joined(separator: \", \")",
                "Reports.swift parameters.count",
            ]
        ),
        (
            "names from the catalogue, quoted by the server or here; a partition's is a table's with digits",
            [
                "Housekeeping.swift parent", "Housekeeping.swift child", "Housekeeping.swift partition",
                "Reports.swift report.name.quotedIdentifier", "Reports.swift order(of: report)",
                "Reports.swift report.columns.map(\\.expression).joined(separator: \", \")",
                "Notification.swift identifier",
            ]
        ),
        (
            "names of roles, quoted, and what they are granted, which is written in the source",
            [
                "Roles.swift all", "Roles.swift tables", "Roles.swift readers", "Roles.swift role",
                "Roles.swift role.quotedIdentifier", "Roles.swift functions",
                "Roles.swift Roles.countingFunction",
                "Roles.swift Roles.calendarFunction", "Roles.swift $0.name", "Roles.swift $0.privileges",
            ]
        ),
        ("a whole number of a setting, which takes no parameter", ["Transaction.swift milliseconds"]),
        ("for a person to read, not run", ["Roles.swift $0"]),
    ]

    private static let words = [
        "SELECT ", "INSERT INTO", "UPDATE ", "DELETE FROM", "COPY ", "GRANT ", "REVOKE ", "CREATE ", "ALTER ", "DROP ",
        "WHERE ", "FROM ", "LISTEN ", "SET ", "JOIN ", "ORDER BY",
    ]

    /// Each expression that is put into a text that looks like SQL, with the name of its file.
    private func interpolations() throws -> [(file: String, expression: String)] {
        var found: [(file: String, expression: String)] = []
        for module in ["CherishStore", "Postgres"] {
            let folder = Self.root.appendingPathComponent("Sources/\(module)")
            let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            for file in files where file.pathExtension == "swift" {
                let literals = SwiftLiterals(of: try String(contentsOf: file, encoding: .utf8)).all
                for literal in literals where Self.words.contains(where: { literal.text.contains($0) }) {
                    found += literal.expressions.map { (file: file.lastPathComponent, expression: $0) }
                }
            }
        }
        return found
    }

    @Test("what is put into the text of SQL is on the list, and nothing is on the list that is not there")
    func listed() throws {
        let allowed = Set(Self.allowed.flatMap(\.expressions))
        var unused = allowed
        let found = try interpolations()
        #expect(found.count > 50)
        for (file, expression) in found {
            // `place` adds a parameter and gives its number.
            if file == "Receipt.swift", expression.hasPrefix("place(") { continue }
            let names = [expression, "\(file) \(expression)"]
            #expect(names.contains { allowed.contains($0) }, "\(file): make \\(\(expression)) a parameter")
            unused.subtract(names)
        }
        #expect(unused.isEmpty)
    }

    @Test("the reader of literals finds what is put in, also where literals lie in one another")
    func reader() {
        let source = #"""
            // "SELECT \(comment)"
            let one = "SELECT \(first) \"\(second(of: "x", 1))\""
            let two = """
                FROM "a" \(third.map { "\($0)" })
                """
            """#
        let found = SwiftLiterals(of: source).all.map(\.expressions)
        #expect(found == [[], ["first", #"second(of: "x", 1)"#], ["$0"], [#"third.map { "\($0)" }"#]])
    }
}

import Foundation
import Testing

/// Values reach the database as parameters. What is put into the text of SQL is listed here, with the reason why it cannot
/// hold what somebody wrote.
@Suite("SQL is never built of values")
struct ParameterTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

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
                "Exports.swift table.columns", "Exports.swift table.order", "Exports.swift ImportRow.changeColumns",
                "PlantHistory.swift table.columns",
                "PlantHistory.swift table.order", "Candidates.swift planned",
                "Candidates.swift days(\"plant.passed_birthday_on\")", "PlantCandidate.days(\"plant.due_on\")",
                "PlantCandidate.days(\"plant.birthday_on\")", "PlantCandidate.days(\"plant.passed_birthday_on\")",
                "Migrator.swift Self.mark", "Openings.swift Self.ours", "Reading.swift Self.isOwn(\"$2\", \"$3\")",
                "Reading.swift plant", "Reading.swift account", "Lookups.swift columns",
            ]
        ),
        (
            "one of some names or clauses that are written in the source",
            [
                "CareStore.swift lock.rawValue", "Rows.swift lock?.rawValue ?? \"\"",
                "Replanning.swift lock?.rawValue ?? \"\"", "Accounts.swift keys",
                "Accounts.swift name", "Accounts.swift source", "Lookups.swift table", "Exports.swift table.name",
                "PlantHistory.swift table.name", "Imports.swift condition",
                "DeliveryLog.swift selection", "ReportFigures.swift scope.condition",
                "ReportFigures.swift scope.view(\"push_outcomes\", ofService: \"service_push_outcomes\")",
                "ReportFigures.swift scope.view(\"review_keywords\", ofService: \"service_review_keywords\")",
                "ReportFigures.swift scope.view(\"watering_daily\", ofService: \"service_watering_daily\")",
                "Transaction.swift isolation.rawValue", "Transaction.swift readOnly ? \"READ ONLY\" : \"READ WRITE\"",
                "Housekeeping.swift isPending ? \"FINALIZE\" : \"CONCURRENTLY\"",
                "Reports.swift conditions.isEmpty ? \"\" : \"WHERE \" + conditions.joined(separator: \" AND \")",
            ]
        ),
        (
            "numbers of parameters, and texts made of them",
            [
                "DeliveryLog.swift nowPlace", "Receipt.swift seqs", "Receipt.swift parts.joined(separator: \", \")",
                "Reports.swift parameters.count", "Exports.swift pageSize",
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
                "Garden.swift role.quotedIdentifier", "Roles.swift readers", "Roles.swift role",
                "Roles.swift role.quotedIdentifier", "Roles.swift rows",
                "Roles.swift changed.joined(separator: \", \")", "Roles.swift functions.joined(separator: \", \")",
                "Roles.swift Roles.types.joined(separator: \", \")", "Roles.swift $0.name",
                "Roles.swift $0.privileges",
            ]
        ),
        (
            "a whole number, or the digits of a UUID, of a setting, which takes no parameter",
            ["Transaction.swift milliseconds", "Garden.swift account"]
        ),
        (
            "for a person to read, not run",
            [
                "Roles.swift $0", "UnreadableRow.swift table", "UnreadableRow.swift column",
                "UnreadableRow.swift condition",
            ]
        ),
        ("a privilege to compare, not run", ["Openings.swift $0"]),
    ]

    /// Texts that are added to others by `+`, behind the name of their file.
    private static let added: [(reason: String, texts: [String])] = [
        ("before conditions that are written in the source", ["Reports.swift WHERE "]),
        (
            "behind BEGIN, with a whole number",
            ["Transaction.swift ; SET LOCAL idle_in_transaction_session_timeout =  "]
        ),
    ]

    /// What is joined to one text, behind the name of its file.
    private static let joined: [(reason: String, expressions: [String])] = [
        ("columns that are written in the source", ["Accounts.swift split(separator: \"\").map { \"\" }"]),
        ("the views of the reports, which are written in files of SQL", ["Migrator.swift Schema.reports.map(\\.sql)"]),
        ("columns of a report, quoted", ["Reports.swift (keys + rest.map { \"\" })"]),
        (
            "names of roles, quoted, and statements of them",
            [
                "Roles.swift let readers = roles.map(\\.quotedIdentifier)", "Roles.swift script(statements",
            ]
        ),
        (
            "a name, quoted here",
            ["Notification.swift channel.split(separator: \"\", omittingEmptySubsequences: false)"]
        ),
        (
            "no SQL that is run: rows, digits of a UUID, lines of a server's message, how a row is repaired",
            [
                "UnreadableRow.swift key.map { \"\" }", "Seeding.swift logs", "Tags.swift rows",
                "Lookups.swift groups", "ConnectionFailure.swift lines",
            ]
        ),
    ]

    private static let words: Set<Substring> = [
        "SELECT", "INSERT", "UPDATE", "DELETE", "COPY", "TRUNCATE", "LOCK", "GRANT", "REVOKE", "CREATE", "ALTER",
        "DROP",
        "BEGIN", "SET", "LISTEN", "UNLISTEN", "NOTIFY", "WITH", "FROM", "JOIN", "WHERE", "AND", "OR", "GROUP", "ORDER",
        "LIMIT", "VALUES", "RETURNING",
    ]

    /// The literals of the store and the client, and what stands around them.
    private func sources() throws -> [(file: String, literals: SwiftLiterals)] {
        var found: [(file: String, literals: SwiftLiterals)] = []
        for module in ["Storage/CherishStore", "Support/Postgres"] {
            let folder = Self.root.appendingPathComponent("Sources/\(module)")
            let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            for file in files where file.pathExtension == "swift" {
                let literals = SwiftLiterals(of: try String(contentsOf: file, encoding: .utf8))
                found.append((file: file.lastPathComponent, literals: literals))
            }
        }
        return found
    }

    private func looksLikeSQL(_ text: String) -> Bool {
        text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.contains { Self.words.contains($0) }
    }

    /// Each literal that looks like SQL, with the name of its file.
    private func statements() throws -> [(file: String, literal: SwiftLiterals.Literal)] {
        var found: [(file: String, literal: SwiftLiterals.Literal)] = []
        for (file, literals) in try sources() {
            for literal in literals.all where looksLikeSQL(literal.text) {
                found.append((file: file, literal: literal))
            }
        }
        return found
    }

    @Test("what is put into the text of SQL is on the list, and nothing is on the list that is not there")
    func listed() throws {
        let allowed = Set(Self.allowed.flatMap(\.expressions))
        var unused = allowed
        var count = 0
        for (file, literal) in try statements() {
            for expression in literal.expressions {
                count += 1
                // `place` adds a parameter and gives its number.
                if file == "Receipt.swift", expression.hasPrefix("place(") { continue }
                let names = [expression, "\(file) \(expression)"]
                #expect(names.contains { allowed.contains($0) }, "\(file): make \\(\(expression)) a parameter")
                unused.subtract(names)
            }
        }
        #expect(count > 50)
        #expect(unused.isEmpty)
    }

    @Test("SQL is not made by adding texts, but for those on the list")
    func additions() throws {
        let found = try statements().filter { $0.literal.isAdded }.map { "\($0.file) \($0.literal.text)" }
        #expect(Set(found) == Set(Self.added.flatMap(\.texts)))
    }

    @Test("what is joined to one text is on the list, and nothing is on the list that is not there")
    func joining() throws {
        let allowed = Self.joined.flatMap(\.expressions)
        var unused = Set(allowed)
        for (file, literals) in try sources() {
            let listed = allowed.filter { $0.hasPrefix("\(file) ") }
            let lines = literals.code.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            // What goes on in the next line is one expression.
            let code = lines.joined(separator: "\n").replacing("\n.", with: ".")
            for line in code.split(separator: "\n") where line.contains(".joined(") {
                let names = listed.filter { line.contains("\($0.dropFirst(file.count + 1)).joined(") }
                #expect(!names.isEmpty, "\(file): list what is joined here, with the reason: \(line)")
                unused.subtract(names)
            }
        }
        #expect(unused.isEmpty)
    }

    @Test("texts are not made in ways in which this test cannot see what is put into them")
    func unseen() throws {
        for (file, literals) in try sources() {
            let raw = literals.all.filter(\.isRaw).map(\.text)
            #expect(raw.isEmpty, "\(file): write these without #")
            for way in [".appending(", ".appendingFormat(", "String(format:", "NSString(", "NSMutableString("] {
                #expect(!literals.code.contains(way), "\(file): \(way)")
            }
        }
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

    @Test("the reader of literals sees what they are added to, which are raw, and the code around them")
    func surroundings() {
        let source = """
            let one = "a" + name  // + "no"
            two += "b"
            let three = [#"c"#, "d"]
            four(name
                + "e")
            """
        let literals = SwiftLiterals(of: source)
        #expect(literals.all.filter(\.isAdded).map(\.text) == ["a", "b", "e"])
        #expect(literals.all.filter(\.isRaw).map(\.text) == ["c"])
        #expect(literals.code.hasPrefix("let one = \"\" + name  \ntwo += \"\"\n"))
    }

    @Test("SQL is known by its words, wherever they stand")
    func wordsOfSQL() {
        for text in ["SELECT", "a SELECT\nb", "DELETE FROM\n\"x\"", "JOIN.x", "x = 1 AND y =  "] {
            #expect(looksLikeSQL(text), "\(text)")
        }
        for text in ["SELECTED", "the worker's name", "RESET_ALL", "SQL_FROM"] {
            #expect(!looksLikeSQL(text), "\(text)")
        }
    }
}

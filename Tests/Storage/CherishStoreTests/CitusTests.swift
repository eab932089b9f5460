import CherishTestSupport
import Foundation
import Testing

/// Where Citus places the rows of each table, according to `sql/citus`.
private struct Placement {
    /// By lane, in the order of distribution.
    let distributed: [String]
    /// Replicated to every node.
    let copied: [String]
    /// Only on the coordinator.
    let local: [String]

    var all: [String] { distributed + copied + local }

    init() throws {
        let distribution = try Self.statements(of: "01_distribute.sql")
        let check = try Self.statements(of: "02_check.sql")
        distributed = distribution.matches(of: #/create_distributed_table\('([a-z_]+)', 'lane'/#).map { String($0.1) }
        copied = distribution.matches(of: #/create_reference_table\('([a-z_]+)'\)/#).map { String($0.1) }
        let kept = check.firstMatch(of: #/kept_local \(name\) AS \(VALUES ([^\n]+)\)\n/#)?.1 ?? ""
        local = kept.matches(of: #/\('([a-z_]+)'\)/#).map { String($0.1) }
    }

    /// A file without its comments.
    private static func statements(of file: String) throws -> String {
        let text = try String(contentsOf: root.appendingPathComponent("sql/citus/\(file)"), encoding: .utf8)
        return text.split(separator: "\n").filter { !$0.hasPrefix("--") }.joined(separator: "\n") + "\n"
    }
}

private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

/// Compares `sql/citus` with the catalogue. `SchemaTests` checks that keys begin with the lane.
@Suite("Moving to Citus", .migratedDatabase, .serialized)
struct CitusTests {
    @Test("every table of the schema is listed once")
    func everyTable() async throws {
        let service = ServiceUnderTest()
        let placement = try Placement()
        let tables = try await service.texts(
            """
            SELECT relname::text FROM pg_class
            WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
            """)
        #expect(placement.all.sorted() == tables.sorted())
    }

    @Test("the distributed tables are those whose primary key begins with the lane")
    func distributed() async throws {
        let service = ServiceUnderTest()
        let placement = try Placement()
        let tables = try await service.texts(
            """
            SELECT class.relname::text FROM pg_class AS class
            JOIN pg_index AS key ON key.indrelid = class.oid AND key.indisprimary
            JOIN pg_attribute AS attribute ON attribute.attrelid = class.oid AND attribute.attnum = key.indkey[0]
            WHERE class.relnamespace = 'public'::regnamespace AND NOT class.relispartition
                AND attribute.attname = 'lane' AND attribute.atttypid = 'smallint'::regtype
            """)
        #expect(placement.distributed.sorted() == tables.sorted())
    }

    @Test("every foreign key stays within a lane")
    func foreignKeys() async throws {
        let service = ServiceUnderTest()
        let astray = try await service.texts(
            """
            SELECT conname::text FROM pg_constraint
            WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND NOT EXISTS (
                SELECT FROM unnest(conkey, confkey) AS pair (own, other)
                JOIN pg_attribute AS own ON own.attrelid = conrelid AND own.attnum = pair.own
                JOIN pg_attribute AS other ON other.attrelid = confrelid AND other.attnum = pair.other
                WHERE own.attname = 'lane' AND other.attname = 'lane')
            """)
        #expect(astray.isEmpty)
    }

    @Test("a referenced table is distributed before the tables that refer to it")
    func order() async throws {
        let service = ServiceUnderTest()
        let distributed = try Placement().distributed
        let keys = try await service.texts(
            """
            SELECT conrelid::regclass || ' ' || confrelid::regclass FROM pg_constraint
            WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND conrelid <> confrelid
            """)
        #expect(keys.count > 8)
        for key in keys {
            let tables = key.split(separator: " ").map { distributed.firstIndex(of: String($0)) }
            let (referring, referred) = (try #require(tables[0], "\(key)"), try #require(tables[1], "\(key)"))
            #expect(referred < referring, "\(key)")
        }
    }
}

/// A statement of the store that reads or writes tables.
private struct StoreStatement {
    let place: String
    let text: String

    /// From all sources of the store: each multi-line string, and each line with a string.
    static func all() throws -> [StoreStatement] {
        let folder = root.appendingPathComponent("Sources/Storage/CherishStore")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        return try paths.sorted().flatMap { path in
            let file = folder.appendingPathComponent(path)
            return literals(in: try String(contentsOf: file, encoding: .utf8), of: file.lastPathComponent)
        }
    }

    private static func literals(in source: String, of file: String) -> [StoreStatement] {
        var found: [StoreStatement] = []
        var block: (start: Int, lines: [Substring])?
        for (number, line) in source.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.contains("\"\"\"") {
                if let ended = block {
                    let text = ended.lines.joined(separator: "\n")
                    found.append(StoreStatement(place: "\(file):\(ended.start)", text: text))
                    block = nil
                } else {
                    block = (number + 1, [])
                }
            } else if block != nil {
                block?.lines.append(line)
            } else if let first = line.firstIndex(of: "\""), let last = line.lastIndex(of: "\""), first < last {
                let text = String(line[line.index(after: first)..<last])
                found.append(StoreStatement(place: "\(file):\(number + 1)", text: text))
            }
        }
        return found
    }

    /// Whether it reads or writes one of these tables, or one whose name is interpolated.
    func touches(_ tables: Set<String>) -> Bool {
        text.matches(of: #/\b(?:FROM|JOIN|INTO|UPDATE|COPY)\s+([a-z_]+|\\\()/#).contains { found in
            found.1 == "\\(" || tables.contains(String(found.1))
        }
    }

    /// Whether a condition binds it to one lane.
    var isOfOneLane: Bool {
        // Unicode's default word boundaries make "account.lane" one word.
        text.contains(#/\blane = \$/#.wordBoundaryKind(.simple))
    }

    /// Whether it gives the lane of each row it adds.
    var saysLaneOfRows: Bool {
        text.contains(#/\b(?:INSERT INTO|COPY)\s+(?:\\\(name: [a-z.]+\)|\S+)\s*\([^)]*\blane\b/#)
    }

    /// Its place and its first words.
    var title: String { "\(place): \(text.split(whereSeparator: \.isWhitespace).prefix(10).joined(separator: " "))" }

    var locksRows: Bool { text.contains(#/\bFOR (?:NO KEY )?(?:UPDATE|(?:KEY )?SHARE)\b/#) }
}

@Suite("The statements of the store")
struct StoreStatementTests {
    /// Files without lane-bound statements, and why that is right.
    private static let files = [
        "Migrator.swift": "brings the whole database to its schema",
        "Roles.swift": "grants on whole tables",
        "Openings.swift": "reads the catalogue",
        "DatabaseInspection.swift": "what a person asks of the whole database; nothing is locked",
        "UnreadableRow.swift": "shows a person how to repair a row",
        "ReportFigures.swift": "reads views, across lanes unless an account is named; nothing is locked",
    ]

    /// Parts of statements that are not bound to a single lane, and why that is right.
    private static let exceptions = [
        "FROM account_email WHERE email =": "the lookup by e-mail, which is outside the lanes",
        "FROM unnest(\\(arrays": "the condition that is filled in names the lane",
        "SELECT count(*) FROM \\(source, at: .rowsOfErasedAccount)": "the source that is filled in names the lane",
        "JOIN push_job USING (lane": "such a source; the lane follows where it is used",
        "\\(AccountRow.columns) FROM account ORDER BY": "the list of all accounts, for operators",
        "SELECT account_id FROM device WHERE id =": "finds whose a device is, which gives its lane",
        "AS wanted (lane, id, account_id, phone)": "a seed's look at known friends of many lanes, without locks",
        "SELECT id FROM account WHERE lane = ANY": "a seed's look at known accounts of many lanes, without locks",
        "lane = ANY ($1) AND id BETWEEN": "an id from its beginning: the lanes that it may be in, without locks",
        "SELECT delivery.lane, coalesce(delivery.leased_until": "which lanes have jobs: one look at all of them",
        "lane.lane, first.at": "which lanes are due: one look at all of them",
        "coalesce(sum(greatest(lane.last_seq::numeric - delivery.cursor_seq, 0))":
            "how far all lanes are behind, for monitoring",
        "FROM lane_delivery AS delivery CROSS JOIN LATERAL": "whether a day of the log is over in all lanes",
        "SELECT lane FROM lane WHERE cursor_at <": "which lanes have not passed a month of the calendar",
        "WITH NO DATA": "the columns of a table, and none of its rows",
        "engine_lock": "what one program does at a time, which is outside the lanes",
        "FROM push_day": "counts of the whole service, which are outside the lanes",
        "FROM account WHERE replan_after IS NOT NULL": "which gardens are not planned again yet: one look at all lanes",
        "database_mark": "what the database is for, which is outside the lanes",
        "SELECT lane FROM lane WHERE cursor_at > coalesce":
            "which calendars are ahead of the clock: one look at all lanes",
    ]

    private func statements() throws -> [StoreStatement] {
        let tables = Set(try Placement().all + ["push"])
        return try StoreStatement.all().filter { statement in
            statement.touches(tables) && Self.files[String(statement.place.prefix { $0 != ":" })] == nil
        }
    }

    @Test("each is bound to one lane, gives the lane of its rows, or is a listed exception")
    func lanes() throws {
        let all = try statements()
        #expect(all.count > 90)
        for statement in all where !statement.isOfOneLane && !statement.saysLaneOfRows {
            let isListed = Self.exceptions.keys.contains { statement.text.contains($0) }
            #expect(isListed, "name a lane, or list it with a reason: \(statement.title)")
        }
    }

    @Test("row locks stay within one lane: Citus refuses to lock rows of several")
    func locks() throws {
        let locking = try statements().filter(\.locksRows)
        #expect(locking.count > 5)
        // The only locked table that exists on the coordinator alone.
        let astray = locking.filter { !$0.isOfOneLane && !$0.text.contains("FROM engine_lock") }.map(\.title)
        #expect(astray.isEmpty, "these lock rows and name no lane: \(astray)")
    }

    @Test("every exception is still needed")
    func exceptions() throws {
        let unbound = try statements().filter { !$0.isOfOneLane && !$0.saysLaneOfRows }
        for words in Self.exceptions.keys {
            #expect(unbound.contains { $0.text.contains(words) }, "no statement says '\(words)' any more")
        }
    }
}

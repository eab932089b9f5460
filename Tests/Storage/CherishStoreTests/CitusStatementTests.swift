import Foundation
import Testing

@testable import CherishStore

// What Citus asks of SQL beyond what PostgreSQL asks, as a cluster of version 13 showed. Tests have no such cluster, so
// these check the sources.

// MARK: - Reading SQL

/// SQL as words and signs: without comments, without what strings hold, and with what is interpolated as ``part``.
private struct SQLText {
    struct Word {
        let text: String
        let line: Int
        /// What is interpolated, as Swift.
        var source = ""
    }

    /// Stands for what is interpolated: a name, a value, or more SQL.
    static let part = "INTERPOLATED"
    /// Stands for a string.
    private static let string = "''"
    /// The first words of statements. Other texts are fragments.
    private static let beginnings: Set<String> = [
        "SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "COPY", "DECLARE", "FETCH", "CREATE", "ALTER", "DROP", "GRANT",
        "REVOKE", "LOCK", "SET", "COMMENT",
    ]

    let words: [Word]

    /// - Parameter line: the number of its first line.
    init(_ text: String, line: Int = 1) {
        words = Self.words(of: Array(text), from: line)
    }

    private init(words: [Word]) {
        self.words = words
    }

    /// Empty before the first word and behind the last.
    subscript(place: Int) -> String { words.indices.contains(place) ? words[place].text : "" }

    var isFragment: Bool { !Self.beginnings.contains(self[0]) }

    /// Its statements. The body of a function belongs to the statement that makes it.
    var statements: [SQLText] {
        var statements: [[Word]] = [[]]
        var isInDollars = false
        // Of the END that ends the body after BEGIN ATOMIC.
        var depth = 0
        for word in words {
            switch word.text {
            case "$$": isInDollars.toggle()
            case "ATOMIC": depth = 1
            case "CASE" where depth > 0: depth += 1
            case "END" where depth > 0: depth -= 1
            default: break
            }
            if word.text == ";" && !isInDollars && depth == 0 {
                statements.append([])
            } else {
                statements[statements.count - 1].append(word)
            }
        }
        return statements.filter { !$0.isEmpty }.map { SQLText(words: $0) }
    }

    /// Whether it reads, changes or deletes rows of one of these relations.
    func reads(_ relations: Set<String>) -> Bool {
        Query.all(in: self).contains { query in query.relations.contains { relations.contains($0.name) } }
    }

    private static func words(of text: [Character], from first: Int) -> [Word] {
        var words: [Word] = []
        var line = first
        var place = 0
        while place < text.count {
            let start = place
            place = end(of: text, from: start)
            let isLong = place > start + 1
            switch text[start] {
            case "'": words.append(Word(text: string, line: line))
            case "\\" where isLong:
                words += interpolated(String(text[start..<place].dropFirst(2).dropLast()), line)
            case "\"" where isLong: words.append(Word(text: String(text[(start + 1)..<(place - 1)]), line: line))
            case "-" where isLong: break
            case let sign where sign.isWhitespace: break
            default: words.append(Word(text: String(text[start..<place]), line: line))
            }
            line += text[start..<place].filter { $0 == "\n" }.count
        }
        return words
    }

    /// Where the word, sign, string, comment, space or interpolation ends that begins at a place.
    private static func end(of text: [Character], from start: Int) -> Int {
        func isWord(_ place: Int) -> Bool {
            guard place < text.count else { return false }
            return text[place].isLetter || text[place].isNumber || text[place] == "_" || text[place] == "$"
        }
        let next: Character = start + 1 < text.count ? text[start + 1] : " "
        var place = start + 1
        switch (text[start], next) {
        case ("-", "-"):
            return text[start...].firstIndex(of: "\n") ?? text.count
        case ("'", _):
            return text[place...].firstIndex(of: "'").map { $0 + 1 } ?? text.count
        case ("\\", "("):
            var depth = 0
            while place < text.count {
                if text[place] == "(" { depth += 1 }
                if text[place] == ")" { depth -= 1 }
                place += 1
                if depth == 0 { break }
            }
            return place
        case ("\"", _):
            // A name in quotation marks is a word. Others part the strings of one line of Swift.
            while isWord(place) { place += 1 }
            let isName = place > start + 1 && place < text.count && text[place] == "\""
            return isName ? place + 1 : start + 1
        default:
            guard isWord(start) else { return place }
            while isWord(place) || place < text.count && text[place] == "." && isWord(place + 1) { place += 1 }
            return place
        }
    }

    private static func interpolated(_ source: String, _ line: Int) -> [Word] {
        // SQL that tests may replace.
        if let sql = source.wholeMatch(of: #/"(.*)", at: \.\w+/#.dotMatchesNewlines())?.1 {
            return words(of: Array(sql), from: line)
        }
        if source.contains("lock.sql") || source.contains("lock?.sql") {
            return ["FOR", "UPDATE"].map { Word(text: $0, line: line) }
        }
        return [Word(text: part, line: line, source: source)]
    }
}

/// A SELECT, INSERT, UPDATE or DELETE, without those in parentheses within it. Those that UNION joins are several.
private struct Query {
    struct Relation {
        let name: String
        /// By what name conditions mean it.
        let alias: String
        let line: Int
    }

    /// What FROM, JOIN, USING and UPDATE name, in order. A subquery is called `(`.
    private(set) var relations: [Relation] = []
    /// The relations whose lane a parameter gives. An empty name stands for the only one.
    private(set) var lanes: Set<String> = []
    /// Where it locks rows, if it does.
    private(set) var lockLine: Int?
    /// Where it asks whether rows exist, if it does.
    private(set) var existsLine: Int?
    let isNested: Bool
    /// Whether UNION joins it with another.
    private(set) var isUnited: Bool
    /// Whether a comma is followed by a relation.
    private var isInFrom = false

    private init(isNested: Bool = false, isUnited: Bool = false) {
        self.isNested = isNested
        self.isUnited = isUnited
    }

    static func all(in text: SQLText) -> [Query] {
        var queries = [Query()]
        // The query of each open parenthesis, and whether it began there.
        var open = [(query: 0, isItsOwn: true)]
        for place in text.words.indices {
            let (current, isItsOwn) = open[open.count - 1]
            switch text[place] {
            case "(":
                let begins = ["SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "VALUES"].contains(text[place + 1])
                if begins { queries.append(Query(isNested: true)) }
                open.append((query: begins ? queries.count - 1 : current, isItsOwn: begins))
            case ")":
                // A fragment may close what it did not open.
                if open.count > 1 { open.removeLast() }
            case "UNION", "EXCEPT", "INTERSECT":
                queries[current].isUnited = true
                queries.append(Query(isNested: queries[current].isNested, isUnited: true))
                open[open.count - 1].query = queries.count - 1
            case ";", "\"":
                queries.append(Query(isNested: queries[current].isNested))
                open[open.count - 1].query = queries.count - 1
            default:
                queries[current].read(text, place, isOutside: isItsOwn)
            }
        }
        return queries
    }

    /// Whether a parameter gives the lane of a relation.
    func namesLane(of relation: Relation) -> Bool {
        lanes.contains(relation.alias) || relations.count == 1 && lanes.contains("")
    }

    /// - Parameter isOutside: whether the word is in no parentheses of an expression.
    private mutating func read(_ text: SQLText, _ place: Int, isOutside: Bool) {
        let (before, word, next) = (text[place - 1], text[place], text[place + 1])
        let line = text.words[place].line
        switch word {
        case "FROM":
            if isOutside && before != "DISTINCT" { add(text, at: place + 1) }
        case "JOIN":
            add(text, at: place + 1)
        case "USING":
            if isOutside && next != "(" { add(text, at: place + 1) }
        case "UPDATE":
            // Otherwise it is a part of a lock or of ON CONFLICT, or a privilege.
            let isStatement = !["FOR", "KEY", "DO"].contains(before)
            if isStatement && !["SET", "OF", "ON", ",", "(", ""].contains(next) { add(text, at: place + 1) }
        case ",":
            if isOutside && isInFrom { add(text, at: place + 1) }
        case "WHERE", "GROUP", "ORDER", "HAVING", "WINDOW", "LIMIT", "OFFSET", "RETURNING", "SET", "SELECT", "VALUES":
            if isOutside { isInFrom = false }
        case "FOR":
            if ["UPDATE", "SHARE", "NO", "KEY"].contains(next) { lockLine = line }
        case "EXISTS":
            if next == "(" { existsLine = line }
        default:
            let isLane = word == "lane" || word.hasSuffix(".lane")
            let behind = next == "AS" ? text[place + 3] : next
            if isLane && next == "=" && text[place + 2].hasPrefix("$") {
                lanes.insert(String(word.dropLast(word == "lane" ? 4 : 5)))
            } else if ["", "\""].contains(before) && !["LEFT", "CROSS"].contains(word) {
                // A table with which a fragment begins follows FROM where the fragment is used.
                if ["JOIN", "WHERE", "LEFT", "CROSS"].contains(behind) { add(text, at: place) }
            }
        }
    }

    private mutating func add(_ text: SQLText, at start: Int) {
        var place = start
        while ["LATERAL", "ONLY"].contains(text[place]) { place += 1 }
        let name = text[place]
        if name.isEmpty { return }
        let last = name.split(separator: ".").last.map { String($0) } ?? name
        let alias = text[place + 1] == "AS" ? text[place + 2] : last
        relations.append(Relation(name: name, alias: alias, line: text.words[place].line))
        isInFrom = true
    }
}

/// A file of SQL.
private struct SQLFile {
    let name: String
    let text: String

    var sql: SQLText { SQLText(text) }
    /// The number of a migration; 0 for others.
    var version: Int { (name.firstMatch(of: #/^V(\d+)__/#)?.1).flatMap { Int($0) } ?? 0 }

    static func migrations() throws -> [SQLFile] { try all(in: "migrations") }
    static func reports() throws -> [SQLFile] { try all(in: "reports") }

    /// In the order of their names.
    private static func all(in folder: String) throws -> [SQLFile] {
        let place = CitusPlacement.root.appendingPathComponent("sql/\(folder)")
        let names = try FileManager.default.contentsOfDirectory(atPath: place.path).filter { $0.hasSuffix(".sql") }
        return try names.sorted().map { name in
            SQLFile(name: name, text: try String(contentsOf: place.appendingPathComponent(name), encoding: .utf8))
        }
    }
}

/// A function or view of the schema.
private struct SchemaObject {
    let file: String
    let name: String
    let isView: Bool
    let hasParameters: Bool
    let sql: SQLText

    var line: Int { sql.words.first?.line ?? 0 }

    /// Whether it is a function in SQL, which is the language where none is named.
    var isSQLFunction: Bool {
        guard let place = sql.words.firstIndex(where: { $0.text == "LANGUAGE" }) else { return !isView }
        return !isView && sql[place + 1] == "sql"
    }

    /// What there is once all files have run: the newest definition of each.
    static func newest(in files: [SQLFile]) -> [SchemaObject] {
        var objects: [String: SchemaObject] = [:]
        for file in files {
            for statement in file.sql.statements {
                var place = 0
                while ["CREATE", "OR", "REPLACE", "DROP"].contains(statement[place]) { place += 1 }
                guard place > 0, ["FUNCTION", "VIEW"].contains(statement[place]) else { continue }
                let isView = statement[place] == "VIEW"
                place += 1
                while ["IF", "EXISTS"].contains(statement[place]) { place += 1 }
                let name = statement[place]
                objects[name] = nil
                if statement[0] == "DROP" { continue }
                let hasParameters = !isView && statement[place + 1] == "(" && statement[place + 2] != ")"
                objects[name] = SchemaObject(
                    file: file.name, name: name, isView: isView, hasParameters: hasParameters, sql: statement)
            }
        }
        return objects.values.sorted { ($0.file, $0.line) < ($1.file, $1.line) }
    }

    /// Adds the views that read some relations, directly or through other views.
    static func readers(of relations: Set<String>, among objects: [SchemaObject]) -> Set<String> {
        var known = relations
        while true {
            let more = objects.filter { $0.isView && !known.contains($0.name) && $0.sql.reads(known) }
            if more.isEmpty { return known }
            known.formUnion(more.map(\.name))
        }
    }
}

/// A statement of the store that reads or writes tables, or a fragment of one.
private struct StoreStatement {
    let file: String
    /// The number of its first line.
    let line: Int
    let text: String
    let sql: SQLText

    private init(file: String, line: Int, text: String) {
        self.file = file
        self.line = line
        self.text = text
        sql = SQLText(text, line: line)
    }

    /// From all sources of the store: each multi-line string, and each line with a string.
    static func all() throws -> [StoreStatement] {
        let folder = CitusPlacement.root.appendingPathComponent("Sources/Storage/CherishStore")
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
                    found.append(StoreStatement(file: file, line: ended.start, text: text))
                    block = nil
                } else {
                    block = (number + 2, [])
                }
            } else if block != nil {
                block?.lines.append(line)
            } else if let first = line.firstIndex(of: "\""), let last = line.lastIndex(of: "\""), first < last {
                let text = String(line[line.index(after: first)..<last])
                found.append(StoreStatement(file: file, line: number + 1, text: text))
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
    var title: String {
        "\(file):\(line): \(text.split(whereSeparator: \.isWhitespace).prefix(10).joined(separator: " "))"
    }

    /// Also where the lock is interpolated.
    var locksRows: Bool { Query.all(in: sql).contains { $0.lockLine != nil } }
}

// MARK: - Lanes

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
        "StoreCatalogue.swift": "the catalogue of stores, of which every node has a copy",
        "StoreImport.swift": "the catalogue of stores, of which every node has a copy",
    ]

    /// Parts of statements that are not bound to a single lane, and why that is right.
    private static let exceptions = [
        "FROM account_email WHERE email =": "the lookup by e-mail, which is outside the lanes",
        "FROM unnest(\\(arrays": "the condition that is filled in names the lane",
        "\\(AccountRow.columns) FROM account ORDER BY": "the list of all accounts, for operators",
        "SELECT account_id FROM account_session WHERE id =": "finds whose a session is, which gives its lane",
        "SELECT account_id FROM device WHERE id =": "finds whose a device is, which gives its lane",
        "SELECT id FROM account WHERE lane = ANY": "a seed's look at known accounts of many lanes, without locks",
        "lane = ANY ($1) AND id BETWEEN": "an id from its beginning: the lanes that it may be in, without locks",
        "SELECT delivery.lane, coalesce(delivery.leased_until": "which lanes have jobs: one look at all of them",
        "lane.lane, first.at": "which lanes are due: one look at all of them",
        "coalesce(sum(greatest(lane.last_seq::numeric - delivery.cursor_seq, 0))":
            "how far all lanes are behind, for monitoring",
        "FROM lane_delivery AS delivery CROSS JOIN LATERAL": "whether a day of the log is over in all lanes",
        "SELECT lane FROM lane WHERE cursor_at <": "which lanes have not passed a month of the calendar",
        "DELETE FROM verification_code WHERE sent_at": "old codes, which are outside the lanes",
        "DELETE FROM throttle WHERE measured_at": "old attempts, which are outside the lanes",
        "DELETE FROM idempotent_request WHERE started_at": "what all lanes need no longer; nothing waits for it",
        "DELETE FROM account_session WHERE used_at": "what all lanes need no longer; nothing waits for it",
        "DELETE FROM account_change USING": "what all lanes need no longer; nothing waits for it",
        "DELETE FROM edited_item WHERE newest_at": "what all lanes need no longer; nothing waits for it",
        "DELETE FROM tombstone WHERE deleted_at": "what all lanes need no longer; nothing waits for it",
        "UPDATE shopping_list SET latitude = NULL": "what all lanes need no longer; nothing waits for it",
        "DELETE FROM helped_list WHERE claimed_at": "what all lanes need no longer; nothing waits for it",
        "DELETE FROM list_receipt WHERE attached_at": "what all lanes need no longer; nothing waits for it",
        "UPDATE shopping_list SET helper_id = NULL": "what all lanes need no longer; nothing waits for it",
        "SELECT cause, began_at, CASE WHEN bool_and": "the outages of all lanes, for operators",
        "SELECT 1 FROM outage WHERE excused_at IS NULL": "whether a provider has an outage in any lane",
        "DELETE FROM outage WHERE cause": "the end of a provider's outage in all lanes",
        "UPDATE outage SET ended_at": "the end of a provider's outage in all lanes",
        "SELECT outage.lane, cause, began_at, ended_at": "in which lanes there is something to excuse",
        "FROM list_news": "what programs left untold in all lanes",
        "FROM list_report": "what people told the operator, in all lanes",
        "FROM list_measure": "what operators did, in all lanes",
        "FROM postcode": "the catalogue of postcodes, which is outside the lanes",
        "COPY postcode": "the catalogue of postcodes, which is outside the lanes",
        "erase_account($1, $2, $3, $4)": "a function whose statements name the lane that it is given",
        "WITH NO DATA": "the columns of a table, and none of its rows",
        "engine_lock": "what one program does at a time, which is outside the lanes",
        "FROM push_day": "counts of the whole service, which are outside the lanes",
        "FROM account WHERE replan_after IS NOT NULL": "which gardens are not planned again yet: one look at all lanes",
        "database_mark": "what the database is for, which is outside the lanes",
        "SELECT lane FROM lane WHERE cursor_at > coalesce":
            "which calendars are ahead of the clock: one look at all lanes",
    ]

    /// Parts of statements about one lane with a table that does not name it, and why that is right.
    private static let unnamed = [
        "FROM (SELECT push.*, push.planned_at AS at FROM \\(pushSource) AS push) AS planned":
            "PushSource names the lane of each of its tables; the view that replaces it is not for Citus"
    ]

    private func statements() throws -> [StoreStatement] {
        let tables = Set(try CitusPlacement().all + ["push"])
        return try StoreStatement.all().filter { $0.touches(tables) && Self.files[$0.file] == nil }
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

    @Test("every table of a statement about one lane names the lane itself")
    func everyLane() throws {
        let tables = Set(try CitusPlacement().distributed + ["push", SQLText.part])
        for statement in try statements() where !Self.unnamed.keys.contains(where: { statement.text.contains($0) }) {
            for relation in CitusRule.tablesWithoutLane(statement.sql, among: tables) {
                let (place, name) = ("\(statement.file):\(relation.line)", relation.alias)
                Issue.record("\(place): add \(name).lane = $1; equal to the lane of another table is not enough")
            }
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
        let tables = Set(try CitusPlacement().distributed + ["push", SQLText.part])
        let unnamed = try statements().filter { !CitusRule.tablesWithoutLane($0.sql, among: tables).isEmpty }
        for words in Self.unnamed.keys {
            #expect(unnamed.contains { $0.text.contains(words) }, "no statement needs '\(words)' any more")
        }
    }
}

// MARK: - Rules

/// What else Citus asks of SQL. Each function returns what breaks one rule.
private enum CitusRule {
    /// The tables of a statement about one lane, or of a fragment, whose lane no parameter gives. Citus finds the shard
    /// of each table by itself, and not always from a join.
    static func tablesWithoutLane(_ text: SQLText, among tables: Set<String>) -> [Query.Relation] {
        let queries = Query.all(in: text)
        guard text.isFragment || queries.contains(where: { !$0.lanes.isEmpty }) else { return [] }
        return queries.flatMap { query in
            query.relations.filter { tables.contains($0.name) && !query.namesLane(of: $0) }
        }
    }

    /// The calls of volatile functions, in a text that writes to one of these tables.
    static func volatileCalls(_ text: SQLText, writingTo tables: Set<String>) -> [SQLText.Word] {
        let isWriting = text.words.indices.contains { place in
            switch (text[place], text[place + 1]) {
            case ("INSERT", "INTO"), ("DELETE", "FROM"): tables.contains(text[place + 2])
            case ("UPDATE", let name): text[place - 1] != "FOR" && tables.contains(name)
            default: false
            }
        }
        guard isWriting else { return [] }
        let functions = ["clock_timestamp", "random", "gen_random_uuid", "set_config"]
        return text.words.indices.filter { functions.contains(text[$0]) && text[$0 + 1] == "(" }.map { text.words[$0] }
    }

    /// Whether rows are inserted into one of these tables that are selected from none of them. Citus copies such rows to
    /// their shard and commits in two phases; what is selected from a table of the lane stays on its node.
    static func insertsFromNowhere(_ text: SQLText, tables: Set<String>) -> Bool {
        let isInserting = text.words.indices.contains { place in
            text[place] == "INSERT" && text[place + 1] == "INTO" && tables.contains(text[place + 2])
        }
        guard isInserting, text.words.contains(where: { $0.text == "SELECT" }) else { return false }
        return !Query.all(in: text).contains { query in query.relations.contains { tables.contains($0.name) } }
    }

    /// The lines of empty select lists, in a text that reads one of these relations.
    static func emptySelects(_ text: SQLText, of relations: Set<String>) -> [Int] {
        guard text.reads(relations) else { return [] }
        return text.words.indices.filter { text[$0] == "SELECT" && text[$0 + 1] == "FROM" }.map { text.words[$0].line }
    }

    /// The lines of EXISTS in subqueries without FROM.
    static func existsWithoutFrom(_ text: SQLText) -> [Int] {
        Query.all(in: text).filter { $0.isNested && $0.relations.isEmpty }.compactMap(\.existsLine)
    }

    /// Whether UNION joins what one of these relations holds with a SELECT without FROM.
    static func unitesWithoutFrom(_ text: SQLText, _ relations: Set<String>) -> Bool {
        text.reads(relations) && Query.all(in: text).contains { $0.isUnited && $0.relations.isEmpty }
    }

    /// The functions in SQL with parameters that read one of these relations.
    static func sqlFunctions(_ objects: [SchemaObject], reading relations: Set<String>) -> [SchemaObject] {
        objects.filter { $0.isSQLFunction && $0.hasParameters && $0.sql.reads(relations) }
    }

    /// The output columns with the name of an input column that ORDER BY names with its table. Citus writes the name
    /// alone to its nodes, and there it means the output column.
    static func mistakableColumns(_ text: SQLText) -> [String] {
        func last(_ name: String) -> String { name.split(separator: ".").last.map { String($0) } ?? name }
        let words = outside(text)
        let isOfTables = Query.all(in: text).contains { query in
            query.relations.contains { !$0.name.hasPrefix("pg_") }
        }
        guard isOfTables, let select = words.firstIndex(where: { $0.text == "SELECT" }),
            let from = words.firstIndex(where: { $0.text == "FROM" }),
            let order = words.lastIndex(where: { $0.text == "ORDER" }), select < from, from < order
        else { return [] }
        let keys = words[order...].map(\.text).prefix { !["LIMIT", "OFFSET", "FOR"].contains($0) }
            .filter { $0.contains(".") || $0 == SQLText.part }
        let columns = words[(select + 1)..<from].split(whereSeparator: { $0.text == "," })
        return columns.compactMap { column -> String? in
            guard let first = column.first else { return nil }
            if column.count == 1 && first.text == SQLText.part {
                // Columns that are interpolated, beside an interpolated order: each needs a name of its own.
                let areNamed = first.source.contains(#/ AS [a-z]+_\\\(/#)
                return keys.contains(SQLText.part) && !areNamed ? first.source : nil
            }
            let alias = column.firstIndex { $0.text == "AS" }.flatMap { column[($0 + 1)...].first?.text }
            let name = alias ?? last(first.text)
            let isItself = column.count == 1
            return keys.contains { last($0) == name && !(isItself && first.text == $0) } ? name : nil
        }
    }

    /// The words in no parentheses.
    private static func outside(_ text: SQLText) -> [SQLText.Word] {
        var words: [SQLText.Word] = []
        var depth = 0
        for word in text.words {
            if word.text == ")" { depth -= 1 }
            if depth == 0 { words.append(word) }
            if word.text == "(" { depth += 1 }
        }
        return words
    }

    /// The lines of ALTER TABLE on which a further step begins.
    static func furtherSteps(_ text: SQLText) -> [Int] {
        var lines: [Int] = []
        var isAltering = false
        var depth = 0
        for (place, word) in text.words.enumerated() {
            switch word.text {
            case "ALTER" where text[place + 1] == "TABLE": (isAltering, depth) = (true, 0)
            case ";", "$$": isAltering = false
            case "(": depth += 1
            case ")": depth -= 1
            case "," where isAltering && depth == 0: lines.append(word.line)
            default: break
            }
        }
        return lines
    }

    /// The statements, also those in strings, that grant or revoke privileges on columns.
    static func columnGrants(_ text: String) -> [String] {
        let lines = text.split(separator: "\n").filter { !$0.trimmingPrefix(while: \.isWhitespace).hasPrefix("--") }
        let grant = #/\b(?:GRANT|REVOKE)\b[^;]*?\b(?:SELECT|INSERT|UPDATE|REFERENCES)\s*\([^;]*/#
        return lines.joined(separator: "\n").matches(of: grant.wordBoundaryKind(.simple)).map { String($0.0) }
    }

    /// Whether a list of privileges has one on columns.
    static func isOnColumns(_ privileges: String) -> Bool {
        privileges.contains(#/(?:SELECT|INSERT|UPDATE|REFERENCES) \(/#)
    }

    /// The lines of locks in queries that read more than one table.
    static func joinedLocks(_ text: SQLText) -> [Int] {
        Query.all(in: text).filter { $0.relations.count > 1 || $0.relations.first?.name == "(" }.compactMap(\.lockLine)
    }
}

@Suite("What Citus asks of SQL")
struct CitusRuleTests {
    /// Functions and views with empty select lists, and why that is right.
    private static let emptySelects = [
        "garden.": "no role may use the schema garden on Citus (Roles.grant)"
    ]

    /// Parts of Roles.swift with privileges on columns, and why that is right.
    private static let columnPrivileges = [
        "UPDATE (account_id)": "Roles.tables(onCitus:) leaves the columns out",
        "UPDATE (\\(changed": "no role may use the schema garden on Citus (Roles.grant)",
    ]

    private func objects() throws -> [SchemaObject] {
        let objects = SchemaObject.newest(in: try SQLFile.migrations() + SQLFile.reports())
        #expect(objects.count > 60)
        return objects
    }

    /// The distributed tables, and the views that read them.
    private func distributed(_ objects: [SchemaObject]) throws -> Set<String> {
        SchemaObject.readers(of: Set(try CitusPlacement().distributed), among: objects)
    }

    @Test("nothing that is written to a distributed table comes from a volatile function")
    func volatileFunctions() throws {
        let placement = try CitusPlacement()
        let tables = Set(placement.distributed + placement.copied + [SQLText.part])
        for statement in try StoreStatement.all() {
            for call in CitusRule.volatileCalls(statement.sql, writingTo: tables) {
                Issue.record(
                    "\(statement.file):\(call.line): bind what \(call.text) returns, or say statement_timestamp()")
            }
        }
    }

    @Test("rows from arrays are inserted beside the lane's row, so that Citus inserts them on its node")
    func inserts() throws {
        let tables = Set(try CitusPlacement().distributed)
        for statement in try StoreStatement.all() where CitusRule.insertsFromNowhere(statement.sql, tables: tables) {
            Issue.record("say SELECT lane.lane … FROM lane, unnest(…) WHERE lane.lane = $1: \(statement.title)")
        }
    }

    @Test("no select list of distributed tables is empty")
    func emptySelects() throws {
        let objects = try objects()
        let relations = try distributed(objects)
        for statement in try StoreStatement.all() {
            for line in CitusRule.emptySelects(statement.sql, of: relations.union([SQLText.part])) {
                Issue.record("\(statement.file):\(line): say SELECT 1 FROM")
            }
        }
        for object in objects where !Self.emptySelects.keys.contains(where: { object.name.hasPrefix($0) }) {
            for line in CitusRule.emptySelects(object.sql, of: relations) {
                Issue.record("\(object.file):\(line): say SELECT 1 FROM in a newer \(object.name)")
            }
        }
        for name in Self.emptySelects.keys {
            let isNeeded = objects.contains {
                $0.name.hasPrefix(name) && !CitusRule.emptySelects($0.sql, of: relations).isEmpty
            }
            #expect(isNeeded, "the exception \(name) is not needed any more")
        }
    }

    @Test("every subquery that asks whether rows exist has a FROM, and so has every part of a UNION")
    func subqueries() throws {
        let objects = try objects()
        let relations = try distributed(objects)
        let remedy = "say LEFT JOIN LATERAL (SELECT 1 ... LIMIT 1) ... ON true, and ask for IS NOT NULL"
        for statement in try StoreStatement.all() {
            for line in CitusRule.existsWithoutFrom(statement.sql) {
                Issue.record("\(statement.file):\(line): \(remedy)")
            }
            let isUnited = CitusRule.unitesWithoutFrom(statement.sql, relations)
            #expect(!isUnited, "join instead of a UNION with a SELECT without FROM: \(statement.title)")
        }
        for object in objects {
            for line in CitusRule.existsWithoutFrom(object.sql) {
                Issue.record("\(object.file):\(line): \(remedy), in a newer \(object.name)")
            }
            let isUnited = CitusRule.unitesWithoutFrom(object.sql, relations)
            #expect(!isUnited, "\(object.file):\(object.line): join instead of a UNION with a SELECT without FROM")
        }
    }

    @Test("functions with parameters that read distributed tables are PL/pgSQL")
    func functions() throws {
        let objects = try objects()
        for function in CitusRule.sqlFunctions(objects, reading: try distributed(objects)) {
            Issue.record("\(function.file):\(function.line): write \(function.name) anew, in PL/pgSQL")
        }
    }

    @Test("no output column of a report has the name of an input column that it is sorted by")
    func reportColumns() throws {
        let statements = try StoreStatement.all().filter { ["Reports.swift", "ReportFigures.swift"].contains($0.file) }
        #expect(statements.contains { $0.text.contains("ORDER BY \\(order(of: report))") })
        for statement in statements {
            for column in CitusRule.mistakableColumns(statement.sql) {
                Issue.record("give \(column) another name with AS: \(statement.title)")
            }
        }
    }

    @Test("migrations from the third on are single steps")
    func migrations() throws {
        let placement = try CitusPlacement()
        let tables = Set(placement.distributed + placement.copied)
        let migrations = try SQLFile.migrations()
        #expect(migrations.contains { $0.version > 2 })
        for migration in migrations where migration.version > 2 {
            for line in CitusRule.furtherSteps(migration.sql) {
                Issue.record("\(migration.name):\(line): write an ALTER TABLE of its own for each step")
            }
            for statement in migration.sql.statements {
                for call in CitusRule.volatileCalls(statement, writingTo: tables) {
                    Issue.record("\(migration.name):\(call.line): say now() instead of \(call.text), or a constant")
                }
            }
        }
    }

    @Test("no privilege is on columns, which Citus cannot grant")
    func privileges() throws {
        for migration in try SQLFile.migrations() {
            for grant in CitusRule.columnGrants(migration.text) {
                Issue.record("\(migration.name): grant on the whole table instead: \(grant.prefix(80))")
            }
        }
        for (table, privileges) in Roles.tables(onCitus: true) {
            #expect(!CitusRule.isOnColumns(privileges), "grant on the whole table \(table) instead: \(privileges)")
        }
        let onColumns = try StoreStatement.all().filter {
            $0.file == "Roles.swift" && CitusRule.isOnColumns($0.text)
        }
        for statement in onColumns {
            let isListed = Self.columnPrivileges.keys.contains { statement.text.contains($0) }
            #expect(isListed, "grant on the whole table instead: \(statement.title)")
        }
        for words in Self.columnPrivileges.keys {
            #expect(onColumns.contains { $0.text.contains(words) }, "Roles.swift says '\(words)' no more")
        }
    }

    @Test("what locks rows reads one table")
    func locks() throws {
        let remedy = "read FROM the locked table alone, and say EXISTS (SELECT 1 FROM ...) about the others"
        for statement in try StoreStatement.all() {
            for line in CitusRule.joinedLocks(statement.sql) { Issue.record("\(statement.file):\(line): \(remedy)") }
        }
        for object in try objects() {
            for line in CitusRule.joinedLocks(object.sql) { Issue.record("\(object.file):\(line): \(remedy)") }
        }
    }
}

// MARK: - Samples

/// Each rule finds what breaks it, and nothing else.
@Suite("The rules about SQL for Citus")
struct CitusRuleSampleTests {
    private let tables: Set<String> = ["plant", "account", "push_job", "push_retry", "watering", "lane", SQLText.part]

    @Test("SQL is read without comments, strings and what is interpolated")
    func words() {
        let text = SQLText(
            #"""
            SELECT "C", at::text -- FROM one
            FROM \("plant AS p", at: .removal) WHERE \(isOwn("$2", "$3")) AND name <> 'FROM two' \(lock?.sql ?? "")
            """#, line: 7)
        let words = [
            "SELECT", "C", ",", "at", ":", ":", "text", "FROM", "plant", "AS", "p", "WHERE", SQLText.part, "AND",
            "name", "<", ">", "''", "FOR", "UPDATE",
        ]
        #expect(text.words.map(\.text) == words)
        #expect(text.words.first?.line == 7)
        #expect(text.words.last?.line == 8)
        #expect(SQLText(#"\("#).words.count == 1)
        #expect(SQLText("'open").words.count == 1)
    }

    @Test("a table without a lane of its own")
    func lanes() {
        let breaking = [
            "SELECT 1 FROM push_job AS job LEFT JOIN plant ON plant.lane = job.lane WHERE job.lane = $1",
            "SELECT 1 FROM watering WHERE lane = $1 AND (SELECT true FROM plant WHERE plant.lane = watering.lane)",
            "SELECT 1 FROM plant, account WHERE lane = $1",
            "UPDATE push_retry SET attempts = 0 FROM push_job AS job WHERE push_retry.lane = $1 AND job.seq = 1",
            "DELETE FROM push_retry USING push_job AS job WHERE push_retry.lane = $1 AND job.lane = push_retry.lane",
            "SELECT id FROM plant WHERE lane = $1 UNION SELECT id FROM account",
            "LEFT JOIN plant ON plant.lane = planned.lane",
            "push_retry JOIN push_job USING (lane, recorded_at, seq)",
            "plant AS one LEFT JOIN account ON account.lane = $1",
            #"SELECT 1 FROM lane JOIN \(table) AS planned ON planned.lane = lane.lane WHERE lane.lane = $1"#,
            #"SELECT 1 FROM lane WHERE lane = $1 AND EXISTS (SELECT 1 FROM plant AS planned WHERE \(isLater))"#,
        ]
        for sql in breaking { #expect(!CitusRule.tablesWithoutLane(SQLText(sql), among: tables).isEmpty, "\(sql)") }
        let keeping = [
            "SELECT 1 FROM push_job AS job LEFT JOIN plant ON plant.lane = $1 WHERE job.lane = $1",
            "SELECT 1 FROM watering WHERE lane = $1 AND EXISTS (SELECT 1 FROM plant WHERE lane = $1 AND id = $2)",
            "SELECT 1 FROM unnest($2::uuid[]) AS wanted (id) JOIN plant ON plant.lane = $1 AND plant.id = wanted.id",
            "LEFT JOIN plant ON plant.lane = $1 AND plant.id = planned.subject_id",
            "account WHERE lane = $1 AND id = ANY ($2)",
            "held AS (INSERT INTO push_retry (lane, seq) SELECT lane, seq FROM held, unnest($2) AS one (seq))",
            "SELECT 1 FROM lane JOIN push_job ON push_job.lane = lane.lane",
            "SELECT extract(epoch FROM plant) FROM plant WHERE lane = $1",
            "UPDATE plant SET name = $2 WHERE lane = $1 AND name IS DISTINCT FROM $2",
            #"UPDATE \(table) SET name = $2 WHERE \("lane = $1 AND id = $3", at: .erasedAccount)"#,
            "SELECT 1 FROM account_email WHERE lane = $1",
        ]
        for sql in keeping { #expect(CitusRule.tablesWithoutLane(SQLText(sql), among: tables).isEmpty, "\(sql)") }
    }

    @Test("rows that are inserted from arrays alone")
    func insertsFromArrays() {
        func isBroken(_ sql: String) -> Bool { CitusRule.insertsFromNowhere(SQLText(sql), tables: tables) }
        #expect(isBroken("INSERT INTO plant (lane, id) SELECT $1, id FROM unnest($2) AS added (id)"))
        #expect(!isBroken("INSERT INTO plant (lane, id) SELECT lane, id FROM lane, unnest($2) WHERE lane.lane = $1"))
        #expect(!isBroken("INSERT INTO plant (lane, id) VALUES ($1, $2)"))
        #expect(!isBroken("INSERT INTO account_email (email) SELECT email FROM unnest($2) AS added (email)"))
    }

    @Test("a volatile function in what is written")
    func volatileFunctions() {
        let breaking = [
            "UPDATE push_retry SET retry_at = clock_timestamp() WHERE lane = $1",
            "INSERT INTO plant (lane, id) VALUES ($1, gen_random_uuid())",
            "DELETE FROM plant WHERE lane = $1 AND random() < 0.5",
            "WITH kept AS (UPDATE plant SET name = set_config('a', 'b', true)) SELECT 1",
            #"UPDATE \(table) SET at = clock_timestamp()"#,
        ]
        for sql in breaking { #expect(CitusRule.volatileCalls(SQLText(sql), writingTo: tables).count == 1, "\(sql)") }
        let keeping = [
            "UPDATE push_retry SET retry_at = statement_timestamp() WHERE retry_at < now()",
            "SELECT clock_timestamp() FROM lane WHERE lane = $1 FOR UPDATE",
            "UPDATE engine_lock SET held_until = clock_timestamp()",
            "UPDATE plant SET name = 'clock_timestamp()'",
        ]
        for sql in keeping { #expect(CitusRule.volatileCalls(SQLText(sql), writingTo: tables).isEmpty, "\(sql)") }
    }

    @Test("an empty select list")
    func emptySelects() {
        let breaking = [
            "SELECT count(*) FROM (SELECT FROM plant LIMIT $2) AS counted",
            "SELECT 1 FROM plant WHERE EXISTS (SELECT\n    FROM unnest($1) AS one)",
        ]
        for sql in breaking { #expect(CitusRule.emptySelects(SQLText(sql), of: tables).count == 1, "\(sql)") }
        let keeping = [
            "SELECT count(*) FROM (SELECT 1 FROM plant LIMIT $2) AS counted",
            "SELECT EXISTS (SELECT FROM pg_class)",
            "SELECT 'SELECT FROM' FROM plant",
        ]
        for sql in keeping { #expect(CitusRule.emptySelects(SQLText(sql), of: tables).isEmpty, "\(sql)") }
    }

    @Test("a subquery without FROM")
    func subqueries() {
        let asking = [
            "SELECT 1 FROM lane CROSS JOIN LATERAL (SELECT EXISTS (SELECT 1 FROM push_retry)) AS retry (is_due)",
            "SELECT 1 FROM lane, LATERAL (SELECT NOT EXISTS (SELECT 1 FROM push_retry) AS is_done) AS retry",
        ]
        for sql in asking { #expect(CitusRule.existsWithoutFrom(SQLText(sql)) == [1], "\(sql)") }
        let keeping = [
            "SELECT 1 FROM lane LEFT JOIN LATERAL (SELECT 1 AS is_due FROM push_retry LIMIT 1) AS retry ON true",
            "SELECT EXISTS (SELECT 1 FROM push_retry WHERE lane = $1)",
            "SELECT 1 FROM lane WHERE (lane = 1 OR EXISTS (SELECT 1 FROM push_retry))",
            "SELECT (SELECT 1 FROM plant WHERE EXISTS (SELECT 1 FROM watering))",
        ]
        for sql in keeping { #expect(CitusRule.existsWithoutFrom(SQLText(sql)).isEmpty, "\(sql)") }
        let uniting = [
            "SELECT 1 FROM lane CROSS JOIN LATERAL (SELECT kept.sum UNION ALL SELECT sum FROM plant) AS summary",
            "SELECT id FROM plant UNION SELECT NULL",
        ]
        for sql in uniting { #expect(CitusRule.unitesWithoutFrom(SQLText(sql), tables), "\(sql)") }
        let separate = ["SELECT id FROM plant UNION SELECT id FROM account", "SELECT 1 UNION SELECT 2"]
        for sql in separate { #expect(!CitusRule.unitesWithoutFrom(SQLText(sql), tables), "\(sql)") }
    }

    @Test("a function in SQL with parameters over tables")
    func functions() {
        func found(_ files: String...) -> [String] {
            let files = files.enumerated().map { SQLFile(name: "V000\($0.offset + 1)__sample.sql", text: $0.element) }
            let objects = SchemaObject.newest(in: files)
            let relations = SchemaObject.readers(of: tables, among: objects)
            return CitusRule.sqlFunctions(objects, reading: relations).map(\.name)
        }
        let sql = "CREATE FUNCTION sum(day date) RETURNS bigint LANGUAGE sql AS $$ SELECT count(*) FROM plant; $$;"
        let procedural = """
            CREATE OR REPLACE FUNCTION sum(day date) RETURNS bigint LANGUAGE plpgsql AS $$
            BEGIN RETURN (SELECT count(*) FROM plant); END
            $$;
            """
        #expect(found(sql) == ["sum"])
        #expect(found("CREATE FUNCTION sum(day date) RETURNS bigint RETURN (SELECT count(*) FROM plant);") == ["sum"])
        let atomic = """
            CREATE FUNCTION sum(day date) RETURNS bigint
            BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT count(*) FROM plant; END;
            CREATE FUNCTION other() RETURNS bigint RETURN 1;
            """
        #expect(found(atomic) == ["sum"])
        let ofViews = """
            CREATE VIEW one AS SELECT * FROM plant; CREATE VIEW two AS SELECT * FROM one;
            CREATE FUNCTION sum(day date) RETURNS bigint RETURN (SELECT count(*) FROM two);
            """
        #expect(found(ofViews) == ["sum"])
        #expect(found(procedural, sql) == ["sum"])
        #expect(found(sql, procedural).isEmpty)
        #expect(found(sql, "DROP FUNCTION IF EXISTS sum(date);").isEmpty)
        #expect(found(sql, "DROP FUNCTION sum(date);", procedural).isEmpty)
        #expect(found("CREATE FUNCTION sum() RETURNS bigint RETURN (SELECT count(*) FROM plant);").isEmpty)
        #expect(found("CREATE FUNCTION sum(day date) RETURNS bigint RETURN delete_plants(day);").isEmpty)
    }

    @Test("an output column that ORDER BY means by mistake")
    func reportColumns() {
        let breaking = [
            "SELECT days_left::text FROM report.dday AS shown ORDER BY shown.days_left",
            "SELECT upper(name) AS name, shown.day FROM report.one AS shown ORDER BY shown.day, shown.name LIMIT 1",
            "SELECT other.day FROM report.one AS shown, report.two AS other ORDER BY shown.day",
            #"SELECT \(columns.map(\.expression)) FROM report.\(name: name) ORDER BY \(order)"#,
        ]
        for sql in breaking { #expect(CitusRule.mistakableColumns(SQLText(sql)).count == 1, "\(sql)") }
        let keeping = [
            "SELECT days_left::text AS output_0 FROM report.dday AS shown ORDER BY shown.days_left",
            "SELECT shown.day FROM report.one AS shown ORDER BY shown.day",
            "SELECT species::text, count(*) FROM report.dday GROUP BY species ORDER BY species",
            "SELECT class.relname::text FROM pg_class AS class ORDER BY class.relname",
            #"SELECT \(columns.map { "\($1) AS output_\($0)" }) FROM report.\(name: name) ORDER BY \(order)"#,
        ]
        for sql in keeping { #expect(CitusRule.mistakableColumns(SQLText(sql)).isEmpty, "\(sql)") }
    }

    @Test("an ALTER TABLE of several steps")
    func steps() {
        let breaking = [
            "ALTER TABLE plant ADD COLUMN mood text, ADD CONSTRAINT plant_mood CHECK (mood <> '');",
            "DO $$ BEGIN ALTER TABLE plant DROP COLUMN name, DROP COLUMN phone; END $$;",
        ]
        for sql in breaking { #expect(CitusRule.furtherSteps(SQLText(sql)) == [1], "\(sql)") }
        let keeping = [
            "ALTER TABLE plant ADD COLUMN mood numeric(3, 1); SELECT 1, 2;",
            "ALTER TABLE plant ADD CONSTRAINT plant_mood CHECK (mood IN ('a', 'b')) NOT VALID;",
            "COMMENT ON COLUMN plant.mood IS 'ALTER TABLE plant, plant';",
        ]
        for sql in keeping { #expect(CitusRule.furtherSteps(SQLText(sql)).isEmpty, "\(sql)") }
        #expect(SQLFile(name: "V0012__what_it_brings.sql", text: "").version == 12)
        #expect(SQLFile(name: "10_dday.sql", text: "").version == 0)
    }

    @Test("a privilege on columns")
    func privileges() {
        let breaking = [
            "GRANT SELECT, UPDATE (name) ON plant TO cherish_app;",
            "REVOKE INSERT (lane, id), DELETE ON plant FROM cherish_app;",
            "DO $$ BEGIN EXECUTE 'GRANT SELECT(name) ON plant TO PUBLIC'; END $$;",
        ]
        for sql in breaking { #expect(CitusRule.columnGrants(sql).count == 1, "\(sql)") }
        let keeping = [
            "GRANT SELECT, UPDATE ON plant TO cherish_app; SELECT (1);",
            "REVOKE EXECUTE ON FUNCTION delete_plants(smallint, uuid, uuid[]) FROM PUBLIC;",
            "-- GRANT UPDATE (name) is refused.\nSELECT 1;",
        ]
        for sql in keeping { #expect(CitusRule.columnGrants(sql).isEmpty, "\(sql)") }
        #expect(CitusRule.isOnColumns("SELECT, UPDATE (account_id)"))
        #expect(CitusRule.isOnColumns(#"\(rows), UPDATE (\(changed.joined(separator: ", ")))"#))
        #expect(!CitusRule.isOnColumns("SELECT, INSERT, UPDATE, DELETE"))
    }

    @Test("a lock on rows of a join")
    func locks() {
        let breaking = [
            "SELECT 1 FROM held JOIN account ON account.lane = held.lane WHERE account.lane = $1 FOR KEY SHARE",
            "SELECT 1 FROM plant, account WHERE plant.lane = $1 FOR NO KEY UPDATE",
            "SELECT 1 FROM (SELECT * FROM plant WHERE lane = $1) AS plant FOR UPDATE",
            "living AS (SELECT 1 FROM account JOIN plant ON true FOR SHARE)",
            #"SELECT 1 FROM account JOIN plant ON true \(lock.sql)"#,
        ]
        for sql in breaking { #expect(CitusRule.joinedLocks(SQLText(sql)) == [1], "\(sql)") }
        let keeping = [
            "SELECT 1 FROM account WHERE account.lane = $1 AND EXISTS (SELECT 1 FROM held) FOR KEY SHARE",
            "SELECT 1 FROM account JOIN plant ON true",
            "INSERT INTO plant SELECT 1 FROM held, account ON CONFLICT (lane, id) DO UPDATE SET name = excluded.name",
            "account_id = $2 AND id = $3 FOR UPDATE",
            "SELECT 1 FROM plant WHERE lane = $1 FOR UPDATE; SELECT 1 FROM account",
        ]
        for sql in keeping { #expect(CitusRule.joinedLocks(SQLText(sql)).isEmpty, "\(sql)") }
    }
}

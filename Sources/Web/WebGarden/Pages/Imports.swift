import AddressBook
import CherishCore
import CherishHTTP
import CherishService
import DocumentEncoding
import Foundation
import HTMLMarkup
import HTTPTypes

/// Importing an address book: first a table of who is in it, to correct, then the friends; and undoing it (rule 1.10).
///
/// The server keeps no file in between: the table is a form that holds all there is to import.
enum ImportPage {
    static let pages = [
        GardenPage("/me/imports", shows: content),
        GardenPage("/me/imports/chosen", shows: again, does: plant),
        GardenPage("/me/imports/{import}/undo", does: undo),
    ]

    /// More people than these are not shown, and have to be imported afterwards.
    static let mostRows = 500
    /// In days, for contacts without a cycle.
    fileprivate static let usualCycle = 14

    /// Reads the file that somebody sends.
    static let upload = Route(
        page: "/me/imports", access: .session, form: .upload(types: ["multipart/form-data"], mostBytes: 100 << 20)
    ) { ask in
        let visit = try await PageVisit(ask)
        do {
            return Frame.reply(try await table(visit), visit)
        } catch {
            let (problem, _) = Problem.of(error, in: visit.words.language)
            guard problem.status < 500 else { throw error }
            var again = visit
            again.problem = problem
            return Frame.reply(try await content(again), again, status: HTTPResponse.Status(code: problem.status))
        }
    }

    private static func content(_ visit: PageVisit) async throws -> PageContent {
        let words = visit.words
        let imports = try await visit.ask.garden().imports()
        var content = PageContent(
            words("연락처 가져오기", "Import contacts"), kind: "imports", tab: .me,
            back: PageContent.Back(path: "/me", words: words("나", "Me")),
            main: """
                <h1>\(words("연락처 가져오기", "Import contacts"))</h1>
                <p>\(words("심기 전에 누가 있는지 먼저 보여 드려요.", "You see who is in it before anything is planted."))</p>
                <form method="post" action="/me/imports" enctype="multipart/form-data" data-once data-import>
                <button type="button" data-pick-contacts hidden>\(Picture.icon("person"))\
                \(words("연락처에서 고르기", "Choose from contacts"))</button>
                <div class="field">
                <label for="file">\(words("주소록", "Address book"))</label>
                <p class="hint" id="file-hint">\(words(
                    "vCard(.vcf)나 표(.csv), 100MB까지예요. 이름, 전화번호, 생일, 태그만 읽어요.",
                    "vCard (.vcf) or a table (.csv), up to 100 MB. Only names, phones, birthdays and tags are read."))</p>
                <input id="file" type="file" accept=".vcf,.csv,.jsonl,text/vcard,text/csv" required name="file" \
                aria-describedby="file-hint">
                </div>
                \(FormFields.buttons(FormFields.submit(words("누가 있는지 보기", "Look who is in it"))))</form>
                \(imports.isEmpty ? "" : list(imports, visit))
                """)
        content.notice = notice(visit)
        return content
    }

    private static func notice(_ visit: PageVisit) -> Markup? {
        let words = visit.words
        let refusedCount = visit.query("refused").flatMap { Int($0) } ?? 0
        let refused: Markup =
            refusedCount > 0
            ? """
            <p>\(words(
                "\(refusedCount)명은 읽을 수 없어 심지 못했어요.",
                "\(words.count(refusedCount, "contact", "contacts")) could not be read, and \(refusedCount == 1 ? "is" : "are") not planted."))</p>
            """ : ""
        if let id = visit.query("done").flatMap({ UUID(uuidString: $0) }),
            let count = visit.query("count").flatMap({ Int($0) })
        {
            let undo = FormFields(visit: visit).form(
                "/me/imports/\(id.uuidString.lowercased())/undo", "<button>\(words("되돌리기", "Undo"))</button>")
            return """
                <p>\(words("\(count)명을 심었어요.", count == 1 ? "1 friend is planted." : "\(count) friends are planted.")) \
                <a href="\(visit.gardenPath)">\(words("정원으로", "To the garden"))</a></p>
                \(refused)\(undo)
                """
        }
        switch visit.query("done") {
        case "nothing": return "<p>\(words("새로 심을 사람이 없었어요.", "There was nobody new to plant."))</p>\(refused)"
        case "undone": return "<p>\(words("가져온 것을 되돌렸어요.", "The import has been undone."))</p>"
        default: return nil
        }
    }

    private static func list(_ imports: [ImportBatch], _ visit: PageVisit) -> Markup {
        let words = visit.words
        let rows = imports.map { batch -> Markup in
            let friends = words(
                "\(batch.changes.count)명", batch.changes.count == 1 ? "1 friend" : "\(batch.changes.count) friends")
            let undo: Markup =
                batch.undoneAt == nil
                ? FormFields(visit: visit).form(
                    "/me/imports/\(batch.id.description)/undo",
                    "<button>\(words("되돌리기", "Undo"))<span class=\"heard\"> \(batch.fileName)</span></button>")
                : ""
            let undone = batch.undoneAt == nil ? "" : words(", 되돌림", ", undone")
            return """
                <li><div><span class="label"><bdi>\(batch.fileName)</bdi> <span class="muted">\(friends)\(undone)</span></span>
                \(undo)</div></li>

                """
        }
        return """
            <section aria-labelledby="before-title">
            <h2 id="before-title">\(words("지금까지 가져온 것", "Imports so far"))</h2>
            <ul class="links">
            \(rows)</ul>
            </section>
            """
    }

    private static func undo(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        _ = try await visit.ask.garden().undoImport(try visit.ask.id("import", of: .importBatch))
        return .page("/me/imports?done=undone")
    }
}

// MARK: - The table

extension ImportPage {
    private static func table(_ visit: PageVisit) async throws -> PageContent {
        guard let file = visit.ask.upload else { throw RefusedRequest.brokenForm }
        var wanted = ContactImport(ImportOptions(cycle: try Cycle(days: usualCycle)))
        wanted.isDryRun = true
        let garden = try await visit.ask.garden()
        let report = try await visit.ask.services.uploads.read {
            try await garden.importContacts(from: file.source, wanted)
        }
        guard !report.rows.isEmpty else { throw PageProblem.unreadableCard }
        // Beyond what is shown, whoever is planted already makes room for the others.
        let open = report.rows.count > mostRows ? report.rows.filter { !$0.isPlanted } : report.rows
        return table(
            open.prefix(mostRows).map { ImportRow($0, fate: fate($0, visit.words)) }, of: report.rows.count,
            more: max(0, open.count - mostRows), fileName: file.name, visit)
    }

    /// The table as it was sent, with what was corrected.
    private static func again(_ visit: PageVisit) throws -> PageContent {
        let rows = (0..<mostRows).compactMap { ImportRow(visit.form, number: $0) }
        return table(rows, of: rows.count, more: 0, fileName: visit.form["fileName"] ?? "", visit)
    }

    private static func table(
        _ rows: [ImportRow], of count: Int, more: Int, fileName: String, _ visit: PageVisit
    ) -> PageContent {
        let words = visit.words
        let name = fileName.isEmpty ? words("파일", "the file") : fileName
        let rest: Markup =
            more > 0
            ? """
            <p class="notice careful">\(words(
                "처음 \(mostRows)명이에요. 남은 \(more)명은 이 사람들을 심은 뒤 같은 파일로 다시 가져올 수 있어요.",
                """
                These are the first \(mostRows). The other \(more) can be imported from the same file once these are planted \
                or removed from it.
                """))</p>

            """ : ""
        return PageContent(
            words("연락처 가져오기", "Import contacts"), kind: "imports", tab: .me,
            back: PageContent.Back(path: "/me/imports", words: words("가져오기", "Import")),
            main: """
                <h1>\(words("\(name)에 있는 \(count)명", "\(words.count(count, "person", "people")) in \(name)"))</h1>
                \(rest)\(FormFields(visit: visit).form("/me/imports/chosen", """
                    \(FormFields.hidden("fileName", fileName))<table class="table">
                    <caption>\(words(
                        "원하지 않는 사람은 체크를 풀고, 틀린 것은 고쳐 주세요.",
                        "Untick whom you do not want, and correct what is wrong."))</caption>
                    <thead><tr><th scope="col">\(words("사람", "Person"))</th>\
                    <th scope="col">\(words("결과", "What happens"))</th></tr></thead>
                    <tbody>
                    \(rows.enumerated().map { $1.markup(number: $0, words) })</tbody>
                    </table>
                    <div class="buttons">\(FormFields.submit(words("가져오기", "Import")))
                    <a class="button" href="/me/imports">\(words("취소", "Cancel"))</a></div>

                    """))
                """)
    }

    /// What happens to a contact: a class of styles, words, and whether it is worth importing.
    private static func fate(_ contact: ImportedContact, _ words: Words) -> (
        kind: String, words: String, isTicked: Bool
    ) {
        switch contact.result {
        case .success(.planted): ("planted", words("✓ 심어요", "✓ Plant"), true)
        case .success(.updated(_, let isRenamed, _)):
            (
                "renamed",
                isRenamed ? words("✓ 이름을 고쳐요", "✓ Correct the name") : words("✓ 채워 넣어요", "✓ Add what was unknown"),
                true
            )
        case .success(.restored): ("planted", words("✓ 다시 데려와요", "✓ Bring back"), true)
        case .success(.unchanged): ("unchanged", words("이미 있어요", "Planted already"), false)
        case .success(.removedBefore): ("skipped", words("정원을 떠난 친구예요", "You removed this friend"), false)
        case .success(.otherNumber):
            ("skipped", words("다른 번호로 이미 있어요", "Planted already with another number"), false)
        case .success(.repeated), .success(.merged): ("skipped", words("같은 사람이 또 있어요", "The same person again"), false)
        case .failure(let problem):
            (
                "refused",
                "! " + words(korean(problem.code), "\(problem.why.sentence) \(problem.how.sentence.sentence)"), false
            )
        }
    }

    /// What is wrong with a contact; problems of contacts are in English elsewhere.
    private static func korean(_ code: String) -> String {
        switch code {
        case "invalid_phone", "no_phone": "전화번호를 읽을 수 없어요. 나라 번호와 함께 써 주세요."
        case "invalid_name", "no_name": "이름이 없거나 너무 길어요. 이름을 써 주세요."
        case "invalid_birthday": "생일을 읽을 수 없어요."
        case "invalid_cycle": "주기는 1일부터 90일까지예요."
        default: "읽을 수 없는 연락처예요. 고친 뒤 체크해 주세요."
        }
    }

    private static func plant(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let form = visit.form
        let numbers = form.all("rows").compactMap { Int($0) }
        guard !numbers.isEmpty else { throw PageProblem.noRowChosen }
        guard numbers.count <= mostRows else { throw PageProblem.tooManyRows(limit: mostRows) }
        let rows = numbers.compactMap { ImportRow(form, number: $0) }
        let book = try rows.flatMap { try $0.line.bytes + [UInt8(ascii: "\n")] }
        let report = try await visit.ask.garden().importContacts(
            from: ByteSource(name: form.written("fileName") ?? "contacts", bytes: book),
            ContactImport(ImportOptions(cycle: try Cycle(days: usualCycle))))
        let refused = report.rows.count { row in
            if case .failure = row.result { true } else { false }
        }
        guard let id = report.result.batchID else { return .page("/me/imports?done=nothing&refused=\(refused)") }
        let count = report.rows.count { row in
            if case .success(.planted) = row.result { true } else { false }
        }
        return .page("/me/imports?done=\(id.description)&count=\(count)&refused=\(refused)")
    }
}

/// A line of the table of an import.
private struct ImportRow {
    let name, phone, cycle, nickname, birthday: String
    /// One a line.
    let tags: String
    /// A class of styles, and words.
    var fate = (kind: "", words: "")
    var isTicked: Bool

    init(_ contact: ImportedContact, fate: (kind: String, words: String, isTicked: Bool)) {
        let card = contact.card
        (name, phone) = (card?.name ?? "", card?.phones.first ?? "")
        (nickname, birthday) = (card?.nickname ?? "", card?.birthday ?? "")
        (cycle, tags) = (
            card?.cycleDays ?? String(ImportPage.usualCycle), (card?.tags ?? []).joined(separator: "\n")
        )
        (self.fate, isTicked) = ((fate.kind, fate.words), fate.isTicked)
    }

    /// Reads a line as it was sent; nil if there is none of that number.
    init?(_ form: Form, number: Int) {
        func text(_ field: String) -> String { form["\(field)-\(number)"] ?? "" }
        guard form["name-\(number)"] != nil || form["phone-\(number)"] != nil else { return nil }
        (name, phone, cycle) = (text("name"), text("phone"), text("cycle"))
        (nickname, birthday, tags) = (text("nickname"), text("birthday"), text("tags"))
        isTicked = form.all("rows").contains(String(number))
    }

    /// A line of JSON Lines.
    var line: JSONValue {
        var contact: [String: JSONValue] = [:]
        for (key, text) in [
            ("name", name), ("phone", phone), ("nickname", nickname), ("birthday", birthday), ("cycleDays", cycle),
        ] where !text.allSatisfy(\.isWhitespace) { contact[key] = .string(text) }
        let names = tags.split(whereSeparator: \.isNewline).map { JSONValue.string(String($0)) }
        if !names.isEmpty { contact["tags"] = .array(names) }
        return .object(contact)
    }

    func markup(number: Int, _ words: Words) -> Markup {
        let checked: Markup = isTicked ? " checked" : ""
        let hidden = [("nickname", nickname), ("birthday", birthday), ("tags", tags)].filter { !$0.1.isEmpty }
            .map { FormFields.hidden("\($0.0)-\(number)", $0.1) }
        func input(_ field: String, _ label: String, _ value: String, _ attributes: Markup = "") -> Markup {
            "<input name=\"\(field)-\(number)\" aria-label=\"\(label)\" value=\"\(value)\"\(attributes)>"
        }
        let days: Markup = " type=\"number\" min=\"1\" max=\"90\" inputmode=\"numeric\""
        return """
            <tr>
            <th scope="row"><label class="choice"><input type="checkbox" name="rows" value="\(number)"\(checked)>\
            <span class="heard">\(name)</span></label>
            \(input("name", words("\(number + 1)번째 이름", "Name \(number + 1)"), name))
            \(input("phone", words("\(name)의 전화번호", "Phone of \(name)"), phone, " type=\"tel\""))
            <label class="small">\(words("며칠마다", "every … days")) \
            \(input("cycle", words("\(name)의 주기", "Cycle of \(name)"), cycle, days))</label>
            \(hidden)</th>
            <td><span class="fate \(fate.kind)">\(fate.words)</span></td>
            </tr>

            """
    }
}

extension ImportedContact {
    /// Whether the contact has nothing new.
    fileprivate var isPlanted: Bool {
        if case .success(.unchanged) = result { true } else { false }
    }
}

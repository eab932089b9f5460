import CherishCore
import CherishHTTP
import CherishService
import HTMLMarkup
import HTTPTypes

/// Adding one friend, and changing what may be changed (rules 1.5 and 1.7).
enum FriendPage {
    static let pages = [
        GardenPage("/plants/new", shows: new, does: add),
        GardenPage("/plants/new/card", shows: new),
        GardenPage("/plants/{plant}/edit", shows: edit, does: change),
    ]

    /// Fills the form from the contact file that somebody sends.
    static let card = Route(
        page: "/plants/new/card", access: .session,
        form: .upload(types: ["multipart/form-data"], mostBytes: mostCardBytes)
    ) { ask in
        var visit = try await PageVisit(ask)
        do {
            let contacts = try await read(visit)
            visit.form = try form(of: contacts)
            var content = try await new(visit)
            content.notice = notice(contacts.count, visit.words)
            return Frame.reply(content, visit)
        } catch {
            let (problem, _) = Problem.of(error, in: visit.words.language)
            guard problem.status < 500 else { throw error }
            visit.problem = problem
            return Frame.reply(try await new(visit), visit, status: HTTPResponse.Status(code: problem.status))
        }
    }

    /// A contact may have a picture, which is not read.
    private static let mostCardBytes = 5 << 20
    private static let usual = (cycle: 7, alarm: "09:00")

    private static func read(_ visit: PageVisit) async throws -> [ImportedContact] {
        guard let file = visit.ask.upload else { throw RefusedRequest.brokenForm }
        var wanted = ContactImport(ImportOptions(cycle: try Cycle(days: usual.cycle)))
        wanted.isDryRun = true
        let garden = try await visit.ask.garden()
        return try await visit.ask.services.uploads.read {
            try await garden.importContacts(from: file.source, wanted).rows
        }
    }

    /// What the form shows of the first contact that can be read.
    private static func form(of contacts: [ImportedContact]) throws -> Form {
        guard let contact = contacts.first(where: { $0.card != nil }), let card = contact.card else {
            throw PageProblem.unreadableCard
        }
        var fields = [
            ("name", card.name ?? ""), ("phone", card.phones.first ?? ""), ("nickname", card.nickname ?? ""),
            ("cycleDays", card.cycleDays ?? String(usual.cycle)), ("alarmTime", usual.alarm),
        ]
        // A birthday is written in many ways, and has been read by now.
        if case .success(.planted(let plant)) = contact.result, let birthday = plant.birthday {
            fields += [("birthdayMonth", String(birthday.month)), ("birthdayDay", String(birthday.day))]
            if let year = birthday.year { fields.append(("birthdayYear", String(year))) }
        }
        return Form(fields: fields + card.tags.map { ("tags", $0) })
    }

    private static func notice(_ count: Int, _ words: Words) -> Markup? {
        guard count > 1 else { return nil }
        return """
            <p>\(words(
                "이 파일에는 \(count)명이 있어요. 첫 번째 사람이에요.",
                "There are \(count) people in this file. This is the first of them."))
            <a href="/me/imports">\(words("모두 가져오기", "Import them all"))</a></p>
            """
    }

    private static func new(_ visit: PageVisit) async throws -> PageContent {
        let (words, fields) = (visit.words, FormFields(visit: visit))
        let tags = try await visit.ask.garden().tags().map(\.tag)
        let form = fields.form(
            "/plants/new", attributes: " data-person",
            """
            <button type="button" data-pick-contacts hidden>\(Picture.icon("person"))\
            \(words("연락처에서 고르기", "Choose from contacts"))</button>
            <fieldset>
            <legend>\(words("사람", "The person"))</legend>
            \(fields.text("name", words("이름", "Name"), limit: 50, attributes: " autocomplete=\"off\""))\
            \(fields.text(
                "phone", words("전화번호", "Phone"), hint: words("이름과 전화번호는 나중에 바꿀 수 없어요.", "Name and phone are fixed afterwards."),
                attributes: " type=\"tel\" inputmode=\"tel\" autocomplete=\"off\""))\
            </fieldset>
            \(plantFields(fields, nickname: "", cycle: usual.cycle, alarm: usual.alarm))\
            \(birthday(fields, nil))\(tagBoxes(fields, tags, chosen: []))\
            \(FormFields.buttons(FormFields.submit(words("심기", "Plant"))))
            """)
        return PageContent(
            words("친구 더하기", "Add a friend"), kind: "new", tab: .garden,
            back: PageContent.Back(path: visit.gardenPath, words: words("정원", "Garden")),
            main: """
                <h1>\(words("친구 더하기", "Add a friend"))</h1>
                <p class="muted">\(words("한꺼번에 많이 더하려면", "Many at once?")) \
                <a href="/me/imports">\(words("연락처를 가져와요", "Import your contacts"))</a>.</p>
                \(cardForm(words))\(form)
                """)
    }

    private static func cardForm(_ words: Words) -> Markup {
        let form = FormFields.upload(
            "/plants/new/card", "card", words("연락처 파일", "Contact file"),
            hint: words("vCard(.vcf)에 있는 것으로 아래를 채워요.", "What is in a vCard (.vcf) fills in the form below."),
            types: [".vcf", "text/vcard", "text/x-vcard"],
            submit: "<button>\(words("파일로 채우기", "Fill in from the file"))</button>")
        return """
            <details>
            <summary>\(words("연락처 파일이 있나요?", "Do you have a contact file?"))</summary>
            \(form)</details>

            """
    }

    private static func plantFields(_ fields: FormFields, nickname: String, cycle: Int, alarm: String) -> Markup {
        let words = fields.visit.words
        let species = Species.allCases.map { species -> Markup in
            let days = Cycle.range.filter { (try? Cycle(days: $0).species) == species }
            return """
                <li>\(Picture.plant(species, .bloom, .thriving))<span>\
                \(words("\(days.first ?? 0)–\(days.last ?? 0)일", "\(days.first ?? 0)–\(days.last ?? 0) days"))\
                <small>\(words.name(of: species))</small></span></li>

                """
        }
        return """
            <fieldset>
            <legend>\(words("식물", "The plant"))</legend>
            \(fields.text(
                "nickname", words("별명", "Nickname"),
                hint: words("내가 부르는 이름이에요. 비우면 이름을 써요.", "How you call them. Left empty, it is their name."),
                isOptional: true, value: nickname, limit: 20, attributes: " autocomplete=\"off\""))\
            \(fields.text(
                "cycleDays", words("며칠마다 물 주기", "Water every … days"),
                hint: words("1일부터 90일까지. 주기가 식물을 정해요.", "1 to 90. The cycle chooses the species:"), value: String(cycle),
                attributes: " type=\"number\" inputmode=\"numeric\" min=\"1\" max=\"90\""))\
            <ul class="species" id="cycle-species">
            \(species)</ul>
            \(fields.text(
                "alarmTime", words("알림 시각", "Alarm"),
                hint: words("그날 이 시각에 알림이 와요.", "The push comes at this time on the day."), value: alarm,
                attributes: " type=\"time\""))\
            </fieldset>

            """
    }

    private static func birthday(_ fields: FormFields, _ birthday: Birthday?) -> Markup {
        let (words, visit) = (fields.visit.words, fields.visit)
        let month = visit.shown("birthdayMonth", or: birthday.map { String($0.month) } ?? "")
        let options = (1...12).map { FormFields.option(String($0), words.month($0), chosen: month) }
        return """
            <fieldset>
            <legend>\(words("생일", "Birthday")) <span class="optional">\(words("선택", "optional"))</span></legend>
            <div class="row">
            <div class="field">
            <label for="birthday-month">\(words("월", "Month"))</label>
            <select id="birthday-month" name="birthdayMonth" autocomplete="off">
            <option value="">–</option>
            \(options)</select>
            </div>
            <div class="field">
            <label for="birthday-day">\(words("일", "Day"))</label>
            <input id="birthday-day" name="birthdayDay" inputmode="numeric" maxlength="2" autocomplete="off" \
            value="\(visit.shown("birthdayDay", or: birthday.map { String($0.day) } ?? ""))">
            </div>
            <div class="field">
            <label for="birthday-year">\(words("연도", "Year")) <span class="optional">\(words("알면", "if known"))</span></label>
            <input id="birthday-year" name="birthdayYear" inputmode="numeric" maxlength="4" autocomplete="off" \
            value="\(visit.shown("birthdayYear", or: birthday?.year.map { String($0) } ?? ""))">
            </div>
            </div>
            </fieldset>

            """
    }

    private static func tagBoxes(_ fields: FormFields, _ tags: [Tag], chosen: [Tag]) -> Markup {
        if tags.isEmpty { return "" }
        let boxes = tags.map { tag in
            fields.box(
                "tags", "<bdi>\(tag.name.description)</bdi>", isTicked: chosen.contains { $0.id == tag.id },
                value: tag.name.description)
        }
        return """
            <fieldset>
            <legend>\(fields.visit.words("태그", "Tags"))</legend>
            \(boxes)</fieldset>

            """
    }

    private static func add(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let form = visit.form
        var request = FriendRequest(name: form["name"] ?? "", phone: form["phone"] ?? "")
        request.nickname = form.written("nickname")
        request.cycleDays = form.written("cycleDays").map { Int($0) ?? 0 }
        request.alarm = form.written("alarmTime") ?? request.alarm
        request.birthday = try birthday(form)
        request.tags = form.all("tags")
        let added = try await visit.ask.garden().addFriend(request)
        return .page("/?plant=\(added.plant.id.description)")
    }

    /// The birthday of a form as the rules read it; nil without month and day.
    private static func birthday(_ form: Form) throws -> String? {
        guard let month = form.written("birthdayMonth") ?? form.written("birthdayDay") else { return nil }
        let parts = [form["birthdayMonth"] ?? month, form["birthdayDay"] ?? ""].map { text in
            text.count == 1 ? "0\(text)" : text
        }
        let day = parts.joined(separator: "-")
        return form.written("birthdayYear").map { "\($0)-\(day)" } ?? day
    }

    private static func edit(_ visit: PageVisit) async throws -> PageContent {
        let (words, fields) = (visit.words, FormFields(visit: visit))
        let garden = try await visit.ask.garden()
        let view = try await garden.friend(visit.plantID()).view
        let plant = view.plant
        let tags = try await garden.tags().map(\.tag)
        let form = fields.form(
            "\(view.path)/edit",
            """
            <fieldset>
            <legend>\(words("연락처에서 온 것, 바꿀 수 없어요", "From your contacts, fixed"))</legend>
            <dl class="facts">
            <div><dt>\(words("이름", "Name"))</dt><dd><bdi>\(plant.name.description)</bdi></dd></div>
            <div><dt>\(words("전화번호", "Phone"))</dt><dd>\(plant.phone.description)</dd></div>
            </dl>
            </fieldset>
            \(plantFields(
                fields, nickname: plant.nickname.description, cycle: plant.cycle.days, alarm: plant.alarmTime.description))\
            \(birthday(fields, plant.birthday))\(tagBoxes(fields, tags, chosen: view.tags))\
            <fieldset>
            <legend>\(words("알림", "Pushes"))</legend>
            \(fields.box(
                "pushesEnabled", "\(words("이 식물의 알림", "Pushes about this plant"))",
                hint: words("물 주기와 리뷰", "Watering and review"), isTicked: plant.pushesEnabled, isSwitch: true))\
            </fieldset>
            <div class="buttons">\(FormFields.submit(words("저장", "Save")))
            <a class="button" href="\(view.path)">\(words("취소", "Cancel"))</a></div>

            """)
        return PageContent(
            words("고치기", "Edit"), kind: "edit", tab: .garden,
            back: PageContent.Back(path: view.path, words: plant.nickname.description),
            main: """
                <h1>\(words("\(view.nickname) 고치기" as Markup, "Edit \(view.nickname)"))</h1>
                <p class="notice careful">\(words(
                    "주기를 바꿀 때만 물 줄 날이 옮겨져요. 마지막으로 물 준 날부터 새 주기를 세고, 오늘보다 이르지는 않아요. 다른 것은 그대로예요.",
                    """
                    Only a changed cycle moves the day of watering: to the last watering plus the new cycle, but never before \
                    today. Everything else leaves it alone.
                    """))</p>
                \(form)
                """)
    }

    private static func change(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let (id, form) = (try visit.plantID(), visit.form)
        let garden = try await visit.ask.garden()
        let before = try await garden.friend(id).view
        var request = FriendEditRequest()
        request.nickname = form["nickname"] ?? ""
        request.birthday = try birthday(form) ?? ""
        request.cycleDays = form.written("cycleDays").map { Int($0) ?? 0 }
        request.alarm = form.written("alarmTime")
        request.pushesEnabled = form["pushesEnabled"] == "true"
        let (had, wanted) = (before.tags.map(\.name.description), form.all("tags"))
        request.addedTags = wanted.filter { !had.contains($0) }
        request.removedTags = had.filter { !wanted.contains($0) }
        _ = try await garden.editFriend(id, request)
        return .page("/plants/\(id)?done=edited")
    }
}

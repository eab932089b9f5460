import CherishCore
import CherishHTTP
import CherishService
import Foundation
import HTMLMarkup

/// Pushes: on this device, on others, and what they are about (rule 7).
enum PushesPage {
    static let pages = [
        GardenPage("/more/pushes", shows: content, does: save),
        GardenPage("/more/pushes/devices/{device}/removal", does: removeDevice),
    ]

    private static func content(_ visit: PageVisit) async throws -> PageContent {
        let words = visit.words
        return SettingsPage.content(
            words("알림", "Pushes"), visit,
            done: [
                "saved": words("저장했어요.", "Saved."),
                "removed": words(
                    "기기를 지웠어요. 거기서 정원을 다시 열면 돌아올 수 있으니, 그 기기에서도 꺼 주세요.",
                    "The device has been removed. It may come back once the garden is opened there: turn it off there, too."
                ),
            ],
            main: "\(try section(visit))\(try await devices(visit))\(try switches(visit))")
    }

    /// About this device. Without scripts it has one sentence; a script shows one of the other parts.
    private static func section(_ visit: PageVisit) throws -> Markup {
        let words = visit.words
        let title: Markup = "<h2 id=\"push-title\">\(words("이 기기", "On this device"))</h2>"
        let key: String
        do {
            key = try visit.ask.services.care.pushKey()
        } catch RequestError.webPushOff {
            return """
                <section class="card" aria-labelledby="push-title">
                \(title)
                <p>\(words("이 서비스는 브라우저로 알림을 보내지 않아요.", "This service sends no pushes to browsers."))</p>
                </section>

                """
        }
        return """
            <section class="card" data-push data-key="\(key)" data-language="\(words.language.rawValue)" data-title="Cherish" \
            data-body="\(words("정원에서 누군가 기다려요.", "Something in your garden wants you."))" aria-labelledby="push-title">
            \(title)
            <noscript><p>\(words("알림을 켜려면 JavaScript가 필요해요.", "Pushes need JavaScript."))</p></noscript>
            \(askingPart(words))\(answeredParts(words))\(installationPart(words))\
            <p class="error" data-push-failed role="alert" hidden>\(words(
                "잘되지 않았어요. 나중에 다시 해 보세요.", "It did not work. Try again later."))</p>
            </section>

            """
    }

    private static func askingPart(_ words: Words) -> Markup {
        """
        <div class="stack" data-push-ask hidden>
        <p>\(words("물을 원하는 식물이 알려 줘요. 따로 바라지 않으면 그뿐이에요.",
            "A plant tells you when it wants water, and nothing else unless you ask for it."))</p>
        <div class="buttons">
        <button class="primary" type="button">\(Picture.icon("bell"))\(words("여기서 알림 받기", "Get pushes here"))</button>
        <button class="plain" type="button" data-push-no>\(words("지금은 괜찮아요", "Not now"))</button>
        </div>
        </div>

        """
    }

    private static func answeredParts(_ words: Words) -> Markup {
        """
        <div class="stack" data-push-on hidden>
        <p>\(words("✓ 이 기기로 알림이 와요.", "✓ This device gets pushes."))</p>
        <button type="button" data-push-off>\(words("여기서는 끄기", "Turn off here"))</button>
        </div>
        <div class="stack" data-push-denied hidden>
        <p>\(words("이 기기로는 알림이 오지 않아요. 마음이 바뀌면 브라우저 설정에서 허용해 주세요.",
            "This device gets no pushes. Allow them in the settings of your browser, if you change your mind."))</p>
        <button type="button" data-push-again>\(words("그래도 여기서 알림 받기", "Get pushes here after all"))</button>
        </div>
        <div data-push-unsupported hidden><p>\(words(
            "이 브라우저는 알림을 받을 수 없어요. 다른 브라우저나 더 새로운 것은 될 수 있어요.",
            "This browser has no pushes. Another one, or a newer one, may."))</p></div>

        """
    }

    private static func installationPart(_ words: Words) -> Markup {
        """
        <div class="stack" data-install-ios hidden>
        <p>\(words("iPhone이나 iPad에서는 먼저 체리시를 홈 화면에 추가해 주세요.",
            "On an iPhone or iPad, first put Cherish on the Home Screen:"))</p>
        <ol class="steps">
        <li>\(words("Safari의 공유 단추를 눌러요.", "Tap the share button of Safari."))</li>
        <li>\(words("‘홈 화면에 추가’를 골라요.", "Choose “Add to Home Screen”."))</li>
        <li>\(words("홈 화면에서 체리시를 열고 이 페이지로 와요.", "Open Cherish there, and come back to this page."))</li>
        </ol>
        </div>

        """
    }

    private static func devices(_ visit: PageVisit) async throws -> Markup {
        let (words, care, account) = (visit.words, visit.ask.services.care, try visit.signedIn())
        let devices = try await visit.ask.garden().devices()
        guard !devices.isEmpty else { return "" }
        let now = try await care.now()
        let today = try care.day(of: now, for: account)
        let rows = try devices.map { device in
            let added = try care.day(of: device.addedAt, for: account)
            return row(
                device, added: words.fullDate(added, today: today), isRetired: device.retirement(at: now) != nil, visit)
        }
        return """
            <section aria-labelledby="devices-title">
            <h2 id="devices-title">\(words("알림을 받는 기기", "Devices with pushes"))</h2>
            <ul class="links">
            \(rows)</ul>
            </section>

            """
    }

    private static func row(_ device: Device, added: String, isRetired: Bool, _ visit: PageVisit) -> Markup {
        let (words, name) = (visit.words, DeviceName.text(device, visit.words))
        let state =
            isRetired
            ? words("이제 알림을 받지 않아요", "gets no more pushes")
            : words("마지막 확인 \(added)", "last seen on \(added)")
        let form = FormFields(visit: visit).form(
            "/more/pushes/devices/\(device.id.description)/removal",
            "<button>\(words("지우기", "Remove"))<span class=\"heard\"> \(name)</span></button>")
        return """
            <li><div><span class="label">\(name) <span class="muted">\(state)</span></span>
            \(form)</div></li>

            """
    }

    private static func switches(_ visit: PageVisit) throws -> Markup {
        let (words, fields, account) = (visit.words, FormFields(visit: visit), try visit.signedIn())
        let (switches, warningDays) = (account.switches, account.warningDays)
        func line(_ name: String, _ label: String, _ hint: String, _ isOn: Bool) -> Markup {
            fields.box(name, "\(label)", hint: hint, isTicked: isOn, isSwitch: true)
        }
        return fields.form(
            "/more/pushes",
            """
            <fieldset>
            <legend>\(words("무엇을 알릴까요?", "What about"))</legend>
            <div class="links">
            \(line("wateringPushes", words("물 주기", "Watering"),
                words("물 주는 날, 식물마다 정한 시각에", "On the day, at the plant’s time"), switches.watering))\
            \(line("reviewPushes", words("리뷰", "Review"),
                words("리뷰 없이 물을 준 지 30분 뒤에", "30 minutes after a watering without one"), switches.review))\
            \(line("birthdayPushes", words("생일", "Birthdays"),
                words("생일인 친구가 있는 날에", "On the birthday of a friend"), switches.birthday))\
            \(line("witheredPushes", words("시든 식물", "Withered plants"),
                words("시든 다음 날에", "On the day after a plant has withered"), switches.withered))\
            \(line("thingPushes", words("챙길 것", "Things"),
                words("식품, 약속, 찾거나 반품할 것의 알림", "Alerts of food, appointments, pickups and returns"), switches.thing))\
            </div>
            \(fields.text(
                "expiryWarningDays", words("식품은 며칠 전에 알릴까요?", "Days of warning before food expires"),
                hint: words("0일부터 30일까지", "0 to 30"), value: String(warningDays.days),
                attributes: " type=\"number\" inputmode=\"numeric\" min=\"0\" max=\"30\""))\
            \(fields.select(
                "dayEndsAt", words("하루는 언제 끝나나요?", "When does your day end?"),
                hint: words(
                    "자정이 지나 잠든다면, 그때까지는 아직 오늘이에요.", "If you go to bed after midnight, it is still today until then."),
                value: account.dayEnd.description, options: dayEnds(account.dayEnd, words)))\
            </fieldset>
            \(FormFields.buttons(FormFields.submit(words("저장", "Save"))))
            """)
    }

    /// Every half hour, and the present one.
    private static func dayEnds(_ present: DayEnd, _ words: Words) -> [(value: String, words: String)] {
        let halfHours = stride(from: DayEnd.range.lowerBound, through: DayEnd.range.upperBound, by: 30)
            .compactMap { try? DayEnd(minuteOfDay: $0) }
        return Set(halfHours + [present]).map(\.description).sorted().map { text in
            (value: text, words: text == DayEnd.midnight.description ? words("자정", "At midnight") : text)
        }
    }

    private static func save(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        func isOn(_ name: String) -> Bool { visit.form[name] == "true" }
        var request = AccountEditRequest()
        request.wateringPushes = isOn("wateringPushes")
        request.reviewPushes = isOn("reviewPushes")
        request.birthdayPushes = isOn("birthdayPushes")
        request.witheredPushes = isOn("witheredPushes")
        request.thingPushes = isOn("thingPushes")
        // What is no number is no count of days either.
        request.expiryWarningDays = visit.form.written("expiryWarningDays").map { Int($0) ?? -1 }
        request.dayEndsAt = visit.form.written("dayEndsAt")
        _ = try await visit.ask.garden().editAccount(request)
        return .page("/more/pushes?done=saved")
    }

    private static func removeDevice(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        guard let id = UUID(uuidString: try visit.ask.id("device", of: .device)) else {
            throw CareError.notFound(.device)
        }
        try await visit.ask.garden().removeDevice(Device.ID(id))
        return .page("/more/pushes?done=removed")
    }
}

/// What a device that gets pushes is called.
private enum DeviceName {
    /// The ends of the hosts of push services, and whose they are.
    private static let browsers = [
        ("googleapis.com", "Chrome"), ("google.com", "Chrome"), ("mozilla.com", "Firefox"),
        ("apple.com", "Safari"), ("windows.com", "Edge"),
    ]

    static func text(_ device: Device, _ words: Words) -> String {
        let host = URL(string: device.token)?.host() ?? ""
        return switch device.platform {
        case .ios: "iPhone, iPad"
        case .android: "Android"
        case .webhook: words("웹훅 \(host)", "Webhook \(host)")
        case .web:
            browsers.first { host.hasSuffix(".\($0.0)") }?.1 ?? words("브라우저 \(host)", "Browser \(host)")
        }
    }
}

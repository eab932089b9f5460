import CherishCore
import CherishService
import Foundation
import HTMLMarkup

/// A form and its fields, each with a label, a hint, and what is wrong with it.
struct FormFields: Sendable {
    let visit: PageVisit

    private var words: Words { visit.words }

    /// A form that is sent once.
    ///
    /// - Parameters:
    ///   - attributes: further attributes of the form, such as hooks for scripts.
    ///   - buttons: after the fields.
    func form(_ action: String, attributes: Markup = "", _ content: Markup) -> Markup {
        """
        <form method="post" action="\(action)" data-once\(attributes)>
        \(once)\(content)
        </form>

        """
    }

    /// A form with a file of at most 5 MB. It carries nothing but the file, and so nothing that repeats it.
    ///
    /// - Parameters:
    ///   - name: of the field.
    ///   - types: the media types that a browser offers to choose.
    static func upload(
        _ action: String, _ name: String, _ label: String, hint: String, types: [String], submit: Markup
    ) -> Markup {
        """
        <form method="post" action="\(action)" enctype="multipart/form-data" data-once>
        <div class="field">
        <label for="\(name)">\(label)</label>
        <p class="hint" id="\(name)-hint">\(hint)</p>
        <input id="\(name)" type="file" name="\(name)" accept="\(types.joined(separator: ","))" required \
        aria-describedby="\(name)-hint">
        </div>
        \(FormFields.buttons(submit))</form>

        """
    }

    /// What tells a repeated form from a new one; only somebody who is signed in can repeat.
    private var once: Markup {
        guard visit.account != nil else { return "" }
        return "<input type=\"hidden\" name=\"once\" value=\"\(Once.random())\">\n"
    }

    /// The id of what the form records, so that it happens once, however it is sent (rule 14.3).
    static var fact: Markup { hidden("id", UUID().uuidString.lowercased()) }

    static func hidden(_ name: String, _ value: String) -> Markup {
        "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">\n"
    }

    /// A row with the buttons of a form.
    static func buttons(_ buttons: Markup) -> Markup { "<div class=\"buttons\">\(buttons)</div>\n" }

    static func submit(_ words: String, icon: String? = nil) -> Markup {
        "<button class=\"primary\">\(icon.map(Picture.icon) ?? "")\(words)</button>"
    }

    /// A line of text.
    ///
    /// - Parameters:
    ///   - limit: how many characters a reader may see, counted beside the field; nil does not count.
    ///   - attributes: of the input, such as its type.
    func text(
        _ name: String, _ label: String, hint: String? = nil, isOptional: Bool = false, value: String = "",
        limit: Int? = nil, isShownAgain: Bool = true, attributes: Markup = ""
    ) -> Markup {
        let shown = isShownAgain ? visit.shown(name, or: value) : ""
        let required: Markup = isOptional ? "" : " required"
        let given = Frame.attribute("value", shown.isEmpty ? nil : shown)
        return field(name, label, hint: hint, isOptional: isOptional, limit: limit, shown: shown) { described in
            """
            <input id="\(name)" name="\(name)"\(attributes)\(required)\(given)\
            \(Frame.attribute("data-count", limit.map { String($0) }))\(described)>
            """
        }
    }

    /// Several lines of text.
    func area(_ name: String, _ label: String, hint: String? = nil, value: String, limit: Int, rows: Int = 4) -> Markup
    {
        let shown = visit.shown(name, or: value)
        return field(name, label, hint: hint, isOptional: false, limit: limit, shown: shown) { described in
            // A browser drops the first line break.
            """
            <textarea id="\(name)" name="\(name)" rows="\(rows)" autocomplete="off" data-count="\(limit)"\(described)>
            \(shown)</textarea>
            """
        }
    }

    /// A choice of one.
    func select(
        _ name: String, _ label: String, hint: String? = nil, value: String, attributes: Markup = "",
        options: [(value: String, words: String)]
    ) -> Markup {
        let shown = visit.shown(name, or: value)
        return field(name, label, hint: hint, isOptional: false, limit: nil, shown: shown) { described in
            """
            <select id="\(name)" name="\(name)"\(attributes)\(described)>
            \(options.map { FormFields.option($0.value, $0.words, chosen: shown) })</select>
            """
        }
    }

    static func option(_ value: String, _ words: String, chosen: String) -> Markup {
        let selected: Markup = value == chosen ? " selected" : ""
        return "<option value=\"\(value)\"\(selected)>\(words)</option>\n"
    }

    /// A box to tick.
    func box(
        _ name: String, _ label: Markup, hint: String? = nil, isTicked: Bool, value: String = "true",
        isSwitch: Bool = false
    )
        -> Markup
    {
        let checked: Markup = visit.isTicked(name, or: isTicked, as: value) ? " checked" : ""
        let role: Markup = isSwitch ? " role=\"switch\"" : ""
        let more: Markup = hint.map { "<span class=\"hint\">\($0)</span>" } ?? ""
        return """
            <label class="choice"><input type="checkbox"\(role) name="\(name)" value="\(value)"\(checked)>\
            <span>\(label)\(more)</span></label>

            """
    }

    private func field(
        _ name: String, _ label: String, hint: String?, isOptional: Bool, limit: Int?, shown: String,
        _ control: (Markup) -> Markup
    ) -> Markup {
        let wrong = visit.problem.flatMap { FieldOfProblem.name($0.code) == name ? $0 : nil }
        let descriptions = [
            hint.map { _ in "\(name)-hint" }, wrong.map { _ in "\(name)-error" }, limit.map { _ in "\(name)-count" },
        ].compactMap(\.self)
        var described: Markup = wrong == nil ? "" : " aria-invalid=\"true\""
        if !descriptions.isEmpty { described += " aria-describedby=\"\(descriptions.joined(separator: " "))\"" }
        let optional: Markup = isOptional ? " <span class=\"optional\">\(words("선택", "optional"))</span>" : ""
        let hintLine: Markup = hint.map { "<p class=\"hint\" id=\"\(name)-hint\">\($0)</p>\n" } ?? ""
        let errorLine: Markup =
            wrong.map { "<p class=\"error\" id=\"\(name)-error\">\($0.detail.sentence)</p>\n" } ?? ""
        let count: Markup =
            limit.map {
                "<span class=\"count\" id=\"\(name)-count\" aria-live=\"polite\">\(shown.visibleCount)/\($0)</span>\n"
            } ?? ""
        return """
            <div class="field">
            <label for="\(name)">\(label)\(optional)</label>
            \(hintLine)\(control(described))
            \(errorLine)\(count)</div>

            """
    }
}

/// A random name of a form, so that a repeated one is recognized.
enum Once {
    static func random() -> String { UUID().uuidString.lowercased() }
}

/// Which field a refusal is about.
enum FieldOfProblem {
    private static let names = [
        "invalid_email": "email", "duplicate_email": "email", "wrong_password": "password", "weak_password": "password",
        "code_wrong": "code", "code_expired": "code", "too_many_tries": "code", "invalid_nickname": "nickname",
        "invalid_phone": "phone", "duplicate_phone": "phone", "invalid_name": "name", "invalid_cycle": "cycleDays",
        "missing_cycle": "cycleDays", "invalid_birthday": "birthday-month", "invalid_alarm": "alarmTime",
        "invalid_day_end": "dayEndsAt",
        "invalid_time_zone": "timeZone", "keyword_too_long": "keyword-1", "keyword_repeated": "keyword-1",
        "too_many_keywords": "keyword-1", "keyword_empty": "keyword-1", "memo_too_long": "memo",
        "review_empty": "keyword-1", "invalid_tag": "name", "duplicate_tag": "name", "invalid_colour": "colour",
        "invalid_postcode": "postcode", "invalid_country": "country", "postcode_changed_too_often": "postcode",
        "confirmation_wrong": "confirmation", "invalid_days": "days", "invalid_pause": "to",
        "present_password_wrong": "present", "erasure_unconfirmed": "understood", "not_a_picture": "picture",
        "invalid_title": "title", "note_too_long": "note", "invalid_category": "category",
        "invalid_order_number": "orderNumber", "invalid_due": "due", "due_unknown": "due", "unreadable_day": "due",
        "invalid_alert": "alerts", "invalid_warning_days": "expiryWarningDays", "too_many_alerts": "alerts",
        "invalid_recurrence": "every", "store_unknown": "store", "invalid_position": "latitude",
        "invalid_share_days": "days", "invalid_entry": "entries", "invalid_quantity": "entries",
        "too_many_entries": "entries",
        "no_entries": "entries", "delivery_note_too_long": "deliveryNote", "invalid_report": "reason",
        "broken_picture": "picture", "too_many_pixels": "picture", "body_too_long": "picture",
    ]

    /// nil for a refusal that is about no single field.
    static func name(_ code: String) -> String? { names[code] }
}

extension String {
    /// How many characters a reader sees, as the rules count them (rule 5.2): blanks at the ends do not count, and several
    /// are one.
    var visibleCount: Int { split(whereSeparator: \.isWhitespace).joined(separator: " ").count }
}

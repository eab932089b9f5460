import CherishCore
import CherishHTTP
import CherishService
import HTMLMarkup

/// A letter to whoever runs the service.
enum EnquiryPage {
    static let pages = [GardenPage("/more/enquiry", shows: content, does: send)]

    private static func content(_ visit: PageVisit) throws -> PageContent {
        let words = visit.words
        let main =
            visit.ask.services.people.takesEnquiries
            ? try form(visit)
            : """
            <p>\(words("이 서비스는 문의를 받지 않아요. 운영하는 사람에게 다른 방법으로 물어봐 주세요.",
                "This service takes no enquiries. Ask whoever runs it in another way."))</p>
            """
        return SettingsPage.content(
            words("문의하기", "Write to us"), visit,
            done: ["sent": words("보냈어요. 고마워요!", "It has been sent. Thank you!")], main: main)
    }

    private static func form(_ visit: PageVisit) throws -> Markup {
        let (words, fields) = (visit.words, FormFields(visit: visit))
        let hint =
            try visit.signedIn().email.map { words("\($0) 주소로 답할게요.", "We answer to \($0).") }
            ?? words("답을 받으려면 먼저 이메일을 더해 주세요.", "To get an answer, add an e-mail first.")
        return fields.form(
            "/more/enquiry", attributes: " data-keep=\"enquiry\"",
            """
            \(fields.text("subject", words("제목", "Subject"), limit: 200, attributes: " autocomplete=\"off\""))\
            \(fields.area("message", words("내용", "Message"), hint: hint, value: "", limit: 4_000, rows: 7))\
            \(FormFields.buttons(FormFields.submit(words("보내기", "Send"))))
            """)
    }

    private static func send(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        try await visit.ask.enquire(
            subject: visit.form.written("subject") ?? "", message: visit.form.written("message") ?? "")
        return .page("/more/enquiry?done=sent&kept=enquiry")
    }
}

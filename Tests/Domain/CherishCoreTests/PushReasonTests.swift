import Testing

@testable import CherishCore

@Suite("Reasons of outcomes")
struct PushReasonTests {
    @Test("7.8: reasons have the names used by the command line and the database")
    func names() {
        let names = [
            "sent", "sent_after_retry", "combined", "digest", "watered", "postponed", "edited", "reviewed", "declined",
            "archived", "done", "list_changed", "erased", "newer_watering", "newer_alert", "paused",
            "account_pushes_off",
            "plant_pushes_off",
            "thing_pushes_off",
            "waypoint", "no_device",
            "provider_not_configured", "too_late", "refused", "token_dead", "attempts_exhausted", "unreadable_row",
        ]
        #expect(PushReason.all.map(\.rawValue) == names)
    }

    @Test("each reason of the engine and of all domains is listed once, with its own meaning")
    func complete() {
        // Domains share reasons such as edited.
        let declared = Set(PushReason.ofEngine + PushReason.ofPlants + PushReason.ofThings + PushReason.ofLists)
        #expect(declared == Set(PushReason.all))
        #expect(declared.count == PushReason.all.count)
        #expect(Set(PushReason.all).count == PushReason.all.count)
        #expect(Set(PushReason.all.map(\.meaning)).count == PushReason.all.count)
    }

    @Test("a reason is known by what the log stores, and one that nobody declares is shown as itself")
    func stored() {
        #expect(PushReason(rawValue: "too_late") == PushReason.tooLate)
        #expect(PushReason(rawValue: "too_late").hashValue == PushReason.tooLate.hashValue)
        let unknown = PushReason(rawValue: "letter_written")
        #expect(!PushReason.all.contains(unknown))
        #expect("\(unknown)" == "letter_written")
        #expect(unknown.meaning == "of letter_written")
    }
}

import CherishCore
import CherishHTTP
import CherishService
import HTMLMarkup

/// The picture of the account (rule 12.7).
enum AccountPicturePage {
    static let pages = [
        GardenPage("/more/picture", shows: content), GardenPage("/more/picture/removal", does: remove),
    ]

    /// Takes the file that somebody sends.
    static let upload = GardenPage.upload("/more/picture", shows: content) { visit, bytes in
        let picture = try await visit.ask.services.pictures.picture(from: bytes)
        try await visit.ask.garden().setPicture(picture)
        return "/more/picture?done=saved"
    }

    private static func content(_ visit: PageVisit) async throws -> PageContent {
        let words = visit.words
        let hasPicture = try await visit.ask.garden().hasPicture()
        let (picture, removal): (Markup, Markup) =
            hasPicture
            ? (
                """
                <p><img class="portrait large" src="/v1/account/picture" alt="\(words("내 사진", "Your picture"))" \
                width="160" height="160"></p>

                """,
                SettingsPage.asking(
                    FormFields(visit: visit), "/more/picture/removal", words("사진 지우기", "Remove the picture"),
                    consequence: words("여기에 남은 사진이 지워져요.", "The picture that we keep is erased."),
                    words("지우기", "Remove"))
            ) : ("", "")
        return SettingsPage.content(
            words("사진", "Picture"), visit,
            done: [
                "saved": words("사진을 바꿨어요.", "Your picture has been changed."),
                "removed": words("사진을 지웠어요.", "Your picture has been removed."),
            ],
            main: "\(picture)\(form(words))\(removal)")
    }

    private static func form(_ words: Words) -> Markup {
        FormFields.upload(
            "/more/picture", "picture", words("새 사진", "New picture"),
            hint: words(
                "JPEG, PNG, WebP, 5MB까지. 가운데를 네모로 자르고, 찍은 곳과 카메라는 남기지 않아요.",
                "JPEG, PNG or WebP, up to 5 MB. We cut a square out of the middle and keep no place or camera."),
            types: ["image/jpeg", "image/png", "image/webp"], submit: FormFields.submit(words("저장", "Save")))
    }

    private static func remove(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        try await visit.ask.garden().setPicture(nil)
        return .page("/more/picture?done=removed")
    }
}

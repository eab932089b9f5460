import CherishService
import HTTPTypes
import PictureFormat

// The picture of an account (rule 12.7).

extension Route.Content {
    /// A form with a picture, which has some headers beside the file.
    package static let pictureForm = upload(
        types: ["multipart/form-data"], mostBytes: PictureLimits.mostBytes + 16 * 1_024)
}

extension Route {
    static let pictures: [Route] = [
        Route(
            .get, "/v1/account/picture", "The picture: a square JPEG of at most 512 pixels.", access: .session,
            repetition: .harmless, query: NoQuery.self, body: NoBody.self, success: .ok, answer: .file(["image/jpeg"])
        ) { ask, _, _ in
            Reply(.ok, headers: [.contentType: "image/jpeg"], body: try await ask.garden().picture())
        },
        Route(
            .put, "/v1/account/picture", "Sets the picture; nothing of the file is kept but its pixels.",
            file: ["image/jpeg", "image/png", "image/webp"], mostBytes: PictureLimits.mostBytes
        ) { ask in
            let picture = try await ask.services.pictures.picture(from: ask.body)
            try await ask.garden().setPicture(picture)
        },
        Route(.delete, "/v1/account/picture", "Removes the picture.") { ask, _, _ in
            try await ask.garden().setPicture(nil)
            return NoContent()
        },
    ]
}

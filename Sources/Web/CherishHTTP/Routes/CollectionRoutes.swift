import CherishCore
import CherishService
import DocumentEncoding
import Foundation
import HTTPTypes

// Tags, devices and exports.

/// `POST /v1/tags`
struct TagBody: RequestBody {
    let name: String
    let colour: String?
    let cycleDays: Int?

    init(_ fields: inout Fields) {
        name = fields.required("name", .tagName)
        colour = fields.optional("colour", .colour)
        cycleDays = fields.optional("cycleDays", .cycle)
    }

    static let example: JSONValue = ["name": "동호회", "colour": "#3b6fc9", "cycleDays": 14]
}

/// `PATCH /v1/tags/{tag}`
struct TagEditBody: RequestBody {
    let request: TagEditRequest
    let modifiedAt: Instant?

    init(_ fields: inout Fields) {
        var request = TagEditRequest()
        request.name = fields.present("name", .tagName)
        request.colour = fields.present("colour", .colour)
        request.cycleDays = fields.removable("cycleDays", .cycle).map { $0 ?? 0 }
        self.request = request
        modifiedAt = fields.editTime()
    }

    static let example: JSONValue = ["name": "가족", "cycleDays": .null]
}

/// `POST /v1/devices`
enum DeviceBody: RequestBody {
    /// What a browser's subscription is called.
    private enum BrowserPlatform: String, CaseIterable { case web }
    private enum OtherPlatform: String, CaseIterable { case ios, android, webhook }

    case browser(endpoint: String, p256dh: String, auth: String)
    case other(Device.Platform, token: String)

    init(_ fields: inout Fields) {
        let token = Kind<String>.text(atMost: 2_000, atLeast: 1)
        if fields.has("p256dh") {
            _ = fields.required("platform", .choice(of: BrowserPlatform.self))
            self = .browser(
                endpoint: fields.required("token", token), p256dh: fields.required("p256dh", .text(atMost: 200)),
                auth: fields.required("auth", .text(atMost: 200)))
        } else {
            let platform = fields.required("platform", .choice(of: OtherPlatform.self))
            self = .other(
                Device.Platform(rawValue: platform.rawValue) ?? .webhook, token: fields.required("token", token))
        }
    }

    static let example: JSONValue = ["platform": "webhook", "token": "https://example.com/cherish"]
}

/// `POST /v1/push-actions`
struct PushActionBody: RequestBody {
    let token: String

    init(_ fields: inout Fields) {
        token = fields.required("token", .text(atMost: 100))
    }

    static let example: JSONValue = ["token": "AQ0rXh5Yx2Wq3m0uJ9b7aVbqk2m1n8p4s6t0w2y4z6A8cE"]
}

/// The account's tags.
struct TagsDocument: Codable, Sendable {
    let tags: [TagDocument]
}

/// The key with which browsers subscribe.
struct PushKeyDocument: Codable, Sendable {
    /// A point on P-256, uncompressed, in Base64url.
    let key: String
}

/// The account's devices.
struct DevicesDocument: Codable, Sendable {
    let devices: [DeviceDocument]
}

/// `GET /v1/account/export`
struct ExportQuery: RequestQuery {
    let format: ExportFormat

    init(_ fields: inout Fields) {
        format = fields.present("format", .choice(of: ExportFormat.self)) ?? .json
    }
}

extension Route {
    static let collections: [Route] = [
        Route(.get, "/v1/tags", "The tags, by name.") { ask, _, _ in
            TagsDocument(tags: try await ask.garden().tags().map(\.document))
        },
        Route(.post, "/v1/tags", "Adds a tag.", body: TagBody.self, success: .created) { ask, _, body in
            try await ask.garden().addTag(body.name, colour: body.colour, cycleDays: body.cycleDays).document
        },
        Route(.get, "/v1/tags/{tag}", "A tag, and how many friends have it.") { ask, _, _ in
            try await ask.garden().tag(try ask.id("tag", of: .tag)).document
        },
        Route(.patch, "/v1/tags/{tag}", "Changes a tag.", body: TagEditBody.self) { ask, _, body in
            let garden = try await ask.garden(editedAt: body.modifiedAt)
            return try await garden.editTag(try await garden.tagName(try ask.id("tag", of: .tag)), body.request)
                .document
        },
        Route(.delete, "/v1/tags/{tag}", "Deletes a tag; the friends stay.", query: EditTimeQuery.self) {
            ask, query, _ in
            let garden = try await ask.garden(editedAt: query.modifiedAt)
            _ = try await garden.removeTag(try await garden.tagName(try ask.id("tag", of: .tag)))
            return NoContent()
        },
        Route(.get, "/v1/devices", "The devices, the newest first.") { ask, _, _ in
            DevicesDocument(devices: try await ask.garden().devices().map(DeviceDocument.init))
        },
        // The answer has a webhook's secret, which no database keeps for later; adding again changes nothing.
        Route(
            .post, "/v1/devices", "Adds a device; the answer has the secret of a webhook.", repetition: .harmless,
            body: DeviceBody.self, success: .created
        ) { ask, _, body in
            let (garden, session) = (try await ask.garden(), try ask.signedIn.sessionID)
            switch body {
            case .browser(let endpoint, let p256dh, let auth):
                return AddedDeviceDocument(
                    try await garden.addBrowser(at: endpoint, p256dh: p256dh, auth: auth, session: session))
            case .other(let platform, let token):
                return AddedDeviceDocument(
                    try await garden.addDevice(platform: platform, token: token, session: session))
            }
        },
        Route(
            .get, "/v1/push-key", "The key with which browsers subscribe to pushes (VAPID, applicationServerKey).",
            access: .anybody
        ) { ask, _, _ in
            PushKeyDocument(key: try ask.services.care.pushKey())
        },
        // The token stands for the session that added the browser.
        Route(
            .post, "/v1/push-actions", "Puts a plant off by a day from a notification, by the token in it.",
            access: .anybody, body: PushActionBody.self
        ) { ask, _, body in
            try await ask.services.care.actFromPush(body.token)
            return NoContent()
        },
        Route(.delete, "/v1/devices/{device}", "Removes a device.") { ask, _, _ in
            guard let id = UUID(uuidString: try ask.id("device", of: .device)) else {
                throw CareError.notFound(.device)
            }
            try await ask.garden().removeDevice(Device.ID(id))
            return NoContent()
        },
        Route(
            .get, "/v1/account/export",
            "Everything that is the account's own but secrets; needs a sign-in not older than 10 minutes.",
            access: .session, repetition: .harmless, query: ExportQuery.self, body: NoBody.self, success: .ok,
            answer: .file(ExportFormat.allCases.map(\.mediaType))
        ) { ask, query, _ in
            try await ask.services.people.requireRecentProof(of: try ask.signedIn)
            let garden = try await ask.garden()
            let file = try await SpooledFile.write { write in try await garden.export(query.format, to: write) }
            return Reply(
                .ok,
                headers: [
                    .contentType: query.format.mediaType,
                    .contentDisposition: "attachment; filename=\"cherish.\(query.format.fileExtension)\"",
                ], body: [], file: file)
        },
    ]
}

extension ExportFormat {
    var mediaType: String {
        switch self {
        case .json: "application/json"
        case .csv: "text/csv; charset=utf-8"
        case .vcard: "text/vcard; charset=utf-8"
        case .ical: "text/calendar; charset=utf-8"
        }
    }

    fileprivate var fileExtension: String {
        switch self {
        case .json: "json"
        case .csv: "csv"
        case .vcard: "vcf"
        case .ical: "ics"
        }
    }
}

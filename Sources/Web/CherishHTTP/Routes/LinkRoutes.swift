import CherishCore
import CherishService
import DocumentEncoding
import HTTPTypes

// Secret links: shared reminders (rule 10.12), and calendars for other programs. Whoever has a token needs no session.

/// `POST /v1/things/{thing}/shares`
struct ShareBody: RequestBody {
    let days: Int

    init(_ fields: inout Fields) {
        days =
            fields.present("days", .integer(ThingShare.days, code: "invalid_share_days")) ?? ThingShare.usualDays
    }

    static let example: JSONValue = ["days": 7]
}

extension Route {
    static let links: [Route] = [
        Route(.get, "/v1/things/{thing}/shares", "The links to a reminder that are not over.") { ask, _, _ in
            SharesDocument(try await ask.garden().shares(of: try ask.id("thing", of: .thing)))
        },
        Route(
            .post, "/v1/things/{thing}/shares", "Makes a link to a reminder, and answers its token this once.",
            repetition: .harmless, body: ShareBody.self, success: .created
        ) { ask, _, body in
            ShareDocument(
                try await ask.garden().shareThing(try ask.id("thing", of: .thing), days: body.days), at: ask.origin)
        },
        // A parameter has one name wherever it stands: here it is the link's id or, for whoever has it, its token.
        Route(.delete, "/v1/shares/{share}", "Withdraws a link to a reminder.") { ask, _, _ in
            try await ask.garden().withdrawShare(try ask.id("share", of: .share))
            return NoContent()
        },
        Route(
            .get, "/v1/shares/{share}", "What a link to a reminder shows, by its token.", access: .anybody
        ) { ask, _, _ in
            try await ask.services.care.sharedThing(ask.parameters["share"] ?? "").document
        },
        Route(
            .post, "/v1/shares/{share}/copies", "Records a copy of what a link shows, with its alerts.",
            success: .created
        ) { ask, _, _ in
            try await ask.garden().copySharedThing(ask.parameters["share"] ?? "").document
        },
        Route(.get, "/v1/feeds", "The links to the account's calendar.") { ask, _, _ in
            FeedsDocument(try await ask.garden().feeds())
        },
        Route(
            .post, "/v1/feeds", "Makes a link to the account's calendar, and answers its token this once.",
            repetition: .harmless, body: NoBody.self, success: .created
        ) { ask, _, _ in
            FeedDocument(try await ask.garden().addFeed(), at: ask.origin)
        },
        Route(.delete, "/v1/feeds/{feed}", "Withdraws a link to the account's calendar.") { ask, _, _ in
            try await ask.garden().removeFeed(try ask.id("feed", of: .feed))
            return NoContent()
        },
        Route(
            .get, "/v1/feeds/{feed}", "The calendar that a link shows: the token, and then .ics.", access: .anybody,
            repetition: .harmless, query: NoQuery.self, body: NoBody.self, success: .ok,
            answer: .file(["text/calendar"])
        ) { ask, _, _ in
            let name = ask.parameters["feed"] ?? ""
            guard name.hasSuffix(".ics") else { throw CareError.notFound(.feed) }
            let file = try await SpooledFile.write { write in
                try await ask.services.care.calendar(ofFeed: String(name.dropLast(4)), to: write)
            }
            return Reply(
                .ok,
                headers: [
                    .contentType: "text/calendar; charset=utf-8",
                    .cacheControl: "private, max-age=300",
                    .eTag: try EntityTag.tag(of: file),
                ], body: [], file: file)
        },
    ]
}

import CherishCore
import CherishService
import DocumentEncoding
import HTTPTypes
import PictureFormat

// Shopping lists between neighbours (rule 11). A list that is not the caller's business is 404, as if it were not there.

/// `GET /v1/lists`
struct ListsQuery: RequestQuery {
    let isHelping: Bool
    let page: PageQuery

    init(_ fields: inout Fields) {
        isHelping = fields.present("helping", .flag) ?? false
        page = PageQuery(&fields)
    }
}

/// `GET /v1/lists/nearby`
struct NearbyListsQuery: RequestQuery {
    let radius: Int?

    init(_ fields: inout Fields) {
        radius = fields.present("radius", .integer(NeighbourRadius.range, code: "invalid_radius"))
    }
}

/// `POST /v1/lists`
struct ListBody: RequestBody {
    let request: ShoppingListRequest

    init(_ fields: inout Fields) {
        var request = ShoppingListRequest()
        request.title = fields.required("title", .thingTitle)
        request.note = fields.optional("note", .thingNote)
        request.deliveryNote = fields.optional("deliveryNote", .deliveryNote)
        request.entries = fields.present("entries", .listEntries) ?? []
        self.request = request
    }

    static let example: JSONValue = [
        "title": "장보기", "deliveryNote": "문 앞에 놓아 주세요.",
        "entries": [["name": "우유", "quantity": "2 l"], ["name": "달걀"]],
    ]
}

/// `PATCH /v1/lists/{list}`
struct ListEditBody: RequestBody {
    let request: ShoppingListRequest
    let modifiedAt: Instant?

    init(_ fields: inout Fields) {
        var request = ShoppingListRequest()
        request.title = fields.present("title", .thingTitle)
        request.note = fields.removable("note", .thingNote).map { $0 ?? "" }
        request.deliveryNote = fields.removable("deliveryNote", .deliveryNote).map { $0 ?? "" }
        request.entries = fields.present("entries", .listEntries)
        self.request = request
        modifiedAt = fields.editTime()
    }

    static let example: JSONValue = ["entries": [["name": "우유", "quantity": "1 l"]]]
}

/// `PUT /v1/lists/{list}/entries/{number}/bought`
struct BoughtBody: RequestBody {
    let isBought: Bool

    init(_ fields: inout Fields) {
        isBought = fields.present("bought", .flag) ?? true
    }

    static let example: JSONValue = ["bought": true]
}

/// `PUT /v1/lists/{list}/rating`
struct RatingBody: RequestBody {
    let points: Int

    init(_ fields: inout Fields) {
        points = fields.required("points", .integer(HelperRating.range, code: "invalid_rating"))
    }

    static let example: JSONValue = ["points": 5]
}

/// `POST /v1/lists/{list}/reports`
struct ListReportBody: RequestBody {
    let reason: String

    init(_ fields: inout Fields) {
        reason = fields.required("reason", .listReport)
    }

    static let example: JSONValue = ["reason": "돈을 먼저 보내 달라고 해요."]
}

/// `POST /v1/blocks`
struct BlockBody: RequestBody {
    let list: String

    init(_ fields: inout Fields) {
        list = fields.required("listId", .id).uuidString
    }

    static let example: JSONValue = ["listId": "0d5c0a0e-6f0e-4a53-9d1c-4b8f2f6f9a11"]
}

extension Kind<String> {
    static let deliveryNote = text(atMost: 6_000).list { text throws(ShoppingListError) in _ = try DeliveryNote(text) }
    static let listReport = text(atMost: 10_000).list { text throws(ShoppingListError) in _ = try ListReportText(text) }
    static let entryName = text(atMost: 1_200).list { text throws(ShoppingListError) in _ = try EntryName(text) }
    static let entryQuantity = text(atMost: 400).list { text throws(ShoppingListError) in _ = try EntryQuantity(text) }

    /// The same text, if a rule of lists accepts it.
    private func list(_ check: @escaping @Sendable (String) throws(ShoppingListError) -> Void) -> Kind {
        let read = read
        return Kind(schema: schema, placeholder: placeholder) { value throws(InvalidValue) in
            let text = try read(value)
            do throws(ShoppingListError) {
                try check(text)
            } catch {
                throw InvalidValue(.refusedList(error))
            }
            return text
        }
    }
}

extension Kind<[ListEntryRequest]> {
    static let listEntries = list(of: .listEntry, atMost: ShoppingList.mostEntries)
}

extension Kind<ListEntryRequest> {
    static let listEntry = object(placeholder: ListEntryRequest(name: "")) { fields throws(InvalidValue) in
        ListEntryRequest(
            name: fields.required("name", .entryName), quantity: fields.optional("quantity", .entryQuantity))
    }
}

extension Route {
    static let lists: [Route] = ownersLists + helpersLists + receipts + blocks

    private static let ownersLists: [Route] = [
        Route(
            .get, "/v1/lists", "The account's shopping lists, the newest first; or those that it helps with.",
            query: ListsQuery.self
        ) { ask, query, _ in
            let garden = try await ask.garden()
            let lists =
                query.isHelping ? try await garden.errands.lists() : try await garden.shoppingLists()
            return Page.of(lists, query.page, id: \.list.id.description) {
                ListsPage(lists: $0.map(\.document), next: $1)
            }
        },
        Route(
            .post, "/v1/lists", "Begins a shopping list, which nobody else sees yet.", body: ListBody.self,
            success: .created
        ) {
            ask, _, body in
            try await ask.garden().writeList(body.request).document
        },
        Route(.get, "/v1/lists/{list}", "A shopping list, for its owner and its helper.") { ask, _, _ in
            let (garden, list) = (try await ask.garden(), try ask.list)
            do {
                return try await garden.shoppingList(list).document
            } catch CareError.notFound(.list) {
                return try await garden.errands.list(list).document
            }
        },
        Route(
            .patch, "/v1/lists/{list}", "Changes a draft or an open list; its entries are replaced together.",
            body: ListEditBody.self
        ) { ask, _, body in
            try await ask.garden(editedAt: body.modifiedAt).editList(try ask.list, body.request).document
        },
        Route(.delete, "/v1/lists/{list}", "Deletes a draft.", query: EditTimeQuery.self) { ask, query, _ in
            try await ask.garden(editedAt: query.modifiedAt).removeList(try ask.list).document
        },
        Route(.post, "/v1/lists/{list}/opening", "Lets neighbours find a draft, for 168 hours.") { ask, _, _ in
            try await ask.garden().openList(try ask.list).document
        },
        Route(.post, "/v1/lists/{list}/cancellation", "Takes a list back that was not delivered.") { ask, _, _ in
            try await ask.garden().cancelList(try ask.list).document
        },
        Route(
            .put, "/v1/lists/{list}/rating", "Rates the helper of a delivered list, once.", body: RatingBody.self
        ) { ask, _, body in
            try await ask.garden().rateHelper(try ask.list, points: body.points).document
        },
    ]

    private static let helpersLists: [Route] = [
        Route(
            .get, "/v1/lists/nearby", "Open lists of neighbours, the nearest first, at most 50.",
            query: NearbyListsQuery.self
        ) { ask, query, _ in
            NearbyListsDocument(try await ask.garden().errands.nearby(within: query.radius))
        },
        Route(
            .post, "/v1/lists/{list}/acceptance", "Accepts a list of somebody else: the first one wins.",
            repetition: .harmless, body: NoBody.self, success: .ok
        ) { ask, _, _ in
            try await ask.garden().errands.accept(try ask.list).document
        },
        Route(.delete, "/v1/lists/{list}/acceptance", "Gives a list back.") { ask, _, _ in
            try await ask.garden().errands.release(try ask.list)
            return NoContent()
        },
        Route(
            .put, "/v1/lists/{list}/entries/{number}/bought", "Marks an entry as bought, or as not bought after all.",
            body: BoughtBody.self
        ) { ask, _, body in
            guard let number = ask.parameters["number"].flatMap({ Int($0) }) else { throw CareError.notFound(.list) }
            return try await ask.garden().errands.mark(try ask.list, number, isBought: body.isBought).document
        },
        Route(
            .post, "/v1/lists/{list}/delivery", "Says that the shopping was delivered.", repetition: .harmless,
            body: NoBody.self, success: .ok
        ) { ask, _, _ in
            try await ask.garden().errands.deliver(try ask.list).document
        },
        Route(
            .post, "/v1/lists/{list}/reports", "Tells the operator about a list.", repetition: .harmless,
            body: ListReportBody.self
        ) { ask, _, body in
            try await ask.garden().errands.report(try ask.list, reason: body.reason)
            return NoContent()
        },
    ]

    private static let receipts: [Route] = [
        Route(
            .get, "/v1/lists/{list}/receipt", "The receipt, for the owner and the helper.", access: .session,
            repetition: .harmless, query: NoQuery.self, body: NoBody.self, success: .ok,
            answer: .file([ShoppingReceipt.Format.jpeg.rawValue, ShoppingReceipt.Format.pdf.rawValue])
        ) { ask, _, _ in
            let receipt = try await ask.receipt()
            let disposition =
                switch receipt.format {
                case .jpeg: "inline; filename=\"receipt.jpg\""
                // Not even a harmless document is shown as a page of ours.
                case .pdf: "attachment; filename=\"receipt.pdf\""
                }
            return Reply(
                .ok, headers: [.contentType: receipt.format.rawValue, .contentDisposition: disposition],
                body: receipt.bytes)
        },
        Route(
            .put, "/v1/lists/{list}/receipt",
            "Attaches a receipt, which only the two see; nothing of the file is kept but pixels or pages.",
            file: ["image/jpeg", "image/png", "image/webp", "application/pdf"], mostBytes: PictureLimits.mostBytes
        ) { ask in
            try await ask.attachReceipt(ask.body)
        },
        Route(.delete, "/v1/lists/{list}/receipt", "Takes the receipt away.") { ask, _, _ in
            try await ask.garden().errands.removeReceipt(of: try ask.list)
            return NoContent()
        },
    ]

    private static let blocks: [Route] = [
        Route(.get, "/v1/blocks", "Whom the account has blocked.") { ask, _, _ in
            BlocksDocument(try await ask.garden().errands.blocks())
        },
        Route(
            .post, "/v1/blocks", "Blocks the other person of a list: neither finds the other's lists again.",
            body: BlockBody.self, success: .created
        ) { ask, _, body in
            BlockDocument(try await ask.garden().errands.block(ofList: body.list))
        },
        Route(.delete, "/v1/blocks/{block}", "Ends a block.") { ask, _, _ in
            try await ask.garden().errands.unblock(try ask.id("block", of: .block))
            return NoContent()
        },
    ]
}

extension Ask {
    fileprivate var list: String { get throws { try id("list", of: .list) } }

    /// The receipt of the list in the path, for its owner or its helper.
    fileprivate func receipt() async throws -> ShoppingReceipt {
        let (garden, list) = (try await garden(), try list)
        do {
            return try await garden.receipt(ofList: list)
        } catch CareError.notFound(.list) {
            return try await garden.errands.receipt(of: list)
        }
    }

    /// Makes a receipt of what the helper of the list in the path sends.
    package func attachReceipt(_ bytes: [UInt8]) async throws {
        let (errands, list) = (try await garden().errands, try list)
        // Before anything is made for a stranger.
        _ = try await errands.list(list)
        try await errands.attach(receipt: try await services.pictures.receipt(from: bytes), to: list)
    }
}

/// A page of shopping lists.
struct ListsPage: Codable, Sendable {
    let lists: [ShoppingListDocument]
    /// The cursor of the next page; null on the last.
    let next: Nullable<String>
}

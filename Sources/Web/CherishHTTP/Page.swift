import CherishCore
import CherishService

/// Where the next page of a list begins: after an item, or at its place if the item is gone.
struct Cursor: Sendable, Equatable {
    let place: Int
    let id: String

    init(place: Int, id: String) {
        (self.place, self.id) = (place, id)
    }

    /// Reads what ``text`` wrote; nil for other text.
    init?(_ text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard parts.count == 2, let place = Int(parts[0]), place >= 0 else { return nil }
        self.init(place: place, id: String(parts[1]))
    }

    /// Opaque to clients.
    var text: String { Base64URL.encode(Array("\(place) \(id)".utf8)) }
}

extension Kind<Cursor> {
    static let cursor = Kind(
        schema: ["type": "string", "maxLength": 200], placeholder: Cursor(place: 0, id: ""),
        read: { value throws(InvalidValue) in
            guard case .string(let text) = value, text.utf8.count <= 200, let cursor = Cursor(text) else {
                throw InvalidValue(.notACursor)
            }
            return cursor
        })
}

extension Kind<Int> {
    /// How many items a page has at most.
    static let pageLength = integer(1...200)
}

/// Cuts pages out of lists.
enum Page {
    /// - Parameter document: receives the items of the page and the cursor of the next one.
    static func of<Item, Document>(
        _ items: [Item], _ query: PageQuery, id: (Item) -> String,
        _ document: ([Item], Nullable<String>) -> Document
    ) -> Document {
        let start =
            query.after.map { cursor in
                items.firstIndex { id($0) == cursor.id }.map { $0 + 1 } ?? min(cursor.place, items.count)
            } ?? 0
        let end = min(start + query.limit, items.count)
        let page = Array(items[start..<end])
        let next = end < items.count ? page.last.map { Cursor(place: end, id: id($0)).text } : nil
        return document(page, Nullable(next))
    }
}

import CherishCore
import Foundation

/// A change of an account that a device knows of.
public struct ChangeMark: Hashable, Sendable {
    /// 0 before the first change.
    public let number: Int
    /// When it was noted. Tells whether a database that was put back from a backup has the same change.
    public let notedAt: Instant

    static let beginning = ChangeMark(number: 0, notedAt: Instant(microsecondsSinceEpoch: 0))
}

/// Where a device stands in the changes of its account.
public enum ChangeCursor: Hashable, Sendable {
    /// Everything before a change is known, and of that change the first items; nil is all.
    case following(ChangeMark, items: Int?)
    /// Everything is being read, and is known up to an item. Then come the changes after the mark.
    case reading(ChangeMark, upTo: ReadItem)

    /// The last item of a page, when everything is read.
    public struct ReadItem: Hashable, Sendable {
        let kind: ChangedItem.Kind
        let id: UUID
        /// Of a watering.
        let number: Int

        static func beginning(of kind: ChangedItem.Kind) -> ReadItem {
            ReadItem(kind: kind, id: Plant.ID.least.uuid, number: 0)
        }
    }
}

extension ChangeCursor {
    /// Before the first change.
    public static let beginning = ChangeCursor.following(.beginning, items: nil)
}

extension ChangeCursor: CustomStringConvertible {
    /// No change has so many items. A cursor comes from a client, which may have made it up.
    private static let mostItems = 100_000_000

    /// Reads what ``description`` wrote; nil for other text.
    public init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count >= 3, let number = Int(parts[0]), number >= 0, let time = Int64(parts[1]) else { return nil }
        let mark = ChangeMark(number: number, notedAt: Instant(microsecondsSinceEpoch: time))
        if parts.count == 3 {
            guard let items = Int(parts[2]), 0...Self.mostItems ~= items else { return nil }
            self = .following(mark, items: items == 0 ? nil : items)
        } else {
            guard parts.count == 5, let kind = ChangedItem.Kind(rawValue: String(parts[2])),
                let id = UUID(uuidString: String(parts[3])), let number = Int(parts[4]), 0...Int(Int32.max) ~= number
            else { return nil }
            self = .reading(mark, upTo: ReadItem(kind: kind, id: id, number: number))
        }
    }

    public var description: String {
        switch self {
        case .following(let mark, let items): "\(mark.number) \(mark.notedAt.microsecondsSinceEpoch) \(items ?? 0)"
        case .reading(let mark, let item):
            """
            \(mark.number) \(mark.notedAt.microsecondsSinceEpoch) \(item.kind.rawValue) \(item.id.uuidString.lowercased()) \
            \(item.number)
            """
        }
    }
}

/// The cursor is older than the changes that are kept, or of another database: read everything again (rule 14.2).
public struct ChangeCursorExpired: Error, Sendable {
    public init() {}
}

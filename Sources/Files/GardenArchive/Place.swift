import CherishCore
import Foundation

/// A position in a document: converts the values there and reports their problems.
struct Place {
    /// The document as a whole.
    static let document = Place(path: "")

    let path: String
    /// For a list that holds only some elements: their indices in the document. nil if it holds all.
    private var indices: [Int]?

    private init(path: String) {
        self.path = path
    }

    /// The position of a decoding error.
    init(_ codingPath: [any CodingKey]) {
        self = codingPath.reduce(.document) { place, key in
            key.intValue.map { place[$0] } ?? place[key.stringValue]
        }
    }

    subscript(key: String) -> Place {
        Place(path: path.isEmpty ? key : "\(path).\(key)")
    }

    subscript(index: Int) -> Place {
        Place(path: "\(path)[\(indices?[index] ?? index)]")
    }

    /// The same place, for a list that holds only some of the document's elements.
    func holding(_ indices: [Int]?) -> Place {
        var place = self
        place.indices = indices
        return place
    }

    func problem(_ reason: String) -> ExportProblem {
        ExportProblem(path: path, reason: reason)
    }
}

// Conversion of the document's texts to domain values.
extension Place {
    func identifier<Owner>(_ text: String) throws -> Identifier<Owner> {
        guard let uuid = UUID(uuidString: text) else {
            throw problem("this is no id; write a UUID like 3f2504e0-4f89-41d3-9a0c-0305e82c3301")
        }
        return Identifier(uuid)
    }

    func day(_ text: String) throws -> CivilDay {
        guard let day = CivilDay(text) else { throw problem("\"\(text)\" is no day; write it like 2027-03-02") }
        return day
    }

    func instant(_ text: String) throws -> Instant {
        guard let instant = Instant(text), Place.instants.contains(instant) else {
            throw problem(
                "\"\(text)\" is no instant of the years 1 to 9999; write RFC 3339 like 2027-03-02T00:00:00Z")
        }
        return instant
    }

    /// Instants that lie in the years 1 to 9999 in every zone.
    private static let instants = Instant("0001-01-02T00:00:00Z")!...Instant("9999-12-30T23:59:59.999999Z")!

    func label<Label: RawRepresentable & CaseIterable>(_ text: String) throws -> Label where Label.RawValue == String {
        guard let label = Label(rawValue: text) else {
            throw unknown(text, Label.allCases.map(\.rawValue))
        }
        return label
    }

    /// A text that is none of the labels.
    func unknown(_ text: String, _ labels: [String]) -> ExportProblem {
        problem("\"\(text)\" is not known; write one of \(labels.joined(separator: ", "))")
    }

    /// Runs a check of the care rules and reports its error at this place.
    func checked<Value>(_ make: () throws -> Value) throws -> Value {
        do {
            return try make()
        } catch let error as CareError {
            throw problem(error.description)
        } catch let error as ThingError {
            throw problem(error.description)
        }
    }

    /// Reads all elements of a list; a missing list is empty.
    func each<Element, Value>(_ elements: [Element]?, _ read: (Element, Place) throws -> Value) throws -> [Value] {
        try (elements ?? []).enumerated().map { index, element in try read(element, self[index]) }
    }
}

// Constraints between the elements of a list.
extension Place {
    /// - Throws: ``ExportProblem`` at the first element with a repeated key.
    func requireUnique<Key: Hashable>(_ keys: [Key], _ name: String) throws {
        var seen: Set<Key> = []
        for (index, key) in keys.enumerated() where !seen.insert(key).inserted {
            throw self[index].problem("one before it has the same \(name); keep one of them")
        }
    }

    /// - Throws: ``ExportProblem`` at the first element whose number is not its position, counted from 1.
    func requireNumbered(_ numbers: [Int]) throws {
        for (index, number) in numbers.enumerated() where number != index + 1 {
            throw self[index]["number"].problem(
                "is \(number); they are numbered 1, 2, 3 … in their order: write \(index + 1)")
        }
    }

    /// A version; documents of before there were any have none.
    ///
    /// - Throws: ``ExportProblem`` for a number below 1.
    func version(_ number: Int?) throws -> Int {
        guard let number else { return 1 }
        guard number >= 1 else { throw problem("is \(number); versions begin with 1") }
        return number
    }

    /// - Throws: ``ExportProblem`` if a count differs from the length of the list.
    func requireCount(_ count: Int, of list: String, _ length: Int) throws {
        guard count == length else { throw problem("is \(count), but \(list) has \(length); write \(length)") }
    }
}

// Tags of friends and things, which documents name.
extension Place {
    /// - Throws: ``ExportProblem`` for a tag that the account does not have.
    func names(of ids: [Tag.ID], _ tagNames: [Tag.ID: String]) throws -> [String] {
        try each(ids) { id, place in
            guard let name = tagNames[id] else { throw place.problem("the account has no tag \(id); remove it") }
            return name
        }
    }

    /// - Parameter tagIDs: The tags of the account.
    /// - Throws: ``ExportProblem`` for a tag that is not among them or is repeated, and for too many.
    func tagIDs(_ names: [String]?, _ tagIDs: [TagName: Tag.ID]) throws -> [Tag.ID] {
        let found: [Tag.ID] = try each(names) { text, place in
            let name = try place.checked { try TagName(text) }
            guard let id = tagIDs[name] else {
                throw place.problem("the account has no tag \"\(text)\"; add it to the document's tags")
            }
            return id
        }
        guard found.count <= Tag.maximumPerFriend else {
            throw problem("these are \(found.count) tags; keep \(Tag.maximumPerFriend)")
        }
        try requireUnique(found, "name")
        return found
    }
}

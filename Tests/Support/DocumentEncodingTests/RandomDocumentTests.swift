import CherishTestSupport
import Foundation
import SeededChance
import Testing

/// Any document, encoded in all the ways that `Encoder` offers.
private indirect enum Tree: Encodable {
    enum Colour: String, Encodable, CaseIterable {
        case green, red
    }

    /// Anything that the standard library encodes by itself.
    case leaf(any Encodable)
    case absent
    case nothing
    case single(Tree)
    case list([Tree])
    case object([(name: String, value: Tree)])
    /// Containers and encoders in each other.
    case nested([(name: String, value: Tree)], Tree)

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .leaf(let value): try value.encode(to: encoder)
        case .absent:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .nothing: break
        case .single(let value):
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .list(let values):
            var container = encoder.unkeyedContainer()
            for value in values { try container.encode(value) }
        case .object(let members):
            var container = encoder.container(keyedBy: Name.self)
            for (name, value) in members { try container.encodeIfPresent(value, forKey: Name(stringValue: name)) }
        case .nested(let members, let other): try encodeNested(members, other, to: encoder)
        }
    }

    private func encodeNested(_ members: [(name: String, value: Tree)], _ other: Tree, to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Name.self)
        var inner = object.nestedContainer(keyedBy: Name.self, forKey: "inner object")
        for (name, value) in members { try inner.encode(value, forKey: Name(stringValue: name)) }
        try inner.encodeNil(forKey: "null")
        var list = object.nestedUnkeyedContainer(forKey: "inner list")
        try list.encodeNil()
        try list.encode(other)
        var innermost = list.nestedContainer(keyedBy: Name.self)
        try innermost.encode(other, forKey: "other")
        var lists = list.nestedUnkeyedContainer()
        for (_, value) in members { try lists.encode(value) }
        try other.encode(to: list.superEncoder())
        try list.encode(members.map(\.name))
        try other.encode(to: object.superEncoder())
        _ = object.superEncoder(forKey: "unused")
        // The same object once more, as a superclass and its subclass encode.
        var again = encoder.container(keyedBy: Name.self)
        try other.encode(to: again.superEncoder(forKey: "last"))
    }

    static func random(_ chance: inout SplitMix64, depth: Int) -> Tree {
        let kind = chance.number(in: 0...(depth == 0 ? 3 : 9))
        let count = chance.number(in: 0...4)
        func members(_ chance: inout SplitMix64) -> [(name: String, value: Tree)] {
            let names = Set((0..<count).map { _ in chance.text() })
            return names.sorted().map { ($0, random(&chance, depth: depth - 1)) }
        }
        switch kind {
        case 0...2: return .leaf(chance.leaf())
        case 3: return chance.chance(50) ? .absent : .nothing
        case 4: return .single(random(&chance, depth: depth - 1))
        case 5...6: return .list((0..<count).map { _ in random(&chance, depth: depth - 1) })
        case 7...8: return .object(members(&chance))
        default: return .nested(members(&chance), random(&chance, depth: depth - 1))
        }
    }
}

extension SplitMix64 {
    fileprivate mutating func text() -> String {
        let alphabet: [Character] = [
            "\"", "\\", "/", "\u{0}", "\u{1F}", "\n", "\u{7F}", "a", "é", "가", "\u{2028}", "👨‍👩‍👧‍👦",
        ]
        return String((0..<number(in: 0...20)).map { _ in element(of: alphabet) })
    }

    fileprivate mutating func leaf() -> any Encodable {
        let bits = next()
        let double = Double(bitPattern: bits)
        let float = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
        let leaves: [any Encodable] = [
            text(), Bool.random(using: &self), double.isFinite ? double : 0.5, float.isFinite ? float : 0.25,
            Double(number(in: -100...100)), Int(truncatingIfNeeded: bits), Int8(truncatingIfNeeded: bits),
            Int16(truncatingIfNeeded: bits), Int32(truncatingIfNeeded: bits), Int64(truncatingIfNeeded: bits),
            UInt(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits), UInt16(truncatingIfNeeded: bits),
            UInt32(truncatingIfNeeded: bits), bits, [text(), text()], [Int](), [[1, 2], [3]], [true, nil, false],
            [text(): 1], [text(): [text(): [text()]]], [1: "a"], element(of: Tree.Colour.allCases), Int?.none as Int?,
            [text() as String?, nil], 1...3,
        ]
        return element(of: leaves)
    }
}

@Suite("Random documents")
struct RandomDocumentTests {
    @Test("say the same as JSONEncoder's", arguments: 1...10 as ClosedRange<UInt64>)
    func same(seed: UInt64) throws {
        var chance = SplitMix64(seed: seed)
        for _ in 1...repetitions(1000, inDebug: 100) {
            // JSONEncoder refuses a document that encodes nothing, so each is in a list.
            let tree = [Tree.random(&chance, depth: 4)]
            #expect(try normalized(text(tree)) == normalized(foundationText(tree)))
        }
    }
}

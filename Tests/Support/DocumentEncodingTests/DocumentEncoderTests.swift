import DocumentEncoding
import Foundation
import Testing

@Suite("Documents as JSON")
struct DocumentEncoderTests {
    /// Absent values are null in `Nullable`, and left out in optionals.
    private struct Plant: Codable {
        enum Stage: String, Codable {
            case sprout, flower
        }

        struct Nullable<Value: Codable>: Codable {
            let value: Value?

            init(_ value: Value?) {
                self.value = value
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                if let value { try container.encode(value) } else { try container.encodeNil() }
            }
        }

        struct Tag: Codable {
            let name: String
            var colour: String?
        }

        var name = "하나"
        var birthday = Nullable<String>(nil)
        var id = Nullable("a/b")
        var days = Nullable(7)
        var gauge = 0.5
        var full = true
        var stage = Stage.flower
        var alarm: String?
        var keywords = ["b", "a"]
        var tags = [Tag(name: "친구"), Tag(name: "x", colour: "#fff")]
        var parent = Nullable(Tag(name: "y"))
        var none: [String] = []
    }

    private static let plant = """
        {"name":"하나","birthday":null,"id":"a/b","days":7,"gauge":0.5,"full":true,"stage":"flower",\
        "keywords":["b","a"],"tags":[{"name":"친구"},{"name":"x","colour":"#fff"}],"parent":{"name":"y"},"none":[]}
        """

    @Test("names come in the order in which they are declared")
    func order() throws {
        #expect(try text(Plant()) == Self.plant)
        #expect(try text([Plant(), Plant()]) == "[\(Self.plant),\(Self.plant)]")
        #expect(try normalized(text(Plant())) == normalized(foundationText(Plant())))
    }

    @Test("a document may be larger than the space that is reserved for it")
    func large() throws {
        // The longest escapes: nothing takes more space.
        let text = String(repeating: "\u{1}", count: 100_000)
        #expect(try Self.same([[text: text], [text: "가"]]))
    }

    private static func same(_ document: some Encodable) throws -> Bool {
        try text(document) == foundationText(document)
    }

    @Test("a document that encodes nothing is an empty object, wherever it stands")
    func nothing() throws {
        struct Empty: Codable {}
        let nothing = Custom { _ in }
        #expect(try text(Empty()) == "{}")
        #expect(try text(nothing) == "{}")
        #expect(try text([nothing, nothing]) == "[{},{}]")
        #expect(try text(["a": nothing]) == #"{"a":{}}"#)
        #expect(try text(Optional(nothing)) == "{}")
        #expect(try text([Int]()) == "[]")
        #expect(try text([String: Int]()) == "{}")
        #expect(try text(Custom { encoder in _ = encoder.unkeyedContainer() }) == "[]")
        #expect(try text(Custom { encoder in _ = encoder.singleValueContainer() }) == "{}")
    }

    @Test("a document may be a single value")
    func fragments() throws {
        #expect(try text("a") == #""a""#)
        #expect(try text(true) == "true")
        #expect(try text(false) == "false")
        #expect(try text(Int?.none) == "null")
        #expect(try text(["a", "b"]) == #"["a","b"]"#)
        #expect(try text(["a", nil]) == #"["a",null]"#)
        #expect(try text([["a"], []]) == #"[["a"],[]]"#)
    }

    @Test("a value may open its container again, and goes on in it")
    func reopened() throws {
        let object = Custom { encoder in
            var first = encoder.container(keyedBy: Name.self)
            try first.encode(1, forKey: "a")
            var second = encoder.container(keyedBy: Name.self)
            try second.encode(2, forKey: "b")
            try first.encode(3, forKey: "c")
        }
        #expect(try text(object) == #"{"a":1,"b":2,"c":3}"#)
        let list = Custom { encoder in
            var first = encoder.unkeyedContainer()
            #expect(first.count == 0)
            try first.encode(["a", "b"])
            var inner = first.nestedUnkeyedContainer()
            try inner.encodeNil()
            #expect(first.count == 2)
            #expect(inner.count == 1)
            var second = encoder.unkeyedContainer()
            try second.encode(2)
            #expect(second.count == 3)
            #expect(first.count == 3)
        }
        #expect(try text(list) == #"[["a","b"],[null],2]"#)
    }

    @Test("a subclass and its superclass encode into one document")
    func classes() throws {
        class Base: Encodable {
            let base = 1
        }
        class Sub: Base {
            enum Key: String, CodingKey {
                case sub
            }

            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try super.encode(to: container.superEncoder())
                try container.encode("s", forKey: .sub)
            }
        }
        #expect(try text(Sub()) == #"{"super":{"base":1},"sub":"s"}"#)
        #expect(try text([Base(), Sub()]) == #"[{"base":1},{"super":{"base":1},"sub":"s"}]"#)
    }

    @Test("a nested container ends when its parent goes on, and fails the document if it is used again")
    func ended() throws {
        func document(_ isUsedAgain: Bool) -> Custom {
            Custom { encoder in
                var parent = encoder.container(keyedBy: Name.self)
                var first = parent.nestedContainer(keyedBy: Name.self, forKey: "first")
                try first.encode(1, forKey: "a")
                var second = parent.nestedContainer(keyedBy: Name.self, forKey: "second")
                try second.encode(2, forKey: "a")
                if isUsedAgain { try first.encode(3, forKey: "b") }
                try second.encode(4, forKey: "b")
                try parent.encode(5, forKey: "c")
            }
        }
        #expect(try text([document(false)]) == #"[{"first":{"a":1},"second":{"a":2,"b":4},"c":5}]"#)
        #expect(throws: EncodingError.self) { try text([document(true)]) }
    }

    @Test("whatever is used after the end of its value fails the document that is being written")
    func escaped() throws {
        final class Keeper {
            var encoder: (any Encoder)?
            var list: (any UnkeyedEncodingContainer)?
        }
        let keeper = Keeper()
        let kept = Custom { encoder in
            keeper.encoder = encoder
            keeper.list = encoder.unkeyedContainer()
        }
        #expect(throws: EncodingError.self) { try text([kept, Custom { _ in try keeper.list?.encode(1) }]) }
        #expect(throws: EncodingError.self) {
            try text([kept, Custom { _ in _ = keeper.encoder?.unkeyedContainer() }])
        }
        #expect(throws: EncodingError.self) {
            try text([kept, Custom { _ in try 1.encode(to: #require(keeper.encoder)) }])
        }
        // A parent that goes on while its element is being encoded.
        #expect(throws: EncodingError.self) {
            try text(
                Custom { encoder in
                    var list = encoder.unkeyedContainer()
                    try list.encode(
                        Custom { _ in
                            var again = encoder.unkeyedContainer()
                            try again.encodeNil()
                        })
                })
        }
        // Afterwards it does nothing.
        let bytes = try DocumentEncoder.bytes(of: kept)
        try keeper.list?.encode("more")
        #expect(bytes == Array("[]".utf8))
    }

    @Test("two values in one place fail the document")
    func second() throws {
        let ways: [(any Encoder) throws -> Void] = [
            { try 1.encode(to: $0) },
            { try "a".encode(to: $0) },
            { try Int?.none.encode(to: $0) },
            { try [1].encode(to: $0) },
            { try ["a": 1].encode(to: $0) },
        ]
        for (first, one) in ways.enumerated() {
            for (second, other) in ways.enumerated() where !(first == second && first >= 3) {
                let document = Custom { encoder in
                    try one(encoder)
                    try other(encoder)
                }
                #expect(throws: EncodingError.self, "\(first) \(second)") { try text(document) }
                #expect(throws: EncodingError.self, "\(first) \(second)") { try text(["a": document]) }
            }
        }
    }

    @Test("an error fails the document, even if it is caught inside")
    func caught() throws {
        struct Refusal: Error {}
        let refusal = Custom { encoder in
            var container = encoder.container(keyedBy: Name.self)
            try container.encode(1, forKey: "half")
            throw Refusal()
        }
        #expect(throws: Refusal.self) { try text(refusal) }
        #expect(throws: Refusal.self) { try text(["a": [refusal]]) }
        let ways: [(any Encoder) -> Void] = [
            { encoder in
                var container = encoder.container(keyedBy: Name.self)
                try? container.encode(refusal, forKey: "a")
                try? container.encode(1, forKey: "b")
            },
            { encoder in
                var container = encoder.unkeyedContainer()
                try? container.encode(refusal)
                try? container.encode(1)
            },
            { encoder in
                var container = encoder.singleValueContainer()
                try? container.encode(refusal)
            },
        ]
        for way in ways { #expect(throws: Refusal.self) { try text([Custom { encoder in way(encoder) }]) } }
        let number = Custom { encoder in
            var container = encoder.container(keyedBy: Name.self)
            try? container.encode(Double.nan, forKey: "a")
        }
        #expect(throws: EncodingError.self) { try text(number) }
    }

    // What follows is not what one might wish, but what the documentation says.

    @Test("a name that is encoded twice is written twice")
    func twice() throws {
        let document = Custom { encoder in
            var container = encoder.container(keyedBy: Name.self)
            try container.encode(1, forKey: "a")
            try container.encode(2, forKey: "a")
        }
        #expect(try text(document) == #"{"a":1,"a":2}"#)
    }

    @Test("Foundation's types look as they encode themselves, not always as JSONEncoder writes them")
    func foundationTypes() throws {
        #expect(try Self.same([Date(timeIntervalSinceReferenceDate: 1.5), Date.distantPast]))
        #expect(try Self.same([UUID()]))
        #expect(try text(Data([1, 2])) == "[1,2]")
        #expect(try text(try #require(URL(string: "https://example.com"))) == #"{"relative":"https://example.com"}"#)
        #expect(try text(Decimal(1)).hasPrefix(#"{"exponent":0,"#))
    }
}

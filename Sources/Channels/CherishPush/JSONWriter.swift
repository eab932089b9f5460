import CherishCore

/// Writes JSON straight as bytes, with keys in the order of the calls. Payloads are small and many: `JSONEncoder` takes
/// some ten times as long for each.
public struct JSONWriter {
    public private(set) var bytes: [UInt8] = []
    /// Whether the next member is the first of its object.
    private var isFirst = true

    public init(capacity: Int = 512) {
        bytes.reserveCapacity(capacity)
    }

    /// Writes an object whose members `body` writes.
    public mutating func object(_ body: (inout JSONWriter) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        isFirst = true
        body(&self)
        bytes.append(UInt8(ascii: "}"))
        isFirst = false
    }

    /// Writes a member that is an object.
    public mutating func member(_ key: StaticString, _ body: (inout JSONWriter) -> Void) {
        self.key(key)
        object(body)
    }

    /// Writes a member that is a text.
    public mutating func member(_ key: StaticString, _ text: String) {
        self.key(key)
        string(text)
    }

    /// Writes null if there is no text.
    public mutating func member(_ key: StaticString, _ text: String?) {
        self.key(key)
        if let text { string(text) } else { bytes += "null".utf8 }
    }

    /// Writes a value whose text needs no escapes: an id, a day or an instant.
    public mutating func member(_ key: StaticString, _ value: some TextWritable) {
        self.key(key)
        bytes.append(UInt8(ascii: "\""))
        value.write(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a member that is an integer.
    public mutating func member(_ key: StaticString, _ number: Int) {
        self.key(key)
        bytes.append(decimal: number)
    }

    /// Writes a member that is an object.
    ///
    /// - Parameter key: any text.
    public mutating func member(named key: String, _ body: (inout JSONWriter) -> Void) {
        separate()
        string(key)
        bytes.append(UInt8(ascii: ":"))
        object(body)
    }

    /// Writes a member that is a list of objects.
    public mutating func member<Item>(
        _ key: StaticString, of items: [Item], _ body: (inout JSONWriter, Item) -> Void
    ) {
        self.key(key)
        bytes.append(UInt8(ascii: "["))
        for (place, item) in items.enumerated() {
            if place > 0 { bytes.append(UInt8(ascii: ",")) }
            object { body(&$0, item) }
        }
        bytes.append(UInt8(ascii: "]"))
        isFirst = false
    }

    mutating func newLine() {
        bytes.append(UInt8(ascii: "\n"))
    }

    /// - Parameter key: needs no escapes.
    private mutating func key(_ key: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        key.withUTF8Buffer { bytes += $0 }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    /// Begins the next member of an object.
    private mutating func separate() {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
    }

    /// Escapes what RFC 8259 (section 7) requires, and nothing else.
    private mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { octets in
            var start = 0
            for (place, octet) in octets.enumerated() where octet < 0x20 || octet == 0x22 || octet == 0x5C {
                bytes += octets[start..<place]
                escape(octet)
                start = place + 1
            }
            bytes += octets[start...]
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ octet: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch octet {
        case 0x22, 0x5C: bytes.append(octet)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        default:
            bytes += "u00".utf8
            bytes.append(UInt8(hexadecimalDigitOf: octet >> 4))
            bytes.append(UInt8(hexadecimalDigitOf: octet & 0xF))
        }
    }
}

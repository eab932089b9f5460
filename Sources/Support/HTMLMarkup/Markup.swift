/// HTML or SVG. Interpolation escapes everything but markup, so nothing that a user wrote becomes an element.
///
///     let cell: Markup = "<td>\(keyword)</td>"
package struct Markup: ExpressibleByStringInterpolation, Sendable {
    /// UTF-8. A page is made of thousands of pieces, and bytes are put together in half the time that strings take.
    package private(set) var bytes: [UInt8]

    package var source: String { String(decoding: bytes, as: UTF8.self) }

    package init(stringLiteral source: StaticString) {
        bytes = source.withUTF8Buffer { Array($0) }
    }

    package init(stringInterpolation: StringInterpolation) {
        bytes = stringInterpolation.bytes
    }

    package static func += (markup: inout Markup, addition: Markup) {
        markup.bytes += addition.bytes
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var bytes: [UInt8] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            bytes.reserveCapacity(literalCapacity + interpolationCount * 24)
        }

        package mutating func appendLiteral(_ literal: StaticString) {
            literal.withUTF8Buffer { bytes.append(contentsOf: $0) }
        }

        /// Escapes for text and quoted attributes, in HTML and XML. Characters that XML forbids become U+FFFD.
        package mutating func appendInterpolation(_ text: String) {
            var text = text
            text.withUTF8 { utf8 in
                // Most texts have nothing to escape, and are told by their bytes.
                if utf8.allSatisfy({ $0.needsNoEscape }) { return bytes.append(contentsOf: utf8) }
                for scalar in String(decoding: utf8, as: UTF8.self).unicodeScalars {
                    switch scalar {
                    case "&": appendLiteral("&amp;")
                    case "<": appendLiteral("&lt;")
                    case ">": appendLiteral("&gt;")
                    case "\"": appendLiteral("&quot;")
                    case "'": appendLiteral("&#39;")
                    default: bytes += (scalar.isAllowedInXML ? scalar : "\u{FFFD}").utf8
                    }
                }
            }
        }

        package mutating func appendInterpolation(_ markup: Markup) {
            bytes += markup.bytes
        }

        package mutating func appendInterpolation(_ parts: [Markup]) {
            bytes.reserveCapacity(parts.reduce(bytes.count) { $0 + $1.bytes.count })
            for part in parts { bytes += part.bytes }
        }

        package mutating func appendInterpolation(_ number: Int) {
            appendInterpolation(String(number))
        }

        /// A coordinate, to two decimals.
        package mutating func appendInterpolation(_ length: Double) {
            appendInterpolation(length.written(decimals: 2))
        }
    }
}

extension UInt8 {
    /// Whether a byte of UTF-8 belongs to a character that surely stays as it is.
    fileprivate var needsNoEscape: Bool {
        switch self {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): false
        // Control characters begin with C2, and what is no character at all with EF.
        case 0..<0x20, 0x7F, 0xC2, 0xEF: false
        default: true
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isAllowedInXML: Bool {
        switch value {
        case 0x9, 0xA, 0xD, 0x20...0x7E, 0xA0...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}

extension Double {
    /// With a decimal point and at most that many decimals; 0 for a number that is not finite or has more than 12
    /// digits.
    package func written(decimals: Int) -> String {
        guard isFinite, magnitude < 1e12 else { return "0" }
        let factor = (0..<decimals).reduce(1) { factor, _ in factor * 10 }
        let scaled = Int((magnitude * Double(factor)).rounded())
        var fraction = String(scaled % factor)
        fraction = String(repeating: "0", count: max(0, decimals - fraction.count)) + fraction
        while fraction.last == "0" { fraction.removeLast() }
        let sign = self < 0 && scaled > 0 ? "-" : ""
        return sign + String(scaled / factor) + (fraction.isEmpty ? "" : "." + fraction)
    }
}

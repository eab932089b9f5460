/// HTML or SVG. Interpolation escapes everything but markup, so nothing that a user wrote becomes an element.
///
///     let cell: Markup = "<td>\(keyword)</td>"
package struct Markup: ExpressibleByStringInterpolation, Sendable {
    package private(set) var source: String

    package init(stringLiteral source: String) {
        self.source = source
    }

    package init(stringInterpolation: StringInterpolation) {
        source = stringInterpolation.source
    }

    package static func += (markup: inout Markup, addition: Markup) {
        markup.source += addition.source
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var source = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            source.reserveCapacity(literalCapacity + interpolationCount * 24)
        }

        package mutating func appendLiteral(_ literal: String) {
            source += literal
        }

        package mutating func appendInterpolation(_ text: String) {
            source += text.escaped
        }

        package mutating func appendInterpolation(_ markup: Markup) {
            source += markup.source
        }

        package mutating func appendInterpolation(_ parts: [Markup]) {
            source.reserveCapacity(parts.reduce(source.utf8.count) { $0 + $1.source.utf8.count })
            for part in parts { source += part.source }
        }

        package mutating func appendInterpolation(_ number: Int) {
            source += String(number)
        }

        /// A coordinate, to two decimals.
        package mutating func appendInterpolation(_ length: Double) {
            source += length.written(decimals: 2)
        }
    }
}

extension String {
    /// Escapes for text and quoted attributes, in HTML and XML. Characters that XML forbids become U+FFFD.
    package var escaped: String {
        // Most texts have nothing to escape, and are told by their bytes.
        var text = self
        if text.withUTF8({ bytes in !bytes.contains { !$0.needsNoEscape } }) { return text }
        var result = ""
        result.reserveCapacity(utf8.count)
        for scalar in unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar.isAllowedInXML ? scalar : "\u{FFFD}")
            }
        }
        return result
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

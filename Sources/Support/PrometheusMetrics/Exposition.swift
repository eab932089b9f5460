/// Names, labels, and numbers in Prometheus's text format 0.0.4.
enum Exposition {
    /// A valid metric or label name; invalid characters become underscores.
    static func name(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "_":
                result.append(scalar)
            case "0"..."9":
                if result.isEmpty { result.append("_") }
                result.append(scalar)
            default:
                result.append("_")
            }
        }
        return result.isEmpty ? "_" : String(result)
    }

    /// `name="value",other="value"`, sorted by name, each name once, so that equal labels always give equal text.
    static func labels(_ dimensions: [(String, String)]) -> String {
        Dictionary(dimensions.map { (labelName($0.0), $0.1) }, uniquingKeysWith: { first, _ in first })
            .sorted { $0.key < $1.key }
            .map { "\($0.key)=\"\(escaped($0.value, quotes: true))\"" }
            .joined(separator: ",")
    }

    /// `le` is reserved for the bounds of buckets.
    private static func labelName(_ text: String) -> String {
        text == "le" ? "le_" : name(text)
    }

    /// Works on code points: in Swift, a quote with a combining accent is a different `Character`, but in Prometheus it
    /// still ends the string.
    static func escaped(_ text: String, quotes: Bool) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result.append(contentsOf: "\\\\".unicodeScalars)
            case "\n": result.append(contentsOf: "\\n".unicodeScalars)
            case "\"" where quotes: result.append(contentsOf: "\\\"".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        // Omit `.0` while Double represents every integer exactly.
        if abs(value) < 1e15, let whole = Int64(exactly: value) { return String(whole) }
        return value.description
    }

    /// The HELP and TYPE lines of a family, ahead of its samples.
    static func header(_ family: MetricFamily) -> String {
        """
        # HELP \(family.name) \(escaped(family.help, quotes: false))
        # TYPE \(family.name) \(family.kind.typeName)

        """
    }

    /// The line for one value of one series.
    static func sample(_ name: String, _ labels: String, _ value: Double) -> String {
        labels.isEmpty ? "\(name) \(number(value))\n" : "\(name){\(labels)} \(number(value))\n"
    }
}

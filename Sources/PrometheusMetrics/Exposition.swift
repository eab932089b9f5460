/// How Prometheus wants names, labels and numbers: its text format 0.0.4.
enum Exposition {
    /// A name of a metric or label; what none may have becomes an underscore.
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

    /// `name="value",other="value"`, by name, each name once. The same labels always give the same text.
    static func labels(_ dimensions: [(String, String)]) -> String {
        Dictionary(dimensions.map { (labelName($0.0), $0.1) }, uniquingKeysWith: { first, _ in first })
            .sorted { $0.key < $1.key }
            .map { "\($0.key)=\"\(escaped($0.value, quotes: true))\"" }
            .joined(separator: ",")
    }

    /// The bounds of buckets are told by the label `le`.
    private static func labelName(_ text: String) -> String {
        text == "le" ? "le_" : name(text)
    }

    /// By code points: a quote with a combining accent is another `Character` in Swift, and still ends a string there.
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
        // Without a fraction of zero, as far as every whole number has a Double of its own.
        if abs(value) < 1e15, let whole = Int64(exactly: value) { return String(whole) }
        return value.description
    }

    /// What a family is, ahead of its samples.
    static func header(_ family: MetricFamily) -> String {
        """
        # HELP \(family.name) \(escaped(family.help, quotes: false))
        # TYPE \(family.name) \(family.kind.typeName)

        """
    }

    /// One value of one series.
    static func sample(_ name: String, _ labels: String, _ value: Double) -> String {
        labels.isEmpty ? "\(name) \(number(value))\n" : "\(name){\(labels)} \(number(value))\n"
    }
}

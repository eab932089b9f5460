/// One property of a vCard, such as `item1.TEL;type=CELL;type=pref:010-0000-0001`.
struct VCardProperty {
    /// The properties of a contact, and those that mark its boundaries, version and kind.
    private static let neededNames: Set<String> = [
        "BEGIN", "END", "VERSION", "KIND", "X-ADDRESSBOOKSERVER-KIND", "FN", "N", "NICKNAME", "BDAY", "X-ALTBDAY",
        "TEL", "CATEGORIES", "X-ABLABEL", "X-ANDROID-CUSTOM",
    ]

    /// Uppercase, without the group.
    let name: String
    /// Links related properties, such as a phone and its label. Uppercase.
    let group: String?
    let parameters: [Parameter]
    /// The rank among properties of its name: 1 is best, 100 lowest, 101 if unspecified.
    let preference: Int
    /// Whether vCard 2.1's rules apply: no `\n`, no comma-separated lists.
    var isOld = false
    private let lineNumber: Int
    private let isQuotedPrintable: Bool
    /// As in the file, but unfolded.
    private let value: ArraySlice<UInt8>

    /// nil if the line has no colon or was dropped.
    init?(_ line: LogicalLine) {
        guard let name = line.name, let colon = line.colon, let value = line.value else { return nil }
        self.name = name
        self.value = value
        lineNumber = line.number
        group = line.bytes[..<line.nameEnd].lastIndex(of: Byte.period).map {
            String(decoding: line.bytes[..<$0], as: UTF8.self).trimmed.uppercased()
        }
        parameters = Parameter.parameters(in: line.bytes[line.nameEnd..<colon])
        isQuotedPrintable = parameters.contains(where: \.saysQuotedPrintable)
        preference = Self.preference(parameters)
    }

    /// Whether a contact needs properties of this name. Exporters invent names for lunar birthdays, so any name with
    /// LUNAR counts.
    static func isNeeded(_ name: String) -> Bool {
        neededNames.contains(name) || name.contains("LUNAR")
    }

    /// Whether it uses syntax that only vCard 2.1 has.
    var isWrittenAsOld: Bool {
        isQuotedPrintable || parameters.contains(where: \.isBare)
    }

    /// Whether the value is valid in its declared encoding.
    var isReadable: Bool {
        !isQuotedPrintable || decoded(unescaped(value)) != nil
    }

    /// The message for an unreadable value.
    var unreadableReason: String {
        let charset = (self.charset ?? "UTF-8").prefix(40)
        return "line \(lineNumber) is quoted-printable, but not in \(charset): export the contact once more, as UTF-8"
    }

    /// The values of all parameters with a name.
    func parameterValues(_ name: String) -> [String] {
        parameters.filter { $0.name == name }.flatMap(\.values)
    }

    private static func preference(_ parameters: [Parameter]) -> Int {
        for parameter in parameters {
            if parameter.name == "PREF", let number = parameter.values.first.flatMap({ Int($0) }) {
                return min(max(number, 1), 100)
            }
            if parameter.name == "TYPE", parameter.values.contains(where: { $0.lowercased() == "pref" }) { return 1 }
        }
        return 101
    }
}

// MARK: - Parameters

extension VCardProperty {
    /// A parameter and its values. A bare `CELL` of vCard 2.1 is a `TYPE`.
    struct Parameter {
        /// Uppercase.
        let name: String
        let values: [String]
        /// Whether it has no `=`.
        let isBare: Bool

        /// Whether it declares the value quoted-printable.
        var saysQuotedPrintable: Bool {
            ["ENCODING", "TYPE"].contains(name) && values.contains { $0.uppercased() == "QUOTED-PRINTABLE" }
        }

        /// Parses the parameters between name and colon, each with a leading semicolon. Semicolons in double quotes do
        /// not count.
        static func parameters(in head: ArraySlice<UInt8>) -> [Parameter] {
            var parameters: [Parameter] = []
            var start = head.startIndex + 1
            var isQuoted = false
            for index in head.indices.dropFirst() {
                if head[index] == Byte.quote { isQuoted.toggle() }
                guard !isQuoted, head[index] == Byte.semicolon else { continue }
                parameters.append(Parameter(head[start..<index]))
                start = index + 1
            }
            if start <= head.endIndex { parameters.append(Parameter(head[start...])) }
            return parameters
        }

        private init(_ bytes: ArraySlice<UInt8>) {
            let text = String(decoding: bytes, as: UTF8.self).filter { $0 != "\"" }
            let label = Self.samsungLabel(text)
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            isBare = label != nil || (parts.count == 1 && !text.isBlank)
            name = label == nil && parts.count == 2 ? parts[0].trimmed.uppercased() : "TYPE"
            values = label.map { [$0] } ?? (parts.last ?? "").split(separator: ",").map(\.trimmed)
        }

        /// A custom phone label, as Samsung writes it: `X-CUSTOM(CHARSET=UTF-8,ENCODING=QUOTED-PRINTABLE,=ED=9A=8C)`.
        private static func samsungLabel(_ text: String) -> String? {
            let prefix = "X-CUSTOM("
            guard text.hasPrefix(prefix) else { return nil }
            let parts = text.dropFirst(prefix.count).split(separator: ",", maxSplits: 2)
            guard parts.count == 3, let charset = parts[0].split(separator: "=").last else { return nil }
            let label = Array(parts[2].utf8.prefix { $0 != UInt8(ascii: ")") })
            let bytes = parts[1].hasSuffix("QUOTED-PRINTABLE") ? QuotedPrintable.decoded(label) : label
            return VCardProperty.decodedText(bytes, charset: String(charset))
        }
    }
}

// MARK: - Values

extension VCardProperty {
    /// The value as one text.
    var text: String { text(of: value) }

    /// The texts of a comma-separated list.
    var list: [String] {
        Self.split(value, at: Byte.comma).map { text(of: $0) }
    }

    /// The first non-blank text of a comma-separated list. vCard 2.1 has no such lists.
    var firstOfList: String? {
        if isOld { return text.unlessBlank }
        return Self.split(value, at: Byte.comma).lazy.map { text(of: $0) }.first { !$0.isBlank }
    }

    /// The value of `N`: family name, given name and additional names, each possibly a list.
    var nameParts: NameParts {
        let parts = Self.split(value, at: Byte.semicolon).prefix(3).map { part in
            let names = isOld ? [part] : Self.split(part, at: Byte.comma)
            return names.map { text(of: $0).trimmed }.joined(separator: " ")
        }
        return NameParts(
            family: parts[0],
            given: parts.count > 1 ? parts[1] : "",
            additional: parts.count > 2 ? parts[2] : ""
        )
    }

    /// The first texts of a semicolon-separated list.
    func components(_ count: Int) -> [String] {
        Self.split(value, at: Byte.semicolon).prefix(count).map { text(of: $0) }
    }

    /// The value of `TEL`, without the scheme and parameters of a URI such as `tel:+82-10-0000-0001;ext=12`.
    var phoneNumber: String {
        let text = self.text
        guard text.prefix(4).lowercased() == "tel:" else { return text }
        let number = text.utf8.dropFirst(4).prefix { $0 != Byte.semicolon }
        let octets = QuotedPrintable.octets(in: Array(number), after: UInt8(ascii: "%"))
        return String(validating: octets, as: UTF8.self) ?? text
    }

    private var charset: String? { parameterValues("CHARSET").first }

    private func text(of part: ArraySlice<UInt8>) -> String {
        let plain = unescaped(part)
        if isQuotedPrintable, let text = decoded(plain) { return text }
        return String(decoding: plain, as: UTF8.self)
    }

    private func decoded(_ plain: [UInt8]) -> String? {
        Self.decodedText(QuotedPrintable.decoded(plain), charset: charset)
    }

    private static func decodedText(_ bytes: [UInt8], charset: String?) -> String? {
        guard let charset, charset.uppercased() != "UTF-8", !bytes.isEmpty else {
            return String(validating: bytes, as: UTF8.self)
        }
        return TextEncoding.text(bytes, charset: charset)
    }

    /// Splits at unescaped separators.
    private static func split(_ bytes: ArraySlice<UInt8>, at separator: UInt8) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var start = bytes.startIndex
        var isEscaped = false
        for index in bytes.indices {
            if isEscaped {
                isEscaped = false
            } else if bytes[index] == Byte.backslash {
                isEscaped = true
            } else if bytes[index] == separator {
                parts.append(bytes[start..<index])
                start = index + 1
            }
        }
        parts.append(bytes[start...])
        return parts
    }

    /// Unescapes `\n` (not in vCard 2.1), `\,`, `\;`, `\\`, and the `\:` of some programs. Any other backslash is
    /// literal.
    private func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        guard bytes.contains(Byte.backslash) else { return Array(bytes) }
        var plain: [UInt8] = []
        var isEscaped = false
        for byte in bytes {
            if isEscaped {
                plain += meaning(ofEscaped: byte)
                isEscaped = false
            } else if byte == Byte.backslash {
                isEscaped = true
            } else {
                plain.append(byte)
            }
        }
        if isEscaped { plain.append(Byte.backslash) }
        return plain
    }

    private func meaning(ofEscaped byte: UInt8) -> [UInt8] {
        switch byte {
        case UInt8(ascii: "n") where !isOld, UInt8(ascii: "N") where !isOld: [Byte.lineFeed]
        case Byte.comma, Byte.semicolon, Byte.backslash, Byte.colon: [byte]
        default: [Byte.backslash, byte]
        }
    }
}

/// One property of a vCard, such as `item1.TEL;type=CELL;type=pref:010-0000-0001`.
struct VCardProperty {
    /// A parameter with its values. The bare `CELL` of older programs is a `TYPE`.
    struct Parameter {
        let name: String
        let values: [String]
    }

    /// The properties of which a contact is made.
    static let neededNames: Set<String> = ["BEGIN", "END", "VERSION", "FN", "N", "NICKNAME", "BDAY", "TEL"]

    /// In capital letters, without the group.
    let name: String
    let parameters: [Parameter]
    /// As it stands in the file, but unfolded.
    let value: ArraySlice<UInt8>

    /// nil when the line has no name or no colon.
    init?(_ line: [UInt8]) {
        let cuts = Self.cuts(in: line)
        guard let name = Self.name(in: line), let colon = cuts.last, line[colon] == Byte.colon else { return nil }
        self.name = name
        self.value = line[(colon + 1)...]
        self.parameters = zip(cuts, cuts.dropFirst()).map { Self.parameter(line[($0 + 1)..<$1]) }
    }

    /// The name in front of the first colon or semicolon, or nil while there is none.
    static func name(in line: [UInt8]) -> String? {
        guard let end = line.firstIndex(where: { $0 == Byte.colon || $0 == Byte.semicolon }) else { return nil }
        let name = line[..<end].split(separator: Byte.period).last ?? []
        return String(decoding: name, as: UTF8.self).trimmed.uppercased()
    }

    /// Whether it is `BEGIN:VCARD` or `END:VCARD`.
    func isBoundary(_ boundary: String) -> Bool {
        name == boundary && text.trimmed.uppercased() == "VCARD"
    }

    /// Whether the value is encoded as only vCard 2.1 has it.
    var isQuotedPrintable: Bool {
        parameters.contains { parameter in
            ["ENCODING", "TYPE"].contains(parameter.name)
                && parameter.values.contains { $0.uppercased() == "QUOTED-PRINTABLE" }
        }
    }

    /// What kinds of phone it is.
    var types: [String] {
        parameters.filter { $0.name == "TYPE" }.flatMap(\.values)
    }

    /// The semicolons up to the colon that ends the parameters, and that colon. Those in double quotes do not count.
    private static func cuts(in line: [UInt8]) -> [Int] {
        var cuts: [Int] = []
        var isQuoted = false
        for (index, byte) in line.enumerated() {
            if byte == Byte.quote { isQuoted.toggle() }
            guard !isQuoted, byte == Byte.semicolon || byte == Byte.colon else { continue }
            cuts.append(index)
            if byte == Byte.colon { break }
        }
        return cuts
    }

    private static func parameter(_ bytes: ArraySlice<UInt8>) -> Parameter {
        let text = String(decoding: bytes, as: UTF8.self).filter { $0 != "\"" }
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let values = (parts.last ?? "").split(separator: ",").map(\.trimmed)
        return Parameter(name: parts.count == 2 ? parts[0].trimmed.uppercased() : "TYPE", values: values)
    }
}

// MARK: - Values

extension VCardProperty {
    /// The value as one text.
    var text: String { Self.unescaped(value) }

    /// The first text of a list with commas that is not blank.
    var firstOfList: String? {
        Self.split(value, at: Byte.comma).lazy.map(Self.unescaped).first { !$0.isBlank }
    }

    /// The value of `N`: family name, given name and additional names, each of which may be a list.
    var nameParts: NameParts {
        let parts = Self.split(value, at: Byte.semicolon).prefix(3).map { part in
            Self.split(part, at: Byte.comma).map { Self.unescaped($0).trimmed }.joined(separator: " ")
        }
        return NameParts(
            family: parts[0],
            given: parts.count > 1 ? parts[1] : "",
            additional: parts.count > 2 ? parts[2] : ""
        )
    }

    /// The value of `BDAY`. Apple writes a birthday without a year with a year that a parameter calls left out.
    var birthday: String {
        let text = self.text
        let omitted = parameters.first { $0.name == "X-APPLE-OMIT-YEAR" }?.values.first
        guard let omitted, omitted.count == 4, text.hasPrefix(omitted) else { return text }
        let digits = text.dropFirst(omitted.count).filter(\.isWholeNumber).prefix(4)
        guard digits.count == 4 else { return text }
        return "--\(digits.prefix(2))-\(digits.suffix(2))"
    }

    /// Cuts at a separator, unless a backslash stands before it.
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

    /// Replaces `\n`, `\,`, `\;`, `\\`, and the `\:` of some programs. Any other backslash stands for itself.
    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
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
        return String(decoding: plain, as: UTF8.self)
    }

    private static func meaning(ofEscaped byte: UInt8) -> [UInt8] {
        switch byte {
        case UInt8(ascii: "n"), UInt8(ascii: "N"): [Byte.lineFeed]
        case Byte.comma, Byte.semicolon, Byte.backslash, Byte.colon: [byte]
        default: [Byte.backslash, byte]
        }
    }
}

/// An unfolded line of a vCard. Only lines that a contact needs are kept in memory; photos, for example, are not.
struct LogicalLine {
    /// How many bytes of a line that is not needed are searched for the end of the name and the colon.
    private static let longestHead = 1024

    /// The line of the file in which it begins.
    let number: Int
    private(set) var bytes: [UInt8] = []
    /// The property name in uppercase, without the group; nil until a colon or semicolon follows.
    private(set) var name: String?
    private(set) var nameEnd = 0
    /// The colon before the value.
    private(set) var colon: Int?
    /// Whether contacts are built from such properties.
    private(set) var isNeeded = false
    /// Whether its bytes were dropped, because it is not needed or too long.
    private(set) var isDropped = false
    private(set) var isTooLong = false
    /// Whether a `=` at the end continues the value on the next line of the file.
    private var isCutOff = false
    /// Whether vCard 2.1's folding rule applies.
    private let isOld: Bool
    private var isQuotedPrintable = false
    private var bytesSearched = 0
    private var isInQuotes = false
    private var encoding = UTF8Check()

    /// - Parameter isOld: Whether a previous line of the card declared vCard 2.1. Exporters write the version first;
    ///   earlier lines are unfolded by the rule of later versions.
    init(_ line: PhysicalLine, isOld: Bool = false) {
        self.isOld = isOld
        number = line.number
        append(line.bytes[...])
    }

    /// Whether it is UTF-8, dropped bytes included. Only valid for the whole line, since a fold may split a character.
    var isUTF8: Bool { encoding.isComplete }

    /// Whether the line is empty.
    var isEmpty: Bool { !isDropped && bytes.isEmpty }

    /// The unfolded value; nil without a colon, or if the line was dropped.
    var value: ArraySlice<UInt8>? {
        guard let colon, !isDropped else { return nil }
        return bytes[(colon + 1)...]
    }

    /// The value as a keyword: trimmed and uppercased.
    var keyword: String? {
        value.map { String(decoding: $0, as: UTF8.self).trimmed.uppercased() }
    }

    /// Whether it is `BEGIN:VCARD` or `END:VCARD`.
    func isBoundary(_ boundary: String) -> Bool {
        name == boundary && keyword == "VCARD"
    }

    /// Takes the next line of the file if it continues this one, and returns whether it does.
    mutating func takeContinuation(_ line: PhysicalLine) -> Bool {
        let isIndented = Self.isWhiteSpace(line.bytes.first)
        // After a soft break, the entire next line counts. Before the colon, a `=` may also precede an ordinary fold.
        if isCutOff, colon != nil || !isIndented, !Self.isBoundary(line.bytes) {
            if !isDropped { removeSoftBreak() }
            append(line.bytes[...])
            return true
        }
        if isIndented { append(keepsWhiteSpace(before: line) ? line.bytes[...] : line.bytes.dropFirst()) }
        return isIndented
    }

    /// Whether the white space that begins a folded line belongs to the text.
    ///
    /// vCard 2.1 folds a line before white space of the text. Since 3.0, a line may be folded anywhere, and a space is
    /// added. Some programs declare 2.1 but fold as in 3.0. Three signs reveal them: white space next to that of the
    /// fold, a fold inside a character, and quoted-printable text, which has line breaks of its own.
    private func keepsWhiteSpace(before line: PhysicalLine) -> Bool {
        guard isOld, colon != nil, !isQuotedPrintable, !encoding.isInsideCharacter else { return false }
        return !Self.isWhiteSpace(bytes.last) && !Self.isWhiteSpace(line.bytes.dropFirst().first)
    }

    private static func isWhiteSpace(_ byte: UInt8?) -> Bool { byte == Byte.space || byte == Byte.tab }

    private static func isBoundary(_ bytes: [UInt8]) -> Bool {
        guard bytes.count < 32 else { return false }
        return ["BEGIN:VCARD", "END:VCARD"].contains(String(decoding: bytes, as: UTF8.self).trimmed.uppercased())
    }

    private mutating func removeSoftBreak() {
        QuotedPrintable.removeSoftBreak(from: &bytes)
        bytesSearched = min(bytesSearched, bytes.count)
    }

    private mutating func append(_ more: ArraySlice<UInt8>) {
        encoding.check(more)
        if !isDropped {
            bytes += more
            readHead()
            dropUnlessNeeded()
        }
        // Samsung also breaks custom phone labels, which precede the colon.
        let mayBeCutOff = colon == nil ? isNeeded : isQuotedPrintable
        isCutOff = mayBeCutOff && QuotedPrintable.endsInSoftBreak(more)
    }

    /// Looks for the end of the name, and for the colon before the value, ignoring those in double quotes.
    private mutating func readHead() {
        while colon == nil, bytesSearched < bytes.count {
            let byte = bytes[bytesSearched]
            if byte == Byte.quote { isInQuotes.toggle() }
            if name == nil, byte == Byte.colon || byte == Byte.semicolon { readName(endingAt: bytesSearched) }
            if byte == Byte.colon, !isInQuotes { readParameters(endingAt: bytesSearched) }
            bytesSearched += 1
        }
    }

    private mutating func readName(endingAt end: Int) {
        let start = bytes[..<end].lastIndex(of: Byte.period).map { $0 + 1 } ?? 0
        let name = String(decoding: bytes[start..<end], as: UTF8.self).trimmed.uppercased()
        self.name = name
        nameEnd = end
        isNeeded = VCardProperty.isNeeded(name)
    }

    private mutating func readParameters(endingAt end: Int) {
        colon = end
        // Fast path: most heads lack the first letter of `quoted-printable`.
        let head = bytes[nameEnd..<end]
        guard head.contains(UInt8(ascii: "Q")) || head.contains(UInt8(ascii: "q")) else { return }
        isQuotedPrintable = VCardProperty.Parameter.parameters(in: head).contains(where: \.saysQuotedPrintable)
    }

    private mutating func dropUnlessNeeded() {
        let mostBytes = isNeeded ? VCardDraft.mostBytes : Self.longestHead
        let mayBeNeeded = isNeeded || colon == nil || name == "AGENT"
        if mayBeNeeded, bytes.count <= mostBytes { return }
        isTooLong = isNeeded
        isDropped = true
        bytes = []
    }
}

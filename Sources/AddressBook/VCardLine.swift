/// A line of a vCard with its continuations. Only what is needed of a contact is held; a photo passes through.
struct LogicalLine {
    /// The most bytes in which the end of a property's name and parameters is looked for where they are not needed.
    private static let longestHead = 1024

    /// The line of the file in which it begins.
    let number: Int
    private(set) var bytes: [UInt8] = []
    /// The name of the property in capital letters, without the group; nil while neither colon nor semicolon was found.
    private(set) var name: String?
    /// Where the name ends.
    private(set) var nameEnd = 0
    /// The colon before the value.
    private(set) var colon: Int?
    /// Whether a contact is made of such properties.
    private(set) var isNeeded = false
    /// Whether it is not needed, or too long, and has not been held.
    private(set) var isDropped = false
    private(set) var isTooLong = false
    /// Whether the value says that it goes on in the next line of the file, by a `=` at its end.
    private var isCutOff = false
    /// Whether it is folded by the rule of vCard 2.1.
    private let isOld: Bool
    private var isQuotedPrintable = false
    private var bytesSearched = 0
    private var isInQuotes = false
    private var encoding = UTF8Check()

    /// - Parameter isOld: Whether the card said before this line that it is vCard 2.1. Exporters write the version first;
    ///   folds before it are read by the rule of later versions.
    init(_ line: PhysicalLine, isOld: Bool = false) {
        self.isOld = isOld
        number = line.number
        append(line.bytes[...])
    }

    /// Whether it is UTF-8, dropped bytes included. Told only now, since a fold may cut a character in two.
    var isUTF8: Bool { encoding.isComplete }

    /// Whether there is nothing in it.
    var isEmpty: Bool { !isDropped && bytes.isEmpty }

    /// The value as it stands in the file, but unfolded; nil without a colon, or when the line has been dropped.
    var value: ArraySlice<UInt8>? {
        guard let colon, !isDropped else { return nil }
        return bytes[(colon + 1)...]
    }

    /// The value as a keyword: trimmed, and in capital letters.
    var keyword: String? {
        value.map { String(decoding: $0, as: UTF8.self).trimmed.uppercased() }
    }

    /// Whether it is `BEGIN:VCARD` or `END:VCARD`.
    func isBoundary(_ boundary: String) -> Bool {
        name == boundary && keyword == "VCARD"
    }

    /// Takes the next line of the file if it continues this one, and says whether it does.
    mutating func takeContinuation(_ line: PhysicalLine) -> Bool {
        let isIndented = Self.isWhiteSpace(line.bytes.first)
        // After a soft line break all of the next line counts. Before the colon a `=` may as well stand before a fold.
        if isCutOff, colon != nil || !isIndented, !Self.isBoundary(line.bytes) {
            if !isDropped { removeSoftBreak() }
            append(line.bytes[...])
            return true
        }
        if isIndented { append(keepsWhiteSpace(before: line) ? line.bytes[...] : line.bytes.dropFirst()) }
        return isIndented
    }

    /// Whether the white space that begins a folded line is text.
    ///
    /// In vCard 2.1 a line is broken before white space of the text. Since 3.0 it is broken anywhere, and a space added.
    /// Some programs write 2.1 and fold as in 3.0: they are told where the text has white space beside that of the fold,
    /// where the fold cuts a character, and in quoted-printable text, which has breaks of its own.
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
        // Samsung breaks the name of a kind of phone as well, which stands before the colon.
        let mayBeCutOff = colon == nil ? isNeeded : isQuotedPrintable
        isCutOff = mayBeCutOff && QuotedPrintable.endsInSoftBreak(more)
    }

    /// Looks for the end of the name, and for the colon before the value. One in double quotes does not count.
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
        // Most have no letter of the word, and need not be cut into parameters for it.
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

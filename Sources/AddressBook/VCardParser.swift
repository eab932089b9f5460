/// Reads vCards of version 3.0 (RFC 2425, RFC 2426), line by line.
struct VCardParser: ContactParser {
    private var logicalLine: LogicalLine?
    private var card: VCardDraft?
    private var hasReportedStray = false

    /// Whether a file with this first line holds vCards.
    static func begins(with line: PhysicalLine) -> Bool {
        VCardProperty(line.bytes)?.isBoundary("BEGIN") == true
    }

    mutating func take(_ line: PhysicalLine) -> ContactResult? {
        let isContinuation = line.bytes.first == Byte.space || line.bytes.first == Byte.tab
        if isContinuation, logicalLine != nil {
            logicalLine?.append(line.bytes.dropFirst())
            return nil
        }
        let contact = endLogicalLine()
        logicalLine = LogicalLine(line)
        return contact
    }

    mutating func finish() -> [ContactResult] {
        let completed = endLogicalLine()
        let unfinished = card?.withoutEnd()
        card = nil
        return [completed, unfinished].compactMap { $0 }
    }

    private mutating func endLogicalLine() -> ContactResult? {
        guard let line = logicalLine else { return nil }
        logicalLine = nil
        if !line.isDropped, line.bytes.isEmpty { return nil }
        let property = line.isDropped ? nil : VCardProperty(line.bytes)
        if property?.isBoundary("BEGIN") == true { return begin(at: line.number) }
        guard card != nil else { return stray(at: line.number) }
        if property?.isBoundary("END") == true { return end() }
        card?.take(property, from: line)
        return nil
    }

    private mutating func begin(at number: Int) -> ContactResult? {
        let unfinished = card?.withoutEnd()
        card = VCardDraft(line: number)
        hasReportedStray = false
        return unfinished
    }

    private mutating func end() -> ContactResult? {
        let finished = card?.finished()
        card = nil
        return finished
    }

    /// What stands between two cards may be a contact that lost its beginning, so it does not vanish in silence; but it is
    /// one contact, whatever its number of lines.
    private mutating func stray(at number: Int) -> ContactResult? {
        if hasReportedStray { return nil }
        hasReportedStray = true
        let reason = "what stands here belongs to no card: BEGIN:VCARD is missing"
        return .failure(UnreadableContact(line: number, reason: reason))
    }
}

/// A line of a vCard with its continuations. Only what is needed of a contact is held; a photo passes through.
struct LogicalLine {
    /// The most bytes in which the name of a property is looked for.
    private static let longestName = 1024

    /// The line of the file in which it begins.
    let number: Int
    private(set) var bytes: [UInt8] = []
    /// Whether it is not needed, or too long, and has not been held.
    private(set) var isDropped = false
    private(set) var isTooLong = false
    private var encoding = UTF8Check()

    /// Whether it is UTF-8, dropped bytes included. Told only now, since a fold may cut a character in two.
    var isUTF8: Bool { encoding.isComplete }

    init(_ line: PhysicalLine) {
        number = line.number
        append(line.bytes[...])
    }

    mutating func append(_ more: ArraySlice<UInt8>) {
        encoding.check(more)
        if isDropped { return }
        bytes += more
        if let name = VCardProperty.name(in: bytes) {
            isTooLong = VCardProperty.neededNames.contains(name) && bytes.count > VCardDraft.mostBytes
            if isTooLong || !VCardProperty.neededNames.contains(name) { drop() }
        } else if bytes.count > Self.longestName {
            drop()
        }
    }

    private mutating func drop() {
        isDropped = true
        bytes = []
    }
}

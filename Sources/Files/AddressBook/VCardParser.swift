/// Reads vCards of version 2.1, 3.0 (RFC 2425, RFC 2426) and 4.0 (RFC 6350), line by line.
struct VCardParser: ContactParser {
    private var logicalLine: LogicalLine?
    private var card: VCardDraft?
    /// How many agents' cards are open inside the card. Contacts ignore them.
    private var openAgents = 0
    /// Whether an agent's card begins on the next line.
    private var announcesAgent = false
    private var hasReportedStray = false

    /// Whether a file that begins with this line holds vCards.
    static func begins(with line: PhysicalLine) -> Bool {
        LogicalLine(line).isBoundary("BEGIN")
    }

    mutating func take(_ line: PhysicalLine) -> ContactResult? {
        if logicalLine?.takeContinuation(line) == true { return nil }
        let contact = endLogicalLine()
        logicalLine = LogicalLine(line, isOld: card?.isKnownAsOld ?? false)
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
        if line.isEmpty { return nil }
        let isAgent = announcesAgent
        announcesAgent = false
        if line.isBoundary("BEGIN") { return begin(at: line.number, isAgent: isAgent) }
        guard card != nil else { return stray(at: line.number) }
        if line.isBoundary("END") { return end() }
        if line.name == "AGENT" {
            takeAgent(line)
        } else if openAgents == 0 {
            card?.take(line)
        }
        return nil
    }

    private mutating func begin(at number: Int, isAgent: Bool) -> ContactResult? {
        if isAgent {
            openAgents += 1
            return nil
        }
        let unfinished = card?.withoutEnd()
        card = VCardDraft(line: number)
        openAgents = 0
        hasReportedStray = false
        return unfinished
    }

    private mutating func end() -> ContactResult? {
        if openAgents > 0 {
            openAgents -= 1
            return nil
        }
        let finished = card?.finished()
        card = nil
        return finished
    }

    /// In vCard 2.1 the agent's card follows on separate lines; in 3.0 it is the value.
    private mutating func takeAgent(_ line: LogicalLine) {
        announcesAgent = line.keyword == ""
        if line.keyword == "BEGIN:VCARD" { openAgents += 1 }
    }

    /// Text between cards may be a contact that lost its beginning: report it, but only once, however many lines it
    /// has.
    private mutating func stray(at number: Int) -> ContactResult? {
        if hasReportedStray { return nil }
        hasReportedStray = true
        let reason = "what stands here belongs to no card: BEGIN:VCARD is missing"
        return .failure(UnreadableContact(line: number, reason: reason))
    }
}

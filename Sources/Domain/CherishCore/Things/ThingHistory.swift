/// A thing with all that happened to it.
public struct ThingHistory: Hashable, Sendable {
    public var thing: Thing
    /// Sorted by the tags' names.
    public var tagIDs: [Tag.ID]
    /// In recording order.
    public var completions: [ExportedCompletion]

    public init(thing: Thing, tagIDs: [Tag.ID] = [], completions: [ExportedCompletion] = []) {
        (self.thing, self.tagIDs, self.completions) = (thing, tagIDs, completions)
    }

    /// Adjusts the thing to a lane whose cursor may have passed its next alert: that is planned for the next instant,
    /// where the scheduler finds out whether it is still worth sending and what follows (rule 10.6).
    ///
    /// - Returns: what to add to the calendar.
    package mutating func catchUp(in context: CommandContext) -> Occurrence? {
        guard let next = thing.plans.next else { return nil }
        let planned = PlannedMoment(ref: next.planned.ref, at: context.aheadOfCursor(next.planned.at))
        thing.plans.next = ThingPlans.Alert(planned: planned, expiresAt: next.expiresAt, wallMinute: next.wallMinute)
        return thing.occurrence(planned)
    }
}

/// A completion, and when it was undone.
public struct ExportedCompletion: Hashable, Sendable {
    public let completion: ThingCompletion
    /// nil while it stands.
    public let undoneAt: Instant?

    public init(completion: ThingCompletion, undoneAt: Instant?) {
        (self.completion, self.undoneAt) = (completion, undoneAt)
    }
}

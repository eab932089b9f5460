/// The tags of an account while friends are added to it: finds them by name, and makes those that are missing.
package struct TagRoster: Sendable {
    /// The tags that had to be made, in the order in which they were first asked for.
    package private(set) var newTags: [Tag] = []
    /// Names for which the account has no room (rule 9.1).
    package private(set) var namesLeftOut: [TagName] = []
    private var tags: [TagName: Tag]

    package init(_ tags: [Tag] = []) {
        self.tags = Dictionary(tags.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The tags with these names, made where there are none and room for them.
    ///
    /// - Parameter newID: makes the id of a new tag.
    package mutating func tags(named names: [TagName], newID: () -> Tag.ID) -> [Tag] {
        names.compactMap { tag(named: $0, newID: newID) }
    }

    private mutating func tag(named name: TagName, newID: () -> Tag.ID) -> Tag? {
        if let tag = tags[name] { return tag }
        guard tags.count < Tag.maximumPerAccount else {
            if !namesLeftOut.contains(name) { namesLeftOut.append(name) }
            return nil
        }
        let tag = Tag(id: newID(), name: name, colour: TagColour(for: name), cycle: nil)
        tags[name] = tag
        newTags.append(tag)
        return tag
    }
}

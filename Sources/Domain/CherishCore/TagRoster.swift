/// The tags of an account while friends are added: finds tags by name and creates missing ones.
package struct TagRoster: Sendable {
    /// The created tags, in the order in which they were first requested.
    package private(set) var newTags: [Tag] = []
    /// The names that exceed the account's limit (rule 9.1).
    package private(set) var namesLeftOut: [TagName] = []
    /// ``namesLeftOut`` as a set, for fast lookup: a hostile file may contain a million names.
    private var leftOut: Set<TagName> = []
    private var tags: [TagName: Tag]

    package init(_ tags: [Tag] = []) {
        self.tags = Dictionary(tags.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The tag with this name, or nil.
    package subscript(name: TagName) -> Tag? { tags[name] }

    /// Returns the tags with these names that a friend can have besides its current ones, and creates missing tags
    /// while there is room. It creates no tag that the friend would not get.
    ///
    /// - Parameters:
    ///   - has: The friend's current tags.
    ///   - newID: Creates the id of a new tag.
    package mutating func tags(named names: [TagName], besides has: [Tag.ID] = [], newID: () -> Tag.ID) -> [Tag] {
        var found: [Tag] = []
        for name in names where has.count + found.count < Tag.maximumPerFriend {
            guard let wanted = tag(named: name, newID: newID) else { continue }
            if !has.contains(wanted.id), !found.contains(wanted) { found.append(wanted) }
        }
        return found
    }

    private mutating func tag(named name: TagName, newID: () -> Tag.ID) -> Tag? {
        if let tag = tags[name] { return tag }
        guard tags.count < Tag.maximumPerAccount else {
            if leftOut.insert(name).inserted { namesLeftOut.append(name) }
            return nil
        }
        let tag = Tag(id: newID(), name: name, colour: TagColour(for: name), cycle: nil)
        tags[name] = tag
        newTags.append(tag)
        return tag
    }
}

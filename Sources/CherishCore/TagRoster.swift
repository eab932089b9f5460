/// The tags of an account while friends are added to it: finds them by name, and makes those that are missing.
package struct TagRoster: Sendable {
    /// The tags that had to be made, in the order in which they were first asked for.
    package private(set) var newTags: [Tag] = []
    /// Names for which the account has no room (rule 9.1).
    package private(set) var namesLeftOut: [TagName] = []
    /// The same, to find them: a hostile file may name a million.
    private var leftOut: Set<TagName> = []
    private var tags: [TagName: Tag]

    package init(_ tags: [Tag] = []) {
        self.tags = Dictionary(tags.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The tag with a name; nil when there is none.
    package subscript(name: TagName) -> Tag? { tags[name] }

    /// The tags with these names that a friend can have besides those that it has already, made where there are none and
    /// room for them. None is made that the friend would not get.
    ///
    /// - Parameters:
    ///   - has: the tags of the friend.
    ///   - newID: makes the id of a new tag.
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

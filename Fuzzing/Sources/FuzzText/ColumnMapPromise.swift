@testable import AddressBook

/// Requires that a map has no blank title and no repeated field, and that other text throws `InvalidColumnMap`.
func requireSoundColumnMap(_ text: String) {
    do {
        let entries = try ColumnMap(text).titles
        if entries.contains(where: { $0.title.allSatisfy(\.isWhitespace) }) {
            fatalError("a map names a blank title: \(text)")
        }
        if Set(entries.map(\.field)).count != entries.count { fatalError("a map names a field twice: \(text)") }
    } catch is InvalidColumnMap {
        // Nearly all inputs end here.
    } catch {
        fatalError("a map is refused by InvalidColumnMap alone, and not by \(error)")
    }
}

@testable import AddressBook

/// Of a map no title is blank and no field is named twice; a text that is none is refused by `InvalidColumnMap` alone.
func requireSoundColumnMap(_ text: String) {
    do {
        let entries = try ColumnMap(text).titles
        if entries.contains(where: { $0.title.allSatisfy(\.isWhitespace) }) {
            fatalError("a map names a blank title: \(text)")
        }
        if Set(entries.map(\.field)).count != entries.count { fatalError("a map names a field twice: \(text)") }
    } catch is InvalidColumnMap {
        // So end nearly all.
    } catch {
        fatalError("a map is refused by InvalidColumnMap alone, and not by \(error)")
    }
}

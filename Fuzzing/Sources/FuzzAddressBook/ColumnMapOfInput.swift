import AddressBook

/// What the columns are named for, those first without which no table is read.
private let fields = [
    "name", "phone", "birthday", "birthday_calendar", "tags", "cycle_days", "alarm", "account", "nickname", "favourite",
    "family_name", "given_name", "middle_name",
]

/// A map that names the columns of a table by the titles in its first line. The length of the input picks which of them
/// is the name, so that what was found once is found again.
///
/// - Returns: nil where there are no two titles, or some that cannot stand in a map as they are.
func columnMap(of input: [UInt8]) -> ColumnMap? {
    let line = input.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    let titles = String(decoding: line, as: UTF8.self).split { $0 == "," || $0 == ";" || $0 == "\t" }
    guard titles.count > 1 else { return nil }
    let first = input.count % titles.count
    let named = zip(fields, titles[first...] + titles[..<first]).map { "\($0)=\($1)" }
    do {
        return try ColumnMap(named.joined(separator: ","))
    } catch is InvalidColumnMap {
        return nil
    } catch {
        fatalError("a map is refused by InvalidColumnMap alone, and not by \(error)")
    }
}

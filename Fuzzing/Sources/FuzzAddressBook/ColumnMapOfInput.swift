import AddressBook

/// The fields to which columns map; the required ones come first.
private let fields = [
    "name", "phone", "birthday", "birthday_calendar", "tags", "cycle_days", "alarm", "account", "nickname", "favourite",
    "family_name", "given_name", "middle_name",
]

/// Maps fields to the titles in the input's first line. The input's length decides which title is the name, so that
/// findings are reproducible.
///
/// - Returns: nil if there are fewer than two titles, or some that a map cannot hold verbatim.
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

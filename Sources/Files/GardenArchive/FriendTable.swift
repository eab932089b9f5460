import CherishCore

/// Writes friends as CSV (RFC 4180): UTF-8, with a header, CR LF after each row.
public enum FriendTable {
    /// First the columns that `cherish friend import` reads, then the state of the plant.
    public static let header = [
        "name", "phone", "nickname", "birthday", "cycle_days", "alarm", "tags", "favourite",
        "due_on", "affection", "waterings", "last_watered_on",
    ]

    /// Writes a row for each plant that was not removed, in the given order.
    ///
    /// Commas separate tags. A comma or semicolon inside a tag becomes a slash, so the tag is read back as one, though
    /// renamed. The JSON document keeps the name.
    ///
    /// - Parameters:
    ///   - tags: The tags of the account.
    ///   - withHeader: Whether to write the header; false when appending rows.
    public static func write(_ plants: [PlantHistory], tags: [Tag], withHeader: Bool = true) -> [UInt8] {
        let rows = plants.living.map { history in
            row(cells(history.plant, tags: tags.names(of: history.tagIDs)))
        }
        return Array(((withHeader ? [row(header)] : []) + rows).joined().utf8)
    }

    /// Formats a row of texts, with its line break.
    public static func row(_ texts: [String]) -> String {
        row(texts.map { TableCell.text($0) })
    }

    /// Formats a row, with its line break. Quotes a cell that holds a quote, a comma or a line break.
    public static func row(_ cells: [TableCell]) -> String {
        let special: [UInt8] = [UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: "\r"), UInt8(ascii: "\n")]
        let written = cells.map { cell in
            let cell = cell.written
            guard cell.utf8.contains(where: { special.contains($0) }) else { return cell }
            // By scalar, because parsers see a quote even if a combining mark follows it.
            let doubled = cell.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined()
            return "\"\(doubled)\""
        }
        return written.joined(separator: ",") + "\r\n"
    }

    /// Formats a friend's tags as one cell: separated by commas, with a slash for a comma or semicolon in a tag.
    public static func cell(ofTags tags: [String]) -> String {
        tags.map { withoutSeparators($0) }.joined(separator: ", ")
    }

    private static func cells(_ plant: Plant, tags: [String]) -> [String] {
        [
            plant.name.description, plant.phone.description, plant.nickname.description,
            plant.birthday?.description ?? "", String(plant.cycle.days), plant.alarmTime.description,
            cell(ofTags: tags), String(plant.isFavourite),
            plant.dueOn.description, String(plant.affection.points), String(plant.wateringCount),
            plant.lastWateredOn?.description ?? "",
        ]
    }

    private static func withoutSeparators(_ tag: String) -> String {
        String(String.UnicodeScalarView(tag.unicodeScalars.map { $0 == "," || $0 == ";" ? "/" : $0 }))
    }
}

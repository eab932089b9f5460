import CherishCore

/// Writes friends as a table: CSV (RFC 4180), UTF-8, a header and CR LF behind each row.
public enum FriendTable {
    /// First what `cherish friend import` reads of a friend, then how the plant is doing.
    public static let header = [
        "name", "phone", "nickname", "birthday", "cycle_days", "alarm", "tags", "favourite",
        "due_on", "affection", "waterings", "last_watered_on",
    ]

    /// A row for each plant that was not removed, in the given order.
    ///
    /// Tags are separated by commas. In a tag that holds a comma or a semicolon a slash stands for it, so that it is
    /// read back as one tag, though with another name; the JSON document keeps the name.
    ///
    /// - Parameters:
    ///   - tags: the tags of the account.
    ///   - withHeader: Whether the header comes first; it does not where rows go on.
    public static func write(_ plants: [PlantArchive], tags: [Tag], withHeader: Bool = true) -> [UInt8] {
        let rows = plants.living.map { archive in
            row(cells(archive.plant, tags: tags.names(of: archive.tagIDs)))
        }
        return Array(((withHeader ? [row(header)] : []) + rows).joined().utf8)
    }

    /// One row of texts with its line break.
    public static func row(_ texts: [String]) -> String {
        row(texts.map { TableCell.text($0) })
    }

    /// One row with its line break. A cell that holds a quote, a comma or a line break stands in quotes.
    public static func row(_ cells: [TableCell]) -> String {
        let special: [UInt8] = [UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: "\r"), UInt8(ascii: "\n")]
        let written = cells.map { cell in
            let cell = cell.written
            guard cell.utf8.contains(where: { special.contains($0) }) else { return cell }
            // Not by characters: a quote with a combining mark behind it is still a quote to those who read it.
            let doubled = cell.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined()
            return "\"\(doubled)\""
        }
        return written.joined(separator: ",") + "\r\n"
    }

    /// The cell of a friend's tags: separated by commas, and with a slash for a comma or a semicolon in a tag.
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

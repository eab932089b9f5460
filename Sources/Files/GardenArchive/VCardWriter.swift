import CherishCore

/// Writes friends as an address book: vCard 4.0 (RFC 6350).
public enum VCardWriter {
    /// Writes a card for each plant that was not removed, in the given order.
    ///
    /// A card holds name, nickname, phone, birthday and tags, and the cycle and due date as extension properties. Its
    /// UID is the plant's id, so an address book recognizes it on a later import.
    ///
    /// - Parameters:
    ///   - tags: The tags of the account.
    ///   - now: The revision time of the cards.
    public static func write(_ plants: [PlantHistory], tags: [Tag], at now: Instant) -> [UInt8] {
        var lines = ContentLines()
        for history in plants.living {
            add(history.plant, tags: tags.names(of: history.tagIDs), at: now, to: &lines)
        }
        return lines.bytes
    }

    private static func add(_ plant: Plant, tags: [String], at now: Instant, to lines: inout ContentLines) {
        lines.add("BEGIN:VCARD")
        lines.add("VERSION:4.0")
        lines.add("PRODID:\(Product.identifier)")
        lines.add("UID:urn:uuid:\(plant.id)")
        lines.add("FN", text: plant.name.description)
        // Which part is the family name is unknown. As a given name, the whole name is shown unchanged.
        lines.add("N:;\(ContentLines.escaped(plant.name.description));;;")
        lines.add("NICKNAME", text: plant.nickname.description)
        lines.add("TEL;VALUE=uri;TYPE=cell:tel:\(plant.phone)")
        if let birthday = plant.birthday { lines.add("BDAY:\(birthday.basicForm)") }
        if !tags.isEmpty { lines.add("CATEGORIES", list: tags) }
        lines.add("REV:\(now.basicForm)")
        lines.add("X-CHERISH-CYCLE-DAYS:\(plant.cycle.days)")
        lines.add("X-CHERISH-DUE:\(plant.dueOn.basicForm)")
        lines.add("END:VCARD")
    }
}

extension Birthday {
    /// `19940521`, or `--0521` without a year.
    fileprivate var basicForm: String {
        (year == nil ? "--" : "") + description.replacing("-", with: "")
    }
}

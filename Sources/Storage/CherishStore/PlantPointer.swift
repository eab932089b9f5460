import CherishCore
import Postgres

/// Where a row of `plant` stores the pointer for a kind of push; the columns behind ``CherishCore/Plans``.
struct PlantPointer: Sendable {
    private let kind: PushKind
    /// An SQL expression for the subject.
    let subject: SQL
    /// The column of the instant.
    let at: SQL

    private static let current = [
        PlantPointer(kind: .wateringDue, subject: days("plant.due_on"), at: "plant.alarm_at"),
        PlantPointer(kind: .reviewMissing, subject: "plant.reminder_number", at: "plant.reminder_at"),
        PlantPointer(kind: .birthday, subject: days("plant.birthday_on"), at: "plant.birthday_at"),
        PlantPointer(kind: .withered, subject: days("plant.due_on"), at: "plant.withered_at"),
    ]
    private static let passedBirthday = PlantPointer(
        kind: .birthday, subject: days("plant.passed_birthday_on"), at: "plant.passed_birthday_at")

    /// A plant's pointers as rows for VALUES: kind, subject, instant.
    static let rows = (current + [passedBirthday])
        .map { "(\(label: $0.kind)::push_kind, \($0.subject), \($0.at))" as SQL }
        .joined(separator: ", ")

    /// Selects a part of the pointer to compare with a planned push; see ``CherishCore/Plans/pointer(_:for:)``.
    ///
    /// - Parameter planned: the table of the planned push.
    static func chosen(_ part: KeyPath<PlantPointer, SQL>, for planned: SQL) -> SQL {
        let cases = current.map { pointer in
            var value = pointer[keyPath: part]
            if pointer.kind == passedBirthday.kind {
                let isPassed: SQL = """
                    \(passedBirthday.at) = \(planned).planned_at AND \(passedBirthday.subject) = \(planned).subject
                    """
                value = """
                    CASE WHEN \(isPassed, at: .passedBirthday)
                        THEN \(passedBirthday[keyPath: part]) ELSE \(value) END
                    """
            }
            return "WHEN \(label: pointer.kind) THEN \(value)" as SQL
        }
        return "CASE \(planned).kind \(cases.joined(separator: " ")) END"
    }

    /// Converts a date column to days since 1970-01-01. NULL if infinite, because subtracting would fail the statement.
    private static func days(_ column: SQL) -> SQL {
        "CASE WHEN isfinite(\(column)) THEN \(column) - date '1970-01-01' END"
    }
}

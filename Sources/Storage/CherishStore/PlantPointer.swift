import CherishCore
import Postgres

/// Where a row of `plant` holds the pointer of a kind of push, as ``CherishCore/Plans`` does in a plant.
struct PlantPointer: Sendable {
    private let kind: PushKind
    /// The subject, as subjects count: an expression of SQL.
    let subject: SQL
    /// The instant, a column.
    let at: SQL

    private static let current = [
        PlantPointer(kind: .wateringDue, subject: days("plant.due_on"), at: "plant.alarm_at"),
        PlantPointer(kind: .reviewMissing, subject: "plant.reminder_number", at: "plant.reminder_at"),
        PlantPointer(kind: .birthday, subject: days("plant.birthday_on"), at: "plant.birthday_at"),
        PlantPointer(kind: .withered, subject: days("plant.due_on"), at: "plant.withered_at"),
    ]
    private static let passedBirthday = PlantPointer(
        kind: .birthday, subject: days("plant.passed_birthday_on"), at: "plant.passed_birthday_at")

    /// The pointers of a plant as rows of VALUES: kind, subject, instant.
    static let rows = (current + [passedBirthday])
        .map { "(\(label: $0.kind)::push_kind, \($0.subject), \($0.at))" as SQL }
        .joined(separator: ", ")

    /// A part of the pointer to compare a planned push with: see ``CherishCore/Plans/pointer(_:for:)``.
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

    /// The days of a column since 1970-01-01; NULL if it is infinite, because subtracting would fail the whole statement.
    private static func days(_ column: SQL) -> SQL {
        "CASE WHEN isfinite(\(column)) THEN \(column) - date '1970-01-01' END"
    }
}

import CherishCore
import Postgres

/// Where a row of `plant` stores the pointer for a topic; the columns behind ``CherishCore/Plans``.
struct PlantPointer: Sendable {
    private let topic: Topic
    /// An SQL expression for the ref.
    let ref: SQL
    /// The column of the instant.
    let at: SQL

    private static let current = [
        PlantPointer(topic: .wateringDue, ref: days("plant.due_on"), at: "plant.alarm_at"),
        PlantPointer(topic: .reviewMissing, ref: "plant.reminder_number", at: "plant.reminder_at"),
        PlantPointer(topic: .birthday, ref: days("plant.birthday_on"), at: "plant.birthday_at"),
        PlantPointer(topic: .withered, ref: days("plant.due_on"), at: "plant.withered_at"),
    ]
    private static let passedBirthday = PlantPointer(
        topic: .birthday, ref: days("plant.passed_birthday_on"), at: "plant.passed_birthday_at")

    /// A plant's pointers as rows for VALUES: topic, ref, instant.
    static let rows = (current + [passedBirthday])
        .map { "(\(topic: $0.topic)::topic, \($0.ref), \($0.at))" as SQL }
        .joined(separator: ", ")

    /// Selects a part of the pointer to compare with the push `planned`; see ``CherishCore/Plans/pointer(_:for:)``.
    static func chosen(_ part: KeyPath<PlantPointer, SQL>) -> SQL {
        let cases = current.map { pointer in
            var value = pointer[keyPath: part]
            if pointer.topic == passedBirthday.topic {
                let isPassed: SQL = """
                    \(passedBirthday.at) = planned.at AND \(passedBirthday.ref) = planned.ref
                    """
                value = """
                    CASE WHEN \(isPassed, at: .passedBirthday)
                        THEN \(passedBirthday[keyPath: part]) ELSE \(value) END
                    """
            }
            return "WHEN \(topic: pointer.topic) THEN \(value)" as SQL
        }
        return "CASE planned.topic \(cases.joined(separator: " ")) END"
    }

    /// Converts a date column to days since 1970-01-01. NULL if infinite, because subtracting would fail the statement.
    private static func days(_ column: SQL) -> SQL {
        "CASE WHEN isfinite(\(column)) THEN \(column) - date '1970-01-01' END"
    }
}

import Testing

@testable import Postgres

@Suite("Errors of a node of Citus")
struct CitusNodeErrorTests {
    struct Example: Sendable {
        let state: String
        let message: String
        let expected: String
        let constraint: String?
    }

    private static let examples = [
        Example(
            state: "XX000", message: #"duplicate key value violates unique constraint "plant_living_phone_102083""#,
            expected: "23505", constraint: "plant_living_phone"),
        Example(
            state: "23505", message: #"duplicate key value violates unique constraint "account_pkey_102083""#,
            expected: "23505", constraint: "account_pkey"),
        Example(
            state: "23514",
            message: #"new row for relation "account_102083" violates check constraint "account_nickname_not_blank""#,
            expected: "23514", constraint: "account_nickname_not_blank"),
        Example(
            state: "XX000",
            message: """
                insert or update on table "plant_102115" violates foreign key constraint "plant_account_fkey_102115"
                """,
            expected: "23503", constraint: "plant_account_fkey"),
        Example(
            state: "XX000", message: #"no partition of relation "occurrence_102531" found for row"#, expected: "23514",
            constraint: nil),
        Example(
            state: "23514", message: #"no partition of relation "occurrence" found for row"#, expected: "23514",
            constraint: nil),
        Example(
            state: "XX000", message: "cache lookup failed for relation 4711", expected: "XX000", constraint: nil),
        Example(
            state: "22P02", message: #"invalid input: violates check constraint "plant_name_length""#,
            expected: "22P02", constraint: nil),
    ]

    @Test("get back the state and the constraint that the node's message names", arguments: examples)
    func restored(_ example: Example) {
        var error = PostgresError(code: .server)
        (error.sqlState, error.serverMessage) = (example.state, example.message)
        error.restoreFromMessageOfNode()
        #expect(error.sqlState == example.expected)
        #expect(error.constraint == example.constraint)
    }

    @Test("keep the constraint that the server names")
    func named() {
        var error = PostgresError(code: .server)
        (error.sqlState, error.constraint) = ("23505", "account_pkey_20270302")
        error.serverMessage = #"duplicate key value violates unique constraint "account_pkey_20270302""#
        error.restoreFromMessageOfNode()
        #expect(error.constraint == "account_pkey_20270302")
    }
}

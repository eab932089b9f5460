import ArgumentParser
import CherishCore
import CherishService
import CherishStore

struct ImportsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Lists the imports of address books, and undoes one.",
        subcommands: [List.self, Undo.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists an account's imports, the newest first.")
        @Argument(help: "The account's e-mail or id.") var account: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.account(account)) { garden in
                let batches = try await garden.imports()
                let documents = batches.map(ImportDocument.init)
                try Output.print(
                    common.output, json: ["imports": documents],
                    table: Table(
                        [
                            Table.Column(title: "IMPORT"), Table.Column(title: "AT"), Table.Column(title: "FILE"),
                            Table.Column(title: "PLANTED", isNumber: true),
                            Table.Column(title: "RESTORED", isNumber: true),
                            Table.Column(title: "UPDATED", isNumber: true), Table.Column(title: "UNDONE"),
                        ],
                        rows: documents.map {
                            [
                                String($0.id.prefix(8)), $0.importedAt, $0.fileName, "\($0.planted)", "\($0.restored)",
                                "\($0.updated)", $0.undoneAt.value ?? "",
                            ]
                        }),
                    text: batches.isEmpty ? "no import yet; 'cherish friend import' reads an address book" : nil)
            }
        }
    }

    struct Undo: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Takes back what an import did and nobody built upon.",
            discussion: """
                Friends that came with it go for good, those that it brought back are removed again; names, birthdays \
                and tags of others are as before. A friend who came or came back, and was watered, postponed or edited \
                since, stays as they are, and is named.

                EXAMPLE
                  cherish import undo 5f3e2a10
                """)
        @Argument(help: "The import's id, or its first 8 digits or more.") var batch: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.importBatch(batch)) { garden in
                let undone = try await garden.undoImport(batch)
                let document = UndoneDocument(undone)
                let kept = document.kept.map { "  \($0.nickname) stays: \($0.why)" }
                try Output.print(
                    common.output, json: document,
                    table: Table(
                        ["DELETED", "REVERTED", "KEPT"].map { Table.Column(title: $0, isNumber: true) },
                        rows: [["\(document.deleted)", "\(document.reverted)", "\(document.kept.count)"]]),
                    text: ([
                        "\(document.deleted.counted("friend")) taken out, \(document.reverted) put back as they were"
                    ] + kept)
                    .joined(separator: "\n"))
            }
        }
    }
}

import ArgumentParser
import CherishCore
import CherishRuntime
import CherishService
import CherishStore
import Foundation

struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "Adds, lists and removes the devices that an account's pushes go to.",
        subcommands: [Add.self, List.self, Remove.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds a device; adding it again keeps its id, and brings it back if it was retired.",
            discussion: """
                An app should do so at each start: a token of Android that is not added again within 270 days is \
                retired. An account keeps its 20 newest devices. The secret of a webhook, with which its pushes are \
                signed, is shown here and nowhere else. A webhook must be https and public, unless \
                CHERISH_WEBHOOKS=private says otherwise.

                EXAMPLES
                  cherish device add minji@example.com --platform ios --token 8f2c…
                  cherish device add minji@example.com --platform webhook \\
                    --token https://example.com/cherish
                """)
        @Argument(help: "The account's e-mail or id.") var account: String
        @Option(help: "How it is reached.") var platform: Device.Platform
        @Option(help: "The provider's token, or the URL of a webhook; 1-2000 bytes.") var token: String
        @Option(help: "Of a webhook: whsec_ and 24 to 64 bytes in Base64; a new one is made without it.")
        var secret: String?
        @OptionGroup var common: CommonOptions

        func validate() throws {
            guard (1...2000).contains(token.utf8.count) else {
                throw ValidationError("a token has 1 to 2000 bytes")
            }
            if platform == .web { throw ValidationError("a browser adds itself, in the web garden") }
            guard platform == .webhook else {
                if secret != nil { throw ValidationError("only a webhook has a secret") }
                return
            }
            if let secret, WebhookSecret(secret) == nil {
                throw ValidationError("a secret is whsec_ and 24 to 64 bytes in Base64")
            }
        }

        func run() async throws {
            // Validate the URL before opening the database: this needs no server.
            if platform == .webhook { try Settings().requireUsable(webhook: token) }
            try await common.withGarden(.account(account)) { garden in
                let device = try await garden.addDevice(
                    platform: platform, token: token, secret: secret.flatMap { WebhookSecret($0) })
                var table = DeviceCommand.table([device])
                if let secret = device.secret {
                    table.columns.append(Table.Column(title: "SECRET"))
                    table.rows[0].append(secret.text)
                }
                try Output.print(common.output, json: AddedDeviceDocument(device), table: table)
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists an account's devices, the newest first.")
        @Argument(help: "The account's e-mail or id.") var account: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.account(account)) { garden in
                let devices = try await garden.devices()
                try Output.print(
                    common.output, json: ["devices": devices.map(DeviceDocument.init)],
                    table: DeviceCommand.table(devices), text: devices.isEmpty ? "no device yet" : nil)
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Removes a device.")
        @Argument(help: "The device's id.") var id: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            guard let uuid = UUID(uuidString: id) else { throw CareError.notFound(.device) }
            try await common.withGarden(.device(Device.ID(uuid))) { garden in
                try await garden.removeDevice(Device.ID(uuid))
                try Output.print(
                    common.output, json: ["removed": uuid.uuidString.lowercased()],
                    table: Table([Table.Column(title: "REMOVED")], rows: [[uuid.uuidString.lowercased()]]))
            }
        }
    }

    private static func table(_ devices: [Device]) -> Table {
        Table(
            ["ID", "PLATFORM", "TOKEN", "ADDED AT", "RETIRED"].map { Table.Column(title: $0) },
            rows: devices.map { device in
                [
                    device.id.description, device.platform.rawValue, device.token, device.addedAt.description,
                    device.retirement.map { "\($0.at) \($0.reason)" } ?? "",
                ]
            })
    }
}

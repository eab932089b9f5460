import ArgumentParser
import CherishCore
import CherishRuntime
import CherishStore
import Foundation

struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "Adds, lists and removes the devices that an account's pushes go to.",
        subcommands: [Add.self, List.self, Remove.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds a device; adding it again keeps its id.",
            discussion: "EXAMPLE\n  cherish device add minji@example.com --platform ios --token 8f2c…")
        @Argument(help: "The account's e-mail or id.") var account: String
        @Option(help: "How it is reached.") var platform: Device.Platform
        @Option(help: "The provider's token, or the URL of a webhook; 1-2000 bytes.") var token: String
        @OptionGroup var common: CommonOptions

        func validate() throws {
            guard (1...2000).contains(token.utf8.count) else {
                throw ValidationError("a token has 1 to 2000 bytes")
            }
        }

        func run() async throws {
            try await common.withEngine { engine in
                let device = try await engine.store.addDevice(
                    try await engine.store.account(account), platform: platform, token: token)
                try Output.print(common.output, json: DeviceDocument(device), table: DeviceCommand.table([device]))
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists an account's devices, the newest first.")
        @Argument(help: "The account's e-mail or id.") var account: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withEngine { engine in
                let devices = try await engine.store.devices(try await engine.store.account(account))
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
            try await common.withEngine { engine in
                guard let uuid = UUID(uuidString: id) else { throw CareError.notFound(.device) }
                try await engine.store.removeDevice(Device.ID(uuid))
                try Output.print(
                    common.output, json: ["removed": uuid.uuidString.lowercased()],
                    table: Table([Table.Column(title: "REMOVED")], rows: [[uuid.uuidString.lowercased()]]))
            }
        }
    }

    private static func table(_ devices: [Device]) -> Table {
        Table(
            ["ID", "PLATFORM", "TOKEN", "ADDED AT"].map { Table.Column(title: $0) },
            rows: devices.map { [$0.id.description, $0.platform.rawValue, $0.token, $0.addedAt.description] })
    }
}

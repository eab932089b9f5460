import Foundation
import Testing

/// The floors of docs/architecture.md: modules import lower floors only.
@Suite("Floors")
struct FloorTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// From the ground up.
    private static let floors = [
        "Domain", "Support", "Files", "Storage", "Channels", "Engine", "Service", "Web", "Testing", "Apps",
    ]

    /// Imports allowed within one floor.
    private static let sideways: Set<String> = [
        "Postgres → CEpoll", "Postgres → CLibPQ", "Secrets → CLibArgon2", "SystemUUID → CLibUUID",
        "CherishStore → CherishSchema",
        "CherishProviders → CherishPush", "StoreFile → AddressBook", "ThingFile → AddressBook",
        "CherishService → CherishRuntime", "WorkerRuntime → CherishRuntime",
        "WebGarden → CGardenAssets", "WebGarden → CherishHTTP",
    ]

    /// Modules that a program may not link, even indirectly.
    private static let forbidden = [
        "cherish-worker": [
            "AddressBook", "GardenArchive", "GardenGenerator", "ReportPage", "StoreFile", "ThingFile", "CherishService",
        ],
        "cherish": ["CherishProviders", "CherishTestSupport", "Simulation", "WorkerRuntime"],
        "CherishService": ["Simulation", "CherishTestSupport", "ReportPage"],
    ]

    private struct Module {
        let floor: Int
        var imports: Set<String> = []
    }

    /// All modules of the package by name, each with the package's modules it imports. The schema is in `sql`.
    private func modules() throws -> [String: Module] {
        var modules = ["CherishSchema": Module(floor: try #require(Self.floors.firstIndex(of: "Storage")))]
        let sources = Self.root.appendingPathComponent("Sources")
        for floor in try FileManager.default.contentsOfDirectory(atPath: sources.path) {
            let number = try #require(Self.floors.firstIndex(of: floor), "Sources/\(floor) is not a floor")
            for name in try FileManager.default.contentsOfDirectory(atPath: sources.path + "/" + floor) {
                modules[name] = Module(floor: number)
                let folder = sources.appendingPathComponent("\(floor)/\(name)")
                let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
                for case let file as URL in files where file.pathExtension == "swift" {
                    let text = try String(contentsOf: file, encoding: .utf8)
                    let imports = text.matches(of: #/(?m)^(?:@testable )?import (\w+)/#).map { String($0.1) }
                    modules[name]?.imports.formUnion(imports)
                }
            }
        }
        let names = Set(modules.keys)
        return modules.mapValues { Module(floor: $0.floor, imports: $0.imports.intersection(names)) }
    }

    @Test("no module imports one of a higher floor, or a neighbour that is not allowed")
    func arrows() throws {
        let modules = try modules()
        #expect(modules.count > 20)
        for (name, module) in modules {
            for used in module.imports {
                let other = try #require(modules[used]?.floor)
                let isAllowed = other < module.floor || Self.sideways.contains("\(name) → \(used)")
                #expect(
                    isAllowed, "\(name) (\(Self.floors[module.floor])) imports \(used) (\(Self.floors[other]))")
            }
        }
    }

    @Test("programs do not link unnecessary modules")
    func programs() throws {
        let modules = try modules()
        for (name, strangers) in Self.forbidden {
            var linked: Set<String> = []
            var open = [name]
            while let next = open.popLast() {
                let imports = try #require(modules[next], "there is no module \(next)").imports
                open += imports.subtracting(linked)
                linked.formUnion(imports)
            }
            #expect(linked.isDisjoint(with: strangers), "\(name) links \(linked.intersection(strangers))")
        }
    }

    @Test("Package.swift has each module in its folder")
    func package() throws {
        let text = try String(contentsOf: Self.root.appendingPathComponent("Package.swift"), encoding: .utf8)
        for (name, module) in try modules() where name != "CherishSchema" {
            let floor = Self.floors[module.floor]
            let declared = floor == "Apps" ? "\"\(name)\"" : "\"\(floor)\", \"\(name)\""
            #expect(
                text.replacing(#/\s+/#, with: " ").contains(declared) || text.contains("Sources/\(floor)/\(name)\""),
                "\(name)")
        }
    }
}

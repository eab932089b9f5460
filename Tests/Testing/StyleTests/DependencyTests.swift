import Foundation
import Testing

@Suite("Dependencies")
struct DependencyTests {
    private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    @Test("every package of Package.swift is in docs/dependencies.md, with its version, a licence and a reason")
    func packages() throws {
        let packages = try text("Package.swift").matches(of: #/url: "([^"]+)", from: "([0-9.]+)"/#)
        let rows = try text("docs/dependencies.md").split(separator: "\n").filter { $0.hasPrefix("| [") }
        #expect(packages.count == rows.count)
        for package in packages {
            let row = rows.first { $0.contains("(\(package.1))") }
            let cells = row?.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } ?? []
            #expect(cells.count == 4, "\(package.1) is not listed")
            #expect(cells.dropFirst().first == String(package.2), "\(package.1)")
            #expect(cells.dropFirst(2).allSatisfy { !$0.isEmpty }, "\(package.1)")
        }
    }

    /// The texts of all scripts.
    private func scripts() throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent("scripts").path)
        // Python leaves a cache folder there.
        return try names.filter { !$0.hasPrefix("__") }.map { try text("scripts/\($0)") }
    }

    @Test("every Debian package that a script installs or downloads is listed")
    func debianPackages() throws {
        let documentation = try text("docs/dependencies.md")
        let needed = try scripts().flatMap { script in
            script.matches(of: #/(?:packages\+?=[("]?|apt-get download -qq )([a-z0-9 .+-]+)/#)
                .flatMap { $0.1.split(separator: " ") }
        }
        // One example of each notation.
        #expect(Set(needed).isSuperset(of: ["libpq-dev", "systemd", "nghttp2-client", "python3-venv", "prometheus"]))
        for package in needed { #expect(documentation.contains(package), "\(package)") }
    }

    @Test("every Python package that a script installs is listed, with its version")
    func pythonPackages() throws {
        let rows = try text("docs/dependencies.md").split(separator: "\n")
        let needed = try scripts().flatMap { $0.matches(of: #/'([a-z0-9_]+)(?:\[[a-z0-9]+\])?>=([0-9.]+)'/#) }
        #expect(needed.count > 3)
        for package in needed {
            #expect(
                rows.contains { $0.hasPrefix("| \(package.1)") && $0.contains("| \(package.2) |") },
                "\(package.1) is not listed")
        }
    }
}

import Foundation
import Testing

@Suite("Dependencies")
struct DependencyTests {
    private func text(_ path: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
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

    @Test("every Debian package that the scripts install is listed")
    func debianPackages() throws {
        let documentation = try text("docs/dependencies.md")
        let needed = try ["scripts/prepare", "scripts/test", "scripts/check-packaging"].flatMap { path in
            try text(path).matches(of: #/(?:^packages=\(|^more_packages=")([^$")]+)/#.anchorsMatchLineEndings())
                .flatMap { $0.1.split(separator: " ") }
        }
        #expect(needed.count > 7)
        for package in needed { #expect(documentation.contains(package), "\(package)") }
    }
}

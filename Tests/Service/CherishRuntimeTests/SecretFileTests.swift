import Foundation
import Testing

@testable import CherishRuntime

@Suite("Files with secrets")
struct SecretFileTests {
    /// Runs a body with a file of this mode.
    private func withFile(mode: mode_t, _ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("cherish-secret-\(UUID())").path
        try Data("the secret".utf8).write(to: URL(fileURLWithPath: path))
        defer { unlink(path) }
        #expect(chmod(path, mode) == 0)
        try body(path)
    }

    @Test("that only their owner can read are accepted", arguments: [0o600, 0o400, 0o700] as [mode_t])
    func closed(mode: mode_t) throws {
        try withFile(mode: mode) { path in
            let contents = try ProviderSettings.contents(path, of: "CHERISH_APNS_KEY")
            #expect(contents == "the secret")
        }
    }

    @Test(
        "that others may read or change are refused, with the command that closes them",
        arguments: [0o644, 0o604, 0o660, 0o620, 0o602, 0o666, 0o777] as [mode_t])
    func open(mode: mode_t) throws {
        try withFile(mode: mode) { path in
            let error = #expect(throws: SettingError.self) {
                _ = try ProviderSettings.contents(path, of: "CHERISH_APNS_KEY")
            }
            let text = error?.description ?? ""
            #expect(text.hasPrefix("CHERISH_APNS_KEY cannot be used: other users may read or change"))
            #expect(text.contains("run 'chmod 600 \(path)'"))
            #expect(!text.contains("the secret"))
        }
    }

    @Test("owned by root may be readable by their group, as services receive them; others may not")
    func group() throws {
        try withFile(mode: 0o640) { path in
            if getuid() == 0 {
                let secret = try ProviderSettings.contents(path, of: "CHERISH_APNS_KEY")
                #expect(secret == "the secret")
            } else {
                #expect(throws: SettingError.self) {
                    _ = try ProviderSettings.contents(path, of: "CHERISH_APNS_KEY")
                }
            }
        }
    }

    @Test("that do not exist are reported as such")
    func missing() throws {
        let error = #expect(throws: SettingError.self) {
            _ = try ProviderSettings.contents("/nowhere/key.p8", of: "CHERISH_APNS_KEY")
        }
        #expect(error?.description.contains("cannot be read") == true)
    }
}

import CherishCore
import CherishRuntime
import CherishService
import Foundation
import Testing

@Suite("The key of Web Push")
struct PushKeyTests {
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cherish-push-key-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func settings(_ path: String) throws -> Settings {
        try Settings(environment: [
            "CHERISH_WEBPUSH_KEY": path, "CHERISH_WEBPUSH_SUBJECT": "mailto:push@example.com",
            "CHERISH_PUBLIC_URL": "https://cherish.example",
        ])
    }

    @Test("is made in a file that only its owner may read, and found again by the settings")
    func made() throws {
        try withFolder { folder in
            let path = folder.appendingPathComponent("webpush.pem").path
            let publicKey = try PushKey.make(at: path)
            #expect(Base64URL.decode(publicKey)?.count == 65)
            #expect(Base64URL.decode(publicKey)?.first == 4)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(try PushKey.publicKey(try settings(path)) == publicKey)
            #expect(try PushKey.publicKey(try Settings(environment: [:])) == nil)
        }
    }

    @Test("replaces no file: a new key ends all subscriptions")
    func existing() throws {
        try withFolder { folder in
            let path = folder.appendingPathComponent("webpush.pem").path
            let publicKey = try PushKey.make(at: path)
            #expect(throws: OutputError.cannotCreate(path, reason: EEXIST)) { try PushKey.make(at: path) }
            #expect(try PushKey.publicKey(try settings(path)) == publicKey)
            let nowhere = folder.appendingPathComponent("nowhere/webpush.pem").path
            #expect(throws: OutputError.cannotCreate(nowhere, reason: ENOENT)) { try PushKey.make(at: nowhere) }
        }
    }

    @Test("is refused if others may read it, or if it is no key of P-256")
    func unusable() throws {
        try withFolder { folder in
            let path = folder.appendingPathComponent("webpush.pem").path
            _ = try PushKey.make(at: path)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            let open = #expect(throws: SettingError.self) { try PushKey.publicKey(try settings(path)) }
            #expect(open?.description.contains("CHERISH_WEBPUSH_KEY cannot be used: other users may read") == true)
            try "secret-rubbish".write(toFile: path, atomically: false, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            let rubbish = #expect(throws: SettingError.self) { try PushKey.publicKey(try settings(path)) }
            #expect(rubbish?.description.contains("it holds no P-256 private key in PEM") == true)
            #expect(rubbish?.description.contains("secret-rubbish") == false)
        }
    }
}

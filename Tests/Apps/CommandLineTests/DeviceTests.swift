import CherishTestSupport
import Testing

@Suite("Devices through the command line", .migratedDatabase)
struct DeviceTests {
    private func add(_ url: String, with variables: [String: String] = [:]) async throws -> ProgramResult {
        try await Program.cherish.with(variables).run(
            "device", "add", "minji@example.com", "--platform", "webhook", "--token", url)
    }

    @Test("a webhook that could never receive a push is refused when it is added, with the reason")
    func webhooks() async throws {
        _ = try await Program.cherish.json(
            "account", "add", "--email", "minji@example.com", "--nickname", "민지", "--time-zone", "Asia/Seoul")
        for (url, word) in [
            ("http://example.com/hook", "https://"), ("https://user:hunter2@example.com/", "password"),
            ("https://2130706433/", "not public"), ("http://2130706433/", "https://"),
            ("https://example.com/\nhook", "line break"), ("https://example.com:65536/", "port"),
            ("https:///hook", "like https://example.com/cherish"), ("https://10.0.0.1/", "CHERISH_WEBHOOKS=private"),
            ("https://[::1]/", "not public"), ("https://0x8.8.8.8/", "unusual number"),
        ] {
            let refused = try await add(url)
            #expect(refused.status == 64, "\(url)")
            #expect(refused.errors.hasPrefix("error: usage: "), "\(url): \(refused.errors)")
            #expect(refused.errors.contains(word), "\(url): \(refused.errors)")
            #expect(!refused.errors.contains("hunter2"))
        }
        #expect(try await add("https://example.com/hook").status == 0)
        #expect(try await add("http://10.0.0.1:8080/hook", with: ["CHERISH_WEBHOOKS": "private"]).status == 0)
        let devices = try await Program.cherish.json("device", "list", "minji@example.com")["devices"] as? [Any]
        #expect(devices?.count == 2)
    }
}

import Testing

@testable import CherishRuntime

@Suite("Settings of /metrics")
struct MonitoringSettingsTests {
    @Test("nothing listens unless a port is set; the default address is local")
    func address() throws {
        func address(_ environment: [String: String]) throws -> MonitoringAddress? {
            try Settings(environment: environment).monitoring
        }
        #expect(try address([:]) == nil)
        #expect(try address(["CHERISH_METRICS_HOST": "0.0.0.0"]) == nil)
        #expect(try address(["CHERISH_METRICS_PORT": ""]) == nil)
        #expect(try address(["CHERISH_METRICS_PORT": "0"]) == MonitoringAddress(host: "127.0.0.1", port: 0))
        #expect(
            try address(["CHERISH_METRICS_PORT": "9464", "CHERISH_METRICS_HOST": "::"])
                == MonitoringAddress(host: "::", port: 9464))
    }

    @Test("an invalid port is refused by the name of its variable", arguments: ["-1", "65536", "9464/tcp", "http"])
    func nonsense(port: String) throws {
        let error = try #require(throws: SettingError.self) {
            _ = try Settings(environment: ["CHERISH_METRICS_PORT": port])
        }
        #expect(error.description.contains("CHERISH_METRICS_PORT"))
        #expect(error.description.contains("0 to 65535"))
    }
}

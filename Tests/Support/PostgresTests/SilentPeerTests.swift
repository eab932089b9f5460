import CLibPQ
import CherishTestSupport
import Testing

@testable import Postgres

@Suite("A silent peer", .emptyDatabase)
struct SilentPeerTests {
    /// libpq's effective options, including those of the connection string.
    private func options(_ more: String) throws -> [String: String] {
        let handle = try ConnectionHandle(
            PostgresConfiguration(connectionString: TestDatabase.current.connectionString + more))
        let list = try #require(PQconninfo(handle.pointer))
        defer { PQconninfoFree(list) }
        var options: [String: String] = [:]
        var option = list
        while let keyword = option.pointee.keyword {
            options[String(cString: keyword)] = option.pointee.val.map { String(cString: $0) }
            option += 1
        }
        return options
    }

    @Test("is not reported as a server without TLS, and neither is one with another protocol")
    func noServer() {
        let texts = [
            "could not send SSL negotiation packet: No route to host",
            "received invalid response to SSL negotiation: H", "Connection refused",
        ]
        for text in texts {
            let error = PostgresError.connecting("connection to server at \"db\", port 5432 failed: \(text)")
            #expect(error.description.contains("no server answers there"), "\(text): \(error)")
        }
        let refused = "connection to server at \"db\" failed: server does not support SSL, but SSL was required"
        #expect(PostgresError.connecting(refused).description.contains("TLS could not be agreed upon"))
    }

    @Test("is given up after half a minute, which the connection string can override")
    func patience() throws {
        let plain = try options("")
        #expect(plain["tcp_user_timeout"] == "30000")
        let seconds = ["keepalives_idle", "keepalives_interval", "keepalives_count"].compactMap {
            plain[$0].flatMap(Int.init)
        }
        try #require(seconds.count == 3)
        #expect(seconds[0] + seconds[1] * seconds[2] <= 30)
        let own = try options(" tcp_user_timeout=5000 keepalives_idle=7")
        #expect(own["tcp_user_timeout"] == "5000")
        #expect(own["keepalives_idle"] == "7")
        #expect(own["keepalives_count"] == "4")
    }
}

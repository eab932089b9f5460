import CherishTestSupport
import Foundation
import Glibc
import Postgres
import PrivatePostgres
import Testing

/// A TCP server that accepts only encrypted connections, with a certificate of its own authority.
private struct EncryptedServer {
    /// The name in its certificate.
    static let host = "localhost"

    let authority: TestCertificateAuthority
    let folder: URL
    let address: String
    let cluster: PrivateCluster

    /// Runs the body with a server, which is destroyed afterwards.
    static func run(_ body: (EncryptedServer) async throws -> Void) async throws {
        let server = try EncryptedServer()
        do {
            try await server.cluster.ensureRunning()
            try await body(server)
        } catch {
            try? await server.end()
            throw error
        }
        try await server.end()
    }

    private init() throws {
        authority = try TestCertificateAuthority()
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("cherish-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // All of 127.0.0.0/8 is local: a random address instead of a port that may be taken.
        address = "127.\(UInt8.random(in: 1...254)).\(UInt8.random(in: 0...255)).\(UInt8.random(in: 1...254))"
        let files = folder
        cluster = PrivateCluster(
            home: files.appendingPathComponent("home").path, durability: .none,
            additionalSettings: [
                "listen_addresses": address, "ssl": "on",
                "ssl_cert_file": files.appendingPathComponent("server.pem").path,
                "ssl_key_file": files.appendingPathComponent("server.key").path,
                "hba_file": files.appendingPathComponent("access").path,
            ])
        let issued = try authority.issue(hosts: [Self.host])
        try write(issued.certificatePEM, to: "server.pem")
        try write(issued.privateKeyPEM, to: "server.key")
        try write("local all all trust\nhostssl all all 127.0.0.0/8 trust\n", to: "access")
        try write(authority.pem, to: "authority.pem")
        try write(try TestCertificateAuthority().pem, to: "stranger.pem")
    }

    /// Files owned by the server: PostgreSQL refuses a key that others may read.
    private func write(_ text: String, to name: String) throws {
        let path = folder.appendingPathComponent(name).path
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        chmod(path, 0o600)
        // Under root, the server runs as the user postgres.
        if getuid() == 0, let server = getpwnam("postgres") {
            chown(path, server.pointee.pw_uid, server.pointee.pw_gid)
        }
    }

    private func end() async throws {
        try await cluster.destroy()
        try FileManager.default.removeItem(at: folder)
    }

    func connect(host: String = EncryptedServer.host, mode: String = "verify-full", root: String = "authority.pem")
        async throws -> Connection
    {
        let file = folder.appendingPathComponent(root).path
        return try await Connection.connect(
            PostgresConfiguration(
                connectionString: """
                    host=\(host) hostaddr=\(address) port=5432 user=cherish dbname=cherish sslmode=\(mode) \
                    sslrootcert='\(file)'
                    """))
    }
}

@Suite("TLS to the database", .timeLimit(.minutes(60)))
struct TransportSecurityTests {
    @Test("verify-full connects only to a server whose name the authority certifies")
    func verifyFull() async throws {
        try await EncryptedServer.run { server in
            let connection = try await server.connect()
            let isEncrypted: Bool = try await single(
                connection, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
            #expect(isEncrypted)
            // Over a network, server-side keepalives drop a silent client after half a minute too.
            let names = ["tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count"]
            var seconds: [Int] = []
            for name in names {
                seconds.append(Int(try await single(connection, "SHOW \(name)", as: String.self)) ?? 0)
            }
            #expect(seconds.allSatisfy { $0 > 0 })
            #expect(seconds[0] + seconds[1] * seconds[2] <= 30)
            await connection.close()

            for (host, root) in [
                (EncryptedServer.host, "stranger.pem"), ("db.example", "authority.pem"),
                (EncryptedServer.host, "missing.pem"),
            ] {
                let error = await #expect(throws: PostgresError.self, "\(host), \(root)") {
                    _ = try await server.connect(host: host, root: root)
                }
                #expect(error?.code == .connection)
                #expect(error?.description.contains("check sslmode, sslrootcert and the server's certificate") == true)
            }
        }
    }

    @Test("a weaker mode accepts another name; a server that requires TLS accepts no plain connection")
    func less() async throws {
        try await EncryptedServer.run { server in
            // So verify-full is what checks the name.
            let connection = try await server.connect(host: "db.example", mode: "verify-ca")
            await connection.close()
            let error = await #expect(throws: PostgresError.self) { _ = try await server.connect(mode: "disable") }
            #expect(error?.sqlState == "28000")
        }
    }
}

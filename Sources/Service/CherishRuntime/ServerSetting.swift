import CherishCore
import Foundation

/// What `cherish-server` needs beside the settings of all programs.
public struct ServerSetting: Sendable {
    public let host: String
    /// 0 for any free port.
    public let port: Int
    /// Where people reach it, such as `https://cherish.example`; nil if nobody said.
    public let publicOrigin: String?
    /// Files with certificates and key in PEM, for a server without a proxy in front.
    public let tls: (certificatePath: String, keyPath: String)?
    /// The addresses of proxies whose `X-Forwarded-For` counts.
    public let trustedProxies: Set<String>
    /// The worker's own login, because the server's may reach one account at a time only; nil for the same.
    public let workerDatabase: DatabaseLocation?
    /// Who gets enquiries; nil takes none.
    public let enquiries: EmailAddress?
    /// What the operator has written about privacy, and the terms, in Markdown.
    public let privacy, terms: String?
    /// How many connections the server opens to the database.
    public let maximumConnections: Int

    /// Reads the environment.
    ///
    /// - Throws: ``SettingError`` for an invalid value.
    public init(environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        func text(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        (host, port) = try ServerSetting.address(text("CHERISH_HTTP") ?? "127.0.0.1:8080")
        publicOrigin = try ServerSetting.publicOrigin(environment)
        switch (text("CHERISH_TLS_CERTIFICATE"), text("CHERISH_TLS_KEY")) {
        case (nil, nil): tls = nil
        case (let certificate?, let key?): tls = (certificate, key)
        case (nil, _):
            throw SettingError(
                variable: "CHERISH_TLS_KEY", problem: "there is no certificate for it; set CHERISH_TLS_CERTIFICATE, too"
            )
        case (_, nil):
            throw SettingError(
                variable: "CHERISH_TLS_CERTIFICATE", problem: "there is no key for it; set CHERISH_TLS_KEY, too")
        }
        trustedProxies = try ServerSetting.addresses(text("CHERISH_TRUSTED_PROXIES") ?? "")
        workerDatabase = text("CHERISH_WORKER_DATABASE_URL").map { .server(connectionString: $0) }
        enquiries = try text("CHERISH_ENQUIRIES").map(ServerSetting.email)
        privacy = try text("CHERISH_PRIVACY_FILE").map { try ServerSetting.document($0, of: "CHERISH_PRIVACY_FILE") }
        terms = try text("CHERISH_TERMS_FILE").map { try ServerSetting.document($0, of: "CHERISH_TERMS_FILE") }
        // More make no core faster. PostgreSQL's processes then wait for each other, and some requests for long.
        let usualConnections = min(32, 4 * ProcessInfo.processInfo.activeProcessorCount)
        let connections = text("CHERISH_HTTP_CONNECTIONS").map { Int($0) } ?? usualConnections
        guard let connections, (1...1_000).contains(connections) else {
            throw SettingError(variable: "CHERISH_HTTP_CONNECTIONS", expected: "a number from 1 to 1000")
        }
        maximumConnections = connections
        guard tls != nil || publicOrigin != nil || isLoopback else {
            throw SettingError(
                variable: "CHERISH_HTTP",
                problem: """
                    others would reach \(host) without TLS; set CHERISH_TLS_CERTIFICATE and CHERISH_TLS_KEY, or \
                    CHERISH_PUBLIC_URL to the address of a proxy that speaks TLS
                    """)
        }
    }

    /// Where people reach the service, such as `https://cherish.example`; nil if nobody said.
    ///
    /// - Throws: ``SettingError`` for anything but the address of a service.
    public static func publicOrigin(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws
        -> String?
    {
        try environment["CHERISH_PUBLIC_URL"].flatMap { $0.isEmpty ? nil : $0 }.map(origin)
    }

    /// Whether only programs on this machine reach the server.
    private var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    /// Whether nobody but this machine is meant to reach it, by a proxy neither.
    public var isForThisMachine: Bool {
        isLoopback && (publicOrigin == nil || publicOrigin?.hasPrefix("http://127.") == true)
    }

    /// Whether passwords travel in clear text, because the operator says so.
    public var isPlain: Bool { tls == nil && publicOrigin?.hasPrefix("https:") != true && !isLoopback }

    /// `HOST:PORT`, with an IPv6 address in brackets.
    private static func address(_ text: String) throws -> (String, Int) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65_535).contains(port)
        else { throw SettingError(variable: "CHERISH_HTTP", expected: "an address with a port, like 127.0.0.1:8080") }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty else {
            throw SettingError(variable: "CHERISH_HTTP", expected: "an address with a port, like 127.0.0.1:8080")
        }
        return (String(host), port)
    }

    /// The origin of a URL, such as `https://cherish.example`.
    static func origin(_ text: String) throws -> String {
        guard let url = URL(string: text), let scheme = url.scheme, ["http", "https"].contains(scheme),
            let host = url.host,
            url.query == nil, url.user == nil, ["", "/"].contains(url.path)
        else { throw SettingError(variable: "CHERISH_PUBLIC_URL", expected: "an address like https://cherish.example") }
        return "\(scheme)://\(host)" + (url.port.map { ":\($0)" } ?? "")
    }

    private static let mostDocumentBytes = 256 * 1024

    private static func document(_ path: String, of variable: String) throws -> String {
        guard let bytes = FileManager.default.contents(atPath: path), bytes.count <= mostDocumentBytes,
            let text = String(validating: bytes, as: UTF8.self)
        else {
            throw SettingError(
                variable: variable, expected: "a file with Markdown in UTF-8, of at most 256 KiB, that may be read")
        }
        return text
    }

    private static func email(_ text: String) throws -> EmailAddress {
        guard let address = try? EmailAddress(text) else {
            throw SettingError(variable: "CHERISH_ENQUIRIES", expected: "an e-mail address like help@cherish.example")
        }
        return address
    }

    private static func addresses(_ text: String) throws -> Set<String> {
        let addresses = text.split(separator: ",").map { String($0.filter { $0 != " " }) }
        var parsed = in6_addr()
        for address in addresses {
            guard inet_pton(AF_INET, address, &parsed) == 1 || inet_pton(AF_INET6, address, &parsed) == 1 else {
                throw SettingError(
                    variable: "CHERISH_TRUSTED_PROXIES", expected: "addresses separated by commas, like 10.0.0.2")
            }
        }
        return Set(addresses)
    }
}

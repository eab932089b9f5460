import Crypto
import Foundation
import NIOSSL
import X509

/// A certificate authority that exists only in memory: clients that trust ``pem`` trust the servers it certifies.
public struct TestCertificateAuthority: Sendable {
    /// The authority's own certificate, for use as a client's only trust root.
    public let pem: String

    private let certificate: Certificate
    private let privateKey: Certificate.PrivateKey

    /// Creates a new authority with a key of its own.
    public init() throws {
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let name = try DistinguishedName { CommonName("Cherish test authority") }
        let extensions = try Certificate.Extensions {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
            Critical(KeyUsage(keyCertSign: true))
        }
        privateKey = key
        certificate = try Self.sign(key.publicKey, of: name, with: extensions, by: name, and: key)
        pem = try certificate.serializeAsPEM().pemString
    }

    /// Creates a server's key and certificate.
    ///
    /// - Parameter hosts: The names or IPv4 addresses by which clients reach the server.
    public func issue(hosts: [String]) throws -> (certificatePEM: String, privateKeyPEM: String) {
        let key = P256.Signing.PrivateKey()
        let extensions = try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true))
            try ExtendedKeyUsage([.serverAuth])
            SubjectAlternativeNames(hosts.map(Self.alternativeName))
        }
        let server = try Self.sign(
            Certificate.PrivateKey(key).publicKey,
            of: DistinguishedName { CommonName(hosts.first ?? "nameless") },
            with: extensions,
            by: certificate.subject,
            and: privateKey
        )
        return (try server.serializeAsPEM().pemString, key.pemRepresentation)
    }

    /// How a server with a key and certificate of its own speaks TLS.
    ///
    /// - Parameter hosts: as in ``issue(hosts:)``.
    public func serverConfiguration(hosts: [String]) throws -> TLSConfiguration {
        let identity = try issue(hosts: hosts)
        return TLSConfiguration.makeServerConfiguration(
            certificateChain: [
                .certificate(try NIOSSLCertificate(bytes: Array(identity.certificatePEM.utf8), format: .pem))
            ],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(identity.privateKeyPEM.utf8), format: .pem)))
    }

    private static func sign(
        _ publicKey: Certificate.PublicKey, of subject: DistinguishedName, with extensions: Certificate.Extensions,
        by issuer: DistinguishedName, and issuerKey: Certificate.PrivateKey
    ) throws -> Certificate {
        try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: publicKey,
            // An hour in the past, because a client's clock may differ from ours.
            notValidBefore: Date(timeIntervalSinceNow: -3600),
            notValidAfter: Date(timeIntervalSinceNow: 86_400),
            issuer: issuer,
            subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: extensions,
            issuerPrivateKey: issuerKey
        )
    }

    private static func alternativeName(_ host: String) -> GeneralName {
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        let address = numbers.compactMap { $0 }
        guard numbers.count == 4, address.count == 4 else { return .dnsName(host) }
        return .ipAddress(.init(contentBytes: address[...]))
    }
}

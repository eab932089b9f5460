import CLibUUID
import CherishCore
import Foundation

/// Makes ids with libuuid.
public struct UniqueIdentifiers: Sendable {
    /// A random UUID (version 4). Handed in, so that tests can make them predictable.
    public let random: @Sendable () -> UUID

    public init(random: @escaping @Sendable () -> UUID = { UUID.random() }) {
        self.random = random
    }

    /// The namespace of plants' ids.
    static let plantNamespace = UUID(
        uuid: (
            0x8b, 0x1d, 0x5f, 0x0e, 0x6c, 0x3a, 0x4e, 0x1b, 0x9d, 0x52, 0x63, 0x68, 0x65, 0x72, 0x69, 0x73
        ))

    /// The id of a friend: the same account, phone and number of removed plants give the same id.
    public static func plant(account: Account.ID, phone: PhoneNumber, removedBefore: Int) -> Plant.ID {
        Plant.ID(UUID.nameBased(in: plantNamespace, name: "\(account)/\(phone)/\(removedBefore)"))
    }
}

extension UUID {
    /// A random UUID (version 4).
    public static func random() -> UUID {
        var bytes = noBytes()
        withUnsafeMutableBytes(of: &bytes) { uuid_generate_random($0.bindMemory(to: UInt8.self).baseAddress) }
        return UUID(uuid: bytes)
    }

    /// A name-based UUID (version 5, SHA-1): the same namespace and name give the same id.
    public static func nameBased(in namespace: UUID, name: String) -> UUID {
        var bytes = noBytes()
        withUnsafeMutableBytes(of: &bytes) { bytes in
            withUnsafeBytes(of: namespace.uuid) { namespaceBytes in
                uuid_generate_sha1(
                    bytes.bindMemory(to: UInt8.self).baseAddress,
                    namespaceBytes.bindMemory(to: UInt8.self).baseAddress, name, name.utf8.count)
            }
        }
        return UUID(uuid: bytes)
    }

    private static func noBytes() -> Foundation.uuid_t {
        (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    }
}

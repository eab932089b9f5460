import CherishCore
import Foundation
import SystemUUID

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

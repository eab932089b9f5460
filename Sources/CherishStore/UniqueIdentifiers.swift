import Foundation
import SystemUUID

/// Makes ids with libuuid. They tell nothing of what they name: ids of plants leave the system, and a phone number can be
/// found by trying all there are.
public struct UniqueIdentifiers: Sendable {
    /// A random UUID (version 4). Handed in, so that tests can make them predictable.
    public let random: @Sendable () -> UUID

    public init(random: @escaping @Sendable () -> UUID = { UUID.random() }) {
        self.random = random
    }
}

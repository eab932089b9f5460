import Foundation
import SystemUUID

/// Creates ids with libuuid. They reveal nothing about what they name: plant ids leave the system, and an id derived
/// from a phone number could be cracked by trying all numbers.
public struct UniqueIdentifiers: Sendable {
    /// Returns a random UUID (version 4). Injected, so that tests can make ids predictable.
    public let random: @Sendable () -> UUID

    public init(random: @escaping @Sendable () -> UUID = { UUID.random() }) {
        self.random = random
    }
}

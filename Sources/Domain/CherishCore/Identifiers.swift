import Foundation

/// A typed UUID, so that an account's id cannot be passed as a plant's.
public struct Identifier<Owner>: Hashable, Sendable {
    public let uuid: UUID

    public init(_ uuid: UUID) {
        self.uuid = uuid
    }
}

extension Identifier: Comparable {
    /// Orders by bytes, as PostgreSQL does for `uuid`.
    public static func < (left: Identifier, right: Identifier) -> Bool {
        withUnsafeBytes(of: left.uuid.uuid) { leftBytes in
            withUnsafeBytes(of: right.uuid.uuid) { rightBytes in
                leftBytes.lexicographicallyPrecedes(rightBytes)
            }
        }
    }
}

extension Identifier where Owner == Plant {
    /// The plant as the subject of pushes.
    public var subject: Subject.ID { Subject.ID(uuid) }

    /// The plant that is the subject of a push.
    public init(_ subject: Subject.ID) {
        self.init(subject.uuid)
    }
}

/// One of 256 parts of the service: the last byte of an account's id. Everything that belongs to an account is in its
/// lane.
public struct Lane: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let number: UInt8

    public init(_ number: UInt8) {
        self.number = number
    }

    public static let all: [Lane] = (0...255).map { Lane(UInt8($0)) }

    public static func < (left: Lane, right: Lane) -> Bool {
        left.number < right.number
    }

    public var description: String {
        String(number)
    }
}

extension Identifier where Owner == Account {
    public var lane: Lane {
        Lane(uuid.uuid.15)
    }
}

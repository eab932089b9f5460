/// What a program needs to make the tag of a password that somebody gives.
public struct PasswordChallenge: Hashable, Sendable {
    /// 16 random bytes, new with each password.
    public let salt: [UInt8]
    /// In KiB.
    public let memoryKiB: Int
    /// How often the memory is passed over.
    public let passes: Int

    public init(salt: [UInt8], memoryKiB: Int, passes: Int) {
        (self.salt, self.memoryKiB, self.passes) = (salt, memoryKiB, passes)
    }
}

/// What is stored of a password: what Argon2id made of it, and how (rule 12.2).
public struct PasswordTag: Hashable, Sendable {
    public let challenge: PasswordChallenge
    /// 32 bytes.
    public let tag: [UInt8]

    public init(_ tag: [UInt8], of challenge: PasswordChallenge) {
        (self.tag, self.challenge) = (tag, challenge)
    }
}

/// Random bytes from the operating system.
public enum RandomBytes {
    /// Returns some random bytes, for secrets and salts.
    public static func make(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

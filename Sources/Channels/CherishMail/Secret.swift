/// A password, token or key. Its text does not end up in a log or a dump by accident.
public struct Secret: Sendable {
    let text: String

    /// Hides a text.
    public init(_ text: String) {
        self.text = text
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder.
    public var description: String { "a secret" }
    /// The same placeholder: a debug log is still a log.
    public var debugDescription: String { description }
    /// Without children: a dump is still a log.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

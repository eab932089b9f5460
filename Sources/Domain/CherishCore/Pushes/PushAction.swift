import Foundation

/// What somebody may do from a notification on a browser, besides opening the page that it is about.
public struct PushAction: Hashable, Sendable {
    public let name: String
    private let korean, english: String
    /// The page that it opens, below the subject in its collection, where nothing can be done at once.
    public let page: String
    /// Whether it is done at once, by a token that works once; one action of a topic at most.
    public let isDoneAtOnce: Bool

    public init(_ name: String, korean: String, english: String, page: String, isDoneAtOnce: Bool = false) {
        (self.name, self.korean, self.english, self.page) = (name, korean, english, page)
        self.isDoneAtOnce = isDoneAtOnce
    }

    /// What the button says.
    public func title(in language: Language) -> String { language == .korean ? korean : english }
}

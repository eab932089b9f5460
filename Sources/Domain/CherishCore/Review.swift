/// Up to three keywords and a memo for one watering (rule 5). Never empty.
public struct Review: Hashable, Sendable {
    public static let maximumKeywords = 3

    public let keywords: [String]
    public let memo: String?

    /// Tidies and validates the texts by rules 5.1 and 5.2. A blank memo becomes nil.
    ///
    /// - Throws: ``CareError/tooManyKeywords(_:)``, ``CareError/keywordEmpty``, ``CareError/keywordTooLong(length:)``,
    ///   ``CareError/keywordRepeated``, ``CareError/memoTooLong(length:)``, ``CareError/reviewEmpty``.
    public init(keywords: [String], memo: String?) throws(CareError) {
        guard keywords.count <= Review.maximumKeywords else { throw .tooManyKeywords(keywords.count) }
        let tidyKeywords = keywords.map { TidyText.tidy($0) }
        for keyword in tidyKeywords {
            if keyword.isEmpty { throw .keywordEmpty }
            let length = TidyText.length(of: keyword)
            if length > TextLimit.keyword { throw .keywordTooLong(length: length) }
        }
        guard Set(tidyKeywords).count == tidyKeywords.count else { throw .keywordRepeated }
        let tidyMemo = memo.map { TidyText.tidy($0) } ?? ""
        let length = TidyText.length(of: tidyMemo)
        if length > TextLimit.memo { throw .memoTooLong(length: length) }
        guard !tidyKeywords.isEmpty || !tidyMemo.isEmpty else { throw .reviewEmpty }
        self.keywords = tidyKeywords
        self.memo = tidyMemo.isEmpty ? nil : tidyMemo
    }

    /// The reasons for which this review earns affection.
    var reasons: [AffectionReason] {
        (keywords.isEmpty ? [] : [.keywords]) + (memo == nil ? [] : [.memo])
    }
}

/// An error that explains itself in Korean, besides English.
public protocol ExplainedInKorean: Error {
    /// What is wrong, and what to do about it: whole sentences in the polite 해요체, with the values of the English ones.
    /// They repeat no phone number, password, code, keyword or memo.
    var korean: (problem: String, remedy: String) { get }
}

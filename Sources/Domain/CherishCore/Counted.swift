extension Int {
    /// A number with its noun in English: `1.counted("day")` is "1 day", `2.counted("day")` is "2 days".
    ///
    /// - Parameter noun: The singular; its plural must end in `s`.
    public func counted(_ noun: String) -> String {
        "\(self) \(noun)\(self == 1 ? "" : "s")"
    }
}

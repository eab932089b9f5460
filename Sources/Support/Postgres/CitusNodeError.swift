extension PostgresError {
    /// Restores what Citus loses of a node's error: the constraint's name, and for a COPY also the SQLSTATE (it reports
    /// XX000). The node's message has both, in English: `lc_messages` of the nodes must be C or English.
    mutating func restoreFromMessageOfNode() {
        guard constraint == nil, let message = serverMessage else { return }
        let kinds = [
            ("duplicate key value violates unique constraint \"", "23505"),
            ("violates check constraint \"", "23514"),
            ("violates foreign key constraint \"", "23503"),
            ("no partition of relation \"", "23514"),
        ]
        for (words, state) in kinds {
            guard sqlState == state || sqlState == "XX000", let start = message.firstRange(of: words)?.upperBound
            else { continue }
            sqlState = state
            let name = Self.withoutShard(message[start...].prefix { $0 != "\"" })
            if !words.hasPrefix("no partition"), Self.isName(name) { constraint = name }
            return
        }
    }

    /// Names of a table's parts end with the number of the shard: `account_pkey_102083`.
    private static func withoutShard(_ name: Substring) -> String {
        let end = name.lastIndex(of: "_")
        guard let end, name[end...].count >= 7, name[end...].dropFirst().allSatisfy(\.isWholeNumber) else {
            return String(name)
        }
        return String(name[..<end])
    }
}

import CherishCore
import CherishStore

/// The copies of the accounts that devices keep, by what has changed (rule 14.2).
struct Replicas {
    private var copies: [Account.ID: GardenReplica] = [:]

    /// Lets the devices of all accounts ask for what has changed, and compares their copies with what there is.
    ///
    /// - Parameters:
    ///   - accounts: the living ones.
    ///   - isWhole: whether to compare; reading everything takes longer than following.
    /// - Returns: how many copies were compared, and what is wrong with them.
    mutating func follow(_ accounts: [Account.ID], in store: CareStore, at now: Instant, isWhole: Bool) async throws
        -> (comparisons: Int, differences: [String])
    {
        let living = Set(accounts)
        copies = copies.filter { living.contains($0.key) }
        var differences: [String] = []
        for account in accounts {
            let garden = store.garden(of: account)
            // Short pages, so that they end anywhere.
            try await copies[account, default: GardenReplica()].follow(garden, limit: 7)
            guard isWhole, let copy = copies[account] else { continue }
            if copy.beginningCount > 1 { differences.append("a device of \(account) had to read everything again") }
            let wrong = copy.differences(from: try await GardenReplica.reading(garden), at: now)
            if !wrong.isEmpty { differences.append("a device of \(account) is wrong about \(wrong[0])") }
        }
        return (isWhole ? accounts.count : 0, differences)
    }
}

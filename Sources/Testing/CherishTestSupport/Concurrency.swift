/// Runs `work` concurrently with the numbers from 1 to `count`; the results come in no particular order.
public func concurrently<Value: Sendable>(
    _ count: Int, _ work: @escaping @Sendable (Int) async throws -> Value
) async -> [Result<Value, any Error>] {
    await withTaskGroup(of: Result<Value, any Error>.self) { group in
        for number in 1...count {
            group.addTask {
                do { return .success(try await work(number)) } catch { return .failure(error) }
            }
        }
        var results: [Result<Value, any Error>] = []
        for await result in group { results.append(result) }
        return results
    }
}

import CherishRuntime

/// Reads an input as a program's environment, and aborts on a violated invariant. Called by libFuzzer.
///
/// - Parameters:
///   - data: The input: a line for each variable, such as `CHERISH_POLL_MILLISECONDS=500`.
///   - count: Its length in bytes.
/// - Returns: 0, which libFuzzer requires.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSettings(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: data, count: count), as: UTF8.self)
    var environment: [String: String] = [:]
    for line in text.split(separator: "\n") {
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 { environment[String(parts[0])] = String(parts[1]) }
    }
    do {
        let settings = try Settings(environment: environment)
        // The ranges in docs/operating.md.
        guard (1...64).contains(settings.concurrency), (1...3650).contains(settings.retentionDays),
            (Duration.milliseconds(10)...Duration.seconds(60)).contains(settings.pollInterval),
            (Duration.milliseconds(300)...Duration.seconds(600)).contains(settings.leaseDuration)
        else { fatalError("a setting is out of its range") }
    } catch is SettingError {
        // Most inputs end here.
    } catch {
        fatalError("settings are refused by SettingError alone, and not by \(error)")
    }
    return 0
}

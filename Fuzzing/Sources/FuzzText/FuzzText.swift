import CherishCore

/// Reads an input as everything that people type, and aborts on a violated invariant. Called by libFuzzer.
///
/// - Parameters:
///   - data: The input as UTF-8; invalid sequences are repaired.
///   - count: Its length in bytes.
/// - Returns: 0, which libFuzzer requires.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzText(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: data, count: count), as: UTF8.self)
    requireSameAgain(text) { CivilDay($0) }
    requireSameAgain(text) { Instant($0) }
    requireSameAgain(text) { try? TimeOfDay(alarm: $0) }
    requireSameAgain(text) { try? Birthday($0) }
    requireSameAgain(text) { try? EmailAddress($0) }
    requireSameAgain(text) { try? PhoneNumber(e164: $0) }
    requireSameAgain(text) { try? ContactName($0) }
    requireSameAgain(text) { try? Nickname($0) }
    requireSameAgain(text) { try? TagName($0) }
    requireSameAgain(text) { try? TagColour($0) }
    requireSoundColumnMap(text)
    if let secret = WebhookSecret(text), WebhookSecret(secret.text) != secret {
        fatalError("a secret becomes another one")
    }
    if let review = try? Review(keywords: [text], memo: text) {
        guard (try? Review(keywords: review.keywords, memo: review.memo)) == review else {
            fatalError("a review becomes another one: \(text)")
        }
    }
    return 0
}

/// Requires that the description of a parsed value parses to the same value.
private func requireSameAgain<Value: Equatable & CustomStringConvertible>(_ text: String, _ read: (String) -> Value?) {
    guard let value = read(text) else { return }
    if read(value.description) != value { fatalError("\(text) is read as \(value), which is read as something else") }
}

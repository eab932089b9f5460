import CherishCore

/// Reads an input as everything that people type, and ends the process when a promise is broken. libFuzzer calls it.
///
/// - Parameters:
///   - data: The input, in UTF-8; what is none is repaired.
///   - count: How many bytes it has.
/// - Returns: 0, which libFuzzer asks for.
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

/// What was understood and is written down is understood as the same.
private func requireSameAgain<Value: Equatable & CustomStringConvertible>(_ text: String, _ read: (String) -> Value?) {
    guard let value = read(text) else { return }
    if read(value.description) != value { fatalError("\(text) is read as \(value), which is read as something else") }
}

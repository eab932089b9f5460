import Foundation

@testable import CherishProviders

/// Reads an input as the answer of a provider or webhook, and aborts on a violated invariant. Called by libFuzzer.
///
/// - Parameters:
///   - data: The input: two bytes for the status, a line for the header Retry-After, then the body.
///   - count: Its length in bytes.
/// - Returns: 0, which libFuzzer requires.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzProviderAnswers(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count >= 2 else { return 0 }
    let status = 100 + (Int(data[0]) << 8 | Int(data[1])) % 500
    let rest = Array(UnsafeBufferPointer(start: data + 2, count: count - 2))
    let line = rest.prefix { $0 != UInt8(ascii: "\n") }
    let body = Array(rest.dropFirst(line.count + 1))
    let answer = HTTPAnswer(
        status: status, headers: ["retry-after": String(decoding: line, as: UTF8.self)], body: body)
    for read in [APNsAnswers.answer, FCMAnswers.answer, WebhookAnswers.answer] as [(HTTPAnswer) -> ProviderAnswer] {
        require(read(answer), status: status)
    }
    requireTokenOrReason(answer)
    requireServiceAccountOrRefusal(String(decoding: body, as: UTF8.self))
    return 0
}

/// Reasons are logged and stored, so they hold the status and our own words, whatever the server wrote.
private func require(_ answer: ProviderAnswer, status: Int) {
    guard answer.reason.hasPrefix("\(status)"), answer.reason.utf8.count <= 64 else {
        fatalError("a reason repeats the server: \(answer.reason)")
    }
    for pause in [answer.retryAfter, answer.pause].compactMap({ $0 }) {
        if pause < .zero || pause > .seconds(86_400) { fatalError("a pause of \(pause)") }
    }
}

/// A token becomes part of a header and is renewed within an hour; a reason is logged.
private func requireTokenOrReason(_ answer: HTTPAnswer) {
    switch GoogleCredential.read(answer) {
    case .success(let token):
        let bytes = token.text.utf8
        guard answer.status == 200, (1...4096).contains(bytes.count), bytes.allSatisfy({ (0x21...0x7E).contains($0) })
        else { fatalError("a token that no header can hold: \(token.text)") }
        let lifetime = ContinuousClock.now.duration(to: token.usableUntil)
        if lifetime < .zero || lifetime > .seconds(3600) { fatalError("a token is used for \(lifetime)") }
    case .failure(let failure):
        let reason = failure.answer.reason
        guard reason.hasPrefix("no access token: \(answer.status) "), reason.utf8.count <= 64 else {
            fatalError("a reason repeats the server: \(reason)")
        }
    }
}

/// Not a provider's answer, but a file that may be the wrong one.
private func requireServiceAccountOrRefusal(_ text: String) {
    do {
        _ = try ServiceAccount(json: text)
    } catch is CredentialError {
        // Nearly all inputs end here.
    } catch {
        fatalError("a service account is refused by CredentialError alone, and not by \(error)")
    }
}

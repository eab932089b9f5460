import CLibCurl
import Foundation

/// How long a transfer may take, and whom it trusts.
struct TransferLimits: Sendable {
    var connectTimeout: Duration
    /// For the whole transfer.
    var timeout: Duration
    /// Certificates in PEM to trust in addition to the system's.
    var certificatesPath: String?
}

/// One transfer of libcurl. It blocks its thread: only ``TransferThreads`` runs it.
///
/// Certificates are always verified, and proxies of the environment are ignored.
final class CurlTransfer {
    /// What the server said last.
    struct Outcome: Sendable {
        /// nil if libcurl saw nothing wrong.
        var failure: TransferFailure?
        /// The last status; 0 for none.
        var status = 0
        /// At most the first 16 KiB.
        var body: [UInt8] = []
        /// The last line, outside the body, by which a mail server refused something.
        var refusal: [UInt8] = []
    }

    private static let longestBody = 16_384
    /// Where Debian keeps the certificates that the system trusts.
    private static let systemCertificates = "/etc/ssl/certs"
    private static let hasStarted = cherish_curl_start() == CURLE_OK

    private let handle: UnsafeMutableRawPointer
    private let cancellation: Cancellation
    private var lists: [UnsafeMutablePointer<curl_slist>] = []
    private var source: ArraySlice<UInt8> = []
    private var body: [UInt8] = []
    private var refusal: [UInt8] = []

    /// - Parameters:
    ///   - url: needs no escapes.
    ///   - schemes: what the URL may begin with, such as `smtp,smtps`.
    init(
        to url: String, schemes: String, limits: TransferLimits, cancellation: Cancellation
    ) throws(TransferFailure) {
        guard CurlTransfer.hasStarted, let handle = curl_easy_init() else { throw .outOfMemory }
        self.handle = handle
        self.cancellation = cancellation
        try set(CURLOPT_URL, to: url)
        try set(CURLOPT_PROTOCOLS_STR, to: schemes)
        try set(CURLOPT_PROXY, to: "")
        // Signals and threads do not go together.
        try set(CURLOPT_NOSIGNAL, to: 1)
        try set(limits)
        try setTrust(limits.certificatesPath)
        try setFunctions()
    }

    deinit {
        curl_easy_cleanup(handle)
        for list in lists { curl_slist_free_all(list) }
    }

    private func set(_ limits: TransferLimits) throws(TransferFailure) {
        try set(CURLOPT_CONNECTTIMEOUT_MS, to: limits.connectTimeout.inMilliseconds)
        try set(CURLOPT_TIMEOUT_MS, to: limits.timeout.inMilliseconds)
        // In whole seconds. Otherwise a mail server that does not answer our goodbye holds the thread for two minutes.
        try set(CURLOPT_SERVER_RESPONSE_TIMEOUT, to: (limits.timeout.inMilliseconds + 999) / 1000)
    }

    private func setTrust(_ certificatesPath: String?) throws(TransferFailure) {
        try set(CURLOPT_SSL_VERIFYPEER, to: 1)
        try set(CURLOPT_SSL_VERIFYHOST, to: 2)
        try set(CURLOPT_SSLVERSION, to: Int(CURL_SSLVERSION_TLSv1_2))
        guard let certificatesPath else { return }
        // The file takes the place of the system's bundle, so name the system's folder as well.
        try set(CURLOPT_CAINFO, to: certificatesPath)
        try set(CURLOPT_CAPATH, to: CurlTransfer.systemCertificates)
    }

    private func setFunctions() throws(TransferFailure) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        try check(cherish_curl_set_body(handle, { CurlTransfer.at($3).receive($0, $1 * $2) }, context))
        try check(cherish_curl_set_lines(handle, { CurlTransfer.at($3).receiveLine($0, $1 * $2) }, context))
        try check(
            cherish_curl_set_progress(
                handle, { context, _, _, _, _ in CurlTransfer.at(context).cancellation.isCancelled ? 1 : 0 }, context))
    }

    // MARK: - Options

    func set(_ option: CURLoption, to number: Int) throws(TransferFailure) {
        try check(cherish_curl_set_number(handle, option, number))
    }

    /// - Parameter text: must not contain NUL, which would end it.
    func set(_ option: CURLoption, to text: String) throws(TransferFailure) {
        if text.utf8.contains(0) { throw .unusableRequest }
        try check(cherish_curl_set_text(handle, option, text))
    }

    func set(_ option: CURLoption, to texts: [String]) throws(TransferFailure) {
        var list: UnsafeMutablePointer<curl_slist>?
        for text in texts {
            // A line break would begin another header or command.
            guard text == text.withoutControlCharacters, let longer = curl_slist_append(list, text) else {
                curl_slist_free_all(list)
                throw .unusableRequest
            }
            list = longer
        }
        guard let list else { return }
        lists.append(list)
        try check(cherish_curl_set_list(handle, option, list))
    }

    /// Uploads bytes.
    func upload(_ bytes: [UInt8]) throws(TransferFailure) {
        source = bytes[...]
        try set(CURLOPT_UPLOAD, to: 1)
        try check(cherish_curl_set_size(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(bytes.count)))
        let context = Unmanaged.passUnretained(self).toOpaque()
        try check(cherish_curl_set_source(handle, { CurlTransfer.at($3).send($0, $1 * $2) }, context))
    }

    /// Posts a text, which libcurl copies.
    func post(_ text: String) throws(TransferFailure) {
        try set(CURLOPT_COPYPOSTFIELDS, to: text)
    }

    private func check(_ code: CURLcode) throws(TransferFailure) {
        if code != CURLE_OK { throw TransferFailure(code) ?? .unusableRequest }
    }

    // MARK: - The transfer

    /// Blocks until the transfer has ended.
    func perform() -> Outcome {
        if cancellation.isCancelled { return Outcome(failure: .cancelled) }
        let code = withExtendedLifetime(self) { curl_easy_perform(handle) }
        return Outcome(
            failure: TransferFailure(code), status: cherish_curl_status(handle), body: body, refusal: refusal)
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> CurlTransfer {
        // Always set, together with the function.
        Unmanaged<CurlTransfer>.fromOpaque(context!).takeUnretainedValue()
    }

    private func send(_ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int) -> Int {
        let next = source.prefix(capacity)
        UnsafeMutableRawBufferPointer(start: buffer, count: capacity).copyBytes(from: next)
        source.removeFirst(next.count)
        return next.count
    }

    /// Ignores what exceeds the limit: only the beginning matters.
    private func receive(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        body += UnsafeRawBufferPointer(start: bytes, count: count).prefix(CurlTransfer.longestBody - body.count)
        return count
    }

    /// Keeps refusals only: the answer to our goodbye comes after them.
    private func receiveLine(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        let line = UnsafeRawBufferPointer(start: bytes, count: count)
        if let first = line.first, [UInt8(ascii: "4"), UInt8(ascii: "5")].contains(first) {
            refusal = Array(line.prefix(CurlTransfer.longestBody))
        }
        return count
    }
}

extension Duration {
    /// At least 1, because libcurl takes 0 for no limit.
    fileprivate var inMilliseconds: Int {
        max(1, Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000))
    }
}

import Foundation

/// Reads the parts that settings for mail and text messages have in common.
struct MessageSettingReader {
    /// `USER:SECRET@PLACE?from=FROM`
    struct Parts {
        var user: String
        var secret: String?
        var place: String?
        var from: String
    }

    let variable: String
    let value: String
    let secretVariable: String
    private let environment: [String: String]

    /// nil if the variable is unset or empty.
    init?(_ variable: String, secretIn suffix: String, _ environment: [String: String]) {
        guard let value = environment[variable], !value.isEmpty else { return nil }
        self.variable = variable
        self.value = value
        self.environment = environment
        secretVariable = "\(variable)_\(suffix)"
    }

    func notUnderstood(_ form: String) -> MessageSettingError {
        MessageSettingError(variable, "it is not understood; set it to \(form)")
    }

    /// Without a place, everything belongs to the user.
    ///
    /// Nothing of the value appears in an error: where it is not understood, any part may be part of the secret.
    func parts(of text: String, form: String) throws(MessageSettingError) -> Parts {
        let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard value == value.withoutControlCharacters, !text.contains("#") else { throw notUnderstood(form) }
        guard halves.count == 2, let from = String(halves[1]).after("from="), !from.contains("&") else {
            throw MessageSettingError(
                variable, "it is not understood, or names no sender; end it with ?from=, like \(form)")
        }
        // Many users are addresses and contain the sign themselves.
        let at = halves[0].lastIndex(of: "@")
        let place = at.map { halves[0][halves[0].index(after: $0)...] }
        let login = halves[0][..<(at ?? halves[0].endIndex)]
        // A server without a user has a port after its colon.
        let colon = place == nil && form.hasPrefix("smtp") ? nil : login.firstIndex(of: ":")
        let user = login[..<(colon ?? login.endIndex)]
        let secret = colon.map { login[login.index(after: $0)...] }
        return Parts(
            user: try decoded(user, form: form),
            secret: try secret.map { text throws(MessageSettingError) in try decoded(text, form: form) },
            place: place.map(String.init), from: try decoded(from[...], form: form))
    }

    /// The text with the character that each `%XX` stands for.
    private func decoded(_ text: Substring, form: String) throws(MessageSettingError) -> String {
        guard let decoded = text.removingPercentEncoding else {
            throw MessageSettingError(
                variable,
                "a percent sign in it must begin a %XX; write % itself as %25, @ as %40, / as %2F and ? as %3F")
        }
        guard !decoded.isEmpty, decoded == decoded.withoutControlCharacters else { throw notUnderstood(form) }
        return decoded
    }

    func hostAndPort(_ text: String, form: String) throws(MessageSettingError) -> (host: String, port: Int?) {
        let server = text.wholeMatch(of: #/(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::([0-9]{1,5}))?/#)
        guard let server, let host = server.output.1 ?? server.output.2 else { throw notUnderstood(form) }
        guard let digits = server.output.3 else { return (String(host), nil) }
        guard let port = Int(digits), (1...65_535).contains(port) else {
            throw MessageSettingError(variable, "the port must be 1 to 65535")
        }
        return (String(host), port)
    }

    // MARK: - Secrets

    var hasSecretFile: Bool { environment[secretVariable]?.isEmpty == false }

    /// The secret, from the value or from a file.
    ///
    /// - Parameter place: where the value may have it.
    func secret(_ text: String?, named place: String) throws(MessageSettingError) -> Secret {
        switch (text, hasSecretFile) {
        case (let text?, false) where !text.isEmpty: return Secret(text)
        case (nil, true): return Secret(try contentsOfSecretFile())
        case (_, true):
            throw MessageSettingError(
                variable, "the secret is given twice; leave out \(place), or unset \(secretVariable)")
        default:
            throw MessageSettingError(
                variable, "the secret is missing; add \(place), or name a file with it in \(secretVariable)")
        }
    }

    private func contentsOfSecretFile() throws(MessageSettingError) -> String {
        let path = try file(in: secretVariable)
        try refuseOpenFile(path)
        guard let data = FileManager.default.contents(atPath: path) else {
            throw MessageSettingError(
                secretVariable, "\(path) cannot be read; check that it is there and may be read")
        }
        var text = String(decoding: data.prefix(10_000), as: UTF8.self)
        // Editors and echo end the last line.
        if text.last?.isNewline == true { text.removeLast() }
        guard !text.isEmpty, data.count < 10_000, text == text.withoutControlCharacters else {
            throw MessageSettingError(secretVariable, "\(path) must contain the secret, on one line, and nothing else")
        }
        return text
    }

    /// Checks permissions as for other key files: a file owned by root may be group-readable, any other only readable
    /// by its owner.
    private func refuseOpenFile(_ path: String) throws(MessageSettingError) {
        var information = stat()
        // A pipe belongs to whoever created it; a missing file is reported when it is read.
        guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return }
        let others: mode_t = information.st_uid == 0 ? 0o037 : 0o077
        if information.st_mode & others != 0 {
            throw MessageSettingError(
                secretVariable,
                "other users may read or change \(path); run 'chmod 600 \(path)', and renew what is in it if they were "
                    + "not to see it")
        }
    }

    // MARK: - Files and URLs

    /// The file with further certificates; nil if none is set.
    func certificatesPath() throws(MessageSettingError) -> String? {
        let variable = "\(variable)_CA_FILE"
        guard environment[variable]?.isEmpty == false else { return nil }
        let path = try file(in: variable)
        guard let data = FileManager.default.contents(atPath: path),
            data.range(of: Data("-----BEGIN CERTIFICATE-----".utf8)) != nil
        else { throw MessageSettingError(variable, "\(path) is no readable file with certificates in PEM") }
        return path
    }

    /// Refuses a secret pasted in place of a path: messages may quote a path, but never a secret.
    private func file(in variable: String) throws(MessageSettingError) -> String {
        guard let path = environment[variable], path.contains("/"), !path.hasPrefix("whsec_"),
            path == path.withoutControlCharacters, !path.contains("-----")
        else { throw MessageSettingError(variable, "it must be the path of a file, such as /etc/cherish/secret") }
        return path
    }

    func path(_ path: String) throws(MessageSettingError) -> String {
        guard !path.isEmpty, path == path.withoutControlCharacters else { throw notUnderstood("jsonl:PATH") }
        return path
    }

    /// Another server to use instead of the service's own; nil if none is set.
    func serviceURL() throws(MessageSettingError) -> String? {
        let variable = "\(variable)_URL"
        guard let text = environment[variable], !text.isEmpty else { return nil }
        guard MessageSettingReader.isSafe(text), !text.contains("?") else {
            throw MessageSettingError(variable, "it must be a URL like https://example.com, without a question mark")
        }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// The URL of a webhook.
    func url(_ text: String) throws(MessageSettingError) -> String {
        guard MessageSettingReader.isSafe(text) else {
            throw MessageSettingError(
                variable,
                "the URL after webhook: must be like https://example.com/sms, without user and password; http:// will do "
                    + "for this machine only, such as http://127.0.0.1:8080/sms")
        }
        return text
    }

    /// Whether a URL leads to a server by an encrypted connection, or to this machine.
    private static func isSafe(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let url = URL(string: text), let host = url.host,
            !host.isEmpty, url.user == nil, url.password == nil, url.port.map({ (1...65_535).contains($0) }) ?? true
        else { return false }
        switch url.scheme?.lowercased() {
        case "https": return true
        case "http": return ["127.0.0.1", "localhost", "::1", "[::1]"].contains(host.lowercased())
        default: return false
        }
    }
}

extension String {
    /// What follows a prefix; nil if the text begins otherwise.
    func after(_ prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }

    /// Whether it consists of letters and digits in ASCII, and a few signs that mean nothing in a URL.
    var isWord: Bool {
        wholeMatch(of: #/[A-Za-z0-9._-]+/#) != nil
    }
}

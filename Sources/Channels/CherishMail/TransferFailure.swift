import CLibCurl

/// Why a transfer did not end as it should. Never quotes libcurl's errors: they may name hosts, paths and recipients.
enum TransferFailure: Error, Hashable, Sendable {
    /// The name does not resolve.
    case hostNotFound
    /// No server answers at the address.
    case noConnection
    case timeout
    /// The connection ended before the answer.
    case interrupted
    /// Not a TLS server, or no common version.
    case handshakeFailed
    /// The certificate is not trusted, or belongs to another host.
    case certificateNotTrusted
    /// The file with further certificates cannot be read.
    case certificatesUnreadable
    /// The server offers no encryption.
    case notEncrypted
    /// The server refused the user or the password.
    case loginDenied
    case cancelled
    /// No request can be made to the URL, or with these options.
    case unusableRequest
    case outOfMemory
    /// Another of libcurl's errors, by its number.
    case other(UInt32)

    /// nil if nothing is wrong.
    init?(_ code: CURLcode) {
        switch code {
        case CURLE_OK: return nil
        case CURLE_COULDNT_RESOLVE_HOST: self = .hostNotFound
        case CURLE_COULDNT_CONNECT: self = .noConnection
        case CURLE_OPERATION_TIMEDOUT: self = .timeout
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE: self = .interrupted
        case CURLE_SSL_CONNECT_ERROR: self = .handshakeFailed
        case CURLE_PEER_FAILED_VERIFICATION: self = .certificateNotTrusted
        case CURLE_SSL_CACERT_BADFILE: self = .certificatesUnreadable
        case CURLE_USE_SSL_FAILED: self = .notEncrypted
        case CURLE_LOGIN_DENIED: self = .loginDenied
        case CURLE_ABORTED_BY_CALLBACK: self = .cancelled
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_UNKNOWN_OPTION:
            self = .unusableRequest
        case CURLE_OUT_OF_MEMORY: self = .outOfMemory
        default: self = .other(code.rawValue)
        }
    }

    /// - Parameter variable: the setting that names the server, such as `CHERISH_MAIL`.
    func error(variable: String) -> MailError {
        switch self {
        case .hostNotFound:
            MailError(
                .temporary, .connection, "the name of the server does not resolve; check the host in \(variable)")
        case .noConnection:
            MailError(.temporary, .connection, "no server answers there; check host and port in \(variable)")
        case .timeout:
            MailError(
                .temporary, .timeout,
                "the server did not answer in time; if this goes on, check host and port in \(variable)")
        case .interrupted:
            MailError(.temporary, .connection, "the connection was lost before the server answered; try again later")
        case .handshakeFailed:
            MailError(
                .temporary, .connection,
                "TLS could not be agreed upon; check the port in \(variable), and that the server knows TLS 1.2")
        case .certificateNotTrusted:
            MailError(
                .permanent, .certificate,
                """
                the server's certificate is not trusted, or belongs to another host; correct the host in \(variable), \
                or name the file with its issuer's certificate in \(variable)_CA_FILE
                """)
        case .certificatesUnreadable:
            MailError(
                .permanent, .certificate,
                "\(variable)_CA_FILE names no readable file with certificates in PEM; correct it")
        case .notEncrypted:
            MailError(
                .permanent, .encryption,
                """
                the server offers no encryption, and nothing is sent without; turn on STARTTLS there, or use smtps:// \
                in \(variable)
                """)
        case .loginDenied:
            MailError(
                .permanent, .authentication, "the server refused the user or the password; correct \(variable)")
        case .cancelled: .cancelled
        case .unusableRequest: MailError(.permanent, .setting, "no request can be made; check \(variable)")
        case .outOfMemory: MailError(.temporary, .busy, "there is not enough memory; free some")
        case .other(let number):
            MailError(
                .temporary, .connection,
                "the transfer failed (libcurl's error \(number)); if this goes on, check \(variable)")
        }
    }
}

extension PostgresError {
    /// Explains why a connection attempt failed, from libpq's text.
    ///
    /// While connecting, libpq reports text without fields, so this parses the text. It keeps the text only where it
    /// cannot contain part of the password: in a mistyped URL the password can end up anywhere, and libpq quotes what
    /// it cannot parse.
    static func connecting(_ message: String) -> PostgresError {
        var error = PostgresError(code: .connection)
        error.sqlState = message.firstMatch(of: #/:  ([0-9A-Z]{5}):/#).map { String($0.output.1) }
        error.explanation = advice(sqlState: error.sqlState, message: message)
        if message.hasPrefix("connection to server") {
            let lines = message.split(separator: "\n").filter { !$0.hasPrefix("LOCATION:") }
            error.serverMessage = lines.joined(separator: "\n")
        }
        return error
    }

    private static func advice(sqlState: String?, message: String) -> String {
        switch sqlState {
        case "3D000":
            return "the server has no such database; create it, or name another in the connection settings"
        case "28P01", "28000":
            return "the server refused the user or the password; correct them, or allow the user in pg_hba.conf"
        case "53300":
            return "the server has no connection left; try again later, or raise max_connections"
        case "57P03":
            return "the server is starting or stopping; try again shortly"
        case .some:
            return "the server refused the connection; its log says why"
        case .none:
            return adviceWithoutState(message)
        }
    }

    private static func adviceWithoutState(_ message: String) -> String {
        if message.contains("no password supplied") {
            return "the server wants a password; give one in the connection settings or in a password file"
        }
        if message.contains("could not translate host name") {
            return "the host name cannot be resolved; correct the host in the connection settings"
        }
        // A peer that fails during SSL negotiation is not a PostgreSQL server, or has gone: not a TLS problem.
        let isAboutTLS = message.contains("SSL") && !message.contains("SSL negotiation")
        if message.contains("certificate") || isAboutTLS {
            return "TLS could not be agreed upon; check sslmode, sslrootcert and the server's certificate"
        }
        if message.hasPrefix("connection to server") {
            return "no server answers there; start it, or correct host and port in the connection settings"
        }
        return "the connection settings cannot be understood; give a URL such as "
            + "postgresql://user@host:5432/database, or keyword=value pairs"
    }
}

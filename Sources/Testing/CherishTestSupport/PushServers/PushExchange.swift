import Foundation

extension PushServer {
    /// The protocol of a server.
    public enum HTTPProtocol: Sendable, CaseIterable {
        /// HTTP/2 over TLS.
        case http2
        /// HTTP/1.1 over TLS.
        case http1
        /// HTTP/1.1 without TLS.
        case plainHTTP1
    }

    /// A request that a server has read completely.
    public struct Request: Sendable {
        /// The method, such as `POST`.
        public let method: String
        /// The path with its query, if there is one.
        public let path: String
        /// The headers in the order of the request.
        public let headers: [(name: String, value: String)]
        /// The body; empty if there is none.
        public let body: [UInt8]
        /// The number of the TCP connection on the server: 1, 2, 3…
        public let connection: Int

        /// The first header with this name, whatever its case.
        public func header(_ name: String) -> String? {
            headers.first { header in
                header.name.utf8.count == name.utf8.count
                    // Names are ASCII, where this bit is a letter's case. `lowercased()` would allocate.
                    && zip(header.name.utf8, name.utf8).allSatisfy { $0 | 0x20 == $1 | 0x20 }
            }?.value
        }
    }

    /// An answer of a server, including deliberate misbehaviour.
    public struct Answer: Sendable {
        /// How an answer ends.
        public enum Ending: Sendable {
            /// Headers and body, as they should be.
            case complete
            /// No answer: the stream is reset; with HTTP/1 the connection is cut.
            case reset
            /// No answer, ever.
            case silence
            /// No answer: TCP is cut for all requests of the connection.
            case closeConnection
            /// Headers and half of the body, then as ``reset``.
            case cutBody
            /// Headers and half of the body, then nothing more.
            case silentBody
            /// Headers, then the body byte by byte, one every ten milliseconds.
            case slowBody
        }

        /// The status code.
        public var status: Int
        /// The headers; the server adds `content-length`.
        public var headers: [(String, String)]
        /// The body.
        public var body: [UInt8]
        /// How long to wait before answering; other requests do not wait.
        public var delay: Duration?
        /// Holds the answer back, after the delay, while it returns true; other requests do not wait.
        public var isHeld: (@Sendable () -> Bool)?
        /// How the answer ends.
        public var ending: Ending
        /// Whether to send GOAWAY after the answer and close when the open streams have ended. HTTP/1 sends
        /// `connection: close` instead.
        public var thenGoAway: Bool

        /// An empty 200 by default.
        public init(
            status: Int = 200, headers: [(String, String)] = [], body: [UInt8] = [], delay: Duration? = nil,
            heldWhile isHeld: (@Sendable () -> Bool)? = nil, ending: Ending = .complete, thenGoAway: Bool = false
        ) {
            self.status = status
            self.headers = headers
            self.body = body
            self.delay = delay
            self.isHeld = isHeld
            self.ending = ending
            self.thenGoAway = thenGoAway
        }

        /// An answer with a JSON object as its body.
        static func json(_ status: Int, _ object: [String: Any], headers: [(String, String)] = []) -> Answer {
            // Serialization fails only for non-JSON values, and this module passes none.
            let body = (try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)) ?? Data()
            return Answer(
                status: status,
                headers: headers + [("content-type", "application/json; charset=UTF-8")],
                body: [UInt8](body)
            )
        }
    }
}

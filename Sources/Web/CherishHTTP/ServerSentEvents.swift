import CherishService
import Hummingbird
import Metrics
import NIOCore

/// The changes of a visitor's account as browsers read them: server-sent events, as the HTML standard has them.
struct ServerSentEvents: Sendable {
    /// After how many milliseconds a client connects again, once a stream has ended.
    private static let patience = 2_000

    let changes: ChangeHub
    let visitor: Visitor
    let address: NetworkAddress

    var body: ResponseBody {
        ResponseBody { writer in
            defer { count() }
            // What cannot begin ends at once, and the client tries again.
            if let stream = try? changes.listen(visitor, from: address) {
                count()
                try await writer.write(ByteBuffer(string: "retry: \(Self.patience)\n\n"))
                try await stream.forEach { try await writer.write(ByteBuffer(string: Self.text($0))) }
            }
            try await writer.finish(nil)
        }
    }

    private func count() { Gauge(label: "cherish_event_streams").record(changes.count) }

    /// A cursor is Base64url, so nothing in it needs to be escaped.
    private static func text(_ word: ChangeStream.Word) -> String {
        switch word {
        case .changed(let cursor): "event: changed\nid: \(cursor.text)\ndata: {\"cursor\": \"\(cursor.text)\"}\n\n"
        case .nothing: ":\n\n"
        }
    }
}

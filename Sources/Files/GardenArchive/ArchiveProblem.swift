/// Why an account's document cannot be read or written.
public struct ExportProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The position in the document, such as `plants[3].waterings[0].wateredOn`; empty for the document as a whole.
    public let path: String
    /// What is wrong and what to write instead. It never quotes phone numbers, keywords or memos.
    public let reason: String

    /// A problem at a path.
    public init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }

    public var description: String {
        path.isEmpty ? reason : "\(path): \(reason)"
    }
}

extension ExportProblem {
    /// Rewords a Foundation decoding error in terms of the document.
    init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            self = Place(context.codingPath + [key]).problem("is missing; add it")
        case .valueNotFound(_, let context):
            self = Place(context.codingPath).problem("is null; write a value")
        case .typeMismatch(let type, let context):
            self = Place(context.codingPath).problem("is of the wrong kind; write \(ExportProblem.form(of: type))")
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            self = Place(context.codingPath).problem("cannot be read; write a whole number, or text in UTF-8")
        default:
            self = Place.document.problem("this is not JSON; give a document as an export in JSON has it")
        }
    }

    /// The same problem, with a place's path prepended to its own.
    func within(_ place: Place) -> ExportProblem {
        let paths = [place.path, path].filter { !$0.isEmpty }
        return ExportProblem(path: paths.joined(separator: "."), reason: reason)
    }

    private static func form(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "text in quotes"
        case is Int.Type: "a whole number"
        case is Bool.Type: "true or false"
        case is [Any].Type: "a list in [ ]"
        default: "an object in { }"
        }
    }
}

import CherishCore
import DocumentEncoding
import Foundation
import GardenArchive

/// The values of a request, read by name: the only list of their names.
///
/// The same code reads a request and describes it for OpenAPI. While it describes, or after a value was refused, reading
/// gives placeholders, so that all that is wrong is reported and not the first. Only ``finish()`` tells whether what was
/// read may be used.
struct Fields {
    /// A value as OpenAPI describes it.
    struct Description: Sendable {
        let name: String
        let schema: JSONValue
        let isRequired: Bool
    }

    private var given: [String: JSONValue]
    private let prefix: String
    private let isDescribing: Bool
    /// The forms of the values that are described, by the name that tells one.
    private let forms: Set<String>
    private(set) var knownForms: Set<String> = []
    private(set) var descriptions: [Description] = []
    private(set) var problems: [InvalidValue] = []

    /// Reads values.
    ///
    /// - Parameter prefix: goes before each name to make a pointer.
    init(_ given: [String: JSONValue], prefix: String = "/") {
        (self.given, self.prefix, isDescribing, forms) = (given, prefix, false, [])
    }

    /// Describes the values that somebody reads.
    ///
    /// - Parameter forms: the names that ``has(_:)`` finds.
    init(_ forms: Set<String> = []) {
        (given, prefix, isDescribing, self.forms) = ([:], "/", true, forms)
    }

    /// Whether the values have the form that this name tells. It is still to be read.
    mutating func has(_ name: String) -> Bool {
        knownForms.insert(name)
        return isDescribing ? forms.contains(name) : given[name] != nil
    }

    /// Reads a value that must be there.
    mutating func required<Value>(_ name: String, _ kind: Kind<Value>) -> Value {
        descriptions.append(Description(name: name, schema: kind.schema, isRequired: true))
        guard let value = given.removeValue(forKey: name) else {
            if !isDescribing { refuse(name, .missing(name)) }
            return kind.placeholder
        }
        return read(name, kind, value)
    }

    /// Reads a value that may be missing, or null.
    mutating func optional<Value>(_ name: String, _ kind: Kind<Value>) -> Value? {
        descriptions.append(Description(name: name, schema: kind.nullableSchema, isRequired: false))
        guard let value = given.removeValue(forKey: name), value != .null else { return nil }
        return read(name, kind, value)
    }

    /// Reads a value that may be missing; null is something else, such as removing what there was.
    mutating func removable<Value>(_ name: String, _ kind: Kind<Value>) -> Value?? {
        descriptions.append(Description(name: name, schema: kind.nullableSchema, isRequired: false))
        guard let value = given.removeValue(forKey: name) else { return nil }
        if value == .null { return .some(nil) }
        return read(name, kind, value)
    }

    /// Whether a value is to be removed: it may be missing, or null.
    mutating func removal(_ name: String) -> Bool {
        descriptions.append(Description(name: name, schema: ["type": "null"], isRequired: false))
        guard let value = given.removeValue(forKey: name) else { return false }
        if value != .null { refuse(name, .notNull) }
        return true
    }

    /// Reads a value that may be missing but not null.
    mutating func present<Value>(_ name: String, _ kind: Kind<Value>) -> Value? {
        descriptions.append(Description(name: name, schema: kind.schema, isRequired: false))
        guard let value = given.removeValue(forKey: name) else { return nil }
        return read(name, kind, value)
    }

    private mutating func read<Value>(_ name: String, _ kind: Kind<Value>, _ value: JSONValue) -> Value {
        do throws(InvalidValue) {
            return try kind.read(value)
        } catch {
            problems.append(error.within(pointer(name)))
            return kind.placeholder
        }
    }

    private mutating func refuse(_ name: String, _ reason: InvalidValue.Reason) {
        problems.append(InvalidValue(reason, at: pointer(name)))
    }

    private func pointer(_ name: String) -> String {
        prefix + String(name.prefix(64)).replacing("~", with: "~0").replacing("/", with: "~1")
    }

    /// The schema of the object whose values were described.
    var schema: JSONValue {
        .object([
            "type": "object", "additionalProperties": false,
            "properties": .object(Dictionary(uniqueKeysWithValues: descriptions.map { ($0.name, $0.schema) })),
            "required": .array(descriptions.filter(\.isRequired).map { .string($0.name) }),
        ])
    }

    /// Everything that is wrong: refused values, and names that nobody read, which are typing mistakes.
    mutating func finish() -> [InvalidValue] {
        for name in given.keys.sorted() { refuse(name, .unknownName) }
        given = [:]
        return problems
    }
}

/// How one value is written in JSON: what OpenAPI says of it, and how it is read.
struct Kind<Value: Sendable>: Sendable {
    let schema: JSONValue
    /// Stands for a value that was refused.
    let placeholder: Value
    let read: @Sendable (JSONValue) throws(InvalidValue) -> Value

    /// The schema that also takes null.
    var nullableSchema: JSONValue {
        guard case .object(var fields) = schema, case .string(let type)? = fields["type"] else { return schema }
        fields["type"] = [.string(type), "null"]
        if case .array(let cases)? = fields["enum"] { fields["enum"] = .array(cases + [.null]) }
        return .object(fields)
    }
}

extension Kind<String> {
    /// Text with a number of characters. The rules count what people see as characters, JSON Schema counts code points, so
    /// the schema only has an upper limit that no valid text exceeds.
    static func text(atMost most: Int, atLeast least: Int = 0) -> Kind {
        Kind(
            schema: ["type": "string", "minLength": .integer(least), "maxLength": .integer(most)], placeholder: "",
            read: { value throws(InvalidValue) in
                guard case .string(let text) = value else { throw InvalidValue(.notText) }
                guard text.unicodeScalars.count <= most, text.unicodeScalars.count >= least else {
                    throw InvalidValue(.length(least...most))
                }
                guard !text.unicodeScalars.contains("\0") else { throw InvalidValue(.hasNUL) }
                return text
            })
    }
}

extension Kind<String> {
    /// The same text, if a rule accepts it.
    ///
    /// - Parameter pattern: what OpenAPI says of the text; whatever the rule accepts matches it.
    func checked(
        pattern: String? = nil, _ check: @escaping @Sendable (String) throws(CareError) -> Void
    ) -> Kind {
        let read = read
        var schema = schema
        if let pattern, case .object(var fields) = schema {
            fields["pattern"] = .string(pattern)
            schema = .object(fields)
        }
        return Kind(schema: schema, placeholder: placeholder) { value throws(InvalidValue) in
            let text = try read(value)
            do throws(CareError) {
                try check(text)
            } catch {
                throw InvalidValue(.refused(error))
            }
            return text
        }
    }

    static let email = text(atMost: 254).checked { text throws(CareError) in _ = try EmailAddress(text) }
    static let nickname = text(atMost: 400).checked { text throws(CareError) in _ = try Nickname(text) }
    static let alarm = text(atMost: 5).checked(pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$") { text throws(CareError) in
        _ = try TimeOfDay(alarm: text)
    }
    static let dayEnd = text(atMost: 5).checked(pattern: "^(0[0-3]:[0-5][0-9]|04:00)$") { text throws(CareError) in
        _ = try DayEnd(text)
    }
    static let birthday = text(atMost: 10).checked(pattern: "^([0-9]{4}-?|--)?[0-9]{2}-?[0-9]{2}$") {
        text throws(CareError) in _ = try Birthday(text)
    }
    static let tagName = text(atMost: 400).checked { text throws(CareError) in _ = try TagName(text) }
    static let colour = text(atMost: 7).checked(pattern: "^#[0-9A-Fa-f]{6}$") { text throws(CareError) in
        _ = try TagColour(text)
    }
    static let phone = text(atMost: 40)
    static let country = text(atMost: 2, atLeast: 2).checked { text throws(CareError) in
        if Country(text) == nil { throw .invalidCountry }
    }
    static let postcode = text(atMost: 640, atLeast: 1).checked { text throws(CareError) in _ = try Postcode(text) }
    static let timeZone = text(atMost: 64)
    /// Neither its text nor its length is checked here: only the rules say what is wrong with a password.
    static let password = text(atMost: 1_024)
    static let code = text(atMost: 16)
    static let deviceName = text(atMost: 64, atLeast: 1)
}

extension Kind<Int> {
    /// The days of a cycle.
    static let cycle = integer(Cycle.range, code: "invalid_cycle")
    static let warningDays = integer(WarningDays.range, code: "invalid_warning_days")

    /// - Parameter code: the code of the rule that sets the range.
    static func integer(_ range: ClosedRange<Int>, code: String = "range") -> Kind {
        Kind(
            schema: [
                "type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound),
            ], placeholder: range.lowerBound,
            read: { value throws(InvalidValue) in
                let number: Int? =
                    switch value {
                    case .integer(let number): number
                    case .number(let number): Int(exactly: number)
                    default: nil
                    }
                guard let number else { throw InvalidValue(.notANumber) }
                guard range.contains(number) else { throw InvalidValue(.range(range, code: code)) }
                return number
            })
    }
}

extension Kind<Double> {
    static let latitude = number(-90...90)
    static let longitude = number(-180...180)

    static func number(_ range: ClosedRange<Int>) -> Kind {
        Kind(
            schema: [
                "type": "number", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound),
            ], placeholder: Double(range.lowerBound),
            read: { value throws(InvalidValue) in
                let number: Double? =
                    switch value {
                    case .integer(let number): Double(number)
                    case .number(let number): number
                    default: nil
                    }
                guard let number else { throw InvalidValue(.notADecimal) }
                guard number >= Double(range.lowerBound), number <= Double(range.upperBound) else {
                    throw InvalidValue(.range(range, code: "range"))
                }
                return number
            })
    }
}

extension Kind<JSONValue> {
    /// An object that apps own.
    static let appearance = Kind(
        schema: ["type": "object"], placeholder: [:],
        read: { value throws(InvalidValue) in
            guard case .object = value else { throw InvalidValue(.notAnObject) }
            do throws(CareError) {
                _ = try Appearance(value)
            } catch {
                throw InvalidValue(.refused(error))
            }
            return value
        })
}

extension Kind<Bool> {
    static let flag = Kind(
        schema: ["type": "boolean"], placeholder: false,
        read: { value throws(InvalidValue) in
            guard case .boolean(let flag) = value else { throw InvalidValue(.notABoolean) }
            return flag
        })
}

extension Kind<UUID> {
    static let id = Kind(
        schema: ["type": "string", "format": "uuid"], placeholder: UUID(),
        read: { value throws(InvalidValue) in
            guard case .string(let text) = value, text.utf8.count == 36, let id = UUID(uuidString: text) else {
                throw InvalidValue(.notAnID)
            }
            return id
        })
}

extension Kind<CivilDay> {
    static let day = Kind(
        schema: ["type": "string", "format": "date"], placeholder: CivilDay(daysSinceEpoch: 0),
        read: { value throws(InvalidValue) in
            guard case .string(let text) = value, let day = CivilDay(text) else {
                throw InvalidValue(.notADay)
            }
            return day
        })
}

extension Kind<Instant> {
    static let instant = Kind(
        schema: ["type": "string", "format": "date-time", "maxLength": 40],
        placeholder: Instant(microsecondsSinceEpoch: 0),
        read: { value throws(InvalidValue) in
            guard case .string(let text) = value, text.utf8.count <= 40, let instant = Instant(text) else {
                throw InvalidValue(.notAnInstant)
            }
            return instant
        })
}

extension Kind {
    /// One word of a closed set.
    static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(of type: Choice.Type) -> Kind<Choice>
    {
        let words = Choice.allCases.map(\.rawValue)
        return Kind<Choice>(
            schema: ["type": "string", "enum": .array(words.map(JSONValue.string))],
            placeholder: Choice.allCases[Choice.allCases.startIndex],
            read: { value throws(InvalidValue) in
                guard case .string(let text) = value, let choice = Choice(rawValue: text) else {
                    throw InvalidValue(.notAChoice(of: words))
                }
                return choice
            })
    }

    /// Several values.
    static func list<Item: Sendable>(of item: Kind<Item>, atMost most: Int) -> Kind<[Item]> {
        Kind<[Item]>(
            schema: ["type": "array", "items": item.schema, "maxItems": .integer(most)], placeholder: [],
            read: { value throws(InvalidValue) in
                guard case .array(let values) = value else { throw InvalidValue(.notAList) }
                guard values.count <= most else { throw InvalidValue(.tooMany(limit: most)) }
                var items: [Item] = []
                for (index, value) in values.enumerated() {
                    do throws(InvalidValue) {
                        items.append(try item.read(value))
                    } catch {
                        throw error.within("/\(index)")
                    }
                }
                return items
            })
    }
}

extension Kind {
    /// An object whose values are read by name. If several are wrong, the first is told.
    ///
    /// - Parameter body: reads all of its values before it refuses any.
    static func object(
        placeholder: Value, _ body: @escaping @Sendable (inout Fields) throws(InvalidValue) -> Value
    ) -> Kind {
        var described = Fields()
        _ = try? body(&described)
        return Kind(schema: described.schema, placeholder: placeholder) { value throws(InvalidValue) in
            guard case .object(let given) = value else { throw InvalidValue(.notAnObject) }
            var fields = Fields(given)
            let result: Result<Value, InvalidValue>
            do throws(InvalidValue) { result = .success(try body(&fields)) } catch { result = .failure(error) }
            if let problem = fields.finish().first { throw problem }
            return try result.get()
        }
    }
}

/// The body of a request: an object whose values are read by name.
protocol RequestBody: Sendable {
    init(_ fields: inout Fields)
    /// A body that OpenAPI shows and a test sends.
    static var example: JSONValue { get }
}

extension RequestBody {
    /// - Throws: ``InvalidRequest`` with everything that is wrong.
    init(json: JSONValue) throws {
        guard case .object(let given) = json else {
            throw InvalidRequest(problems: [InvalidValue(.notAnObject)])
        }
        var fields = Fields(given)
        let body = Self(&fields)
        let problems = fields.finish()
        guard problems.isEmpty else { throw InvalidRequest(problems: problems) }
        self = body
    }

    /// The schema of the body; where it has several forms, exactly one of them.
    static var schema: JSONValue {
        var fields = Fields()
        _ = Self(&fields)
        if fields.knownForms.isEmpty { return fields.schema }
        let forms = fields.knownForms.sorted().map { form in
            var fields = Fields([form])
            _ = Self(&fields)
            return fields.schema
        }
        return ["oneOf": .array([fields.schema] + forms)]
    }
}

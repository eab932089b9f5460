/// The type of a column or parameter, as an object identifier.
public struct PostgresType: RawRepresentable, Hashable, Sendable {
    /// The object identifier (`oid` in `pg_type`).
    public let rawValue: UInt32

    /// The type with this object identifier.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// No type: the server infers one.
    public static let unspecified = PostgresType(rawValue: 0)
    /// `boolean`
    public static let bool = PostgresType(rawValue: 16)
    /// `bytea`
    public static let bytea = PostgresType(rawValue: 17)
    /// `name`, the type of identifiers in the catalog
    public static let name = PostgresType(rawValue: 19)
    /// `bigint`
    public static let int8 = PostgresType(rawValue: 20)
    /// `smallint`
    public static let int2 = PostgresType(rawValue: 21)
    /// `integer`
    public static let int4 = PostgresType(rawValue: 23)
    /// `text`
    public static let text = PostgresType(rawValue: 25)
    /// `json`
    public static let json = PostgresType(rawValue: 114)
    /// `double precision`
    public static let float8 = PostgresType(rawValue: 701)
    /// `unknown`, a literal without a resolved type
    public static let unknown = PostgresType(rawValue: 705)
    /// `character(n)`
    public static let bpchar = PostgresType(rawValue: 1042)
    /// `character varying(n)`
    public static let varchar = PostgresType(rawValue: 1043)
    /// `date`
    public static let date = PostgresType(rawValue: 1082)
    /// `timestamp with time zone`
    public static let timestamptz = PostgresType(rawValue: 1184)
    /// `uuid`
    public static let uuid = PostgresType(rawValue: 2950)
    /// `jsonb`
    public static let jsonb = PostgresType(rawValue: 3802)

    /// The array type of this type, for the types named here.
    public var array: PostgresType? { Self.arrays[self] }
}

extension PostgresType {
    private static let arrays: [PostgresType: PostgresType] = [
        .bool: PostgresType(rawValue: 1000),
        .bytea: PostgresType(rawValue: 1001),
        .name: PostgresType(rawValue: 1003),
        .int2: PostgresType(rawValue: 1005),
        .int4: PostgresType(rawValue: 1007),
        .text: PostgresType(rawValue: 1009),
        .bpchar: PostgresType(rawValue: 1014),
        .varchar: PostgresType(rawValue: 1015),
        .int8: PostgresType(rawValue: 1016),
        .float8: PostgresType(rawValue: 1022),
        .date: PostgresType(rawValue: 1182),
        .timestamptz: PostgresType(rawValue: 1185),
        .json: PostgresType(rawValue: 199),
        .uuid: PostgresType(rawValue: 2951),
        .jsonb: PostgresType(rawValue: 3807),
    ]

    private static let elements = Dictionary(uniqueKeysWithValues: arrays.map { ($0.value, $0.key) })

    /// The element type of this array type, for the types named here.
    var element: PostgresType? { Self.elements[self] }

    /// Whether a user created this type, such as an enum or a composite (`FirstNormalObjectId` in the server's source).
    var isUserDefined: Bool { rawValue >= 16_384 }

    /// Whether a value could contain text, and so a NUL byte that the server would reject.
    @usableFromInline var mayHoldText: Bool {
        switch self {
        case .bool, .int2, .int4, .int8, .float8, .uuid, .timestamptz, .date: false
        default: true
        }
    }

    /// Whether the binary format is the plain text.
    var isText: Bool {
        switch self {
        case .text, .varchar, .bpchar, .name, .unknown, .json: true
        default: false
        }
    }
}

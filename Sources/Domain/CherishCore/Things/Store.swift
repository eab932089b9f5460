/// A shop of the operator's catalogue, with what it grants those who bought there (rule 10.9).
public struct Store: Hashable, Sendable {
    public typealias ID = Identifier<Store>

    /// The days that a policy may grant.
    public static let policyDays = 0...3650

    public let id: ID
    public var name: String
    /// ISO 3166-1 alpha-2, such as `KR`.
    public var country: String
    /// Where the store explains how to return something.
    public var returnPolicyURL: String?
    /// For how many days after the purchase things can be returned; nil if it does not say.
    public var returnDays: Int?
    /// For how many days things wait to be picked up; nil if it does not say.
    public var pickupDays: Int?

    public init(
        id: ID, name: String, country: String, returnPolicyURL: String?, returnDays: Int?, pickupDays: Int?
    ) {
        self.id = id
        self.name = name
        self.country = country
        self.returnPolicyURL = returnPolicyURL
        self.returnDays = returnDays
        self.pickupDays = pickupDays
    }

    /// The last day to return or pick up what was bought on a day; nil if the store does not say.
    func dueDay(of kind: Thing.Kind, boughtOn day: CivilDay) -> CivilDay? {
        let days = kind == .pickup ? pickupDays : kind == .giveBack ? returnDays : nil
        return days.map { day + $0 }
    }
}

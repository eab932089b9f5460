import CherishCore
import Postgres

/// An edit of an account; nil leaves a property unchanged (rules 7.4, 7.10, 8.5, 10.4, 10.13 and 13.4).
public struct AccountEdit: Sendable {
    public var email: EmailAddress?
    public var nickname: Nickname?
    public var phone: PhoneNumber??
    public var postcode: Postcode??
    public var country: Country??
    public var timeZone: String?
    public var dayEnd: DayEnd?
    public var language: Language?
    public var appearance: Appearance?
    public var wateringPushes: Bool?
    public var reviewPushes: Bool?
    public var birthdayPushes: Bool?
    public var witheredPushes: Bool?
    public var thingPushes: Bool?
    public var warningDays: WarningDays?

    public init() {}

    /// Leaves out the parts that newer edits have overtaken (rule 14.3).
    mutating func settle(in order: inout EditOrder) {
        order.settle("email", &email)
        order.settle("nickname", &nickname)
        order.settle("phone", &phone)
        order.settle("postcode", &postcode)
        order.settle("country", &country)
        order.settle("timeZone", &timeZone)
        order.settle("dayEndsAt", &dayEnd)
        order.settle("language", &language)
        order.settle("appearance", &appearance)
        order.settle("wateringPushes", &wateringPushes)
        order.settle("reviewPushes", &reviewPushes)
        order.settle("birthdayPushes", &birthdayPushes)
        order.settle("witheredPushes", &witheredPushes)
        order.settle("thingPushes", &thingPushes)
        order.settle("expiryWarningDays", &warningDays)
    }

    func apply(to account: inout Account) {
        account.email = email ?? account.email
        account.nickname = nickname ?? account.nickname
        account.phone = phone ?? account.phone
        account.postcode = postcode ?? account.postcode
        account.country = country ?? account.country
        account.timeZone = timeZone ?? account.timeZone
        account.dayEnd = dayEnd ?? account.dayEnd
        account.language = language ?? account.language
        account.appearance = appearance ?? account.appearance
        account.switches.watering = wateringPushes ?? account.switches.watering
        account.switches.review = reviewPushes ?? account.switches.review
        account.switches.birthday = birthdayPushes ?? account.switches.birthday
        account.switches.withered = witheredPushes ?? account.switches.withered
        account.switches.thing = thingPushes ?? account.switches.thing
        account.warningDays = warningDays ?? account.warningDays
    }
}

extension Garden {
    /// Returns the account itself.
    ///
    /// - Throws: ``CareError/notFound(_:)``.
    public func account() async throws -> Account {
        let rows = try await read(
            "SELECT \(AccountRow.columns) FROM account WHERE lane = $1 AND id = $2", [accountID.lane, accountID])
        guard let row = rows.first else { throw CareError.notFound(.account) }
        return try AccountRow.decode(row)
    }

    /// Edits the account. Another zone or end of the day, other switches or warning days replan what is ahead (rules 7.5,
    /// 13.4, 7.10 and 10.4).
    ///
    /// The edit's own transaction replans the first plants of a large garden. The rest follow in transactions of their
    /// own; see `Replanning.swift`. If the program stops in between, the edit stands, and a worker, a tick or the
    /// account's next edit continues.
    ///
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/invalidTimeZone(_:)``, ``CareError/duplicateEmail(_:)``,
    ///   ``ShoppingListError/postcodeChangedTooOften``.
    public func editAccount(_ edit: AccountEdit) async throws -> Account {
        let (account, isPlanned) = try await command { command in
            let before = try await command.account(accountID, lock: .update)
            try requireExpected(before.version)
            var order = try editOrder(
                try await command.connection.query(EditedItemRow.read(.settings, of: accountID)), at: command.now)
            var edit = edit
            edit.settle(in: &order)
            if order.isOvertaken { return (before, true) }
            var account = before
            account.version += 1
            edit.apply(to: &account)
            if account.postcode != before.postcode || account.country != before.country {
                // The first time, nobody can measure from two places yet.
                if before.postcode != nil { try account.postcodeChanges.add(at: command.now) }
            }
            // Fail before writing anything if this program does not know the zone.
            _ = try command.context(for: account)
            if account.timeZone != before.timeZone {
                try await store.requireZones([account.timeZone], on: command.connection)
            }
            if let email = edit.email, email.description != before.email?.description {
                try await change(email, command)
            }
            if account.phone != before.phone {
                // Nobody has confirmed another one.
                _ = try await command.connection.query(
                    "SELECT delete_phone($1, $2, $3)", [command.lane, accountID, command.now])
            }
            try await command.write(
                [AccountRow.update(account, lane: command.lane)]
                    + EditedItemRow.write(order, of: .settings, in: accountID))
            command.note([.settings], of: accountID)
            guard
                account.timeZone != before.timeZone || account.dayEnd != before.dayEnd
                    || account.switches != before.switches || account.warningDays != before.warningDays
            else { return (account, false) }
            // Start over, even if an earlier edit is still being replanned.
            return (account, try await command.replan(account, after: .least, limit: store.replanningPiece))
        }
        if !isPlanned { try await finishReplanning() }
        return account
    }

    private func change(_ email: EmailAddress, _ command: LaneCommand) async throws {
        let changed = try await command.connection.query(
            "SELECT change_account_email($1, $2, $3)", [command.lane, accountID, email.description])
        if try changed.first?.decode(0, as: Bool.self) != true { throw CareError.duplicateEmail(email.description) }
    }
}

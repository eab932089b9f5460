import CherishCore

/// What a person does. A plant is named by its index among the account's plants, in the order of registration.
enum Act: Sendable {
    case register(phone: String, cycleDays: Int, alarmMinute: Int, birthday: YearlyDay?)
    case water(Int, daysBack: Int, keywords: Bool, memo: Bool, declines: Bool)
    case review(Int, keywords: Bool, memo: Bool)
    case decline(Int)
    case postpone(Int, days: Int)
    case changeCycle(Int, days: Int)
    case changeAlarm(Int, minute: Int)
    case changeBirthday(Int, YearlyDay?)
    case switchPlant(Int, isOn: Bool)
    case remove(Int)
    case restore(Int)
    /// Moves to another zone, or lets the days end at another time.
    case setClock(PersonClock, isTravel: Bool)
    case switchAccount(Set<Topic>)
    /// Gives a tag, or takes it away. It is named by its place among ``PauseModel/tagNames``.
    case tag(Int, tag: Int, isOn: Bool)
    case beginPause(PauseModel.Scope, from: CivilDay, to: CivilDay, isSpread: Bool)
    case editPause(PauseModel, to: CivilDay)
    case endPause(PauseModel)
    case addPhone(token: String)
    case removePhone(token: String)
    /// Deletes the app without notifying the service.
    case uninstall(token: String)
    case leave
    /// Does something with subjects of a further domain.
    case further(FurtherAct)

    /// The name under which the report counts it.
    var name: String {
        switch self {
        case .register: "register"
        case .water: "water"
        case .review: "review"
        case .decline: "decline"
        case .postpone: "postpone"
        case .changeCycle: "change cycle"
        case .changeAlarm: "change alarm"
        case .changeBirthday: "change birthday"
        case .switchPlant: "switch plant"
        case .remove: "archive"
        case .restore: "bring back"
        case .setClock(_, let isTravel): isTravel ? "travel" : "change end of day"
        case .switchAccount: "switch pushes"
        case .tag: "tag"
        case .beginPause: "begin pause"
        case .editPause: "edit pause"
        case .endPause: "end pause"
        case .addPhone: "add phone"
        case .removePhone: "remove phone"
        case .uninstall: "uninstall"
        case .leave: "leave"
        case .further(let further): further.act.name
        }
    }

    /// The plant it concerns; nil for a new plant, the whole account or a further domain.
    var plant: Int? {
        switch self {
        case .water(let plant, _, _, _, _), .review(let plant, _, _), .decline(let plant), .postpone(let plant, _),
            .changeCycle(let plant, _), .changeAlarm(let plant, _), .changeBirthday(let plant, _),
            .switchPlant(let plant, _), .remove(let plant), .restore(let plant), .tag(let plant, _, _):
            plant
        case .register, .setClock, .switchAccount, .beginPause, .editPause, .endPause, .addPhone, .removePhone,
            .uninstall, .leave, .further:
            nil
        }
    }
}

/// Why a rule of shopping lists refused a command (rule 11). Each case carries the data for its message, and never a text
/// that an account wrote.
public enum ShoppingListError: Error, Hashable, Sendable {
    // Rule 11.1.
    case invalidEntry
    case invalidQuantity
    case deliveryNoteTooLong(length: Int)
    case tooManyEntries(Int)
    case noEntries
    case noSuchEntry(Int)
    case tooManyDrafts
    case tooManyOpen
    case notADraft
    /// The list's state does not allow it.
    case notPossible(ShoppingList.State)
    // Rule 11.3.
    case invalidRadius(Int)
    case postcodeChangedTooOften
    /// The account has none, or the catalogue does not.
    case postcodeUnknown
    // Rule 11.4.
    case ownList
    case alreadyAccepted
    case listExpired
    case tooManyAccepted
    case emailNotConfirmed
    case notTheHelper
    case acceptedTooOften
    case releasedTooOften
    case barredFromHelping
    /// The claim of a place took too long to arrive.
    case claimTooOld
    // Rule 11.7.
    case tooManyBlocks
    case blockedYourself
    case invalidReport
    // Rule 11.6.
    case invalidRating(Int)
    case alreadyRated
    case rateTooLate
    case receiptTooLate

    /// The stable code of the refusal.
    public var code: String {
        switch self {
        case .invalidEntry: "invalid_entry"
        case .invalidQuantity: "invalid_quantity"
        case .deliveryNoteTooLong: "delivery_note_too_long"
        case .tooManyEntries: "too_many_entries"
        case .noEntries: "no_entries"
        case .noSuchEntry: "no_such_entry"
        case .tooManyDrafts: "too_many_drafts"
        case .tooManyOpen: "too_many_open"
        case .notADraft: "not_a_draft"
        case .notPossible(let state): "list_\(state.rawValue)"
        case .invalidRadius: "invalid_radius"
        case .postcodeChangedTooOften: "postcode_changed_too_often"
        case .postcodeUnknown: "postcode_unknown"
        case .ownList: "own_list"
        case .alreadyAccepted: "already_accepted"
        case .listExpired: "list_expired"
        case .tooManyAccepted: "too_many_accepted"
        case .emailNotConfirmed: "email_not_confirmed"
        case .notTheHelper: "not_the_helper"
        case .acceptedTooOften: "accepted_too_often"
        case .releasedTooOften: "released_too_often"
        case .barredFromHelping: "barred_from_helping"
        case .claimTooOld: "claim_too_old"
        case .tooManyBlocks: "too_many_blocks"
        case .blockedYourself: "blocked_yourself"
        case .invalidReport: "invalid_report"
        case .invalidRating: "invalid_rating"
        case .alreadyRated: "already_rated"
        case .rateTooLate: "rate_too_late"
        case .receiptTooLate: "receipt_too_late"
        }
    }
}

extension ShoppingListError: CustomStringConvertible {
    /// ``problem`` and ``remedy`` in one sentence.
    public var description: String { "\(problem); \(remedy)" }

    /// What is wrong.
    public var problem: String { words.problem }

    /// What to do about it, worded for any client.
    public var remedy: String { words.remedy }

    private var words: (problem: String, remedy: String) {
        switch self {
        case .invalidEntry:
            ("this is nothing to buy", "write 1 to \(TextLimit.entryName) visible characters and no control characters")
        case .invalidQuantity:
            (
                "this is no quantity",
                "write up to \(TextLimit.entryQuantity) visible characters and no control characters"
            )
        case .deliveryNoteTooLong(let length):
            ("the delivery note has \(length) characters", "shorten it to \(TextLimit.deliveryNote)")
        case .tooManyEntries(let count):
            ("\(count) entries are too many", "keep \(ShoppingList.mostEntries), and write another list")
        case .noEntries: ("the list is empty", "write at least one entry")
        case .noSuchEntry(let number): ("there is no entry \(number)", "look at the list again")
        case .tooManyDrafts: ("there are \(ListLimits.drafts) drafts already", "open or delete one of them first")
        case .tooManyOpen:
            ("\(ListLimits.open) of your lists are open or accepted", "wait until one of them ends, or cancel it")
        case .notADraft: ("the list is no draft any more", "cancel it instead")
        case .notPossible(.draft): ("the list is still a draft", "open it first")
        case .notPossible(.open): ("nobody has accepted the list yet", "wait for a helper")
        case .notPossible(.accepted): ("somebody has accepted the list", "leave it as it is, or cancel it")
        case .notPossible(.delivered): ("the list was delivered", "write another one")
        case .notPossible(.expired): ("the list has expired", "write another one")
        case .notPossible(.cancelled): ("the list was cancelled", "write another one")
        case .invalidRadius(let kilometres):
            (
                "a radius of \(kilometres) km is not possible",
                "choose from \(NeighbourRadius.range.lowerBound) to \(NeighbourRadius.range.upperBound) km"
            )
        case .postcodeChangedTooOften:
            (
                "the postcode was changed \(PostcodeChanges.most) times in \(PostcodeChanges.days) days",
                "change it later"
            )
        case .postcodeUnknown:
            ("nobody knows where your postcode is", "write your postcode and your country into your settings")
        case .ownList: ("the list is your own", "let somebody else accept it")
        case .alreadyAccepted: ("somebody else has accepted the list", "choose another one")
        case .listExpired: ("the list has expired", "choose another one")
        case .tooManyAccepted:
            ("you are helping with \(Helper.mostLists) lists already", "deliver one of them, or give it back")
        case .emailNotConfirmed: ("your e-mail is not confirmed", "confirm one before you accept lists")
        case .notTheHelper: ("you have not accepted the list", "accept it first")
        case .acceptedTooOften:
            ("you have accepted \(ListLimits.acceptancesADay) lists in a day", "accept others tomorrow")
        case .releasedTooOften:
            ("you have given back \(ListLimits.releasesAWeek) lists in a week", "accept others in a few days")
        case .barredFromHelping:
            ("the operator has ended your access to lists of others", "ask the operator")
        case .claimTooOld: ("accepting the list took too long", "try again")
        case .tooManyBlocks: ("you have blocked \(ListLimits.blocks) accounts", "unblock somebody first")
        case .blockedYourself: ("the list is your own", "choose one of somebody else")
        case .invalidReport: ("this is no report", "write 1 to \(TextLimit.listReport) characters")
        case .invalidRating(let points):
            (
                "\(points) is no rating",
                "choose from \(HelperRating.range.lowerBound) to \(HelperRating.range.upperBound)"
            )
        case .alreadyRated: ("the helper has been rated", "leave it as it is")
        case .receiptTooLate:
            (
                "more than \(ShoppingList.hoursOfDeliveryNote) hours have gone by since the delivery",
                "show the receipt to your neighbour"
            )
        case .rateTooLate: ("more than \(ShoppingList.daysToRate) days have gone by", "leave it as it is")
        }
    }
}

extension ShoppingListError: ExplainedInKorean {
    public var korean: (problem: String, remedy: String) {
        switch self {
        case .invalidEntry: ("살 것으로 쓸 수 없어요.", "보이는 글자로 1~\(TextLimit.entryName)자를 써 주세요.")
        case .invalidQuantity: ("수량으로 쓸 수 없어요.", "보이는 글자로 \(TextLimit.entryQuantity)자까지 써 주세요.")
        case .deliveryNoteTooLong(let length):
            ("놓아둘 곳 설명이 \(length)자예요.", "\(TextLimit.deliveryNote)자로 줄여 주세요.")
        case .tooManyEntries(let count):
            ("\(count)가지는 너무 많아요.", "\(ShoppingList.mostEntries)가지만 남기고 다른 목록에 적어 주세요.")
        case .noEntries: ("목록이 비어 있어요.", "하나는 적어 주세요.")
        case .noSuchEntry(let number): ("\(number)번은 없어요.", "목록을 다시 봐 주세요.")
        case .tooManyDrafts: ("쓰고 있는 목록이 \(ListLimits.drafts)개예요.", "하나를 올리거나 지워 주세요.")
        case .tooManyOpen: ("올린 목록이 \(ListLimits.open)개예요.", "하나가 끝나기를 기다리거나 취소해 주세요.")
        case .notADraft: ("이미 올린 목록이에요.", "대신 취소해 주세요.")
        case .notPossible(.draft): ("아직 쓰고 있는 목록이에요.", "먼저 올려 주세요.")
        case .notPossible(.open): ("아직 아무도 맡지 않았어요.", "도와줄 이웃을 기다려 주세요.")
        case .notPossible(.accepted): ("이웃이 맡은 목록이에요.", "그대로 두거나 취소해 주세요.")
        case .notPossible(.delivered): ("이미 받은 목록이에요.", "새 목록을 써 주세요.")
        case .notPossible(.expired): ("기한이 지난 목록이에요.", "새 목록을 써 주세요.")
        case .notPossible(.cancelled): ("취소한 목록이에요.", "새 목록을 써 주세요.")
        case .invalidRadius(let kilometres):
            (
                "\(kilometres)km 안에서는 찾을 수 없어요.",
                "\(NeighbourRadius.range.lowerBound)~\(NeighbourRadius.range.upperBound)km에서 골라 주세요."
            )
        case .postcodeChangedTooOften:
            ("우편번호를 \(PostcodeChanges.days)일 동안 \(PostcodeChanges.most)번 바꿨어요.", "나중에 바꿔 주세요.")
        case .postcodeUnknown: ("우편번호로 어디인지 알 수 없어요.", "설정에 우편번호와 나라를 써 주세요.")
        case .ownList: ("내가 쓴 목록이에요.", "이웃이 맡아 줄 거예요.")
        case .alreadyAccepted: ("다른 이웃이 먼저 맡았어요.", "다른 목록을 골라 주세요.")
        case .listExpired: ("기한이 지난 목록이에요.", "다른 목록을 골라 주세요.")
        case .tooManyAccepted:
            ("이미 목록 \(Helper.mostLists)개를 돕고 있어요.", "하나를 전해 주거나 돌려준 다음 맡아 주세요.")
        case .emailNotConfirmed: ("이메일이 확인되지 않았어요.", "이메일을 확인한 다음 맡아 주세요.")
        case .notTheHelper: ("맡지 않은 목록이에요.", "먼저 맡아 주세요.")
        case .acceptedTooOften: ("하루에 목록 \(ListLimits.acceptancesADay)개를 맡았어요.", "내일 맡아 주세요.")
        case .releasedTooOften: ("일주일에 목록 \(ListLimits.releasesAWeek)개를 돌려주었어요.", "며칠 뒤에 맡아 주세요.")
        case .barredFromHelping: ("운영자가 다른 사람의 목록을 맡지 못하게 했어요.", "운영자에게 물어보세요.")
        case .claimTooOld: ("맡는 데 너무 오래 걸렸어요.", "다시 해 주세요.")
        case .tooManyBlocks: ("차단한 사람이 \(ListLimits.blocks)명이에요.", "한 명의 차단을 먼저 풀어 주세요.")
        case .blockedYourself: ("내가 쓴 목록이에요.", "다른 사람의 목록을 골라 주세요.")
        case .invalidReport: ("신고할 수 없는 글이에요.", "1~\(TextLimit.listReport)자로 써 주세요.")
        case .invalidRating(let points):
            (
                "\(points)점은 줄 수 없어요.",
                "\(HelperRating.range.lowerBound)~\(HelperRating.range.upperBound)점에서 골라 주세요."
            )
        case .alreadyRated: ("이미 점수를 준 이웃이에요.", "그대로 두세요.")
        case .rateTooLate: ("\(ShoppingList.daysToRate)일이 지났어요.", "그대로 두세요.")
        case .receiptTooLate: ("전해 준 지 \(ShoppingList.hoursOfDeliveryNote)시간이 지났어요.", "영수증을 이웃에게 직접 보여 주세요.")
        }
    }
}

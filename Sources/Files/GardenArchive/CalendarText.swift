import CherishCore

/// All texts of a calendar, in one place for translators.
struct CalendarText {
    let language: Language

    /// The name of the calendar of an account.
    func name(of account: Nickname) -> String {
        switch language {
        case .korean: "\(account)의 정원"
        case .english: "\(account)'s garden"
        }
    }

    func due(_ friend: Nickname) -> String {
        switch language {
        case .korean: "\(KoreanParticle.subject.attached(to: friend.description)) 물을 기다려요"
        case .english: "\(friend) is waiting for water"
        }
    }

    func projected(_ friend: Nickname) -> String {
        switch language {
        case .korean: "(예정) \(due(friend))"
        case .english: "(projected) \(due(friend))"
        }
    }

    func birthday(_ friend: Nickname) -> String {
        switch language {
        case .korean: "\(friend)의 생일"
        case .english: "\(friend)'s birthday"
        }
    }
}

extension CareError: ExplainedInKorean {
    public var korean: (problem: String, remedy: String) {
        switch self {
        case .invalidEmail: ("이메일 주소가 아니에요.", "minji@example.com처럼 써 주세요.")
        case .invalidAlarm(let text): ("\(text.quotedTopic) 시각이 아니에요.", "09:00처럼 시와 분을 써 주세요.")
        case .invalidDayEnd: ("하루가 끝나는 시각이 아니에요.", "00:00부터 04:00까지의 시각을 써 주세요.")
        case .invalidCycle(let days):
            (
                "주기를 \(days)일로 할 수 없어요.",
                "\(Cycle.range.lowerBound)일부터 \(Cycle.range.upperBound)일 사이에서 골라 주세요."
            )
        case .invalidPhone: ("전화번호가 아니에요.", "+82 10 1234 5678처럼 국가 번호까지 써 주세요.")
        case .invalidBirthday(let text):
            ("\(text.quotedTopic) 생일이 아니에요.", "1994-05-21처럼 쓰거나, 연도 없이 05-21처럼 써 주세요.")
        case .invalidTimeZone(let name): ("\"\(name)\" 시간대는 없어요.", "Asia/Seoul 같은 IANA 이름을 써 주세요.")
        case .invalidName: ("이름으로 쓸 수 없어요.", CareError.visible(TextLimit.name))
        case .invalidCountry: ("나라로 쓸 수 없어요.", "KR처럼 두 글자를 써 주세요.")
        case .invalidPostcode: ("우편번호로 쓸 수 없어요.", "글자, 숫자, 빈칸, 붙임표로 1~10자를 써 주세요.")
        case .invalidAppearance: ("모양 설정이 객체가 아니거나 너무 길어요.", "\(Appearance.mostBytes)바이트 이하의 객체를 보내 주세요.")
        case .invalidNickname: ("별명으로 쓸 수 없어요.", CareError.visible(TextLimit.nickname))
        case .duplicatePhone: ("이 전화번호를 가진 식물이 이미 있어요.", "그 식물을 수정해 주세요.")
        case .duplicateEmail: ("다른 계정이 이미 이 이메일을 쓰고 있어요.", "다른 이메일을 골라 주세요.")
        case .identityFixed:
            ("이름과 전화번호는 연락처에서 온 것이라 바꿀 수 없어요.", "연락처에서 바꾼 뒤 다시 가져와 주세요.")
        case .notYetDue(let daysLeft):
            ("물 주는 날까지 \(daysLeft)일 남았어요. 물 주는 날에만 미룰 수 있어요.", "미루는 대신 물을 주세요.")
        case .withered(let daysOver):
            ("물 주는 날이 \(daysOver)일 지나 시들었어요. 시든 식물은 미룰 수 없어요.", "물을 주면 다시 살아나요.")
        case .invalidDays(let days):
            (
                "\(days)일은 미룰 수 없어요.",
                "\(Postponement.range.lowerBound)일부터 \(Postponement.range.upperBound)일까지 미룰 수 있어요."
            )
        case .dueDateChanged(let dueOn):
            ("이제 물 주는 날은 \(dueOn.inKorean)이에요.", "다시 살펴보고 새로 정해 주세요.")
        case .madeTooLongAgo(let day, let days):
            ("\(day.inKorean)에 한 일이라 너무 늦었어요.", "\(days)일 안에 보내 주세요.")
        case .editedSince:
            ("지운 뒤에 다른 기기에서 고쳤어요.", "다시 살펴보고, 그래도 지우려면 한 번 더 지워 주세요.")
        case .archived(let day): ("\(day.inKorean)에 정원에서 뺀 친구예요.", "다시 데려오거나 새로 등록해 주세요.")
        case .wateringDayOutOfRange(let day, let earliest, let latest):
            (
                "\(day.inKorean)은 너무 이르거나 늦어요.",
                "\(earliest.inKorean)부터 \(latest.inKorean)까지 물 준 날로 기록할 수 있어요."
            )
        case .tooManyKeywords(let count): ("키워드 \(count)개는 너무 많아요.", "\(Review.maximumKeywords)개까지 남겨 주세요.")
        case .keywordEmpty: ("보이는 글자가 없는 키워드가 있어요.", "빼거나 글자를 써 주세요.")
        case .keywordTooLong(let length): ("키워드 하나가 \(length)자예요.", "\(TextLimit.keyword)자로 줄여 주세요.")
        case .keywordRepeated: ("같은 키워드가 두 번 있어요.", "하나만 남겨 주세요.")
        case .memoTooLong(let length): ("메모가 \(length)자예요.", "\(TextLimit.memo)자로 줄여 주세요.")
        case .reviewEmpty: ("기록에는 키워드나 메모가 있어야 해요.", "하나를 쓰거나 기록을 지워 주세요.")
        case .invalidTag(let text): ("\(text.quotedTopic) 태그로 쓸 수 없어요.", CareError.visible(TextLimit.tag))
        case .invalidColour(let text):
            ("\(text.quotedTopic) 색이 아니에요.", "#3b6fc9처럼 빨강, 초록, 파랑을 써 주세요.")
        case .duplicateTag(let name): ("\"\(name)\" 태그가 이미 있어요.", "다른 이름을 골라 주세요.")
        case .tooManyTags(let limit): ("태그는 \(limit)개까지예요.", "몇 개를 지우거나 빼 주세요.")
        case .invalidPause(let problem): problem.korean
        case .tooManyLinks(let limit): ("링크는 \(limit)개까지예요.", "필요 없는 것을 거두어 주세요.")
        case .importUndone: ("이미 되돌린 가져오기예요.", "친구들을 다시 데려오려면 파일을 다시 가져와 주세요.")
        case .notFound(let subject):
            ("\(KoreanParticle.object.attached(to: subject.inKorean)) 찾을 수 없어요.", "목록에서 확인해 주세요.")
        case .ambiguousID(let prefix): ("앞부분이 \"\(prefix)\"인 ID가 여러 개 있어요.", "ID를 더 길게 써 주세요.")
        }
    }

    private static func visible(_ limit: Int) -> String { "보이는 글자 1~\(limit)자로 쓰고, 제어 문자는 빼 주세요." }
}

extension PauseProblem {
    fileprivate var korean: (problem: String, remedy: String) {
        switch self {
        case .isBackwards: ("쉬는 날이 시작하기 전에 끝나요.", "마지막 날을 첫날이나 그 뒤로 골라 주세요.")
        case .tooLong: ("쉬는 날이 너무 길어요.", "\(Pause.mostDays)일까지 쉴 수 있어요.")
        case .isPast: ("쉬는 날이 벌써 지났어요.", "지난날은 오늘이나 그 뒤에 끝나도록 해 주세요.")
        case .isOver: ("이미 끝난 쉬는 날이에요.", "새로 시작해 주세요.")
        case .hasBegun: ("이미 시작했거나, 첫날이 지난날이에요.", "마지막 날만 바꾸거나, 끝내고 새로 시작해 주세요.")
        case .tooMany: ("쉬는 날은 \(Pause.mostPerAccount)번까지 남아 있을 수 있어요.", "하나를 끝내 주세요.")
        case .isOfTagAndFriend: ("태그와 친구를 함께 골랐어요.", "하나만 고르거나, 따로 시작해 주세요.")
        case .tooEarly(let day):
            ("너무 오래전에 시작해요.", "\(day.inKorean)이나 그 뒤로 골라 주세요.")
        }
    }
}

extension CareError.Subject {
    fileprivate var inKorean: String {
        switch self {
        case .account: "계정"
        case .plant: "식물"
        case .device: "기기"
        case .pushAction: "알림의 동작"
        case .store: "가게"
        case .share: "공유 링크"
        case .feed: "달력 구독"
        case .list: "장보기 목록"
        case .block: "차단"
        case .pause: "쉬는 날"
        case .watering: "물주기"
        case .review: "기록"
        case .tag: "태그"
        case .thing: "챙길 것"
        case .session: "세션"
        case .picture: "사진"
        case .receipt: "영수증"
        case .identity: "소셜 로그인 연결"
        case .importBatch: "가져오기"
        }
    }
}

extension String {
    /// As the topic of a sentence: `"25:00"은`.
    fileprivate var quotedTopic: String { KoreanParticle.topic.attached(to: "\"\(self)\"") }
}

extension CivilDay {
    /// `2027년 3월 2일`.
    fileprivate var inKorean: String {
        let (year, month, day) = components
        return "\(year)년 \(month)월 \(day)일"
    }
}

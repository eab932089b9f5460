import CherishCore
import SeededChance

extension Vocabulary {
    static let korean = Vocabulary(
        language: .korean,
        methods: [(.kakaotalk, 54), (.call, 26), (.inPerson, 8), (.message, 6), (.video, 4), (.other, 2)],
        relatives: [
            "엄마", "아빠", "할머니", "외할머니", "할아버지", "우리 언니", "막내동생", "큰이모", "막내 이모", "고모", "외삼촌", "작은아버지", "큰엄마", "우리 오빠",
        ],
        family: CircleWords(tag: "가족", nicknames: ["*", "사촌 *", "조카 *", "우리 *", "사랑하는 *"]),
        friends: CircleWords(
            tag: "친구",
            nicknames: ["*", "*", "*", "* 🌻", "* 🐶", "베프 *", "동네 친구 *", "우리 *", "운동 친구 *", "* 언니", "* 형"]),
        work: CircleWords(
            tag: "회사", nicknames: ["* 팀장님", "* 대리님", "* 과장님", "* 선배님", "옆자리 *", "전 직장 *", "입사 동기 *"]),
        studies: CircleWords(
            tag: "학교", nicknames: ["대학 동기 *", "고등학교 *", "동아리 *", "스터디 *", "* 후배", "* 선배", "룸메 *"]),
        keywords: [
            "생일", "여행", "이직", "점심", "육아", "건강", "운동", "고양이", "강아지", "영화", "이사", "결혼 준비", "시험", "승진", "취미", "등산", "캠핑",
            "커피", "전시회", "다이어트", "감기", "부모님", "새 직장", "김장", "휴가", "러닝", "요리", "콘서트", "안부", "고민 상담",
        ],
        memos: [
            "요즘 회사 일로 많이 바쁘다고 했다.", "다음 달에 같이 밥 먹기로 했다.", "목소리가 밝아서 다행이었다.", "아이가 벌써 초등학교에 들어간다고 한다.",
            "새로 이사한 집이 마음에 든다고 했다.", "감기에 걸렸다니 며칠 뒤에 다시 연락하기.", "제주도 사진을 보내 줬다.", "생일 선물로 책을 보내기로 했다.",
            "취업 준비가 힘들다고 해서 오래 들어 줬다.", "강아지를 새로 데려왔다고 자랑했다.", "옛날 얘기로 한참 웃었다.", "주말에 등산 가자고 했다.", "이직을 고민 중이라고 한다.",
            "부모님 건강이 좋아지셨다고 했다.", "결혼식 날짜를 잡았다고 한다. 꼭 가기!", "시험이 끝나면 영화 보기로 했다.", "잘 지낸다는 짧은 답장.", "요즘 러닝에 푹 빠졌다고 한다.",
            "맛있는 국밥집을 알려 줬다.", "한동안 연락이 뜸해서 미안하다고 했다.", "승진 축하를 전했다.", "콘서트 표를 구했다며 같이 가자고 했다.", "김장 김치를 나눠 주신다고 했다.",
            "다음에는 내가 먼저 전화하기.",
        ],
        person: KoreanNames.person(using:))
}

private enum KoreanNames {
    @Sendable static func person(using generator: inout SplitMix64) -> Person {
        let family = generator.weighted(familyNames)
        let first = generator.element(of: firstSyllables)
        // No name repeats a syllable.
        var second = generator.element(of: secondSyllables)
        while second == first { second = generator.element(of: secondSyllables) }
        return Person(fullName: family + first + second, calledName: first + second)
    }

    /// With rough shares per thousand people.
    private static let familyNames: [(String, Int)] = [
        ("김", 215), ("이", 147), ("박", 84), ("최", 47), ("정", 43), ("강", 24), ("조", 21), ("윤", 20), ("장", 19), ("임", 17),
        ("한", 15), ("오", 15), ("서", 15), ("신", 15), ("권", 14), ("황", 14), ("안", 14), ("송", 14), ("전", 11), ("홍", 11),
        ("유", 10), ("고", 9), ("문", 9), ("양", 9), ("손", 9), ("배", 8), ("백", 8), ("허", 7), ("남", 5), ("심", 5),
    ]
    private static let firstSyllables = [
        "민", "서", "지", "하", "도", "예", "주", "현", "은", "수", "유", "시", "태", "승", "재", "성", "동", "준", "윤", "채", "가", "다",
        "나", "소", "연", "정", "영", "혜", "미", "상",
    ]
    private static let secondSyllables = [
        "준", "윤", "우", "연", "아", "은", "호", "진", "현", "원", "빈", "훈", "희", "영", "수", "서", "린", "율", "나", "민", "경", "정",
        "혁", "석", "인", "미", "솔", "람", "찬", "규",
    ]
}

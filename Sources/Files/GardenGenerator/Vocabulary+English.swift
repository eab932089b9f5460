import CherishCore
import SeededChance

extension Vocabulary {
    static let english = Vocabulary(
        language: .english,
        methods: [(.message, 46), (.call, 27), (.video, 15), (.inPerson, 9), (.other, 3)],
        relatives: [
            "Mum", "Dad", "Gran", "Grandpa", "Nana 💛", "Auntie Jo", "Auntie Sue", "Uncle Pete", "Uncle Ray", "Big sis",
            "Little bro", "Cousin Mel", "My favourite niece", "Godmother Ruth",
        ],
        family: CircleWords(tag: "family", nicknames: ["*", "Cousin *", "Our *", "* 💚"]),
        friends: CircleWords(
            tag: "friends", nicknames: ["*", "*", "*", "*", "* 🌻", "* 🐾", "Dear *", "* next door", "* (choir)"]),
        work: CircleWords(tag: "work", nicknames: ["*", "* from work", "* (old job)", "* (team)", "* (finance)"]),
        studies: CircleWords(tag: "uni", nicknames: ["*", "* (uni)", "* (school)", "Roomie *", "* from class"]),
        keywords: [
            "lunch", "baby", "cats", "trip", "job", "gym", "film", "yoga", "exam", "wine", "dogs", "move", "music",
            "beach", "hike", "books", "cake", "house", "run", "tea", "ski", "golf", "cold", "party", "boss", "kids",
            "visa", "art", "bike", "news",
        ],
        memos: [
            "Busy at work, but in good spirits.", "We are having dinner next month.", "Sounded happy. Good.",
            "The little one starts school in autumn.", "Loves the new flat.", "Has a cold; ask again in a few days.",
            "Sent photos from the coast.", "Send that book for the birthday.",
            "Looking for a job; I listened for long.", "Got a puppy!", "Laughed a lot about old times.",
            "Wants to go hiking at the weekend.", "Thinking about moving abroad.", "Her parents are better again.",
            "They set a date for the wedding!", "A film together once exams are over.",
            "Just a short reply: all is well.", "Trains for a half marathon now.", "Told me about a good ramen place.",
            "Sorry for the long silence, me too.", "Congratulated on the promotion.",
            "Has tickets for the concert in May.", "Will bring round some home-made jam.", "Next time I call first.",
        ],
        person: EnglishNames.person(using:))
}

private enum EnglishNames {
    @Sendable static func person(using generator: inout SplitMix64) -> Person {
        let (given, short) = generator.element(of: givenNames)
        let called = generator.chance(50) ? short : given
        return Person(fullName: "\(given) \(generator.element(of: familyNames))", calledName: called)
    }

    /// Each with its short form.
    private static let givenNames: [(String, String)] = [
        ("Emma", "Em"), ("Olivia", "Liv"), ("Benjamin", "Ben"), ("Samuel", "Sam"), ("Alexander", "Alex"),
        ("Daniel", "Dan"), ("Matthew", "Matt"), ("Katherine", "Kate"), ("Elizabeth", "Lizzie"), ("Charlotte", "Lottie"),
        ("James", "Jim"), ("Thomas", "Tom"), ("William", "Will"), ("Joseph", "Joe"), ("Josephine", "Jo"),
        ("Isabella", "Bella"), ("Abigail", "Abby"), ("Madeleine", "Maddie"), ("Nicholas", "Nick"), ("Michael", "Mike"),
        ("Zachary", "Zac"), ("Gabriel", "Gabe"), ("Theodore", "Theo"), ("Frederick", "Fred"), ("Edward", "Ned"),
        ("Eleanor", "Nell"), ("Margaret", "Maggie"), ("Susannah", "Susie"), ("Rebecca", "Becky"), ("Jessica", "Jess"),
        ("Amelia", "Millie"), ("Victoria", "Vicky"), ("Natalie", "Nat"), ("Patrick", "Pat"), ("Andrew", "Andy"),
        ("Anthony", "Tony"), ("Robert", "Rob"), ("Richard", "Rich"), ("Jonathan", "Jon"), ("Harriet", "Hattie"),
        ("Florence", "Flo"), ("Penelope", "Penny"), ("Philippa", "Pip"), ("Timothy", "Tim"), ("Leonard", "Leo"),
        ("Maxwell", "Max"), ("Oliver", "Ollie"), ("Archibald", "Archie"), ("Rosemary", "Rosie"), ("Georgia", "Gee"),
        ("Priya", "Pri"), ("Aisha", "Aisha"), ("Mateo", "Teo"), ("Sofia", "Sofi"), ("Mei", "Mei"), ("Kofi", "Kofi"),
        ("Noah", "Noah"), ("Chloe", "Chlo"), ("Grace", "Gracie"), ("Hannah", "Han"),
    ]
    private static let familyNames = [
        "Smith", "Jones", "Taylor", "Brown", "Williams", "Wilson", "Johnson", "Davies", "Patel", "Robinson", "Wright",
        "Thompson", "Evans", "Walker", "White", "Roberts", "Green", "Hall", "Wood", "Jackson", "Clarke", "Hill",
        "Cooper", "Ward", "Moore", "King", "Baker", "Harris", "Morgan", "Allen", "Scott", "Young", "Mitchell", "Carter",
        "Phillips", "Campbell", "Parker", "Bennett", "Garcia", "Martinez", "Lopez", "Rivera", "Nguyen", "Chen", "Wong",
        "Singh", "Khan", "Murphy", "Kelly", "O'Brien", "Ryan", "Fraser", "Stewart", "Reid", "Miller", "Anderson",
        "Foster", "Brooks", "Hughes", "Okafor",
    ]
}

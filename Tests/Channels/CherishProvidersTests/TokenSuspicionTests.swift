import Testing

@testable import CherishProviders

@Suite("Distinguishing dead tokens from a wrong environment")
struct TokenSuspicionTests {
    private func suspicion(accepted: Int, wrong: Int) -> TokenSuspicion {
        var suspicion = TokenSuspicion()
        for _ in 0..<accepted { suspicion.noteAccepted() }
        for _ in 0..<wrong { suspicion.noteWrong() }
        return suspicion
    }

    @Test("trusts nothing before the first acceptance, and suspects nothing either")
    func nothing() {
        #expect(!TokenSuspicion().trustsAnswers)
        #expect(!TokenSuspicion().isWrongEnvironment)
    }

    static let judgements: [(accepted: Int, wrong: Int, trusts: Bool, isWrong: Bool)] = [
        (accepted: 1, wrong: 0, trusts: true, isWrong: false),
        (accepted: 1, wrong: 1, trusts: false, isWrong: false),
        (accepted: 2, wrong: 1, trusts: true, isWrong: false),
        (accepted: 0, wrong: 1, trusts: false, isWrong: false),
        (accepted: 0, wrong: 9, trusts: false, isWrong: false),
        (accepted: 0, wrong: 10, trusts: false, isWrong: true),
        (accepted: 10, wrong: 10, trusts: false, isWrong: true),
        (accepted: 11, wrong: 10, trusts: true, isWrong: false),
        (accepted: 100, wrong: 99, trusts: true, isWrong: false),
    ]

    @Test(
        "trusts a bad token's answer while more are accepted, and suspects the environment from ten on",
        arguments: TokenSuspicionTests.judgements)
    func judgement(accepted: Int, wrong: Int, trusts: Bool, isWrong: Bool) {
        let suspicion = suspicion(accepted: accepted, wrong: wrong)
        #expect(suspicion.trustsAnswers == trusts)
        #expect(suspicion.isWrongEnvironment == isWrong)
    }

    @Test("recovers when the setting is mended: what was long ago weighs half")
    func mended() {
        var suspicion = suspicion(accepted: 0, wrong: 500)
        for _ in 1...250 {
            #expect(!suspicion.trustsAnswers)
            suspicion.noteAccepted()
        }
        #expect(!suspicion.trustsAnswers)
        suspicion.noteAccepted()
        #expect(suspicion.trustsAnswers)
        #expect(!suspicion.isWrongEnvironment)
    }

    @Test("notices that the environment became wrong after a long time of acceptances")
    func becameWrong() {
        var suspicion = suspicion(accepted: 100_000, wrong: 0)
        var count = 0
        while !suspicion.isWrongEnvironment, count < 1000 {
            suspicion.noteWrong()
            count += 1
        }
        #expect((200...500).contains(count))
    }

    @Test("goes on retiring a few dead tokens among many that live")
    func fewDead() {
        var suspicion = TokenSuspicion()
        for number in 1...10_000 {
            if number % 20 == 0 { suspicion.noteWrong() } else { suspicion.noteAccepted() }
            #expect(suspicion.trustsAnswers)
        }
    }
}

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

    @Test("before the first acceptance, trusts nothing and suspects nothing")
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
        "trusts a bad-token answer while more are accepted, and otherwise suspects the environment after ten",
        arguments: TokenSuspicionTests.judgements)
    func judgement(accepted: Int, wrong: Int, trusts: Bool, isWrong: Bool) {
        let suspicion = suspicion(accepted: accepted, wrong: wrong)
        #expect(suspicion.trustsAnswers == trusts)
        #expect(suspicion.isWrongEnvironment == isWrong)
    }

    @Test("recovers once the setting is fixed: old answers count half")
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

    @Test("notices an environment that becomes wrong after many acceptances")
    func becameWrong() {
        var suspicion = suspicion(accepted: 100_000, wrong: 0)
        var count = 0
        while !suspicion.isWrongEnvironment, count < 1000 {
            suspicion.noteWrong()
            count += 1
        }
        #expect((200...500).contains(count))
    }

    @Test("keeps retiring a few dead tokens among many live ones")
    func fewDead() {
        var suspicion = TokenSuspicion()
        for number in 1...10_000 {
            if number % 20 == 0 { suspicion.noteWrong() } else { suspicion.noteAccepted() }
            #expect(suspicion.trustsAnswers)
        }
    }
}

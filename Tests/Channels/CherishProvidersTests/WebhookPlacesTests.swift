import CherishPush
import CherishTestSupport
import Synchronization
import Testing

@testable import CherishProviders

/// Blocks servers' answers until a test opens it.
private actor Gate {
    private(set) var entered: [String] = []
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func pass(_ name: String) async {
        entered.append(name)
        if !isOpen { await withCheckedContinuation { waiting.append($0) } }
    }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}

private func eventually(_ condition: () async -> Bool) async -> Bool {
    (try? await CherishTestSupport.eventually(condition)) ?? false
}

extension WebhookPlaces {
    /// Sends to a server behind a gate.
    fileprivate func send(to name: String, through gate: Gate) async -> DeviceResult {
        await send(to: name) { place in
            await gate.pass(name)
            place.noteAnswer()
            return .accepted
        }
    }

    /// Sends to a server that answers at once.
    fileprivate func send(quicklyTo name: String) async -> DeviceResult {
        await send(to: name) { place in
            place.noteAnswer()
            return .accepted
        }
    }
}

@Suite("Places for webhooks", .timeLimit(.minutes(10)))
struct WebhookPlacesTests {
    /// Any host without an answer within ten milliseconds is slow.
    private let impatient = WebhookPlaces.Limits(fast: 8, patience: .milliseconds(10))
    /// No host is ever slow.
    private let patient = WebhookPlaces.Limits(fast: 8, fastPerHost: 3, patience: .seconds(600))

    private func isBusy(_ result: DeviceResult) -> Bool {
        if case .held("webhook is busy", _) = result { true } else { false }
    }

    /// Sends `count` pushes concurrently, and counts those turned away.
    private func crowd(
        _ count: Int, to name: String, _ places: WebhookPlaces, through gate: Gate, _ turnedAway: Counter
    ) async -> [DeviceResult] {
        await sendAtOnce(count) { [self] _ in
            let result = await places.send(to: name, through: gate)
            if isBusy(result) { _ = turnedAway.next() }
            return result
        }
    }

    @Test("a hundred hosts that never answer hold fast places only briefly, and get no more of them")
    func hostile() async {
        let (places, gate) = (WebhookPlaces(impatient), Gate())
        let waiting = Task {
            await sendAtOnce(100) { number in await places.send(to: "slow\(number)", through: gate) }
        }
        // Eight fast places serve all of them in turn.
        let areAllUnderway = await eventually { await gate.entered.count == 100 && places.use == (0, 100) }
        #expect(areAllUnderway)
        let again = await sendAtOnce(100) { number in await places.send(to: "slow\(number)", through: gate) }
        #expect(again.allSatisfy(isBusy))
        #expect(await gate.entered.count == 100)
        #expect(places.use.fast == 0)
        let others = await sendAtOnce(50) { number in await places.send(quicklyTo: "quick\(number)") }
        #expect(others.allSatisfy { $0 == .accepted })
        await gate.open()
        #expect(await waiting.value.allSatisfy { $0 == .accepted })
        #expect(places.use == (0, 0))
    }

    @Test("a slow host has two places, and is fast again after an answer in time")
    func slowHost() async {
        let clock = ManualClock()
        let places = WebhookPlaces(WebhookPlaces.Limits(fast: 8, patience: .seconds(1)), clock: clock)
        let (first, second, third) = (Gate(), Gate(), Gate())
        let slow = Task { await places.send(to: "host", through: first) }
        let isAsked = await eventually { await first.entered.count == 1 && clock.sleeperCount == 1 }
        #expect(isAsked)
        clock.advance(by: .seconds(2))
        let isSlow = await eventually { places.use == (0, 1) }
        #expect(isSlow)
        await first.open()
        #expect(await slow.value == .accepted)
        #expect(places.use == (0, 0))
        let turnedAway = Counter()
        let few = Task { await crowd(5, to: "host", places, through: second, turnedAway) }
        let areTwo = await eventually { await second.entered.count == 2 && turnedAway.value == 3 }
        #expect(areTwo)
        #expect(places.use == (0, 2))
        await second.open()
        let results = await few.value
        #expect(results.count(where: isBusy) == 3)
        #expect(results.count { $0 == .accepted } == 2)

        #expect(await places.send(quicklyTo: "host") == .accepted)
        let many = Task { await sendAtOnce(5) { _ in await places.send(to: "host", through: third) } }
        let areFive = await eventually { await third.entered.count == 5 }
        #expect(areFive)
        await third.open()
        #expect(await many.value == Array(repeating: .accepted, count: 5))
    }

    @Test("once a host turns out to be slow, pushes that wait for it or arrive later are turned away")
    func turnsSlow() async {
        let (places, gate, turnedAway) = (WebhookPlaces(impatient), Gate(), Counter())
        let waiting = Task { await crowd(40, to: "host", places, through: gate, turnedAway) }
        // The one that revealed it, and one in a slow place.
        let areTwoUnderway = await eventually { places.use == (0, 2) && turnedAway.value == 38 }
        #expect(areTwoUnderway)
        let later = await places.send(to: "host", through: gate)
        #expect(isBusy(later))
        await gate.open()
        let results = await waiting.value
        #expect(results.count(where: isBusy) == 38)
        #expect(await gate.entered.count == 2)
    }

    @Test("a host that never answered gets one push at first, then several at once")
    func unknownHost() async {
        let (places, first, gate) = (WebhookPlaces(patient), Gate(), Gate())
        let trial = Task { await places.send(to: "host", through: first) }
        let isTried = await eventually { await first.entered.count == 1 }
        #expect(isTried)
        let waiting = Task { await sendAtOnce(5) { _ in await places.send(to: "host", through: gate) } }
        // Others do not wait for it.
        #expect(await places.send(quicklyTo: "other") == .accepted)
        #expect(await gate.entered.isEmpty)
        await first.open()
        #expect(await trial.value == .accepted)
        let areThree = await eventually { await gate.entered.count == 3 }
        #expect(areThree)
        #expect(places.use == (3, 0))
        await gate.open()
        #expect(await waiting.value == Array(repeating: .accepted, count: 5))
        #expect(places.use == (0, 0))
    }

    @Test("pushes turned away come back staggered, within five minutes")
    func turnedAway() async throws {
        let limits = WebhookPlaces.Limits(waitingPerHost: 0, patience: .seconds(600))
        let (places, gate, turnedAway) = (WebhookPlaces(limits), Gate(), Counter())
        // One is underway, and seven wait.
        let waiting = Task { await crowd(15, to: "host", places, through: gate, turnedAway) }
        let areSeven = await eventually { turnedAway.value == 7 }
        #expect(areSeven)
        await gate.open()
        let results = await waiting.value
        #expect(results.count { $0 == .accepted } == 8)
        let times = try results.filter(isBusy).map { try holdTime($0, because: "webhook is busy") }.sorted()
        try #require(times.count == 7)
        #expect(times[0] >= .seconds(5))
        // The host may take ten minutes for an answer, and eight are underway.
        for place in 0..<3 { #expect(times[place + 1] - times[place] > .seconds(60)) }
        #expect(times.suffix(3).allSatisfy { $0 == .seconds(300) })
    }

    @Test("a push cancelled while it waits is held, and takes no place")
    func cancelled() async {
        let (places, gate) = (WebhookPlaces(patient), Gate())
        let trial = Task { await places.send(to: "host", through: gate) }
        let isTried = await eventually { await gate.entered.count == 1 }
        #expect(isTried)
        let waiting = Task { await places.send(to: "host", through: gate) }
        waiting.cancel()
        #expect(await waiting.value == .held(reason: "given up", for: .seconds(5)))
        await gate.open()
        #expect(await trial.value == .accepted)
        #expect(places.use == (0, 0))
        #expect(await gate.entered.count == 1)
    }

    @Test("the number of hosts remembered is limited, and slow ones are kept longest")
    func memory() async {
        var limits = impatient
        limits.hosts = 20
        let (places, gate) = (WebhookPlaces(limits), Gate())
        let slow = Task { await places.send(to: "slow", through: gate) }
        let isSlow = await eventually { places.use == (0, 1) }
        #expect(isSlow)
        for number in 0..<100 { #expect(await places.send(quicklyTo: "quick\(number)") == .accepted) }
        #expect(places.hostCount <= 20)
        await gate.open()
        #expect(await slow.value == .accepted)
        for number in 0..<100 { #expect(await places.send(quicklyTo: "quick\(number)") == .accepted) }
        #expect(places.hostCount <= 20)
    }
}

@Suite("Late answers")
struct LateAnswerTests {
    @Test("count as failures of their host, although the pushes are delivered")
    func opensBreaker() async throws {
        let provider = Provider(
            name: "webhook", settings: ProviderSettingNames(credentials: "", address: "", environment: ""),
            concurrency: nil, isOnlyOne: false, clock: ManualClock(), logger: LogLines().logger)
        for isLate in Array(repeating: true, count: 9) + [false] + Array(repeating: true, count: 10) {
            let result = await provider.send {
                ProviderAnswer(consequence: .accepted, reason: "200", isLate: isLate)
            }
            #expect(result == .accepted)
        }
        let next = await provider.send { ProviderAnswer(consequence: .accepted, reason: "200") }
        _ = try holdTime(next, because: "webhook is left alone after failures")
    }
}

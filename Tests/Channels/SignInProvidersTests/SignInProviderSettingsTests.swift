import Testing

@testable import SignInProviders

@Suite("Settings of sign-in providers")
struct SignInProviderSettingsTests {
    @Test("no provider is on without client ids")
    func off() throws {
        #expect(try SignInProviderSettings(environment: [:]).entries.isEmpty)
        let empty = ["CHERISH_GOOGLE_CLIENT_IDS": "", "CHERISH_APPLE_CLIENT_IDS": ""]
        #expect(try SignInProviderSettings(environment: empty).entries.isEmpty)
    }

    @Test("client ids are separated by commas, with or without blanks")
    func clientIDs() throws {
        let settings = try SignInProviderSettings(environment: [
            "CHERISH_GOOGLE_CLIENT_IDS": "1-a.apps.googleusercontent.com, 2-b.apps.googleusercontent.com",
            "CHERISH_APPLE_CLIENT_IDS": "com.example.cherish,com.example.cherish_web",
        ])
        #expect(
            settings.entries[.google]?.clientIDs
                == ["1-a.apps.googleusercontent.com", "2-b.apps.googleusercontent.com"])
        #expect(settings.entries[.apple]?.clientIDs == ["com.example.cherish", "com.example.cherish_web"])
        let one = try SignInProviderSettings(environment: ["CHERISH_APPLE_CLIENT_IDS": "com.example.cherish"])
        #expect(Set(one.entries.keys) == [.apple])
    }

    @Test(
        "a value that cannot be client ids says what to write",
        arguments: [",", "com.example.cherish,", " ", "com example;cherish", "https://example.com", "*"])
    func unusable(value: String) throws {
        let error = try #require(throws: SignInSettingError.self) {
            _ = try SignInProviderSettings(environment: ["CHERISH_APPLE_CLIENT_IDS": value])
        }
        #expect(error.variable == "CHERISH_APPLE_CLIENT_IDS")
        #expect("\(error)".hasPrefix("CHERISH_APPLE_CLIENT_IDS cannot be used: it must be client ids"))
    }

    @Test("issuers and keys are the providers' own unless others are given")
    func origins() throws {
        let settings = try SignInProviderSettings(environment: [
            "CHERISH_GOOGLE_CLIENT_IDS": "a", "CHERISH_APPLE_CLIENT_IDS": "b",
        ])
        let google = try #require(settings.entries[.google]).origin
        #expect(google.issuers == ["https://accounts.google.com", "accounts.google.com"])
        #expect(google.keysURL == "https://www.googleapis.com/oauth2/v3/certs")
        let apple = try #require(settings.entries[.apple]).origin
        #expect(apple.issuers == ["https://appleid.apple.com"])
        #expect(apple.keysURL == "https://appleid.apple.com/auth/keys")
        let own = try #require(TokenOrigin(issuers: ["https://id.example.com"], keysURL: "https://id.example.com/k"))
        let changed = SignInProviderSettings(clientIDs: [.google: ["a"], .apple: ["b"]], origins: [.google: own])
        #expect(changed.entries[.google]?.origin == own)
        #expect(changed.entries[.apple]?.origin == apple)
    }

    @Test(
        "keys come from https URLs alone",
        arguments: [
            "http://id.example.com/keys", "https://", "id.example.com/keys", "", "file:///keys",
            "HTTP://id.example.com",
            "https://user@id.example.com/keys", "https://user:secret@id.example.com/keys",
        ])
    func insecure(url: String) {
        #expect(TokenOrigin(issuers: ["https://id.example.com"], keysURL: url) == nil)
        #expect(TokenOrigin(issuers: [], keysURL: "https://id.example.com/keys") == nil)
    }

    @Test("refusals have a reason for the log")
    func errors() {
        let errors: [(SignInProviderError, reason: String)] = [
            (.off(.apple), "no client id is set"), (.invalidToken(.audience), "audience"),
            (.providerAway(.google, .status(500)), "status 500"),
        ]
        for (error, reason) in errors { #expect("\(error)" == reason) }
    }
}

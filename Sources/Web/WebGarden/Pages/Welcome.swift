import CherishCore
import CherishHTTP
import HTMLMarkup

/// What somebody sees who is not signed in: what Cherish is, and the ways in.
enum WelcomePage {
    static func content(_ visit: PageVisit) -> PageContent {
        let words = visit.words
        if let chosen = visit.query("language").flatMap({ Language(rawValue: $0) }) {
            visit.ask.headers.add(.setCookie, LanguageCookie.header(chosen))
        }
        let scenes = [
            ("friends", words("친구 한 사람 한 사람이 정원의 식물이에요.", "Every friend is a plant in your garden.")),
            ("water", words("전화, 문자, 만남이 물이 돼요.", "A call, a message or a visit waters it.")),
            ("bloom", words("가까이 지낼수록 활짝 피어나요.", "The closer you stay, the more it blooms.")),
        ]
        let story = scenes.map { name, sentence -> Markup in "<li>\(Picture.scene(name))<p>\(sentence)</p></li>\n" }
        var content = PageContent(
            words("소중한 사람들과 가까이", "Stay close"), kind: "welcome",
            main: """
                <h1>\(words("소중한 사람들과 가까이 지내요", "Stay close to the people you cherish"))</h1>
                <ol class="story">
                \(story)</ol>
                <div class="ways">
                <a class="button primary" href="/sign-up">\(words("가입하기", "Sign up"))</a>
                <a class="button" href="/sign-in">\(words("로그인", "Sign in"))</a>
                <a class="button plain" href="/begin">\(words("이메일 없이 시작하기", "Begin without an e-mail"))</a>
                </div>
                """)
        // Whoever has just signed up or in would be signed in, if the browser kept the cookie.
        if visit.query("done") == "welcome" {
            content.notice = """
                <p>\(words(
                    "브라우저가 쿠키를 저장하지 않아 로그인할 수 없어요. 이 사이트의 쿠키를 허용한 뒤 로그인해 주세요.",
                    "Your browser keeps no cookies, so nobody can be signed in. Allow them for this site, then sign in."))</p>
                """
        }
        return content
    }
}

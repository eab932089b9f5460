import HTMLMarkup
import Testing

@testable import WebGarden

@Suite struct MarkdownTextTests {
    private func html(_ text: String) -> String { MarkdownText(text).markup.source }

    @Test("Headings and paragraphs; a heading of the first level is the title")
    func blocks() {
        #expect(html("# 개인정보\r\n\r\n첫 줄,\r\n둘째 줄.\r\n") == "<h1>개인정보</h1>\n<p>첫 줄,\n둘째 줄.</p>\n")
        #expect(html("#hashtag") == "<p>#hashtag</p>\n")
        #expect(MarkdownText("# Terms").hasTitle)
        #expect(!MarkdownText("## Terms").hasTitle)
    }

    @Test("Lists, and lists within them")
    func lists() {
        #expect(
            html("- one\n- two\n  1. a\n  2. b\n") == """
                <ul>
                <li>one</li>
                <li>two<ol>
                <li>a</li>
                <li>b</li>
                </ol>
                </li>
                </ul>

                """)
        #expect(html("3) c\ngoes on") == "<ol start=\"3\">\n<li>c\ngoes on</li>\n</ol>\n")
        #expect(html("- a\n\n  b") == "<ul>\n<li><p>a</p>\n<p>b</p>\n</li>\n</ul>\n")
    }

    @Test("A date at the beginning of a line is no list")
    func dates() {
        #expect(html("2027. 3. 2.부터") == "<p>2027. 3. 2.부터</p>\n")
    }

    @Test(
        "Strong words and emphasis, also where a particle follows a bracket",
        arguments: [
            ("**회원(이용자)**은 *꼭*", "<strong>회원(이용자)</strong>은 <em>꼭</em>"),
            ("***both***", "<strong><em>both</em></strong>"),
            ("*a **b** c*", "<em>a <strong>b</strong> c</em>"),
            ("_a_ snake_case_name", "<em>a</em> snake_case_name"),
            ("2 * 3 * 4, ** and ****", "2 * 3 * 4, ** and ****"), ("\\*no\\*", "*no*"), ("*open", "*open"),
        ])
    func emphasis(_ text: String, _ expected: String) {
        #expect(html(text) == "<p>\(expected)</p>\n")
    }

    @Test(
        "Links lead to pages of ours, other sites and mails, and nowhere else",
        arguments: [
            (
                "[**us**](https://example.org/a_(b)?x=1&y=2)",
                "<a href=\"https://example.org/a_(b)?x=1&amp;y=2\"><strong>us</strong></a>"
            ),
            ("[mail](mailto:us@example.org).", "<a href=\"mailto:us@example.org\">mail</a>."),
            ("[terms](/terms)", "<a href=\"/terms\">terms</a>"),
            ("[x](javascript:alert(1))", "[x](javascript:alert(1))"), ("[x](//example.org)", "[x](//example.org)"),
            ("[x](https://a b)", "[x](https://a b)"), ("[x] (/y)", "[x] (/y)"), ("[open", "[open"),
        ])
    func links(_ text: String, _ expected: String) {
        #expect(html(text) == "<p>\(expected)</p>\n")
    }

    @Test("HTML is text")
    func escaping() {
        #expect(html("<script>\"1\"</script>") == "<p>&lt;script&gt;&quot;1&quot;&lt;/script&gt;</p>\n")
        #expect(
            html("[x](https://example.org/\"onclick=\"y)")
                == "<p><a href=\"https://example.org/&quot;onclick=&quot;y\">x</a></p>\n")
    }
}

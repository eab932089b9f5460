"""What nobody should stumble over on a page: violations of WCAG 2.2 AA that axe finds, small targets, sideways scrolling, and what the
console says.

Needs axe-playwright-python from PyPI."""

from axe_playwright_python.sync_playwright import Axe

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
WIDTHS = [320, 390, 1280]

# Controls whose target is below 44 × 44. A control within a label has the label as its target. A link within a sentence
# may be smaller.
SMALL_TARGETS = """() => {
    const small = [];
    for (const element of document.querySelectorAll("a[href], button, input, select, textarea, summary")) {
        if (element.type === "hidden" || element.closest("[hidden], dialog:not([open])") || element.matches(".skip")) {
            continue;
        }
        const isInline = element.localName === "a" && getComputedStyle(element).display === "inline";
        if (isInline && element.parentElement.textContent.trim() !== element.textContent.trim()) continue;
        const box = (element.closest("label") ?? element).getBoundingClientRect();
        if (box.width && (box.width < 43.9 || box.height < 43.9)) {
            small.push(`target of ${box.width.toFixed(1)} × ${box.height.toFixed(1)}: ${element.outerHTML.slice(0, 100)}`);
        }
    }
    return small;
}"""

WIDER = """() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    return [...document.querySelectorAll("body *")].filter(element => {
        const box = element.getBoundingClientRect();
        return box.width && box.right > width + .5 && !element.closest(".heard, .skip");
    }).slice(0, 4).map(element => element.outerHTML.slice(0, 100)).concat(`scrolls sideways at ${width} px`);
}"""

# Controls with text that they cut off.
CUT = """() => [...document.querySelectorAll("button, .button, .tabs a, select, .chip, .due, .back")].filter(control =>
    control.clientWidth && getComputedStyle(control).display !== "inline" && !control.closest("dialog:not([open])")
    && control.scrollWidth > control.clientWidth + 3
).map(control => `cut off at ${innerWidth} px: ${control.outerHTML.slice(0, 100)}`)"""


# What no person wrote: a number that is none, an attribute or a text that was escaped twice.
BROKEN = """() => {
    const found = [];
    for (const element of document.querySelectorAll("*")) {
        for (const { name, value } of element.attributes) {
            if (/^".*"$/.test(value)) found.push(`escaped twice: ${name} of ${element.outerHTML.slice(0, 100)}`);
        }
    }
    const text = document.body.innerText.match(/.{0,30}(NaN|undefined|Optional\\(|&(amp|lt|gt|quot);).{0,30}/);
    return text ? found.concat(`says “${text[0]}”`) : found;
}"""


class Judge:
    def __init__(self, is_long):
        self.is_long = is_long
        # How many of axe's rules a page passes and violates, by page and variant.
        self.results = {}
        self.problems = []

    def look(self, person, name, axe=True):
        """Looks at the page on which somebody is."""
        found, page = [], person.page
        own = page.viewport_size
        with person.looking():
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": own["height"]})
                for check in (SMALL_TARGETS, WIDER, CUT):
                    found += page.evaluate(check)
                if axe and self.is_long:
                    for theme in ("light", "dark"):
                        page.emulate_media(color_scheme=theme)
                        found += self.run_axe(page, name, f"{person.variant}, {theme}, {width} px")
                    page.emulate_media(color_scheme="light")
            page.set_viewport_size({"width": 390, "height": own["height"]})
            found += self.enlarged(page) + page.evaluate(BROKEN)
            page.set_viewport_size(own)
            if axe and not self.is_long:
                found += self.run_axe(page, name, person.variant)
        found += person.problems
        person.problems.clear()
        self.problems += [f"{name} ({person.variant}): {problem}" for problem in dict.fromkeys(found)]

    def enlarged(self, page):
        """Looks at text of twice its size, as browsers make it that enlarge nothing else (WCAG 1.4.4)."""
        size = page.evaluate("getComputedStyle(document.documentElement).fontSize")
        # What somebody has chosen is large already.
        if size != "16px":
            return []
        page.evaluate("document.documentElement.style.setProperty('font-size', '200%')")
        found = [f"{problem} (text at 200 %)" for check in (WIDER, CUT) for problem in page.evaluate(check)]
        page.evaluate("document.documentElement.style.removeProperty('font-size')")
        return found

    def run_axe(self, page, name, variant):
        # At full height, the tabs at the bottom of the window cover nothing.
        size = page.viewport_size
        height = page.evaluate("document.documentElement.scrollHeight")
        page.set_viewport_size({"width": size["width"], "height": min(max(height, size["height"]), 6_000)})
        result = Axe().run(page, options={"runOnly": {"type": "tag", "values": TAGS}}).response
        page.set_viewport_size(size)
        self.results[name, variant] = len(result["passes"]), len(result["violations"])
        return [
            f"axe {violation['id']}: {node['html'][:120]}: {(node['any'] or node['all'] or node['none'])[0]['message']}"
            for violation in result["violations"] for node in violation["nodes"][:3]
        ]

    def table(self):
        """Returns a table in Markdown: for each page, axe's rules that passed and were violated."""
        variants = sorted({variant for _, variant in self.results})
        names = list(dict.fromkeys(name for name, _ in self.results))
        def cell(name, variant):
            passed, violated = self.results.get((name, variant), ("–", "–"))
            return f"{passed} / {violated}"
        lines = [["page", *variants], ["---"] * (len(variants) + 1)]
        lines += [[name, *(cell(name, variant) for variant in variants)] for name in names]
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)

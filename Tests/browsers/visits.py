"""Visits that go otherwise than most: by the keyboard alone, twice, back, without a session, offline, on an iPhone.

Each is a function that gets a garden and a browser, and yields people; their `problems` tell what was not as it should be."""

import time

from garden import Person
from household import Household
from neighbours import Neighbours
from way import VCARDS

VISITS = []

# Tells of permissions that a page asks for.
ASKED = """
if (window.Notification) {
    const ask = Notification.requestPermission.bind(Notification);
    Notification.requestPermission = () => { console.error("asks for notifications"); return ask(); };
}
"""
IPHONE = {
    "user_agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/18.4 Mobile/15E148 Safari/604.1",
    "has_touch": True, "is_mobile": True, "viewport": {"width": 390, "height": 844},
}
SAFARI = "Object.defineProperty(navigator, 'standalone', { value: false });"


def visit(function):
    VISITS.append(function)
    return function


def grown(garden, browser, **options):
    """Somebody with a plant that is due today, and its id."""
    person = Person(garden, browser, **options)
    person.sign_up()
    return person, garden.plant(person.email, "Kim Hana", "+82 10-7000-0001", 7, cycle_days=7, nickname="Hana", alarm="23:59")


def to_review(person, plant):
    person.open(f"/plants/{plant}/water")
    if person.scripts:
        person.page.locator("[data-contact=video]").click()
    person.choose("method", "call")
    person.send("form[data-reached]")


def wait_for_worker(page):
    page.evaluate("navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller || new Promise(done => "
                  "navigator.serviceWorker.addEventListener('controllerchange', done, { once: true }))).then(() => true)")


def tab_to(person, selector, most=60):
    """Moves by Tab until the focus is on an element; each stop on the way must be visible."""
    for _ in range(most):
        person.page.keyboard.press("Tab")
        seen = person.page.evaluate("""selector => {
            const focused = document.activeElement;
            // A tile shows the focus of the button that it hides.
            // Between the last and the first stop is the browser itself.
            if (focused === document.body) return { there: false, shows: true, what: "the page" };
            const shows = [focused, focused.nextElementSibling, focused.closest("label")].some(element => {
                const style = element && getComputedStyle(element);
                return style && (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2
                    || style.boxShadow !== "none");
            });
            const box = (focused.closest("label") ?? focused).getBoundingClientRect();
            const isInside = box.width > 0 && box.bottom > 0 && box.top < innerHeight;
            return { there: focused.matches(selector), shows: shows && isInside, what: focused.outerHTML.slice(0, 80) };
        }""", selector)
        person.check(seen["shows"], f"the focus is visible on {seen['what']}")
        if seen["there"]:
            return
    raise SystemExit(f"error: Tab never came to {selector} on {person.path()}")


@visit
def by_the_keyboard_alone(garden, browser):
    person = Person(garden, browser)
    page, keys = person.page, person.page.keyboard

    def press(key):
        with page.expect_navigation() as navigation:
            keys.press(key)
        person.came_to = navigation.value.url

    def follow(selector, key="Enter"):
        tab_to(person, selector)
        press(key)

    person.open("/")
    tab_to(person, ".skip")
    keys.press("Enter")
    follow('a[href="/sign-up"]')
    tab_to(person, "#email")
    keys.type(person.email)
    press("Enter")
    for selector, text in [("#code", garden.code(person.email)), ("#password", person.password), ("#nickname", "Minji")]:
        tab_to(person, selector)
        keys.type(text)
    follow("main button.primary", "Space")
    person.check(person.path() == "/?done=welcome", "signed up by the keyboard")
    plant = garden.plant(person.email, "Kim Hana", "+82 10-7000-0001", 7, cycle_days=7)
    person.open("/")
    tab_to(person, "[data-opens]")
    keys.press("Enter")
    person.check(page.locator("#later-sheet").is_visible(), "Enter opens the sheet")
    # The tiles are one stop, between whose choices arrows move.
    for _ in range(12):
        if person.focused("#later-sheet input[type=radio]"):
            break
        keys.press("Tab")
    keys.press("ArrowRight")
    person.check(page.locator("#later-sheet [name=days]:checked").get_attribute("value") == "2", "arrows choose a tile")
    for _ in range(20):
        keys.press("Tab")
        inside = page.evaluate("document.activeElement === document.body || !!document.activeElement.closest('#later-sheet')")
        person.check(inside, "the focus stays within the sheet")
    keys.press("Escape")
    # The page moves the focus after the browser has.
    page.wait_for_timeout(100)
    person.check(person.focused("[data-opens]"), "the focus returns from the sheet")
    page.evaluate("document.activeElement.blur()")
    follow(f'.plot a[href="/plants/{plant}/water"]')
    tab_to(person, "[data-contact=video]")
    keys.press("Enter")
    person.check(person.focused("#reached-title"), "the question has the focus")
    tab_to(person, "input[name=method]")
    keys.press("ArrowRight")
    keys.press("ArrowLeft")
    follow("form[data-reached] button.primary")
    tab_to(person, "#keyword-1")
    keys.type("baby")
    follow("main button.primary")
    person.check("done=watered" in person.path(), "watered by the keyboard")
    person.check(garden.watering_count(plant) == 1, "the watering is recorded")
    person.check(person.focused("main h1"), "the focus is on the plant after the motion")
    yield person


@visit
def a_double_tap_sends_once(garden, browser):
    person, plant = grown(garden, browser)
    page, sent = person.page, []
    # The service worker sends the form.
    person.context.on("request", lambda request: request.method == "POST" and sent.append(request.url))
    person.open(f"/plants/{plant}/water")
    page.locator("[data-contact=video]").click()
    person.choose("method", "call")
    # The second tap comes before the first one is answered.
    person.context.route("**/water", lambda route: (time.sleep(0.5), route.continue_()))
    page.locator("form[data-reached] button.primary").evaluate(
        "button => { button.click(); setTimeout(() => button.click(), 100); }")
    page.wait_for_url("**/review/**")
    person.context.unroute("**/water")
    person.check(len(sent) == 1, f"two taps send once ({len(sent)} times)")
    # The same form from two tabs, or sent again by the browser.
    person.open(f"/plants/{plant}/water")
    page.locator("[data-contact=video]").click()
    person.choose("method", "call")
    page.locator("form[data-reached]").evaluate("""form => {
        const body = new URLSearchParams(new FormData(form));
        return Promise.all([1, 2].map(() => fetch(form.action, { method: "POST", body }))).then(() => true);
    }""")
    person.check(garden.watering_count(plant) == 2, "what is sent twice is recorded once")
    yield person


@visit
def back_after_a_watering_records_nothing(garden, browser):
    for scripts in (True, False):
        person, plant = grown(garden, browser, scripts=scripts)
        to_review(person, plant)
        person.page.go_back()
        person.page.go_forward()
        person.page.reload()
        person.page.fill("#memo", "Once")
        person.send()
        person.page.go_back()
        person.page.reload()
        person.page.go_back()
        person.page.reload()
        person.check(garden.watering_count(plant) == 1, "going back records nothing")
        yield person


@visit
def text_survives_the_end_of_the_session(garden, browser):
    for scripts in (True, False):
        person, plant = grown(garden, browser, scripts=scripts)
        to_review(person, plant)
        person.page.fill("#keyword-1", "이사")
        person.page.fill("#memo", "A long story")
        person.context.clear_cookies()
        person.send()
        person.check(person.page.locator("#password").count() == 1, "asks for the sign-in")
        person.sign_in()
        person.check(person.page.input_value("#memo") == "A long story", "the memo is there after the sign-in")
        person.check(person.page.input_value("#keyword-1") == "이사", "the keyword is there after the sign-in")
        person.send()
        shown = garden.cherish("friend", "show", plant)["reviews"]
        person.check("A long story" in str(shown), "the memo is stored after the sign-in")
        person.open(f"/plants/{plant}/review")
        person.page.fill("#memo", "Another one")
        person.context.clear_cookies()
        person.open(f"/plants/{plant}/review")
        person.sign_in()
        if scripts:
            person.check(person.page.input_value("#memo") == "Another one", "the tab keeps the memo over a sign-in")
        person.open("/me/imports")
        person.page.set_input_files(
            "#file", {"name": "contacts.vcf", "mimeType": "text/vcard", "buffer": VCARDS.encode()})
        person.send("main form[enctype]")
        person.page.fill('[name="name-0"]', "Corrected")
        person.context.clear_cookies()
        person.send()
        person.sign_in()
        person.check(person.page.input_value('[name="name-0"]') == "Corrected", "the table comes back with its corrections")
        yield person


@visit
def a_table_that_is_refused_keeps_its_corrections(garden, browser):
    person = Person(garden, browser)
    person.sign_up()
    person.open("/me/imports")
    person.page.set_input_files("#file", {"name": "contacts.vcf", "mimeType": "text/vcard", "buffer": VCARDS.encode()})
    person.send("main form[enctype]")
    person.page.fill('[name="name-0"]', "Corrected")
    for row in person.page.locator("label:has(input[name=rows]:checked)").all()[::-1]:
        row.click()
    person.send()
    person.check(person.focused("#errors"), "nobody was chosen, and the focus is on that")
    person.check(person.page.input_value('[name="name-0"]') == "Corrected", "the refused table has the corrections")
    # Jun's phone is still wrong.
    for row in (0, 2):
        person.page.locator(f"label:has(input[name=rows][value='{row}'])").click()
    person.send()
    person.check("refused=1" in person.path(), "a contact that was chosen and refused is told")
    yield person


@visit
def pages_are_read_offline_until_the_sign_out(garden, browser):
    person, plant = grown(garden, browser)
    page = person.page
    wait_for_worker(page)
    for path in ("/", f"/plants/{plant}", f"/plants/{plant}/calendar", "/me"):
        person.open(path)
    person.context.set_offline(True)
    for path in ("/", f"/plants/{plant}", "/me"):
        person.open(path)
        person.check(page.locator("main time").first.is_visible(), f"{path} is read offline, and says when it was kept")
    person.open("/more")
    title = page.title()
    person.check("No connection" in title, f"other pages say that there is no network, not {title}")
    person.context.set_offline(False)
    person.open("/more")
    person.click('form[action="/sign-out"] button')
    # The browser has cleared everything, the worker among it; the page registers it again.
    wait_for_worker(page)
    person.context.set_offline(True)
    for path in ("/", f"/plants/{plant}", "/me"):
        person.open(path)
        person.check("Hana" not in page.content(), f"{path} is forgotten after the sign-out")
    page.go_back()
    person.check("Hana" not in page.content(), "Back shows nothing after the sign-out")
    person.problems = [problem for problem in person.problems if "ERR_INTERNET_DISCONNECTED" not in problem]
    yield person


@visit
def an_iphone_is_told_how_to_begin(garden, browser):
    person = Person(garden, browser, **IPHONE)
    person.context.add_init_script(SAFARI + ASKED)
    person.sign_up()
    person.open("/more/pushes")
    person.page.locator("[data-install-ios]").wait_for()
    person.check(person.page.locator("[data-push-ask]").is_hidden(), "an iPhone is not asked before the Home Screen")
    yield person


@visit
def nobody_is_asked_without_a_tap_or_after_a_no(garden, browser):
    person = Person(garden, browser)
    person.context.add_init_script(ASKED)
    person.sign_up()
    plant = garden.plant(person.email, "Kim Hana", "+82 10-7000-0001", 7, cycle_days=7)
    for path in ("/", f"/plants/{plant}", f"/plants/{plant}/water", "/me", "/more", "/more/pushes"):
        person.open(path)
    ask = person.page.locator("[data-push-ask]")
    ask.wait_for()
    person.page.locator("[data-push-no]").click()
    person.page.locator("[data-push-denied]").wait_for()
    for _ in range(2):
        person.open("/more/pushes")
        person.page.locator("[data-push-denied]").wait_for()
        person.check(ask.is_hidden(), "who said no is not asked again")
    yield person


@visit
def a_month_of_a_household(garden, browser):
    person = Person(garden, browser)
    person.sign_up()
    household = Household(person)
    household.live()
    token = household.sign_in()
    household.add_by_api(token)
    household.add_by_browser()
    household.compare(token)
    yield person


@visit
def two_neighbours(garden, browser):
    both = Neighbours(garden, browser)
    list_path = both.write()
    both.accept(list_path)
    both.fetch(list_path)
    other = both.write()
    both.accept(other)
    both.part(other)
    yield both.owner
    yield both.helper

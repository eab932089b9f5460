"""A garden on several devices: without a network, and side by side. Each is a visit as in visits.py."""

import re

from playwright.sync_api import Error

from eventually import eventually
from visits import grown, visit, wait_for_worker

# What this browser's database has: the copy, and the queue.
ENTRIES = """prefix => new Promise((resolve, reject) => {
    const request = indexedDB.open("cherish", 1);
    request.onupgradeneeded = () => request.transaction.abort();
    request.onerror = () => resolve([]);
    request.onsuccess = () => {
        const database = request.result;
        const read = database.transaction("entries").objectStore("entries").getAll(IDBKeyRange.bound(prefix, prefix + "\\uffff"));
        read.onsuccess = () => { database.close(); resolve(read.result); };
    };
})"""


# The pages of friends and things, and the garden; not the API.
PAGES = re.compile(r"^http://[^/]+/(plants/|things|[?]|$)")


# How many forms the worker keeps.
FORMS = "async () => (await (await caches.open('forms')).keys()).length"


def entries(person, prefix):
    return evaluated(person, ENTRIES, prefix)


def evaluated(person, script, argument=None):
    while True:
        try:
            return person.page.evaluate(script, argument)
        except Error as error:
            # The page is read anew once something has changed.
            if "navigation" not in str(error):
                raise


def with_copy(garden, browser):
    """Somebody with a friend and a thing, whose browser has a copy of both and can do without a network."""
    person, plant = grown(garden, browser)
    thing = garden.cherish("thing", "add", person.email, "--kind", "reminder", "--title", "Dentist", "--due", "2027-03-05")["id"]
    person.open("/")
    wait_for_worker(person.page)
    eventually(lambda: entries(person, f"thing/{thing}") and entries(person, f"friend/{plant}"), "the copy is there")
    return person, plant, thing


def cut(person):
    person.context.set_offline(True)


def heal(person):
    person.context.set_offline(False)


def go(person, path):
    """Opens a page, although the one before may be reading itself again."""
    for _ in range(4):
        try:
            return person.open(path)
        except Error as error:
            if not any(name in str(error) for name in ("ERR_ABORTED", "interrupted", "Timeout")):
                raise
    raise SystemExit(f"error: {path} did not open")


def forgive_the_network(person):
    person.problems = [
        problem for problem in person.problems
        if not any(name in problem for name in ("ERR_INTERNET_DISCONNECTED", "ERR_FAILED", "Failed to fetch", "ERR_CONNECTION", "status of 401", "status of 409"))]


def is_sent(person):
    """Whether nothing waits any more: no form at the worker, and nothing in the queue."""
    return not evaluated(person, FORMS) and all(deed["state"] == "refused" for deed in entries(person, "queue/"))


@visit
def what_is_done_without_a_network_is_sent_once(garden, browser):
    person, plant, thing = with_copy(garden, browser)
    page = person.page
    cut(person)
    # No page about watering was ever opened.
    person.open(f"/plants/{plant}/water")
    row = page.locator(f'[id="{plant}"]')
    # The friend that the address names is open.
    row.locator("form[data-does=water]").wait_for()
    row.locator("label:has(input[value=call])").click()
    row.locator("[name=keywords]").first.fill("baby")
    row.locator("[name=memo]").fill("A girl")
    row.locator("form[data-does=water] button").click()
    page.locator("#waiting li").wait_for()
    person.check("Hana" in page.locator("#waiting").inner_text(), "it is shown as waiting")
    row.locator("summary").click()
    row.locator("[name=nickname]").fill("Hanna")
    row.locator("form[data-does=edit] button").click()
    page.locator("#waiting li").nth(1).wait_for()
    line = page.locator(f'[id="{thing}"]')
    line.locator("summary").click()
    line.locator("form[data-does=complete] button").click()
    page.locator("#waiting li").nth(2).wait_for()
    person.check(page.locator(f'[id="{thing}"]').count() == 0, "what is done is not offered again")
    # The browser is closed and opened.
    page.close()
    person.page = page = person.new_page()
    person.open("/offline")
    page.locator("#waiting li").nth(2).wait_for()
    person.check("Hanna" in page.locator("#friends").inner_text(), "an edit shows at once")
    person.check(garden.watering_count(plant) == 0, "nothing was sent")
    heal(person)
    eventually(lambda: is_sent(person), "everything is sent")
    friend = garden.cherish("friend", "show", plant)
    person.check((friend["wateringCount"], friend["nickname"]) == (1, "Hanna"), f"once each: {friend}")
    person.check("A girl" in str(friend["reviews"]), "with its review")
    person.check(garden.cherish("thing", "show", thing)["state"] == "done", "the thing is done")
    person.check(not entries(person, "queue/"), "nothing is left in the queue")
    forgive_the_network(person)
    yield person


def fill_watering(person, plant, thing):
    go(person, f"/plants/{plant}/water")
    person.page.locator("[data-contact=video]").click()
    person.choose("method", "call")
    return "form[data-reached] button.primary"


def fill_review(person, plant, thing):
    go(person, f"/plants/{plant}/review")
    person.page.fill("#memo", "A girl")
    return "main form button.primary"


def fill_edit(person, plant, thing):
    go(person, f"/plants/{plant}/edit")
    person.write(nickname="Hanna")
    return "main form button.primary"


def fill_completion(person, plant, thing):
    go(person, f"/things/{thing}")
    return "form[action$='/completion'] button"


@visit
def a_form_whose_network_fails_is_queued_at_every_step(garden, browser):
    forms = {
        fill_watering: lambda plant, thing: garden.watering_count(plant) == 1,
        fill_review: lambda plant, thing: str(garden.cherish("friend", "show", plant)["reviews"]).count("A girl") == 1,
        fill_edit: lambda plant, thing: garden.cherish("friend", "show", plant)["nickname"] == "Hanna",
        fill_completion: lambda plant, thing: garden.cherish("thing", "show", thing)["state"] == "done",
    }
    for step in ("before the request", "after the request", "before the page that follows"):
        person, plant, thing = with_copy(garden, browser)
        page = person.page

        def fail(route, step=step):
            if step == "after the request" and route.request.method == "POST":
                route.fetch(max_redirects=0)
            if step != "before the page that follows" or route.request.method == "GET":
                route.abort("internetdisconnected")
            else:
                route.continue_()
        for fill, is_so in forms.items():
            button = fill(person, plant, thing)
            # Neither the page nor the one that follows is answered; what goes to the API is.
            person.context.route(PAGES, fail)
            page.locator(button).first.click()
            page.locator("body.page-offline, html[data-offline-since]").first.wait_for()
            person.context.unroute_all()
            go(person, "/")
            eventually(lambda: is_sent(person), f"everything is sent, cut {step}")
            person.check(is_so(plant, thing), f"{fill.__name__} counts once, cut {step}")
        person.check(not entries(person, "queue/"), f"nothing was refused, cut {step}")
        forgive_the_network(person)
        yield person


@visit
def what_is_refused_is_shown_and_kept(garden, browser):
    person, plant, thing = with_copy(garden, browser)
    page = person.page
    cut(person)
    person.open("/things")
    line = page.locator(f'[id="{thing}"]')
    line.locator("summary").click()
    line.locator("form[data-does=complete] button").click()
    page.locator("#waiting li").wait_for()
    # Somebody does it on another device meanwhile.
    garden.cherish("thing", "complete", thing)
    heal(person)
    eventually(lambda: is_sent(person), "it is answered")
    go(person, "/")
    page.locator("[data-count-of=refused]").click()
    page.locator("#refused li").wait_for()
    text = page.locator("#refused").inner_text()
    person.check("Dentist" in text and "done" in text.lower(), f"the refusal has a reason: {text}")
    page.reload()
    page.locator("#refused li button").click()
    page.locator("#refused li").wait_for(state="detached")
    person.check(not entries(person, "queue/"), "what was put away is gone")
    forgive_the_network(person)
    yield person


@visit
def two_browsers_side_by_side(garden, browser):
    one, plant = grown(garden, browser)
    one.open("/")
    other = type(one)(garden, browser)
    other.email = one.email
    other.open("/sign-in")
    other.sign_in()
    other.open(f"/plants/{plant}")
    for person in (one, other):
        eventually(lambda: entries(person, "cursor"), "each has a copy")
    other.page.wait_for_timeout(5_500)
    one.open(f"/plants/{plant}/edit")
    one.write(nickname="Hanna")
    one.send()
    other.page.get_by_role("heading", name="Hanna").wait_for(timeout=5_000)
    # A memo that is being written is not lost to what happens elsewhere.
    other.open(f"/plants/{plant}/edit")
    other.page.fill("#nickname", "H")
    one.open(f"/plants/{plant}/edit")
    one.write(nickname="Hani")
    one.send()
    other.page.wait_for_timeout(1_000)
    other.check(other.page.input_value("#nickname") == "H", "what is being written stays")
    yield one
    yield other


@visit
def nothing_of_a_copy_stays_after_the_sign_out(garden, browser):
    person, plant, _ = with_copy(garden, browser)
    page = person.page
    cut(person)
    person.open(f"/plants/{plant}/water")
    row = page.locator(f'[id="{plant}"]')
    row.locator("label:has(input[value=call])").click()
    row.locator("form[data-does=water] button").click()
    page.locator("#waiting li").wait_for()
    # The session ends elsewhere: the copy goes, what waits stays for whoever signs in again.
    person.context.clear_cookies()
    heal(person)
    go(person, "/sign-in")
    eventually(lambda: not entries(person, "friend/"), "the copy is gone")
    person.check(len(entries(person, "queue/")) == 1, "what waits stays")
    person.sign_in()
    eventually(lambda: garden.watering_count(plant) == 1, "it is sent after the sign-in")
    go(person, "/more")
    person.click('form[action="/sign-out"] button')
    eventually(lambda: not entries(person, ""), "nothing stays after the sign-out")
    forgive_the_network(person)
    yield person

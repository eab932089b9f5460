#!/usr/bin/env python3
"""Lets Firefox and Chromium subscribe to pushes on the web garden's own page, receive what our worker sends, show it, and follow a
click.

    pushes.py PROGRAMS ADDRESS HOME [firefox] [chromium]      both browsers if none is named

ADDRESS is the web garden's, and HOME the folder with mail.jsonl. Ends with 1 if something is not as it should be."""

import sys
import tempfile
import time
from contextlib import ExitStack, closing

from browsers import Chromium, Firefox
from chromium_push_service import ChromiumPushService
from eventually import eventually
from firefox_push_service import ACK_DECRYPTED, FirefoxPushService
from garden import Garden
from notifications import Desktop

BROWSERS = {"firefox": (Firefox, FirefoxPushService), "chromium": (Chromium, ChromiumPushService)}
# The buttons of a notification that a plant wants water.
LATER, DONE = "Tomorrow", "We talked"


def check(is_so, sentence):
    if not is_so:
        raise SystemExit(f"error: not so: {sentence}")
    print(f"  {sentence}")


def sign_up(garden, browser):
    """Signs up as anybody does, and returns the e-mail."""
    email = garden.new_email()
    browser.open(f"{garden.address}/sign-up")
    browser.write("#email", email)
    browser.click("main button.primary")
    eventually(lambda: browser.shows("#code"), "the sign-up asks for the code")
    for field, text in [("#code", garden.code(email)), ("#password", "lilac-7-umbrella"), ("#nickname", "Minji")]:
        browser.write(field, text)
    browser.click("main button.primary")
    eventually(lambda: browser.shows("a[href='/more/pushes']"), "the garden welcomes")
    return email


def check_browser(garden, browser, service, desktop):
    """Follows pushes from the tap that asks for them to the sign-out that ends them."""
    endpoints, number = service.endpoints, 0
    email = sign_up(garden, browser)

    def plant_due(name):
        """Plants a friend who is due today."""
        nonlocal number
        number += 1
        # At a time of its own, because plants that are due at the same time share a push. The scheduler may have come
        # further than that, for other accounts; then both are planned for one minute.
        friend = garden.plant(
            email, name, f"+8210{20_000_000 + number}", 1, cycle_days=1, alarm=f"00:0{number}")
        return friend, number

    def shown(number):
        answer = endpoints.wait_for_answer(number)
        check(answer.status == 201, f"the push service takes push {number} of our worker")
        if isinstance(browser, Firefox):
            check(service.acknowledgement(answer.text) == ACK_DECRYPTED, "Firefox acknowledges it with 100: decrypted")
        return desktop.wait_for(number)

    browser.open(f"{garden.address}/more/pushes")
    eventually(lambda: browser.shows("[data-push-ask]"), "the page offers pushes")
    if isinstance(browser, Firefox):
        check(not browser.is_asking(), "nothing is asked before a tap")
        browser.click_and_answer("[data-push-ask] button.primary", allow=False)
        eventually(lambda: browser.shows("[data-push-denied]"), "the page says that there are no pushes")
        browser.open(f"{garden.address}/more/pushes")
        eventually(lambda: browser.shows("[data-push-denied]"), "the page says so again")
        check(not browser.shows("[data-push-ask]") and not browser.is_asking(), "who declined is not asked again")
        browser.forget_permissions()
        browser.open(f"{garden.address}/more/pushes")
        eventually(lambda: browser.shows("[data-push-ask]"), "the page offers pushes")
    browser.click_and_answer("[data-push-ask] button.primary", allow=True)
    eventually(lambda: browser.shows("[data-push-on]"), "the page says that pushes come")
    print("  subscribes after a tap")

    friend, push = plant_due("Hana")
    notification = shown(push)
    # Chromium writes the page's origin above the body.
    check("Hana" in notification.title and len(notification.body) > 10, f"shows {notification.title!r}, {notification.body!r}")
    desktop.click(notification)
    page = f"{garden.address}/plants/{friend}/water"
    eventually(lambda: page in browser.addresses(), "a click opens the page")
    print("  a click opens the page on which the plant is watered")
    # So that no later push is about this friend too.
    garden.cherish("water", friend, "--by", "call", "--no-review")

    friend, push = plant_due("Jun")
    notification = shown(push)
    later = browser.actions(friend)["later"]
    desktop.click(notification, LATER)
    eventually(lambda: garden.cherish("friend", "show", friend)["postponementCount"] == 1, f"{LATER} postpones")
    plant = garden.cherish("friend", "show", friend)
    check(plant["daysLeft"] == 1, f"the button {LATER} puts the plant off by one day")
    status = browser.post(later["url"], {"token": later["token"]})
    check(400 <= status < 500, f"the same token a second time is refused with {status}")
    check(garden.cherish("friend", "show", friend)["daysLeft"] == 1, "the plant is not put off again")

    browser.open(f"{garden.address}/more")
    browser.click("form[action='/sign-out'] button")
    eventually(lambda: browser.shows(".story"), "the welcome page shows after the sign-out")
    friend, _ = plant_due("Ruth")
    outcomes = eventually(lambda: [
        push["outcome"] for push in garden.cherish("push", "list", email)["pushes"]
        if push["plantId"] == friend and push["outcome"]], "the worker decides about a push after the sign-out")
    check(outcomes == ["suppressed"], "no push comes after the sign-out")
    check(len(desktop.shown) == 2 and browser.not_decrypted() == 0, "nothing but the two pushes was shown")


def main():
    names = sys.argv[4:] or list(BROWSERS)
    if len(sys.argv) < 4 or not set(names) <= set(BROWSERS):
        print(__doc__.strip())
        raise SystemExit(0 if sys.argv[1:2] in (["--help"], ["-h"]) else 64)
    garden = Garden(*sys.argv[1:4])
    for name in names:
        print(name.capitalize())
        began = time.monotonic()
        new_browser, new_service = BROWSERS[name]
        with ExitStack() as stack:
            # A browser may still write while it ends.
            profile = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
            service = stack.enter_context(closing(new_service()))
            desktop = stack.enter_context(closing(Desktop()))
            browser = stack.enter_context(closing(new_browser(profile, service, desktop, garden.zone)))
            try:
                check_browser(garden, browser, service, desktop)
            except SystemExit:
                print(f"    until then: {service.endpoints.answers}, {desktop.shown}, {browser.addresses()}")
                raise
        print(f"  all in {time.monotonic() - began:.1f} s")


main()

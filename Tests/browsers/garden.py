"""The web garden that scripts/serve_garden serves on this machine, and people who visit it with Chromium.

Needs Debian's chromium, and playwright from PyPI."""

import json
import os
import re
import subprocess
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone

from playwright.sync_api import sync_playwright

from eventually import eventually

LOCALES = {"en": "en-GB", "ko": "ko-KR"}
# What people visit with. Its sandbox refuses root.
CHROMIUM = {"executable_path": "/usr/bin/chromium", "chromium_sandbox": os.geteuid() != 0}
# Real zones, because the page of sign-ups offers no others. In one of them it is about noon: no day ends during a check.
ZONES = {
    -10: "Pacific/Honolulu", -9: "Pacific/Gambier", -8: "Pacific/Pitcairn", -7: "America/Phoenix",
    -6: "America/Costa_Rica", -5: "America/Lima", -4: "America/La_Paz", -3: "America/Montevideo",
    -2: "America/Noronha", -1: "Atlantic/Cape_Verde", 0: "Africa/Abidjan", 1: "Africa/Lagos", 2: "Africa/Maputo",
    3: "Africa/Nairobi", 4: "Asia/Dubai", 5: "Asia/Karachi", 6: "Asia/Dhaka", 7: "Asia/Bangkok", 8: "Asia/Manila",
    9: "Asia/Seoul", 10: "Australia/Brisbane", 11: "Pacific/Guadalcanal", 12: "Pacific/Tarawa",
}


class Garden:
    """The service. Its settings are in the environment of the check."""

    def __init__(self, programs, address, home):
        self.programs, self.address, self.home = programs, address, home
        hour = datetime.now(timezone.utc).hour
        # Between 9:00 and 15:00 there.
        self.zone = ZONES[max(-10, min(12, 12 - hour))]
        self.people = 0

    def cherish(self, *arguments):
        """Runs a command, and returns the JSON that it prints."""
        done = subprocess.run(
            [f"{self.programs}/cherish", *arguments, "--output", "json"], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"error: cherish {' '.join(arguments)} ended with {done.returncode}: {done.stderr}")
        return json.loads(done.stdout)

    def plant(self, account, name, phone, days_ago=0, **options):
        """Plants a friend, some days ago, and returns the id."""
        given = [text for option, value in options.items() for text in (f"--{option.replace('_', '-')}", str(value))]
        friend = self.cherish(
            "friend", "add", account, "--name", name, "--phone", phone, *given, "--now", moment(days_ago))
        return friend["id"]

    def plants(self, account):
        return self.cherish("friend", "list", account)

    def watering_count(self, friend):
        return self.cherish("friend", "show", friend)["wateringCount"]

    def messages(self, file, address):
        """Returns the mails or text messages to an address, oldest first."""
        try:
            with open(f"{self.home}/{file}.jsonl", encoding="utf-8") as lines:
                return [line for line in lines if f'"{address}"' in line]
        except FileNotFoundError:
            return []

    def code(self, address, file="mail", number=1):
        """Waits for so many messages to an address, and returns the code in the last one."""
        found = eventually(lambda: self.messages(file, address)[number - 1 : number], f"a code for {address} comes")
        return re.search(r"(?<!\d)\d{6}(?!\d)", found[0])[0]

    def new_email(self):
        self.people += 1
        return f"person-{os.getpid()}-{self.people}@example.com"


def moment(days_ago):
    return (datetime.now(timezone.utc) - timedelta(days=days_ago)).strftime("%FT%TZ")


class Person:
    """Somebody with a browser of their own."""

    def __init__(self, garden, browser, language="en", scripts=True, width=390, theme="light", **options):
        self.garden, self.language, self.scripts = garden, language, scripts
        self.variant = f"{language}, {'scripts' if scripts else 'no scripts'}"
        self.email, self.password = garden.new_email(), "lilac-7-umbrella"
        self.came_to = garden.address
        # What was not as it should be since somebody last looked.
        self.problems = []
        settings = {
            "base_url": garden.address, "locale": LOCALES[language], "timezone_id": garden.zone,
            "viewport": {"width": width, "height": 844}, "color_scheme": theme, "reduced_motion": "reduce",
        }
        self.browser, self.settings = browser, settings | options
        self.open_browser()

    def open_browser(self, **state):
        """Opens a browser, with what another one has kept."""
        self.context = self.browser.new_context(**self.settings, **state)
        self.context.set_default_timeout(15_000)
        self.context.on("console", self.hear)
        self.context.on("weberror", lambda error: self.problems.append(f"script: {error.error}"))
        self.page = self.new_page()

    def check(self, is_so, sentence):
        if not is_so:
            self.problems.append(f"not so: {sentence} ({self.path()})")

    def hear(self, message):
        # A page may be refused, if that is what the check wants.
        is_refusal = "status of 4" in message.text and message.location["url"] == message.page.url
        # Pages learn by it that the session has ended.
        is_end = "status of 401" in message.text and "/v1/" in message.location["url"]
        if message.type in ("error", "warning") and not is_refusal and not is_end:
            self.problems.append(f"console: {message.text} ({message.page.url})")

    def new_page(self):
        page = self.context.new_page()
        if not self.scripts:
            # Not by Playwright's own setting, with which nothing could look at the page either.
            self.tools = self.context.new_cdp_session(page)
            self.tools.send("Emulation.setScriptExecutionDisabled", {"value": True})
        return page

    @contextmanager
    def looking(self):
        """Lets the scripts of a check run, although those of the page did not."""
        if not self.scripts:
            self.tools.send("Emulation.setScriptExecutionDisabled", {"value": False})
        yield
        if not self.scripts:
            self.tools.send("Emulation.setScriptExecutionDisabled", {"value": True})

    def open(self, path):
        answer = self.page.goto(path)
        self.came_to = self.page.url
        return answer

    def click(self, selector):
        """Clicks what leads to a page, and waits for that."""
        with self.page.expect_navigation() as navigation:
            self.page.locator(selector).first.click()
        self.came_to = navigation.value.url

    def send(self, form="main form[method=post]"):
        """Sends a form by its main button."""
        self.click(f"{form} button.primary")

    def write(self, **fields):
        """Fills in fields by their ids, with - for _."""
        for name, value in fields.items():
            field = self.page.locator(f"#{name.replace('_', '-')}")
            if field.evaluate("field => field.localName") == "select":
                field.select_option(value)
            else:
                field.fill(value)

    def choose(self, name, value):
        """Ticks a box or chooses a tile, by what a person sees of it."""
        self.page.locator(f"label:has(input[name='{name}'][value='{value}'])").click()

    def sign_up(self, nickname="Minji"):
        self.open("/sign-up")
        self.write(email=self.email)
        self.send()
        zone = {} if self.scripts else {"timeZone": self.garden.zone}
        self.write(code=self.garden.code(self.email), password=self.password, nickname=nickname, **zone)
        self.send()

    def sign_in(self):
        self.write(email=self.email, password=self.password)
        self.send()

    def path(self):
        """Returns where somebody came to; a script may have shortened the address since."""
        return self.came_to.removeprefix(self.garden.address)

    def focused(self, selector):
        return self.page.evaluate("selector => document.activeElement.matches(selector)", selector)

    def close(self):
        self.context.close()


@contextmanager
def chromium(*options):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**CHROMIUM, args=list(options))
        yield browser
        browser.close()

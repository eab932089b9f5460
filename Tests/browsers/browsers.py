"""Debian's Firefox and Chromium, without a screen, with the same few commands.

Each has a folder for its profile, uses a push service, and shows its notifications on a desktop.

Needs Debian's firefox-esr and chromium; marionette_driver and playwright from PyPI."""

import atexit
import json
import os
import subprocess

from marionette_driver import By
from marionette_driver.marionette import Marionette
from playwright.sync_api import sync_playwright

from eventually import eventually
from firefox_push_service import ACK_NOT_DECRYPTED


class Browser:
    """What both have in common."""

    def actions(self, friend):
        """Returns what the buttons of the notification about a friend do: an address and a token by name."""

        def found():
            # As text, because Marionette may not look into what belongs to the page.
            told = self.evaluate("""navigator.serviceWorker.ready.then(worker => worker.getNotifications())
                .then(all => JSON.stringify(all.map(({ data }) => data)))""")
            return next((data["actions"] for data in json.loads(told) if data["plantId"] == friend), None)

        # A browser lists a notification a moment after the desktop has shown it.
        return eventually(found, "the page finds the notification")

    def post(self, address, body):
        """Returns the status with which the garden answers a page."""
        return self.evaluate("""fetch("%s", {
            method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(%s)
        }).then(answer => answer.status)""" % (address, json.dumps(body)))


class Firefox(Browser):
    def __init__(self, profile, service, desktop, zone):
        self.service = service
        # Any free port, which Firefox writes into its profile.
        preferences = service.preferences() | {"marionette.port": 0}
        with open(f"{profile}/user.js", "w", encoding="utf-8") as file:
            for name, value in preferences.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        # Without system access, a client could change neither preferences nor click what is not of the page.
        self.program = subprocess.Popen(
            ["firefox-esr", "--headless", "--marionette", "--remote-allow-system-access", "--profile", profile],
            env=os.environ | desktop.environment | {"HOME": profile, "TZ": zone},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # None outlives a check that failed.
        atexit.register(self.program.kill)
        port = eventually(lambda: content(f"{profile}/MarionetteActivePort"), "Firefox starts")
        self.client = Marionette(host="127.0.0.1", port=int(port))
        self.client.start_session()
        # Marionette turns it off at its start.
        self.client.set_pref("dom.push.connection.enabled", True)

    def open(self, address):
        self.client.navigate(address)

    def click(self, selector):
        self.client.find_element(By.CSS_SELECTOR, selector).click()

    def write(self, selector, text):
        self.client.find_element(By.CSS_SELECTOR, selector).send_keys(text)

    def shows(self, selector):
        """Tells whether the page has such an element, and shows it."""
        return any(found.is_displayed() for found in self.client.find_elements(By.CSS_SELECTOR, selector))

    def is_asking(self):
        with self.client.using_context("chrome"):
            return self.client.execute_script("return PopupNotifications.isPanelOpen")

    def click_and_answer(self, selector, allow):
        """Clicks what asks for notifications, and then Allow or Block."""
        self.click(selector)
        eventually(self.is_asking, "Firefox asks")
        button = "button" if allow else "secondaryButton"
        with self.client.using_context("chrome"):
            self.client.execute_script(f"PopupNotifications.panel.firstElementChild.{button}.click()")

    def forget_permissions(self):
        with self.client.using_context("chrome"):
            self.client.execute_script("Services.perms.removeAll()")

    def evaluate(self, promise):
        """Returns what a promise of the page becomes."""
        return self.client.execute_async_script(
            f"const [done] = arguments; ({promise}).then(done, error => done(`failed: ${{error}}`));")

    def addresses(self):
        """Returns the address of each tab."""
        found = []
        for tab in self.client.window_handles:
            self.client.switch_to_window(tab)
            found.append(self.client.get_url())
        return found

    def not_decrypted(self):
        """Returns how many pushes Firefox says it could not decrypt."""
        return list(self.service.acknowledged.values()).count(ACK_NOT_DECRYPTED)

    def close(self):
        self.program.terminate()
        self.program.wait()


class Chromium(Browser):
    def __init__(self, profile, service, desktop, zone, **options):
        self.playwright = sync_playwright().start()
        self.context = self.playwright.chromium.launch_persistent_context(
            profile, executable_path="/usr/bin/chromium", args=service.options(),
            # Its sandbox refuses root.
            chromium_sandbox=os.geteuid() != 0, env=os.environ | desktop.environment | {"HOME": profile},
            timezone_id=zone, locale="en-GB", **options)
        # The browser names an endpoint at Google, which is here at another origin.
        self.context.route("**/v1/devices", lambda route: route.continue_(post_data=rewritten(route, service)))
        # Records pushes for as long as it is open.
        self.internals = self.context.new_page()
        self.internals.goto("chrome://gcm-internals")
        self.page = self.context.new_page()

    def open(self, address):
        self.page.goto(address)

    def click(self, selector):
        self.page.click(selector)

    def write(self, selector, text):
        self.page.fill(selector, text)

    def shows(self, selector):
        return self.page.locator(selector).first.is_visible()

    def click_and_answer(self, selector, allow):
        """Clicks what asks for notifications. They are allowed beforehand, because nothing asks without a screen."""
        if allow:
            self.context.grant_permissions(["notifications"])
        self.click(selector)

    def evaluate(self, promise):
        return self.page.evaluate(promise)

    def addresses(self):
        """Returns the address of each tab."""
        # Playwright learns of new tabs only while it does something.
        self.page.wait_for_timeout(1)
        return [page.url for page in self.context.pages]

    def not_decrypted(self):
        """Returns how many pushes Chromium says it could not decrypt."""
        return self.internals.locator("#decryption-failure-info tr").count()

    def close(self):
        self.context.close()
        self.playwright.stop()


def rewritten(route, service):
    device = route.request.post_data_json
    return device | {"token": service.reachable(device["token"])}


def content(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None

#!/usr/bin/env python3
"""Takes the pictures of the web garden that the documentation shows.

    pictures.py FOLDER PROGRAMS ADDRESS HOME

`way-…` is a new user's way from the welcome page to a real push and its click; the others show a garden with a past."""

import io
import sys
import tempfile
from contextlib import ExitStack, closing
from pathlib import Path

from PIL import Image

from browsers import Chromium
from chromium_push_service import ChromiumPushService
from eventually import eventually
from garden import Garden, Person, chromium, moment
from household import Household
from neighbours import Neighbours
from notifications import Desktop
from way import VCARDS

MOST_BYTES = 120 * 1024
PHONE = {"width": 390, "height": 844}

# Name, nickname, phone, days since the registration, cycle, on which days before today it was watered.
FRIENDS = {
    "en": [
        ("Kim Hana", "Hana", "+82 10-7000-0001", 63, 7, [56, 49, 42, 35, 28, 21, 14, 7]),
        ("Sarah Park", "Mum", "+82 10-7000-0002", 40, 3, [37, 34, 31, 28, 25, 22, 19, 16, 13, 10, 7, 4, 1]),
        ("Ruth Miller", "Grandma Ruth", "+44 7700 900123", 80, 14, [66, 52, 38, 24, 10]),
        ("Lee Jun", "Jun", "+82 10-7000-0004", 60, 21, [39, 23]),
        ("Ada Okafor", "Ada", "+44 7700 900456", 30, 30, [2]),
        ("Tom Becker", "Tom", "+49 1512 3456789", 70, 45, [40]),
    ],
    "ko": [
        ("김하나", "하나", "+82 10-7000-0001", 63, 7, [56, 49, 42, 35, 28, 21, 14, 7]),
        ("박수진", "엄마", "+82 10-7000-0002", 40, 3, [37, 34, 31, 28, 25, 22, 19, 16, 13, 10, 7, 4, 1]),
        ("이영자", "할머니", "+82 10-7000-0003", 80, 14, [66, 52, 38, 24, 10]),
        ("이준", "준이", "+82 10-7000-0004", 60, 21, [39, 23]),
        ("최민호", "민호 선배", "+82 10-7000-0005", 30, 30, [2]),
    ],
}
REVIEWS = {
    "en": [
        (["baby", "move"], "The little one walks!"), (["exam"], "Tell her that the exam went well."), (["jeju"], None),
    ],
    "ko": [(["아기", "이사"], "막내가 걷기 시작했대요!"), (["시험"], "시험 잘 봤는지 물어보기"), (["제주"], None)],
}


def save(folder, name, png):
    """Writes a picture with as few colours as look the same."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    small = picture.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    file = folder / f"{name}.png"
    small.save(file, optimize=True)
    if file.stat().st_size > MOST_BYTES:
        raise SystemExit(f"error: {file} has {file.stat().st_size} bytes")


def with_past(garden, person):
    """Plants friends who were watered at times, and returns the id of the one that is due today."""
    language, first = person.language, None
    for name, nickname, phone, days, cycle, watered in FRIENDS[language]:
        plant = garden.plant(
            person.email, name, phone, days, cycle_days=cycle, nickname=nickname, birthday="05-21", alarm="23:59")
        first = first or plant
        for number, ago in enumerate(watered):
            keywords, memo = REVIEWS[language][number % 3]
            review = [text for keyword in keywords for text in ("--keyword", keyword)] + (["--memo", memo] if memo else [])
            garden.cherish(
                "water", plant, "--by", ["call", "message", "in_person"][number % 3], *review, "--now", moment(ago))
    return first


def take_garden(folder, garden):
    with chromium() as browser:
        for language, nickname in (("en", "Minji"), ("ko", "민지")):
            person = Person(garden, browser, language, device_scale_factor=2)
            person.sign_up(nickname)
            plant, page = with_past(garden, person), person.page

            def take(name, path, **options):
                person.open(path)
                save(folder, name, page.screenshot(**options))

            if language == "ko":
                take("garden-korean", f"/?plant={plant}")
                continue
            take("garden", f"/?plant={plant}")
            page.emulate_media(color_scheme="dark")
            take("garden-dark", f"/?plant={plant}")
            page.emulate_media(color_scheme="light")
            take("water", f"/plants/{plant}/water")
            take("plant", f"/plants/{plant}")
            take("calendar", f"/plants/{plant}/calendar")
            person.open("/me/imports")
            page.set_input_files(
                "#file", {"name": "contacts.vcf", "mimeType": "text/vcard", "buffer": VCARDS.encode()})
            person.send("main form[enctype]")
            save(folder, "import", page.screenshot())
            page.set_viewport_size({"width": 1280, "height": 800})
            take("garden-wide", f"/?plant={plant}")
            page.set_viewport_size(PHONE)
            person.open(f"/plants/{plant}/water")
            page.locator("[data-contact=video]").click()
            person.choose("method", "in_person")
            person.send("form[data-reached]")
            person.page.fill("#keyword-1", "baby")
            person.page.fill("#keyword-2", "move")
            person.page.fill("#memo", "The little one walks!")
            save(folder, "review", page.screenshot())


def take_household(folder, garden):
    with chromium() as browser:
        person = Person(garden, browser, device_scale_factor=2)
        person.sign_up()
        household = Household(person)
        household.live()
        household.add_by_browser()
        for name, path in (("things", "/things"), ("calendar-month", "/calendar")):
            person.open(path)
            save(folder, name, person.page.screenshot())


def take_neighbours(folder, garden):
    with chromium() as browser:
        both = Neighbours(garden, browser, device_scale_factor=2)
        for number, nickname in enumerate(("Doyun", "Grandma Ruth", "Jun", "Sua")):
            email = garden.new_email()
            garden.cherish("account", "add", "--email", email, "--nickname", nickname, "--time-zone", garden.zone)
            garden.cherish("account", "edit", email, "--postcode", ("04524", "04525")[number % 2], "--country", "KR")
            entries = [text for name in ("milk", "eggs", "bread")[: number + 1] for text in ("--entry", name)]
            garden.cherish("list", "open", garden.cherish("list", "add", email, "--title", "Groceries", *entries)["id"])
        list_path = both.write()
        both.helper.open("/lists/nearby")
        save(folder, "lists-nearby", both.helper.page.screenshot())
        both.accept(list_path)
        save(folder, "list", both.helper.page.screenshot())


def take_way(folder, garden):
    with ExitStack() as stack:
        profile = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        service = stack.enter_context(closing(ChromiumPushService()))
        desktop = stack.enter_context(closing(Desktop()))
        browser = stack.enter_context(closing(Chromium(
            profile, service, desktop, garden.zone, viewport=PHONE, device_scale_factor=2, reduced_motion="reduce")))
        step, page, email = 0, browser.page, "minji@example.com"

        def take(name, page=page):
            nonlocal step
            step += 1
            save(folder, f"way-{step:02}-{name}", page.screenshot())

        def send():
            with page.expect_navigation():
                page.locator("main form[method=post] button.primary").first.click()

        page.goto(garden.address)
        take("welcome")
        page.click("a[href='/sign-up']")
        page.fill("#email", email)
        take("sign-up")
        send()
        page.fill("#code", garden.code(email))
        page.fill("#password", "lilac-7-umbrella")
        page.fill("#nickname", "Minji")
        take("code")
        send()
        take("empty")
        page.click("main a[href='/me/imports']")
        page.set_input_files("#file", {"name": "contacts.vcf", "mimeType": "text/vcard", "buffer": VCARDS.encode()})
        send()
        page.fill('[name="phone-2"]', "+82 10-9999-8888")
        page.locator("label:has(input[name=rows][value='2'])").click()
        take("import")
        send()
        page.goto(f"{garden.address}/")
        take("garden")
        page.goto(f"{garden.address}/more/pushes")
        page.locator("[data-push-ask]").wait_for()
        take("pushes")
        browser.click_and_answer("[data-push-ask] button.primary", allow=True)
        page.locator("[data-push-on]").wait_for()
        take("pushes-on")
        # A friend who was planted a week ago is due today.
        plant = garden.plant(email, "Kim Hana", "+82 10-7000-0001", 7, cycle_days=7, nickname="Hana", alarm="00:01")
        notification = desktop.wait_for(1)
        # Nothing here draws it: this shows what the desktop was told to show.
        page.goto("about:blank")
        page.set_content(NOTIFICATION.format(
            title=notification.title, body=notification.body.rpartition("\n")[2], buttons="".join(
                f"<b>{words}</b>" for words, name in notification.buttons.items() if name not in ("default", "settings"))))
        take("push")
        desktop.click(notification)
        water = f"{garden.address}/plants/{plant}/water"
        eventually(lambda: water in browser.addresses(), "a click opens the page")
        opened = next(opened for opened in browser.context.pages if opened.url == water)
        opened.set_viewport_size(PHONE)
        opened.locator("[data-contact=video]").wait_for()
        take("click", opened)
        opened.locator("[data-contact=video]").click()
        opened.locator("label:has(input[value=in_person])").click()
        with opened.expect_navigation():
            opened.locator("form[data-reached] button.primary").click()
        opened.fill("#keyword-1", "baby")
        opened.fill("#memo", "The little one walks!")
        take("review", opened)
        with opened.expect_navigation():
            opened.locator("main form[method=post] button.primary").click()
        take("watered", opened)


NOTIFICATION = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A notification</title><style>
body {{ margin: 0; background: #6f8a7c; font: 16px/1.45 sans-serif; }}
div {{ margin: 24px 16px; padding: 16px; border-radius: 18px; background: #fffffff0; }}
p {{ margin: 4px 0 12px; }} b {{ margin-right: 24px; color: #2d6f4a; }} small {{ color: #555; }}
</style><div><small>Cherish</small><h1 style="font-size: 17px; margin: 6px 0 0">{title}</h1><p>{body}</p>{buttons}</div></html>"""


def main():
    if len(sys.argv) != 5:
        print(__doc__.strip())
        raise SystemExit(0 if sys.argv[1:2] in (["--help"], ["-h"]) else 64)
    folder, garden = Path(sys.argv[1]), Garden(*sys.argv[2:])
    folder.mkdir(parents=True, exist_ok=True)
    take_garden(folder, garden)
    take_household(folder, garden)
    take_neighbours(folder, garden)
    take_way(folder, garden)


main()

"""A person's way through the web garden, from the welcome page to the sign-in on another day, with a look at every page."""

from datetime import date, timedelta
from urllib.request import urlopen

import vobject

from garden import moment
from neighbours import import_postcodes

CARDS = [("김하나", "+82 10-1234-5678"), ("엄마", "+82 10 2222 3333"), ("Jun", "12"), ("Grandma Ruth", "+44 7700 900123")]
VCARDS = "".join(f"BEGIN:VCARD\r\nVERSION:4.0\r\nFN:{name}\r\nTEL:{phone}\r\nEND:VCARD\r\n" for name, phone in CARDS)


def check_refusal(person, field):
    """A refused form says at its top what is wrong, with the focus there, and leads to the field."""
    page, check = person.page, person.check
    check(person.focused("#errors"), f"{person.path()} has the focus on what is wrong")
    check(page.locator(f"#errors a[href='#{field}']").count() == 1, f"the error leads to #{field}")
    check(page.locator(f"#{field}").get_attribute("aria-invalid") == "true", f"#{field} is marked as wrong")


def walk(person, judge):
    """Goes everywhere once."""
    page, garden, check = person.page, person.garden, person.check

    def look(name):
        judge.look(person, name)

    person.open("/")
    look("welcome")
    page.context.clear_cookies()
    person.click('a[href="/sign-up"]')
    look("sign-up")
    person.write(email=person.email)
    person.send()
    zone = {} if person.scripts else {"timeZone": garden.zone}
    code = garden.code(person.email)
    person.write(code=f"{(int(code) + 1) % 1_000_000:06}", password=person.password, nickname="Minji", **zone)
    person.send()
    check_refusal(person, "code")
    check(page.input_value("#nickname") == "Minji", "a refused sign-up keeps the nickname")
    look("sign-up, refused")
    check(page.input_value("#timeZone") == garden.zone, "the time zone is guessed, or kept")
    person.write(code=code, password=person.password)
    person.send()
    check(person.path() == "/?done=welcome", "a right code signs up")
    look("garden, empty")

    import_contacts(person, look)
    grow(person, look)
    things(person, look)
    lists(person, look)
    settings(person, judge, look)

    person.open("/more")
    person.click('form[action="/sign-out"] button')
    check(person.path() == "/?done=signed-out", "signs out")
    look("signed out")
    person.open("/more")
    check(person.path() == "/sign-in?next=/more", "pages ask for the sign-in")
    look("sign-in")
    person.write(email=person.email, password="wrong-1-word")
    person.send()
    check_refusal(person, "password")
    look("sign-in, refused")
    person.sign_in()
    check(person.path() == "/more", "the sign-in leads where one wanted to go")


def import_contacts(person, look):
    page, check = person.page, person.check
    person.click('a[href="/me/imports"]')
    look("import")
    page.set_input_files("#file", {"name": "contacts.vcf", "mimeType": "text/vcard", "buffer": VCARDS.encode()})
    person.send("main form[enctype]")
    check(page.locator("[name=rows]:checked").count() == 3, "three of four contacts can be planted")
    look("import, table")
    page.fill('[name="phone-2"]', "+82 10-9999-8888")
    page.fill('[name="cycle-2"]', "3")
    page.locator("label:has(input[name=rows][value='2'])").click()
    person.send()
    check("count=4" in person.path(), "the corrected contact is planted, too")
    look("imported")


def grow(person, look):
    page, garden, check = person.page, person.garden, person.check
    due = garden.plant(person.email, "Kim Hana", "+82 10-7000-0001", 8, cycle_days=7, nickname="Hana", alarm="23:59")
    garden.plant(person.email, "Lee Jun", "+82 10-7000-0002", 10, cycle_days=7)
    # Watered yesterday, so that it has stories to tell; due today.
    garden.cherish("water", due, "--by", "call", "--on", day(garden, due, -7), "--no-review", "--now", moment(7))
    person.open("/")
    look("garden")
    person.open(f"/?plant={due}")
    look("garden, D-day")
    if person.scripts:
        page.locator("[data-opens]").click()
        check(page.locator("#later-sheet").is_visible(), "the sheet opens")
        look("garden, later")
        page.keyboard.press("Escape")
        check(person.focused("[data-opens]"), "the focus is where it was before the sheet")
    person.open(f"/plants/{due}/later")
    look("later")
    person.open(f"/?plant={due}")
    person.click(f'a[href="/plants/{due}/water"]')
    look("water")
    if person.scripts:
        check(page.locator("form[data-reached]").is_hidden(), "nothing is asked before a contact")
        page.locator("[data-contact=video]").click()
        look("water, asked")
    person.choose("method", "in_person")
    person.send("form[data-reached]")
    look("review")
    for number, keyword in enumerate(["baby", "이사", "👨‍👩‍👧‍👦"], 1):
        page.fill(f"#keyword-{number}", keyword)
    page.fill("#memo", "m" * 101)
    person.send()
    check_refusal(person, "memo")
    look("review, refused")
    page.fill("#memo", "The little one walks!")
    person.send()
    check("done=watered" in person.path(), "the review is accepted")
    look("garden, watered")
    check(garden.watering_count(due) == 2, "it was watered once")

    person.open(f"/?plant={due}")
    person.click(f'.plot a[href="/plants/{due}"]')
    look("plant")
    person.click(f'a[href="/plants/{due}/calendar"]')
    look("calendar")
    person.click(".turn a")
    look("calendar, a month before")
    person.open(f"/plants/{due}/why")
    look("why")
    person.open(f"/plants/{due}/edit")
    look("edit")
    person.write(nickname="Hana-ya", cycleDays="0")
    page.locator("form[data-once]").evaluate("form => form.noValidate = true")
    person.send()
    check_refusal(person, "cycleDays")
    person.write(cycleDays="14")
    person.send()
    check(person.path().endswith("?done=edited"), "the edit is accepted")
    person.open(f"/plants/{due}/later")
    look("later, not on D-day")
    person.open("/plants/new")
    look("new friend")
    page.click("summary")
    page.set_input_files("#card", files=[{
        "name": "jisoo.vcf", "mimeType": "text/vcard",
        "buffer": b"BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Park Jisoo\r\nTEL:+82 10-7000-0003\r\nBDAY:--0521\r\nEND:VCARD\r\n"}])
    person.click("form[enctype] button")
    look("new friend, from a contact file")
    check(page.input_value("[name=name]") == "Park Jisoo", "a contact file fills in the form")
    person.write(name="Park Jisoo", phone="+82 10-7000-0003", cycleDays="40")
    person.send()
    person.open(f"/plants/{due}/removal")
    look("removal")
    person.click("button.danger")
    look("removed")
    person.click(".notice button")
    check(person.path() == f"/?plant={due}", "the removal is undone")
    person.write(search="ruth")
    person.click("form[role=search] button")
    check(page.locator(".plants li").count() == 1, "the search finds one")
    look("garden, search")
    person.open("/?search=nobody")
    look("garden, nothing found")
    person.open("/me")
    look("me")
    person.click('a[href="/me/plants"]')
    look("my plants")
    person.open("/nowhere")
    look("nothing there")
    person.open("/privacy")
    look("privacy")
    person.open("/terms")
    look("terms")


def things(person, look):
    """Adds a thing of each kind, completes one and undoes it, changes one, deletes one, and looks at the calendar."""
    page, check = person.page, person.check
    person.open("/")
    person.click('.tabs a[href="/things"]')
    look("things, empty")
    for kind, title, day in [
        ("food", "우유", "내일"), ("pickup", "Parcel", "in 3 days"), ("return", "Shoes", "2주 뒤"),
        ("reminder", "Dentist with a title that is as long as titles are of people who write everything down", None),
    ]:
        person.open("/things")
        person.click(f'.tiles a[href$="kind={kind}"]')
        if kind in ("food", "reminder"):
            look(f"things, new {kind}")
        person.write(title=title)
        if day:
            person.write(due=day)
        person.send()
        check("done=added" in person.path(), f"{title} is added")
    look("things")
    check(page.locator(".due.late").count() == 1, "milk of tomorrow expires")
    page.locator(".things form button").first.click()
    page.wait_for_url("**done=completed**")
    look("things, completed")
    person.click('.notice form button')
    check("done=reopened" in person.path(), "the completion is undone")
    person.click('.things a[href^="/things/"]')
    look("thing")
    thing = person.path()
    person.click(f'a[href="{thing}/edit"]')
    look("thing, edit")
    person.write(due="some day")
    person.send()
    check_refusal(person, "due")
    look("thing, refused")
    person.write(due="모레", note="at the counter")
    person.send()
    check(person.path() == f"{thing}?done=saved", "the thing is changed")
    share(person, look)
    person.open("/calendar")
    look("calendar of everything")
    person.click('.chips a[href*="view=week"]')
    look("calendar, week")
    person.click('.chips a[href*="view=day"]')
    look("calendar, day")
    person.open(f"{thing}/removal")
    look("thing, removal")
    person.click("button.danger")
    check(person.path() == "/things?done=removed", "the thing is deleted")
    person.open("/things?list=done")
    look("things, done")
    stores(person, look)


def lists(person, look):
    """Writes a shopping list and opens it, and fetches one of a neighbour."""
    garden, check = person.garden, person.check
    import_postcodes(garden)
    neighbour = garden.new_email()
    garden.cherish("account", "add", "--email", neighbour, "--nickname", "Neighbour", "--time-zone", garden.zone)
    garden.cherish("account", "edit", neighbour, "--postcode", "04525", "--country", "KR")
    theirs = garden.cherish("list", "add", neighbour, "--title", "Theirs", "--entry", "bread, 1", "--entry", "tea",
                            "--delivery-note", "At the door")["id"]
    garden.cherish("list", "open", theirs)
    person.open("/lists/nearby")
    look("neighbours' lists, no postcode")
    person.open("/more/profile")
    person.write(postcode="04524", country="kr")
    person.send()
    person.open("/lists")
    look("shopping lists, empty")
    person.click('.tiles a[href="/lists/new"]')
    look("shopping list, new")
    person.write(title="장보기", entries="우유, 2 l\n달걀")
    person.send()
    own = person.path().split("?")[0]
    look("shopping list, draft")
    person.send(f'form[action="{own}/opening"]')
    look("shopping list, open")
    person.open("/lists/nearby")
    look("neighbours' lists")
    person.click(f'form[action="/lists/{theirs}/acceptance"] button')
    check(person.path() == f"/lists/{theirs}", "an accepted list is shown")
    look("shopping list, helping")
    for file in ("receipt.pdf", "location.jpg"):
        person.page.set_input_files("#receipt", f"Tests/Service/PicturesTests/Fixtures/{file}")
        person.click(f'form[action="/lists/{theirs}/receipt"] button')
        look(f"shopping list, {file}")
    person.open("/lists")
    look("shopping lists")
    person.open(f"/lists/{theirs}/report")
    look("shopping list, report")
    person.open(f"/lists/{theirs}")
    person.send(f'form[action="/lists/{theirs}/delivery"]')
    garden.cherish("list", "accept", own.removeprefix("/lists/"), "--as", neighbour)
    garden.cherish("list", "deliver", own.removeprefix("/lists/"), "--as", neighbour)
    person.open(own)
    look("shopping list, delivered")


def share(person, look):
    """Shares the reminder with a stranger, withdraws it, and makes a feed that vobject reads."""
    page, garden, check = person.page, person.garden, person.check
    person.open("/things?kind=reminder")
    person.click('.things a[href^="/things/"]')
    person.click('a[href$="/shares"]')
    look("share")
    person.send()
    link = page.input_value("#link")
    check(link.startswith(f"{garden.address}/shared/"), "a whole link is shown")
    look("share, made")
    person.open(link[len(garden.address):])
    check(page.locator("main form button").count() == 1, "it can be copied")
    look("shared")
    person.open("/things?kind=reminder")
    person.click('.things a[href^="/things/"]')
    person.click('a[href$="/shares"]')
    page.locator("form[action$='/removal'] button").click()
    page.wait_for_url("**done=withdrawn**")
    look("share, withdrawn")
    person.open("/more/feeds")
    look("feeds, none")
    person.send()
    feed = page.input_value("#link")
    look("feeds, made")
    with urlopen(feed) as answer:
        calendar = vobject.readOne(answer.read().decode())
    titles = [event.summary.value for event in calendar.getChildren() if hasattr(event, "summary")]
    check(any("Dentist" in title for title in titles), "the feed has the reminder")

STORES = """name,country,return_days,pickup_days,return_policy_url,address,latitude,longitude
교보문고,KR,14,7,https://example.com/returns,서울 종로구 종로 1,37.5707,126.9779
교보문고,KR,14,7,https://example.com/returns,서울 강남구 강남대로 465,37.5037,127.0241
교보문고,KR,14,7,https://example.com/returns,서울 송파구 올림픽로 269,37.5145,127.1044
Corner Books,KR,30,,,서울 중구 을지로 16,37.5664,126.9827
"""


def stores(person, look):
    page, garden, check = person.page, person.garden, person.check
    with open(f"{garden.home}/stores.csv", "w", encoding="utf-8") as file:
        file.write(STORES)
    garden.cherish("store", "import", f"{garden.home}/stores.csv")
    person.open("/stores")
    look("stores")
    page.locator("a:has-text('교보문고')").click()
    look("store")
    if person.scripts:
        page.context.grant_permissions(["geolocation"])
        page.context.set_geolocation({"latitude": 37.5665, "longitude": 126.978})
        with page.expect_navigation():
            page.locator("[data-here]").click()
    else:
        check(page.locator("[data-here]").is_hidden(), "without JavaScript, nothing asks where one is")
        person.write(latitude="37.5665", longitude="126.978")
        person.send("form[data-position]")
    check(page.locator("svg.place-map .place").count() == 2, "two places are within 10 km")
    check(page.locator("a[href^='geo:37.5707,126.9779']").count() == 1, "the nearest one opens a map")
    check("latitude" not in page.url and "37.5" not in page.url, "no address of a page has a position")
    look("store, nearby")
    page.fill("#latitude", "north")
    person.send("form[data-position]")
    check(page.locator("#latitude").get_attribute("aria-invalid") == "true", "a latitude is a number")
    look("store, refused")
    page.locator("a[href*='/things/new?kind=return']").click()
    check(page.input_value("#store") == "교보문고", "the store is filled in")


def settings(person, judge, look):
    page, garden, check = person.page, person.garden, person.check
    person.open("/more")
    look("more")

    person.click('a[href="/more/profile"]')
    look("profile")
    person.write(nickname="Minji Kim")
    person.send()
    check(person.path() == "/more/profile?done=saved", "the profile is saved")

    person.open("/more/appearance")
    look("appearance")
    person.choose("colours", "dark")
    person.choose("size", "150")
    person.send()
    check(page.evaluate("document.documentElement.dataset.size") == "150", "the text is larger")
    for path in ("/more/appearance", "/", "/me", "/more"):
        person.open(path)
        look(f"{path}, dark and 150 %")
    person.open("/more/appearance")
    person.choose("colours", "system")
    person.choose("size", "100")
    person.choose("firstPage", "calendar")
    person.send()
    person.open("/")
    check(person.path() == "/calendar", "the chosen page comes first")
    person.click("nav.tabs a")
    check(person.path() == "/plants" and page.locator("#chosen").count() == 1, "the garden is at /plants then")
    person.open("/more/appearance")
    person.choose("firstPage", "garden")
    person.send()

    person.open("/more/pauses")
    look("pauses")
    person.send()
    check(person.path() == "/more/pauses?done=begun", "a pause begins with what the form offers")
    look("a pause")
    person.open("/")
    look("the garden in a pause")
    person.open("/more/pauses")
    person.click('form[action$="/end"] button')
    check(person.path() == "/more/pauses?done=ended", "a pause ends")
    check(page.query_selector('form[action$="/end"]') is None, "one tap ends it")

    person.open("/more/tags")
    look("tags")
    person.write(name="family", cycleDays="30")
    person.send()
    person.click('.links a[href^="/more/tags/"]')
    look("tag")
    person.write(colour="#3b6fc9")
    person.send()
    person.click('.links a[href^="/more/tags/"]')
    person.click('a[href$="/removal"]')
    look("tag, removal")
    person.click("button.danger")
    check(person.path() == "/more/tags?done=removed", "the tag is deleted")

    person.open("/more/pushes")
    look("pushes")
    page.locator("label:has([name=witheredPushes])").click()
    page.locator("[name=dayEndsAt]").select_option("03:00")
    person.send("form[action='/more/pushes']")
    check(page.locator("[name=witheredPushes]").is_checked(), "the switch is kept")
    check(page.locator("[name=dayEndsAt]").input_value() == "03:00", "the end of the day is kept")
    # Whatever the hour, this way goes on by dates.
    page.locator("[name=dayEndsAt]").select_option("00:00")
    person.send("form[action='/more/pushes']")

    person.open("/more/email")
    look("e-mail")
    new = garden.new_email()
    person.write(email=new)
    person.send()
    look("e-mail, code")
    person.write(code=garden.code(new))
    person.send()
    person.email = new
    person.open("/more/phone")
    look("phone")
    number = f"+8210{garden.people:04}{int(new.split('-')[1]) % 10_000:04}"
    person.write(phone=number)
    person.send()
    look("phone, code")
    person.write(code=garden.code(number, "sms"))
    person.send("form[action='/more/phone/confirmation']")
    check(person.path() == "/more/phone?done=confirmed", "the phone is confirmed")
    look("phone, confirmed")

    person.open("/more/picture")
    look("picture")
    page.set_input_files("#picture", "Sources/Web/WebGarden/Assets/icon-192.png")
    person.send("main form[enctype]")
    check(person.path() == "/more/picture?done=saved", "the picture is taken")
    look("picture, taken")

    other = type(person)(garden, page.context.browser, person.language, person.scripts)
    other.email, other.password = person.email, person.password
    other.open("/sign-in")
    other.sign_in()
    person.open("/more/sessions")
    look("sessions")
    page.locator("main summary").click()
    person.click("main details button")
    look("sessions, ended")
    other.open("/me")
    check(other.path() == "/sign-in?next=/me", "the other session has ended")
    other.close()

    person.open("/more/lock")
    look("lock")
    if person.scripts:
        lock(person, judge)
    person.open("/more/export")
    look("export")
    with page.expect_download() as download:
        page.locator("a[href='/v1/account/export?format=json']").click()
    with open(download.value.path(), encoding="utf-8") as file:
        check("Kim Hana" in file.read(), "the export has the friends")

    person.open("/more/enquiry")
    look("enquiry")
    person.write(subject="A question", message="How many plants are too many?")
    person.send()
    check(person.path().startswith("/more/enquiry?done=sent"), "the enquiry is sent")
    check(garden.messages("mail", "operator@example.com"), "the operator gets a mail")

    person.open("/more/password")
    look("password")
    person.write(present=person.password, password="short")
    page.locator("form[data-once]").evaluate("form => form.noValidate = true")
    person.send()
    check_refusal(person, "password")
    look("password, refused")
    person.write(present=person.password, password="umbrella-8-lilac")
    person.send()
    person.password = "umbrella-8-lilac"
    check(person.path() == "/more/password?done=changed", "the password is changed")
    person.open("/more/leave")
    look("leave")


def lock(person, judge):
    page, check = person.page, person.check
    person.write(lock_code="2580", lock_again="2580")
    page.locator("[data-lock-off] button").click()
    page.locator("[data-lock-on]").wait_for()
    # A new tab asks for the code.
    first, person.page = person.page, person.new_page()
    person.open("/")
    cover = person.page.locator("dialog.cover")
    cover.wait_for()
    judge.look(person, "locked")
    check(person.page.locator("main h1").is_hidden(), "nothing shows beside the cover")
    person.page.keyboard.press("Escape")
    check(cover.is_visible(), "Escape opens no lock")
    person.page.fill("#cover-code", "0000")
    person.page.keyboard.press("Enter")
    person.page.locator("[data-lock-wrong]").wait_for()
    judge.look(person, "locked, wrong code")
    person.page.fill("#cover-code", "2580")
    person.page.keyboard.press("Enter")
    cover.wait_for(state="detached")
    check(person.page.locator("main h1").first.is_visible(), "the right code shows the page")
    person.page.close()
    # A page whose scripts do not load stays hidden, but not without a word. A worker would have kept them.
    context = person.browser.new_context(
        **person.settings, storage_state=person.context.storage_state(), service_workers="block")
    broken = context.new_page()
    broken.route("**/assets/lock*", lambda route: route.abort())
    broken.goto("/")
    broken.locator("[data-lock-missing]").wait_for()
    check(broken.locator("main h1").first.is_hidden(), "without its script the lock hides the page, and says so")
    context.close()
    person.page = first
    first.bring_to_front()
    page.locator("[data-lock-remove]").click()
    page.locator("[data-lock-off]").wait_for()


def day(garden, friend, days):
    """A day as the account counts them, so many days after today."""
    shown = garden.cherish("friend", "show", friend)
    return str(date.fromisoformat(shown["dueOn"]) - timedelta(days=shown["daysLeft"]) + timedelta(days=days))

"""A month of a made-up household: what comes by the command line, the API and the browser is the same in all three.

What must be there afterwards is computed here, by rule 10.8 in a few lines of its own."""

import calendar
import json
from datetime import date, datetime, timedelta
from urllib.request import Request, urlopen
from zoneinfo import ZoneInfo

from garden import moment

STORES = """name,country,return_days,pickup_days,return_policy_url,address,latitude,longitude
Corner Books,KR,14,7,https://example.com/returns,1 Jong-ro,37.5707,126.9779
"""

# Days are counted from today; what was done is a list of (when, as what).
THINGS = [
    {"kind": "reminder", "title": "Bins out", "due": -28, "time": "20:00", "every": (1, "weeks"), "tag": "Home",
     "done": [-28, -21, -13, -7]},
    {"kind": "reminder", "title": "Water filter", "due": -20, "every": (2, "weeks"), "base": "completion", "tag": "Home",
     "done": [-18, -3]},
    {"kind": "reminder", "title": "Rent", "due": -25, "every": (1, "months"), "tag": "Home", "done": [-25]},
    {"kind": "reminder", "title": "Dentist", "due": -11, "time": "15:30", "done": [-11]},
    {"kind": "reminder", "title": "Passport photo", "due": -2},
    {"kind": "food", "title": "Milk", "due": -5, "bought": -12, "category": "dairy", "done": [(-6, "eaten")]},
    {"kind": "food", "title": "Yoghurt", "due": -4, "bought": -9, "category": "dairy", "done": [(-3, "thrown_away")]},
    {"kind": "food", "title": "Cheese", "due": 2, "bought": -8, "category": "dairy"},
    {"kind": "food", "title": "Rice", "due": 25, "bought": -20, "category": "dry"},
    {"kind": "pickup", "title": "Novel", "store": "Corner Books", "bought": -9, "days": 7, "done": [-3]},
    {"kind": "return", "title": "Wrong novel", "store": "Corner Books", "bought": -10, "days": 14},
]


def later(day, count, unit):
    """Returns a day so many days, weeks, months or years later; short months end earlier."""
    if unit in ("days", "weeks"):
        return day + timedelta(days=count * (7 if unit == "weeks" else 1))
    months = day.year * 12 + day.month - 1 + count * (12 if unit == "years" else 1)
    year, month = months // 12, months % 12 + 1
    return date(year, month, min(day.day, calendar.monthrange(year, month)[1]))


def next_due(start, due, done, thing):
    """Returns the due day after a completion (rule 10.8)."""
    count, unit = thing["every"]
    if thing.get("base") == "completion":
        return later(done, count, unit)
    step = 1
    while later(start, count * step, unit) <= max(due, done):
        step += 1
    return later(start, count * step, unit)


class Household:
    def __init__(self, person):
        self.person, self.garden = person, person.garden
        self.today = datetime.now(ZoneInfo(self.garden.zone)).date()
        # Title: due day of what is open; titles of what is done.
        self.open, self.done = {}, set()

    def day(self, number):
        return self.today + timedelta(days=number)

    def live(self):
        """Lives the month by the command line, up to today."""
        garden, email = self.garden, self.person.email
        with open(f"{garden.home}/corner.csv", "w", encoding="utf-8") as file:
            file.write(STORES)
        garden.cherish("store", "import", f"{garden.home}/corner.csv")
        garden.cherish("tag", "add", email, "Home", "--colour", "#3a7d44")
        garden.plant(email, "Kim Hana", "+82 10-7000-0001", 30, cycle_days=7, nickname="Hana", alarm="23:59")
        for thing in THINGS:
            self.add(thing)

    def add(self, thing):
        garden, title = self.garden, thing["title"]
        options = [text for key in ("kind", "title", "time", "category", "store", "tag") if key in thing
                   for text in (f"--{key}", thing[key])]
        if "due" in thing:
            options += ["--due", str(self.day(thing["due"]))]
        if "bought" in thing:
            options += ["--bought", str(self.day(thing["bought"]))]
        if "every" in thing:
            options += ["--every", "{} {}".format(*thing["every"]), "--from", thing.get("base", "due")]
        added = garden.cherish("thing", "add", self.person.email, *options, "--now", moment(29))
        due = start = self.day(thing["due"] if "due" in thing else thing["bought"] + thing["days"])
        for done in thing.get("done", []):
            number, outcome = done if isinstance(done, tuple) else (done, None)
            garden.cherish(
                "thing", "complete", added["id"], *(["--as", outcome] if outcome else []), "--now", moment(-number))
            if "every" not in thing:
                self.done.add(title)
                return
            due = next_due(start, due, self.day(number), thing)
        self.open[title] = due

    def ask(self, method, path, body=None, token=None):
        """Asks the API, and returns the JSON of its answer."""
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        data = None if body is None else json.dumps(body).encode()
        with urlopen(Request(self.garden.address + path, data, headers, method=method)) as answer:
            return json.load(answer)

    def sign_in(self):
        return self.ask("POST", "/v1/sessions", {"email": self.person.email, "password": self.person.password})["token"]

    def add_by_api(self, token):
        due = self.day(1)
        body = {"kind": "pickup", "title": "Cake for Hana", "dueOn": str(due), "dueTime": "17:00", "tags": ["Home"]}
        self.ask("POST", "/v1/things", body, token)
        self.open["Cake for Hana"] = due

    def add_by_browser(self):
        person, title = self.person, "Call the landlord"
        person.open("/things")
        person.click('.tiles a[href$="kind=reminder"]')
        person.write(title=title, due="in 3 days")
        person.send()
        person.check("done=added" in person.path(), "a title and a day in words are enough")
        self.open[title] = self.day(3)

    def compare(self, token):
        """Compares what the three say with what must be there."""
        person, email, check = self.person, self.person.email, self.person.check
        first, last = self.day(-30), self.day(30)
        for list_name, answer in (
            ("the command line", self.garden.cherish("thing", "list", email)),
            ("the API", self.ask("GET", "/v1/things?limit=200", token=token)),
        ):
            listed = {thing["title"]: date.fromisoformat(thing["dueOn"]) for thing in answer["things"]}
            check(listed == self.open, f"{list_name} lists {listed}, instead of {self.open}")
        done = self.garden.cherish("thing", "list", email, "--done")
        check({thing["title"] for thing in done["things"]} == self.done, f"done are {self.done}")
        agenda = self.garden.cherish("agenda", email, "--from", str(first), "--to", str(last))
        asked = self.ask("GET", f"/v1/agenda?from={first}&to={last}", token=token)
        check(agenda == asked, "the agenda is the same by the command line and by the API")
        entries = {(day["day"], entry["title"]) for day in agenda["days"] for entry in day["entries"]}
        for title, due in self.open.items():
            check((str(due), title) in entries, f"{title} stands in the agenda on {due}")
            person.open(f"/calendar?view=day&on={due}")
            check(title in person.page.inner_text("main"), f"{title} stands on the page of {due}")
        person.open("/things?list=done")
        check(all(title in person.page.inner_text("main") for title in self.done), "the page knows what was done")
        person.open("/things")
        shown = person.page.inner_text("main")
        check(all(title in shown for title in self.open), "the page has all that is open")
        check(not any(title in shown for title in self.done), "the page has nothing that is done")

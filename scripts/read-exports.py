"""Reads garden.vcf and garden.ics with vobject, icalendar and khal, and compares them with garden.json.

    /usr/bin/python3 read-exports.py FOLDER

Prints the differences and ends with 1, or prints how much it compared and ends with 0. `scripts/check-exports` installs the
programs it needs.
"""

import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import icalendar
import vobject
from dateutil.relativedelta import relativedelta
from dateutil.rrule import rrulestr

differences = []


def expect(what, found, wanted):
    if found != wanted:
        differences.append(f"{what}: found {found!r}, wanted {wanted!r}")


def day(text):
    return datetime.date.fromisoformat(text)


def kept_on(birthday, year):
    """Returns the day on which a birthday (MM-DD) is kept: 29 February falls on the 28th in years without a 29th."""
    month, number = int(birthday[-5:-3]), int(birthday[-2:])
    try:
        return datetime.date(year, month, number)
    except ValueError:
        return datetime.date(year, month, number - 1)


def check_cards(text, plants):
    cards = {card.uid.value.removeprefix("urn:uuid:"): card for card in vobject.readComponents(text)}
    expect("the cards", sorted(cards), sorted(plants))
    for identifier in cards.keys() & plants.keys():
        card, plant, name = cards[identifier], plants[identifier], f"card {identifier}"
        birthday = plant["birthday"]
        basic = birthday and ("--" if len(birthday) == 5 else "") + birthday.replace("-", "")
        expect(f"{name}, version", card.version.value, "4.0")
        expect(f"{name}, name", card.fn.value, plant["name"])
        expect(f"{name}, parts of the name", (card.n.value.given, card.n.value.family), (plant["name"], ""))
        expect(f"{name}, nickname", card.nickname.value, plant["nickname"])
        expect(f"{name}, phone", card.tel.value, "tel:" + plant["phone"])
        expect(f"{name}, birthday", card.bday.value if "bday" in card.contents else None, basic)
        expect(f"{name}, tags", card.categories.value if "categories" in card.contents else [], plant["tags"])
        expect(f"{name}, cycle", card.contents["x-cherish-cycle-days"][0].value, str(plant["cycleDays"]))
        expect(f"{name}, due", card.contents["x-cherish-due"][0].value, plant["dueOn"].replace("-", ""))
    return len(cards)


def check_things(calendar, account, things):
    """Things have their own ids; anything else has a kind after the plant's."""
    parts = {
        str(part["UID"])[:36]: part for part in calendar.walk()
        if part.name in ("VEVENT", "VTODO") and len(str(part["UID"])) == 44
    }
    expect("the things in the calendar", sorted(parts), sorted(things))
    for identifier in parts.keys() & things.keys():
        part, thing, what = parts[identifier], things[identifier], f"thing {identifier}"
        recurrence = thing["recurrence"]
        repeats = bool(recurrence) and recurrence["from"] == "due"
        expect(f"{what}, component", part.name, "VEVENT" if thing["dueTime"] or repeats else "VTODO")
        expect(f"{what}, title", str(part["SUMMARY"]), thing["title"])
        expect(f"{what}, note", str(part["DESCRIPTION"]) if "DESCRIPTION" in part else None, thing["note"])
        expect(f"{what}, sequence", int(part["SEQUENCE"]), thing["version"] - 1)
        modified = datetime.datetime.fromisoformat(thing["modifiedAt"].replace("Z", "+00:00"))
        expect(f"{what}, last modified", part.decoded("LAST-MODIFIED"), modified.replace(microsecond=0))
        start, due = part.decoded("DUE" if part.name == "VTODO" else "DTSTART"), day(thing["dueOn"])
        if thing["dueTime"]:
            due = datetime.datetime.combine(due, datetime.time.fromisoformat(thing["dueTime"]))
        expect(f"{what}, due", start, due)
        alarms = part.walk("VALARM")
        is_silent = not account["thingPushes"] or not thing["pushesEnabled"]
        if thing["alerts"] is not None or is_silent:
            wanted = 0 if is_silent else len(set(thing["alerts"]))
            expect(f"{what}, alarms", len(alarms) <= wanted and bool(alarms) == bool(wanted), True)
        expect(f"{what}, repeats", "RRULE" in part, repeats)
        if repeats:
            check_recurrence(what, part["RRULE"], thing, recurrence)
    return len(parts)


def check_recurrence(what, rule, thing, recurrence):
    """Compares the days of the rule with those that relativedelta counts from the first day of the series."""
    first, due = day(thing["seriesStart"]), day(thing["dueOn"])
    begin = datetime.datetime.combine(due, datetime.time.fromisoformat(thing["dueTime"] or "00:00"))
    found = [moment.date() for moment in rrulestr(rule.to_ical().decode(), dtstart=begin)[:25]]
    series = (first + relativedelta(**{recurrence["unit"]: recurrence["every"] * count}) for count in range(40_000))
    wanted = []
    for moment in series:
        if len(wanted) == 25 or recurrence["until"] and moment > day(recurrence["until"]):
            break
        if moment >= due:
            wanted.append(moment)
    expect(f"{what}, days of {rule.to_ical().decode()} from {due}", found, wanted)


def check_calendar(data, account, plants, things):
    calendar = icalendar.Calendar.from_ical(data)
    expect("errors that icalendar found", [error for part in calendar.walk() for error in part.errors], [])
    events = {}
    for event in calendar.walk("VEVENT"):
        if len(str(event["UID"])) == 44:
            continue
        owner, kind = str(event["UID"])[:36], str(event["UID"])[37:].removesuffix("@cherish").split("-")[0]
        events.setdefault(owner, {}).setdefault(kind, []).append(event)
        what = f"event {event['UID']}"
        expect(f"{what}, length", event.decoded("DTEND") - event.decoded("DTSTART"), datetime.timedelta(days=1))
        expect(f"{what}, nickname", owner in plants and plants[owner]["nickname"] in str(event["SUMMARY"]), True)
        expect(f"{what}, status", str(event["STATUS"]), "TENTATIVE" if kind == "projected" else "CONFIRMED")
        expect(f"{what}, transparency", str(event["TRANSP"]), "TRANSPARENT")
    expect("the plants in the calendar", sorted(events), sorted(plants))
    for identifier in events.keys() & plants.keys():
        check_due(f"plant {identifier}", events[identifier], account, plants[identifier])
        check_birthday(f"plant {identifier}", events[identifier].get("birthday", []), plants[identifier])
    count = sum(len(of_kind) for of_plant in events.values() for of_kind in of_plant.values())
    return count, check_things(calendar, account, things)


def check_due(name, events, account, plant):
    due = events.get("due", [])
    expect(f"{name}, due days", [event.decoded("DTSTART") for event in due], [day(plant["dueOn"])])
    hours, minutes = map(int, plant["alarmTime"].split(":"))
    alarms = [alarm.decoded("TRIGGER") for event in due for alarm in event.walk("VALARM")]
    wants_alarm = account["wateringPushes"] and plant["pushesEnabled"]
    expect(f"{name}, alarms", alarms, [datetime.timedelta(hours=hours, minutes=minutes)] if wants_alarm else [])
    projected = [event.decoded("DTSTART") for event in events.get("projected", [])]
    if not projected:
        return
    # The calendar leaves out past projections, so the first one may be any of them.
    cycle = datetime.timedelta(days=plant["cycleDays"])
    expect(f"{name}, projections", projected, [projected[0] + count * cycle for count in range(len(projected))])
    distance = projected[0] - day(plant["dueOn"])
    expect(f"{name}, cycles to the first projection", (distance % cycle, distance >= cycle), (datetime.timedelta(), True))


def check_birthday(name, events, plant):
    birthday = plant["birthday"]
    expect(f"{name}, birthdays", len(events), 1 if birthday else 0)
    for event in events if birthday else []:
        start = event.decoded("DTSTART")
        expect(f"{name}, first birthday", start, kept_on(birthday, start.year))
        if len(birthday) == 10:
            expect(f"{name}, day of birth", start, day(birthday))
        midnight = datetime.datetime.combine(start, datetime.time())
        rule = rrulestr(event["RRULE"].to_ical().decode(), dtstart=midnight)
        wanted = [kept_on(birthday, start.year + count) for count in range(9)]
        expect(f"{name}, nine birthdays", [found.date() for found in rule[:9]], wanted)


def check_khal(path, plants):
    """Checks what the calendar program khal lists on due days and on the birthdays of two years, one of them a leap year."""
    with tempfile.TemporaryDirectory() as home:
        calendar = pathlib.Path(home, "calendar")
        calendar.mkdir()
        settings = pathlib.Path(home, "khal.conf")
        settings.write_text(
            f"[calendars]\n[[garden]]\npath = {calendar}\n[sqlite]\npath = {home}/khal.db\n"
            "[locale]\ndateformat = %Y-%m-%d\nlongdateformat = %Y-%m-%d\ntimeformat = %H:%M\n"
            "datetimeformat = %Y-%m-%d %H:%M\nlongdatetimeformat = %Y-%m-%d %H:%M\n"
            "local_timezone = Asia/Seoul\ndefault_timezone = Asia/Seoul\n"
        )

        def khal(*arguments):
            command = ["khal", "-c", str(settings), *arguments]
            environment = dict(os.environ, HOME=home, XDG_DATA_HOME=home, LC_ALL="C.UTF-8")
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"{' '.join(command)}: {done.stderr}")
            return done.stdout.splitlines()

        khal("import", "--batch", "-a", "garden", str(path))

        def listed(date):
            return khal("list", "--notstarted", "--day-format", "", "--format", "{uid}", date.isoformat(), "1d")

        for identifier, plant in plants.items():
            due = listed(day(plant["dueOn"]))
            expect(f"khal on {plant['dueOn']}", f"{identifier}-due@cherish" in due, True)
            for year in (2031, 2032) if plant["birthday"] else ():
                birthday = kept_on(plant["birthday"], year)
                for date in (birthday - datetime.timedelta(days=1), birthday, birthday + datetime.timedelta(days=1)):
                    found = f"{identifier}-birthday@cherish" in listed(date)
                    expect(f"birthday of {identifier} in khal on {date}", found, date == birthday)


def check_lines(path, data):
    """Checks the line rules of both standards, about which readers are more lenient."""
    for number, line in enumerate(data.split(b"\r\n"), 1):
        expect(f"{path.name}, line {number}, bare line breaks", line.count(b"\n") + line.count(b"\r"), 0)
        expect(f"{path.name}, line {number}, at most 75 octets", len(line) <= 75, True)
    expect(f"{path.name}, ends with a line break", data.endswith(b"\r\n"), True)


def main(folder):
    document = json.loads((folder / "garden.json").read_text("utf-8"))
    plants = {plant["id"]: plant for plant in document["plants"] if plant["archivedAt"] is None}
    things = {thing["id"]: thing for thing in document["things"] if thing["done"] is None}
    cards, calendar = folder / "garden.vcf", folder / "garden.ics"
    for path in (cards, calendar):
        check_lines(path, path.read_bytes())
    card_count = check_cards(cards.read_bytes().decode("utf-8"), plants)
    event_count, thing_count = check_calendar(calendar.read_bytes(), document["account"], plants, things)
    check_khal(calendar, plants)
    for difference in differences:
        print(difference, file=sys.stderr)
    print(f"{card_count} cards and {event_count} events of {len(plants)} plants, {thing_count} things: {len(differences)} differences")
    sys.exit(1 if differences else 0)


main(pathlib.Path(sys.argv[1]))

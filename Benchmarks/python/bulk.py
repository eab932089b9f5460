"""The bulk benchmark's references: the same friends by Python's csv and psycopg's COPY, into the same tables.

Usage: bulk.py trusting|checking CONNINFO FILE NOW_EPOCH
"trusting" takes numbers, names and birthdays as they stand, which is right only because the file is made so; "checking" asks
phonenumbers. Both look up accounts once and know all of them, write 5,000 friends in a transaction, and make the lines of COPY
by hand, which is the fastest way. Prints the seconds from opening the file to the last commit.
"""

import csv
import datetime
import itertools
import sys
import time
import uuid

import psycopg

mode, conninfo, path, now = sys.argv[1:]
EPOCH = datetime.date(1970, 1, 1)
SEOUL = datetime.timezone(datetime.timedelta(hours=9))
NOW = datetime.datetime.fromtimestamp(int(now), datetime.timezone.utc)
TODAY = NOW.astimezone(SEOUL).date()
BATCH = 5000

if mode == "checking":
    import phonenumbers

    def e164(text):
        number = phonenumbers.parse(text, "KR")
        if phonenumbers.is_possible_number_with_reason(number) != phonenumbers.ValidationResult.IS_POSSIBLE:
            raise ValueError(text)
        return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
else:

    def e164(text):
        return "+82" + text.replace("-", "")[1:]


def day(cycle, days, known={}):
    """The due date, its instant at nine in Seoul and its number, of which there are few."""
    if days not in known:
        due = TODAY + datetime.timedelta(days=days)
        at = datetime.datetime.combine(due, datetime.time(9), SEOUL)
        known[days] = due.isoformat(), at.isoformat(), (due - EPOCH).days
    return known[days]


def batch(rows, accounts):
    plants, changes, occurrences = [], [], []
    stamp = NOW.isoformat()
    for email, name, phone, birthday, cycle in rows:
        account, lane = accounts[email]
        phone = e164(phone)
        identifier = uuid.uuid4()
        cycle = int(cycle or 7)
        due, at, ref = day(cycle, 1 + int.from_bytes(identifier.bytes[:4], "big") % cycle)
        year, month, birth = birthday.split("-") if birthday else ("\\N", "\\N", "\\N")
        plants.append(
            f"{lane}\t{identifier}\t{account}\t{name}\t{phone}\t{name}\t{year}\t{month}\t{birth}\t{cycle}\t540\t"
            f"{TODAY}\t{due}\tregistration\t0\t0\t0\tt\tf\t{at}\t{{}}\t{stamp}\n")
        changes.append(f"{lane}\t{identifier}\t{stamp}\t{cycle}\t{due}\tregistration\n")
        occurrences.append(f"{lane}\t{at}\t{account}\t{identifier}\twatering_due\t{ref}\n")
    return plants, changes, occurrences


COPIES = [
    """COPY plant (lane, id, account_id, name, phone, nickname, birthday_year, birthday_month, birthday_day, cycle_days,
        alarm_minute, planted_on, due_on, due_source, affection, watering_count, postponement_count, pushes_enabled,
        is_favourite, alarm_at, alarmed_due_dates, created_at) FROM STDIN""",
    "COPY cycle_change (lane, plant_id, changed_at, cycle_days, due_on, source) FROM STDIN",
    "COPY occurrence (lane, at, account_id, subject_id, topic, ref) FROM STDIN",
]

with psycopg.connect(conninfo + " application_name=contestant") as connection:
    start = time.perf_counter()
    with connection.cursor() as cursor:
        cursor.execute("SELECT email, id, lane FROM account")
        accounts = {email: (str(account), lane) for email, account, lane in cursor.fetchall()}
        with open(path, newline="", encoding="utf-8") as file:
            rows = csv.reader(file)
            next(rows)
            while some := list(itertools.islice(rows, BATCH)):
                for sql, lines in zip(COPIES, batch(some, accounts)):
                    with cursor.copy(sql) as copy:
                        copy.write("".join(lines))
                connection.commit()
    print(time.perf_counter() - start)

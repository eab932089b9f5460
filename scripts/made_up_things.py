"""Gives each account of a seed made-up things: standard input and output are documents of accounts, one a line.

Recurrences begin on all ends of months, and titles and notes have what a calendar must escape.
"""

import json
import random
import sys
import uuid
from datetime import date, timedelta

chance = random.Random(22)
ENDS = [date(2028, month % 12 + 1, 1) - timedelta(days=days) for month in range(1, 13) for days in (1, 2, 3, 4)]
WORDS = ["우유, 1 L", "Dentist; floor 3", "filter \\ pump", "약속 🥛", "a" * 90]


def thing(tags):
    kind = chance.choice(["pickup", "return", "reminder", "food"])
    due = chance.choice(ENDS) if chance.random() < 0.7 else date(2027, 1, 1) + timedelta(days=chance.randrange(700))
    time = f"{chance.randrange(24):02}:{chance.randrange(60):02}" if kind != "food" and chance.random() < 0.5 else None
    unit = chance.choice(["days", "weeks", "months", "years"])
    recurrence = {
        "every": chance.choice([1, 1, 2, 3, 7, 12, 99]), "unit": unit, "from": chance.choice(["due", "due", "completion"]),
        "until": chance.choice([None, None, str(due + timedelta(days=1_000))]),
    }
    alerts = [f"{chance.randrange(366)}d@{chance.randrange(24):02}:30" for _ in range(chance.randrange(4))]
    if time and chance.random() < 0.5:
        alerts.append(f"{chance.randrange(10_081)}m")
    return {
        "id": str(uuid.UUID(int=chance.getrandbits(128), version=4)), "kind": kind, "title": chance.choice(WORDS),
        "note": chance.choice([None, "line, with; all \\ of it"]), "dueOn": str(due), "dueTime": time,
        "category": "dairy" if kind == "food" else None, "boughtOn": None, "storeId": None,
        "orderNumber": "A-17" if kind == "pickup" else None, "alerts": chance.choice([None, alerts]),
        "notice": chance.choice(["once", "daily"]), "recurrence": chance.choice([recurrence, recurrence, None]),
        "seriesStart": str(due), "completionCount": 0, "done": None, "pushesEnabled": chance.random() < 0.9,
        "favourite": chance.random() < 0.2, "tags": [tag for tag in tags if chance.random() < 0.3],
        "createdAt": "2027-01-01T00:00:00Z", "version": chance.randrange(1, 5), "modifiedAt": "2027-02-01T12:00:00Z", "nextAlert": None, "reachedAlert": None,
        "completions": [],
    }


for line in sys.stdin:
    account = json.loads(line)
    account["things"] = [thing([tag["name"] for tag in account.get("tags") or []]) for _ in range(2_000)]
    print(json.dumps(account, ensure_ascii=False))

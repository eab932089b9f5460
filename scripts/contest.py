"""What benchmark-api and benchmark-pages have in common: requests, the figures of all rounds, and the table of them."""

import json
import statistics
import sys
import urllib.error
import urllib.request
from collections import defaultdict


def say(text):
    print(text, file=sys.stderr, flush=True)


def call(server, target):
    request = urllib.request.Request(
        server.address + target["path"], target["body"].encode() or None, {"Content-Type": "application/json"},
        method=target["method"])
    if target["token"]:
        request.add_header("Authorization", f"Bearer {target['token']}")
    try:
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read())
    except urllib.error.HTTPError as refused:
        raise SystemExit(
            f"error: {server.name} answers {refused.code} to {target['method']} {target['path']}: "
            f"{refused.read().decode()}\n{server.log.read_text()[-2000:]}")


def target(method, path, body=None, token=""):
    body = json.dumps(body, ensure_ascii=False) if body else ""
    return {"method": method, "path": path, "body": body, "token": token}


# MARK: Figures


class Figures:
    """What each round measured, by names of what it is."""

    def __init__(self):
        self.values = defaultdict(list)

    def add(self, *name_and_value):
        self.values[name_and_value[:-1]].append(name_and_value[-1])

    def __getitem__(self, name):
        return self.values[name]


# MARK: The table


def amount(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def spread(values):
    middle = amount(statistics.median(values))
    return middle if len(values) == 1 else f"{middle} ({amount(min(values))} – {amount(max(values))})"


def row(what, ours, other, ratio, bar, passes):
    verdict = "" if passes is None else "pass" if passes else "**miss**"
    print(f"| {what} | {ours} | {other} | {ratio} | {bar} | {verdict} |")


def contest_row(what, ours, theirs, unit, least=None, most=None):
    ratios = [one / other for one, other in zip(ours, theirs)]
    median = statistics.median(ratios)
    bar = f"≥ {least:g}" if least else f"≤ {most:.2g}" if most else ""
    passes = median >= least if least else median <= most if most else None
    row(what, spread(ours) + unit, spread(theirs) + unit, spread(ratios), bar, passes)

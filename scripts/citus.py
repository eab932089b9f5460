"""Runs one session of commands on plain PostgreSQL and on Citus, and compares what they tell: citus.py PROGRAMS HOME PLAIN-URL
CITUS-URL. Both databases are empty; HOME is an empty folder. scripts/check-citus says more.

Each command runs on both databases before the next one does, so that real clocks hardly differ. Ids are random, and so are the
lanes that follow from them. So an id is compared by the order in which it appeared first, and a list that ids or lanes order is
sorted. Everything else must be equal."""

import difflib
import http.server
import itertools
import json
import os
import re
import shlex
import subprocess
import threading
import time
from statistics import median

from private_service import arguments

# What is known to differ on Citus: the command as this script prints it, then the reason, then the parts of its outcome (status,
# stderr, stdout) that are otherwise than on plain PostgreSQL, exactly. What is listed and no longer differs counts as a difference.
KNOWN_DIFFERENCES = {
    # "cherish database repair-cursors": ("why", {"status": 69, "stderr": "error: CODE: a clear sentence\n"}),
}

# Longer than any command takes on a busy machine: only what hangs is ended.
PATIENCE_SECONDS = 900
MOST_LINES_OF_A_DIFFERENCE = 20
# Given here, so that exports repeat it. Other webhooks get random secrets.
SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"

# MARK: What is equal though it looks different

UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
BEGINNING_OF_ID = re.compile(r"(?<![0-9A-Za-z-])[0-9a-f]{8}(?![0-9A-Za-z-])")


class Ids:
    """The random ids of a database, numbered in the order in which they appeared. Ids that a document gave are the same in both
    databases, and stay as they are."""

    def __init__(self):
        self.numbers, self.beginnings, self.given = {}, {}, set()

    def give(self, text):
        self.given.update(UUID.findall(text))

    def numbered(self, text):
        """Returns the text with a number for each id; gives numbers to new ids."""
        for found in UUID.findall(text):
            if found not in self.given and found not in self.numbers:
                self.numbers[found] = f"<id {len(self.numbers) + 1}>"
                self.beginnings[found[:8]] = f"<id {len(self.numbers)}, 8 digits>"
        return self.known(text)

    def known(self, text):
        """Returns the text with the numbers of ids that have appeared before; all new ids look alike."""
        text = UUID.sub(lambda id: id[0] if id[0] in self.given else self.numbers.get(id[0], "<new id>"), text)
        return BEGINNING_OF_ID.sub(lambda digits: self.beginnings.get(digits[0], digits[0]), text)


class Digits(str):
    """A number with a fraction, with all digits that a document has."""


def in_texts(value, change):
    """Returns a document in which each text is changed, in the same order on each call: keys sorted, lists as they are."""
    if isinstance(value, Digits):
        return f"{value} (a number)"
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [in_texts(item, change) for item in value]
    if isinstance(value, dict):
        return {key: in_texts(value[key], change) for key in sorted(value)}
    return value


def written(value):
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def lane_of(row, lane, ids):
    """A lane is the last byte of its account's id; anything else is shown."""
    account = row.get("accountId") or row.get("account_id")
    if not account or int(lane) == int(account[-2:], 16):
        return "<lane>"
    return f"{lane}, which is not the lane of its account"


def phrase_of(row, phrase, ids):
    return phrase if row.get("id") in ids.given else "<phrase>"


def without_microsecond(row, value, ids):
    return value and value.replace(".000001Z", "Z")


# What depends on chance or on a clock that --now does not govern, by its name in documents: how to show it.
MASKS = {
    # How many an outage struck: accounts may share them.
    "lanes": lambda row, value, ids: "<lanes>" if "cause" in row else value,
    "lane": lane_of,
    # Its number in the lane, which accounts may share.
    "seq": lambda row, value, ids: value and "<seq>",
    # Of a line: its lane and number.
    "collapseId": lambda row, value, ids: re.sub(r"^cherish-[0-9]+-[0-9]+$", "cherish-<lane>-<seq>", value or "") or None,
    # Chosen by a hash of the plant's id.
    "phrase": phrase_of,
    # A hash of the plant's state, ids of tags among it.
    "fingerprint": lambda row, value, ids: value and "<fingerprint>",
    "secret": lambda row, value, ids: value if value in (None, SECRET) else "<secret>",
    # Of a secret link; those of devices are given here.
    "token": lambda row, value, ids: value and "<token>" if "url" in row else value,
    "url": lambda row, value, ids: value and value.replace(row["token"], "<token>") if row.get("token") else value,
    # The day of the log, by the database's clock.
    "recorded_on": lambda row, value, ids: "<today>",
    # Sums of binary fractions, which depend on the order of rows, and so on ids: the first digits count.
    "delay_seconds": lambda row, value, ids: value and f"{float(value):.9g}",
    "average_delay_seconds": lambda row, value, ids: value and f"{float(value):.9g}",
    # An occurrence that the lane's cursor has passed is planned a microsecond after it. At one instant, ids decide which it has passed.
    "plannedAt": without_microsecond,
    "planned_at": without_microsecond,
    "timestamp": without_microsecond,
    "longest_delay_seconds": lambda row, value, ids: value and round(float(value), 3),
    # Roles belong to the server: another database of it may have made them.
    "made": lambda row, value, ids: "<roles>",
}


def masked(value, ids):
    if isinstance(value, list):
        return [masked(item, ids) for item in value]
    if isinstance(value, dict):
        return {
            key: MASKS[key](value, item, ids) if key in MASKS else masked(item, ids) for key, item in value.items()
        }
    return value


# The lists whose order depends on ids or lanes, by command: the path to the list, and the names by which it is ordered before
# ids decide. Only items that are equal in these are sorted. Inner lists come first.
BY_IDS = {
    # Changes and plants are sorted by the plant's id, for paging; pushes by instant, then by id; imports of one instant by id.
    "export json": [
        (("imports", "*", "changes"), ()), (("imports",), ("importedAt",)), (("plants",), ()), (("things",), ()),
        (("pushes",), ("plannedAt",))],
    # In planning order: by instant, then by id.
    "push list": [(("pushes",), ("plannedAt",))],
    # By the plant's id, as the changes of an import are read.
    "import undo": [(("kept",), ())],
    # Those of one instant follow the calendar, which ids order.
    "preview": [(("pushes",), ("sentAt",)), (("withheld",), ("at",))],
}


def settled(value, path, names, ids):
    """Returns a document in which one list no longer depends on ids."""
    if not path:
        runs = itertools.groupby(value, key=lambda item: [item[name] for name in names])
        return [
            item for _, run in runs for item in sorted(run, key=lambda item: written(in_texts(item, ids.known)))
        ]
    if path[0] == "*":
        return [settled(item, path[1:], names, ids) for item in value]
    return {**value, path[0]: settled(value[path[0]], path[1:], names, ids)}


def sorted_blocks(text, begin, end, ids):
    """Returns a file as lines, with its blocks (cards, events) sorted: exports have plants in the order of their ids."""
    blocks = re.findall(rf"^{begin}\r?\n.*?^{end}\r?\n", text, re.M | re.S)
    frame = re.sub(rf"^{begin}\r?\n.*?^{end}\r?\n", "", text, flags=re.M | re.S)
    return [frame.splitlines()] + [block.splitlines() for block in sorted(blocks, key=ids.known)]


def sorted_rows(text, ids):
    """Returns a table as lines, with all rows but the header sorted, for the same reason."""
    header, *rows = text.split("\r\n")
    return [header, *sorted(rows, key=ids.known)]


def health_of_all_lanes(rows):
    """Lanes are compared together: which accounts share one depends on their ids. Fences count the leases of a lane, and what
    --now does not govern is left out: leases, and the ages of jobs and retries, which are random by a fifth."""
    def present(name):
        return [row[name] for row in rows if row[name] is not None]

    return {
        "lanes": sorted(row["lane"] for row in rows),
        "scheduled_until": max(present("scheduled_until"), default=None),
        "next_occurrence_at": min(present("next_occurrence_at"), default=None),
        "oldest_unscheduled_at": min(present("oldest_unscheduled_at"), default=None),
        "undelivered_count": sum(int(row["undelivered_count"]) for row in rows),
        "retry_count": sum(int(row["retry_count"]) for row in rows),
        "most_attempts": max((int(row["most_attempts"]) for row in rows), default=0),
        "leased": sum(row["leased_by"] is not None for row in rows),
    }


class Reports:
    """How the rows of each report are ordered (docs/reporting.md), told by the comments of the views."""

    COLUMNS = """
        SELECT class.relname, attribute.attname, attribute.atttypid::regtype, replace(
            coalesce(col_description(class.oid, attribute.attnum), ''), E'\\n', ' ')
        FROM pg_class AS class JOIN pg_attribute AS attribute ON attribute.attrelid = class.oid AND attribute.attnum > 0
        WHERE class.relnamespace = 'report'::regnamespace AND class.relkind = 'v' ORDER BY 1, attribute.attnum"""
    IDS = {"lane", "account_id", "plant_id", "subject_id"}

    def __init__(self, side):
        self.columns = {}
        for report, column, kind, comment in side.sql(self.COLUMNS):
            self.columns.setdefault(report, []).append((column, kind, comment))

    def order(self, report):
        """Returns the columns that order the rows before an id does."""
        columns = self.columns[report]
        marked = [name for name, _, comment in columns if "[ascending]" in comment or "[descending]" in comment]
        days = [name for name, kind, comment in columns if kind == "date" and "[day]" in comment]
        days += [name for name, kind, _ in columns if kind == "date" and name == "day"]
        first = marked or days[:1]
        order = first + [name for name, _, _ in columns if name not in first]
        return list(itertools.takewhile(lambda name: name not in self.IDS, order))

    def is_of_accounts(self, report):
        return {"lane", "account_id"} <= {name for name, _, _ in self.columns[report]}

    def has_days(self, report):
        return any(
            kind == "date" and ("[day]" in comment or name == "day") for name, kind, comment in self.columns[report])


def finding_of(side, text):
    """The doctor names server and user."""
    return re.sub(rf"\b{re.escape(side.user)}\b", "<user>", text.replace(f"PostgreSQL {side.version}", "PostgreSQL <version>"))


# MARK: The two databases

class Receiver(http.server.ThreadingHTTPServer):
    """A webhook of a database: takes all pushes, except that /gone wants none any more and /busy none for now."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), ReceiverAnswer)
        self.posts, self.is_busy = [], False
        self.address = f"127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def taken(self):
        posts, self.posts = self.posts, []
        return posts


class ReceiverAnswer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        status = 410 if self.path == "/gone" else 503 if self.path == "/busy" and self.server.is_busy else 204
        self.server.posts.append({"path": self.path, "status": status, "body": body})
        self.send_response(status)
        if status != 204:
            self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format, *words):
        pass


class Side:
    """A database, the files of its commands and what they have told about it."""

    def __init__(self, name, programs, home, url):
        self.name, self.programs, self.url = name, os.path.abspath(programs), url
        # Commands run there and name files relatively, so that messages are the same.
        self.folder = os.path.abspath(f"{home}/{name}")
        os.mkdir(self.folder)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("CHERISH_")}
        self.environment["DATABASE_URL"] = url
        self.ids, self.names, self.rows, self.kept = Ids(), {}, {}, {}
        self.receiver = Receiver()
        [[self.user, self.version]] = self.sql("SELECT current_user, current_setting('server_version')")

    def psql(self, *options):
        done = subprocess.run(
            ["psql", "-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-d", self.url, *options],
            capture_output=True, encoding="utf-8", check=False)
        if done.returncode:
            raise SystemExit(f"error: psql {' '.join(options)} on {self.name}: {done.stderr}")
        return done.stdout

    def sql(self, text):
        """Returns the rows of a statement, each as a list of strings."""
        return [line.split("\t") for line in self.psql("-c", text).splitlines()]

    def run(self, command, text="", **variables):
        """Returns status, standard output, standard error and seconds."""
        began = time.monotonic()
        try:
            done = subprocess.run(
                [f"{self.programs}/cherish", *command], cwd=self.folder, env=self.environment | variables,
                input=text.encode(), capture_output=True, timeout=PATIENCE_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return None, "", f"it did not end within {PATIENCE_SECONDS} s\n", PATIENCE_SECONDS
        seconds = time.monotonic() - began
        # Not as text, which would lose the line breaks of tables.
        output, error = (stream.decode(errors="backslashreplace") for stream in (done.stdout, done.stderr))
        return done.returncode, output, error, seconds

    def tell(self, *command):
        """Returns the document of a command that must succeed."""
        status, output, error, _ = self.run([*command, "--output", "json"])
        if status:
            raise SystemExit(f"error: cherish {' '.join(command)} on {self.name} ended with {status}: {error}")
        return json.loads(output)

    def filled(self, word):
        """Returns a word of a command with ids in place of names in braces; {minji/Hana:8} is the beginning of an id. A name that
        no command has told raises KeyError."""
        def id(name):
            return self.names[name[1]][:8] if name[2] else self.names[name[1]]

        return re.sub(r"\{([^{}:]+)(:8)?\}", id, word.replace("{receiver}", self.receiver.address))

    def path(self, name):
        return f"{self.folder}/{name}"

    def read(self, name):
        try:
            with open(self.path(name), encoding="utf-8", newline="") as file:
                return file.read()
        except FileNotFoundError:
            return ""


# The commands that consist of two words.
GROUPS = {
    "account", "database", "device", "feed", "friend", "import", "push", "report", "review", "seed", "store", "tag", "thing"}


def kind_of(command):
    """Returns the name of a command, for times and for how to compare it."""
    if command[0] == "export":
        return f"export {command[command.index('--format') + 1]}"
    if command[0] == "seed":
        return "seed generate" if command[1] == "generate" else "seed"
    return " ".join(command[:2 if command[0] in GROUPS and len(command) > 1 and command[1][0] != "-" else 1])


def title_of(command, variables):
    plain = re.compile(r"[\w@./:=+{},#-]+")
    words = [f"{name}={value}" for name, value in variables.items()] + ["cherish", *command]
    return " ".join(word if plain.fullmatch(word) else shlex.quote(word) for word in words)


class Session:
    """Runs each command on both databases and compares the outcomes."""

    def __init__(self, plain, citus):
        self.sides = [plain, citus]
        self.plain, self.citus = plain, citus
        self.now, self.step = None, 1
        self.count, self.differing, self.times = 0, 0, {}
        self.known, self.listed = [], set(KNOWN_DIFFERENCES)
        self.reports = None

    # MARK: Commands

    def at(self, day, clock, step=1):
        """Sets the instant of the next command, in UTC. Each one after it comes `step` seconds later, so that lists that are
        ordered by an instant are ordered by it alone."""
        hours, minutes = clock.split(":")
        # A year that no clock has reached: a worker of now finds nothing due there. A Monday is the first day.
        self.now, self.step = (f"2031-03-{day:02}T", int(hours) * 3600 + int(minutes) * 60), step

    def instant(self):
        day, seconds = self.now
        self.now = day, seconds + self.step
        assert seconds < 86_400, "the commands of a day go on into the next one"
        return f"{day}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}Z"

    def run(self, *command, refused=None, keep=None, writes=None, text="", document=True, now=True, extra=None, **variables):
        """Runs a command and compares what both databases tell.

        - refused: the code of the error that is expected of plain PostgreSQL; "any" expects nothing.
        - keep: returns names for ids of the document, for later commands.
        - writes: a file that the command writes, which is compared as well.
        - text: the standard input, or what returns it for a side.
        - document: whether the command prints one with --output json.
        - now: whether it takes --now.
        - extra: returns more to compare for a side: what the command has sent."""
        command = [*command, *(["--now", self.instant()] if now else [])]
        title, kind = title_of(command, variables), kind_of(command)
        outcomes, seconds = {}, {}
        # In turns, so that neither is always the second, which finds caches warm.
        for side in self.sides if self.count % 2 == 0 else self.sides[::-1]:
            try:
                words = [side.filled(word) for word in command]
            except KeyError as missing:
                outcomes[side] = {"status": None, "stderr": f"not run: no command has told the id of {missing}", "stdout": None}
                continue
            words += ["--output", "json"] if document else []
            given = text(side) if callable(text) else text
            status, output, error, seconds[side] = side.run(words, given, **variables)
            told = self.told(output) if document else output
            if status == 0 and document and keep:
                side.names |= keep(told)
            side.kept[kind] = output
            outcomes[side] = {
                "status": status, "stderr": side.ids.numbered(self.local(side, error)),
                "stdout": self.shown(side, kind, told, is_limited="--limit" in command),
            }
            if writes:
                outcomes[side]["file"] = self.shown(side, "table", side.read(writes))
            if extra:
                outcomes[side] |= in_texts(extra(side), lambda text: side.ids.numbered(self.local(side, text)))
        if len(seconds) == 2:
            self.times.setdefault(kind, []).append((seconds[self.plain], seconds[self.citus]))
        self.compare(title, outcomes, refused)

    def told(self, output):
        """Returns the document of a command; its output where there is none."""
        try:
            return json.loads(output, parse_float=Digits)
        except json.JSONDecodeError:
            return output

    def local(self, side, text):
        """Returns a text without the address of a side's receiver, and without the database's clock."""
        text = text.replace(side.receiver.address, "receiver")
        return re.sub(r"(the database's clock, )[0-9][0-9TZ:.-]+[0-9Z]", r"\1<clock>", text)

    def shown(self, side, kind, told, is_limited=False):
        """Returns what a command told without what may differ."""
        ids = side.ids
        if isinstance(told, str):
            if kind == "export csv":
                told = sorted_rows(told, ids)
            elif kind == "export vcard":
                told = sorted_blocks(told, "BEGIN:VCARD", "END:VCARD", ids)
            elif kind == "export ical":
                told = sorted_blocks(told, "BEGIN:(?:VEVENT|VTODO)", "END:(?:VEVENT|VTODO)", ids)
            else:
                if kind == "export json" and told:
                    return self.shown(side, kind, json.loads(told))
                told = told.splitlines()
        elif kind.startswith("report ") and isinstance(told, dict) and "rows" in told:
            told = self.shown_report(side, told, is_limited)
        else:
            told = masked(told, ids)
            for path, names in BY_IDS.get(kind, []):
                told = settled(told, path, names, ids)
        if kind == "doctor":
            told = in_texts(told, lambda text: finding_of(side, text))
        if kind == "database repair-cursors" and "lanes" in told:
            told = lanes_together(told)
        return in_texts(told, lambda text: ids.numbered(self.local(side, text)))

    def shown_report(self, side, told, is_limited):
        report, rows = told["report"], told["rows"]
        whole, side.rows[report] = side.rows.get(report), rows
        order = self.reports.order(report)
        is_ordered = not rows or len(order) == len(rows[0])
        if is_limited and not is_ordered:
            # Ids decide which rows are the first, so a side's own must be the first of all its rows.
            return {"report": report, "rows": len(rows), "the first of all": whole is not None and rows == whole[:len(rows)]}
        if report == "engine_health":
            return {"report": report, "lanes together": health_of_all_lanes(rows)}
        rows = masked(rows, side.ids)
        return {"report": report, "rows": rows if is_ordered else settled(rows, (), order, side.ids)}

    # MARK: Comparing

    def compare(self, title, outcomes, refused):
        self.count += 1
        plain, citus = outcomes[self.plain], outcomes[self.citus]
        surprise = self.surprise(plain, refused)
        self.listed.discard(title)
        if surprise:
            self.show(title, [f"plain PostgreSQL itself: {surprise}", *plain["stderr"].splitlines()])
        elif title in KNOWN_DIFFERENCES:
            reason, otherwise = KNOWN_DIFFERENCES[title]
            if citus == plain | otherwise and citus != plain:
                self.known.append(f"{title}: {reason}")
            else:
                self.show(title, self.difference(plain | otherwise, citus, "expected on citus"))
        elif plain != citus:
            self.show(title, self.difference(plain, citus, "plain"))

    def surprise(self, plain, refused):
        """Why the outcome on plain PostgreSQL is not the one that this session is about; None if it is."""
        status = plain["status"]
        if status is None:
            return "it has no outcome"
        if refused is None:
            return f"it ended with {status}" if status else None
        if refused == "any" or status and plain["stderr"].startswith(f"error: {refused}:"):
            return None
        return f"it was not refused with {refused}, but ended with {status}"

    def difference(self, expected, found, name):
        def lines(outcome):
            return json.dumps(outcome, ensure_ascii=False, indent=1, sort_keys=True).splitlines()

        return list(difflib.unified_diff(lines(expected), lines(found), name, "citus", lineterm="", n=1))

    def show(self, title, lines):
        self.differing += 1
        print(f"differs: {title}")
        for line in lines[:MOST_LINES_OF_A_DIFFERENCE]:
            print(f"    {line}")
        more = len(lines) - MOST_LINES_OF_A_DIFFERENCE
        print(*([f"    … and {more} lines more\n"] if more > 0 else []), end="", flush=True)

    def check(self, title, tells):
        """Compares what the databases tell about themselves by other means than one command."""
        self.compare(title, {side: {"status": 0, "stderr": "", "stdout": tells(side)} for side in self.sides}, None)

    def conclude(self):
        """Prints times and the summary; returns the exit status."""
        print("\nHow long commands took, in the median; the last column is that of the ratios, command by command:")
        print(f"{'COMMAND':28}{'RUNS':>6}{'PLAIN':>11}{'CITUS':>11}{'RATIO':>8}")
        for kind, times in sorted(self.times.items()):
            plain, citus = (median(pair[place] for pair in times) for place in (0, 1))
            ratio = median(pair[1] / pair[0] for pair in times)
            print(f"{kind:28}{len(times):6}{plain * 1000:8.0f} ms{citus * 1000:8.0f} ms{ratio:8.1f}")
        for known in self.known:
            print(f"known: {known}")
        for title in sorted(self.listed):
            self.show(title, ["it is listed as a known difference, and no such command ran"])
        print(f"\n{self.count} commands, {self.differing} differ")
        return 1 if self.differing else 0


def lanes_together(told):
    """Which lanes are ahead, and with which accounts, depends on ids; the sums do not. Where they are put back to is now."""
    lanes = told["lanes"]
    sums = {name: sum(lane[name] for lane in lanes) for name in ("deletedCount", "subjectCount", "plannedCount")}
    return {**told, "lanes": {**sums, "walkedTo": max((lane["walkedTo"] for lane in lanes), default=None)}}


# MARK: The session

# Name, zone, language. Some zones have half hours, or change their clocks during the session.
ACCOUNTS = [
    ("minji", "Asia/Seoul", "ko"), ("emma", "Europe/London", "en"), ("jack", "America/New_York", "en"),
    ("lina", "Europe/Berlin", "en"), ("ana", "America/Sao_Paulo", "en"), ("sam", "Australia/Lord_Howe", "en"),
    ("ravi", "Asia/Kathmandu", "en"), ("sina", "Pacific/Apia", "en"), ("kim", "Asia/Seoul", "ko"), ("noah", "UTC", "en"),
]
# Numbers that reach nobody (fixtures/address-books).
FRIENDS = [
    ("minji", "Hana", "010-0000-0301", "--cycle-days", "1"),
    ("minji", "Jiwoo", "010-0000-0302", "--cycle-days", "2", "--tag", "친구"),
    ("minji", "이서연", "010-0000-0303", "--tag", "family"),
    ("minji", "Doyun", "010-0000-0304", "--cycle-days", "5", "--nickname", "도윤이", "--birthday", "1994-05-21"),
    ("minji", "Daniel O'Brien", "+1 202-555-0106", "--cycle-days", "7", "--favourite", "--tag", "family", "--tag", "친구"),
    ("minji", "Sora", "010-0000-0306", "--cycle-days", "30", "--birthday", "03-06", "--alarm", "20:30"),
    ("emma", "Oliver", "+44 7700 900301", "--cycle-days", "2"),
    ("emma", "Amelia", "+44 7700 900302", "--cycle-days", "4", "--alarm", "07:45"),
    ("emma", "Zoë", "+44 7700 900303", "--cycle-days", "7", "--birthday", "1988-03-05"),
    ("jack", "Liam", "(202) 555-0111", "--cycle-days", "1"),
    ("jack", "Ava", "(202) 555-0112", "--cycle-days", "3"),
    ("lina", "Felix", "+44 7700 900305", "--cycle-days", "2", "--alarm", "20:30"),
    ("lina", "Ida", "+44 7700 900306", "--cycle-days", "3"),
    ("ana", "Bruno", "+44 7700 900307", "--cycle-days", "3"),
    ("sam", "Ruby", "+44 7700 900308", "--cycle-days", "1"),
    ("ravi", "Asha", "+44 7700 900309", "--cycle-days", "2"),
    ("sina", "Tala", "+44 7700 900310", "--cycle-days", "1"),
    ("noah", "Ada", "+44 7700 900311", "--cycle-days", "10"),
    ("noah", "Bo", "+44 7700 900312", "--cycle-days", "1"),
    ("noah", "Cleo", "+44 7700 900313", "--cycle-days", "1"),
]
WORDS = ["산책", "커피", "안부", "여행", "시험", "이사", "cafe", "Busan"]
METHODS = ["call", "message", "kakaotalk", "video", "in_person", "other"]


def email(account):
    return f"{account}@example.com"


def keep_plant(account):
    return lambda told: {f"{account}/{told['name']}": told["id"]}


def keep_plants(account):
    return lambda told: {f"{account}/{plant['name']}": plant["id"] for plant in told["plants"]}


def keep_rows(account, batch):
    """Keeps the plants of an import and, under a name, the import."""
    def names(told):
        found = {f"{account}/{row['name']}": row["plantId"] for row in told["rows"] if row["plantId"]}
        return found | ({batch: told["importId"]} if told["importId"] else {})
    return names


def begin(session):
    """Migrates both databases, and moves the second one to Citus as docs/operating.md has it."""
    session.run("database", "migrate", now=False)
    session.citus.psql("-1", "-f", "sql/citus/01_distribute.sql")
    unplaced = session.citus.psql("-f", "sql/citus/02_check.sql").strip()
    if unplaced:
        raise SystemExit(f"error: sql/citus/02_check.sql finds: {unplaced}")
    session.citus.psql("-f", "sql/citus/03_after.sql")
    migrated = session.citus.tell("database", "migrate")
    if not migrated["reportsReplaced"] or migrated["applied"] != migrated["known"]:
        raise SystemExit(f"error: 'cherish database migrate' on Citus does not make the reports again: {migrated}")
    session.run("database", "roles", now=False)
    session.at(3, "00:00")
    session.run("database", "status")
    # Refused as long as the database is not marked.
    session.run("tick", refused="any")
    session.run("database", "mark-test", now=False)
    session.run("database", "mark-test", now=False)
    session.run("database", "status")
    session.reports = Reports(session.plain)


def add_accounts(session):
    session.run("account", "list")
    for name, zone, language in ACCOUNTS:
        phone = ["--phone", "010-0000-0100"] if name == "minji" else []
        session.run(
            "account", "add", "--email", email(name), "--nickname", name.title(), "--time-zone", zone, "--language", language,
            *phone, keep=lambda told, name=name: {name: told["id"]})

    def refuse(code, *options):
        session.run("account", "add", "--nickname", "Nobody", *options, refused=code)

    refuse("duplicate_email", "--email", "MINJI@example.com", "--time-zone", "UTC")
    refuse("invalid_email", "--email", "minji", "--time-zone", "UTC")
    refuse("invalid_time_zone", "--email", email("nobody"), "--time-zone", "Mars/Olympus")
    refuse("usage", "--email", email("nobody"))
    session.run("account", "show", email("nobody"), refused="not_found")
    session.run("account", "show", "{emma}")
    session.run("account", "edit", email("minji"), "--birthday-pushes", "on")
    session.run("account", "edit", email("emma"), "--birthday-pushes", "on", "--withered-pushes", "on")
    session.run("account", "edit", email("noah"), "--withered-pushes", "on", "--email", "NOAH@example.com")
    session.run("account", "edit", email("jack"), "--email", email("emma"), refused="duplicate_email")
    session.run("account", "list")


def add_tags_and_friends(session):
    minji = email("minji")
    session.at(3, "01:00")
    session.run("tag", "add", minji, "family", "--colour", "#c2452d", "--cycle-days", "3")
    session.run("tag", "add", minji, "친구")
    session.run("tag", "add", minji, "work")
    session.run("tag", "add", minji, "FAMILY", refused="duplicate_tag")
    session.run("tag", "add", minji, "red", "--colour", "red", refused="invalid_colour")
    session.run("friend", "list", minji)
    for account, name, phone, *options in FRIENDS:
        session.run(
            "friend", "add", email(account), "--name", name, "--phone", phone, *options, keep=keep_plant(account))

    def refuse(code, name="Nobody", phone="010-0000-0399", *options):
        session.run("friend", "add", minji, "--name", name, "--phone", phone, *options, refused=code)

    refuse("duplicate_phone", "Hana", "+82 10-0000-0301", "--cycle-days", "3")
    refuse("invalid_phone", "Nobody", "abc", "--cycle-days", "3")
    refuse("invalid_cycle", "Nobody", "010-0000-0399", "--cycle-days", "0")
    refuse("invalid_cycle", "Nobody", "010-0000-0399", "--cycle-days", "91")
    refuse("invalid_birthday", "Nobody", "010-0000-0399", "--cycle-days", "3", "--birthday", "02-31")
    refuse("invalid_alarm", "Nobody", "010-0000-0399", "--cycle-days", "3", "--alarm", "25:00")
    refuse("invalid_name", "", "010-0000-0399", "--cycle-days", "3")
    refuse("not_found", "Nobody", "010-0000-0399", "--cycle-days", "3", "--tag", "unknown")
    refuse("usage", "Nobody", "010-0000-0399")
    session.run("friend", "edit", "{minji/Hana}", "--name", "Hanna", refused="identity_fixed")
    session.run("tag", "edit", minji, "work", "--name", "일", "--cycle-days", "0", "--colour", "#3b6fc9")
    session.run("tag", "list", minji)
    list_friends(session, "minji")


STORES = [
    {"name": "올리브영", "country": "KR", "policyURL": "https://example.com/policy", "returnDays": 14, "pickupDays": 7, "places": [
        {"address": "서울 강남대로 1", "latitude": 37.4979, "longitude": 127.0276},
        {"address": "부산 해운대로 2", "latitude": 35.1631, "longitude": 129.1635}]},
    {"name": "Corner", "country": "DE", "returnDays": 30, "places": []},
]
CALENDAR = """BEGIN:VCALENDAR
VERSION:2.0
BEGIN:VEVENT
UID:dentist
SUMMARY:Dentist
DTSTART;TZID=Asia/Seoul:20310307T150000
RRULE:FREQ=MONTHLY;INTERVAL=6
BEGIN:VALARM
ACTION:DISPLAY
TRIGGER:-PT30M
END:VALARM
END:VEVENT
BEGIN:VEVENT
UID:odd
SUMMARY:Odd
DTSTART;VALUE=DATE:20310309
RRULE:FREQ=MONTHLY;BYMONTHDAY=1,15
END:VEVENT
END:VCALENDAR
"""


def add_things(session):
    """Stores, and things of two accounts: each command for them, and what is refused."""
    minji, emma = email("minji"), email("emma")
    session.at(3, "01:30")
    write(session, "stores.jsonl", "".join(json.dumps(store, ensure_ascii=False) + "\n" for store in STORES))
    write(session, "errands.csv", "kind,title,due_on,due_time,alerts,tags\nreminder,Bins,2031-03-05,,0d@20:00,family\n"
          "pickup,Parcel,2031-03-06,18:00,,\nfood,,2031-03-08,,,\nreminder,Bins,2031-03-05,,,\n")
    write(session, "calendar.ics", CALENDAR.replace("\n", "\r\n"))
    for _ in range(2):
        session.run("store", "import", "stores.jsonl", now=False)
    session.run("store", "list", now=False)
    session.run("store", "show", "올리브영", "--near", "37.5,127", "--radius", "50", now=False)

    def add(account, kind, title, *options, **also):
        keep = None if "refused" in also else lambda told: {f"{account}/{title}": told["id"]}
        session.run("thing", "add", email(account), "--kind", kind, "--title", title, *options, keep=keep, **also)

    add("minji", "food", "우유", "--due", "2031-03-06", "--category", "유제품", "--tag", "family")
    add("minji", "food", "Tofu", "--due", "2031-03-05")
    add("minji", "return", "Shoes", "--store", "올리브영", "--bought", "2031-03-02", "--order", "A-1")
    add("minji", "reminder", "약", "--due", "2031-03-04", "--time", "09:00", "--every", "1 days", "--notice", "hourly")
    add("minji", "reminder", "Rent", "--due", "2031-03-31", "--every", "1 months", "--notice", "daily", "--favourite")
    add("minji", "reminder", "Far", "--due", "2033-01-01")
    add("emma", "pickup", "Parcel", "--due", "2031-03-05", "--alert", "1d@18:00", "--alert", "0d@10:00")
    add("minji", "return", "Nowhere", "--store", "Corner", refused="due_unknown")
    add("minji", "return", "Nowhere", "--store", "Unknown", "--bought", "2031-03-02", refused="store_unknown")
    add("minji", "food", "", "--due", "2031-03-06", refused="invalid_title")
    session.run("thing", "import", minji, "errands.csv", "--dry-run")
    for _ in range(2):
        session.run("thing", "import", minji, "errands.csv")
        session.run("thing", "import", emma, "calendar.ics")
    session.run("thing", "edit", "{minji/Shoes}", "--note", "blue", "--alert", "2d@20:00")
    session.run("thing", "complete", "{minji/Tofu}", "--as", "thrown-away", refused="usage")
    session.run("thing", "complete", "{minji/Tofu}", "--as", "thrown_away")
    session.run("thing", "complete", "{minji/Tofu}", refused="already_done")
    session.run("thing", "complete", "{minji/Rent}")
    session.run("thing", "reopen", "{minji/Rent}")
    session.run("thing", "reopen", "{minji/Far}", refused="not_done")
    session.run("thing", "share", "{minji/Rent}", keep=lambda told: {"share": told["id"]})
    session.run("thing", "shares", "{minji/Rent}")
    session.run("thing", "unshare", "{share}")
    session.run("thing", "share", "{minji/Shoes}", refused="any")
    session.run("feed", "add", minji, keep=lambda told: {"feed": told["id"]})
    session.run("feed", "list", minji)
    session.run("feed", "remove", "{feed}")
    list_things(session)
    session.run("agenda", minji, "--from", "2031-03-03", "--to", "2031-03-20")


def list_things(session):
    for account in ("minji", "emma"):
        session.run("thing", "list", email(account))
        session.run("thing", "list", email(account), "--done")
    for thing in ("minji/우유", "minji/Rent", "emma/Parcel"):
        session.run("thing", "show", "{" + thing + "}")
        session.run("push", "explain", "{" + thing + "}")


def list_friends(session, account):
    for order in ("nearness", "name", "affection", "favourite", "tag"):
        session.run("friend", "list", email(account), "--sort", order, keep=keep_plants(account))
    session.run("friend", "list", email(account), "--favourites")
    session.run("friend", "list", email(account), "--archived")


def people():
    """Returns the names of 60 friends; all differ, so that nothing but the name decides an order."""
    korean = [f"{family}{given}" for family in "김이박최정강" for given in ("민준", "서연", "도윤", "하은", "지우")]
    families = ("Clarke", "Müller", "Nguyen", "O'Neill", "Silva", "Tanaka")
    return korean + [f"{given} {family}" for family in families for given in ("Ben", "Clara", "Dora", "Eli", "Finn")]


def address_book():
    """Returns a table of 60 friends with tags, and three rows that are refused, left out or warned about."""
    rows = ["name,phone,nickname,birthday,cycle_days,alarm,tags,favourite"]
    tags = ["가족", '"친구, work"', "book club", ""]
    for place, name in enumerate(people()):
        birthday = f"{1960 + place}-{1 + place % 12:02}-{1 + place % 28:02}" if place % 5 == 0 else ""
        cycle = ("3", "7", "14", "30")[place // 4 % 4] if place % 4 == 0 else ""
        nickname = f"별명{place}" if place % 7 == 0 else ""
        alarm = "20:30" if place % 6 == 0 else ""
        favourite = "true" if place % 10 == 0 else ""
        rows.append(
            f"{name},010-0000-{1000 + place},{nickname},{birthday},{cycle},{alarm},{tags[place % 4]},{favourite}")
    return "\n".join(rows + [
        "No Phone,,,,,,,", "Odd Birthday,010-0000-1990,,1990-02-31,,,,", "Same Phone,010-0000-1000,,,,,,"]) + "\n"


def corrections():
    """Returns a table with another name, with birthdays and a tag that are new, and with a second number of a friend."""
    names = people()
    return "\n".join([
        "name,phone,birthday,tags", f"{names[1]},010-0000-1001,1991-04-01,choir", f"{names[2]},010-0000-1002,,choir",
        "Another Name,010-0000-1003,,", f"{names[4]},010-0000-2004 ::: 010-0000-1004,,choir",
        "Brand New,010-0000-1995,05-05,choir"]) + "\n"


def cards():
    """Returns a vCard file of eight friends."""
    lines = []
    for place, name in enumerate(["Gus Hill", "Hal Hill", "Ina Hill", "Jo Hill", "Kay Hill", "Leo Hill", "Mia Hill", "Ned Hill"]):
        lines += ["BEGIN:VCARD", "VERSION:3.0", f"FN:{name}", f"TEL;TYPE=CELL:+1 202-555-01{20 + place}"]
        lines += ["CATEGORIES:school,rowing"] * (place % 2) + [f"BDAY:1990-03-{5 + place:02}"] * (place % 3 == 0)
        lines += ["END:VCARD"]
    return "\r\n".join(lines) + "\r\n"


def write(session, name, text):
    for side in session.sides:
        with open(side.path(name), "w", encoding="utf-8", newline="") as file:
            file.write(text(side) if callable(text) else text)


def import_friends(session):
    kim, noah = email("kim"), email("noah")
    session.at(3, "02:00")
    write(session, "friends.csv", address_book())
    write(session, "corrections.csv", corrections())
    write(session, "cards.vcf", cards())
    first = ("friend", "import", kim, "friends.csv", "--cycle-days", "14", "--tag", "address book")
    session.run(*first, "--dry-run")
    session.run(*first, "--errors", "problems.csv", writes="problems.csv", keep=keep_rows("kim", "first import"))
    session.run(*first)
    session.run("friend", "import", kim, "corrections.csv")
    session.run("import", "list", kim)
    session.run("friend", "import", kim, "corrections.csv", "--merge", keep=keep_rows("kim", "merge"))
    session.run("friend", "import", kim, "corrections.csv", "--merge")
    session.run("tag", "list", kim)
    session.run("friend", "list", kim, "--tag", "choir")
    session.run("import", "undo", "{merge:8}")
    session.run("import", "undo", "{merge}", refused="import_undone")
    session.run("friend", "list", kim, "--search", "Another")
    removed = "{kim/" + people()[30] + ":8}"
    session.run("friend", "remove", removed)
    session.run("friend", "show", removed)
    session.run("friend", "remove", removed, refused="any")
    session.run(*first)
    session.run("friend", "list", kim, "--archived")
    session.run(*first, "--restore", keep=keep_rows("kim", "restoring import"))
    session.run("import", "list", kim)
    session.run("friend", "import", noah, "cards.vcf", "--no-spread", keep=keep_rows("noah", "cards"))
    session.run("friend", "import", noah, "cards.vcf", "--spread", "--restore", "--merge")
    session.run("friend", "import", noah, "nothing.vcf", refused="unreadable_file")
    session.run("import", "undo", "00000000", refused="not_found")
    list_friends(session, "kim")


def add_devices(session):
    def add(account, platform, token, *options, name=None, **also):
        keep = (lambda told: {name: told["id"]}) if name else None
        session.run("device", "add", email(account), "--platform", platform, "--token", token, *options, keep=keep, **also)

    add("minji", "ios", "aaaa0001")
    add("minji", "android", "token-of-a-phone")
    add("emma", "ios", "aaaa0002")
    add("jack", "webhook", "https://hooks.example.com/jack", "--secret", SECRET, name="jack's webhook")
    add("lina", "webhook", "https://hooks.example.com/lina", name="lina's webhook")
    add("minji", "ios", "aaaa0001")
    add("jack", "ios", "aaaa0002")
    for account in ("minji", "emma", "jack", "lina"):
        session.run("device", "list", email(account))
    add("emma", "webhook", "http://hooks.example.com/emma", refused="usage")
    add("emma", "webhook", "https://emma:word@hooks.example.com/emma", refused="usage")
    session.run("device", "remove", "00000000-0000-4000-8000-000000000000", refused="not_found")


def seed(session):
    """Seeds generated gardens, new accounts and friends. Their due dates are not spread: a seed spreads them by random ids."""
    def garden(name, phones):
        return json.dumps({
            "account": {"email": email(name), "nickname": name.title(), "timeZone": "Europe/Paris", "reviewPushes": False},
            "tags": [{"name": "club", "cycleDays": 4}, {"name": "école"}],
            "plants": [
                {"name": f"{name.title()} {number}", "phone": f"+44 7700 9004{number}", "tags": ["club"] if number % 2 else []}
                for number in phones],
        }, ensure_ascii=False)

    friends = [
        {"account": email("nora"), "name": "Late Friend", "phone": "+44 7700 900490", "cycleDays": 2, "tags": ["école"]},
        {"account": email("ghost"), "name": "Of Nobody", "phone": "+44 7700 900491"},
        {"account": email("sam"), "name": "Of Sam", "phone": "+44 7700 900492", "cycleDays": 3, "favourite": True},
    ]
    lines = [garden("nora", range(10, 22)), garden("omar", range(30, 35)), *(json.dumps(friend) for friend in friends)]
    write(session, "gardens.jsonl", "\n".join(lines) + "\n")
    write(session, "members.csv", "\n".join([
        "account,name,phone,cycle_days,tags", f"{email('paul')},Quinn,+44 7700 900450,2,club",
        f"{email('paul')},Rosa,+44 7700 900451,,", f"{email('sam')},Sid,+44 7700 900452,5,", "nobody,Tom,+44 7700 900453,,",
        f"{email('paul')},Uma,,,"]) + "\n")
    session.at(3, "03:00")
    session.run("seed", "generate", "--accounts", "4", "--seed", "7", "--friends", "12", document=False)
    generated = {side: side.kept["seed generate"] for side in session.sides}
    if len(set(generated.values())) == 1:
        for side in session.sides:
            side.ids.give(generated[side])
    for _ in range(2):
        session.run("seed", "-", text=lambda side: generated[side])
    for _ in range(2):
        session.run("seed", "gardens.jsonl", "--no-spread", "--errors", "problems-of-seed.csv", writes="problems-of-seed.csv")
    session.run("seed", "members.csv", "--no-spread")
    session.run("seed", "members.csv", "--no-spread", "--time-zone", "Asia/Kolkata", "--language", "ko", "--cycle-days", "6")
    session.run("seed", "cards.vcf", refused="any")
    session.run("account", "list")
    for account in ("nora", "omar", "paul", "sam"):
        session.run("friend", "list", email(account), "--sort", "name", keep=keep_plants(account))
        session.run("tag", "list", email(account))
    for account in generated_accounts(session):
        session.run("friend", "list", account)


def generated_accounts(session):
    documents = session.plain.kept["seed generate"].splitlines()
    return [json.loads(document)["account"]["email"] for document in documents]


def tick(session, push="jsonl:pushes.jsonl", refused=None, **variables):
    """Schedules and delivers, and compares what was sent. Lanes are delivered concurrently, so the order is by chance."""
    began = {side: len(side.read("pushes.jsonl")) for side in session.sides}

    def sent(side):
        lines = [json.loads(line) for line in side.read("pushes.jsonl")[began[side]:].splitlines()]
        posts = side.receiver.taken()
        return {
            name: settled(masked(found, side.ids), (), (), side.ids)
            for name, found in (("pushes", lines), ("posts", posts)) if found
        }

    session.run("tick", refused=refused, extra=sent, CHERISH_PUSH=push, **variables)


def water(session, plant, number, *options):
    session.run(
        "water", plant, "--by", METHODS[number % len(METHODS)], "--keyword", WORDS[number % len(WORDS)], "--memo",
        f"이야기 {number}", *options)


def first_days(session):
    hana, jiwoo, doyun, daniel = ("{minji/" + name + "}" for name in ("Hana", "Jiwoo", "Doyun", "Daniel O'Brien"))
    session.at(3, "23:00")
    tick(session)
    session.run("push", "list", email("sam"))

    session.at(4, "00:10")
    tick(session)
    session.run(
        "water", "{minji/Hana:8}", "--by", "call", "--keyword", "이사", "--keyword", "부산", "--keyword", "커피", "--memo",
        "바다가 보이는 집으로 이사했다")
    session.run("friend", "show", hana)
    session.run("water", jiwoo, "--by", "kakaotalk")
    session.run("water", "{lina/Felix}", "--by", "message", "--no-review")
    session.run("water", "{emma/Zoë}", "--by", "video", "--memo", "only a memo")

    def refuse(code, *options, plant=hana):
        session.run("water", plant, "--by", "call", *options, refused=code)

    refuse("too_many_keywords", "--keyword", "a", "--keyword", "b", "--keyword", "c", "--keyword", "d")
    refuse("keyword_too_long", "--keyword", "sixchr")
    refuse("keyword_repeated", "--keyword", "sea", "--keyword", "sea")
    refuse("keyword_empty", "--keyword", " ")
    refuse("memo_too_long", "--memo", "m" * 101)
    refuse("watering_day_out_of_range", "--on", "2031-02-20")
    refuse("watering_day_out_of_range", "--on", "2031-03-05")
    refuse("usage", "--no-review", "--keyword", "sea")
    refuse("not_found", plant="00000000")
    refuse("not_found", plant="short")
    session.run("review", "decline", "{lina/Ida}", "--on", "2031-03-04", refused="not_found")
    session.at(4, "12:10")
    tick(session)

    session.at(5, "00:10")
    tick(session)
    session.run("postpone", hana, "--days", "8", refused="invalid_days")
    session.run("postpone", hana, "--days", "0", refused="invalid_days")
    session.run("postpone", hana, "--days", "3")
    session.run("postpone", hana, "--days", "1", refused="not_yet_due")
    session.run("postpone", doyun, "--days", "1", refused="not_yet_due")
    session.run("postpone", "{noah/Bo}", "--days", "1", refused="withered")
    # Before its alarm of that day, in India.
    session.run("postpone", "{paul/Quinn}", "--days", "2")
    session.run("push", "explain", hana)
    session.run("friend", "explain", hana)
    session.run("account", "edit", email("minji"), "--review-pushes", "off")
    session.at(5, "09:10")
    tick(session)
    water(session, "{noah/Bo}", 1)
    water(session, "{noah/Bo}", 2)

    session.at(6, "00:10")
    tick(session)
    session.run("friend", "edit", doyun, "--cycle-days", "2")
    session.run("friend", "edit", doyun, "--cycle-days", "10")
    session.run("friend", "edit", daniel, "--alarm", "21:30", "--pushes", "off", "--untag", "친구", "--favourite", "off")
    session.run("friend", "edit", "{minji/Sora}", "--birthday", "", "--nickname", "", "--tag", "일", "--favourite", "on")
    session.run("friend", "edit", "{minji/Sora}", "--nickname", "소라")
    session.run("friend", "edit", "{minji/Sora}", "--tag", "unknown", refused="not_found")
    session.run("tag", "remove", email("minji"), "친구")
    session.run("account", "edit", email("jack"), "--time-zone", "Europe/Paris", "--language", "ko")
    session.run("water", daniel, "--by", "in_person", "--on", "2031-03-04")
    session.run("review", "write", daniel, "--on", "2031-03-04", "--keyword", "sea")
    session.run("review", "write", daniel, "--memo", "the memo came later")
    session.run("review", "write", daniel, refused="review_empty")
    session.run("review", "delete", daniel, "--on", "2031-03-04")
    session.run("review", "write", "{minji/Sora}", "--keyword", "sea", refused="not_found")
    session.run("water", "{lina/Ida}", "--by", "call")
    session.run("review", "decline", "{lina/Ida}", "--on", "2031-03-06")
    session.at(6, "13:30")
    # In the quiet hours of Seoul, 22:30.
    session.run("account", "edit", email("minji"), "--review-pushes", "on")
    session.run("water", jiwoo, "--by", "message")
    # Reminders that have no reason any more when their time comes.
    session.run("water", "{ana/Bruno}", "--by", "other")
    session.run("review", "write", "{ana/Bruno}", "--keyword", "sea")
    session.run("water", "{sina/Tala}", "--by", "call")
    session.run("water", "{sina/Tala}", "--by", "video")
    session.at(6, "15:00")
    tick(session)
    session.run("push", "explain", jiwoo)


def retried_and_combined_days(session):
    """Pushes that cannot be written, then pushes to webhooks: one that takes all, one that is busy, one that is gone."""
    session.at(7, "00:10")
    tick(session, push="jsonl:nowhere/pushes.jsonl", refused="any")
    session.run("push", "list", email("kim"))
    session.at(7, "00:20")
    tick(session)
    session.run("push", "list", email("kim"))
    for number, name in enumerate(people()[:20]):
        water(session, "{kim/" + name + "}", number)
    session.run("import", "undo", "{restoring import}")
    session.run("import", "undo", "{first import}")
    session.at(7, "12:00")
    tick(session)
    # Nothing is to be sent to the outside world.
    for account in ("jack", "lina"):
        session.run("device", "remove", "{" + account + "'s webhook}")
        session.run("device", "list", email(account))
    devices = {"CHERISH_WEBHOOKS": "private"}
    paths = {"minji": "all", "kim": "all", "noah": "gone", "emma": "busy", "sam": "all", "nora": "all"}
    for account, path in paths.items():
        session.run(
            "device", "add", email(account), "--platform", "webhook", "--token", f"http://{{receiver}}/{path}", **devices)
    for side in session.sides:
        side.receiver.is_busy = True
    session.run("preview", email("minji"), "--to", "devices", "--days", "14")
    def to_devices(day, clock):
        session.at(day, clock)
        tick(session, push="devices", CHERISH_PUSH_DAILY_CAP="1", **devices)

    to_devices(8, "00:10")
    # Three alarms of one day: one push for all friends of the first, and a digest for the others.
    session.run("friend", "edit", "{nora/Nora 10}", "--alarm", "12:00")
    session.run("friend", "edit", "{nora/Nora 12}", "--alarm", "13:00")
    to_devices(8, "09:10")
    to_devices(9, "00:10")
    for side in session.sides:
        side.receiver.is_busy = False
    to_devices(9, "01:00")
    to_devices(9, "13:00")
    to_devices(10, "20:00")
    to_devices(10, "20:30")
    for account in ("minji", "emma", "kim", "noah", "nora"):
        session.run("push", "list", email(account))
        session.run("device", "list", email(account))
    session.run("push", "explain", "{noah/Gus Hill}", "--on", "2031-03-10")
    session.run("import", "undo", "{cards}")
    session.run("push", "explain", "{emma/Oliver}", "--on", "2031-03-08")
    session.run("push", "explain", "{nora/Nora 10}", "--on", "2031-03-10")
    session.run("push", "explain", "{nora/Nora 14}", "--on", "2031-03-10")


def later_days(session):
    for number, day in enumerate((11, 12)):
        session.at(day, "00:10")
        tick(session)
        for name in ("Hana", "Jiwoo"):
            water(session, "{minji/" + name + "}", number)
        water(session, "{emma/Oliver}", number, "--on", f"2031-03-{day - 1:02}")
        session.at(day, "10:00")
        for account, name in (("sina", "Tala"), ("noah", "Cleo"), ("nora", "Late Friend"), ("paul", "Quinn"), ("jack", "Liam")):
            water(session, "{" + f"{account}/{name}" + "}", number)
        tick(session)
    session.run("account", "edit", email("minji"), "--time-zone", "America/New_York")
    session.run("account", "edit", email("kim"), "--time-zone", "Asia/Tokyo", "--watering-pushes", "off")
    session.run("account", "edit", email("minji"), "--phone", "", "--nickname", "민지")


def pause_and_excuse(session):
    """Pauses of each kind, and outages: one in which no worker comes, and one that is declared. Spreading goes by ids, which differ."""
    minji, hana, zoe = email("minji"), "{minji/Hana}", "{emma/Zoë}"

    def pause(account, name, *options):
        session.run("pause", "add", account, *options, keep=lambda told: {name: told["id"]})

    session.at(12, "12:00")
    pause(minji, "tagged", "--to", "2031-03-15", "--tag", "family")
    pause(minji, "hana", "--from", "2031-03-10", "--to", "2031-03-14", "--friend", hana)
    pause(email("emma"), "emma", "--to", "2031-03-20")
    session.run("pause", "add", minji, "--to", "2031-03-15", "--tag", "unknown", refused="not_found")
    session.run("pause", "add", minji, "--to", "2031-03-01", refused="invalid_pause")
    session.run("friend", "edit", "{minji/Jiwoo}", "--tag", "family")
    for account in ("minji", "emma"):
        session.run("pause", "list", email(account))
        session.run("friend", "list", email(account))
        session.run("thing", "list", email(account))
        session.run("preview", email(account))
    session.run("friend", "explain", hana)
    session.run("calendar", hana)
    session.run("pause", "edit", "{tagged}", "--to", "2031-03-13")
    session.run("pause", "end", "{emma}")
    session.run("pause", "end", "{hana:8}")
    session.run("pause", "end", "{hana}", refused="invalid_pause")
    session.run("water", zoe, "--by", "call", "--no-review")
    session.run("friend", "list", email("emma"))

    # Due tomorrow at 09:00 in Tokyo. Nobody schedules until the day after.
    session.run(
        "friend", "add", email("kim"), "--name", "Missed", "--phone", "010-0000-0777", "--cycle-days", "1",
        keep=keep_plant("kim"))
    session.run("account", "edit", email("kim"), "--watering-pushes", "on")
    tick(session)
    session.at(14, "01:00")
    tick(session)
    session.run("outage", "list")
    session.run("outage", "add", "--from", "2031-03-11T23:00:00Z", "--to", "2031-03-12T20:00:00Z")
    session.run("outage", "add", "--from", "2031-03-13T20:00:00Z", "--to", "2031-03-12T23:00:00Z", refused="invalid_outage")
    tick(session)
    session.run("outage", "list")
    session.run("friend", "show", "{kim/Missed}")
    session.run("friend", "explain", "{kim/Missed}")
    session.run("push", "explain", "{kim/Missed}")
    session.run("friend", "list", email("kim"))


def explain(session):
    session.at(14, "12:00")
    tick(session)
    generated = generated_accounts(session)
    for account in ["minji", "kim", "emma", "noah", "sam", "nora"]:
        session.run("stats", email(account))
        session.run("push", "list", email(account))
        session.run("preview", email(account))
        session.run("preview", email(account), "--to", "devices", "--days", "60")
        session.run("preview", email(account), "--to", "lines", "--days", "7")
        session.run("import", "list", email(account))
        session.run("tag", "list", email(account))
    for account in generated:
        session.run("stats", account)
        session.run("push", "list", account)
        session.run("preview", account)
        session.run("friend", "list", account, "--sort", "affection")
    session.run("preview", email("kim"), "--days", "0", refused="usage")
    for plant in ("minji/Hana", "minji/Jiwoo", "minji/Doyun", "emma/Zoë", "noah/Bo", "sina/Tala", f"kim/{people()[5]}"):
        name = "{" + plant + "}"
        session.run("friend", "show", name)
        session.run("friend", "explain", name)
        session.run("push", "explain", name)
        for day in ("2031-03-04", "2031-03-06", "2031-03-08"):
            session.run("friend", "explain", name, "--on", day)
            session.run("push", "explain", name, "--on", day)
        session.run("calendar", name)
        session.run("calendar", name, "--from", "2031-03-01", "--to", "2031-07-01")
    session.run("calendar", "{minji/Hana}", "--from", "2031-03-02", "--to", "2031-03-01", refused="usage")
    list_friends(session, "minji")
    list_friends(session, "kim")
    list_things(session)
    session.run("thing", "remove", "{minji/우유}")
    session.run("thing", "show", "{minji/우유}", refused="not_found")


def show_reports(session, day, clock):
    """Shows every report in all ways, at one instant."""
    session.at(day, clock, step=0)
    session.run("report")
    session.run("report", "no_such_report", refused="unknown_report")
    for report in sorted(session.reports.columns):
        session.run("report", report)
        # Right behind: its rows are compared with the first of all.
        session.run("report", report, "--limit", "3")
        session.run("report", report, "--columns")
        for account in ("minji", "kim"):
            is_refused = None if session.reports.is_of_accounts(report) else "filter_refused"
            session.run("report", report, "--account", email(account), refused=is_refused)
        is_refused = None if session.reports.has_days(report) else "filter_refused"
        session.run("report", report, "--from", "2031-03-05", "--to", "2031-03-08", refused=is_refused)
    for options in (["--account", email("minji")], ["--days", "365", "--language", "ko"]):
        session.run("report", "page", "--out", "page.html", *options, writes="page.html")


def export_and_seed_again(session):
    session.at(14, "14:00")
    accounts = [*(email(name) for name in ("minji", "kim", "noah", "nora")), *generated_accounts(session)]
    documents = {}
    for account in accounts:
        for form in ("json", "csv", "vcard", "ical"):
            session.run("export", account, "--format", form, document=False)
            if form == "json":
                documents[account] = {side: side.kept["export json"] for side in session.sides}
    session.run("export", email("nobody"), "--format", "json", document=False, refused="not_found")

    # The same friends for new accounts, in JSON Lines. Plants are sorted by name: an export has them by id.
    def line(account, side):
        if not documents[account][side]:
            return ""
        told = json.loads(documents[account][side])
        friends = sorted((plant for plant in told["plants"] if not plant["archivedAt"]), key=lambda plant: plant["phone"])
        names = ("name", "phone", "nickname", "birthday", "cycleDays", "alarmTime", "tags", "favourite")
        return json.dumps({
            "account": {
                "email": f"copy-of-{told['account']['email']}", "nickname": "Copy", "timeZone": told["account"]["timeZone"],
                "language": told["account"]["language"]},
            "tags": [{name: tag[name] for name in ("name", "colour", "cycleDays")} for tag in told["tags"]],
            "plants": [{name: plant[name] for name in names} for plant in friends],
        }, ensure_ascii=False)

    write(session, "copies.jsonl", lambda side: "".join(f"{line(account, side)}\n" for account in accounts[:5]))
    for _ in range(2):
        session.run("seed", "copies.jsonl", "--no-spread")
    for account in accounts[:5]:
        session.run("friend", "list", f"copy-of-{account.lower()}", "--sort", "name")

    # The documents themselves come back after an erasure, with all ids.
    for account in (email("kim"), email("noah"), generated_accounts(session)[0]):
        session.run("account", "erase", account, refused="usage")
        session.run("account", "erase", account, "--yes")
        session.run("account", "show", account, refused="not_found")
        for _ in range(2):
            session.run("seed", "-", text=lambda side: documents[account][side])
        session.run("export", account, "--format", "json", document=False)
        session.check(
            f"'cherish export {account}' after erasing and seeding it is the same, to the byte",
            lambda side: side.kept["export json"] == documents[account][side])
    session.run("account", "erase", email("ravi"), "--yes")
    session.run("account", "show", "{ravi}", refused="not_found")
    session.run("friend", "show", "{ravi/Asha}", refused="not_found")
    session.at(15, "00:10")
    tick(session)
    session.at(15, "15:00")
    tick(session)
    session.run("account", "list")


def keep_house(session):
    """Lets a worker keep house: it makes partitions, counts days and summarizes histories, from which reports read then."""
    def tells(side):
        with open(side.path("worker.log"), "w", encoding="utf-8") as errors:
            worker = subprocess.Popen(
                [f"{side.programs}/cherish-worker"], cwd=side.folder, stderr=errors,
                env=side.environment | {"CHERISH_PUSH": "jsonl:worker.jsonl"})
        end = time.monotonic() + PATIENCE_SECONDS
        # With an error, it would try again in a minute.
        while not re.search(" error | kept house", side.read("worker.log")) and worker.poll() is None:
            if time.monotonic() > end:
                break
            time.sleep(0.1)
        worker.terminate()
        try:
            status = worker.wait(60)
        except subprocess.TimeoutExpired:
            worker.kill()
            status = "it did not stop within 60 s"
        # Without the times.
        lines = [line.partition(" ")[2] for line in side.read("worker.log").splitlines()]
        return {
            "status": status, "pushes": side.read("worker.jsonl"),
            "log": [line for line in lines if line.startswith(("error", "warning")) or "kept house" in line],
        }

    session.check("cherish-worker, which keeps house and is stopped", tells)


def end(session):
    session.at(16, "00:00")
    session.run("doctor", refused="any", CHERISH_PUSH="jsonl:pushes.jsonl")
    session.run("database", "status")
    session.run("database", "repair-cursors", "--dry-run", now=False)
    session.run("database", "repair-cursors", now=False)
    session.run("database", "repair-cursors", now=False)
    session.run("database", "repair-cursors", refused="usage")
    session.run("push", "list", email("minji"))
    session.run("account", "list")
    session.run("database", "migrate", now=False)


def main():
    programs, home, plain, citus = arguments(__doc__, 4, 4)
    session = Session(Side("plain", programs, home, plain), Side("citus", programs, home, citus))
    parts = [
        ("the move to Citus", lambda: begin(session)),
        ("accounts", lambda: add_accounts(session)),
        ("tags and friends", lambda: add_tags_and_friends(session)),
        ("things and stores", lambda: add_things(session)),
        ("imports", lambda: import_friends(session)),
        ("devices", lambda: add_devices(session)),
        ("seeds", lambda: seed(session)),
        ("three days", lambda: first_days(session)),
        ("pushes that fail, and webhooks", lambda: retried_and_combined_days(session)),
        ("two days more", lambda: later_days(session)),
        ("pauses and outages", lambda: pause_and_excuse(session)),
        ("explanations and previews", lambda: explain(session)),
        ("reports", lambda: show_reports(session, 14, "13:00")),
        ("exports, erasures and seeds of exports", lambda: export_and_seed_again(session)),
        ("a worker", lambda: keep_house(session)),
        ("reports from summaries", lambda: show_reports(session, 15, "16:00")),
        ("the doctor and repairs", lambda: end(session)),
    ]
    for title, play in parts:
        print(title, flush=True)
        play()
    raise SystemExit(session.conclude())


if __name__ == "__main__":
    main()

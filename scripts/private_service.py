"""A private cluster in a folder and the programs on one of its databases, shared by check-operating and soak."""

import atexit
import base64
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
import uuid
from datetime import datetime, timedelta, timezone


def arguments(description, least, most):
    """Returns the arguments of a program, of which the first is the folder of programs; answers --help."""
    given = sys.argv[1:]
    if given[:1] in (["--help"], ["-h"]):
        print(description)
        raise SystemExit
    if not least <= len(given) <= most:
        wrong = f"give {least} to {most} arguments" if least < most else f"give {least} arguments"
    elif not os.access(f"{given[0]}/cherish", os.X_OK):
        wrong = f"the folder {given[0]} holds no program cherish"
    else:
        return given
    print(f"error: {wrong} ({sys.argv[0]} --help says more)", file=sys.stderr)
    raise SystemExit(64)


class Service:
    def __init__(self, programs, home):
        self.programs = programs
        # Settings for other databases must not apply here.
        self.environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("PG", "CHERISH_", "DATABASE_URL"))
        }
        self.environment["CHERISH_HOME"] = home
        self.run("database", "start")
        self.database = self.run("database", "url").strip()

    def in_database(self, name, owner="cherish"):
        """Returns the same cluster and programs on a new database, as the user who owns it."""
        self.sql(f"CREATE DATABASE {name} OWNER {owner}")
        other = object.__new__(Service)
        other.programs = self.programs
        other.database = self.database.replace("'cherish'", f"'{name}'").replace("dbname=cherish", f"dbname={name}")
        assert other.database != self.database, self.database
        other.database += f" user={owner}"
        other.environment = self.environment | {"DATABASE_URL": other.database}
        return other

    def with_programs(self, programs):
        """Returns the same database with other programs, to which it is a server's."""
        other = object.__new__(Service)
        other.programs = programs
        other.database = self.database
        other.environment = self.environment | {"DATABASE_URL": self.database}
        return other

    def run(self, *arguments, expect=0, text="", **variables):
        """Runs a command and returns its output; its standard error, if it is expected to fail."""
        done = subprocess.run(
            [f"{self.programs}/cherish", *arguments],
            env=self.environment | variables, input=text, capture_output=True, text=True)
        if done.returncode != expect:
            raise SystemExit(f"error: cherish {' '.join(arguments)} ended with {done.returncode}: {done.stderr}{done.stdout}")
        return done.stderr if expect else done.stdout

    def tell(self, *arguments, **variables):
        """Returns the JSON document that a command prints."""
        return json.loads(self.run(*arguments, "--output", "json", **variables))

    def accounts(self, count, sessions=1):
        """Adds accounts without an e-mail; returns the tokens of the sessions of each."""
        tokens, statements = [], []
        for _ in range(count):
            account, of_account = uuid.uuid4(), []
            lane = account.bytes[15]
            for number in range(sessions):
                session, secret = uuid.uuid4(), os.urandom(32)
                of_account.append(base64.urlsafe_b64encode(bytes([1, lane]) + session.bytes + secret).decode().rstrip("="))
                ids, hashed = f"'{account}'", f"'\\x{hashlib.sha256(secret).hexdigest()}', 'x', now()"
                statements.append(
                    f"SELECT begin_anonymously({lane}::smallint, {ids}, 'x', 'Asia/Seoul', 'en', '{session}', {hashed});"
                    if number == 0 else
                    f"SELECT begin_session({lane}::smallint, {ids}, '{session}', {hashed});")
            tokens.append(of_account)
        for start in range(0, len(statements), 200):
            self.sql("BEGIN;" + "\n".join(statements[start:start + 200]) + "COMMIT;")
        return tokens

    def server(self, home, *arguments, **variables):
        """Starts a server on a free port; returns the process and its address."""
        environment = self.environment | {
            "CHERISH_HTTP": "127.0.0.1:0", "CHERISH_PUSH": "stdout", "CHERISH_LOG_LEVEL": "notice"} | variables
        with open(f"{home}/server.log", "w") as log:
            server = subprocess.Popen(
                [f"{self.programs}/cherish-server", *arguments], stdout=log, stderr=log, env=environment)
        atexit.register(server.kill)
        while not (found := re.search(r"http://127.0.0.1:\d+", open(f"{home}/server.log").read())):
            assert server.poll() is None, open(f"{home}/server.log").read()
            time.sleep(0.1)
        return server, found[0]

    def worker(self, pushes, log, **variables):
        """Starts a worker that appends its pushes and its log to files."""
        worker = subprocess.Popen(
            [f"{self.programs}/cherish-worker"], stderr=open(log, "a"),
            env=self.environment | {"CHERISH_PUSH": f"jsonl:{pushes}"} | variables)
        # None outlives a check that failed.
        atexit.register(worker.kill)
        return worker

    def sql(self, text):
        """Returns the rows of a statement, each as a list of strings."""
        done = subprocess.run(
            ["psql", "-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-d", self.database, "-c", text],
            capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"error: {done.stderr}")
        return [line.split("\t") for line in done.stdout.splitlines()]

    def number(self, text):
        return float(self.sql(text)[0][0])

    def wait_until_nothing_is_due(self, seconds=600):
        """Waits until everything planned up to now has its outcome."""
        pending = """
            SELECT (SELECT count(*) FROM push_retry) + (SELECT count(*) FROM push WHERE outcome IS NULL) + (
                SELECT count(*) FROM occurrence JOIN lane USING (lane) WHERE at <= now()
                    AND (at, subject_id, topic, ref) > (cursor_at, cursor_subject_id, cursor_topic, cursor_ref))"""
        end = time.monotonic() + seconds
        while self.number(pending):
            if time.monotonic() > end:
                raise SystemExit(f"error: {self.number(pending):.0f} pushes did not come within {seconds} s")
            time.sleep(0.1)


class DueFriends:
    """Seeds friends who are due at once: registered yesterday with a cycle of one day."""

    def __init__(self):
        # A zone where it is about noon: no day ends while this runs, so nothing expires.
        self.zone = f"Etc/GMT{datetime.now(timezone.utc).hour - 12:+d}"
        self.count = 0

    def plant(self, service, accounts, friends):
        """Adds accounts with the same number of friends each."""
        rows = ["account,name,phone,cycle_days,alarm"]
        for account in range(accounts):
            self.count += 1
            rows += [
                f"due-{self.count}@example.com,Friend {friend},+8210{20_000_000 + friend},1,00:00"
                for friend in range(friends)
            ]
        yesterday = (datetime.now(timezone.utc) - timedelta(days=1)).strftime("%FT%TZ")
        report = service.tell(
            "seed", "-", "--time-zone", self.zone, "--no-spread", "--now", yesterday, text="\n".join(rows))
        assert report["friends"] == accounts * friends, report


def pushes_in(path):
    """Returns the pushes that a worker wrote to a file."""
    try:
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file]
    except FileNotFoundError:
        return []


def stop(worker):
    """Stops a worker like a service manager: SIGTERM, then wait."""
    worker.send_signal(signal.SIGTERM)
    if worker.wait(60) != 0:
        raise SystemExit(f"error: a worker ended with {worker.returncode}")

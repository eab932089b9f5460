"""A server that is killed while requests run: see scripts/faults, which runs this after the campaign.

    python3 server.py PROGRAMS-FOLDER [--kills N] [--seed N]

People add friends and water them through the API, each request with an Idempotency-Key. The server is killed at random moments
and started again; whoever gets no answer repeats the request with its key. At the end, whatever was answered with 2xx is stored,
and whatever was repeated happened once. Exits with 1 otherwise.
"""

import argparse
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid

PEOPLE = 6


def free_port():
    """A port that no outgoing connection takes while the server is down: below those that the system hands out."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as free:
            try:
                free.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass


class Server:
    def __init__(self, programs, folder):
        self.port = free_port()
        self.program = pathlib.Path(programs) / "cherish-server"
        self.mails = folder / "mail.jsonl"
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")} | {
            "CHERISH_HOME": str(folder / "cherish"), "CHERISH_HTTP": f"127.0.0.1:{self.port}",
            "CHERISH_MAIL": f"jsonl:{self.mails}", "CHERISH_LOG_LEVEL": "error"}
        self.environment.pop("DATABASE_URL", None)
        self.start()

    def start(self):
        self.process = subprocess.Popen([self.program], env=self.environment, stdout=subprocess.DEVNULL)
        for _ in range(600):
            try:
                if self.call("GET", "/readyz")[0] == 200:
                    return
            except OSError:
                pass
            time.sleep(0.1)
        sys.exit("the server does not start")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def call(self, method, path, body=None, token=None, key=None):
        """The status and the document; OSError or http.client.HTTPException without an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        headers = {}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if key:
            headers["Idempotency-Key"] = key
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text) if text[:1] == b"{" else None
        finally:
            connection.close()

    def sign_up(self, number):
        email = f"person{number}@example.com"
        begun = self.call("POST", "/v1/signups", {"email": email, "language": "en"})[1]
        while not (code := self.code(email)):
            time.sleep(0.05)
        status, answer = self.call("POST", "/v1/accounts", {
            "signupId": begun["id"], "code": code, "password": "lilac-7-umbrella", "nickname": "M", "timeZone": "Asia/Seoul",
            "language": "en"})
        assert status == 201, answer
        return answer["token"]

    def code(self, email):
        try:
            mails = [json.loads(line) for line in open(self.mails, encoding="utf-8")]
        except FileNotFoundError:
            return None
        return next((re.match(r"\d{6}", mail["text"]).group() for mail in mails if mail["to"] == email), None)


class Person(threading.Thread):
    def __init__(self, server, number, stop):
        super().__init__(daemon=True)
        self.server, self.number, self.stop = server, number, stop
        self.token = server.sign_up(number)
        self.friends, self.waterings = {}, {}
        self.lost = self.repeated = 0
        self.problems = []

    def insist(self, path, body):
        """Repeats a request with its key until there is an answer; None if only the answer was lost."""
        key = str(uuid.uuid4())
        for attempt in range(600):
            try:
                status, answer = self.server.call("POST", path, body, self.token, key)
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)
                continue
            if status in (200, 201):
                self.repeated += attempt > 0
                return answer
            if status == 409 and answer["code"] == "answer_lost":
                self.lost += 1
                return None
            if status == 503 or status == 409 and answer["code"] == "request_running":
                time.sleep(0.2)
                continue
            self.problems.append(f"{path}: {status} {answer}")
            return None
        self.problems.append(f"{path}: no answer for ever")
        return None

    def run(self):
        count = 0
        while not self.stop.is_set():
            count += 1
            phone = f"+8210{self.number:02}{count:06}"
            added = self.insist("/v1/friends", {"name": f"F{count}", "phone": phone, "cycleDays": 7})
            self.friends[phone] = added["id"] if added else None
            if added:
                self.waterings[added["id"]] = 0
                for _ in range(2):
                    self.insist(f"/v1/friends/{added['id']}/waterings", {"method": "call"})
                    self.waterings[added["id"]] += 1

    def verify(self):
        stored, after = {}, ""
        while True:
            page = self.server.call("GET", f"/v1/friends?limit=200{after}", token=self.token)[1]
            for plant in page["plants"]:
                if plant["phone"] in stored:
                    self.problems.append(f"{plant['phone']} is there twice")
                stored[plant["phone"]] = plant
            if page["next"] is None:
                break
            after = f"&after={page['next']}"
        for phone, known in self.friends.items():
            plant = stored.pop(phone, None)
            if plant is None:
                self.problems.append(f"{phone} was confirmed and is not stored")
            elif known and plant["wateringCount"] != self.waterings[known]:
                self.problems.append(f"{phone} was watered {plant['wateringCount']} times, not {self.waterings[known]}")
        self.problems += [f"{phone} was never asked for" for phone in stored]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    chance = random.Random(options.seed)
    folder = pathlib.Path(tempfile.mkdtemp())
    server = Server(options.programs, folder)
    try:
        stop = threading.Event()
        people = [Person(server, number, stop) for number in range(PEOPLE)]
        for person in people:
            person.start()
        for _ in range(options.kills):
            time.sleep(chance.uniform(0.3, 1.5))
            server.kill()
            server.start()
        time.sleep(0.5)
        stop.set()
        for person in people:
            person.join(120)
            person.verify()
        problems = [problem for person in people for problem in person.problems]
        print(
            f"the server was killed {options.kills} times; {sum(len(person.friends) for person in people)} friends and "
            f"{sum(sum(person.waterings.values()) for person in people)} waterings, "
            f"{sum(person.repeated for person in people)} repeated, {sum(person.lost for person in people)} answers lost")
        for problem in problems[:20]:
            print(f"BROKEN: {problem}; repeat with --seed {options.seed}")
        return 1 if problems else 0
    finally:
        server.kill()
        subprocess.run([pathlib.Path(options.programs) / "cherish", "database", "stop"], env=server.environment,
                       stdout=subprocess.DEVNULL)
        shutil.rmtree(folder, ignore_errors=True)


sys.exit(main())

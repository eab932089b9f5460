"""What the server sends to PostgreSQL for a request, read off the wire between them, for benchmark-api.

All contestants send the same statements with the same parameters in the same round trips. A parameter that belongs to
one friend, account, token or request becomes a variable.
"""

import collections
import datetime
import re
import socket
import struct
import threading
import uuid


def integer(value):
    return int.from_bytes(value, "big", signed=True)


EPOCH = datetime.datetime(2000, 1, 1, tzinfo=datetime.timezone.utc)
# The types of parameters by their object ids, and how to read their binary form.
TYPES = {
    16: ("boolean", lambda value: value != b"\0"),
    17: ("bytea", lambda value: "\\x" + value.hex()),
    20: ("bigint", integer),
    21: ("smallint", integer),
    23: ("integer", integer),
    25: ("text", bytes.decode),
    1082: ("date", lambda value: (EPOCH.date() + datetime.timedelta(integer(value))).isoformat()),
    1184: ("timestamptz", lambda value: (EPOCH + datetime.timedelta(microseconds=integer(value))).isoformat()),
    2950: ("uuid", lambda value: str(uuid.UUID(bytes=value))),
}
ARRAYS = {1000: 16, 1001: 17, 1016: 20, 1005: 21, 1007: 23, 1009: 25, 1182: 1082, 1185: 1184, 2951: 2950}


def decoded(kind, value):
    """Returns a parameter with the name of its type, and its value as JSON has it."""
    name, read = TYPES[ARRAYS.get(kind, kind)]
    if kind not in ARRAYS:
        return {"type": name, "value": None if value is None else read(value)}
    if value is None:
        return {"type": name + "[]", "value": None}
    elements, at = [], 20
    while at < len(value):
        length = integer(value[at:at + 4])
        elements.append(read(value[at + 4:at + 4 + length]) if length >= 0 else None)
        at += 4 + max(length, 0)
    return {"type": name + "[]", "value": elements}


class Recorder:
    """Stands between a server and PostgreSQL, and keeps a list of the statements of each round trip.

    PostgreSQL's log has the same statements, but does not show where a round trip ends."""

    def __init__(self, folder, database):
        self.database = str(database)
        self.trips = []
        self.lock = threading.Lock()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(folder / ".s.PGSQL.5432"))
        self.listener.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            server, _ = self.listener.accept()
            Line(self, server)

    def take(self):
        """Returns the round trips since the last time."""
        with self.lock:
            trips, self.trips = self.trips, []
        return [trip for trip in trips if trip]


class Line:
    """A connection through the recorder. It speaks version 3 of PostgreSQL's protocol, with parameters in binary."""

    def __init__(self, recorder, server):
        self.recorder, self.server = recorder, server
        self.database = socket.socket(socket.AF_UNIX)
        self.database.connect(recorder.database)
        self.prepared = {}
        self.bound = None
        self.trip = []
        self.running = collections.deque()
        # How often PostgreSQL has yet to say that it is ready; the first time ends the start of the connection.
        self.unanswered = 1
        self.begins_trip = False
        for forward in (self.forward_requests, self.forward_answers):
            threading.Thread(target=forward, daemon=True).start()

    def forward_requests(self):
        stream = self.server.makefile("rb")
        if start := stream.read(4):
            self.database.sendall(start + stream.read(integer(start) - 4))
        while head := stream.read(5):
            body = stream.read(integer(head[1:]) - 4)
            with self.recorder.lock:
                self.note_request(head[:1], body)
            self.database.sendall(head + body)
        self.database.shutdown(socket.SHUT_WR)

    def forward_answers(self):
        stream = self.database.makefile("rb")
        while head := stream.read(5):
            body = stream.read(integer(head[1:]) - 4)
            with self.recorder.lock:
                self.note_answer(head[:1], body)
            self.server.sendall(head + body)
        self.server.shutdown(socket.SHUT_RDWR)

    def note_request(self, kind, body):
        if self.begins_trip:
            self.begins_trip = False
            self.trip = []
            self.recorder.trips.append(self.trip)
        match kind:
            case b"P":
                name, text, types = body.split(b"\0", 2)
                self.prepared[name] = text.decode(), struct.unpack(f"!{integer(types[:2])}I", types[2:])
            case b"B":
                self.bound = self.statement(body)
            case b"E":
                self.trip.append(self.bound)
                self.running.append(self.bound)
            case b"Q":
                self.bound = {"sql": body[:-1].decode(), "parameters": [], "columns": []}
                self.trip.append(self.bound)
                self.running.append(self.bound)
                self.unanswered += 1
            case b"S":
                self.unanswered += 1

    def statement(self, body):
        _, name, rest = body.split(b"\0", 2)
        sql, types = self.prepared[name]
        formats = integer(rest[:2])
        at = 4 + 2 * formats
        parameters = []
        for kind in types:
            length = integer(rest[at:at + 4])
            parameters.append(decoded(kind, rest[at + 4:at + 4 + length] if length >= 0 else None))
            at += 4 + max(length, 0)
        return {"sql": sql, "parameters": parameters, "columns": []}

    def note_answer(self, kind, body):
        match kind:
            # The columns of the rows.
            case b"T":
                at = 2
                while at < len(body):
                    end = body.index(b"\0", at)
                    self.running[0]["columns"].append(body[at:end].decode())
                    at = end + 19
            # The end of a statement.
            case b"C" | b"I" | b"s":
                self.running.popleft()
            case b"Z":
                self.unanswered -= 1
                self.begins_trip = self.unanswered == 0
                if self.begins_trip:
                    # Failed statements have no end.
                    self.running.clear()


def with_variables(trips, names):
    """Replaces values that are keys of `names` by variables of those names."""
    def value(constant):
        if isinstance(constant, list):
            return [value(element) for element in constant]
        return {"variable": names[constant]} if constant in names and constant is not None else constant

    return [
        [statement | {"parameters": [
            parameter | {"value": value(parameter["value"])} for parameter in statement["parameters"]]}
         for statement in trip]
        for trip in trips]


def pgbench_script(trips, table, count):
    """The round trips as pipelines of pgbench, and the values of its variables.

    Each client takes another friend of a table every ten times, and numbers of waterings that nobody else takes.
    Constants are parameters, too: PostgreSQL would plan with them."""
    constants = {}

    def expression(kind, value):
        if value is None:
            # A variable without a value is null.
            return f"(:none::{kind})"
        if value == "":
            # Which no variable can be.
            return f"(''::{kind})"
        if isinstance(value, dict):
            return f"(:{value['variable']}::{kind})"
        if isinstance(value, list) and value:
            elements = (expression(kind.removesuffix("[]"), element) for element in value)
            return f"(ARRAY[{', '.join(elements)}]::{kind})"
        return f"(:{constants.setdefault('{}' if value == [] else str(value), f'constant_{len(constants)}')}::{kind})"

    lines = [
        "\\if mod(:count, 10) = 0", f"\\set random random(1, {count})",
        f"SELECT * FROM {table} WHERE random = :random \\gset", "\\endif",
        "\\set count :count + 1", "\\set number :client_id * 10000000 + :count"]
    for trip in trips:
        lines.append("\\startpipeline")
        for statement in trip:
            # Comments may hold colons, with which pgbench's variables begin.
            sql = re.sub(r"/\*.*?\*/", "", statement["sql"], flags=re.DOTALL)
            values = [expression(parameter["type"], parameter["value"]) for parameter in statement["parameters"]]
            lines.append(re.sub(r"\$(\d+)", lambda found: values[int(found[1]) - 1], sql) + ";")
        lines.append("\\endpipeline")
    return "\n".join(lines) + "\n", {name: value for value, name in constants.items()} | {"count": "1000000"}

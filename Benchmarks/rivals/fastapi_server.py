"""A rival of cherish-server: FastAPI with asyncpg on uvicorn with uvloop and httptools, as people write such a service.

    fastapi_server.py STATEMENTS PORT WORKERS

It sends the statements that cherish-server sends (`STATEMENTS`, which benchmark-api writes), decodes all rows and
answers documents of the same names, without any rule: what a rule would compute is a constant.

asyncpg has no pipelines, so each query is a round trip. COMMIT, BEGIN and the settings of the transaction that follows
need no answer and go in one text. The pool does not reset connections, because nothing outlives a transaction.
"""

import base64
import datetime
import hashlib
import json
import os
import sys
import uuid
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated

import asyncpg
import uvicorn
from fastapi import Depends, FastAPI, HTTPException
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel


class Plant(BaseModel):
    id: uuid.UUID
    accountId: uuid.UUID
    name: str
    nickname: str
    phone: str
    birthday: str | None
    species: str
    cycleDays: int
    alarmTime: str
    plantedOn: datetime.date
    lastWateredOn: datetime.date | None
    dueOn: datetime.date
    originalDueOn: datetime.date | None
    withersOn: datetime.date
    pausedUntil: datetime.date | None
    daysLeft: int
    label: str
    condition: str
    gauge: float
    affection: int
    stage: str
    full: bool
    phrase: str
    wateringCount: int
    postponementCount: int
    pushesEnabled: bool
    favourite: bool
    tags: list[str]
    archivedAt: datetime.datetime | None
    version: int
    modifiedAt: datetime.datetime | None


class Watering(BaseModel):
    id: str
    plantId: uuid.UUID
    wateredOn: datetime.date
    method: str
    pointsGained: int
    keywords: list[str]
    memo: str | None
    reviewDeclined: bool


class Friend(Plant):
    reviews: list[Watering]
    keywords: list[str]


class Garden(BaseModel):
    plants: list[Plant]
    next: str | None


class Contact(BaseModel):
    method: str


class Watered(BaseModel):
    watering: Watering
    plant: Plant


class Statement:
    """A statement, its parameters as asyncpg wants them, and what its rows are, told by their columns."""

    def __init__(self, recorded):
        self.sql = recorded["sql"]
        self.parameters = [self.parameter(parameter) for parameter in recorded["parameters"]]
        proves = "use_session" in self.sql
        self.is_setting = self.sql.startswith(("BEGIN", "COMMIT", "SELECT set_config(")) and not proves
        columns = recorded["columns"]
        marks = {
            "signed_in_at": "session", "time_zone": "account", "watering_count": "plants", "colour": "tags",
            "tag_id": "taggings", "keywords": "reviews" if "coalesce" in columns else "newest"}
        self.rows = "session" if proves else next((rows for mark, rows in marks.items() if mark in columns), "others")

    @staticmethod
    def parameter(recorded):
        """Returns a constant, or a function of the variables."""
        convert = {
            "uuid": uuid.UUID, "date": datetime.date.fromisoformat, "timestamptz": datetime.datetime.fromisoformat,
            "bytea": lambda text: bytes.fromhex(text[2:]),
        }.get(recorded["type"].removesuffix("[]"), lambda value: value)
        is_text = recorded["type"] == "text"

        def value(constant):
            if isinstance(constant, dict):
                name = constant["variable"]
                return (lambda variables: str(variables[name])) if is_text else lambda variables: variables[name]
            return None if constant is None else convert(constant)

        if not isinstance(recorded["value"], list):
            return value(recorded["value"])
        elements = [value(element) for element in recorded["value"]]
        return lambda variables: [element(variables) if callable(element) else element for element in elements]

    def values(self, variables):
        return [parameter(variables) if callable(parameter) else parameter for parameter in self.parameters]

    def text(self, variables):
        """A statement that only has texts as parameters, with these in it."""
        text = self.sql
        for number, value in enumerate(self.values(variables), 1):
            text = text.replace(f"${number}", "'" + value.replace("'", "''") + "'")
        return text


class Connection(asyncpg.Connection):
    def get_reset_query(self):
        return ""


setting = json.loads(Path(os.environ.get("RIVAL_STATEMENTS") or sys.argv[1]).read_text())
routes = {
    name: [Statement(statement) for trip in trips for statement in trip] for name, trips in setting["routes"].items()}
workers = int(os.environ.get("RIVAL_WORKERS") or sys.argv[3])
pool = None


@asynccontextmanager
async def lifespan(_):
    global pool
    size = setting["connections"] // workers
    pool = await asyncpg.create_pool(**setting["database"], min_size=size, max_size=size, connection_class=Connection)
    yield
    await pool.close()


app = FastAPI(lifespan=lifespan)


async def token_parts(credentials: Annotated[HTTPAuthorizationCredentials, Depends(HTTPBearer())]):
    """What the token holds: a version, the lane, the session and the secret, of which the database has a hash."""
    token = base64.urlsafe_b64decode(credentials.credentials + "=" * (-len(credentials.credentials) % 4))
    return {
        "lane": token[1], "session": uuid.UUID(bytes=token[2:18]), "secret": hashlib.sha256(token[18:]).digest()}


Token = Annotated[dict, Depends(token_parts)]


async def run(route, variables):
    """Runs the statements of a route, and returns their rows by what they are."""
    # Whose the session is, as cherish-server remembers it; the database proves it.
    variables["account"] = uuid.UUID(setting["accounts"][str(variables["session"])])
    rows = {}
    texts = []
    async with pool.acquire() as connection:
        for statement in routes[route]:
            if statement.is_setting:
                texts.append(statement.text(variables))
                continue
            if texts:
                await connection.execute("; ".join(texts))
                texts = []
            found = await connection.fetch(statement.sql, *statement.values(variables))
            rows[statement.rows] = found
            if statement.rows == "session":
                if not found or str(found[0][0]) != str(variables["account"]):
                    await connection.execute("ROLLBACK")
                    raise HTTPException(401)
            elif statement.rows == "plants" and len(found) == 1:
                variables |= {"phone": found[0]["phone"], "number": found[0]["watering_count"] + 1}
        await connection.execute("; ".join(texts))
    return rows


def plant(row, tags):
    days = (row["due_on"] - datetime.date.today()).days
    birthday = row["birthday_month"] and f"{row['birthday_month']:02}-{row['birthday_day']:02}"
    return {
        "id": row["id"], "accountId": row["account_id"], "name": row["name"], "nickname": row["nickname"],
        "phone": row["phone"], "birthday": birthday, "species": "american_blue", "cycleDays": row["cycle_days"],
        "alarmTime": f"{row['alarm_minute'] // 60:02}:{row['alarm_minute'] % 60:02}", "plantedOn": row["planted_on"],
        "lastWateredOn": row["last_watered_on"], "dueOn": row["due_on"], "originalDueOn": row["original_due_on"],
        "withersOn": row["due_on"] + datetime.timedelta(days=1), "pausedUntil": None, "daysLeft": days, "label": f"D-{days}",
        "condition": "thriving", "gauge": 1.0, "affection": row["affection"], "stage": "sprout", "full": False,
        "phrase": "햇살을 머금은", "wateringCount": row["watering_count"], "postponementCount": row["postponement_count"],
        "pushesEnabled": row["pushes_enabled"], "favourite": row["is_favourite"], "tags": tags,
        "archivedAt": row["removed_at"], "version": row["version"],
        "modifiedAt": row["modified_at"]}


def tag_names(rows):
    return [row["name"] for row in rows["tags"]]


@app.get("/v1/friends/{friend}")
async def show(friend: uuid.UUID, token: Token) -> Friend:
    rows = await run("friend", token | {"friend": friend})
    if not rows["plants"]:
        raise HTTPException(404)
    reviews = [
        {"id": f"{friend}/{row['number']}", "plantId": friend, "wateredOn": row["watered_on"], "method": row["method"],
         "pointsGained": row["coalesce"], "keywords": row["keywords"], "memo": row["memo"],
         "reviewDeclined": row["is_review_declined"]}
        for row in rows["reviews"]]
    newest = rows["newest"]
    return plant(rows["plants"][0], tag_names(rows)) | {
        "reviews": reviews, "keywords": newest[0]["keywords"] if newest else []}


@app.get("/v1/friends")
async def garden(token: Token, limit: int = 50) -> Garden:
    rows = await run("list", token)
    names = {row["id"]: row["name"] for row in rows["tags"]}
    tags = {}
    for row in rows["taggings"]:
        tags.setdefault(row["plant_id"], []).append(names[row["tag_id"]])
    return {"plants": [plant(row, tags.get(row["id"], [])) for row in rows["plants"][:limit]], "next": None}


@app.post("/v1/friends/{friend}/waterings", status_code=201)
async def water(friend: uuid.UUID, contact: Contact, token: Token) -> Watered:
    variables = token | {"friend": friend, "method": contact.method}
    rows = await run("watering", variables)
    number = variables["number"]
    return {
        "watering": {
            "id": f"{friend}/{number}", "plantId": friend, "wateredOn": datetime.date.today(),
            "method": contact.method, "pointsGained": 0, "keywords": [], "memo": None, "reviewDeclined": False},
        "plant": plant(rows["plants"][0], tag_names(rows)) | {"wateringCount": number}}


def serve(name):
    """Serves the app of that name in this folder."""
    # Workers are processes that import its file.
    os.environ |= {"RIVAL_STATEMENTS": sys.argv[1], "RIVAL_WORKERS": sys.argv[3]}
    uvicorn.run(
        name, app_dir=str(Path(__file__).parent), port=int(sys.argv[2]), workers=workers, loop="uvloop",
        http="httptools", access_log=False, log_level="warning")


if __name__ == "__main__":
    serve("fastapi_server:app")

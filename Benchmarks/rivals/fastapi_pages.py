"""A rival of cherish-server's garden page: Jinja2 on the rival of the API, with the same statements and processes.

    fastapi_pages.py STATEMENTS PORT WORKERS

It computes what the page shows of each plant; the phrase of the day, and the page around its main part, are constants
that benchmark-pages took from a page of cherish-server. The template escapes like any other."""

import datetime
import zoneinfo
from pathlib import Path
from typing import Annotated

from fastapi import Cookie
from fastapi.responses import HTMLResponse
from fastapi.security import HTTPAuthorizationCredentials
from fastapi_server import app, run, serve, setting, token_parts
from jinja2 import Environment
from starlette.middleware.gzip import GZipMiddleware

MOST_SHOWN = 200
SPECIES = ((3, "rosemary"), (7, "american_blue"), (15, "dandelion"), (30, "stuckyi"), (90, "echinopsis"))

page = setting["page"]
template = Environment(
    autoescape=True, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
).from_string(page["before"] + Path(__file__).with_name("garden.html").read_text() + page["after"])
template.globals |= {"sprite": page["sprite"], "phrase": page["phrase"]}
# Level 1 and 1,400 bytes, as cherish-server has them.
app.add_middleware(GZipMiddleware, minimum_size=1400, compresslevel=1)


def seen(row, today):
    """A plant as the page shows it on a day."""
    days = (row["due_on"] - today).days
    anchor = max(row["last_watered_on"] or row["planted_on"], row["restored_on"] or row["planted_on"])
    span = (row["due_on"] - anchor).days
    affection = row["affection"]
    return {
        "id": row["id"], "name": row["name"], "nickname": row["nickname"], "is_favourite": row["is_favourite"],
        "affection": affection, "days": days, "gauge": min(max(days / span, 0), 1) if span > 0 else 0,
        "label": f"D-{days}" if days > 0 else f"D+{-days}" if days else "D-DAY",
        "condition": "thriving" if days > 0 else "withered" if days else "thirsty",
        "species": next(species for most, species in SPECIES if row["cycle_days"] <= most),
        "stage": "sprout" if affection < 24 else "bud" if affection < 48 else "bloom"}


@app.get("/")
async def garden(session: Annotated[str, Cookie(alias="__Host-cherish")]) -> HTMLResponse:
    rows = await run("garden", await token_parts(HTTPAuthorizationCredentials(scheme="Bearer", credentials=session)))
    account = rows["account"][0]
    today = account["coalesce"].astimezone(zoneinfo.ZoneInfo(account["time_zone"])).date()
    found = sorted(
        rows["plants"], key=lambda row: (row["due_on"], row["affection"], row["nickname"], row["id"].bytes))
    plants = [seen(row, today) for row in found[:MOST_SHOWN]]
    return HTMLResponse(
        template.render(
            chosen=plants[0], plants=plants, count=len(found), tags=sorted(rows["tags"], key=lambda tag: tag["name"])),
        headers=page["headers"])


if __name__ == "__main__":
    serve("fastapi_pages:app")

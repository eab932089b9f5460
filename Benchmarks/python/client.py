"""The client benchmark's references: the same work by psycopg 3 (C) and asyncpg.

Usage: client.py psycopg|asyncpg read|bind|copy CONNINFO SOCKET_DIRECTORY ROWS
Prints the seconds that the work took, without connecting and without making the rows.
"""

import asyncio
import datetime
import gc
import sys
import time
import uuid

library, task, conninfo, host, count = sys.argv[1:]
count = int(count)

READ = "SELECT id, uid, name, at, day FROM sample"
COLUMNS = ("id", "uid", "name", "at", "day")


def rows():
    start = datetime.datetime(2027, 3, 2, tzinfo=datetime.timezone.utc)
    day = datetime.date(2027, 3, 2)
    return [
        (number, uuid.UUID(int=number << 64 | number), f"name {number}",
         start + datetime.timedelta(seconds=number), day + datetime.timedelta(days=number % 1000))
        for number in range(count)
    ]


def with_psycopg():
    import psycopg

    assert psycopg.pq.__impl__ in ("binary", "c"), "psycopg without its C part"
    with psycopg.connect(conninfo + " application_name=contestant", autocommit=True) as connection:
        if task == "read":
            with connection.cursor(binary=True) as cursor:
                cursor.execute("SELECT 1")
                start = time.perf_counter()
                cursor.execute(READ)
                result = cursor.fetchall()
                elapsed = time.perf_counter() - start
                assert len(result) == count
        elif task == "bind":
            data = rows()
            with connection.cursor() as cursor:
                start = time.perf_counter()
                with connection.transaction():
                    cursor.executemany(
                        "INSERT INTO target (id, uid, name, at, day) VALUES (%b, %b, %s, %b, %b)", data)
                elapsed = time.perf_counter() - start
        else:
            data = rows()
            with connection.cursor() as cursor:
                start = time.perf_counter()
                with cursor.copy("COPY target (id, uid, name, at, day) FROM STDIN (FORMAT binary)") as copy:
                    copy.set_types(["int8", "uuid", "text", "timestamptz", "date"])
                    for row in data:
                        copy.write_row(row)
                elapsed = time.perf_counter() - start
    return elapsed


async def with_asyncpg():
    import asyncpg

    connection = await asyncpg.connect(
        host=host, user="cherish", database="cherish", server_settings={"application_name": "contestant"})
    if task == "read":
        await connection.fetch("SELECT 1")
        start = time.perf_counter()
        result = await connection.fetch(READ)
        elapsed = time.perf_counter() - start
        assert len(result) == count
    elif task == "bind":
        data = rows()
        start = time.perf_counter()
        await connection.executemany(
            "INSERT INTO target (id, uid, name, at, day) VALUES ($1, $2, $3, $4, $5)", data)
        elapsed = time.perf_counter() - start
    else:
        data = rows()
        start = time.perf_counter()
        await connection.copy_records_to_table("target", records=data, columns=COLUMNS)
        elapsed = time.perf_counter() - start
    await connection.close()
    return elapsed


# Collecting garbage in the middle of a million new tuples would time the collector.
gc.disable()
print(with_psycopg() if library == "psycopg" else asyncio.run(with_asyncpg()))

#!/usr/bin/env python3
"""Visits every page of the web garden with Chromium, as people do.

    pages.py [--long] [--table FILE] PROGRAMS ADDRESS HOME

ADDRESS is the web garden's, and HOME the folder with mail.jsonl and sms.jsonl. --table writes what axe found as Markdown.
Ends with 1 if something is not as it should be."""

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor

import devices  # its visits
from garden import Garden, Person, chromium
from judge import Judge
from visits import VISITS
from way import walk


def walk_whole_way(garden, is_long, language, scripts, theme):
    """Lets somebody go everywhere. Returns what that was, and its judge."""
    judge = Judge(is_long)
    with chromium() as browser:
        person = Person(garden, browser, language, scripts, theme=theme)
        walk(person, judge)
    return f"the whole way ({person.variant})", judge


def make_visit(garden, is_long, number):
    """Makes one of the visits. Returns what that was, and its judge."""
    judge, visit = Judge(is_long), VISITS[number]
    with chromium() as browser:
        for person in visit(garden, browser):
            judge.problems += [
                f"{visit.__name__} ({person.variant}): {problem}" for problem in dict.fromkeys(person.problems)]
            person.close()
    return visit.__name__.replace("_", " "), judge


def timed(work, *arguments):
    began = time.monotonic()
    return *work(*arguments), time.monotonic() - began


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--long", action="store_true")
    words.add_argument("--table")
    words.add_argument("service", nargs=3, metavar="PROGRAMS ADDRESS HOME")
    wanted = words.parse_args()
    garden, judge = Garden(*wanted.service), Judge(wanted.long)
    ways = [("en", True, "light"), ("ko", False, "dark")]
    if wanted.long:
        ways += [("en", False, "light"), ("ko", True, "dark")]
    # Two browsers at a time: one alone leaves a machine of two cores half idle.
    with ProcessPoolExecutor(2) as pool:
        visits = [pool.submit(timed, walk_whole_way, garden, wanted.long, *way) for way in ways]
        visits += [pool.submit(timed, make_visit, garden, wanted.long, number) for number in range(len(VISITS))]
        for visit in visits:
            name, found, seconds = visit.result()
            judge.add(found)
            print(f"  {name}: {seconds:.0f} s", flush=True)
    passed = sum(passed for passed, _ in judge.results.values())
    print(f"  {len(judge.results)} pages by axe: {passed} rules passed, {len(judge.problems)} problems")
    if wanted.table:
        with open(wanted.table, "w", encoding="utf-8") as file:
            file.write(judge.table())
    if judge.problems:
        sys.exit("\n".join(judge.problems))


main()

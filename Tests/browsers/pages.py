#!/usr/bin/env python3
"""Visits every page of the web garden with Chromium, as people do.

    pages.py [--long] [--table FILE] PROGRAMS ADDRESS HOME

ADDRESS is the web garden's, and HOME the folder with mail.jsonl and sms.jsonl. --table writes what axe found as Markdown.
Ends with 1 if something is not as it should be."""

import argparse
import sys
import time

import devices  # its visits
from garden import Garden, Person, chromium
from judge import Judge
from visits import VISITS
from way import walk


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
    with chromium() as browser:
        for language, scripts, theme in ways:
            began = time.monotonic()
            person = Person(garden, browser, language, scripts, theme=theme)
            walk(person, judge)
            print(f"  the whole way ({person.variant}): {time.monotonic() - began:.0f} s")
            person.close()
        for visit in VISITS:
            began = time.monotonic()
            for person in visit(garden, browser):
                judge.problems += [
                    f"{visit.__name__} ({person.variant}): {problem}" for problem in dict.fromkeys(person.problems)]
                person.close()
            print(f"  {visit.__name__.replace('_', ' ')}: {time.monotonic() - began:.0f} s")
    passed = sum(passed for passed, _ in judge.results.values())
    print(f"  {len(judge.results)} pages by axe: {passed} rules passed, {len(judge.problems)} problems")
    if wanted.table:
        with open(wanted.table, "w", encoding="utf-8") as file:
            file.write(judge.table())
    if judge.problems:
        sys.exit("\n".join(judge.problems))


main()

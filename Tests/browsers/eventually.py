"""Waiting for what another program does."""

import time


def eventually(condition, what, seconds=30):
    """Returns what a condition returns as soon as it is true; ends the program if that takes longer."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > end:
            raise SystemExit(f"error: within {seconds} s, not so: {what}")
        time.sleep(0.02)
    return found

"""Watches how long the lanes wait for a worker."""

import threading
import time

from cluster import DatabaseAway, Session

# Of some lanes those in which something is due that is not behind the cursor of delivery, and since when; and the database's
# clock. What a receiver did not take, and is tried again later, lies behind the cursor. The lanes are repeated for every table,
# so that Citus asks no node that has none of them.
WAITING = """
SELECT lane.lane, extract(epoch FROM least(job.planned_at, planned.at)), extract(epoch FROM clock_timestamp())
FROM lane JOIN lane_delivery AS delivery USING (lane)
LEFT JOIN LATERAL (
    SELECT waiting.planned_at FROM push_job AS waiting
    WHERE waiting.lane = lane.lane AND waiting.lane = ANY ({lanes}) AND waiting.recorded_at >= delivery.cursor_recorded_at
        AND (waiting.recorded_at, waiting.seq) > (delivery.cursor_recorded_at, delivery.cursor_seq)
    ORDER BY waiting.recorded_at, waiting.seq LIMIT 1
) AS job ON delivery.cursor_seq < lane.last_seq
LEFT JOIN LATERAL (
    SELECT at FROM occurrence
    WHERE occurrence.lane = lane.lane AND occurrence.lane = ANY ({lanes})
        AND at >= lane.cursor_at AND at <= clock_timestamp()
        AND (at, subject_id, topic, ref) > (lane.cursor_at, lane.cursor_subject_id, lane.cursor_topic, lane.cursor_ref)
    ORDER BY at, subject_id, topic, ref LIMIT 1
) AS planned ON true
WHERE lane.lane = ANY ({lanes}) AND delivery.lane = ANY ({lanes})
    AND (job.planned_at IS NOT NULL OR planned.at IS NOT NULL)
"""


class Fault:
    """One fault: what, when, and how long a lane waited after it at most.

    A fault may take some lanes away while others must go on as if there were none: then these are measured by `elsewhere`."""

    def __init__(self, kind, bound, elsewhere=None):
        self.kind = kind
        self.bound = bound
        self.elsewhere = elsewhere
        self.began = time.time()
        self.held = 0
        self.longest = 0.0
        self.lane = None

    def measure(self, wait, lane):
        if wait > self.longest:
            self.longest, self.lane = wait, lane


class Watch(threading.Thread):
    """Measures all the time. A lane waits since its job was planned, but not since before the fault that it waits for: the
    last kill of a worker that held it, the beginning of a fault that leaves it and other workers alive, the end of an outage
    that took it away."""

    def __init__(self, url, slack, groups):
        super().__init__(daemon=True)
        self.slack = slack
        # Each group has a session: it is asked while the database has lost the others.
        self.groups = {group: Session(url) for group in groups}
        self.faults = [Fault("none", None)]
        self.lost_at = {}
        self.since = time.time()
        self.away = frozenset()
        self.is_outage = False
        self.back_at = self.since
        self.is_stopped = False
        # By group: when it was asked, and how long a lane of it has waited at most.
        self.waiting = {}
        self.lock = threading.Lock()

    def begin(self, fault, away=frozenset()):
        """Begins a fault that takes some lanes away until the end of the outage, or none."""
        with self.lock:
            self.is_outage = bool(away)
            self.away = away
            self.since = fault.began
            self.faults.append(fault)

    def end_outage(self):
        with self.lock:
            self.back_at = time.time()
            self.is_outage = False

    def run(self):
        while not self.is_stopped:
            for group, session in self.groups.items():
                try:
                    self.look(group, session)
                except DatabaseAway:
                    pass
            time.sleep(0.04)
        for session in self.groups.values():
            session.close()

    def look(self, group, session):
        began, fault, was_outage = time.time(), self.faults[-1], self.is_outage
        rows = session.query(WAITING.format(lanes=f"'{{{','.join(map(str, sorted(group)))}}}'::smallint[]"))
        with self.lock:
            # An answer from before the end of an outage tells nothing.
            if fault is not self.faults[-1] or was_outage is not self.is_outage:
                return
            longest = 0.0
            for lane, planned_at, now in rows:
                lane = int(lane)
                if self.is_outage and lane in self.away:
                    continue
                since = self.back_at if lane in self.away else self.since
                wait = float(now) - max(float(planned_at), self.lost_at.get(lane, 0), since)
                longest = max(longest, wait)
                (fault.elsewhere if fault.elsewhere and lane not in self.away else fault).measure(wait, lane)
            self.waiting[group] = began, longest

    def settle(self, limit):
        """Waits until no lane waits any more; whether that came to be in time."""
        started = time.time()
        calm = 0
        while time.time() < started + limit:
            is_calm = not self.is_outage and len(self.waiting) == len(self.groups) and all(
                began >= started and longest < self.slack / 2 for began, longest in self.waiting.values())
            calm = calm + 1 if is_calm else 0
            if calm == 4:
                return True
            time.sleep(0.1)
        return False

    def stop(self):
        self.is_stopped = True
        self.join()

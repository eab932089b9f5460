"""Watches how long the lanes wait for a worker."""

import threading
import time

from cluster import DatabaseAway, Session

# The lanes in which something is due that is not behind the cursor of delivery, and since when; and the database's clock. What
# a receiver did not take, and is tried again later, lies behind the cursor.
WAITING = """
SELECT lane.lane, extract(epoch FROM least(job.planned_at, planned.at)), extract(epoch FROM clock_timestamp())
FROM lane JOIN lane_delivery AS delivery USING (lane)
LEFT JOIN LATERAL (
    SELECT waiting.planned_at FROM push_job AS waiting
    WHERE waiting.lane = lane.lane AND waiting.recorded_at >= delivery.cursor_recorded_at
        AND (waiting.recorded_at, waiting.seq) > (delivery.cursor_recorded_at, delivery.cursor_seq)
    ORDER BY waiting.recorded_at, waiting.seq LIMIT 1
) AS job ON delivery.cursor_seq < lane.last_seq
LEFT JOIN LATERAL (
    SELECT at FROM occurrence
    WHERE occurrence.lane = lane.lane AND at >= lane.cursor_at AND at <= clock_timestamp()
        AND (at, subject_id, topic, ref) > (lane.cursor_at, lane.cursor_subject_id, lane.cursor_topic, lane.cursor_ref)
    ORDER BY at, subject_id, topic, ref LIMIT 1
) AS planned ON true
WHERE job.planned_at IS NOT NULL OR planned.at IS NOT NULL
"""


class Fault:
    """One fault: what, when, and how long a lane waited after it at most."""

    def __init__(self, kind, bound):
        self.kind = kind
        self.bound = bound
        self.began = time.time()
        self.held = 0
        self.longest = 0.0
        self.lane = None


class Watch(threading.Thread):
    """Measures all the time. A lane waits since its job was planned, but not since before the fault that it waits for: the
    last kill of a worker that held it, the beginning of a fault that leaves other workers alive, the end of an outage."""

    def __init__(self, url, slack):
        super().__init__(daemon=True)
        self.slack = slack
        self.session = Session(url)
        self.faults = [Fault("none", None)]
        self.lost_at = {}
        self.since = time.time()
        self.is_paused = False
        self.is_stopped = False
        self.waiting = 0.0

    def begin(self, fault, is_outage):
        self.faults.append(fault)
        self.since = fault.began
        self.is_paused = is_outage

    def end_outage(self):
        self.since = time.time()
        self.is_paused = False

    def run(self):
        while not self.is_stopped:
            try:
                self.look()
            except DatabaseAway:
                pass
            time.sleep(0.04)
        self.session.close()

    def look(self):
        began, fault = time.time(), self.faults[-1]
        rows = self.session.query(WAITING)
        waits = []
        for lane, planned_at, now in rows:
            since = max(float(planned_at), self.lost_at.get(int(lane), 0), self.since)
            waits.append((float(now) - since, int(lane)))
        self.waiting = max(waits, default=(0, None))[0]
        # An answer from before the end of an outage tells nothing.
        if waits and not self.is_paused and began >= self.since and fault is self.faults[-1]:
            longest, lane = max(waits)
            if longest > fault.longest:
                fault.longest, fault.lane = longest, lane

    def settle(self, limit):
        """Waits until no lane waits any more; whether that came to be in time."""
        deadline = time.time() + limit
        calm = 0
        while time.time() < deadline:
            calm = calm + 1 if self.waiting < self.slack / 2 and not self.is_paused else 0
            if calm == 4:
                return True
            time.sleep(0.1)
        return False

    def stop(self):
        self.is_stopped = True
        self.join()

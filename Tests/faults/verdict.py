"""What came of everything: compares what was planned, what the database says, and what the receiver got."""

import bisect
import collections
import json


class Verdict:
    def __init__(self, session, received_file, faults):
        self.violations = []
        self.faults = faults
        self.starts = [fault.began for fault in faults]
        self.planned = self.read_planned(session)
        self.received = [json.loads(line) for line in open(received_file)]
        self.check_receipts(session)
        self.check_received()

    def fault(self, instant):
        """The fault of that time: the last one that had begun."""
        return self.faults[max(0, bisect.bisect_right(self.starts, instant) - 1)]

    def read_planned(self, session):
        """The pushes that phones should have seen; and checks that each plant of them has one job and one outcome."""
        planned = {}
        jobs = collections.defaultdict(list)
        for account, plant, at, outcome in session.query(
            "SELECT account_id, subject_id, extract(epoch FROM planned_at), outcome FROM push"):
            jobs[account, plant, at].append(outcome)
        self.jobs = sum(map(len, jobs.values()))
        pending = sum(outcomes.count("") for outcomes in jobs.values())
        for account, at, collapse_id, plants in session.query("""
            SELECT account_id, extract(epoch FROM planned_at),
                to_char(planned_at AT TIME ZONE 'UTC', '"watering_due-"YYYYMMDD"T"HH24MI"Z"'), plants
            FROM faults.planned"""):
            planned[account, collapse_id] = float(at)
            plants = plants.strip("{}").split(",")
            found = [jobs.pop((account, plant, at), []) for plant in plants]
            if any(outcomes != ["delivered"] for outcomes in found):
                outcomes = [outcome or "no outcome" for outcomes in found for outcome in outcomes]
                self.violations.append(f"{account} {collapse_id}: {len(plants)} plants, {len(outcomes)} jobs: {outcomes}")
        strange = sum(map(len, jobs.values()))
        if pending or strange:
            self.violations.append(f"of {self.jobs} jobs {pending} have no outcome, and {strange} were never planned")
        return planned

    def check_receipts(self, session):
        """Receipts tile the log of each lane, and fences never go back: none was written under a lease that was lost."""
        for lane, gaps, regressions in session.query("""
            SELECT lane, count(*) FILTER (WHERE from_seq <> before + 1), count(*) FILTER (WHERE fence < fence_before)
            FROM (
                SELECT lane, from_seq, fence, lag(to_seq, 1, 0::bigint) OVER ordered AS before,
                    lag(fence, 1, 0::bigint) OVER ordered AS fence_before
                FROM push_receipt WINDOW ordered AS (PARTITION BY lane ORDER BY to_seq)
            ) AS receipt
            GROUP BY lane HAVING bool_or(from_seq <> before + 1 OR fence < fence_before)"""):
            self.violations.append(f"lane {lane}: {gaps} receipts leave a gap or overlap, {regressions} are of old leases")

    def check_received(self):
        self.first, self.twice = {}, collections.Counter()
        self.lost, self.seen_twice, self.pushes = collections.Counter(), collections.Counter(), collections.Counter()
        messages = collections.defaultdict(set)
        for push in self.received:
            key = push["device"], push["collapseId"]
            messages[key].add(push["id"])
            kind = self.fault(push["at"]).kind
            if not push["isSigned"]:
                self.violations.append(f"{key}: not signed")
            if key not in self.planned:
                self.seen_twice[kind] += 1
                self.violations.append(f"{key}: a push beside those that were planned")
            elif key in self.first:
                self.twice[kind] += 1
            else:
                self.first[key] = push["at"]
                self.pushes[kind] += 1
                if push["at"] < self.planned[key]:
                    self.violations.append(f"{key}: before its time")
        for key, at in self.planned.items():
            if key not in self.first:
                self.lost[self.fault(at).kind] += 1
                self.violations.append(f"{key}: never received")
        for key, ids in messages.items():
            if len(ids) > 1:
                self.violations.append(f"{key}: repeated under {len(ids)} different ids")

    def table(self):
        """The figures by kind of fault."""
        rows = [["fault", "runs", "pushes", "received twice", "lost", "seen twice", "longest recovery"]]
        kinds = list(dict.fromkeys(fault.kind for fault in self.faults))
        for kind in kinds:
            of_kind = [fault for fault in self.faults if fault.kind == kind]
            runs = "" if kind == "none" else str(len(of_kind))
            rows.append([
                kind, runs, str(self.pushes[kind]), str(self.twice[kind]), str(self.lost[kind]), str(self.seen_twice[kind]),
                f"{max(fault.longest for fault in of_kind):.1f} s"])
            if elsewhere := [fault.elsewhere for fault in of_kind if fault.elsewhere]:
                rows.append([elsewhere[0].kind] + [""] * 5 + [f"{max(fault.longest for fault in elsewhere):.1f} s"])
        counters = [self.pushes, self.twice, self.lost, self.seen_twice]
        rows.append(["all", str(len(self.faults) - 1)] + [str(counter.total()) for counter in counters] + [""])
        return rows

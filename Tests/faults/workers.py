"""Worker processes that are started again whenever they end, as a service manager does."""

import os
import signal
import subprocess
import threading
import time


class Worker:
    def __init__(self, number, program, environment, folder):
        self.number = number
        self.program = program
        self.environment = environment
        self.log = folder / f"worker-{number}.log"
        self.process = None
        self.start()

    def start(self):
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(
                [self.program], env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def leases(self, session):
        """The lanes that it holds, with their fences."""
        return [(int(lane), int(fence)) for lane, fence in session.query(f"""
            SELECT lane, fence FROM lane_delivery JOIN lane USING (lane)
            WHERE leased_by LIKE '%:{self.process.pid}:%' AND cursor_seq < last_seq""")]

    def log_size(self):
        return os.path.getsize(self.log)

    def logged_since(self, position):
        with open(self.log) as log:
            log.seek(position)
            return log.read()


class Workers(threading.Thread):
    def __init__(self, workers):
        super().__init__(daemon=True)
        self.all = workers
        self.is_stopped = False

    def run(self):
        while not self.is_stopped:
            for worker in self.all:
                # Only one that could not start, or fell, is found here: whoever kills one waits for it and starts it.
                if worker.process.returncode is None and worker.process.poll() not in (None, -signal.SIGKILL):
                    time.sleep(0.2)
                    worker.start()
            time.sleep(0.05)

    def stop(self, seconds):
        """Asks all to finish; those that did not within so many seconds."""
        self.is_stopped = True
        self.join()
        for worker in self.all:
            worker.signal(signal.SIGTERM)
        stuck = []
        for worker in self.all:
            try:
                worker.process.wait(seconds)
            except subprocess.TimeoutExpired:
                stuck.append(worker.number)
                worker.kill()
        return stuck

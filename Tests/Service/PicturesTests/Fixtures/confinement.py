"""Prints, as JSON, what the kernel says about a cherish-picture that has read one byte: confinement.py PROGRAM"""

import fcntl
import json
import struct
import subprocess
import sys
import termios
import time

child = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env={})
child.stdin.write(b"x")
child.stdin.flush()
# Until the pipe is empty.
while struct.unpack("i", fcntl.ioctl(child.stdin, termios.FIONREAD, bytes(4))) != (0,):
    time.sleep(0.01)
folder = f"/proc/{child.pid}"
status = dict(line.rstrip("\n").split(":\t", 1) for line in open(f"{folder}/status"))
limits = {line[:25].strip(): line[25:].split()[:2] for line in list(open(f"{folder}/limits"))[1:]}
print(json.dumps({
    "systemCallsAreFiltered": status["Seccomp"] == "2",
    "gainsNoPrivileges": status["NoNewPrivs"] == "1",
    "priority": int(open(f"{folder}/stat").read().rsplit(")", 1)[1].split()[16]),
    "limits": {name: limit[1] for name, limit in limits.items() if limit[0] == limit[1]},
}))
child.kill()

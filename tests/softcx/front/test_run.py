#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""softcx-run: what it prepares, hands on and leaves behind. usage: test_run.py SOFTCX_RUN LIBSOFTCX"""

import os
import signal
import subprocess
import sys
import time

if "CHECK_DEEP_LINK" in os.environ:
    # A library with a sanitizer cannot be put in front of a shell that has none.
    sys.exit(77)
RUN, LIB = sys.argv[1], sys.argv[2]
FAILED = []


def run(*args, env=None):
    return subprocess.run([sys.executable, RUN, "--lib", LIB, "--no-tap", *args], capture_output=True, text=True,
                          env=dict(os.environ, **(env or {})), timeout=30, check=False)


def check(what, good, result=""):
    print("ok " if good else "NOT", what)
    if not good:
        print(result)
        FAILED.append(what)


def prepares():
    show = 'echo $SOFTCX; cd ${SYSFS_PCI_DEVICES%/pci}; pwd; ls pci; cat pci/*/device ib/softcx1/device/uevent'
    r = run("--ports", "2", "--model", "cx6dx", "--bdf", "0000:81:00.2", "--wire1", "pcap:in=a,out=b", "sh", "-c", show,
            env={"SOFTCX": "speed=25000"})
    lines = r.stdout.splitlines()
    check("settings: environment first, then options",
          lines and lines[0].startswith("speed=25000,ports=2,model=cx6dx,bdf=0000:81:00.2,wire1=[pcap:in=a,out=b],"), r)
    check("a function a port", lines[2:6] == ["0000:81:00.2", "0000:81:00.3", "0x101d", "0x101d"], r)
    check("the device's uevent names its function", "PCI_SLOT_NAME=0000:81:00.3" in lines, r)
    check("the folder is gone", len(lines) > 1 and not os.path.exists(lines[1]), r)
    r = run("--ports", "3", "/usr/bin/env", "python3", "-c",
            "import ctypes as c; d = c.CDLL(None); n = c.c_int(); d.ibv_get_device_list(c.byref(n)); print(n.value)")
    check("the program sees the devices", r.stdout == "3\n", r)


def hands_on():
    check("exit status", run("sh", "-c", "exit 7").returncode == 7)
    check("death by signal", run("sh", "-c", "kill -SEGV $$").returncode == -signal.SIGSEGV)
    show = 'trap "exit 3" TERM; echo $SYSFS_PCI_DEVICES; while :; do sleep 0.05; done'
    for number, status in ((signal.SIGTERM, 3), (signal.SIGKILL, -signal.SIGKILL)):
        p = subprocess.Popen([sys.executable, RUN, "--lib", LIB, "--no-tap", "sh", "-c", show], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True)
        folder = p.stdout.readline().strip()
        there = os.path.isdir(folder)
        p.send_signal(number)
        check(f"{number.name}: status", p.wait(10) == status)
        end = time.time() + 5
        while os.path.exists(folder) and time.time() < end:
            time.sleep(0.05)
        check(f"{number.name}: the folder was there and is gone", there and not os.path.exists(folder))
        p.stdout.close()


def refuses():
    for args, words in ((["nosuchprogram"], "nosuchprogram: no such program"),
                        (["--ports", "5", "true"], "ports=5"),
                        (["--model", "cx9", "true"], "model=cx9"),
                        (["--bdf", "81:00", "true"], "bdf=81:00"),
                        (["--frobnicate", "true"], "--frobnicate"),
                        (["--wire"], "--wire needs a value"),
                        ([], "no program given")):
        r = run(*args)
        check("refused by name: " + " ".join(args or ["nothing"]), r.returncode == 1 and words in r.stderr, r)


def pairs():
    """The ends of a cable are known when SOFTCX describes all ports; what does not fit opens nothing."""
    opens = ["/usr/bin/env", "python3", "-c", "import ctypes as c; d = c.CDLL(None); f = d.ibv_get_device_list;"
             "f.restype = c.POINTER(c.c_void_p); d.ibv_open_device.restype = c.c_void_p;"
             "d.ibv_open_device.argtypes = [c.c_void_p]; print('open' if d.ibv_open_device(f(None)[0]) else 'refused')"]
    r = run("--ports", "2", "--wire0", "pair:1", "--wire1", "pair:0", *opens)
    check("pair: both ends", r.stdout == "open\n" and "softcx: " not in r.stderr, r)
    r = run("--wire", "pair:3", *opens)
    check("pair: no other end", r.stdout == "refused\n" and
          "wire=pair:3: there is no softcx3: SOFTCX describes 1 port" in r.stderr, r)
    r = run("--ports", "2", "--wire0", "pair:1", "--wire1", "loop", *opens)
    check("pair: the other end leads elsewhere", r.stdout == "refused\n" and
          "wire=pair:1: the wire of softcx1 is loop, it does not name softcx0" in r.stderr, r)


prepares()
hands_on()
pairs()
refuses()
sys.exit(len(FAILED) != 0)

# SPDX-License-Identifier: BSD-3-Clause
"""Stock dpdk-testpmd, driven by its command line.

After each command a comment line with a number is sent: testpmd echoes it only when the command before is done, so the
number marks the end of the command's output without guessing about prompts.
"""

import functools
import re
import subprocess
import time

from .process import Late, Process

PROMPT = re.compile(r"testpmd> ")
PACKET = re.compile(
    r"src=(?P<src>[0-9A-F:]{17}) - dst=(?P<dst>[0-9A-F:]{17}) - pool=\S+ - type=0x(?P<type>[0-9a-f]+)"
    r" - length=(?P<length>\d+) - nb_segs=(?P<segs>\d+)(?P<rest>.*)$")
BURST = re.compile(r"port (?P<port>\d+)/queue (?P<queue>\d+): (?P<way>received|sent) (?P<count>\d+) packets?")
FIELDS = {
    "rss": (re.compile(r"RSS hash=0x([0-9a-f]+)"), 16),
    "mark": (re.compile(r"FDIR matched ID=0x([0-9a-f]+)"), 16),
    "vlan": (re.compile(r"VLAN tci=0x([0-9a-f]+)"), 16),
    "meta": (re.compile(r"Rx metadata: 0x([0-9a-f]+)"), 16),
    "timestamp": (re.compile(r" - timestamp (\d+)"), 10),
}
HW_TYPE = re.compile(r"hw ptype: (.*?)\s+- sw ptype")
FLAGS = re.compile(r"ol_flags: (.*)$")
MARK_SECONDS = 3  # after which a mark is sent again
LINE_MAX = 511  # testpmd's command line buffer
REFUSED = re.compile(r"Caught PMD error|Bad arguments|Ambiguous command|Command not found|Invalid|[Cc]annot|Failed|not found")


@functools.lru_cache
def release():
    """(year, month) of the dpdk-testpmd that PATH finds; (0, 0) where there is none."""
    try:
        said = subprocess.run(["dpdk-testpmd", "--version"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return 0, 0
    found = re.search(r"DPDK (\d+)\.(\d+)", said.stdout + said.stderr)
    return (int(found[1]), int(found[2])) if found else (0, 0)


class Refused(Exception):
    """testpmd or the driver did not take a command; args[0] is what they said."""


class Packet:
    """One received packet as `set verbose 1` shows it."""

    def __init__(self, queue, match):
        rest = match["rest"]
        self.queue = queue
        self.src, self.dst = match["src"].lower(), match["dst"].lower()
        self.ethertype, self.length, self.segs = int(match["type"], 16), int(match["length"]), int(match["segs"])
        for name, (expression, base) in FIELDS.items():
            found = expression.search(rest)
            setattr(self, name, int(found[1], base) if found else None)
        found = HW_TYPE.search(rest)
        self.ptype = set(found[1].split()) if found else set()
        self.flags = set()

    def __repr__(self):
        return (f"<queue {self.queue} src {self.src} length {self.length} rss {self.rss} mark {self.mark}"
                f" meta {self.meta} {' '.join(sorted(self.ptype))}>")


def parse_packets(text):
    """The packets in testpmd's verbose output: received ones only, in order."""
    packets, queue, received = [], None, False
    # The prompt is written by another thread: it may stand before a line or in it.
    for line in text.replace("testpmd> ", "").splitlines():
        burst = BURST.search(line)  # or a part of the prompt
        if burst:
            queue, received = int(burst["queue"]), burst["way"] == "received"
            continue
        match = PACKET.search(line)
        if match and received:
            packets.append(Packet(queue, match))
            continue
        flags = FLAGS.search(line)
        if flags and received and packets:
            packets[-1].flags = set(flags[1].split())
    return packets


class Testpmd:
    """A running testpmd. Whoever made it calls quit() or close()."""

    __test__ = False

    def __init__(self, argv, env=None, log=None, start_seconds=60):
        self.process = Process(argv, env, log)
        self.sync = 0
        self.banner = ""
        try:
            self.banner = self.until(PROMPT, start_seconds)
        except BaseException:
            self.process.close()
            raise

    def until(self, pattern, seconds):
        """What is said before pattern."""
        self.process.expect(pattern, seconds)
        return self.process.before

    def command(self, line, seconds=20):
        """Type one line. @return what was said until it was done, packets of the forwarding cores included."""
        if len(line) > LINE_MAX:
            raise ValueError(f"testpmd reads {LINE_MAX} characters a line, this has {len(line)}: {line}")
        self.sync += 1
        self.process.write(f"{line}\n")
        deadline, tries = time.monotonic() + seconds, 0
        while True:
            # What another thread of testpmd says may fall into the echo of a mark: then another mark is sent.
            tries += 1
            mark = f"# done {self.sync}.{tries}"
            self.process.write(f"{mark}\n")
            try:
                return self.until(re.compile(re.escape(mark) + r"[^\n]*\n(?:testpmd> )?"),
                                  min(MARK_SECONDS, max(0.1, deadline - time.monotonic())))
            except Late:
                if time.monotonic() > deadline:
                    raise

    def do(self, line, expected=None, seconds=20):
        """A command that must succeed: nothing that sounds like a refusal, and expected (an expression) is in its output.

        @return the match of expected, or the output."""
        text = self.command(line, seconds)
        complaint = REFUSED.search(text.replace(line, ""))
        if complaint and not (expected and re.search(expected, text)):
            raise Refused(text)
        if expected is None:
            return text
        match = re.search(expected, text)
        if not match:
            raise Refused(f"{line}: {expected!r} is not in the answer:\n{text}")
        return match

    def listen(self, seconds):
        """What the forwarding cores say during some seconds (or until something was said)."""
        self.process.read_some(seconds)
        text, self.process.text = self.process.text, ""
        # A line that is not complete yet stays for the next time.
        cut = text.rfind("\n") + 1
        self.process.text = text[cut:] if text[cut:] != "testpmd> " else ""
        return text[:cut]

    def quit(self, seconds=30):
        """Leave in order. @return exit status."""
        try:
            self.process.write("quit\n")
            return self.process.wait(seconds)
        finally:
            self.process.close()

    def close(self):
        self.process.close()

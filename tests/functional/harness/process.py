# SPDX-License-Identifier: BSD-3-Clause
"""A program with a terminal: written to, read from, and gone at the end, whatever happened in between."""

import errno
import os
import re
import select
import signal
import subprocess
import termios
import time

ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b[A-Z78]|\r")


class Died(Exception):
    """The program ended while something was expected of it."""


class Late(Exception):
    """What was expected did not come in time."""


class Process:
    """One program on a pseudo-terminal of its own, in a process group of its own."""

    def __init__(self, argv, env=None, log=None):
        master, slave = os.openpty()
        # No echo of the terminal itself, no translation of newlines: the program echoes what it wants.
        mode = termios.tcgetattr(slave)
        mode[0] &= ~(termios.ICRNL | termios.INLCR)
        mode[1] &= ~termios.OPOST
        mode[3] &= ~(termios.ECHO | termios.ICANON)
        termios.tcsetattr(slave, termios.TCSANOW, mode)
        self.argv, self.master, self.text, self.before, self.status = argv, master, "", "", None
        self.log = open(log, "wb") if log else None
        try:
            self.child = subprocess.Popen(argv, stdin=slave, stdout=slave, stderr=slave, env=env, close_fds=True,
                                          start_new_session=True)
        finally:
            os.close(slave)

    def write(self, text):
        data = text.encode()
        while data:
            try:
                data = data[os.write(self.master, data):]
            except OSError as e:
                raise Died(self.describe()) from e

    def read_some(self, seconds):
        """Add what the program says within some seconds to text. @return False when it has closed its terminal."""
        if not select.select([self.master], [], [], max(0, seconds))[0]:
            return True
        try:
            data = os.read(self.master, 65536)
        except OSError as e:
            if e.errno != errno.EIO:
                raise
            data = b""
        if not data:
            return False
        if self.log:
            self.log.write(data)
            self.log.flush()
        self.text += ESCAPES.sub(b"", data).decode(errors="replace")
        return True

    def expect(self, pattern, seconds):
        """Wait until pattern (a compiled expression) is in what was said.

        @return the match; text keeps what follows, before what came before."""
        deadline = time.monotonic() + seconds
        while True:
            match = pattern.search(self.text)
            if match:
                self.before = self.text[:match.start()]
                self.text = self.text[match.end():]
                return match
            if time.monotonic() > deadline:
                raise Late(f"{seconds} s passed without {pattern.pattern!r}\n{self.describe()}")
            if not self.read_some(min(0.5, deadline - time.monotonic())):
                raise Died(self.describe())

    def describe(self):
        return (f"$ {' '.join(self.argv)}\nstatus {self.child.poll()}, said last:\n"
                + "\n".join(self.text.splitlines()[-40:]))

    def signal(self, number):
        self.child.send_signal(number)

    def wait(self, seconds):
        """Wait for its end, reading on. @return its exit status; Late when it lives on."""
        deadline = time.monotonic() + seconds
        open_terminal = True
        while self.child.poll() is None:
            if time.monotonic() > deadline:
                raise Late(f"still running after {seconds} s\n{self.describe()}")
            if open_terminal:
                open_terminal = self.read_some(0.1)
            else:
                time.sleep(0.02)
        while open_terminal and select.select([self.master], [], [], 0)[0]:
            open_terminal = self.read_some(0)
        return self.child.returncode

    def close(self):
        """Be rid of it: first politely, then for good. May be called again."""
        if self.master is None:
            return
        for number, seconds in ((signal.SIGTERM, 3), (signal.SIGKILL, 5)):
            if self.child.poll() is not None:
                break
            try:
                os.killpg(self.child.pid, number)
                self.wait(seconds)
            except (ProcessLookupError, Late):
                pass
        os.close(self.master)
        self.master = None
        if self.log:
            self.log.close()

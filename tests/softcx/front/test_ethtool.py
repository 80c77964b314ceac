#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Statistics and link speed of a port's netdev by SIOCETHTOOL, as programs ask for them, and what the kernel says to bad
descriptors and pointers.

usage: test_ethtool.py SOFTCX_RUN        needs root (a tap); otherwise skipped
       test_ethtool.py                   under softcx-run
"""

import ctypes
import errno
import mmap
import os
import re
import socket
import subprocess
import sys

SIOCETHTOOL = 0x8946
GDRVINFO, GSTRINGS, GSTATS, GSSET_INFO, GLINKSETTINGS = 0x03, 0x1b, 0x1d, 0x37, 0x4c
SPEED_MBPS = 25000
SS_STATS, STRING = 1, 32
MANY = 64  # room for so many


class Ifreq(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char * 16), ("data", ctypes.c_void_p), ("rest", ctypes.c_uint8 * 16)]


class DrvInfo(ctypes.Structure):
    _fields_ = [("cmd", ctypes.c_uint32), ("texts", ctypes.c_char * 176), ("n_stats", ctypes.c_uint32),
                ("rest", ctypes.c_uint32 * 3)]


class Strings(ctypes.Structure):
    _fields_ = [("cmd", ctypes.c_uint32), ("set", ctypes.c_uint32), ("len", ctypes.c_uint32),
                ("data", ctypes.c_uint8 * (MANY * STRING))]


class Stats(ctypes.Structure):
    _fields_ = [("cmd", ctypes.c_uint32), ("n_stats", ctypes.c_uint32), ("data", ctypes.c_uint64 * MANY)]


class SsetInfo(ctypes.Structure):
    _fields_ = [("cmd", ctypes.c_uint32), ("reserved", ctypes.c_uint32), ("mask", ctypes.c_uint64),
                ("data", ctypes.c_uint32 * MANY)]


class LinkSettings(ctypes.Structure):
    _fields_ = [("cmd", ctypes.c_uint32), ("speed", ctypes.c_uint32), ("duplex", ctypes.c_uint8), ("port", ctypes.c_uint8 * 6),
                ("nwords", ctypes.c_int8), ("rest", ctypes.c_uint32 * (8 + 3 * 127))]


libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p


def ask(fd, name, data):
    """0 or errno. data: a structure, or an address."""
    at = data if isinstance(data, int) else ctypes.addressof(data)
    ifr = Ifreq(name=name.encode(), data=at)
    return ctypes.get_errno() if libc.ioctl(fd, ctypes.c_ulong(SIOCETHTOOL), ctypes.byref(ifr)) != 0 else 0


def open_device():
    libc.ibv_get_device_list.restype = ctypes.POINTER(ctypes.c_void_p)
    libc.ibv_open_device.restype, libc.ibv_open_device.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    assert libc.ibv_open_device(libc.ibv_get_device_list(None)[0]) is not None


def answers(fd, name):
    info, number = DrvInfo(cmd=GDRVINFO), SsetInfo(cmd=GSSET_INFO, mask=1 << SS_STATS)
    strings, stats = Strings(cmd=GSTRINGS, set=SS_STATS), Stats(cmd=GSTATS)
    assert ask(fd, name, info) == ask(fd, name, number) == ask(fd, name, strings) == ask(fd, name, stats) == 0
    assert info.n_stats == number.data[0] == strings.len == stats.n_stats > 0 and number.mask == 1 << SS_STATS
    raw = bytes(strings.data)
    names = [raw[i * STRING:(i + 1) * STRING].rstrip(b"\0").decode() for i in range(strings.len)]
    assert len(set(names)) == len(names) and "rx_vport_unicast_packets" in names, names
    assert ask(fd, "lo", Stats(cmd=GSTATS)) == errno.EOPNOTSUPP
    return len(names)


def speed(fd, name):
    link = LinkSettings(cmd=GLINKSETTINGS)
    assert ask(fd, name, link) == 0 and link.nwords < 0
    link.nwords = -link.nwords
    assert ask(fd, name, link) == 0 and link.duplex == 1
    return link.speed


def refusals(fd, name):
    # The last eight bytes of what is mapped: the header is there, what follows it is not.
    at = libc.mmap(None, ctypes.c_size_t(2 * mmap.PAGESIZE), 3, 0x22, -1, ctypes.c_long(0))
    libc.munmap(ctypes.c_void_p(at + mmap.PAGESIZE), ctypes.c_size_t(mmap.PAGESIZE))
    edge = at + mmap.PAGESIZE - 8
    ctypes.memmove(edge, bytes(Stats(cmd=GSTATS))[:8], 8)
    assert ask(fd, name, edge) == errno.EFAULT
    assert ask(-1, name, Stats(cmd=GSTATS)) == errno.EBADF
    assert ask(os.open("/dev/null", os.O_RDONLY), name, Stats(cmd=GSTATS)) == errno.ENOTTY
    assert ask(fd, name, 8) == errno.EFAULT
    assert libc.ioctl(fd, ctypes.c_ulong(SIOCETHTOOL), ctypes.c_void_p(8)) == -1 and ctypes.get_errno() == errno.EFAULT


def main():
    if len(sys.argv) > 1:
        if os.geteuid() != 0 or "CHECK_DEEP_LINK" in os.environ:
            print("needs root, for a tap, and a library without a sanitizer")
            sys.exit(77)
        for host in ([], ["--host=count"]):  # its own tap; one that is there for programs that ask
            status = subprocess.run([sys.argv[1], "--ports=1", "--wire=null", f"--speed={SPEED_MBPS}", *host, "--", sys.executable,
                                     os.path.abspath(__file__)], check=False).returncode
            if status != 0:
                sys.exit(status)
        return
    open_device()
    name = re.search(r"(?:host0=tap:|netdev0=)(\w+)", os.environ["SOFTCX"])[1]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        print(f"{name}: {answers(s.fileno(), name)} statistics by three questions and their number")
        assert speed(s.fileno(), name) == SPEED_MBPS, speed(s.fileno(), name)
        refusals(s.fileno(), name)
        print("bad descriptors and pointers: as the kernel says")


main()

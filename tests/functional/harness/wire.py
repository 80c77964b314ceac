# SPDX-License-Identifier: BSD-3-Clause
"""The far end of a port's cable: a raw socket on the tap that softcx makes of `wire=tap:NAME`."""

import errno
import fcntl
import select
import socket
import struct
import time

SOL_PACKET = 263
PACKET_ADD_MEMBERSHIP, PACKET_MR_PROMISC = 1, 1
PACKET_AUXDATA, PACKET_IGNORE_OUTGOING = 8, 23
TP_STATUS_VLAN_VALID, TP_STATUS_VLAN_TPID_VALID = 1 << 4, 1 << 6
ETH_P_ALL = 3
BUFFER_BYTES = 4 << 20


SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1


def set_up(name):
    """Set an interface up, as ip link set NAME up does."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        flags = struct.unpack("16xH22x", fcntl.ioctl(s, SIOCGIFFLAGS, struct.pack("16s24x", name.encode())))[0]
        fcntl.ioctl(s, SIOCSIFFLAGS, struct.pack("16sH22x", name.encode(), flags | IFF_UP))


class Tap:
    """Send and receive frames on one interface. Only frames that the port sent are received, not our own."""

    def __init__(self, name, seconds=10):
        deadline = time.monotonic() + seconds
        while True:
            try:
                index = socket.if_nametoindex(name)
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
        self.name = name
        set_up(name)
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.socket.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        self.socket.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
        self.socket.setsockopt(SOL_PACKET, PACKET_ADD_MEMBERSHIP, struct.pack("iHH8s", index, PACKET_MR_PROMISC, 0, b""))
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
        self.socket.bind((name, ETH_P_ALL))

    def close(self):
        self.socket.close()

    def send(self, frame):
        self.socket.send(frame)

    def receive(self, seconds=0):
        """One frame as it was on the wire, or None."""
        if not select.select([self.socket], [], [], seconds)[0]:
            return None
        try:
            data, ancillary, _, _ = self.socket.recvmsg(65536, socket.CMSG_SPACE(32))
        except OSError as e:
            if e.errno != errno.ENETDOWN:  # the interface was down for a while: told once, no frame
                raise
            return None
        for level, kind, body in ancillary:
            if level == SOL_PACKET and kind == PACKET_AUXDATA:
                status, _, _, _, _, tci, tpid = struct.unpack("IIIHHHH", body[:20])
                if status & TP_STATUS_VLAN_VALID:  # the kernel took the tag out: put it back
                    if not status & TP_STATUS_VLAN_TPID_VALID:
                        tpid = 0x8100
                    data = data[:12] + struct.pack("!HH", tpid, tci) + data[12:]
        return data

    def drain(self):
        """All frames that are waiting."""
        frames = []
        while True:
            frame = self.receive()
            if frame is None:
                return frames
            frames.append(frame)

# SPDX-License-Identifier: BSD-3-Clause
"""What an action makes of a frame, on plain bytes: the demonstration's own idea of it, checksums computed in full."""

import struct


def checksum(data):
    total = sum(struct.unpack(f"!{(len(data) + 1) // 2}H", data + b"\0" * (len(data) & 1)))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def same(frame):
    return frame


def ipv4(frame, change):
    """frame with its IPv4 header (no tag in front) changed by change(bytearray), both checksums computed anew."""
    header = bytearray(frame[14:14 + 4 * (frame[14] & 15)])
    change(header)
    header[10:12] = b"\0\0"
    header[10:12] = struct.pack("!H", checksum(bytes(header)))
    length = struct.unpack("!H", header[2:4])[0]
    body, tail = bytearray(frame[14 + len(header):14 + length]), frame[14 + length:]
    where = {6: 16, 17: 6}.get(header[9])
    if where is not None and not (header[9] == 17 and body[6:8] == b"\0\0"):
        body[where:where + 2] = b"\0\0"
        pseudo = bytes(header[12:20]) + struct.pack("!BBH", 0, header[9], len(body))
        body[where:where + 2] = struct.pack("!H", checksum(pseudo + bytes(body)) or (0xffff if header[9] == 17 else 0))
    return frame[:14] + bytes(header) + bytes(body) + tail


def ttl(value):
    def apply(header):
        header[8] = value
    return lambda frame: ipv4(frame, apply)


def ipv4_dst(address):
    def apply(header):
        header[16:20] = bytes(int(part) for part in address.split("."))
    return lambda frame: ipv4(frame, apply)


def hop_limit(value):
    return lambda frame: frame[:21] + bytes([value]) + frame[22:]


def pop_vlan(frame):
    return frame[:12] + frame[16:]


def push_vlan(tci):
    return lambda frame: frame[:12] + struct.pack("!HH", 0x8100, tci) + frame[12:]


def decap(frame):
    return frame[50:]


def encap(header):
    """header (Ethernet, IPv4, UDP, VXLAN: 50 bytes) put in front; lengths and the IPv4 checksum are the device's to fill in."""
    def apply(frame):
        ip = bytearray(header[14:34])
        ip[2:4] = struct.pack("!H", 36 + len(frame))
        ip[10:12] = b"\0\0"
        ip[10:12] = struct.pack("!H", checksum(bytes(ip)))
        udp = bytearray(header[34:42])
        udp[4:6] = struct.pack("!H", 16 + len(frame))
        return header[:14] + bytes(ip) + bytes(udp) + header[42:50] + frame
    return apply


def padded(change):
    """A frame that leaves by the port has 60 bytes at least."""
    return lambda frame: change(frame) + bytes(max(0, 60 - len(change(frame))))

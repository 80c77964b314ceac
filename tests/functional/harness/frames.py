# SPDX-License-Identifier: BSD-3-Clause
"""Frames by scapy, numbered so that each can be told apart, and what scapy expects of them."""

import itertools
import re
import struct

from scapy.config import conf
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6, ICMPv6EchoRequest
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.layers.vxlan import VXLAN
from scapy.packet import Raw

conf.verb = 0

__all__ = ["ARP", "Dot1AD", "Dot1Q", "Ether", "ICMP", "ICMPv6EchoRequest", "IP", "IPv6", "PORT_MAC", "OTHER_MAC", "Raw", "TCP",
           "UDP", "VXLAN", "frame", "number_of", "rss_hash", "sentinel", "source_mac", "wire_bytes"]

from scapy.layers.l2 import Dot1AD  # noqa: E402  (old releases have it in the same module)

PORT_MAC = "02:aa:00:00:00:01"   # what the tests address; the root rule sends it to the tables
OTHER_MAC = "02:bb:00:00:00:01"
BROADCAST = "ff:ff:ff:ff:ff:ff"
MARK = re.compile(rb"\{(\d{6})\}")
numbers = itertools.count(1)


def source_mac(number):
    return f"02:00:00:{number >> 16 & 255:02x}:{number >> 8 & 255:02x}:{number & 255:02x}"


def frame(*layers, size=24, dst=PORT_MAC, vlans=()):
    """A scapy frame: Ethernet with its number in the source address, tags, layers, and a payload that repeats the number.

    size is the least payload; the frame is never shorter than Ethernet's 60 bytes."""
    number = next(numbers)
    packet = Ether(src=source_mac(number), dst=dst)
    for layer in (*vlans, *layers):
        packet /= layer
    text = b"{%06d}" % number
    packet /= Raw(text.ljust(max(size, 60 - len(packet)), b"."))
    return Ether(bytes(packet))


def sentinel():
    """A frame that no rule of the tests takes: when it arrives, what was sent before it has been dealt with."""
    number = next(numbers)
    return Ether(bytes(Ether(src=source_mac(number), dst=BROADCAST, type=0x88B5) / Raw((b"{%06d}" % number).ljust(46, b"."))))


def number_of(data):
    """The number of a frame out of its payload, or None."""
    match = MARK.search(data)
    return int(match[1]) if match else None


def wire_bytes(packet):
    """The bytes of a scapy packet with checksums and lengths computed anew."""
    packet = packet.copy()
    layer = packet
    while layer and layer.name != "NoPayload":
        for field in ("chksum", "len", "plen", "ihl", "dataofs"):
            if field in layer.fields and not (field == "len" and layer.name not in ("IP", "UDP")):
                if field in ("ihl", "dataofs"):
                    continue
                delattr(layer, field)
        layer = layer.payload
    return bytes(packet)


def toeplitz(key, data):
    """The Toeplitz hash, bit by bit."""
    key_bits = int.from_bytes(key, "big")
    length = len(key) * 8
    result = 0
    for i in range(len(data) * 8):
        if data[i // 8] >> (7 - i % 8) & 1:
            result ^= key_bits >> (length - 32 - i) & 0xFFFFFFFF
    return result


def rss_hash(packet, key, ports):
    """Hash of a packet's addresses and, when wanted, its ports; outermost headers."""
    ip = packet.getlayer(IP) or packet.getlayer(IPv6)
    family = 4 if packet.getlayer(IP) else 6
    from socket import AF_INET, AF_INET6, inet_pton
    data = b"".join(inet_pton(AF_INET if family == 4 else AF_INET6, a) for a in (ip.src, ip.dst))
    if ports:
        l4 = packet.getlayer(TCP) or packet.getlayer(UDP)
        data += struct.pack("!HH", l4.sport, l4.dport)
    return toeplitz(key, data)

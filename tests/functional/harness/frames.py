# SPDX-License-Identifier: BSD-3-Clause
"""Frames by scapy, numbered so that each can be told apart, and what scapy expects of them."""

import itertools
import re
import struct
from socket import AF_INET, AF_INET6, inet_pton

from scapy.config import conf
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6, ICMPv6EchoRequest
from scapy.layers.l2 import ARP, GRE, Dot1AD, Dot1Q, Ether
from scapy.layers.vxlan import VXLAN
from scapy.packet import Raw

conf.verb = 0

__all__ = ["ARP", "Dot1AD", "Dot1Q", "Ether", "GRE", "ICMP", "ICMPv6EchoRequest", "IP", "IPv6", "PORT_MAC", "OTHER_MAC",
           "Raw", "TCP", "UDP", "VXLAN", "changed", "frame", "number_of", "rss_hash", "sentinel", "source_mac",
           "wire_bytes"]

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


COMPUTED = {"IP": ("len", "chksum"), "IPv6": ("plen",), "UDP": ("len", "chksum"), "TCP": ("chksum",), "ICMP": ("chksum",),
            "ICMPv6 Echo Request": ("cksum",)}


def wire_bytes(packet, keep=()):
    """The bytes of a scapy packet with lengths and checksums computed anew; keep names layers that stay as they are."""
    packet = packet.copy()
    layer = packet
    while layer and layer.name != "NoPayload":
        for field in COMPUTED.get(layer.name, ()) if layer.name not in keep else ():
            delattr(layer, field)  # not from its dictionary: scapy keeps the bytes of an untouched layer
        layer = layer.payload
    return bytes(packet)


def changed(packet, layer=None, keep=(), **fields):
    """Bytes of packet with fields of one of its layers changed, checksums following."""
    packet = packet.copy()
    for name, value in fields.items():
        setattr(packet[layer or Ether], name, value)
    return wire_bytes(packet, keep)


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
    family = AF_INET if packet.getlayer(IP) else AF_INET6
    data = b"".join(inet_pton(family, a) for a in (ip.src, ip.dst))
    if ports:
        l4 = packet.getlayer(TCP) or packet.getlayer(UDP)
        data += struct.pack("!HH", l4.sport, l4.dport)
    return toeplitz(key, data)

# SPDX-License-Identifier: BSD-3-Clause
"""The capture that the demonstration plays: 1,000 packets of eight protocols, the same for the same seed."""

import random

from scapy.all import ARP, ICMP, IP, TCP, UDP, Dot1Q, Ether, ICMPv6EchoRequest, IPv6, Raw, wrpcap
from scapy.layers.vxlan import VXLAN

PORT_MAC = "02:5c:00:00:00:00"
PACKETS = 1000


def payload(rng):
    return Raw(bytes(rng.randrange(256) for _ in range(rng.randrange(20, 400))))


def ether(rng):
    return Ether(src=f"02:00:00:00:00:{rng.randrange(1, 255):02x}", dst=PORT_MAC)


def ipv4(rng, **fields):
    return IP(src=f"10.{rng.randrange(4)}.{rng.randrange(256)}.{rng.randrange(1, 255)}",
              dst=f"10.{rng.choice([5, 6, 9])}.0.{rng.randrange(1, 255)}", ttl=64, **fields)


def ipv6(rng):
    return IPv6(src=f"2001:db8::{rng.randrange(1, 4)}", dst=f"2001:db8:1::{rng.randrange(1, 4)}", hlim=64)


def udp(rng):
    return ether(rng) / ipv4(rng) / UDP(sport=rng.randrange(1024, 65536), dport=rng.choice([53, 5000, 7000, 9000])) / payload(rng)


def tcp(rng):
    return ether(rng) / ipv4(rng) / TCP(sport=rng.randrange(1024, 65536), dport=rng.choice([22, 25, 80, 443, 8080]),
                                        flags=rng.choice(["S", "A", "PA"])) / payload(rng)


def icmp(rng):
    return ether(rng) / ipv4(rng) / ICMP(type=rng.choice([0, 8])) / payload(rng)


def arp(rng):
    return ether(rng) / ARP(psrc="10.0.0.1", pdst="10.0.0.2")


def vlan(rng):
    return ether(rng) / Dot1Q(vlan=rng.choice([100, 101])) / ipv4(rng) / UDP(sport=4000, dport=4001) / payload(rng)


def vxlan(rng):
    inner = Ether(src="02:aa:00:00:00:01", dst="02:aa:00:00:00:02") / ipv4(rng) / UDP(sport=1, dport=2) / payload(rng)
    return ether(rng) / ipv4(rng) / UDP(sport=rng.randrange(49152, 65536), dport=4789) / VXLAN(vni=rng.choice([42, 43])) / inner


def udp6(rng):
    return ether(rng) / ipv6(rng) / UDP(sport=rng.choice([1111, 2222]), dport=rng.choice([6000, 6001])) / payload(rng)


def icmp6(rng):
    return ether(rng) / ipv6(rng) / ICMPv6EchoRequest() / payload(rng)


PROTOCOLS = [udp, tcp, icmp, arp, vlan, vxlan, udp6, icmp6]


def write(path, seed):
    """The capture at path. @return the frames in order."""
    rng = random.Random(seed)
    frames = []
    for number in range(PACKETS):
        frame = bytes(rng.choice(PROTOCOLS)(rng) if number >= len(PROTOCOLS) else PROTOCOLS[number](rng))
        frames.append(frame + bytes(max(0, 60 - len(frame))))  # a sender's MAC pads
    wrpcap(path, [Ether(f) for f in frames])
    return frames

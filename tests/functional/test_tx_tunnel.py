# SPDX-License-Identifier: BSD-3-Clause
"""GRE and GENEVE on what is sent: inner and outer checksums, segmentation, as testpmd's checksum forwarding asks for them."""

import pytest
from harness.datapath import needs, no_broken_port, ports  # noqa: F401  pylint: disable=unused-import
from harness.frames import GRE, IP, TCP, UDP, Ether, IPv6, frame
from scapy.contrib.geneve import GENEVE
from test_tx_offload import (HARDWARE, MSS, PEER, SOFTWARE, TUNNEL_OFF, TUNNEL_ON, cut, exchange, tunnel_bytes, wire_bytes)

INNER = Ether(src="02:00:00:00:01:01", dst="02:00:00:00:01:02")


def in_geneve(port, l3, l4, size):
    return frame(IP(id=300), UDP(sport=4000, dport=6081, chksum=0), GENEVE(vni=7), INNER, l3, l4, dst=port.mac, size=size)


def in_gre(port, l3, l4, size):
    return frame(IP(id=300), GRE(), l3, l4, dst=port.mac, size=size)


def gre_bytes(port, packet):
    p = packet.copy()
    p[Ether].src, p[Ether].dst = port.mac, PEER
    return wire_bytes(p)


TUNNELS = {"geneve": (in_geneve, tunnel_bytes), "gre": (in_gre, gre_bytes)}


@pytest.mark.parametrize("tunnel", TUNNELS)
def test_checksums(dut, ports, tunnel):  # noqa: F811
    needs(dut, "tunnel tso")
    port = ports()
    make, wanted = TUNNELS[tunnel]
    port.restarted(*HARDWARE, *TUNNEL_ON, mode="csum")
    try:
        sent = [make(port, l3(), l4(sport=5, dport=6), size) for l3 in (IP, IPv6) for l4 in (UDP, TCP) for size in (20, 101, 900)]
        exchange(port, sent, [wanted(port, p) for p in sent])
    finally:
        port.restarted(*SOFTWARE, *TUNNEL_OFF)


@pytest.mark.parametrize("inner", [lambda: IP(id=40), IPv6], ids=["ipv4", "ipv6"])
@pytest.mark.parametrize("tunnel", TUNNELS)
def test_tso(dut, ports, tunnel, inner):  # noqa: F811
    needs(dut, "tunnel tso")
    port = ports()
    make, wanted = TUNNELS[tunnel]
    port.restarted(*HARDWARE, *TUNNEL_ON, f"tunnel_tso set {MSS} 0", mode="csum")
    try:
        sent = [make(port, inner(), TCP(sport=5, dport=6, seq=1000, flags="PA"), size) for size in (MSS + 1, 600, 1201)]
        exchange(port, sent, [wanted(port, f) for p in sent for f in cut(p, MSS)])
    finally:
        port.restarted(*SOFTWARE, *TUNNEL_OFF, "tunnel_tso set 0 0")

# SPDX-License-Identifier: BSD-3-Clause
"""A port from probe to close: what it says of itself, default traffic, forwarding, stop and start, nothing left behind."""

import os
import re

import pytest
from harness import frames
from harness.dut import launch
from harness.frames import ARP, ICMP, IP, TCP, UDP, Dot1Q, Ether, ICMPv6EchoRequest, IPv6, Raw, frame
from harness.peer import LEAVES
from harness.port import DROP, Expect, Port, objects

PORT_OWN_MAC = "02:5c:00:00:00:00"


@pytest.fixture
def plain(dut, build, tmp_path):
    """A port without flow queues, forwarding; the test may end it itself."""
    testpmd, wire, host = launch(dut[0], dut[1], build, str(tmp_path))
    port = Port(testpmd, wire, host, str(tmp_path), queues=4, leaves=LEAVES[dut[0].name])
    yield port
    port.close()


def last_census(port):
    """What softcx counted when the process ended."""
    with open(port.census_path, encoding="utf-8") as f:
        return f.read().split("--- process")[-1]


def test_info(plain):
    text = plain.testpmd.command("show port info 0")
    assert f"MAC address: {PORT_OWN_MAC.upper()}" in text
    assert "Link status: up" in text
    assert re.search(r"MTU: 1500\b", text)
    assert "Current number of RX queues: 4" in text and "Current number of TX queues: 4" in text


def test_quit(plain):
    """Probe, start, quit: exit status 0, nothing lives on the device, nothing was left for it to clean up."""
    assert plain.testpmd.quit() == 0
    census = last_census(plain)
    assert objects(census) == "", census
    assert "left behind" not in census, census


def test_no_softcx_devargs_needed(plain, dut):
    """The port came up by the driver under test."""
    text = plain.testpmd.command("show port info 0")
    assert ("mlx5_pci" if dut[0].name == "mlx5" else "mlx5hws" if not dut[0].vdev else "net_softcx") in text, text


def traffic(dst):
    """A frame of each kind that an ordinary NIC hands to its queues."""
    yield frame(IP(dst="10.0.0.1"), UDP(), dst=dst)
    yield frame(IP(dst="10.0.0.1"), TCP(), dst=dst)
    yield frame(IP(dst="10.0.0.1"), ICMP(), dst=dst)
    yield frame(IPv6(dst="2001:db8::1"), UDP(), dst=dst)
    yield frame(IPv6(dst="2001:db8::1"), ICMPv6EchoRequest(), dst=dst)
    yield frame(IP(dst="10.0.0.1"), UDP(), dst=dst, vlans=[Dot1Q(vlan=7)])
    yield frame(ARP(pdst="10.0.0.1"), dst=dst)
    yield frame(IP(dst="10.0.0.1"), UDP(), dst=dst, size=1400)


def test_default_traffic(plain):
    """Promiscuous, as testpmd starts: everything arrives, nothing reaches the kernel."""
    plain.configure()
    plain.start()
    sent = [*traffic(PORT_OWN_MAC), *traffic("02:bb:00:00:00:01"), *traffic("01:00:5e:00:00:01"), *traffic("ff:ff:ff:ff:ff:ff")]
    plain.exchange(sent, [Expect() for _ in sent])


def test_promiscuous_off(plain):
    """Own address and broadcast arrive, other unicast does not."""
    plain.testpmd.do("set promisc 0 off")
    plain.configure()
    plain.start()
    own, other = [list(traffic(mac))[:4] for mac in (PORT_OWN_MAC, "02:bb:00:00:00:01")]
    plain.exchange(own + other, [Expect()] * 4 + [DROP] * 4)
    plain.testpmd.do("set promisc 0 on")
    sent = list(traffic("02:bb:00:00:00:01"))
    plain.exchange(sent, [Expect() for _ in sent])


def test_forward_many(plain):
    """A thousand frames of all kinds and lengths: each leaves once, unchanged, in order within its queue."""
    plain.configure()
    plain.testpmd.do("set fwd io")
    plain.testpmd.do("start")
    plain.silence()
    sent = [frame(IP(src=f"10.{i & 255}.{i >> 8}.1", dst="10.0.0.1"), UDP(sport=i + 1), dst=PORT_OWN_MAC, size=20 + i)
            for i in range(1000)]
    out = []
    for at in range(0, len(sent), 50):
        for packet in sent[at:at + 50]:
            plain.wire.send(bytes(packet))
        while True:
            data = plain.wire.receive(2 if len(out) < at + 50 else 0.0)
            if data is None:
                break
            out.append(data)
    assert sorted(out) == sorted(bytes(p) for p in sent), f"{len(out)} of {len(sent)} frames left"


def test_stop_and_start(plain):
    """Stopped, nothing arrives; started again, everything does."""
    plain.configure()
    plain.start()
    before = plain.census()
    for _ in range(2):
        plain.testpmd.do("stop")
        plain.testpmd.do("port stop 0", r"Done", seconds=30)
        plain.testpmd.do("port start 0", r"Done", seconds=30)
        plain.testpmd.do("start")
        plain.silence()
        sent = list(traffic(PORT_OWN_MAC))
        plain.exchange(sent, [Expect() for _ in sent])
    assert plain.census() == before


def test_rules_end_with_the_port(plain):
    """Stop flushes rules; close with tables and templates outstanding frees all of it."""
    plain.configure()
    plain.start()
    flows = plain.flows(census=False)
    flows.__enter__()
    root = flows.table(["eth dst mask ff:ff:ff:ff:ff:ff"], [("jump group 1", "jump group 0xffffffff")], group=0, rules=1)
    flows.rule(root, f"eth dst spec {frames.PORT_MAC}", "jump group 1")
    table = flows.table(["eth / ipv4 dst mask 255.255.255.255"], ["count / queue"])
    flows.rule(table, "eth / ipv4 dst spec 10.0.0.1", "count / queue index 1")
    plain.exchange([frame(IP(dst="10.0.0.1"), UDP())], [Expect(queue=1)])
    plain.testpmd.do("stop")
    assert plain.testpmd.quit() == 0
    census = last_census(plain)
    assert objects(census) == "", census
    left = re.search(r"left behind (\d+)", census)
    assert left is None or plain.leaves, census


def test_close_leaves_no_interface(plain):
    """The taps are gone with the process."""
    names = (plain.wire.name, plain.host.name)
    assert all(os.path.exists(f"/sys/class/net/{n}") for n in names)
    assert plain.testpmd.quit() == 0
    assert not any(os.path.exists(f"/sys/class/net/{n}") for n in names)


def test_short_and_long(plain):
    """The shortest frame and the longest that the MTU allows."""
    plain.configure()
    plain.start()
    short = frame(dst=PORT_OWN_MAC)
    long = frame(IP(), UDP(), dst=PORT_OWN_MAC, size=1500 - 28)
    assert (len(short), len(long)) == (60, 1514)
    plain.exchange([short, long, Ether(bytes(short)[:60])][:2], [Expect(), Expect()])
    assert Raw in short

# SPDX-License-Identifier: BSD-3-Clause
"""What is not the application's is the kernel's: the port's netdev gets it through the steering anchor, and sends by itself."""

import fcntl
import os
import socket
import struct
import time

import pytest
from harness.eth import eth, eth_factory  # noqa: F401  pylint: disable=unused-import
from harness.frames import ARP, IP, TCP, UDP, Dot1Q, IPv6, frame, number_of, sentinel
from harness.port import DROP, PATIENCE, Expect
from harness.wire import SIOCGIFFLAGS, SIOCSIFFLAGS

TESTPMD_ARGS = ("--disable-rss",)
KERNEL, TAKEN = Expect(kernel=True), Expect()
STRANGER, GROUP, BROADCAST = "02:11:22:33:44:55", "03:00:00:01:02:03", "ff:ff:ff:ff:ff:ff"
IFF_PROMISC = 0x100


def kinds(dst):
    """A frame of each kind."""
    return [frame(IP(dst="10.0.0.1"), UDP(), dst=dst), frame(IP(dst="10.0.0.1"), TCP(), dst=dst, size=1400),
            frame(IPv6(dst="2001:db8::1"), UDP(), dst=dst), frame(ARP(pdst="10.0.0.1"), dst=dst),
            frame(IP(dst="10.0.0.1"), UDP(), dst=dst, vlans=[Dot1Q(vlan=7, prio=3)])]


def arrives(tap, sent):
    """All of them, and each once, whatever else the interface sees."""
    wanted = {number_of(bytes(p)): bytes(p) for p in sent}
    got = []
    deadline = time.monotonic() + PATIENCE
    while len(got) < len(wanted) and time.monotonic() < deadline:
        data = tap.receive(0.05)
        if data is not None and number_of(data) in wanted:
            got.append(data)
    time.sleep(0.05)
    got += [d for d in tap.drain() if number_of(d) in wanted]
    assert sorted(got) == sorted(wanted.values()), f"{len(got)} of {len(wanted)}"


def all_to_kernel(port, sent):
    """Nothing is the application's."""
    for packet in sent:
        port.wire.send(bytes(packet))
    arrives(port.host, sent)
    assert not any(number_of(d) for d in port.wire.drain())


def set_promiscuous(name, on):
    """The netdev, as its administrator would."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        flags = struct.unpack("16xH22x", fcntl.ioctl(s, SIOCGIFFLAGS, struct.pack("16s24x", name.encode())))[0]
        flags = flags | IFF_PROMISC if on else flags & ~IFF_PROMISC
        fcntl.ioctl(s, SIOCSIFFLAGS, struct.pack("16sH22x", name.encode(), flags))


@pytest.fixture
def picky(eth):  # noqa: F811
    eth.do("set promisc 0 off")
    eth.do("set allmulti 0 off")
    yield eth
    if eth.testpmd.process.master is not None:
        eth.testpmd.command("set promisc 0 on")


def test_what_nobody_takes(picky):
    """A group that is in no list; all kinds of frames, unchanged."""
    sent = kinds(GROUP)
    picky.exchange(sent + kinds(picky.mac), [KERNEL] * len(sent) + [TAKEN] * len(sent))


def test_promiscuous_netdev(picky):
    """A stranger's frame, once the netdev wants it; the application did not ask for it."""
    picky.exchange(kinds(STRANGER), [DROP] * 5)
    set_promiscuous(picky.host.name, True)
    time.sleep(0.1)
    try:
        picky.exchange(kinds(STRANGER) + kinds(picky.mac), [KERNEL] * 5 + [TAKEN] * 5)
    finally:
        set_promiscuous(picky.host.name, False)
        time.sleep(0.1)
    picky.exchange(kinds(STRANGER), [DROP] * 5)


def test_a_rule_takes_it_from_the_kernel(picky):
    """In group 0, before what nobody takes; gone with the rule."""
    with picky.flows(group=0) as flows:
        table = flows.table(["eth dst mask ff:ff:ff:ff:ff:ff / ipv4 / udp"], ["queue"], rules=8)
        rule = flows.rule(table, f"eth dst spec {GROUP} / ipv4 / udp", "queue index 2")
        expected = [Expect(queue=2), KERNEL, KERNEL, KERNEL]
        picky.exchange(kinds(GROUP)[:4], expected)
        flows.destroy(rule)
        picky.exchange(kinds(GROUP)[:4], [KERNEL] * 4)


def test_a_rule_drops_it_before_the_kernel(picky):
    with picky.flows(group=0) as flows:
        table = flows.table(["eth dst mask ff:ff:ff:ff:ff:ff / ipv4"], [("jump group 1", "jump group 0xffffffff")], rules=8)
        second = flows.table(["eth"], ["count / drop"], group=1, rules=8)
        rule = flows.rule(second, "eth", "count / drop")
        flows.rule(table, f"eth dst spec {GROUP} / ipv4", "jump group 1")
        sent = kinds(GROUP)[:4]
        picky.exchange(sent, [DROP, DROP, KERNEL, KERNEL])
        flows.wait_count(rule, 2, sum(len(p) for p in sent[:2]))


def test_isolated(eth):  # noqa: F811
    """Only what rules take is the application's; not even its own address is, nor broadcast."""
    eth.restarted("flow isolate 0 1")
    try:
        all_to_kernel(eth, kinds(eth.mac) + kinds(GROUP) + [sentinel()])
        with eth.flows(group=0) as flows:
            table = flows.table(["eth dst mask ff:ff:ff:ff:ff:ff / ipv4 / udp dst mask 0xffff"], ["queue"], rules=8)
            flows.rule(table, f"eth dst spec {eth.mac} / ipv4 / udp dst spec 77", "queue index 1")
            sent = [frame(IP(), UDP(dport=p), dst=eth.mac) for p in (77, 78, 77)]
            eth.exchange(sent, [Expect(queue=1), KERNEL, Expect(queue=1)], last=KERNEL)
        all_to_kernel(eth, kinds(eth.mac))
    finally:
        eth.restarted("flow isolate 0 0")
    eth.exchange(kinds(eth.mac), [TAKEN] * 5)


def test_stopped_port(eth):  # noqa: F811
    """Everything that the netdev wants, from stop to start."""
    eth.testpmd.command("stop")
    eth.do("port stop 0", r"Done")
    eth.silence()
    try:
        all_to_kernel(eth, kinds(eth.mac) + kinds(GROUP) + kinds(BROADCAST))
    finally:
        eth.do("port start 0", r"Done", seconds=30)
        eth.forward("io")
    eth.exchange(kinds(eth.mac), [TAKEN] * 5)


def test_kernel_sends(picky):
    """What the netdev sends leaves by the wire as it is, while the application forwards, and is not the application's."""
    sent = kinds(STRANGER) + kinds(BROADCAST)
    for packet in sent:
        picky.host.send(bytes(packet))
    arrives(picky.wire, sent)
    mine = kinds(picky.mac)
    picky.exchange(mine, [TAKEN] * len(mine))


def test_both_send(picky):
    """The application's and the kernel's frames, one by one in turn."""
    mine, its = kinds(picky.mac), kinds(STRANGER)
    for packet, other in zip(mine, its):
        picky.wire.send(bytes(packet))
        picky.host.send(bytes(other))
    arrives(picky.wire, mine + its)
    picky.silence()


def test_closed_port(eth, request):  # noqa: F811
    """With the port gone the kernel has the device as before; softcx keeps its wire while anybody has the device open."""
    request.node.broken = True
    eth.testpmd.command("stop")
    eth.do("port stop 0", r"Done")
    eth.do("port close 0", r"Port 0 is closed")
    if os.path.exists(f"/sys/class/net/{eth.wire.name}"):
        eth.silence()
        all_to_kernel(eth, kinds(eth.mac) + kinds(GROUP) + kinds(BROADCAST))
    assert eth.testpmd.quit() == 0

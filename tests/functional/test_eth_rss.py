# SPDX-License-Identifier: BSD-3-Clause
"""RSS of the port itself: the queue of each packet is what a Toeplitz hash of our own and the redirection table say."""

import random
import re

import pytest
from harness.eth import eth, eth_factory  # noqa: F401  pylint: disable=unused-import
from harness.frames import IP, TCP, UDP, IPv6, frame, rss_hash
from harness.port import Expect

KEYS = [bytes.fromhex("6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa"),
        random.Random(5).randbytes(40), b"\x9f" * 40]  # the last one makes hashes of 0


def key_of(port):
    return bytes.fromhex(port.info(r"RSS key:\s+([0-9A-F]{80})", "show port 0 rss-hash key"))


def reta_of(port):
    """The table as the driver tells it."""
    size = int(port.info(r"Redirection table size: (\d+)"))
    groups, text = (size + 63) // 64, ""
    for at in range(0, groups, 4):  # a word of testpmd's line has at most 127 characters
        masks = ",".join("0xffffffffffffffff" if at <= g < at + 4 else "0" for g in range(groups))
        text += port.testpmd.command(f"show port 0 rss reta {size} ({masks})")
    table = {int(i): int(q) for i, q in re.findall(r"hash index=(\d+), queue=(\d+)", text)}
    assert sorted(table) == list(range(size)), text
    return [table[i] for i in range(size)]


def set_reta(port, queues):
    for at in range(0, len(queues), 14):
        port.do("port config 0 rss reta " + ",".join(f"({i},{q})" for i, q in list(enumerate(queues))[at:at + 14]))


def flows(dst, count=24):
    """UDP, TCP and plain IPv4, UDP over IPv6: (frame, has ports)."""
    some = random.Random(count)
    sent = []
    for i in range(count):
        src, port = f"10.{some.randrange(256)}.{some.randrange(256)}.{i + 1}", some.randrange(1, 60000)
        sent.append((frame(IP(src=src, dst="10.9.0.1"), UDP(sport=port, dport=4444), dst=dst), True))
        sent.append((frame(IP(src=src, dst="10.9.0.1"), TCP(sport=port, dport=4444), dst=dst), True))
        sent.append((frame(IP(src=src, dst="10.9.0.1", proto=200), dst=dst), False))
        sent.append((frame(IPv6(src=f"fd00::{i + 1:x}", dst="fd01::5"), UDP(sport=port, dport=4444), dst=dst), True))
    return sent


def judge(port, key, ports):
    """ports: UDP and TCP are hashed with their ports."""
    table = reta_of(port)
    sent = flows(port.mac)
    hashes = [rss_hash(p, key, ports and has_ports) for p, has_ports in sent]
    expected = [Expect(queue=table[h % len(table)], rss=h) for h in hashes]
    port.exchange([p for p, _ in sent], expected)
    return {e.queue for e in expected}


def test_default(eth):  # noqa: F811
    """testpmd starts with addresses alone; all queues get their share."""
    assert judge(eth, key_of(eth), ports=False) == set(range(4))


@pytest.fixture(params=["live", "restarted"])
def configure(request, eth):  # noqa: F811
    """Settings of RSS on a started port, and after a restart."""
    def do(*lines):
        for line in lines:
            eth.do(line)
        if request.param == "restarted":
            eth.restarted()
    yield do
    do("port config all rss ip")


def test_types_and_key(eth, configure):  # noqa: F811
    configure("port config all rss all")
    judge(eth, key_of(eth), ports=True)
    for key in KEYS:
        configure(f"port config 0 rss-hash-key ipv4 {key.hex()}", "port config all rss all")
        assert key_of(eth) == key
        judge(eth, key, ports=True)
    configure("port config all rss ip")
    judge(eth, KEYS[-1], ports=False)


def test_redirection_table(eth):  # noqa: F811
    size = len(reta_of(eth))
    for queues in ([3] * min(size, 64) + [0] * (size - 64), [(i * 7 + i // 3) % 4 for i in range(size)]):
        set_reta(eth, queues)
        assert reta_of(eth) == queues
        judge(eth, key_of(eth), ports=False)
    set_reta(eth, [i % 4 for i in range(size)])

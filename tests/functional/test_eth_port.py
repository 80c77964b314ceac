# SPDX-License-Identifier: BSD-3-Clause
"""The port as a whole: what it says of itself, statistics, queues and port stopped and started, link, detach."""

import re
import threading
import time

from harness.eth import EthPort, eth, eth_factory  # noqa: F401  pylint: disable=unused-import
from harness.dut import BDF
from harness.frames import IP, UDP, frame
from harness.peer import HANGS
from harness.port import Expect
from harness.threads import threads

DEVARGS = ("rx_vec_en=0",)  # the peer stops a queue only so


def flows(port, count=32, size=24):
    return [frame(IP(src=f"10.1.{i}.1", dst="10.0.0.2"), UDP(), dst=port.mac, size=size) for i in range(count)]


def test_what_it_says_of_itself(eth):  # noqa: F811
    text = eth.testpmd.command("show port info 0")
    assert re.search(r"Driver name: (mlx5_pci|net_mlx5hws|net_softcx)", text)
    assert re.search(r"Firmware-version: \d+\.\d+\.\d+", text)
    assert re.search(r"Link status: up", text) and re.search(r"Link duplex: full-duplex", text)
    assert re.search(r"Hash key size in bytes: 40", text)
    for what in ("RX", "TX"):
        assert int(re.search(rf"Max possible {what} queues: (\d+)", text)[1]) >= 64
        assert int(re.search(rf"Max possible number of {what}Ds per queue: (\d+)", text)[1]) >= 4096
    for command in ("show rxq info 0 0", "show txq info 0 0"):
        assert re.search(r"Number of [RT]XDs: 256", eth.testpmd.command(command))
        assert re.search(r"Burst mode: \S+", eth.testpmd.command(command))
    offloads = eth.testpmd.command("show port 0 rx_offload capabilities")
    assert all(word in offloads for word in ("VLAN_STRIP", "IPV4_CKSUM", "UDP_CKSUM", "TCP_CKSUM", "VLAN_FILTER", "SCATTER"))
    offloads = eth.testpmd.command("show port 0 tx_offload capabilities")
    assert all(word in offloads for word in ("VLAN_INSERT", "IPV4_CKSUM", "UDP_CKSUM", "TCP_CKSUM", "MULTI_SEGS"))


def test_stats(eth):  # noqa: F811
    eth.clear_stats()
    sent = flows(eth) + flows(eth, 8, size=1000)
    eth.exchange(sent, [Expect() for _ in sent])
    stats = eth.stats()
    packets, octets = len(sent) + 1, sum(len(p) for p in sent) + 60
    assert (stats["RX-packets"], stats["RX-bytes"], stats["TX-packets"], stats["TX-bytes"]) == (packets, octets) * 2
    assert stats["RX-missed"] == stats["RX-errors"] == stats["RX-nombuf"] == stats["TX-errors"] == 0
    eth.clear_stats()
    assert eth.stats()["RX-packets"] == 0


def test_xstats(eth):  # noqa: F811
    """Per queue, as where the packets were seen."""
    eth.do("clear port xstats 0")
    sent = flows(eth)
    seen = eth.exchange(sent, [Expect() for _ in sent])
    text = eth.do("show port xstats 0", r"(?s)(.*rx_good_packets.*)")[1]
    count = {k: int(v) for k, v in re.findall(r"(\w+): (\d+)", text)}
    per_queue = [sum(p.queue == q for p in seen) for q in range(4)]
    assert [count[f"rx_q{q}_packets"] for q in range(4)] == per_queue
    assert [count[f"tx_q{q}_packets"] for q in range(4)] == per_queue
    assert count["rx_good_packets"] == len(seen)
    # What came in from the wire, by the device's count: by the driver's own commands, or from the netdev's statistics.
    count.update({k.removeprefix("port_"): v for k, v in count.items()})
    assert count["rx_unicast_packets"] == len(sent)
    assert count["rx_unicast_bytes"] == sum(len(p) for p in sent)


def test_queue_stop_and_start(eth):  # noqa: F811
    """What RSS sends to a stopped queue is gone; the others go on."""
    sent = flows(eth)
    seen = eth.exchange(sent, [Expect() for _ in sent])
    queues = {p.src: p.queue for p in seen}
    end = next(q for p in seen for q in [p.queue] if p.src not in {f.src for f in sent})
    chosen = next(q for q in range(4) if q != end)
    eth.between(f"port 0 rxq {chosen} stop")
    eth.exchange(sent, [Expect(drop=True) if queues[p.src] == chosen else Expect(queue=queues[p.src]) for p in sent])
    eth.between(f"port 0 rxq {chosen} start")
    eth.exchange(sent, [Expect(queue=queues[p.src]) for p in sent])


class Load(threading.Thread):
    """Frames from the wire all the time."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port, self.over = port, False
        self.frames = [bytes(p) for p in flows(port, 64)]

    def run(self):
        while not self.over:
            for data in self.frames:
                try:
                    self.port.wire.send(data)
                except OSError:
                    pass
            time.sleep(0.002)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over = True
        self.join()


def test_restarts_under_load(eth):  # noqa: F811
    """Twenty times; each time all buffers are back."""
    eth.do("set verbose 0")
    eth.testpmd.command("stop")
    eth.do("port stop 0", r"Done")
    full = eth.free_buffers()
    with Load(eth):
        for _ in range(20):
            eth.do("port start 0", r"Done", seconds=30)
            eth.do("start")
            time.sleep(0.03)
            eth.testpmd.command("stop")
            eth.do("port stop 0", r"Done")
            assert eth.free_buffers() == full
    eth.do("port start 0", r"Done", seconds=30)
    eth.do("set verbose 1")
    eth.do("start")
    time.sleep(0.2)
    eth.silence()
    sent = flows(eth)
    eth.exchange(sent, [Expect() for _ in sent])


def test_queue_restarts_under_load(eth):  # noqa: F811
    eth.do("set verbose 0")
    with Load(eth):
        for i in range(12):
            eth.between(f"port 0 rxq {i % 4} stop", f"port 0 txq {i % 4} stop")
            eth.between(f"port 0 txq {i % 4} start", f"port 0 rxq {i % 4} start")
    eth.do("set verbose 1")
    time.sleep(0.2)
    eth.silence()
    sent = flows(eth)
    eth.exchange(sent, [Expect() for _ in sent])


def test_other_queue_counts(eth):  # noqa: F811
    """Configured anew with more and with fewer queues."""
    for count in (2, 7, 1, 4):
        eth.restarted(f"port config all rxq {count}", f"port config all txq {count}")
        assert int(eth.info(r"Current number of RX queues: (\d+)")) == count
        sent = flows(eth)
        seen = eth.exchange(sent, [Expect() for _ in sent])
        assert max(p.queue for p in seen) < count


def test_loopback(eth, request):  # noqa: F811
    """Mode 1: what is sent to the port's own address comes back. One frame, forwarded to ourselves, runs in circles."""
    def round_trips():
        eth.clear_stats()
        eth.wire.send(bytes(frame(IP(), UDP(), dst=eth.mac)))
        time.sleep(0.3)
        return eth.stats()["RX-packets"]

    request.node.broken = True  # the peer's port does not start again after its refusal
    eth.do("set verbose 0")
    eth.between(f"set eth-peer 0 {eth.mac}")
    eth.restarted(mode="mac")
    assert round_trips() == 1
    eth.restarted("port config 0 loopback 1", mode="mac")
    assert round_trips() > 10
    eth.restarted("port config 0 loopback 0", mode="mac")
    assert round_trips() == 1


def test_link(eth):  # noqa: F811
    """Set down and up by the application."""
    eth.testpmd.command("set link-down port 0")
    assert eth.info(r"Link status: (\w+)") == "down"
    eth.testpmd.command("set link-up port 0")
    time.sleep(0.1)
    assert eth.info(r"Link status: (\w+)") == "up"
    eth.silence()
    sent = flows(eth, 8)
    eth.exchange(sent, [Expect() for _ in sent])


def test_detach_and_attach(eth):  # noqa: F811
    name = "net_softcx0" if "vdev" in eth.name else BDF
    arguments = [a for a in eth.argv if name in a][-1].removeprefix("--vdev=")
    # From 26.07 on the EAL cuts the arguments of an attach after 127 characters: without the files that only failures need.
    arguments = re.sub(r",(trace|census)=[^,]*", "", arguments) if len(arguments) > 127 else arguments
    eth.testpmd.command("stop")
    for _ in range(2):
        eth.do("port stop 0", r"Done")
        eth.do("port close 0", r"Port 0 is closed")
        if "Now total ports is 0" not in eth.testpmd.command(f"device detach {name}"):
            assert "No device" not in eth.testpmd.command("show port summary all")
        eth.do(f"port attach {arguments}", r"Port 0 is attached", seconds=30)
        eth.do("port start 0", r"Done", seconds=30)
        eth.configure()
        eth.reopen_taps()
    eth.start()
    sent = flows(eth)
    eth.exchange(sent, [Expect() for _ in sent])


def hangs(eth, test):
    """Does the driver spin where its row of the table says?"""
    name = HANGS[eth.name].get(test)
    for _ in range(5 if name else 0):
        if not any(re.fullmatch(name, t.name) and t.state == "R" for t in threads(eth.testpmd.process.child.pid)):
            return False
        time.sleep(0.1)
    return name is not None


def test_removal(eth, request):  # noqa: F811
    """The device dies under traffic: testpmd is told, closes and detaches the port, and goes on."""
    eth.do("set verbose 0")
    request.node.broken = True
    with Load(eth):
        time.sleep(0.1)
        eth.order("fault 0 die")
        text, deadline = "", time.monotonic() + (10 if HANGS[eth.name] else 30)
        while "Now total ports is 0" not in text and time.monotonic() < deadline:
            text += eth.testpmd.listen(0.1)
    assert "device removal event" in text, text
    if "Now total ports is 0" not in text and hangs(eth, "test_removal"):
        return
    assert "Now total ports is 0" in text, text
    assert eth.testpmd.quit() == 0

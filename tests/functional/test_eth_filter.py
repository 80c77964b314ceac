# SPDX-License-Identifier: BSD-3-Clause
"""Which frames a port lets in: MAC addresses, multicast, promiscuous, VLAN ids. What it does not take the kernel may."""

import pytest
from harness.eth import eth, eth_factory  # noqa: F401  pylint: disable=unused-import
from harness.frames import IP, UDP, Dot1Q, frame
from harness.port import Expect

TESTPMD_ARGS = ("--disable-rss",)
KERNEL = Expect(kernel=True)
GONE = Expect(drop=True)  # a stranger's: the kernel's netdev is not promiscuous either
TAKEN = Expect()
STRANGER, FRIEND = "02:11:22:33:44:55", "02:66:77:88:99:aa"
# No groups of IP: those the peer lets in unasked.
GROUP, OTHER_GROUP = "03:00:00:01:02:03", "03:00:00:01:02:04"
PERHAPS = Expect(kernel="perhaps")  # not the application's; which address the netdev keeps is the driver's affair


@pytest.fixture
def picky(eth):  # noqa: F811
    eth.do("set promisc 0 off")
    eth.do("set allmulti 0 off")
    yield eth
    eth.do("set promisc 0 on")


def to(*addresses):
    return [frame(IP(), UDP(), dst=a) for a in addresses]


def test_own_address(picky):
    picky.exchange(to(picky.mac, STRANGER, picky.mac, GROUP), [TAKEN, GONE, TAKEN, KERNEL])


def test_add_and_remove(picky):
    picky.do(f"mac_addr add 0 {STRANGER}")
    picky.do(f"mac_addr add 0 {FRIEND}")
    listed = picky.testpmd.command("show port 0 macs")
    assert all(a.upper() in listed for a in (picky.mac, STRANGER, FRIEND)), listed
    picky.exchange(to(STRANGER, FRIEND, picky.mac), [TAKEN] * 3)
    picky.do(f"mac_addr remove 0 {STRANGER}")
    picky.exchange(to(STRANGER, FRIEND, picky.mac), [GONE, TAKEN, TAKEN])
    picky.do(f"mac_addr remove 0 {FRIEND}")
    picky.exchange(to(FRIEND), [GONE])


def test_set(picky):
    picky.do(f"mac_addr set 0 {FRIEND}")
    assert picky.info(r"MAC address: (\S+)").lower() == FRIEND
    picky.exchange(to(picky.mac, FRIEND), [PERHAPS, TAKEN])
    picky.do(f"mac_addr set 0 {picky.mac}")
    picky.exchange(to(picky.mac, FRIEND), [TAKEN, PERHAPS])


def test_multicast_list(picky):
    picky.do(f"mcast_addr add 0 {GROUP}")
    picky.exchange(to(GROUP, OTHER_GROUP), [TAKEN, KERNEL])
    picky.do(f"mcast_addr remove 0 {GROUP}")
    picky.exchange(to(GROUP), [KERNEL])


def test_all_multicast(picky):
    picky.do("set allmulti 0 on")
    picky.exchange(to(GROUP, OTHER_GROUP, STRANGER, picky.mac), [TAKEN, TAKEN, GONE, TAKEN])
    picky.do("set allmulti 0 off")
    picky.exchange(to(GROUP), [KERNEL])


def test_promiscuous(picky):
    picky.do("set promisc 0 on")
    picky.exchange(to(GROUP, STRANGER, picky.mac), [TAKEN] * 3)
    picky.do("set promisc 0 off")
    picky.exchange(to(STRANGER, picky.mac), [GONE, TAKEN])


def test_settings_survive_a_restart(picky):
    picky.do(f"mac_addr add 0 {STRANGER}")
    picky.do(f"mcast_addr add 0 {GROUP}")
    picky.restarted()
    picky.exchange(to(STRANGER, FRIEND, GROUP, picky.mac), [TAKEN, GONE, TAKEN, TAKEN])
    picky.do(f"mcast_addr remove 0 {GROUP}")
    picky.do(f"mac_addr remove 0 {STRANGER}")


def exchange_alone(port, sent, expected):
    """Without a last frame: that one has no tag."""
    port.compare(sent, expected, *port.carry(sent, expected))


def test_vlan_filter(picky):
    picky.do("vlan set filter on 0")
    picky.do("rx_vlan add 5 0")
    picky.do("rx_vlan add 7 0")
    sent = [frame(IP(), UDP(), dst=picky.mac, vlans=[Dot1Q(vlan=v)]) for v in (5, 6, 7)]
    exchange_alone(picky, sent, [TAKEN, KERNEL, TAKEN])
    if picky.name != "mlx5":  # which wants id 0 in the list, and does not take it then either
        picky.exchange(to(picky.mac), [TAKEN])
    picky.do("rx_vlan rm 5 0")
    exchange_alone(picky, sent, [KERNEL, KERNEL, TAKEN])
    picky.do("rx_vlan rm 7 0")
    picky.do("vlan set filter off 0")
    picky.exchange(sent, [TAKEN] * 3)

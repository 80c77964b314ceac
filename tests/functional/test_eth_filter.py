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
GROUP, OTHER_GROUP = "03:00:00:01:02:03", "03:00:00:01:02:04"
GROUPS = {"any": (GROUP, OTHER_GROUP), "ipv4": ("01:00:5e:00:01:02", "01:00:5e:00:01:03"),
          "ipv6": ("33:33:00:00:01:02", "33:33:00:00:01:03")}


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


@pytest.fixture
def renamed(picky):
    """The port's own address is FRIEND for a while."""
    picky.do(f"mac_addr set 0 {FRIEND}")
    yield picky
    picky.do(f"mac_addr set 0 {picky.mac}")


def test_set(renamed):
    assert renamed.info(r"MAC address: (\S+)").lower() == FRIEND
    renamed.exchange(to(FRIEND, STRANGER), [TAKEN, GONE])
    renamed.do(f"mac_addr set 0 {renamed.mac}")
    renamed.exchange(to(renamed.mac, FRIEND), [TAKEN, GONE])


def test_set_takes_the_netdev_along(renamed):
    """What has the old address is a stranger's now, for the kernel too."""
    renamed.exchange(to(renamed.mac, FRIEND), [GONE, TAKEN])


@pytest.mark.parametrize("kind", GROUPS)
def test_multicast_list(picky, kind):
    listed, other = GROUPS[kind]
    picky.do(f"mcast_addr add 0 {listed}")
    try:
        picky.exchange(to(listed, other), [TAKEN, KERNEL])
    finally:
        picky.do(f"mcast_addr remove 0 {listed}")
    picky.exchange(to(listed), [KERNEL])


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


@pytest.fixture
def filtering(picky):
    """The VLAN filter is on, with ids 5 and 7 in its list."""
    picky.do("vlan set filter on 0")
    for vlan in (5, 7):
        picky.do(f"rx_vlan add {vlan} 0")
    yield picky
    for vlan in (5, 7):
        picky.testpmd.command(f"rx_vlan rm {vlan} 0")
    picky.do("vlan set filter off 0")


def tagged(port, *vlans):
    return [frame(IP(), UDP(), dst=port.mac, vlans=[Dot1Q(vlan=v)]) for v in vlans]


def test_vlan_filter(filtering):
    sent = tagged(filtering, 5, 6, 7)
    exchange_alone(filtering, sent, [TAKEN, KERNEL, TAKEN])
    filtering.do("rx_vlan rm 5 0")
    exchange_alone(filtering, sent, [KERNEL, KERNEL, TAKEN])
    filtering.do("rx_vlan rm 7 0")
    filtering.do("vlan set filter off 0")
    filtering.exchange(sent, [TAKEN] * 3)


def test_vlan_filter_untagged(filtering):
    """The filter is for tagged frames."""
    sent = [*to(filtering.mac), *tagged(filtering, 5)]
    exchange_alone(filtering, sent, [TAKEN, TAKEN])

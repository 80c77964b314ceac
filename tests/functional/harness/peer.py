# SPDX-License-Identifier: BSD-3-Clause
"""Where Debian's mlx5 driver (22.11.11) may differ from ours: what it refuses, leaves behind, or does to packets.

The one place where the drivers may differ. A row is held as strictly as the case that it excuses: when the driver does not
do what its row says, the row is out of date and the test fails.

REFUSES: test (name, or name[parameters] without driver and model) -> a part of the driver's or testpmd's message. The test
must end with that refusal.

DIFFERS: test -> how packets differ. The test must fail, and all that it says must match `shows`.

LEAVES: types of objects that stay on the device until the port is closed; the census comparison leaves them out.

HANGS: test -> the thread (an expression for its name) in which the driver may spin for ever. The test then ends where that is
seen, with what the driver must have done before.

RINGS: doorbells that the driver may ring without need, by softcx's names for them (doc/softcx.md).
"""

from typing import NamedTuple

REFUSES = {
    "mlx5": {},
    "hws-pci": {},
    "hws-vdev": {},
}


class Difference(NamedTuple):
    shows: str  # expression that matches the whole message of the failed comparison
    does: str   # what the driver does
    why: str    # why ours does otherwise, and where that is written


GROUP_OF_IP = Difference(
    r"frame 1 [^\n]* shall be dropped, left as [0-9a-f ]+\n"
    r"nobody expected <queue 0 src 02:[^\n]*>\n"
    r"[^\n]*: the kernel got none",
    "takes every group of IPv4 (01:00:5e) and IPv6 (33:33) unasked (mlx5_trigger.c, mlx5_traffic_enable_hws)",
    "rte_eth_dev_set_mc_addr_list sets 'the list of multicast addresses to filter', rte_eth_allmulticast_enable is for 'the "
    "receipt of any multicast frame' (rte_ethdev.h): a group that is in no list belongs to the kernel")

DIFFERS = {
    "mlx5": {
        "test_types_and_key[live]": Difference(
            r"(frame \d+ [^\n]*: arrived (on queue \d, expected \d; )?rss \d+, expected \d+\n)+and \d+ more",
            "stores new hash types and a new key and tells success, and applies them at the next start (mlx5_rss.c)",
            "rte_eth_dev_rss_hash_update takes 'the new configuration to use for RSS hash computation on the port' and has "
            "no word about a restart (rte_ethdev.h); it does so itself for the redirection table"),
        "test_vlan_filter_untagged": Difference(
            r"frame 0 [^\n]*: did not arrive\n"
            r"frame 0 [^\n]*: shall leave as\n[0-9a-f ]+\n  left as\n    none\n"
            r"[^\n]*: the kernel got it",
            "with ids in the list it takes tagged frames of these ids and nothing else: untagged ones go to the kernel",
            "the filter is for 'VLAN packets tagged with a given VLAN Tag Identifier' (rte_ethdev.h, rte_eth_dev_vlan_filter). "
            "Others agree: 'consist with other drivers, allow untagged packet when vlan filter on' (ice_ethdev.c), 'untagged "
            "packets and only the programmed vlan's packets are received' (bnxt_ethdev.c)"),
        "test_types[4-0]": Difference(
            r"(frame \d+ [^\n]*: arrived packet type \[[^\]\n]*\] lacks \[[^\]\n]*\]\n)+and \d+ more",
            "its scalar burst takes the header types of compressed format 4 from the wrong byte of the entry",
            "its vector burst and DPDK 26.07 take them from byte 0, where the device puts them"),
        "test_multicast_list[ipv4]": GROUP_OF_IP,
        "test_multicast_list[ipv6]": GROUP_OF_IP,
        "test_txonly_segments_unannounced": Difference(
            r"(?s)frames of \[60, 80\] bytes\n.*",
            "sends the first segment alone, without a word",
            "testpmd sends chains on queues without MULTI_SEGS (set txpkts); ours sends them whole, and buffers stay whole"),
        "test_set_takes_the_netdev_along": Difference(
            r"[^\n]*: the kernel got it",
            "does not tell the netdev, which goes on taking the old address (mlx5_mac.c: rules only, on a PF)",
            "rte_eth_dev_default_mac_addr_set 'replaces the address at index 0' (rte_ethdev.h); the port's address is also what "
            "a device filters by below steering (a VF's context), and that follows the netdev"),
    },
    "hws-pci": {},
    "hws-vdev": {},
}

LEAVES = {
    # A modify-header pattern is cached with a reference count that never comes back to zero.
    "mlx5": {"pattern"},
    "hws-pci": set(),
    "hws-vdev": set(),
}

HANGS = {
    "mlx5": {
        # Its counter thread waits for the completion of a read, which a device that died in between does not give, and close
        # waits for the thread (mlx5_hws_cnt.c). Once in ten runs on an idle machine, more often on a slow one.
        "test_removal": r".*/svc@\d+",
    },
    "hws-pci": {},
    "hws-vdev": {},
}

RINGS = {
    # Flow queues on which nothing was posted.
    # Rung where nothing was posted and through another UAR; a record without a bell is seen at start now and then.
    "mlx5": {"idle", "stray", "forgotten"},
    "hws-pci": set(),
    "hws-vdev": set(),
}

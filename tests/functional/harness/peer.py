# SPDX-License-Identifier: BSD-3-Clause
"""What Debian's mlx5 driver (22.11.11) refuses or leaves behind. The one place where the drivers may differ: a difference
in packets is a failure.

REFUSES: test (name, or name[parameters] without driver and model) -> a part of the driver's or testpmd's message. The test
must end with that refusal; when it does not, the row is out of date and the test fails.

LEAVES: types of objects that stay on the device until the port is closed; the census comparison leaves them out.
"""

REFUSES = {
    "mlx5": {
        # Its counters come from the kernel driver's ethtool strings, which the tap of softcx-run does not have.
        "test_xstats": "cannot read device counters",
        # Mode 1 wants a queue of verbs, made by mlx5dv_create_cq, which softcx refuses by name.
        "test_loopback": "cannot allocate CQ for loopback",
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

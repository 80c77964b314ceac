# SPDX-License-Identifier: BSD-3-Clause
"""Striding receive queues (MPRQ): many frames in one buffer, of one to all of its strides; copied or attached."""

import random

import pytest
from harness.datapath import needs, no_broken_port, ports  # noqa: F401  pylint: disable=unused-import
from harness.frames import IP, UDP, frame
from harness.port import Expect

pytestmark = pytest.mark.one_model  # the models do it alike

MPRQ = ["mprq_en=1", "rxqs_min_mprq=1"]
PATIENCE = {"cqe_comp_us": "20000"}
RINGS = ["--rxd=512"]
COUNT = 150
STRIDING = 3


def lengths(port, sizes):
    """Frames of these lengths."""
    return [frame(IP(src="10.0.0.1", dst="10.0.0.2"), UDP(), dst=port.mac, size=n - 42) for n in sizes]


def some_sizes(seed, count=COUNT, longest=1514):
    some = random.Random(seed)
    return [some.choice((60, 64, 127, 128, 129, 512, 1024, some.randrange(60, longest + 1), longest)) for _ in range(count)]


def work(port, sizes):
    assert STRIDING in port.asked("wq_type")
    sent = lengths(port, sizes)
    port.exchange(sent, [Expect() for _ in sent])


@pytest.mark.parametrize("comp", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("vector", [0, 1])
def test_default_strides(dut, ports, vector, comp):  # noqa: F811
    """2048 bytes a stride: every frame has one."""
    needs(dut, "striding", "compression")
    port = ports([*MPRQ, f"rx_vec_en={vector}", f"rxq_cqe_comp_en={comp}"], RINGS, PATIENCE)
    for seed in range(2):
        work(port, some_sizes(seed))


@pytest.mark.parametrize("log_stride_size,comp", [(8, 0), (8, 1), (9, 3), (10, 1)])
def test_many_strides(dut, ports, log_stride_size, comp):  # noqa: F811
    """Frames longer than a stride: fillers at each buffer's end. A buffer of 64 strides, at least 16 KiB."""
    needs(dut, "striding", "compression")
    port = ports([*MPRQ, "mprq_log_stride_num=6", f"mprq_log_stride_size={log_stride_size}", f"rxq_cqe_comp_en={comp}"],
                 RINGS, PATIENCE)
    for seed in range(2):
        work(port, some_sizes(seed))


@pytest.mark.parametrize("log_stride_num", [3, 5, 8])
def test_other_counts(dut, ports, log_stride_num):  # noqa: F811
    """Buffers of 8, 32 and 256 strides (ext_stride_num_range)."""
    needs(dut, "striding")
    port = ports([*MPRQ, f"mprq_log_stride_num={log_stride_num}", "mprq_log_stride_size=11"], RINGS, PATIENCE)
    for seed in range(2):
        work(port, some_sizes(seed))


def test_fewer_work_requests(dut, ports):  # noqa: F811
    """What it is for: one request of 32 bytes for 64 frames, where it else is 16 bytes for each."""
    needs(dut, "striding")
    port = ports([*MPRQ, "mprq_log_stride_num=6", "mprq_log_stride_size=11"], RINGS, PATIENCE, queues=1)
    port.forward("rxonly")
    try:
        sent = lengths(port, [60] * 255)
        nowhere = [Expect(lost=True) for _ in sent]
        requests, octets = port.queues_moved("rx", lambda: port.exchange(sent, nowhere, last=Expect(lost=True)))[0]["wqe"]
        assert requests in (4, 5) and octets == 32 * requests
    finally:
        port.forward("io")

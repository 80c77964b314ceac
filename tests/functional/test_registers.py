# SPDX-License-Identifier: BSD-3-Clause
"""Tags and metadata that one group sets and another matches, and metadata that the application sees."""

from harness.frames import IP, UDP, frame
from harness.port import DROP, Expect

ALL = "dst_level 0xffffffff dst_offset 0xffffffff"
DST = "eth / ipv4 dst mask 255.255.255.255"


def test_tag_across_groups(port):
    """Group 1 writes a tag by address, group 2 sends by the tag alone."""
    set_tag = "modify_field op set dst_type tag dst_level 0 src_type value src_value {} width 32"
    mask = f"modify_field op set dst_type tag {ALL} src_type value src_value 00000000 width 0xffffffff"
    with port.flows() as flows:
        first = flows.table([DST], [(set_tag.format("00000000") + " / jump group 2", mask + " / jump group 0xffffffff")])
        second = flows.table(["eth / tag data mask 0xffffffff index is 0"], ["queue"], group=2)
        values = ["01000000", "02000000", "00000080", "78563412"]  # the driver takes a tag in the host's byte order
        for i, v in enumerate(values):
            flows.rule(first, f"eth / ipv4 dst spec 10.0.0.{i}", set_tag.format(v) + " / jump group 2")
            data = int.from_bytes(bytes.fromhex(v), "little")
            if i != 2:
                flows.rule(second, f"eth / tag data spec {data} index is 0", f"queue index {i}")
        sent = [frame(IP(dst=f"10.0.0.{i}"), UDP()) for i in range(4)]
        port.exchange(sent, [DROP if i == 2 else Expect(queue=i) for i in range(4)])


def test_two_tags(port):
    """Two tag registers do not disturb each other."""
    def set_tag(index, value):
        return f"modify_field op set dst_type tag dst_level {index} src_type value src_value {value} width 32"

    mask = f"modify_field op set dst_type tag {ALL} src_type value src_value 00000000 width 0xffffffff"
    with port.flows() as flows:
        first = flows.table([DST], [(set_tag(0, "00000000") + " / jump group 2", mask + " / jump group 0xffffffff")])
        second = flows.table(["eth"], [(set_tag(1, "00000000") + " / jump group 3", mask + " / jump group 0xffffffff")], group=2)
        third = flows.table(["eth / tag data mask 0xffffffff index is 0 / tag data mask 0xffffffff index is 1"], ["queue"],
                            group=3)
        flows.rule(first, "eth / ipv4 dst spec 10.0.0.1", set_tag(0, "11000000") + " / jump group 2")
        flows.rule(second, "eth", set_tag(1, "22000000") + " / jump group 3")
        flows.rule(third, "eth / tag data spec 0x11 index is 0 / tag data spec 0x22 index is 1", "queue index 2")
        port.exchange([frame(IP(dst="10.0.0.1"), UDP())], [Expect(queue=2)])


def test_meta_to_application(port):
    """Metadata set by a rule arrives with the packet."""
    set_meta = "modify_field op set dst_type meta src_type value src_value {} width 32"
    mask = f"modify_field op set dst_type meta {ALL} src_type value src_value 00000000 width 0xffffffff"
    with port.flows() as flows:
        table = flows.table([DST], [(set_meta.format("00000000") + " / queue", mask + " / queue")])
        flows.rule(table, "eth / ipv4 dst spec 10.0.0.1", set_meta.format("78563412") + " / queue index 1")
        port.exchange([frame(IP(dst="10.0.0.1"), UDP())], [Expect(queue=1, meta=0x12345678)])


def test_copy_to_tag(port):
    """A header field copied into a register decides in the next group."""
    copy = "modify_field op set dst_type tag dst_level 0 src_type udp_port_dst width 16"
    mask = f"modify_field op set dst_type tag {ALL} src_type udp_port_dst src_level 0xffffffff src_offset 0xffffffff " \
           "width 0xffffffff"
    with port.flows() as flows:
        first = flows.table([DST + " / udp"], [(copy + " / jump group 2", mask + " / jump group 0xffffffff")])
        second = flows.table(["eth / tag data mask 0xffff index is 0"], ["queue"], group=2)
        flows.rule(first, "eth / ipv4 dst spec 10.0.0.1 / udp", copy + " / jump group 2")
        flows.rule(second, "eth / tag data spec 4000 index is 0", "queue index 3")
        flows.rule(second, "eth / tag data spec 4001 index is 0", "queue index 1")
        sent = [frame(IP(dst="10.0.0.1"), UDP(dport=p)) for p in (4000, 4001, 4002)]
        port.exchange(sent, [Expect(queue=3), Expect(queue=1), DROP])

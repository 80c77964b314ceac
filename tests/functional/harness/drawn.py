# SPDX-License-Identifier: BSD-3-Clause
"""Cases drawn from a seed: patterns with random masks, rules, actions, frames that hit, nearly hit and miss.

What shall become of a frame is read from the pattern and from the frame's own bytes, field by field, as a reader of rte_flow's
text would; nothing here is taken from the driver. A case whose meaning rte_flow leaves open is not drawn: a pattern without a
VLAN item against tagged frames, two rules of one table that fit the same frame.
"""

import random
from ipaddress import ip_address

from .frames import ICMP, IP, MARK, TCP, UDP, Dot1Q, Ether, IPv6, changed, frame, numbers, rss_hash
from .port import DROP, Expect

LAYERS = {"eth": Ether, "vlan": Dot1Q, "ipv4": IP, "ipv6": IPv6, "udp": UDP, "tcp": TCP, "icmp": ICMP}
# item -> field of testpmd: (bits, field of scapy, how many 32-bit words of a match it takes)
FIELDS = {
    "eth": {"dst": (48, "dst", 2), "src": (48, "src", 2)},
    "vlan": {"vid": (12, "vlan", 1), "pcp": (3, "prio", 1)},
    "ipv4": {"src": (32, "src", 1), "dst": (32, "dst", 1), "ttl": (8, "ttl", 1), "tos": (8, "tos", 1), "proto": (8, "proto", 1)},
    "ipv6": {"src": (128, "src", 4), "dst": (128, "dst", 4), "hop": (8, "hlim", 1), "proto": (8, "nh", 1)},
    "udp": {"src": (16, "sport", 1), "dst": (16, "dport", 1)},
    "tcp": {"src": (16, "sport", 1), "dst": (16, "dport", 1), "flags": (8, "flags", 1)},
    "icmp": {"type": (8, "type", 1), "code": (8, "code", 1)},
}
TEMPLATE_MAX = 400  # characters of an actions template and its mask, for testpmd's line
WORDS = 5  # of a match: more is the long form, which models have not alike (test_jumbo.py)
PROTOS = range(200, 248)  # unassigned ones: neither scapy nor a device looks behind them
KEY = bytes.fromhex("6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa")
ALL = "dst_level 0xffffffff dst_offset 0xffffffff"
# item -> [(field of modify_field, bits, layer's field of scapy, from value to scapy's)]
CHANGES = {
    "eth": [("mac_dst", 48, "dst")],
    "ipv4": [("ipv4_ttl", 8, "ttl"), ("ipv4_src", 32, "src"), ("ipv4_dst", 32, "dst")],
    "ipv6": [("ipv6_hoplimit", 8, "hlim"), ("ipv6_dst", 128, "dst")],
    "udp": [("udp_port_src", 16, "sport"), ("udp_port_dst", 16, "dport")],
    "tcp": [("tcp_port_src", 16, "sport"), ("tcp_port_dst", 16, "dport")],
}


def text_of(bits, value):
    """A value as testpmd and scapy write it."""
    if bits == 48:
        return value.to_bytes(6, "big").hex(":")
    if bits in (32, 128):
        return str(ip_address(value.to_bytes(bits // 8, "big")))
    return value


def number(value):
    """And back."""
    if isinstance(value, str):
        return int(value.replace(":", ""), 16) if value.count(":") == 5 and "." not in value and len(value) == 17 \
            else int(ip_address(value))
    return int(value)


def field_of(packet, item, field):
    return number(getattr(packet[LAYERS[item]], FIELDS[item][field][1]))


def fits(pattern, packet):
    """pattern: {item: {field: (spec, mask)}}."""
    return all(packet.haslayer(LAYERS[item]) and
               all((field_of(packet, item, f) ^ spec) & mask == 0 for f, (spec, mask) in fields.items())
               for item, fields in pattern.items())


def written(pattern, which):
    """The pattern in testpmd's words; which is "spec" or "mask"."""
    out = []
    for item, fields in pattern.items():
        words = [item]
        for field, (spec, mask) in fields.items():
            value = text_of(FIELDS[item][field][0], spec if which == "spec" else mask)
            words.append(f"{field} {which} {value:#x}" if isinstance(value, int) else f"{field} {which} {value}")
        out.append(" ".join(words))
    return " / ".join(out)


class Rule:
    """One rule: its pattern with values, queue, mark, modifications; `hits` collects the frames it took."""

    def __init__(self, pattern):
        self.pattern, self.queue, self.mark, self.changes, self.hits, self.number = pattern, None, None, [], [], None

    def text(self):
        return written(self.pattern, "spec")


class Table:
    """Masks and actions that its rules share."""

    def __init__(self, rng, shape, priority):
        self.rng, self.shape, self.priority = rng, shape, priority
        self.items = shape[:rng.randint(2 if "vlan" not in shape else 3, len(shape))]
        self.masks = self.draw_masks()
        self.draw_actions()
        self.rules = []

    def draw_masks(self):
        rng, left, masks = self.rng, WORDS, {item: {} for item in self.items}
        choices = [(i, f) for i in self.items for f in FIELDS[i] if f != "proto" or i == self.items[-1] == self.shape[-1]]
        rng.shuffle(choices)
        for item, field in choices[:rng.randint(1, 4)]:
            bits, _, words = FIELDS[item][field]
            if words > left:
                continue
            left -= words
            ones = (1 << bits) - 1
            mask = rng.choice([ones, ones, ones << rng.randrange(bits) & ones, rng.getrandbits(bits), 1 << rng.randrange(bits)])
            if (item, field) == ("eth", "src"):
                mask &= ~0xFFFFFF  # those bits tell the frames apart
            masks[item][field] = mask or 1 << bits - 1
        return masks

    def draw_actions(self):
        rng = self.rng
        self.last = rng.choice(["queue", "queue", "queue", "drop", "jump", "rss"])
        l3, l4 = (self.shape + (None,))[self.shape.index("eth") + 1 + ("vlan" in self.shape):][:2]
        self.types = f"{l3}-{l4}" if l4 in ("udp", "tcp") and l4 in self.items else None
        if self.last == "rss" and self.types is None:
            self.last = "queue"
        self.count = rng.random() < 0.4
        plain = self.last in ("drop", "rss")
        self.mark = self.last != "drop" and rng.random() < 0.5
        self.pop = not plain and "vlan" in self.items and rng.random() < 0.5
        some = [(item, *c) for item in self.items for c in CHANGES.get(item, ())]
        self.changes = [] if plain else rng.sample(some, min(len(some), rng.choice([0, 0, 1, 1, 2])))
        self.constants = [rng.random() < 0.4 for _ in self.changes]
        self.values = [rng.getrandbits(bits) & ~(1 << 40 if bits == 48 else 0) for _, _, bits, _ in self.changes]
        while sum(map(len, self.words())) > TEMPLATE_MAX:
            self.changes.pop()

    def words(self, rule=None):
        """The actions of a rule; of the template and its mask, when there is no rule: (text, mask)."""
        text, mask = [], []
        # In this order: DPDK's mlx5 22.11 dies of a mark after of_pop_vlan and of a count before it.
        if self.mark:
            text.append(f"mark id {rule.mark}" if rule else "mark")
            mask.append("mark")
        if self.pop:
            text.append("of_pop_vlan")
            mask.append("of_pop_vlan")
        if self.count:
            text.append("count")
            mask.append("count")
        for n, (_, name, bits, _) in enumerate(self.changes):
            value = (rule.changes if rule else self.values)[n].to_bytes(bits // 8, "big").hex()
            ones = ("ff" if self.constants[n] else "00") * (bits // 8)
            text.append(f"modify_field op set dst_type {name} src_type value src_value {value} width {bits}")
            mask.append(f"modify_field op set dst_type {name} {ALL} src_type value src_value {ones} width 0xffffffff")
        if self.last == "queue":
            text.append(f"queue index {rule.queue}" if rule else "queue")
            mask.append("queue")
        elif self.last == "jump":
            text.append("jump group 2")
            mask.append("jump group 0xffffffff")
        elif self.last == "rss":
            text.append(f"rss types {self.types} end key {KEY.hex()} key_len 40 queues 3 1 0 2 end")
            mask.append(text[-1])
        else:
            text.append("drop")
            mask.append("drop")
        return " / ".join(text) if rule else (" / ".join(text), " / ".join(mask))

    def pattern(self):
        """The pattern template."""
        return written({item: {f: (0, mask) for f, mask in fields.items()} for item, fields in self.masks.items()}, "mask")

    def add(self, packet):
        """A rule that fits this frame, unless there is one; bits outside the mask are anything."""
        rng = self.rng
        if any(fits(r.pattern, packet) for r in self.rules):
            return
        pattern = {item: {f: (field_of(packet, item, f) & mask | rng.getrandbits(FIELDS[item][f][0]) & ~mask, mask)
                          for f, mask in fields.items()} for item, fields in self.masks.items()}
        rule = Rule(pattern)
        rule.queue, rule.mark = rng.randrange(4), rng.choice([0, 1, 0xFFFFEF, rng.randrange(1, 0xFFFFEF)])
        rule.changes = [v if constant else rng.getrandbits(c[2]) & ~(1 << 40 if c[2] == 48 else 0)
                        for v, constant, c in zip(self.values, self.constants, self.changes)]
        self.rules.append(rule)

    def outcome(self, rule, packet):
        """Expect for a frame that the rule takes."""
        if self.last == "drop":
            return DROP
        fields = {"mark": rule.mark if self.mark else None}
        if self.last == "rss":
            value = rss_hash(packet, KEY, ports=True)
            return Expect(queue=(3, 1, 0, 2)[value & 3], rss=value, **fields)
        data = bytes(packet)
        if self.pop:
            data = data[:12] + data[16:]
        for (item, _, bits, scapy_field), value in zip(self.changes, rule.changes):
            data = changed(Ether(data), LAYERS[item], **{scapy_field: text_of(bits, value)})
        return Expect(queue=3 if self.last == "jump" else rule.queue, rx=data, **fields)


def draw_shape(rng):
    l3 = rng.choice(["ipv4", "ipv4", "ipv6"])
    l4 = rng.choice(["udp", "udp", "tcp", None] + ["icmp"] * (l3 == "ipv4"))
    return ("eth", *(["vlan"] if rng.random() < 0.3 else []), l3, *([l4] if l4 else []))


def draw_frame(rng, shape):
    """A frame of this shape with random values in all fields that a pattern may name."""
    layers = []
    for item in shape[1:]:
        values = {}
        for field, (bits, scapy_field, _) in FIELDS[item].items():
            if field == "proto":
                if item == shape[-1]:
                    values[scapy_field] = rng.choice(PROTOS)
                continue
            values[scapy_field] = text_of(bits, rng.getrandbits(bits))
        if item == "icmp":
            values = {"type": rng.choice([0, 8]), "code": rng.randrange(256)}
        layers.append(LAYERS[item](**values))
    packet = frame(*layers, size=rng.randrange(24, 200))
    return with_fields(packet, eth={"src": rng.getrandbits(48) & ~(1 << 40)})


def with_fields(packet, **layers):
    """The frame with other values (numbers by testpmd's names), checksums following."""
    for item, fields in layers.items():
        packet = Ether(changed(packet, LAYERS[item], **{
            FIELDS[item][f][1]: text_of(FIELDS[item][f][0], v) for f, v in fields.items()}))
    return packet


def beside(rng, table, packet):
    """The same frame with one bit of one matched field turned, if that may be done to a frame."""
    places = [(i, f, m) for i, fields in table.masks.items() for f, m in fields.items() if (i, f) != ("eth", "dst") and i != "icmp"]
    if not places:
        return None
    item, field, mask = rng.choice(places)
    if field == "proto":
        mask &= 7
    if (item, field) == ("eth", "src"):
        mask &= ~(1 << 40)
    ones = [b for b in range(mask.bit_length()) if mask >> b & 1]
    return with_fields(packet, **{item: {field: field_of(packet, item, field) ^ 1 << rng.choice(ones)}}) if ones else None


def around(rng, table, packet):
    """The same frame with all bits that no mask covers drawn anew."""
    out = {}
    for item, fields in table.masks.items():
        for field, mask in fields.items():
            if (item, field) != ("eth", "dst") and field != "proto" and item != "icmp":
                bits = FIELDS[item][field][0]
                out.setdefault(item, {})[field] = field_of(packet, item, field) & mask | rng.getrandbits(bits) & ~mask
    eth = out.setdefault("eth", {})
    eth["src"] = eth.get("src", rng.getrandbits(48)) & ~(1 << 40)
    return with_fields(packet, **out)


def renumbered(packet):
    """The frame with a number of its own in payload and source address."""
    n = next(numbers)
    data = MARK.sub(b"{%06d}" % n, bytes(packet))
    return with_fields(Ether(data), eth={"src": number(packet.src) & ~0xFFFFFF | n & 0xFFFFFF})


def other_shape(rng, shape):
    """Another stack; without a tag where this one has one, but no tag where it has none."""
    while True:
        other = draw_shape(rng)
        if other != shape and ("vlan" in shape or "vlan" not in other):
            return other


class Case:
    """Tables of one group in order of priority, and frames."""

    def __init__(self, seed):
        rng = random.Random(seed)
        shape = draw_shape(rng)
        self.tables = [Table(rng, shape, p) for p in range(rng.choice([1, 1, 2]))]
        models = [draw_frame(rng, shape) for _ in range(rng.randint(2, 5))]
        for table in self.tables:
            for packet in models:
                table.add(packet)
        candidates = []
        for packet in models:
            table = rng.choice(self.tables)
            candidates += [packet, around(rng, table, packet), beside(rng, table, packet)]
        # Strangers: the same stack with other values, and another stack, with a tag where this one has one.
        candidates += [draw_frame(rng, shape), draw_frame(rng, other_shape(rng, shape))]
        self.frames = [renumbered(p) for p in candidates if p is not None]
        rng.shuffle(self.frames)

    def predict(self):
        expected = []
        for packet in self.frames:
            for table in self.tables:
                rule = next((r for r in table.rules if fits(r.pattern, packet)), None)
                if rule:
                    rule.hits.append(packet)
                    expected.append(table.outcome(rule, packet))
                    break
            else:
                expected.append(DROP)
        return expected

    def __str__(self):
        return "\n".join(f"table of priority {t.priority}: {t.pattern()}\n  " + "\n  ".join(
            f"{r.text()} -> {t.words(r)}" for r in t.rules) for t in self.tables)

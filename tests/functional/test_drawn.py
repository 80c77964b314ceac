# SPDX-License-Identifier: BSD-3-Clause
"""Cases drawn from a seed (harness/drawn.py): every frame and every counter is what a naive reading of the rules says.

--drawn-seed=N --drawn-cases=M: cases N to N + M - 1; a failed one tells its own seed.
"""

from harness.drawn import Case


def run(port, seed):
    case = Case(seed)
    expected = case.predict()
    try:
        with port.flows(census=False) as flows:
            for table in case.tables:
                made = flows.table([table.pattern()], [table.words()], rules=64, priority=table.priority)
                for rule in table.rules:
                    rule.number = flows.rule(made, rule.text(), table.words(rule))
            port.exchange(case.frames, expected)
            for rule in (r for t in case.tables if t.count for r in t.rules):
                flows.wait_count(rule.number, len(rule.hits), sum(map(len, rule.hits)))
    except Exception as error:
        error.add_note(f"--drawn-seed={seed} --drawn-cases=1\n{case}")
        raise
    return case


def test_drawn(port, pytestconfig):
    seed, count = pytestconfig.getoption("drawn_seed"), pytestconfig.getoption("drawn_cases")
    print(f"--drawn-seed={seed} --drawn-cases={count}")
    frames = taken = 0
    with port.flows() as flows:
        second = flows.table(["eth"], ["queue"], group=2, rules=1)
        flows.rule(second, "eth", "queue index 3")
        for n in range(seed, seed + count):
            case = run(port, n)
            frames += len(case.frames)
            taken += sum(len(r.hits) for t in case.tables for r in t.rules)
    print(f"{frames} frames, {taken} of them taken by a rule")
    assert count < 8 or frames / 4 < taken < frames, "the draw has lost its hits or its misses"

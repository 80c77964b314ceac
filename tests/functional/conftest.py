# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures of the functional suite: `port` (a started port with flow queues), once per test file, driver and model."""

import functools
import os
import re
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from harness.dut import DRIVERS, launch  # noqa: E402
from harness.peer import DIFFERS, LEAVES, REFUSES  # noqa: E402
from harness.port import Port  # noqa: E402
from harness.testpmd import Refused  # noqa: E402

MODELS = ("cx7", "cx6dx")
TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def pytest_addoption(parser):
    parser.addoption("--build", default=os.path.join(TOP, "build"), help="build folder of the project")
    parser.addoption("--drivers", default=",".join(DRIVERS), help=f"comma list of {', '.join(DRIVERS)}")
    parser.addoption("--models", default=",".join(MODELS), help=f"comma list of {', '.join(MODELS)}")
    parser.addoption("--every-model", action="store_true", help="what is not about the device's model on every model too")
    parser.addoption("--long", action="store_true", help="cases too that take minutes or gigabytes")
    parser.addoption("--drawn-seed", type=int, default=1, help="test_drawn.py: seed of the first case")
    parser.addoption("--drawn-cases", type=int, default=12, help="test_drawn.py: number of cases")


def pytest_configure(config):
    config.addinivalue_line("markers", "one_model: what the models do alike: the first one will do (--every-model)")
    config.addinivalue_line("markers", "long: takes minutes or gigabytes: run with --long alone (check-deep.sh)")


def pytest_collection_modifyitems(config, items):
    if not config.getoption("long"):
        left_out = [i for i in items if i.get_closest_marker("long")]
        items[:] = [i for i in items if i not in left_out]
        config.hook.pytest_deselected(items=left_out)


@functools.lru_cache
def pair(driver, model):
    """pytest tells parameters of a fixture apart by identity, so equal ones must be the same object."""
    return driver, model


def pytest_generate_tests(metafunc):
    if "dut" in metafunc.fixturenames:
        models = metafunc.config.getoption("models").split(",")
        if metafunc.definition.get_closest_marker("one_model") and not metafunc.config.getoption("every_model"):
            models = models[:1]
        pairs = [pair(d, m) for d in metafunc.config.getoption("drivers").split(",") for m in models]
        metafunc.parametrize("dut", pairs, ids=[f"{d}-{m}" for d, m in pairs], indirect=True, scope="module")


@pytest.fixture(scope="session")
def build(request):
    return os.path.abspath(request.config.getoption("build"))


@pytest.fixture(scope="module")
def dut(request):
    """(driver, model) under test."""
    name, model = request.param
    return DRIVERS[name], model


def new_port(dut, build, folder):
    """A forwarding port with two flow queues; nothing is left when that fails."""
    driver, model = dut
    testpmd, wire, host = launch(driver, model, build, folder)
    port = None
    try:
        port = Port(testpmd, wire, host, folder, queues=4, leaves=LEAVES[driver.name])
        port.configure(flow_queues=2)
        port.start()
        port.enter_groups()
        return port
    except BaseException:
        (port or testpmd).close()
        raise


@pytest.fixture(scope="module")
def started(dut, build, tmp_path_factory, request):
    """A port with two flow queues and four pairs of queues, forwarding; made anew when a test has broken it."""
    box = {}

    def get():
        port = box.pop("port", None)
        if port is None or port.testpmd.process.child.poll() is not None:
            if port is not None:
                port.close()
            folder = tmp_path_factory.mktemp("port")
            port = new_port(dut, build, str(folder))
        box["port"] = port
        return port

    yield get
    if "port" in box:
        box["port"].close()


@pytest.fixture
def port(started, request):
    port = started()
    failed_before = request.session.testsfailed
    yield port
    if request.session.testsfailed != failed_before or getattr(request.node, "broken", False):
        port.close()  # whatever it left behind, the next test starts from nothing


def row_of(table, pyfuncitem, dut):
    """The row of a table of harness/peer.py for this test, or None."""
    parameters = pyfuncitem.name.partition("[")[2].rstrip("]")
    rest = parameters.replace(f"{dut[0].name}-{dut[1]}", "").strip("-")
    rows = table[dut[0].name]
    name = pyfuncitem.originalname
    return rows.get(f"{name}[{rest}]", rows.get(name))


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    """A test of which harness/peer.py says that the driver refuses or differs must end just so."""
    outcome = yield
    dut = pyfuncitem.funcargs.get("dut")
    if dut is None:
        return
    refusal, difference = (row_of(table, pyfuncitem, dut) for table in (REFUSES, DIFFERS))
    if refusal is None and difference is None:
        return
    if outcome.excinfo is None:
        pytest.fail(f"harness/peer.py says that {dut[0].name} {'refuses' if refusal else 'differs in'} this, but it did not")
    kind, error = outcome.excinfo[:2]
    if refusal and issubclass(kind, Refused) and refusal in str(error):
        outcome.force_result(True)
    if difference and issubclass(kind, AssertionError) and re.fullmatch(difference.shows, str(error)):
        outcome.force_result(True)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.when == "call" and report.failed:
        item.broken = True
        port = item.funcargs.get("port")
        if port is not None:
            report.sections.append(("files", f"{port.folder}: testpmd.txt (session), trace.txt (commands)"))

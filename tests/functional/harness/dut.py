# SPDX-License-Identifier: BSD-3-Clause
"""Drivers under test: how stock testpmd is started with each of them, on softcx with a tap as its wire."""

import itertools
import os
import shutil

from .testpmd import Testpmd

BDF = "0000:51:00.0"
TESTPMD_ARGS = ["-i", "--total-num-mbufs=8192", "--burst=8", "--nb-cores=1", "--rxd=256", "--txd=256"]
counter = itertools.count()


def unique(prefix):
    """A name for interfaces and files that no other run uses; short enough for an interface."""
    return f"{prefix}{os.getpid() % 1000000}x{next(counter)}"


def eal_args(megabytes):
    return ["--no-huge", "-m", str(megabytes), "--no-telemetry", "-l", "0,1"]


class Driver:
    """One way to get a port: name, and the EAL's and testpmd's words for it."""

    def __init__(self, name, plugin=None, vdev=False, devargs=()):
        self.name, self.plugin, self.vdev, self.devargs = name, plugin, vdev, devargs

    def argv(self, build, settings, extra_devargs, testpmd_args, prefix, host):
        """testpmd's command line for these softcx settings (a dict)."""
        return self.command(build, settings, extra_devargs, prefix, host, "dpdk-testpmd", [*TESTPMD_ARGS, *testpmd_args])

    def command(self, build, settings, extra_devargs, prefix, host, program, words, megabytes=256):
        """The command line of any DPDK program on one port; words are the program's own."""
        eal = [*eal_args(megabytes), "--file-prefix", prefix]
        devargs = [*self.devargs, *extra_devargs]
        if self.plugin:
            eal += ["-d", os.path.join(build, self.plugin)]
        if self.vdev:
            pairs = [f"{k}=[{v}]" if "," in v else f"{k}={v}" for k, v in settings.items()]
            if host:
                pairs.append(f"host=tap:{host}")
            return [program, *eal, "--no-pci", "--vdev=" + ",".join(["net_softcx0", *pairs, *devargs]), "--", *words]
        run = [os.path.join(build, "app/softcx-run")]
        for key, value in settings.items():
            run += ["-s", f"{key}=[{value}]" if "," in value else f"{key}={value}"]
        if host:
            run += ["--tap", host]
        return [*run, "--", program, *eal, "-a", ",".join([BDF, *devargs]), "--", *words]


# The suite's own list; --drivers chooses from it.
DRIVERS = {
    "mlx5": Driver("mlx5", devargs=("dv_flow_en=2",)),
    "hws-pci": Driver("hws-pci", plugin="librte_net_mlx5hws.so", devargs=("pmd=mlx5hws",)),
    "hws-vdev": Driver("hws-vdev", plugin="librte_net_mlx5hws.so", vdev=True),
}


def launch(driver, model, build, folder, settings=None, devargs=(), queues=4, testpmd_args=(), cores=None):
    """testpmd with one port of driver on a softcx of model; cores as --lcores has them.

    @return (testpmd, name of the wire's tap, of the host's)."""
    if shutil.which("dpdk-testpmd") is None:
        raise RuntimeError("dpdk-testpmd is not installed (package dpdk)")
    wire, host = unique("sw"), unique("sh")
    words = {"model": model, "wire": f"tap:{wire}", "uar": "trap", "trace": os.path.join(folder, "trace.txt"),
             "census": os.path.join(folder, "census.txt")}
    words.update(settings or {})
    words = {k: v for k, v in words.items() if v is not None}
    argv = driver.argv(build, words, devargs, [f"--rxq={queues}", f"--txq={queues}", *testpmd_args], unique("t"), host)
    if cores:
        at = argv.index("-l")
        argv[at:at + 2] = ["--lcores", cores]
    return Testpmd(argv, log=os.path.join(folder, "testpmd.txt")), wire, host

# SPDX-License-Identifier: BSD-3-Clause
"""What the functional tests stand on: processes, testpmd, wires, drivers under test, frames."""

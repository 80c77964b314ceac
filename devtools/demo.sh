#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# demo.sh: stock testpmd with our driver on the software ConnectX; a capture of real protocols steered by template rules,
# held against tcpdump; an insertion rate. Sets everything up first. --help lists the options.
set -euo pipefail
cd "$(dirname "$0")/.."
{ [[ ${1:-} == --help ]] && /usr/bin/python3 -c 'import scapy' 2>/dev/null; } || devtools/setup.sh >&2
exec /usr/bin/python3 devtools/demo/play.py --build "$PWD/build" "$@"

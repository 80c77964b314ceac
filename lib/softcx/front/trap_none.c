/* SPDX-License-Identifier: BSD-3-Clause */

/* Where no trap is: the settings know only uar=poll there, so nobody gets here. */
#include "softcx/front/trap.h"

#include <errno.h>

int
sc_trap_install(void)
{
	return -ENOTSUP;
}

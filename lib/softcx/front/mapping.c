/* SPDX-License-Identifier: BSD-3-Clause */

#include "softcx/front/mapping.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* The kernel lists mappings in order of address, without overlap. */
int
sc_mapping_check(const void *addr, uint64_t len, bool write)
{
	uint64_t at = (uintptr_t)addr, end = at + len, first, behind;
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512], rights[5];

	if (maps == NULL)
		return 0;
	while (at < end && fgets(line, sizeof(line), maps) != NULL) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &first, &behind, rights) != 3 || behind <= at)
			continue;
		if (first > at || rights[0] != 'r' || (write && rights[1] != 'w'))
			break;
		at = behind;
	}
	fclose(maps);
	return at >= end ? 0 : -EFAULT;
}

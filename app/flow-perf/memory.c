/* SPDX-License-Identifier: BSD-3-Clause */

#include "memory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "device.h"

uint64_t
memory_in_use(void)
{
	static const char *const counted[] = {"Rss:", "Private_Hugetlb:", "Shared_Hugetlb:"};
	FILE *smaps = fopen("/proc/self/smaps", "r");
	uint64_t total = 0;
	bool device = false;
	char line[512];

	if (smaps == NULL)
		return 0;
	while (fgets(line, sizeof(line), smaps) != NULL) {
		uint64_t from, to, kib;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &from, &to) == 2) {
			device = strstr(line, "[anon:softcx") != NULL || strstr(line, "/memfd:softcx") != NULL ||
				device_holds((const void *)(uintptr_t)from);
			continue;
		}
		for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++)
			if (!device && strncmp(line, counted[i], strlen(counted[i])) == 0 &&
			    sscanf(line + strlen(counted[i]), "%" SCNu64, &kib) == 1)
				total += kib * 1024;
	}
	fclose(smaps);
	return total;
}

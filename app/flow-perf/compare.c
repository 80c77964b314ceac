/* SPDX-License-Identifier: BSD-3-Clause */

#include "compare.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WORDS 64

int
compare_exec(int argc, char **argv)
{
	static char script[PATH_MAX + 32];
	char self[PATH_MAX], *words[WORDS + 2] = {script};
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int rc;

	if (n < 0)
		return -errno;
	self[n] = '\0';
	snprintf(script, sizeof(script), "%s/flow-perf-compare", dirname(self));
	if (argc > WORDS) {
		fprintf(stderr, "flow-perf: more than %d words\n", WORDS);
		return -E2BIG;
	}
	memcpy(&words[1], argv, (size_t)argc * sizeof(*argv));
	execv(script, words);
	rc = -errno;
	fprintf(stderr, "flow-perf: %s: %s\n", script, strerror(errno));
	return rc;
}

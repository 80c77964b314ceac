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
compare_exec(const char *script, int argc, char **argv)
{
	static char path[PATH_MAX + 64];
	char self[PATH_MAX], *words[WORDS + 2] = {path};
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int rc;

	if (n < 0)
		return -errno;
	self[n] = '\0';
	snprintf(path, sizeof(path), "%s/%s", dirname(self), script);
	if (argc > WORDS) {
		fprintf(stderr, "%s: more than %d words\n", script, WORDS);
		return -E2BIG;
	}
	memcpy(&words[1], argv, (size_t)argc * sizeof(*argv));
	execv(path, words);
	rc = -errno;
	fprintf(stderr, "%s: %s\n", path, strerror(errno));
	return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause */

#include "compare.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rte_common.h>

#define WORDS 64

/* The build's folder: this program lies in its app/. */
static int
find_build(char *build, size_t size)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0)
		return -errno;
	self[n] = '\0';
	snprintf(build, size, "%s", dirname(dirname(self)));
	return 0;
}

int
compare_exec(const char *program, int argc, char **argv)
{
	static char runner[PATH_MAX + 32], self[PATH_MAX + 32], plugin[PATH_MAX + 32], build[PATH_MAX];
	static char *const fixed[] = {runner, "--ports=2", "--wire=null", "--uar=poll", "--", self,
		"--no-huge", "-m", "3072", "-l", "0", "--no-telemetry", "--log-level=error", "--file-prefix=flow-perf",
		"-d", plugin, "-a", "0000:51:00.0,pmd=mlx5hws", "-a", "0000:51:00.1,dv_flow_en=2", "--",
		"--compare-inside"};
	char *words[WORDS + 1];
	int n = 0, rc = find_build(build, sizeof(build));

	if (rc != 0)
		return rc;
	snprintf(runner, sizeof(runner), "%s/app/softcx-run", build);
	snprintf(self, sizeof(self), "%s/app/mlx5hws-flow-perf", build);
	snprintf(plugin, sizeof(plugin), "%s/librte_net_mlx5hws.so", build);
	for (size_t i = 0; i < RTE_DIM(fixed); i++)
		words[n++] = fixed[i];
	for (int i = 0; i < argc && n < WORDS; i++)
		words[n++] = argv[i];
	words[n] = NULL;
	execv(runner, words);
	rc = -errno;
	fprintf(stderr, "flow-perf: %s: %s\n", runner, strerror(errno));
	return rc;
}

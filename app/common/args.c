/* SPDX-License-Identifier: BSD-3-Clause */

#include "args.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGS_MAX 64

void
args_help(const struct arg *args, size_t nb)
{
	for (size_t i = 0; i < nb; i++)
		if (args[i].help != NULL)
			printf("  --%-13s %s\n", args[i].name, args[i].help);
}

static int
set_number(const char *program, const struct arg *arg, char *at, const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 0);

	if (*text == '\0' || *text == '-' || *end != '\0' || value < arg->least || value > arg->most) {
		fprintf(stderr, "%s: --%s '%s' is not a number from %llu to %llu\n", program, arg->name, text,
			(unsigned long long)arg->least, (unsigned long long)arg->most);
		return -EINVAL;
	}
	memcpy(at, &value, arg->size); /* little endian hosts */
	return 0;
}

static int
apply(const char *program, const struct arg *arg, void *into, const char *value)
{
	char *at = (char *)into + arg->offset;

	switch (arg->kind) {
	case ARG_NUMBER:
		return set_number(program, arg, at, value);
	case ARG_TEXT:
		if (snprintf(at, arg->size, "%s", value) < (int)arg->size)
			return 0;
		fprintf(stderr, "%s: --%s is longer than %zu characters\n", program, arg->name, arg->size - 1);
		return -EINVAL;
	case ARG_FLAG:
		*(bool *)at = true;
		return 0;
	case ARG_WORD:
		break;
	}
	arg->show();
	return 1;
}

int
args_parse(const char *program, const struct arg *args, size_t nb, void *into, int argc, char **argv)
{
	struct option known[ARGS_MAX + 1] = {0};
	int rc = 0, index;

	if (nb > ARGS_MAX)
		return -E2BIG;
	for (size_t i = 0; i < nb; i++)
		known[i] = (struct option){args[i].name,
			args[i].kind == ARG_NUMBER || args[i].kind == ARG_TEXT ? required_argument : no_argument, NULL, 0};
	optind = 1;
	while (rc == 0) {
		int c = getopt_long(argc, argv, "", known, &index);

		if (c == -1)
			break;
		rc = c != 0 ? -EINVAL : apply(program, &args[index], into, optarg);
	}
	if (rc == 0 && optind < argc) {
		fprintf(stderr, "%s: '%s' is not an option (--help lists them)\n", program, argv[optind]);
		rc = -EINVAL;
	}
	return rc;
}

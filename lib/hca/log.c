/* SPDX-License-Identifier: BSD-3-Clause */
#include "hca/log.h"

#include <stdio.h>

static void
log_to_stderr(enum hca_log_level level, const char *format, va_list args)
{
	static const char *const names[] = { "error", "warning", "info", "debug" };

	if (level > HCA_LOG_WARNING)
		return;
	fprintf(stderr, "hca: %s: ", names[level]);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

static hca_log_hook log_hook = log_to_stderr;

void
hca_log_set_hook(hca_log_hook hook)
{
	log_hook = hook == NULL ? log_to_stderr : hook;
}

void
hca_log(enum hca_log_level level, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	log_hook(level, format, args);
	va_end(args);
}

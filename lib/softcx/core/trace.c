/* SPDX-License-Identifier: BSD-3-Clause */

#include "softcx/core/trace.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "prm/trace.h"
#include "softcx/core/command.h"
#include "softcx/core/device.h"
#include "softcx/core/engine.h"
#include "softcx/core/internal.h"
#include "softcx/core/settings.h"

/* Written by whoever owns the engine, and by the front outside it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;
static atomic_bool tracing; /* file is there: without it nobody takes the lock */

int
sc_trace_open(const char *path)
{
	FILE *f = strcmp(path, "-") == 0 ? stderr : fopen(path, "ae");

	if (f == NULL)
		return -errno;
	pthread_mutex_lock(&lock);
	file = f;
	atomic_store(&tracing, true);
	pthread_mutex_unlock(&lock);
	return 0;
}

void
sc_trace_close(void)
{
	pthread_mutex_lock(&lock);
	if (file != NULL && file != stderr)
		fclose(file);
	file = NULL;
	atomic_store(&tracing, false);
	pthread_mutex_unlock(&lock);
}

static void
stamp(FILE *out, const struct sc_device *dev, uint64_t ns)
{
	fprintf(out, "[%6llu.%06llu] %s: ", (unsigned long long)(ns / 1000000000),
		(unsigned long long)(ns % 1000000000 / 1000), dev == NULL ? "softcx" : dev->name);
}

static void
vtrace(const struct sc_device *dev, const char *format, va_list args)
{
	if (!atomic_load(&tracing))
		return;
	pthread_mutex_lock(&lock);
	if (file != NULL) {
		stamp(file, dev, sc_now_ns());
		vfprintf(file, format, args);
		fputc('\n', file);
		fflush(file);
	}
	pthread_mutex_unlock(&lock);
}

void
sc_trace(const struct sc_device *dev, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vtrace(dev, format, args);
	va_end(args);
}

void
sc_complain(struct sc_device *dev, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(dev->last_error, sizeof(dev->last_error), format, args);
	va_end(args);
	sc_trace(dev, "%s", dev->last_error);
	if (dev->settings->verbose > 0)
		fprintf(stderr, "%s: %s\n", dev->name, dev->last_error);
}

int
sc_refuse_text(char *error, size_t size, const char *format, ...)
{
	va_list args;

	if (error != NULL && size > 0) {
		va_start(args, format);
		vsnprintf(error, size, format, args);
		va_end(args);
	}
	return -EINVAL;
}

void
sc_trace_command(const struct sc_device *dev, const struct sc_call *call, uint64_t start_ns)
{
	if (!atomic_load(&tracing))
		return;
	pthread_mutex_lock(&lock);
	if (file != NULL) {
		stamp(file, dev, start_ns);
		prm_trace_command(file, call->in, call->in_len, call->out, call->out_len);
		fflush(file);
	}
	pthread_mutex_unlock(&lock);
}

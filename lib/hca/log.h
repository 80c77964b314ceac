/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Where hca and hws send their lines. The driver installs a hook that hands them to the log type of the
 * component; without a hook (unit tests) warnings and errors go to stderr.
 */
#ifndef HCA_LOG_H
#define HCA_LOG_H

#include <stdarg.h>

enum hca_log_level { HCA_LOG_ERR, HCA_LOG_WARNING, HCA_LOG_INFO, HCA_LOG_DEBUG };

/* format has no newline at its end; the hook adds one. Called from any thread. */
typedef void (*hca_log_hook)(enum hca_log_level level, const char *format, va_list args);

/* NULL restores the default. Set once, before the first device is opened. */
void hca_log_set_hook(hca_log_hook hook);

void hca_log(enum hca_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define HCA_ERR(...) hca_log(HCA_LOG_ERR, __VA_ARGS__)
#define HCA_WARN(...) hca_log(HCA_LOG_WARNING, __VA_ARGS__)
#define HCA_INFO(...) hca_log(HCA_LOG_INFO, __VA_ARGS__)
#define HCA_DEBUG(...) hca_log(HCA_LOG_DEBUG, __VA_ARGS__)

#endif

/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef PKT_PERF_MARK_H
#define PKT_PERF_MARK_H

struct perf_port;
struct mark_rule;

/* A rule that marks every packet and leads it to queue 0. The port is started. @return 0, or -errno with a line on stderr. */
int mark_open(const struct perf_port *port, struct mark_rule **mark);
/* NULL is allowed. */
void mark_close(const struct perf_port *port, struct mark_rule *mark);

#endif

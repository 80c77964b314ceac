/* SPDX-License-Identifier: BSD-3-Clause */

/* The counter thread of a port, where devarg service_core names a CPU for it. Both under the port's lock, or at its end. */
#ifndef FLOW_SERVICE_H
#define FLOW_SERVICE_H

struct flow_port;

/* Nothing where no CPU is named or there are no counters. @return 0; -EINVAL the thread cannot run on that CPU; -ENOMEM; -EAGAIN */
int flow_service_start(struct flow_port *port);
/* Waits for its end: at most a round of reading. */
void flow_service_stop(struct flow_port *port);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What the queue commands share: finding what a context names, the rings in umems, queue states.
 */
#ifndef SOFTCX_CMD_QUEUE_H
#define SOFTCX_CMD_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "softcx/core/command.h"
#include "softcx/core/object.h"

struct sc_umem;

/* The object of the type, or NULL with the command refused (status BAD_RES), naming what. */
void *sc_queue_find(struct sc_call *call, enum sc_type type, uint32_t id, const char *what);

/* A stretch of a umem that a queue names: field names for the refusals. */
struct sc_queue_mem {
	const char *what;
	bool valid;
	uint32_t umem_id;
	uint64_t offset, len;
	uint32_t align;
	bool written; /* by the device */
	/* found: */
	struct sc_umem *umem;
	uint8_t *at;
};

/* @return 0, or the command refused. Takes no reference. */
int sc_queue_mem(struct sc_call *call, struct sc_queue_mem *mem);

/*
 * Fields that must be zero because the device does not offer what they ask for; ends with a row of name
 * NULL.
 */
struct sc_queue_zero {
	const char *name;
	int field;
	const char *why;
};

int sc_queue_zeros(struct sc_call *call, const void *context, const struct sc_queue_zero *zeros);

/*
 * May a queue of that state move from the state the driver names to the next? Refuses with status
 * BAD_RES_STATE where the driver is wrong about the state or the transition does not exist.
 */
int sc_queue_transition(struct sc_call *call, const char *what, uint32_t id, uint8_t state, uint32_t named,
	uint32_t next);

/*
 * Does the port's clock show that format (sq_ts_format, rq_ts_format)? @return 0, or the command
 * refused.
 */
int sc_queue_ts_format(struct sc_call *call, const char *what, uint32_t format);

/* The ring limits of the port. */
uint32_t sc_queue_log_max_wq(const struct sc_device *dev);
uint32_t sc_queue_log_max_cq(const struct sc_device *dev);

/* DESTROY of the object that the command names: refused while others refer to it, else released. */
int sc_queue_destroy(struct sc_call *call, enum sc_type type, const char *what, void (*release)(void *));

int sc_cmd_create_cq(struct sc_call *call);
int sc_cmd_modify_cq(struct sc_call *call);
int sc_cmd_query_cq(struct sc_call *call);
int sc_cmd_destroy_cq(struct sc_call *call);
int sc_cmd_create_sq(struct sc_call *call);
int sc_cmd_modify_sq(struct sc_call *call);
int sc_cmd_query_sq(struct sc_call *call);
int sc_cmd_destroy_sq(struct sc_call *call);
int sc_cmd_create_rq(struct sc_call *call);
int sc_cmd_modify_rq(struct sc_call *call);
int sc_cmd_query_rq(struct sc_call *call);
int sc_cmd_destroy_rq(struct sc_call *call);
int sc_cmd_create_rqt(struct sc_call *call);
int sc_cmd_modify_rqt(struct sc_call *call);
int sc_cmd_query_rqt(struct sc_call *call);
int sc_cmd_destroy_rqt(struct sc_call *call);
int sc_cmd_create_tir(struct sc_call *call);
int sc_cmd_modify_tir(struct sc_call *call);
int sc_cmd_query_tir(struct sc_call *call);
int sc_cmd_destroy_tir(struct sc_call *call);

#endif

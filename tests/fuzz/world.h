/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A device with a driver on it, in one program without shared libraries, stepped: port 0 (wire=loop), lib/hca's device,
 * a steering context, a table with rules, a send queue, a receive queue behind a TIR. So inputs meet objects of all kinds,
 * and their numbers are small.
 */
#ifndef TESTS_FUZZ_WORLD_H
#define TESTS_FUZZ_WORLD_H

#include <stddef.h>
#include <stdint.h>

#include "hca/cq.h"
#include "hca/device.h"
#include "hca/mr.h"
#include "hca/root.h"
#include "hca/rq.h"
#include "hca/sq.h"
#include "hca/verbs.h"
#include "hws/mlx5dr.h"
#include "hws/rule.h"
#include "softcx/core/device.h"

#define WORLD_BUFFERS 65536u
#define WORLD_WQES 64u    /* of the receive queue and the send queues */
#define WORLD_RULES 10u   /* one of each kind of action, by the low bits of the UDP destination port */

struct world {
	int port;
	struct hca_verbs verbs;
	struct hca_device *hca;
	struct sc_device *dev;
	uint8_t *buffers;         /* WORLD_BUFFERS bytes under mr: received frames, and what send WQEs gather */
	struct hca_mr mr;
	struct hca_cq cq, rx_cq;
	struct hca_sq sq[2];      /* 0: steering and ASO, 1: frames */
	struct hca_rq rq;
	struct hca_obj *rqt, *tir;
	struct mlx5dr_context *ctx;
	struct mlx5dr_table *table;
	struct mlx5dr_action *to_tir;
	struct mlx5dr_match_template *mt;
	struct mlx5dr_action_template *at[WORLD_RULES];
	struct mlx5dr_matcher *matcher;
	struct mlx5dr_rule *rule[WORLD_RULES];
	struct hca_root_matcher *root;
	struct hca_root_rule *root_rule;
};

extern struct world world;

/* record: called with each command that the driver gives while it opens; NULL: nobody. */
void world_open(void (*record)(const void *in, size_t len));
/* Whatever became of the objects: the device dies, then the driver's side goes. */
void world_close(void);
void world_step(void);
/* A frame from the wire, or into the transmit tables. */
void world_frame(const uint8_t *frame, uint32_t len, bool transmit);
/* A command as the driver's user context, past the kernel's filter; out_len: bytes of the answer, not 0. */
void world_command(const void *in, uint32_t len, uint32_t out_len);

#endif

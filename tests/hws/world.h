/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Packets as witness: frames of a capture walk the tables of a stepped device, and rules' counters and marks tell who took them.
 * For the tests of this folder. Frames are added before world_open; they come in with run_frames.
 */
#ifndef TESTS_HWS_WORLD_H
#define TESTS_HWS_WORLD_H

#include "device.h"
#include "hca/cmd_rx.h"
#include "hca/cq.h"
#include "hca/mr.h"
#include "hca/root.h"
#include "hca/rq.h"

#define MAX_FRAMES 12288

struct frame {
	uint32_t size;
	uint8_t bytes[160];
};

extern struct frame frames[MAX_FRAMES];
extern unsigned int nb_frames;

struct tuple6 {
	uint8_t src[16], dst[16];
	uint16_t sport, dport;
};

/* A receive queue: the capture starts only when somebody listens, and marks can be read. */
struct receiver {
	struct hca_cq cq;
	struct hca_rq rq;
	struct hca_obj *rqt, *tir;
	struct hca_mr mr;
	uint8_t *buffers;
	uint32_t posted;
};

/* A device with two tables, counters, and a root rule that leads to the first. */
struct world {
	struct device device;
	struct mlx5dr_queue *queue;
	struct mlx5dr_table *table[2];
	struct mlx5dr_counter_pool *counters;
	struct receiver receiver;
	struct mlx5dr_action *to_receiver;
	struct hca_root_matcher *root;
	struct hca_root_rule *root_rule;
	char in[64], gate[64];
	uint64_t objects_before;
};

/* What every rule of these tests has in its queue's scratch. */
struct scratch {
	struct mlx5dr_counter_place place;
	uint32_t value;
	uint8_t header[64];
	const uint8_t *header_pointer;
};

struct templates {
	struct mlx5dr_match_template *mt[4];
	struct mlx5dr_action_template *at[6];
	unsigned int nb_mt, nb_at;
	struct mlx5dr_matcher *matcher;
};

/* ---- frames: Ethernet header of the type filled, the rest zero; what follows the header is returned ------------------ */

void put16(uint8_t *at, uint16_t v);
uint16_t ip_checksum(const uint8_t *ip);
uint8_t *add_frame(uint32_t size, uint16_t ethertype);
void add_udp4(const struct tuple *tuple, uint8_t ttl);
void add_udp6(const struct tuple6 *tuple);
/* The next frame's flow tag; -1: none. */
int64_t receiver_next(struct receiver *r);
/* The next frame's bytes and flow tag, NULL: none; given back before the one after the next 255 is taken. */
const uint8_t *receiver_take(struct receiver *r, uint32_t *tag);
void receiver_give(struct receiver *r);

/* The device with two queues of 64, or as asked. */
void world_open(struct world *w);
void world_open_queues(struct world *w, uint16_t nb_queues, uint32_t queue_size);
/* On another wire than the frames' capture. */
void world_open_on(struct world *w, const char *settings);
void world_close(struct world *w);
/* Let the frames in; whoever has them sent to the receiver takes them. */
void open_gate(struct world *w);
/* The same and, when all have been through, read all counters. */
void run_frames(struct world *w);
uint64_t packets_of(struct world *w, uint32_t counter);
struct scratch *scratch_of(struct world *w);
/* Rules' counters are got by add_rule and named in the scratch; or the rule path takes them. */
extern bool path_takes_counters;
struct mlx5dr_slot counter_slot(void);
struct mlx5dr_value scratch_value(uint16_t offset);
void add_mt(struct world *w, struct templates *t, const struct mlx5dr_field *fields, unsigned int nb);
void add_at(struct world *w, struct templates *t, const struct mlx5dr_slot *slots, unsigned int nb);
void make_matcher(struct world *w, struct templates *t, struct mlx5dr_table *table, uint32_t nb_rules, uint16_t priority);
void free_templates(struct templates *t);
/* A rule with a counter of its own. */
struct mlx5dr_rule *add_rule(struct world *w, struct templates *t, unsigned int mt, unsigned int at, const void *items,
			     const void *actions);
void remove_rule(struct world *w, struct templates *t, struct mlx5dr_rule *rule);

#endif

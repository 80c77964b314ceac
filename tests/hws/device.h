/* SPDX-License-Identifier: BSD-3-Clause */

/* A software ConnectX with a steering context on it, in stepped mode once it stands. For the tests of this folder. */
#ifndef TESTS_HWS_DEVICE_H
#define TESTS_HWS_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "hca/device.h"
#include "hws/counter.h"
#include "hws/mlx5dr.h"
#include "hws/rule.h"

struct device {
	struct hca_verbs *verbs;
	struct hca_device *hca;
	struct mlx5dr_context *ctx;
	int port;
};

#define DEVICE_SCRATCH 256

/* settings: a port's, as softcx.h says; MODEL in the environment is the model. nb_queues queues of `size`. Fails the test on error. */
void device_open(struct device *device, const char *settings, uint16_t nb_queues, uint32_t size);
void device_close(struct device *device);

/* Engine modes; while threaded, commands that wait for completions work. */
void device_stepped(bool stepped);
void device_step(void);
void device_fault(const struct device *device, const char *order);
/* The capture that is the port's wire was read to its end. */
bool device_wire_done(const struct device *device);
/* Objects alive, of all types. */
uint64_t device_objects(const struct device *device);

/* ---- a table of IPv4 UDP 4-tuples, for those who need just any --------------------------------------------------- */

/* What a rule gives: two items, addresses and ports. */
struct tuple {
	uint32_t src, dst;
	uint16_t sport, dport;
};

struct tuple_items {
	const void *ip, *udp;
};

/* Actions: mark, TIR or table by index, counter by scratch. */
struct tuple_actions {
	const void *mark, *queue;
};

struct tuple_table {
	struct device *device;
	struct mlx5dr_table *table;
	struct mlx5dr_match_template *mt;
	struct mlx5dr_action_template *at;
	struct mlx5dr_action *drop;
	struct mlx5dr_matcher *matcher;
	const struct mlx5dr_pair *pair;
};

/* Match on four fields in `fields` (8 of them with the types). */
unsigned int tuple_fields(struct mlx5dr_field *fields);
/* Rules drop. */
void tuple_table_create(struct device *device, uint32_t nb_rules, struct tuple_table *table);
void tuple_table_destroy(struct tuple_table *table);

/* Create a rule. *rule is NULL when there was no record; otherwise it stays taken also on error. */
int tuple_insert(struct tuple_table *table, struct mlx5dr_queue *queue, const struct tuple *tuple, uint32_t flags,
		 struct mlx5dr_rule **rule);

/* Step and poll until the queue is empty; the number of results, *nb_failed of them with an error. */
uint32_t drain(struct mlx5dr_queue *queue, uint32_t *nb_failed);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */

#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "prm/cqe.h"
#include "prm/wqe.h"

/* ---- frames ------------------------------------------------------------------------------------------------------ */

struct frame frames[MAX_FRAMES];
unsigned int nb_frames;

void
put16(uint8_t *at, uint16_t v)
{
	at[0] = v >> 8;
	at[1] = v;
}

uint16_t
ip_checksum(const uint8_t *ip)
{
	uint32_t sum = 0;

	for (unsigned int i = 0; i < 20; i += 2)
		sum += (uint32_t)ip[i] << 8 | ip[i + 1];
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

uint8_t *
add_frame(uint32_t size, uint16_t ethertype)
{
	struct frame *frame = &frames[nb_frames++];

	assert_true(nb_frames <= MAX_FRAMES);
	memset(frame, 0, sizeof(*frame));
	frame->size = size;
	memcpy(frame->bytes, "\x02\x00\x00\x00\x00\x01\x02\x00\x00\x00\x00\x02", 12);
	put16(frame->bytes + 12, ethertype);
	return frame->bytes + 14;
}

void
add_udp4(const struct tuple *tuple, uint8_t ttl)
{
	uint8_t *ip = add_frame(14 + 20 + 8 + 18, 0x0800), *udp = ip + 20;

	ip[0] = 0x45;
	put16(ip + 2, 20 + 8 + 18);
	ip[8] = ttl;
	ip[9] = 17;
	memcpy(ip + 12, &tuple->src, 4);
	memcpy(ip + 16, &tuple->dst, 4);
	put16(ip + 10, ip_checksum(ip));
	memcpy(udp, &tuple->sport, 2);
	memcpy(udp + 2, &tuple->dport, 2);
	put16(udp + 4, 8 + 18);
}

void
add_udp6(const struct tuple6 *tuple)
{
	uint8_t *ip = add_frame(14 + 40 + 8 + 8, 0x86dd), *udp = ip + 40;

	ip[0] = 0x60;
	put16(ip + 4, 16);
	ip[6] = 17;
	ip[7] = 64;
	memcpy(ip + 8, tuple->src, 16);
	memcpy(ip + 24, tuple->dst, 16);
	memcpy(udp, &tuple->sport, 2);
	memcpy(udp + 2, &tuple->dport, 2);
	put16(udp + 4, 16);
	put16(udp + 6, 0xffff);
}

/* ---- a receive queue: the capture starts only when somebody listens, and marks can be read ------------------------ */

#define RX_WQES 256
#define RX_BYTES 2048

static void
receiver_open(struct hca_device *hca, struct receiver *r)
{
	struct hca_cq_attr cq_attr = { .nb_cqes = RX_WQES, .uar = &hca->uar };
	struct hca_rq_attr rq_attr = { .nb_wqes = RX_WQES, .cq = &r->cq };
	struct hca_tirc tirc = { .transport_domain = hca->td->id };

	memset(r, 0, sizeof(*r));
	r->buffers = aligned_alloc(4096, RX_WQES * RX_BYTES);
	assert_non_null(r->buffers);
	assert_int_equal(hca_mr_register(hca, r->buffers, RX_WQES * RX_BYTES, &r->mr), 0);
	assert_int_equal(hca_cq_create(hca, &cq_attr, &r->cq), 0);
	assert_int_equal(hca_rq_create(hca, &rq_attr, &r->rq), 0);
	assert_int_equal(hca_cmd_create_rqt(hca, &r->rq.rqn, 1, 1, &r->rqt), 0);
	tirc.rqtn = r->rqt->id;
	assert_int_equal(hca_cmd_create_tir(hca, &tirc, &r->tir), 0);
	assert_int_equal(hca_rq_start(&r->rq), 0);
	for (unsigned int i = 0; i < RX_WQES; i++) {
		uint8_t *wqe = hca_rq_wqe(&r->rq, i);

		prm_set(wqe, PRM_WQE_DATA_BYTE_COUNT, RX_BYTES);
		prm_set(wqe, PRM_WQE_DATA_LKEY, r->mr.lkey);
		prm_set64(wqe, PRM_WQE_DATA_ADDR, (uintptr_t)r->buffers + (uint64_t)i * RX_BYTES);
	}
	r->posted = RX_WQES;
	hca_rq_post(&r->rq, r->posted);
}

static void
receiver_close(struct receiver *r)
{
	hca_obj_destroy(r->tir);
	hca_obj_destroy(r->rqt);
	hca_rq_destroy(&r->rq);
	hca_cq_destroy(&r->cq);
	hca_mr_unregister(&r->mr);
	free(r->buffers);
}

/* The next frame's flow tag; -1: none. */
int64_t
receiver_next(struct receiver *r)
{
	const uint8_t *cqe = hca_cq_peek(&r->cq);

	if (cqe == NULL)
		return -1;
	assert_int_equal(hca_cqe_opcode(cqe), HCA_CQE_RESP_SEND);
	r->cq.ci++;
	hca_cq_ack(&r->cq);
	return prm_get(cqe, PRM_CQE_FLOW_TAG);
}

const uint8_t *
receiver_take(struct receiver *r, uint32_t *tag)
{
	const uint8_t *cqe = hca_cq_peek(&r->cq);
	uint32_t at;

	if (cqe == NULL)
		return NULL;
	assert_int_equal(hca_cqe_opcode(cqe), HCA_CQE_RESP_SEND);
	*tag = prm_get(cqe, PRM_CQE_FLOW_TAG);
	at = r->cq.ci++ % RX_WQES;
	hca_cq_ack(&r->cq);
	return r->buffers + (size_t)at * RX_BYTES;
}

void
receiver_give(struct receiver *r)
{
	hca_rq_post(&r->rq, ++r->posted);
}

static void
write_capture(const char *path)
{
	static const uint32_t magic[6] = { 0xa1b2c3d4, 2 | 4 << 16, 0, 0, 65535, 1 };
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	fwrite(magic, sizeof(magic), 1, file);
	for (unsigned int i = 0; i < nb_frames; i++) {
		uint32_t head[4] = { 1, i, frames[i].size, frames[i].size };

		fwrite(head, sizeof(head), 1, file);
		fwrite(frames[i].bytes, frames[i].size, 1, file);
	}
	fclose(file);
}

static void
open_on(struct world *w, const char *settings, uint16_t nb_queues, uint32_t queue_size)
{
	static const uint8_t all[HCA_ROOT_MATCH_BYTES];
	struct mlx5dr_error error;

	device_open(&w->device, settings, nb_queues, queue_size);
	w->objects_before = device_objects(&w->device);
	w->queue = mlx5dr_context_queue(w->device.ctx, 0);
	receiver_open(w->device.hca, &w->receiver);
	assert_int_equal(mlx5dr_action_create(w->device.ctx, MLX5DR_NIC_RX, MLX5DR_ACTION_TIR, w->receiver.tir->id,
					      &w->to_receiver), 0);
	for (unsigned int i = 0; i < 2; i++)
		assert_int_equal(mlx5dr_table_create(w->device.ctx, MLX5DR_NIC_RX, &w->table[i]), 0);
	if (mlx5dr_counter_pool_create(w->device.ctx, 5000, &w->counters, &error) != 0)
		fail_msg("counters: %s", error.text);
	assert_int_equal(hca_root_matcher_create(w->device.hca, HCA_ROOT_NIC_RX, 0, 0, all, &w->root), 0);
	assert_int_equal(hca_root_rule_create(w->root, all, mlx5dr_table_obj(w->table[0]), &w->root_rule), 0);
}

void
world_open_queues(struct world *w, uint16_t nb_queues, uint32_t queue_size)
{
	char settings[256];

	memset(w, 0, sizeof(*w));
	snprintf(w->in, sizeof(w->in), "/tmp/hws-test-%d.pcap", getpid());
	snprintf(w->gate, sizeof(w->gate), "/tmp/hws-test-%d.gate", getpid());
	unlink(w->gate);
	write_capture(w->in);
	snprintf(settings, sizeof(settings), "wire=[pcap:in=%s,gate=%s]", w->in, w->gate);
	open_on(w, settings, nb_queues, queue_size);
}

void
world_open(struct world *w)
{
	world_open_queues(w, 2, 64);
}

void
world_open_on(struct world *w, const char *settings)
{
	memset(w, 0, sizeof(*w));
	open_on(w, settings, 2, 64);
}

void
world_close(struct world *w)
{
	hca_root_rule_destroy(w->root_rule);
	hca_root_matcher_destroy(w->root);
	assert_int_equal(mlx5dr_counter_pool_destroy(w->counters), 0);
	assert_int_equal(mlx5dr_action_destroy(w->to_receiver), 0);
	receiver_close(&w->receiver);
	for (unsigned int i = 0; i < 2; i++)
		assert_int_equal(mlx5dr_table_destroy(w->table[i]), 0);
	assert_int_equal(device_objects(&w->device), w->objects_before);
	device_close(&w->device);
	if (w->in[0] != 0) {
		unlink(w->in);
		unlink(w->gate);
	}
	nb_frames = 0;
}

void
open_gate(struct world *w)
{
	FILE *gate = fopen(w->gate, "w");

	assert_non_null(gate);
	fclose(gate);
}

/* Let the frames in and read all counters. */
void
run_frames(struct world *w)
{
	open_gate(w);
	device_stepped(false);
	for (unsigned int i = 0; i < 2000 && !device_wire_done(&w->device); i++)
		usleep(1000);
	assert_true(device_wire_done(&w->device));
	assert_int_equal(mlx5dr_counter_refresh(w->counters), 0);
	device_stepped(true);
}

uint64_t
packets_of(struct world *w, uint32_t counter)
{
	uint64_t packets, bytes;

	assert_int_equal(mlx5dr_counter_query(w->counters, counter, false, &packets, &bytes), 0);
	return packets;
}

struct scratch *
scratch_of(struct world *w)
{
	return mlx5dr_queue_scratch(w->queue);
}

/* ---- templates ----------------------------------------------------------------------------------------------------- */

bool path_takes_counters;

struct mlx5dr_slot
counter_slot(void)
{
	return (struct mlx5dr_slot){
		.type = MLX5DR_ACTION_COUNTER,
		.stc = { .base = MLX5DR_SCRATCH, .unit = 4, .pointer_at = MLX5DR_NO_POINTER,
			 .offset = offsetof(struct scratch, place.stc_be) },
		.value = { .from = MLX5DR_FROM_SOURCE,
			   .source = { .base = MLX5DR_SCRATCH, .unit = 4, .pointer_at = MLX5DR_NO_POINTER,
				       .offset = offsetof(struct scratch, place.offset_be) } },
	};
}

struct mlx5dr_value
scratch_value(uint16_t offset)
{
	return (struct mlx5dr_value){
		.from = MLX5DR_FROM_SOURCE,
		.source = { .base = MLX5DR_SCRATCH, .unit = 4, .host_order = true, .pointer_at = MLX5DR_NO_POINTER,
			    .offset = offset },
	};
}

void
add_mt(struct world *w, struct templates *t, const struct mlx5dr_field *fields, unsigned int nb)
{
	struct mlx5dr_error error;

	if (mlx5dr_match_template_create(w->device.ctx, fields, nb, &t->mt[t->nb_mt++], &error) != 0)
		fail_msg("match template: %s", error.text);
}

void
add_at(struct world *w, struct templates *t, const struct mlx5dr_slot *slots, unsigned int nb)
{
	struct mlx5dr_slot copy[MLX5DR_MAX_SLOTS];
	struct mlx5dr_error error;

	memcpy(copy, slots, nb * sizeof(*slots));
	for (unsigned int i = 0; path_takes_counters && i < nb; i++)
		if (copy[i].type == MLX5DR_ACTION_COUNTER)
			copy[i] = (struct mlx5dr_slot){ .type = MLX5DR_ACTION_COUNTER, .counters = w->counters };
	if (mlx5dr_action_template_create(w->device.ctx, MLX5DR_NIC_RX, copy, nb, &t->at[t->nb_at++], &error) != 0)
		fail_msg("action template: %s", error.text);
}

void
make_matcher(struct world *w, struct templates *t, struct mlx5dr_table *table, uint32_t nb_rules, uint16_t priority)
{
	struct mlx5dr_matcher_attr attr = { .nb_rules = nb_rules, .priority = priority, .nb_mt = t->nb_mt,
					    .nb_at = t->nb_at, .mt = t->mt, .at = t->at };
	struct mlx5dr_error error;

	device_stepped(false); /* constant arguments are written by the engine, which waits for them */
	if (mlx5dr_matcher_create(table, &attr, &t->matcher, &error) != 0)
		fail_msg("matcher: %s", error.text);
	device_stepped(true);
}

void
free_templates(struct templates *t)
{
	assert_int_equal(mlx5dr_matcher_destroy(t->matcher), 0);
	for (unsigned int i = 0; i < t->nb_mt; i++)
		assert_int_equal(mlx5dr_match_template_destroy(t->mt[i]), 0);
	for (unsigned int i = 0; i < t->nb_at; i++)
		assert_int_equal(mlx5dr_action_template_destroy(t->at[i]), 0);
}

/* A rule with a counter of its own. */
struct mlx5dr_rule *
add_rule(struct world *w, struct templates *t, unsigned int mt, unsigned int at, const void *items, const void *actions)
{
	struct mlx5dr_rule *rule = mlx5dr_rule_get(t->matcher, w->queue);
	uint32_t failed;

	assert_non_null(rule);
	rule->counter = MLX5DR_NO_COUNTER;
	memset(&scratch_of(w)->place, 0, sizeof(scratch_of(w)->place));
	if (!path_takes_counters) {
		assert_int_equal(mlx5dr_counter_get(w->counters, w->queue, &rule->counter), 0);
		mlx5dr_counter_place(w->counters, MLX5DR_NIC_RX, rule->counter, &scratch_of(w)->place);
	}
	assert_int_equal(mlx5dr_rule_create(w->queue, mlx5dr_matcher_pair(t->matcher, mt, at), rule, items, actions,
					    MLX5DR_POSTPONE), 0);
	assert_int_equal(drain(w->queue, &failed), 1);
	assert_int_equal(failed, 0);
	return rule;
}

void
remove_rule(struct world *w, struct templates *t, struct mlx5dr_rule *rule)
{
	uint32_t failed;

	assert_int_equal(mlx5dr_rule_destroy(w->queue, t->matcher, rule, 0), 0);
	assert_int_equal(drain(w->queue, &failed), 1);
	assert_int_equal(failed, 0);
	mlx5dr_counter_put(w->counters, w->queue, rule->counter);
	mlx5dr_rule_put(t->matcher, w->queue, rule);
}


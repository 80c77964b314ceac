/* SPDX-License-Identifier: BSD-3-Clause */

#include "world.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hca/cmd_rx.h"
#include "hca/log.h"
#include "hws/header_layout.h"
#include "prm/modify.h"
#include "prm/wqe.h"
#include "softcx/core/engine.h"
#include "softcx/core/packet.h"
#include "softcx/front/softcx.h"
#include "softcx/nic/port.h"

#define FRAME_BYTES 512u /* of a receive WQE: longer frames meet an error */
#define UID 1            /* the first context of a device */

struct world world;
static void (*recorder)(const void *in, size_t len);

#define MUST(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

/* ---- the verbs functions of this program itself ----------------------------------------------------------------- */

static struct mlx5dv_devx_obj *
record_create(struct ibv_context *ctx, const void *in, size_t inlen, void *out, size_t outlen)
{
	if (recorder != NULL)
		recorder(in, inlen);
	return mlx5dv_devx_obj_create(ctx, in, inlen, out, outlen);
}

static int
record_modify(struct mlx5dv_devx_obj *obj, const void *in, size_t inlen, void *out, size_t outlen)
{
	if (recorder != NULL)
		recorder(in, inlen);
	return mlx5dv_devx_obj_modify(obj, in, inlen, out, outlen);
}

static int
record_general(struct ibv_context *ctx, const void *in, size_t inlen, void *out, size_t outlen)
{
	if (recorder != NULL)
		recorder(in, inlen);
	return mlx5dv_devx_general_cmd(ctx, in, inlen, out, outlen);
}

static void
fill_verbs(struct hca_verbs *verbs)
{
#define FILL(type, name, params) *(void **)&verbs->name = dlsym(RTLD_DEFAULT, #name);
	HCA_VERBS_REQUIRED(FILL)
	HCA_VERBS_OPTIONAL(FILL)
#undef FILL
	verbs->name = "softcx";
	verbs->mlx5dv_devx_obj_create = record_create;
	verbs->mlx5dv_devx_obj_modify = record_modify;
	verbs->mlx5dv_devx_general_cmd = record_general;
	MUST(verbs->ibv_get_device_list != NULL);
}

/* ---- queues ----------------------------------------------------------------------------------------------------- */

static void
open_queues(void)
{
	struct hca_cq_attr cq_attr = { .nb_cqes = 2 * WORLD_WQES, .uar = &world.hca->uar, .overrun_ignore = true };
	struct hca_sq_attr sq_attr = { .nb_wqebbs = WORLD_WQES, .cq = &world.cq, .uar = &world.hca->uar };
	struct hca_rq_attr rq_attr = { .nb_wqes = WORLD_WQES, .cq = &world.rx_cq };
	struct hca_tirc tirc = { .transport_domain = world.hca->td->id, .allow_self_loopback = true };

	world.buffers = aligned_alloc(4096, WORLD_BUFFERS);
	MUST(world.buffers != NULL);
	memset(world.buffers, 0, WORLD_BUFFERS);
	MUST(hca_mr_register(world.hca, world.buffers, WORLD_BUFFERS, &world.mr) == 0);
	MUST(hca_cq_create(world.hca, &cq_attr, &world.cq) == 0);
	MUST(hca_cq_create(world.hca, &cq_attr, &world.rx_cq) == 0);
	MUST(hca_sq_create(world.hca, &sq_attr, &world.sq[1]) == 0);
	sq_attr.non_wire = true;
	MUST(hca_sq_create(world.hca, &sq_attr, &world.sq[0]) == 0);
	MUST(hca_rq_create(world.hca, &rq_attr, &world.rq) == 0);
	MUST(hca_cmd_create_rqt(world.hca, &world.rq.rqn, 1, 1, &world.rqt) == 0);
	tirc.rqtn = world.rqt->id;
	MUST(hca_cmd_create_tir(world.hca, &tirc, &world.tir) == 0);
	MUST(hca_rq_start(&world.rq) == 0);
	for (uint32_t i = 0; i < WORLD_WQES; i++) {
		uint8_t *wqe = hca_rq_wqe(&world.rq, i);

		prm_set(wqe, PRM_WQE_DATA_BYTE_COUNT, FRAME_BYTES);
		prm_set(wqe, PRM_WQE_DATA_LKEY, world.mr.lkey);
		prm_set64(wqe, PRM_WQE_DATA_ADDR, (uintptr_t)world.buffers + (uint64_t)i * FRAME_BYTES);
	}
	hca_rq_post(&world.rq, WORLD_WQES);
}

static void
close_queues(void)
{
	hca_obj_destroy(world.tir);
	hca_obj_destroy(world.rqt);
	hca_rq_destroy(&world.rq);
	hca_sq_destroy(&world.sq[0]);
	hca_sq_destroy(&world.sq[1]);
	hca_cq_destroy(&world.rx_cq);
	hca_cq_destroy(&world.cq);
	hca_mr_unregister(&world.mr);
	free(world.buffers);
}

/* ---- rules: each kind of action once ---------------------------------------------------------------------------- */

static const struct mlx5dr_modify modify[] = {
	{ .op = MLX5DR_MODIFY_SET, .field = PRM_MODI_OUT_DIPV4, .length = 32, .data = { .value = 0x0a0b0c0d } },
	{ .op = MLX5DR_MODIFY_ADD, .field = PRM_MODI_OUT_IPV4_TTL, .length = 8, .data = { .value = 0xff } },
	{ .op = MLX5DR_MODIFY_COPY, .field = PRM_MODI_OUT_SIPV4, .length = 16, .src_field = PRM_MODI_OUT_DIPV4 },
};
static const uint8_t header[50] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0, 0, 0, 0, 0, 0, 0, 64, 17, 0, 0, 192, 0, 2, 1,
	192, 0, 2, 2, 0xc0, 0, 0x12, 0xb5, 0, 0, 0, 0, 8 };

static const struct mlx5dr_slot kinds[WORLD_RULES] = {
	[1] = { .type = MLX5DR_ACTION_TAG, .value = { .value = 7 } },
	[2] = { .type = MLX5DR_ACTION_MODIFY, .modify = modify, .nb_modify = 3 },
	[3] = { .type = MLX5DR_ACTION_POP_VLAN },
	[4] = { .type = MLX5DR_ACTION_PUSH_VLAN, .value = { .value = 0x81000005 } },
	[5] = { .type = MLX5DR_ACTION_TNL_L2_TO_L2 },
	[6] = { .type = MLX5DR_ACTION_L2_TO_TNL_L2, .header = header, .header_bytes = 50 },
	[7] = { .type = MLX5DR_ACTION_L2_TO_TNL_L3, .header = header, .header_bytes = 42 },
	[8] = { .type = MLX5DR_ACTION_TNL_L3_TO_L2, .header = header, .header_bytes = 14 },
};

static void
open_rule(unsigned int i)
{
	struct mlx5dr_queue *queue = mlx5dr_context_queue(world.ctx, 0);
	const uint8_t number = (uint8_t)i;
	const void *item = &number;
	struct mlx5dr_result result;

	world.rule[i] = mlx5dr_rule_get(world.matcher, queue);
	MUST(world.rule[i] != NULL);
	MUST(mlx5dr_rule_create(queue, mlx5dr_matcher_pair(world.matcher, 0, (uint8_t)i), world.rule[i], &item, NULL, 0) == 0);
	world_step();
	MUST(mlx5dr_queue_poll(queue, &result, 1) == 1 && result.status == 0);
}

static void
open_steering(void)
{
	static const uint8_t all[HCA_ROOT_MATCH_BYTES];
	const uint32_t size = 16;
	struct mlx5dr_context_attr attr = { .nb_queues = 1, .queue_size = &size, .scratch_bytes = 64 };
	struct mlx5dr_matcher_attr matcher = { .nb_rules = 64, .nb_mt = 1, .nb_at = WORLD_RULES, .mt = &world.mt, .at = world.at };
	const struct mlx5dr_field port = {
		.hl = MLX5DR_HL_L4_DPORT_O, .mask = 15,
		.value = { .from = MLX5DR_FROM_SOURCE, .source = { .base = MLX5DR_ITEMS, .unit = 1 } },
	};

	MUST(mlx5dr_context_open(world.hca, &attr, &world.ctx, NULL) == 0);
	MUST(mlx5dr_table_create(world.ctx, MLX5DR_NIC_RX, &world.table) == 0);
	MUST(mlx5dr_action_create(world.ctx, MLX5DR_NIC_RX, MLX5DR_ACTION_TIR, world.tir->id, &world.to_tir) == 0);
	MUST(mlx5dr_match_template_create(world.ctx, &port, 1, &world.mt, NULL) == 0);
	for (unsigned int i = 0; i < WORLD_RULES; i++) {
		struct mlx5dr_slot slots[2] = { kinds[i], { .type = MLX5DR_ACTION_TIR, .action = world.to_tir } };
		bool tir_alone = i == 0, drop_alone = i == WORLD_RULES - 1; /* their rows are empty, which reads as drop */

		MUST(mlx5dr_action_template_create(world.ctx, MLX5DR_NIC_RX, slots + tir_alone,
			2 - tir_alone - drop_alone, &world.at[i], NULL) == 0);
	}
	/* Arguments of templates are written and waited for. */
	softcx_exec(SOFTCX_THREADED);
	MUST(mlx5dr_matcher_create(world.table, &matcher, &world.matcher, NULL) == 0);
	softcx_exec(SOFTCX_STEPPED);
	MUST(hca_root_matcher_create(world.hca, HCA_ROOT_NIC_RX, 0, 0, all, &world.root) == 0);
	MUST(hca_root_rule_create(world.root, all, mlx5dr_table_obj(world.table), &world.root_rule) == 0);
}

static void
close_steering(void)
{
	hca_root_rule_destroy(world.root_rule);
	hca_root_matcher_destroy(world.root);
	for (unsigned int i = 0; i < WORLD_RULES; i++)
		mlx5dr_rule_put(world.matcher, mlx5dr_context_queue(world.ctx, 0), world.rule[i]);
	mlx5dr_matcher_destroy(world.matcher);
	for (unsigned int i = 0; i < WORLD_RULES; i++)
		mlx5dr_action_template_destroy(world.at[i]);
	mlx5dr_match_template_destroy(world.mt);
	mlx5dr_action_destroy(world.to_tir);
	mlx5dr_table_destroy(world.table);
	mlx5dr_context_close(world.ctx);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

static int
find_device(void *arg)
{
	world.dev = sc_device_at((uint32_t)world.port);
	return 0;
}

/* A dead device is much complained of. */
static void
quiet(enum hca_log_level level, const char *format, va_list args)
{
}

void
world_open(void (*record)(const void *in, size_t len))
{
	char error[256], name[32];

	memset(&world, 0, sizeof(world));
	recorder = record;
	hca_log_set_hook(quiet);
	softcx_exec(SOFTCX_STEPPED);
	world.port = softcx_port_create("wire=loop,exec=stepped", error, sizeof(error));
	MUST(world.port >= 0);
	fill_verbs(&world.verbs);
	snprintf(name, sizeof(name), "softcx%d", world.port);
	MUST(hca_device_open(&world.verbs, name, &world.hca) == 0);
	sc_engine_call(find_device, NULL);
	MUST(world.dev != NULL);
	softcx_port_set_up((unsigned int)world.port, true);
	open_queues();
	open_steering();
	for (unsigned int i = 0; i < WORLD_RULES; i++)
		open_rule(i);
	recorder = NULL;
}

void
world_close(void)
{
	recorder = NULL;
	/* A dead device touches nothing any more and answers every destruction with success; its objects go with the context. */
	softcx_fault((unsigned int)world.port, "die", NULL, 0);
	mlx5dr_context_fail(world.ctx);
	close_steering();
	close_queues();
	hca_device_close(world.hca);
	MUST(softcx_port_destroy((unsigned int)world.port) == 0);
}

void
world_step(void)
{
	MUST(softcx_step(64) >= 0);
}

struct frame {
	const uint8_t *data;
	uint32_t len;
	bool transmit;
};

static int
put_frame(void *arg)
{
	static struct sc_packet pkt;
	const struct frame *frame = arg;

	if (!frame->transmit) {
		sc_nic_wire_input(world.dev, frame->data, frame->len, sc_now_ns(), false);
		return 0;
	}
	sc_packet_reset(&pkt);
	memcpy(pkt.data, frame->data, frame->len);
	pkt.len = frame->len;
	pkt.transmit = true;
	sc_steer_transmit(world.dev, &pkt);
	return 0;
}

void
world_frame(const uint8_t *data, uint32_t len, bool transmit)
{
	struct frame frame = { data, len, transmit };

	sc_engine_call(put_frame, &frame);
}

void
world_command(const void *in, uint32_t len, uint32_t out_len)
{
	uint8_t *out = malloc(out_len);

	MUST(out != NULL);
	sc_engine_command(world.dev, UID, in, len, out, out_len);
	free(out);
}

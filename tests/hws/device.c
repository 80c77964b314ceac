/* SPDX-License-Identifier: BSD-3-Clause */

#include "device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hca/verbs.h"
#include "softcx/front/softcx.h"

static struct {
	int (*port_create)(const char *settings, char *error, size_t size);
	int (*port_destroy)(unsigned int index);
	int (*exec)(enum softcx_exec_mode mode);
	int64_t (*step)(unsigned int max_rounds);
	int (*census)(int index, struct softcx_census_row *rows, unsigned int max);
	int (*wire_done)(unsigned int index);
	int (*fault)(unsigned int index, const char *order, char *error, size_t size);
} softcx;

static void
load(void)
{
	const char *path = getenv("LIBSOFTCX");
	void *handle = path == NULL ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (handle == NULL)
		fail_msg("LIBSOFTCX must name libsoftcx.so: %s", path == NULL ? "not set" : dlerror());
	softcx.port_create = dlsym(handle, "softcx_port_create");
	softcx.port_destroy = dlsym(handle, "softcx_port_destroy");
	softcx.exec = dlsym(handle, "softcx_exec");
	softcx.step = dlsym(handle, "softcx_step");
	softcx.census = dlsym(handle, "softcx_census");
	softcx.wire_done = dlsym(handle, "softcx_wire_done");
	softcx.fault = dlsym(handle, "softcx_fault");
}

void
device_open(struct device *device, const char *settings, uint16_t nb_queues, uint32_t size)
{
	struct mlx5dr_context_attr attr = { .nb_queues = nb_queues, .scratch_bytes = DEVICE_SCRATCH };
	uint32_t sizes[64];
	struct mlx5dr_error error;
	char text[256], name[32], whole[512];

	snprintf(whole, sizeof(whole), "model=%s,%s", getenv("MODEL") != NULL ? getenv("MODEL") : "cx7", settings);
	if (softcx.step == NULL)
		load();
	memset(device, 0, sizeof(*device));
	device->port = softcx.port_create(whole, text, sizeof(text));
	if (device->port < 0)
		fail_msg("port \"%s\": %s", whole, text);
	assert_int_equal(hca_verbs_open_path(getenv("LIBSOFTCX"), "softcx", &device->verbs), 0);
	snprintf(name, sizeof(name), "softcx%d", device->port);
	assert_int_equal(hca_device_open(device->verbs, name, &device->hca), 0);
	for (unsigned int i = 0; i < nb_queues; i++)
		sizes[i] = size;
	attr.queue_size = sizes;
	if (mlx5dr_context_open(device->hca, &attr, &device->ctx, &error) != 0)
		fail_msg("context: %s", error.text);
	device_stepped(true);
}

void
device_close(struct device *device)
{
	device_stepped(false);
	assert_int_equal(mlx5dr_context_close(device->ctx), 0);
	hca_device_close(device->hca);
	hca_verbs_close(device->verbs);
	assert_int_equal(softcx.port_destroy(device->port), 0);
}

void
device_stepped(bool stepped)
{
	assert_int_equal(softcx.exec(stepped ? SOFTCX_STEPPED : SOFTCX_THREADED), 0);
}

void
device_step(void)
{
	assert_true(softcx.step(0) >= 0);
}

void
device_fault(const struct device *device, const char *order)
{
	char text[256];

	if (softcx.fault(device->port, order, text, sizeof(text)) != 0)
		fail_msg("fault \"%s\": %s", order, text);
}

bool
device_wire_done(const struct device *device)
{
	return softcx.wire_done(device->port) == 1;
}

uint64_t
device_objects(const struct device *device)
{
	struct softcx_census_row rows[64];
	int nb = softcx.census(device->port, rows, 64);
	uint64_t sum = 0;

	for (int i = 0; i < nb && i < 64; i++)
		sum += rows[i].objects;
	return sum;
}

static struct mlx5dr_field
from_item(int hl, uint16_t pointer_at, uint16_t offset, uint8_t unit)
{
	return (struct mlx5dr_field){
		.hl = hl,
		.mask = prm_mask(hl),
		.value = {
			.from = MLX5DR_FROM_SOURCE,
			.source = { .base = MLX5DR_ITEMS, .unit = unit, .pointer_at = pointer_at, .offset = offset },
		},
	};
}

static struct mlx5dr_field
constant(int hl, uint32_t value)
{
	return (struct mlx5dr_field){ .hl = hl, .mask = prm_mask(hl), .value = { .value = value } };
}

unsigned int
tuple_fields(struct mlx5dr_field *fields)
{
	uint16_t ip = offsetof(struct tuple_items, ip), udp = offsetof(struct tuple_items, udp);

	fields[0] = constant(MLX5DR_HL_L3_TYPE_O, MLX5DR_HL_L3_TYPE_IPV4);
	fields[1] = constant(MLX5DR_HL_L4_TYPE_BWC_O, MLX5DR_HL_L4_BWC_UDP);
	fields[2] = from_item(MLX5DR_HL_IPV4_SRC_O, ip, offsetof(struct tuple, src), 4);
	fields[3] = from_item(MLX5DR_HL_IPV4_DST_O, ip, offsetof(struct tuple, dst), 4);
	fields[4] = from_item(MLX5DR_HL_L4_SPORT_O, udp, offsetof(struct tuple, sport), 2);
	fields[5] = from_item(MLX5DR_HL_L4_DPORT_O, udp, offsetof(struct tuple, dport), 2);
	return 6;
}

void
tuple_table_create(struct device *device, uint32_t nb_rules, struct tuple_table *table)
{
	struct mlx5dr_field fields[8];
	struct mlx5dr_slot slot = { .type = MLX5DR_ACTION_DROP };
	struct mlx5dr_matcher_attr attr = { .nb_rules = nb_rules, .nb_mt = 1, .nb_at = 1 };
	struct mlx5dr_error error = { .text = "" };

	memset(table, 0, sizeof(*table));
	table->device = device;
	assert_int_equal(mlx5dr_table_create(device->ctx, MLX5DR_NIC_RX, &table->table), 0);
	if (mlx5dr_match_template_create(device->ctx, fields, tuple_fields(fields), &table->mt, &error) != 0)
		fail_msg("match template: %s", error.text);
	if (mlx5dr_action_template_create(device->ctx, MLX5DR_NIC_RX, &slot, 1, &table->at, &error) != 0)
		fail_msg("action template: %s", error.text);
	attr.mt = &table->mt;
	attr.at = &table->at;
	if (mlx5dr_matcher_create(table->table, &attr, &table->matcher, &error) != 0)
		fail_msg("matcher: %s", error.text);
	table->pair = mlx5dr_matcher_pair(table->matcher, 0, 0);
}

void
tuple_table_destroy(struct tuple_table *table)
{
	assert_int_equal(mlx5dr_matcher_destroy(table->matcher), 0);
	assert_int_equal(mlx5dr_match_template_destroy(table->mt), 0);
	assert_int_equal(mlx5dr_action_template_destroy(table->at), 0);
	assert_int_equal(mlx5dr_table_destroy(table->table), 0);
}

int
tuple_insert(struct tuple_table *table, struct mlx5dr_queue *queue, const struct tuple *tuple, uint32_t flags,
	     struct mlx5dr_rule **rule)
{
	const struct tuple_items items = { .ip = tuple, .udp = tuple };

	*rule = mlx5dr_rule_get(table->matcher, queue);
	if (*rule == NULL)
		return -1;
	return mlx5dr_rule_create(queue, table->pair, *rule, &items, NULL, flags);
}

uint32_t
drain(struct mlx5dr_queue *queue, uint32_t *nb_failed)
{
	struct mlx5dr_result results[64];
	uint32_t sum = 0, n, idle = 0;

	*nb_failed = 0;
	mlx5dr_queue_push(queue);
	/* A poll may give nothing and yet have done something: a second attempt takes another step of the device. */
	while (mlx5dr_queue_pending(queue) > 0 && idle < 3) {
		device_step();
		n = mlx5dr_queue_poll(queue, results, 64);
		for (uint32_t i = 0; i < n; i++)
			*nb_failed += results[i].status != 0;
		sum += n;
		idle = n > 0 ? 0 : idle + 1;
	}
	return sum;
}

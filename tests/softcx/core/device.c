/* SPDX-License-Identifier: BSD-3-Clause */

#include "device.h"

#include <stdio.h>
#include <string.h>

#include "softcx/core/command.h"
#include "softcx/core/engine.h"
#include "softcx/core/parts.h"

struct test_part test_part;

static int
part_init(struct sc_device *dev, char *error, size_t size)
{
	if (test_part.init_error != 0)
		return test_part.init_error;
	test_part.alive++;
	return 0;
}

static void
part_fini(struct sc_device *dev)
{
	test_part.alive--;
}

static uint32_t
part_poll(struct sc_device *dev)
{
	test_part.polled++;
	if (test_part.work == 0)
		return 0;
	test_part.work--;
	return 1;
}

static uint32_t
part_ask(struct sc_device *dev, bool busy)
{
	test_part.asked++;
	test_part.asked_busy += busy;
	return 0;
}

static const struct sc_part part = {
	.name = "test", .init = part_init, .fini = part_fini, .poll = part_poll, .ask = part_ask,
};

const struct sc_part *const sc_parts[] = { &part, NULL };
const struct sc_command *const sc_families[] = {
	sc_commands_capability, sc_commands_resource, sc_commands_mkey, sc_commands_vport, NULL,
};

void
test_open(struct test_device *t, const char *settings)
{
	char text[256], error[256] = "";

	snprintf(text, sizeof(text), "exec=stepped%s%s", settings[0] == '\0' ? "" : ",", settings);
	t->port = sc_port_create(text, error, sizeof(error));
	if (t->port < 0)
		fail_msg("%s", error);
	assert_int_equal(sc_device_open((uint32_t)t->port, &t->dev, error, sizeof(error)), 0);
	assert_int_equal(sc_uctx_create(t->dev, &t->uid), 0);
}

static uint64_t
count_all(struct sc_device *dev)
{
	struct sc_census rows[SC_TYPES] = { 0 };
	uint64_t n = 0;
	int i;

	sc_object_census(dev, rows);
	for (i = 0; i < SC_TYPES; i++)
		n += rows[i].objects + rows[i].refs;
	return n;
}

void
test_close(struct test_device *t)
{
	assert_int_equal(sc_uctx_destroy(t->dev, t->uid), 0);
	assert_int_equal(count_all(t->dev), 0);
	sc_device_close(t->dev);
	assert_int_equal(sc_port_destroy((uint32_t)t->port), 0);
}

uint64_t
test_count(struct test_device *t, enum sc_type type)
{
	struct sc_census rows[SC_TYPES] = { 0 };

	sc_object_census(t->dev, rows);
	return rows[type].objects;
}

int
test_command(struct test_device *t, uint16_t opcode, uint32_t id, uint8_t out[16])
{
	uint8_t in[16] = { 0 };

	prm_set(in, PRM_CMD_IN_OPCODE, opcode);
	prm_set(in, PRM_ID_IN_ID, id);
	return sc_engine_command(t->dev, t->uid, in, sizeof(in), out, 16);
}

uint32_t
test_alloc(struct test_device *t, uint16_t opcode)
{
	uint8_t out[16];

	assert_int_equal(test_command(t, opcode, 0, out), 0);
	assert_int_not_equal(prm_get(out, PRM_ID_OUT_ID), 0);
	return prm_get(out, PRM_ID_OUT_ID);
}

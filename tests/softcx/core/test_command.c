/* SPDX-License-Identifier: BSD-3-Clause */

/* Commands: envelope, refusals with status, syndrome and text, capabilities, references, counters. */
#include "device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "prm/cap.h"
#include "prm/queue.h"
#include "prm/resource.h"
#include "softcx/cmd/resource.h"
#include "softcx/core/engine.h"

static void
envelope(void **state)
{
	uint8_t in[16] = { 0 }, out[64], first[16];
	struct test_device t;

	test_open(&t, "");
	prm_set(in, PRM_CMD_IN_OPCODE, 0x7ff);
	assert_int_equal(sc_engine_command(t.dev, t.uid, in, 16, out, 16), -EINVAL);
	assert_int_equal(prm_get(out, PRM_CMD_OUT_STATUS), PRM_STATUS_BAD_OP);
	assert_int_not_equal(prm_get(out, PRM_CMD_OUT_SYNDROME), 0);
	memcpy(first, out, 16);
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_CREATE_TIS);
	assert_int_equal(sc_engine_command(t.dev, t.uid, in, 16, out, 16), -EIO);
	assert_int_equal(prm_get(out, PRM_CMD_OUT_STATUS), PRM_STATUS_BAD_INP_LEN);
	assert_int_not_equal(prm_get(out, PRM_CMD_OUT_SYNDROME), prm_get(first, PRM_CMD_OUT_SYNDROME));
	assert_non_null(strstr(t.dev->last_error, "CREATE_TIS"));
	assert_non_null(strstr(t.dev->last_error, "16 bytes"));
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_QUERY_HCA_CAP);
	assert_int_equal(sc_engine_command(t.dev, t.uid, in, 16, out, 64), -EIO);
	assert_int_equal(prm_get(out, PRM_CMD_OUT_STATUS), PRM_STATUS_BAD_OUTP_LEN);
	assert_int_equal(sc_engine_command(t.dev, t.uid, in, 8, out, 16), -EIO);
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_ALLOC_PD);
	in[4] = 1;
	assert_int_equal(sc_engine_command(t.dev, t.uid, in, 16, out, 16), -EINVAL);
	assert_int_equal(prm_get(out, PRM_CMD_OUT_STATUS), PRM_STATUS_BAD_PARAM);
	assert_int_equal(test_count(&t, SC_PD), 0);
	in[4] = 0;
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_CREATE_GENERAL_OBJECT);
	prm_set(in, PRM_GENERAL_OBJ_IN_OBJ_TYPE, 0x99);
	assert_int_equal(sc_engine_command(t.dev, t.uid, in, 16, out, 16), -EINVAL);
	assert_non_null(strstr(t.dev->last_error, "0x99"));
	test_close(&t);
}

static int
query_group(struct test_device *t, uint16_t group, bool current, uint8_t *out)
{
	uint8_t in[16] = { 0 };

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_QUERY_HCA_CAP);
	prm_set(in, PRM_CMD_IN_OP_MOD, (uint32_t)group << 1 | current);
	return sc_engine_command(t->dev, t->uid, in, sizeof(in), out, PRM_QUERY_HCA_CAP_OUT_BYTES);
}

/* What dv_flow_en=2 wants is there on both models, and what the device does not do is not. */
static void
capabilities(void **state)
{
	static const char *const models[] = { "model=cx7", "model=cx6dx,log_max_wq_sz=10" };
	uint8_t *out = malloc(PRM_QUERY_HCA_CAP_OUT_BYTES), *again = malloc(PRM_QUERY_HCA_CAP_OUT_BYTES);
	const uint8_t *page = out + 0x10;
	struct test_device t;
	int i;

	for (i = 0; i < 2; i++) {
		test_open(&t, models[i]);
		assert_int_equal(query_group(&t, PRM_CAP_GROUP_GENERAL, true, out), 0);
		assert_int_equal(query_group(&t, PRM_CAP_GROUP_GENERAL, false, again), 0);
		assert_memory_equal(out, again, PRM_QUERY_HCA_CAP_OUT_BYTES);
		assert_int_equal(prm_get(page, PRM_CAP_WQE_BASED_FLOW_TABLE_UPDATE), 1);
		assert_int_equal(prm_get64(page, PRM_CAP_MATCH_DEFINER_FORMAT_SUPPORTED), UINT64_C(1) << 61);
		assert_int_equal(prm_get(page, PRM_CAP_LOG_MAX_WQ_SZ), i == 0 ? 15 : 10);
		assert_int_equal(prm_get(page, PRM_CAP_ESWITCH_MANAGER) | prm_get(page, PRM_CAP_ROCE) |
				 prm_get(page, PRM_CAP_QOS) | prm_get(page, PRM_CAP_HAIRPIN), 0);
		assert_int_equal(prm_get(page, PRM_CAP_STRIDING_RQ) & prm_get(page, PRM_CAP_CQE_COMPRESSION), 1);
		assert_int_equal(prm_get(page, PRM_CAP_ENHANCED_CQE_COMPRESSION), i == 0);
		assert_int_equal(query_group(&t, PRM_CAP_GROUP_NIC_FT, true, out), 0);
		assert_int_equal(prm_get(page + 0x40, PRM_FT_PROP_REPARSE), 1);
		assert_int_equal(prm_get(page + 0x200, PRM_HEADER_MODIFY_CAP_METADATA_REG_C_X), 0xff);
		assert_int_equal(query_group(&t, PRM_CAP_GROUP_WQE_FT, true, out), 0);
		assert_int_equal(prm_get(page, PRM_CAP_WQE_FT_RTC_INDEX_MODE), 3);
		assert_int_equal(prm_get(page, PRM_CAP_WQE_FT_STE_FORMAT), 0x30);
		assert_in_range(prm_get(page, PRM_CAP_WQE_FT_TRIVIAL_MATCH_DEFINER), 1, 255);
		assert_int_equal(query_group(&t, PRM_CAP_GROUP_GENERAL_2, true, out), 0);
		assert_int_equal(prm_get(page, PRM_CAP2_FORMAT_SELECT_DW_8_6_EXT), i == 0);
		assert_int_equal(query_group(&t, PRM_CAP_GROUP_ESW, true, out), -EINVAL);
		assert_int_equal(query_group(&t, PRM_CAP_GROUP_QOS, true, out), -EINVAL);
		test_close(&t);
	}
	free(again);
	free(out);
}

static uint32_t
create_tis(struct test_device *t, uint32_t td, uint32_t pd, int expected)
{
	uint8_t in[PRM_CREATE_TIS_IN_BYTES] = { 0 }, out[16];

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_CREATE_TIS);
	prm_set(in + 0x20, PRM_TISC_TRANSPORT_DOMAIN, td);
	prm_set(in + 0x20, PRM_TISC_PD, pd);
	assert_int_equal(sc_engine_command(t->dev, t->uid, in, sizeof(in), out, sizeof(out)), expected);
	return prm_get(out, PRM_ID_OUT_ID);
}

/* Busy objects are not destroyed, and a refused command leaves nothing behind. */
static void
references(void **state)
{
	struct test_device t;
	uint32_t td, pd, tis;
	uint8_t out[16];

	test_open(&t, "");
	td = test_alloc(&t, PRM_CMD_OP_ALLOC_TRANSPORT_DOMAIN);
	pd = test_alloc(&t, PRM_CMD_OP_ALLOC_PD);
	create_tis(&t, td + 1, 0, -EINVAL);
	create_tis(&t, td, pd + 1, -EINVAL);
	assert_int_equal(test_count(&t, SC_TIS), 0);
	tis = create_tis(&t, td, pd, 0);
	assert_int_equal(test_command(&t, PRM_CMD_OP_DEALLOC_TRANSPORT_DOMAIN, td, out), -EBUSY);
	assert_int_equal(prm_get(out, PRM_CMD_OUT_STATUS), PRM_STATUS_RES_BUSY);
	assert_int_equal(test_command(&t, PRM_CMD_OP_DEALLOC_PD, pd, out), -EBUSY);
	assert_int_equal(test_command(&t, PRM_CMD_OP_DESTROY_TIS, tis + 1, out), -EINVAL);
	assert_int_equal(prm_get(out, PRM_CMD_OUT_STATUS), PRM_STATUS_BAD_RES);
	assert_int_equal(test_command(&t, PRM_CMD_OP_DESTROY_TIS, tis, out), 0);
	assert_int_equal(test_command(&t, PRM_CMD_OP_DEALLOC_PD, pd, out), 0);
	assert_int_equal(test_command(&t, PRM_CMD_OP_DEALLOC_TRANSPORT_DOMAIN, td, out), 0);
	test_close(&t);
}

/* A context that ends takes all of its own with it, in spite of references among them, and nobody else's. */
static void
context_end(void **state)
{
	struct test_device t;
	uint64_t before = sc_uctx_left_behind();
	uint16_t other, first;
	uint32_t td, pd, i;
	uint8_t out[16];

	test_open(&t, "");
	first = t.uid;
	assert_int_equal(sc_uctx_create(t.dev, &other), 0);
	for (i = 0; i < 10; i++) {
		td = test_alloc(&t, PRM_CMD_OP_ALLOC_TRANSPORT_DOMAIN);
		pd = test_alloc(&t, PRM_CMD_OP_ALLOC_PD);
		create_tis(&t, td, pd, 0);
	}
	t.uid = other;
	pd = test_alloc(&t, PRM_CMD_OP_ALLOC_PD);
	assert_int_equal(sc_uctx_destroy(t.dev, first), 0);
	assert_int_equal(sc_uctx_left_behind() - before, 30);
	assert_int_equal(test_count(&t, SC_TIS) + test_count(&t, SC_TD), 0);
	assert_int_equal(test_count(&t, SC_PD), 1);
	assert_int_equal(test_command(&t, PRM_CMD_OP_DEALLOC_PD, pd, out), 0);
	test_close(&t);
}

static void
q_counters(void **state)
{
	uint8_t in[PRM_QUERY_Q_COUNTER_IN_BYTES] = { 0 }, out[PRM_QUERY_Q_COUNTER_OUT_BYTES];
	struct sc_q_counter *counter;
	struct test_device t;
	uint32_t id;

	test_open(&t, "");
	id = test_alloc(&t, PRM_CMD_OP_ALLOC_Q_COUNTER);
	assert_in_range(id, 1, 255);
	counter = sc_object_find(t.dev, SC_Q_COUNTER, id);
	counter->out_of_buffer = 42;
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_QUERY_Q_COUNTER);
	prm_set(in, PRM_QUERY_Q_COUNTER_IN_COUNTER_SET_ID, id);
	prm_set(in, PRM_QUERY_Q_COUNTER_IN_CLEAR, 1);
	assert_int_equal(sc_engine_command(t.dev, t.uid, in, sizeof(in), out, sizeof(out)), 0);
	assert_int_equal(prm_get(out, PRM_FIELD(0x30, 31, 32)), 42);
	assert_int_equal(counter->out_of_buffer, 0);
	test_close(&t);
}

static void
vport(void **state)
{
	uint8_t in[16] = { 0 }, out[0x110], state_out[16];
	struct test_device t;

	test_open(&t, "mac=02:11:22:33:44:55,mtu=9000");
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_QUERY_NIC_VPORT_CONTEXT);
	assert_int_equal(sc_engine_command(t.dev, t.uid, in, sizeof(in), out, sizeof(out)), 0);
	assert_int_equal(prm_get(out + 0x10, PRM_NIC_VPORT_CONTEXT_PERMANENT_MAC_47_32), 0x0211);
	assert_int_equal(prm_get(out + 0x10, PRM_NIC_VPORT_CONTEXT_PERMANENT_MAC_31_0), 0x22334455);
	assert_int_equal(prm_get(out + 0x10, PRM_NIC_VPORT_CONTEXT_MTU), 9022);
	assert_int_equal(test_command(&t, PRM_CMD_OP_QUERY_VPORT_STATE, 0, state_out), 0);
	assert_int_equal(prm_get(state_out, PRM_QUERY_VPORT_STATE_OUT_STATE), PRM_VPORT_STATE_UP);
	prm_set(in, PRM_VPORT_IN_OTHER_VPORT, 1);
	assert_int_equal(sc_engine_command(t.dev, t.uid, in, sizeof(in), out, sizeof(out)), -EINVAL);
	test_close(&t);
}

/* The trace names command, fields and refusals. */
static void
trace(void **state)
{
	char path[] = "/tmp/softcx-trace-XXXXXX", settings[64], *text = calloc(1, 65536);
	struct test_device t;
	uint8_t out[16];
	FILE *f;

	close(mkstemp(path));
	snprintf(settings, sizeof(settings), "trace=%s", path);
	test_open(&t, settings);
	test_alloc(&t, PRM_CMD_OP_ALLOC_PD);
	test_command(&t, PRM_CMD_OP_DEALLOC_PD, 77, out);
	create_tis(&t, 5, 0, -EINVAL);
	test_close(&t);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_true(fread(text, 1, 65535, f) > 0);
	fclose(f);
	unlink(path);
	assert_non_null(strstr(text, "ALLOC_PD"));
	assert_non_null(strstr(text, "there is no pd 0x4d"));
	assert_non_null(strstr(text, "transport_domain 0x5 does not exist"));
	free(text);
}

/* Packets and octets of each kind of address stand in their own fields. */
static void
vport_counters(void **state)
{
	uint8_t in[PRM_QUERY_VPORT_COUNTER_IN_BYTES] = { 0 }, out[PRM_QUERY_VPORT_COUNTER_OUT_BYTES];
	struct test_device t;

	test_open(&t, "");
	t.dev->port.rx_frames_of[SC_MULTICAST] = 3;
	t.dev->port.rx_octets_of[SC_MULTICAST] = 300;
	t.dev->port.tx_octets_of[SC_BROADCAST] = 64;
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_QUERY_VPORT_COUNTER);
	assert_int_equal(sc_engine_command(t.dev, t.uid, in, sizeof(in), out, sizeof(out)), 0);
	assert_int_equal(prm_get64(out, PRM_QUERY_VPORT_COUNTER_OUT_RECEIVED_ETH_MULTICAST_PACKETS), 3);
	assert_int_equal(prm_get64(out, PRM_QUERY_VPORT_COUNTER_OUT_RECEIVED_ETH_MULTICAST_OCTETS), 300);
	assert_int_equal(prm_get64(out, PRM_QUERY_VPORT_COUNTER_OUT_RECEIVED_ETH_UNICAST_OCTETS), 0);
	assert_int_equal(prm_get64(out, PRM_QUERY_VPORT_COUNTER_OUT_TRANSMITTED_ETH_BROADCAST_OCTETS), 64);
	test_close(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(envelope), cmocka_unit_test(capabilities), cmocka_unit_test(references),
		cmocka_unit_test(context_end), cmocka_unit_test(q_counters), cmocka_unit_test(vport),
		cmocka_unit_test(vport_counters),
		cmocka_unit_test(trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The kernel between program and firmware: what passes in which call, uid, umem-valid, the object a call is
 * made on.
 */
#include "device.h"

#include <errno.h>
#include <string.h>

#include "prm/resource.h"
#include "softcx/cmd/resource.h"
#include "softcx/core/devx.h"

static int
call(struct test_device *t, enum sc_devx_kind kind, struct sc_devx_object *obj, uint16_t opcode, uint32_t id,
     uint8_t out[16])
{
	uint8_t in[16] = { 0 };

	prm_set(in, PRM_CMD_IN_OPCODE, opcode);
	prm_set(in, PRM_ID_IN_ID, id);
	return sc_devx(t->dev, t->uid, kind, obj, in, sizeof(in), out, 16);
}

static void
filter(void **state)
{
	static const struct {
		uint16_t opcode;
		enum sc_devx_kind kind;
	} refused[] = {
		{ PRM_CMD_OP_MODIFY_NIC_VPORT_CONTEXT, SC_DEVX_GENERAL },
		{ PRM_CMD_OP_MODIFY_VPORT_STATE, SC_DEVX_GENERAL },
		{ PRM_CMD_OP_ACCESS_REG, SC_DEVX_GENERAL },
		{ PRM_CMD_OP_SET_HCA_CAP, SC_DEVX_GENERAL },
		{ PRM_CMD_OP_ALLOC_UAR, SC_DEVX_CREATE },
		{ PRM_CMD_OP_CREATE_EQ, SC_DEVX_CREATE },
		{ PRM_CMD_OP_CREATE_UMEM, SC_DEVX_CREATE },
		{ PRM_CMD_OP_SET_FLOW_TABLE_ROOT, SC_DEVX_GENERAL },
		{ PRM_CMD_OP_ALLOC_PD, SC_DEVX_GENERAL },
		{ PRM_CMD_OP_DEALLOC_PD, SC_DEVX_GENERAL },
		{ PRM_CMD_OP_QUERY_HCA_CAP, SC_DEVX_CREATE },
		{ PRM_CMD_OP_CREATE_QP, SC_DEVX_GENERAL },
		{ PRM_CMD_OP_SET_FLOW_TABLE_ENTRY, SC_DEVX_MODIFY }, /* with op_mod 0 */
		{ PRM_CMD_OP_CREATE_MKEY, SC_DEVX_CREATE },          /* shorter than a key's context */
		{ 0xd00, SC_DEVX_GENERAL },
	};
	static const struct {
		uint16_t opcode;
		enum sc_devx_kind kind;
	} unknown[] = {
		{ PRM_CMD_OP_SYNC_STEERING, SC_DEVX_GENERAL }, { 0xcff, SC_DEVX_GENERAL }, { 0x760, SC_DEVX_GENERAL },
		{ PRM_CMD_OP_CREATE_QP, SC_DEVX_CREATE }, { PRM_CMD_OP_SET_L2_TABLE_ENTRY, SC_DEVX_CREATE },
	};
	struct sc_devx_object obj;
	struct test_device t;
	uint8_t out[16];
	size_t i;

	test_open(&t, "");
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		memset(out, 0xee, sizeof(out));
		assert_int_equal(call(&t, refused[i].kind, &obj, refused[i].opcode, 0, out), -EINVAL);
		assert_int_equal(out[0], 0xee); /* untouched */
		assert_non_null(strstr(t.dev->last_error, "kernel refuses"));
	}
	/* passed by the kernel, unknown to firmware */
	for (i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		assert_int_equal(call(&t, unknown[i].kind, &obj, unknown[i].opcode, 0, out), -EREMOTEIO);
		assert_int_equal(out[0], PRM_STATUS_BAD_OP);
	}
	assert_int_equal(call(&t, SC_DEVX_GENERAL, NULL, PRM_CMD_OP_NOP, 0, out), 0);
	test_close(&t);
}

static void
objects(void **state)
{
	struct sc_devx_object pd, counter;
	const struct sc_object *obj;
	struct test_device t;
	uint8_t out[16], in[32] = { 0 }, answer[PRM_QUERY_Q_COUNTER_OUT_BYTES];

	test_open(&t, "");
	assert_int_equal(call(&t, SC_DEVX_CREATE, &pd, PRM_CMD_OP_ALLOC_PD, 0, out), 0);
	assert_int_equal(pd.type, SC_PD);
	obj = sc_object_find(t.dev, SC_PD, pd.id);
	assert_non_null(obj);
	assert_int_equal(obj->uid, t.uid);
	assert_int_equal(call(&t, SC_DEVX_CREATE, &counter, PRM_CMD_OP_ALLOC_Q_COUNTER, 0, out), 0);
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_QUERY_Q_COUNTER);
	prm_set(in, PRM_QUERY_Q_COUNTER_IN_COUNTER_SET_ID, counter.id);
	assert_int_equal(sc_devx(t.dev, t.uid, SC_DEVX_QUERY, &counter, in, 32, answer, sizeof(answer)), 0);
	/* on another object than the one the call names */
	assert_int_equal(sc_devx(t.dev, t.uid, SC_DEVX_QUERY, &pd, in, 32, answer, sizeof(answer)), -EINVAL);
	prm_set(in, PRM_QUERY_Q_COUNTER_IN_COUNTER_SET_ID, counter.id + 1);
	assert_int_equal(sc_devx(t.dev, t.uid, SC_DEVX_QUERY, &counter, in, 32, answer, sizeof(answer)), -EINVAL);
	assert_int_equal(sc_devx_destroy(t.dev, t.uid, &counter), 0);
	assert_int_equal(sc_devx_destroy(t.dev, t.uid, &pd), 0);
	assert_int_equal(sc_devx_destroy(t.dev, t.uid, &pd), -EINVAL);
	test_close(&t);
}

/* A key over a umem needs no valid bit of its caller; the kernel sets it. */
static void
umem_valid(void **state)
{
	uint8_t in[PRM_CREATE_MKEY_IN_BYTES] = { 0 }, *mkc = in + 0x10, out[16];
	static uint8_t memory[4096] __attribute__((aligned(4096)));
	struct sc_devx_object key;
	struct sc_umem *umem;
	struct test_device t;

	test_open(&t, "");
	assert_int_equal(sc_umem_create(t.dev, t.uid, memory, sizeof(memory), 1, &umem), 0);
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_CREATE_MKEY);
	prm_set(mkc, PRM_MKC_ACCESS_MODE_1_0, PRM_MKC_ACCESS_MODE_MTT);
	prm_set(mkc, PRM_MKC_PD, test_alloc(&t, PRM_CMD_OP_ALLOC_PD));
	prm_set(mkc, PRM_MKC_LOG_PAGE_SIZE, 12);
	prm_set64(mkc, PRM_MKC_START_ADDR, (uintptr_t)memory);
	prm_set64(mkc, PRM_MKC_LEN, sizeof(memory));
	prm_set(in, PRM_CREATE_MKEY_IN_MKEY_UMEM_ID, umem->obj.id);
	assert_int_equal(sc_devx(t.dev, t.uid, SC_DEVX_CREATE, &key, in, sizeof(in), out, sizeof(out)), 0);
	assert_int_equal(prm_get(in, PRM_CREATE_MKEY_IN_MKEY_UMEM_VALID), 0); /* the caller's copy stays */
	assert_int_equal(sc_devx_destroy(t.dev, t.uid, &key), 0);
	test_close(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(filter), cmocka_unit_test(objects), cmocka_unit_test(umem_valid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

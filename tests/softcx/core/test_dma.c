/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Memory keys and umems: key, domain, range and right are all asked for; lists of keys; what a command
 * makes of a umem.
 */
#include "device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "prm/resource.h"
#include "softcx/cmd/resource.h"
#include "softcx/core/dma.h"
#include "softcx/core/engine.h"

static uint8_t memory[8192];

static void
bounds(void **state)
{
	struct sc_mkey *key, *readonly;
	struct test_device t;
	struct sc_pd *pd, *other;
	uint8_t buf[16];

	test_open(&t, "");
	assert_int_equal(sc_pd_create(t.dev, t.uid, &pd), 0);
	assert_int_equal(sc_pd_create(t.dev, t.uid, &other), 0);
	assert_int_equal(sc_mkey_create(t.dev, t.uid, pd->obj.id, memory, 0x10000, 4096, 1, &key), 0);
	assert_int_equal(sc_mkey_create(t.dev, t.uid, pd->obj.id, memory, 0x10000, 4096, 0, &readonly), 0);
	assert_ptr_equal(sc_dma_at(t.dev, key->lkey, pd->obj.id, 0x10000, 4096, true), memory);
	assert_ptr_equal(sc_dma_at(t.dev, key->lkey, pd->obj.id, 0x10ff0, 16, false), memory + 0xff0);
	assert_null(sc_dma_at(t.dev, key->lkey, pd->obj.id, 0x10ff0, 17, false));
	assert_null(sc_dma_at(t.dev, key->lkey, pd->obj.id, 0xffff, 2, false));
	assert_null(sc_dma_at(t.dev, key->lkey, pd->obj.id, 0x10000, UINT64_MAX, false));
	assert_null(sc_dma_at(t.dev, key->lkey, other->obj.id, 0x10000, 16, false));
	assert_null(sc_dma_at(t.dev, key->lkey ^ 1, pd->obj.id, 0x10000, 16, false));
	assert_null(sc_dma_at(t.dev, 0, pd->obj.id, 0x10000, 16, false));
	assert_null(sc_dma_at(t.dev, readonly->lkey, pd->obj.id, 0x10000, 16, true));
	assert_non_null(sc_dma_at(t.dev, readonly->lkey, pd->obj.id, 0x10000, 16, false));
	memory[0xff0] = 7;
	assert_int_equal(sc_dma_read(t.dev, key->lkey, pd->obj.id, 0x10ff0, buf, 16), 0);
	assert_int_equal(buf[0], 7);
	assert_int_equal(sc_dma_write(t.dev, key->lkey, pd->obj.id, 0x10ff8, buf, 16), -EFAULT);
	assert_int_equal(sc_pd_destroy(pd), -EBUSY);
	assert_int_equal(sc_mkey_destroy(key), 0);
	assert_null(sc_object_find(t.dev, SC_MKEY, 1));
	assert_int_equal(sc_mkey_destroy(readonly), 0);
	assert_int_equal(sc_pd_destroy(pd), 0);
	assert_int_equal(sc_pd_destroy(other), 0);
	test_close(&t);
}

static void
umems(void **state)
{
	struct test_device t;
	struct sc_umem *umem;

	test_open(&t, "");
	assert_int_equal(sc_umem_create(t.dev, t.uid, NULL, 16, 1, &umem), -EINVAL);
	assert_int_equal(sc_umem_create(t.dev, t.uid, memory, 0, 1, &umem), -EINVAL);
	assert_int_equal(sc_umem_create(t.dev, t.uid, memory, 4096, 1, &umem), 0);
	assert_ptr_equal(sc_umem_at(t.dev, umem->obj.id, 64, 64), memory + 64);
	assert_non_null(sc_umem_at(t.dev, umem->obj.id, 4096, 0));
	assert_null(sc_umem_at(t.dev, umem->obj.id, 4096, 1));
	assert_null(sc_umem_at(t.dev, umem->obj.id, UINT64_MAX, 2));
	assert_null(sc_umem_at(t.dev, umem->obj.id + 1, 0, 1));
	assert_null(sc_umem_at(t.dev, 0, 0, 1));
	assert_int_equal(sc_umem_destroy(umem), 0);
	test_close(&t);
}

/* @return what the command returns; the key's number in *id */
static int
create_key(struct test_device *t, uint8_t *in, size_t len, uint32_t *id)
{
	uint8_t out[16];
	int ret;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_CREATE_MKEY);
	ret = sc_engine_command(t->dev, t->uid, in, (uint32_t)len, out, sizeof(out));
	*id = prm_get(out, PRM_ID_OUT_ID);
	return ret;
}

static void
key_by_umem(void **state)
{
	uint8_t in[PRM_CREATE_MKEY_IN_BYTES] = { 0 }, *mkc = in + 0x10, *base = memory + 24;
	struct test_device t;
	struct sc_umem *umem;
	uint32_t pd, id;

	test_open(&t, "");
	pd = test_alloc(&t, PRM_CMD_OP_ALLOC_PD);
	assert_int_equal(sc_umem_create(t.dev, t.uid, base, 6000, 1, &umem), 0);
	prm_set(mkc, PRM_MKC_ACCESS_MODE_1_0, PRM_MKC_ACCESS_MODE_MTT);
	prm_set(mkc, PRM_MKC_LR, 1);
	prm_set(mkc, PRM_MKC_LW, 1);
	prm_set(mkc, PRM_MKC_PD, pd);
	prm_set(mkc, PRM_MKC_MKEY_7_0, 0x5a);
	prm_set(mkc, PRM_MKC_LOG_PAGE_SIZE, 12);
	prm_set64(mkc, PRM_MKC_START_ADDR, (uintptr_t)base);
	prm_set64(mkc, PRM_MKC_LEN, 6000);
	prm_set(in, PRM_CREATE_MKEY_IN_MKEY_UMEM_ID, umem->obj.id);
	assert_int_equal(create_key(&t, in, sizeof(in), &id), -EINVAL); /* umem not valid: only the kernel sets that */
	prm_set(in, PRM_CREATE_MKEY_IN_MKEY_UMEM_VALID, 1);
	assert_int_equal(create_key(&t, in, sizeof(in), &id), 0);
	assert_ptr_equal(sc_dma_at(t.dev, id << 8 | 0x5a, pd, (uintptr_t)base + 100, 100, true), base + 100);
	prm_set64(mkc, PRM_MKC_LEN, 6001);
	assert_int_equal(create_key(&t, in, sizeof(in), &id), -EINVAL);
	assert_non_null(strstr(t.dev->last_error, "not inside umem"));
	prm_set64(mkc, PRM_MKC_LEN, 6000);
	prm_set(mkc, PRM_MKC_PD, 999);
	assert_int_equal(create_key(&t, in, sizeof(in), &id), -EINVAL);
	assert_int_equal(test_count(&t, SC_MKEY), 1);
	assert_int_equal(sc_umem_destroy(umem), -EBUSY);
	test_close(&t); /* key before umem and domain */
}

/* Two pieces of memory behind one key; an access across the seam, and one beyond the end. */
static void
key_by_list(void **state)
{
	uint8_t in[PRM_CREATE_MKEY_IN_BYTES + 4 * PRM_KLM_BYTES] = { 0 }, *mkc = in + 0x10, buf[64];
	uint8_t *list = in + PRM_CREATE_MKEY_IN_BYTES;
	struct sc_mkey *a, *b;
	struct test_device t;
	uint32_t pd, id, lkey;

	test_open(&t, "");
	pd = test_alloc(&t, PRM_CMD_OP_ALLOC_PD);
	assert_int_equal(sc_mkey_create(t.dev, t.uid, pd, memory, 0x1000, 100, 1, &a), 0);
	assert_int_equal(sc_mkey_create(t.dev, t.uid, pd, memory + 4096, 0x8000, 100, 1, &b), 0);
	prm_set(mkc, PRM_MKC_ACCESS_MODE_1_0, PRM_MKC_ACCESS_MODE_KLM);
	prm_set(mkc, PRM_MKC_LR, 1);
	prm_set(mkc, PRM_MKC_LW, 1);
	prm_set(mkc, PRM_MKC_PD, pd);
	prm_set64(mkc, PRM_MKC_LEN, 150);
	prm_set(mkc, PRM_MKC_TRANSLATIONS_OCTWORD_SIZE, 4);
	prm_set(list, PRM_KLM_BYTE_COUNT, 100);
	prm_set(list, PRM_KLM_MKEY, a->lkey);
	prm_set64(list, PRM_KLM_ADDRESS, 0x1000);
	prm_set(list + 16, PRM_KLM_BYTE_COUNT, 50);
	prm_set(list + 16, PRM_KLM_MKEY, b->lkey);
	prm_set64(list + 16, PRM_KLM_ADDRESS, 0x8000 + 10);
	assert_int_equal(create_key(&t, in, sizeof(in), &id), 0);
	lkey = id << 8;
	memset(memory, 1, 100);
	memset(memory + 4096, 2, 100);
	assert_int_equal(sc_dma_read(t.dev, lkey, pd, 80, buf, 40), 0);
	assert_int_equal(buf[19], 1);
	assert_int_equal(buf[20], 2);
	assert_null(sc_dma_at(t.dev, lkey, pd, 80, 40, false));
	assert_ptr_equal(sc_dma_at(t.dev, lkey, pd, 100, 50, true), memory + 4096 + 10);
	memset(buf, 9, sizeof(buf));
	assert_int_equal(sc_dma_write(t.dev, lkey, pd, 120, buf, 31), -EFAULT);
	assert_int_equal(memory[4096 + 30], 2);
	assert_int_equal(sc_mkey_destroy(a), -EBUSY);
	prm_set64(mkc, PRM_MKC_LEN, 151);
	assert_int_equal(create_key(&t, in, sizeof(in), &id), -EINVAL);
	assert_int_equal(test_count(&t, SC_MKEY), 3);
	test_close(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds), cmocka_unit_test(umems), cmocka_unit_test(key_by_umem),
		cmocka_unit_test(key_by_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

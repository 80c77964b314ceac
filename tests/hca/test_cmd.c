/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Commands: bytes at the manual's offsets (typed in, not made by our accessors), and how refusals come
 * back.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "fake.h"
#include "hca/cmd_counter.h"
#include "hca/cmd_queue.h"
#include "hca/cmd_rx.h"
#include "hca/cmd_steering.h"

static struct hca_device *dev;

static int
setup(void **state)
{
	fake_reset();
	dev = fake_open();
	return 0;
}

static int
teardown(void **state)
{
	hca_device_close(dev);
	assert_int_equal(fake.alive, 0);
	return 0;
}

static void
create_sq_bytes(void **state)
{
	const struct hca_sqc sqc = {
		.place = { .umem_id = 0x21, .dbr_umem_id = 0x22, .dbr_offset = 0x1080 },
		.log_wq_sz = 9, .uar_page = 7, .cqn = 0x33, .tisn = 0x44, .flush_in_error_en = true,
		.allow_multi_pkt_send_wqe = true,
	};
	const struct fake_command *c = &fake.last_create;
	struct hca_obj *sq;

	assert_int_equal(hca_cmd_create_sq(dev, &sqc, &sq), 0);
	assert_int_equal(fake_dw(c, 0x00), 0x09040000);
	assert_int_equal(fake_dw(c, 0x20), 1u << 28 | 1u << 27);
	assert_int_equal(fake_dw(c, 0x28), 0x33);
	assert_int_equal(fake_dw(c, 0x40), 1u << 16);            /* tis_lst_sz */
	assert_int_equal(fake_dw(c, 0x4c), 0x44);
	assert_int_equal(fake_dw(c, 0x50), 1u << 28);            /* WQ at 0x20 + 0x30: cyclic */
	assert_int_equal(fake_dw(c, 0x58), 0xabc);               /* pd */
	assert_int_equal(fake_dw(c, 0x5c), 7);                   /* uar_page */
	assert_int_equal(fake_dw(c, 0x64), 0x1080);              /* dbr_addr, low half */
	assert_int_equal(fake_dw(c, 0x70), 6u << 16 | 9);        /* stride, size */
	assert_int_equal(fake_dw(c, 0x74), 3u << 30);            /* umems valid */
	assert_int_equal(fake_dw(c, 0x78), 0x22);
	assert_int_equal(fake_dw(c, 0x7c), 0x21);
	assert_int_equal(sq->id, fake.next_id - 1);
	assert_int_equal(hca_cmd_modify_sq(sq, HCA_WQ_ERR, HCA_WQ_RST), 0);
	assert_int_equal(fake_dw(&fake.last_modify, 0x08), 3u << 28 | sq->id);
	assert_int_equal(fake_dw(&fake.last_modify, 0x20), 0);
	hca_obj_destroy(sq);
}

static void
steering_sq_has_no_tis(void **state)
{
	const struct hca_sqc sqc = { .log_wq_sz = 6, .non_wire = true };
	struct hca_obj *sq;

	assert_int_equal(hca_cmd_create_sq(dev, &sqc, &sq), 0);
	assert_int_equal(fake_dw(&fake.last_create, 0x20), 1u << 16);
	assert_int_equal(fake_dw(&fake.last_create, 0x40), 0);
	hca_obj_destroy(sq);
}

static void
create_rq_bytes(void **state)
{
	const struct hca_rqc rqc = { .log_wq_sz = 7, .log_wq_stride = 6, .cqn = 0x55, .counter_set_id = 9, .vsd = true };
	struct hca_obj *rq;

	assert_int_equal(hca_cmd_create_rq(dev, &rqc, &rq), 0);
	assert_int_equal(fake_dw(&fake.last_create, 0x20), 1u << 28);
	assert_int_equal(fake_dw(&fake.last_create, 0x28), 0x55);
	assert_int_equal(fake_dw(&fake.last_create, 0x2c), 9u << 24);
	assert_int_equal(fake_dw(&fake.last_create, 0x70), 6u << 16 | 7);
	assert_int_equal(hca_cmd_modify_rq_vsd(rq, false), 0);
	assert_int_equal(fake_dw(&fake.last_modify, 0x08), 1u << 28 | rq->id);
	assert_int_equal(fake_dw(&fake.last_modify, 0x14), 1 << 1);
	assert_int_equal(fake_dw(&fake.last_modify, 0x20), 1u << 20);
	hca_obj_destroy(rq);
}

static void
create_tir_bytes(void **state)
{
	struct hca_tirc tirc = { .rqtn = 0x66, .transport_domain = 0x77, .allow_self_loopback = true };
	struct hca_obj *tir;

	tirc.hash = (struct hca_hash){ .fields = 0xf, .l3 = HCA_HASH_IPV6, .l4 = HCA_HASH_UDP };
	memset(tirc.hash.key, 0x6d, sizeof(tirc.hash.key));
	assert_int_equal(hca_cmd_create_tir(dev, &tirc, &tir), 0);
	assert_int_equal(fake_dw(&fake.last_create, 0x24), 1u << 28);
	assert_int_equal(fake_dw(&fake.last_create, 0x40), 0x66);
	assert_int_equal(fake_dw(&fake.last_create, 0x44), 2u << 28 | 3u << 24 | 0x77);
	assert_int_equal(fake_dw(&fake.last_create, 0x48), 0x6d6d6d6d);
	assert_int_equal(fake_dw(&fake.last_create, 0x6c), 0x6d6d6d6d);
	assert_int_equal(fake_dw(&fake.last_create, 0x70), 0xc000000f);
	hca_obj_destroy(tir);
}

static void
rtc_and_stc_bytes(void **state)
{
	const struct hca_rtc_attr rtc_attr = {
		.log_depth = 2, .log_hash_size = 10, .ste_format_0 = 4, .table_type = 1, .match_definer_0 = 0x11,
		.stc_id = 0x22, .ste_table_base_id = 0x33, .miss_flow_table_id = 0x44, .pd = 0xabc, .reparse_mode = 1,
	};
	struct hca_stc_attr stc_attr = { .action_type = 0x81, .ste_action_offset = 3, .param = { 0, 0, 1, 2 } };
	struct hca_obj *rtc, *stc;

	assert_int_equal(hca_cmd_create_rtc(dev, &rtc_attr, &rtc), 0);
	assert_int_equal(fake_dw(&fake.last_create, 0x00), 0x0a000000);
	assert_int_equal(fake_dw(&fake.last_create, 0x04), 0x41);
	assert_int_equal(fake_dw(&fake.last_create, 0x20), 1u << 28 | 0xabc);
	assert_int_equal(fake_dw(&fake.last_create, 0x24), 2u << 8 | 10);
	assert_int_equal(fake_dw(&fake.last_create, 0x28), 4u << 24 | 1u << 16);
	assert_int_equal(fake_dw(&fake.last_create, 0x2c), 0x11);
	assert_int_equal(fake_dw(&fake.last_create, 0x30), 0x22);
	assert_int_equal(fake_dw(&fake.last_create, 0x34), 0x33);
	assert_int_equal(fake_dw(&fake.last_create, 0x3c), 0x44);
	assert_int_equal(hca_cmd_create_stc(dev, 0, 5, &stc), 0);
	assert_int_equal(fake_dw(&fake.last_create, 0x0c), 5u << 24);
	assert_int_equal(hca_cmd_modify_stc(stc, 31, &stc_attr), 0);
	assert_int_equal(fake_dw(&fake.last_modify, 0x00), 0x0a010000);
	assert_int_equal(fake_dw(&fake.last_modify, 0x08), stc->id);
	assert_int_equal(fake_dw(&fake.last_modify, 0x0c), 31);
	assert_int_equal(fake_dw(&fake.last_modify, 0x14), 1);
	assert_int_equal(fake_dw(&fake.last_modify, 0x20), 3u << 8 | 0x81);
	assert_int_equal(fake_dw(&fake.last_modify, 0x30), 0x0102);
	/* Outside of the range: refused without asking the device. */
	assert_int_equal(hca_cmd_modify_stc(stc, 32, &stc_attr), -EINVAL);
	hca_obj_destroy(stc);
	hca_obj_destroy(rtc);
}

static void
definer_selectors(void **state)
{
	const struct hca_definer_attr attr = {
		.dw = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, .byte = { 11, 12, 13, 14, 15, 16, 17, 18 }, .mask = { 0xaa },
	};
	struct hca_obj *definer;

	assert_int_equal(hca_cmd_create_definer(dev, &attr, &definer), 0);
	assert_int_equal(fake_dw(&fake.last_create, 0x20), 61);
	assert_int_equal(fake_dw(&fake.last_create, 0x30), 0x04030201);
	assert_int_equal(fake_dw(&fake.last_create, 0x34), 0x08070605);
	assert_int_equal(fake_dw(&fake.last_create, 0x38), 9);
	assert_int_equal(fake_dw(&fake.last_create, 0x40), 0x0e0d0c0b);
	assert_int_equal(fake_dw(&fake.last_create, 0x44), 0x1211100f);
	assert_int_equal(fake_dw(&fake.last_create, 0x64), 0xaa000000);
	hca_obj_destroy(definer);
}

static void
counter_query(void **state)
{
	struct hca_obj *counters;
	uint64_t packets, octets;

	assert_int_equal(hca_cmd_alloc_flow_counter(dev, 0xabc, 4, &counters), 0);
	assert_int_equal(fake_dw(&fake.last_create, 0x0c), 4u << 8);
	fake.answer[1] = 10;
	fake.answer[2] = 1;
	assert_int_equal(hca_cmd_query_flow_counter(counters, 3, true, &packets, &octets), 0);
	assert_int_equal(fake_dw(&fake.last_query, 0x18), 1u << 31);
	assert_int_equal(fake_dw(&fake.last_query, 0x1c), counters->id + 3);
	assert_int_equal(packets, 10);
	assert_int_equal(octets, UINT64_C(1) << 32);
	assert_int_equal(hca_cmd_query_flow_counter(counters, 16, true, &packets, &octets), -EINVAL);
	hca_obj_destroy(counters);
}

static void
refusal_is_told(void **state)
{
	struct hca_obj *td = NULL;

	fake.fail_at = fake.calls + 1;
	fake.fail_status = 0x3;
	assert_int_equal(hca_cmd_alloc_transport_domain(dev, &td), -EINVAL);
	assert_null(td);
	assert_string_equal(hca_cmd_last_error()->command, "ALLOC_TRANSPORT_DOMAIN");
	assert_int_equal(hca_cmd_last_error()->status, 3);
	assert_int_equal(hca_cmd_last_error()->syndrome, 0x1234);
	assert_non_null(strstr(hca_cmd_last_error()->text, "syndrome 0x1234"));
	/* Without a status the library's errno is all there is. */
	fake.fail_at = fake.calls + 1;
	fake.fail_status = 0;
	assert_int_equal(hca_cmd_alloc_transport_domain(dev, &td), -EREMOTEIO);
}

/* Every status of the PRM, and two it does not have. EAGAIN and ENOMEM are for what the host does. */
static void
refusal_has_its_errno(void **state)
{
	static const struct {
		uint8_t status;
		int err;
		const char *text;
	} rows[] = {
		{ 0x01, -EIO, "ALLOC_TRANSPORT_DOMAIN: " }, { 0x02, -ENOTSUP, "ALLOC_TRANSPORT_DOMAIN: " },
		{ 0x03, -EINVAL, "ALLOC_TRANSPORT_DOMAIN: " }, { 0x04, -EIO, "ALLOC_TRANSPORT_DOMAIN: " },
		{ 0x05, -EINVAL, "ALLOC_TRANSPORT_DOMAIN: " }, { 0x06, -EBUSY, "ALLOC_TRANSPORT_DOMAIN: " },
		{ 0x08, -ENOSPC, "the device has no room for another transport domain: ALLOC_TRANSPORT_DOMAIN: " },
		{ 0x09, -EINVAL, "ALLOC_TRANSPORT_DOMAIN: " }, { 0x0a, -EINVAL, "ALLOC_TRANSPORT_DOMAIN: " },
		{ 0x0f, -ENOSPC, "the device has no room for another transport domain: ALLOC_TRANSPORT_DOMAIN: " },
		{ 0x10, -EINVAL, "ALLOC_TRANSPORT_DOMAIN: " }, { 0x30, -EINVAL, "ALLOC_TRANSPORT_DOMAIN: " },
		{ 0x40, -EINVAL, "ALLOC_TRANSPORT_DOMAIN: " }, { 0x50, -EIO, "ALLOC_TRANSPORT_DOMAIN: " },
		{ 0x51, -EIO, "ALLOC_TRANSPORT_DOMAIN: " }, { 0x07, -EINVAL, "ALLOC_TRANSPORT_DOMAIN: unknown status" },
		{ 0xff, -EINVAL, "ALLOC_TRANSPORT_DOMAIN: unknown status" },
	};
	struct hca_obj *td = NULL;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fake.fail_at = fake.calls + 1;
		fake.fail_status = rows[i].status;
		assert_int_equal(hca_cmd_alloc_transport_domain(dev, &td), rows[i].err);
		assert_int_equal(hca_cmd_last_error()->err, -rows[i].err);
		if (strncmp(hca_cmd_last_error()->text, rows[i].text, strlen(rows[i].text)) != 0)
			fail_msg("status 0x%x: %s", rows[i].status, hca_cmd_last_error()->text);
		assert_non_null(strstr(hca_cmd_last_error()->text, "syndrome 0x1234"));
	}
}

static void
dead_device_is_not_asked(void **state)
{
	struct hca_obj *td = NULL;
	int calls = fake.calls;

	atomic_store(&dev->dead, true);
	assert_int_equal(hca_cmd_alloc_transport_domain(dev, &td), -EIO);
	assert_int_equal(fake.calls, calls);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(create_sq_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(steering_sq_has_no_tis, setup, teardown),
		cmocka_unit_test_setup_teardown(create_rq_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(create_tir_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(rtc_and_stc_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(definer_selectors, setup, teardown),
		cmocka_unit_test_setup_teardown(counter_query, setup, teardown),
		cmocka_unit_test_setup_teardown(refusal_is_told, setup, teardown),
	cmocka_unit_test_setup_teardown(refusal_has_its_errno, setup, teardown),
		cmocka_unit_test_setup_teardown(dead_device_is_not_asked, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

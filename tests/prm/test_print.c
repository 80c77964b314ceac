/* SPDX-License-Identifier: BSD-3-Clause */

/* The printer and the command trace. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "prm/all.h"
#include "prm/trace.h"

struct text {
	FILE *to;
	char *chars;
	size_t len;
};

static void
text_open(struct text *text)
{
	*text = (struct text){ 0 };
	text->to = open_memstream(&text->chars, &text->len);
	assert_non_null(text->to);
}

static void
text_is(struct text *text, const char *expected)
{
	fclose(text->to);
	assert_string_equal(text->chars, expected);
	free(text->chars);
}

static void
prints_what_is_not_zero(void **state)
{
	static const uint8_t cqc[PRM_CQC_BYTES] = {
		[0x00] = 0x02, [0x07] = 0x09, [0x0c] = 0x05, [0x0f] = 0x07, [0x3e] = 0x10,
	};
	struct text text;

	text_open(&text);
	prm_print(text.to, &prm_layout_CQC, cqc, "  ");
	text_is(&text, "  dbr_umem_valid = 0x1\n  dbr_umem_id = 0x9\n  log_cq_size = 0x5\n  uar_page = 0x7\n"
		"  dbr_addr = 0x1000\n");
}

static void
prints_areas_as_bytes(void **state)
{
	static const uint8_t definer[PRM_DEFINER_BYTES] = { [0x13] = 61, [0x27] = 0x41, [0x54] = 0xff, [0x7f] = 0x01 };
	struct text text;

	text_open(&text);
	prm_print(text.to, &prm_layout_DEFINER, definer, "");
	text_is(&text, "format_id = 0x3d\nformat_select_dw4 = 0x41\n"
		"match_mask = ff000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 "
		"00000000 00000001\n");
}

static void
does_not_read_beyond_the_end(void **state)
{
	uint8_t *bytes = calloc(1, 8);
	struct text text;

	assert_non_null(bytes);
	bytes[1] = 0x10;
	bytes[7] = 0x05;
	text_open(&text);
	assert_int_equal(prm_print_within(text.to, &prm_layout_SQC, bytes, 8, ""), 2);
	text_is(&text, "state = 0x1\nuser_index = 0x5\n");
	free(bytes);
}

static void
traces_a_queue_command(void **state)
{
	static const uint8_t in[PRM_MODIFY_SQ_IN_BYTES] = {
		0x09, 0x05, 0x00, 0x03, 0, 0, 0, 0, 0x00, 0x00, 0x12, 0x34, [0x21] = 0x10,
	};
	static const uint8_t out[16] = { 0x09, 0, 0, 0, 0x00, 0x00, 0xab, 0xcd };
	struct text text;

	text_open(&text);
	prm_trace_command(text.to, in, sizeof(in), out, sizeof(out));
	text_is(&text, "MODIFY_SQ (0x905) uid 3, 272 bytes in, 16 out\n    sqn = 0x1234\n    state = 0x1\n"
		"  -> status 0x9 (bad resource state), syndrome 0xabcd\n");
}

static void
traces_a_general_object(void **state)
{
	/* Element 5 of STC range 0x80 becomes a jump to TIR 0x77. */
	static const uint8_t in[PRM_CMD_HDR_BYTES + PRM_STC_BYTES] = {
		0x0a, 0x01, 0, 0, 0, 0, 0x00, 0x40, 0, 0, 0, 0x80, 0, 0, 0, 5,
		[0x17] = 0x01, [0x22] = 3, [0x23] = 0x81, [0x33] = 0x77,
	};
	static const uint8_t out[16] = { 0 };
	struct text text;

	text_open(&text);
	prm_trace_command(text.to, in, sizeof(in), out, sizeof(out));
	text_is(&text, "MODIFY_GENERAL_OBJECT (0xa01) STC (0x40) uid 0, 144 bytes in, 16 out\n    obj_id = 0x80\n"
		"    obj_offset = 0x5\n    modify_field_select = 0x1\n    ste_action_offset = 0x3\n"
		"    action_type = 0x81\n"
		"    stc_param = 00000077 00000000 00000000 00000000\n"
		"    stc action JUMP_TO_TIR\n        tirn = 0x77\n  -> status 0x0 (ok)\n");
}

/* The page of a group is inside the answer; the NIC flow tables nest layouts in theirs. */
static void
traces_capabilities(void **state)
{
	static uint8_t in[16] = { 0x01, 0x00, 0, 0, 0, 0, 0x00, 1 << 1 | 1 }; /* Ethernet, current */
	static uint8_t out[PRM_QUERY_HCA_CAP_OUT_BYTES];
	uint8_t *page = out + 0x10;
	struct text text;

	prm_set(page, PRM_CAP_ETH_CSUM_CAP, 1);
	text_open(&text);
	prm_trace_command(text.to, in, sizeof(in), out, sizeof(out));
	text_is(&text, "QUERY_HCA_CAP (0x100) op_mod 0x3 uid 0, 16 bytes in, 4112 out\n"
		"  -> status 0x0 (ok)\n    csum_cap = 0x1\n");
	in[7] = PRM_CAP_GROUP_NIC_FT << 1;
	memset(out, 0, sizeof(out));
	prm_set(page + 0x100, PRM_FT_PROP_FT_SUPPORT, 1);
	text_open(&text);
	prm_trace_command(text.to, in, sizeof(in), out, sizeof(out));
	text_is(&text, "QUERY_HCA_CAP (0x100) op_mod 0xe uid 0, 16 bytes in, 4112 out\n"
		"  -> status 0x0 (ok)\n    at 0x40\n    at 0x100\n        ft_support = 0x1\n    at 0x200\n"
		"    at 0x380\n");
}

static void
traces_a_modify_list(void **state)
{
	static const uint8_t in[PRM_CMD_HDR_BYTES + 0x20 + 16] = {
		0x0a, 0x00, 0, 0, 0, 0, 0x00, 0x43, [0x20] = 9, /* the length claims more than there is */
		[0x30] = 0x10, 0x0a, 0x00, 0x08, [0x38] = 0x60,
	};
	struct text text;

	text_open(&text);
	prm_trace_command(text.to, in, sizeof(in), NULL, 0);
	text_is(&text, "CREATE_GENERAL_OBJECT (0xa00) MODIFY_HEADER_PATTERN (0x43) uid 0, 64 bytes in, 0 out\n"
		"    pattern_length = 0x9\n    [0] set\n        action_type = 0x1\n        field = 0xa\n"
		"        length = 0x8\n    [1] nop\n");
}

static void
survives_any_length(void **state)
{
	uint8_t in[0x400], out[0x400];
	struct text text;

	text_open(&text);
	for (size_t op = 0x100; op < 0xc00; op++) {
		for (size_t len = 0; len <= sizeof(in); len += len < 0x120 ? 1 : 97) {
			uint8_t *exact_in = malloc(len + 1), *exact_out = malloc(len + 1);

			assert_non_null(exact_in);
			assert_non_null(exact_out);
			memset(in, 0x40, sizeof(in));
			memset(out, 0, sizeof(out));
			in[0] = op >> 8;
			in[1] = op & 0xff;
			in[6] = 0;
			memcpy(exact_in, in, len);
			memcpy(exact_out, out, len);
			prm_trace_command(text.to, exact_in, len, exact_out, len);
			free(exact_in);
			free(exact_out);
		}
		rewind(text.to);
		if (prm_opcode_name(op) == NULL)
			op += 6; /* unknown ones are all alike */
	}
	fclose(text.to);
	free(text.chars);
}

static void
names_numbers(void **state)
{
	assert_string_equal(prm_opcode_name(0xb17), "GENERATE_WQE");
	assert_null(prm_opcode_name(0xfff));
	assert_string_equal(prm_obj_type_name(0x41), "RTC");
	assert_string_equal(prm_status_text(0x6), "resource busy");
	assert_string_equal(prm_stc_action_name(0x0e), "ACC_MODIFY_LIST");
	assert_string_equal(prm_wqe_opcode_name(0x29), "EMPW");
	assert_string_equal(prm_cqe_syndrome_text(0x04), "local protection error");
	assert_string_equal(prm_modify_field_name(0x51), "META_REG_C_0");
	assert_int_equal(prm_modify_field_width(0x06), 6);
	assert_int_equal(prm_modify_field_width(0x999), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints_what_is_not_zero),
		cmocka_unit_test(prints_areas_as_bytes),
		cmocka_unit_test(does_not_read_beyond_the_end),
		cmocka_unit_test(traces_a_queue_command),
		cmocka_unit_test(traces_a_general_object),
		cmocka_unit_test(traces_capabilities),
		cmocka_unit_test(traces_a_modify_list),
		cmocka_unit_test(survives_any_length),
		cmocka_unit_test(names_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

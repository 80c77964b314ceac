/* SPDX-License-Identifier: BSD-3-Clause */

/* Worked WQEs and CQEs, typed in as bytes, read through the layouts. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "prm/cqe.h"
#include "prm/object.h"
#include "prm/queue.h"
#include "prm/wqe.h"

/* SEND of one 60-byte segment, both checksums, completion wanted, producer index 7. */
static const uint8_t send_wqe[] = {
	0x00, 0x00, 0x07, 0x0a, 0x00, 0x12, 0x34, 0x03, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0xc0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x3c, 0x00, 0x18, 0x2a, 0x01, 0x00, 0x00, 0x7f, 0x11, 0x22, 0x33, 0x44, 0x00,
};

static void
send(void **state)
{
	const uint8_t *eth = send_wqe + PRM_WQE_CTRL_BYTES, *data = eth + PRM_WQE_ETH_BYTES;

	assert_int_equal(prm_get(send_wqe, PRM_WQE_CTRL_OPC_MOD), 0);
	assert_int_equal(prm_get(send_wqe, PRM_WQE_CTRL_WQE_INDEX), 7);
	assert_int_equal(prm_get(send_wqe, PRM_WQE_CTRL_OPCODE), PRM_WQE_OP_SEND);
	assert_int_equal(prm_get(send_wqe, PRM_WQE_CTRL_SQN), 0x1234);
	assert_int_equal(prm_get(send_wqe, PRM_WQE_CTRL_DS), 3);
	assert_int_equal(prm_get(send_wqe, PRM_WQE_CTRL_CE), PRM_WQE_CE_ALWAYS);
	assert_int_equal(prm_get(send_wqe, PRM_WQE_CTRL_FM), PRM_WQE_FM_NONE);
	assert_int_equal(prm_get(eth, PRM_WQE_ETH_CS_FLAGS), PRM_WQE_CS_L3 | PRM_WQE_CS_L4);
	assert_int_equal(prm_get(eth, PRM_WQE_ETH_INLINE_HDR_SZ), 0);
	assert_int_equal(prm_get(data, PRM_WQE_DATA_INLINE), 0);
	assert_int_equal(prm_get(data, PRM_WQE_DATA_LENGTH), 60);
	assert_int_equal(prm_get(data, PRM_WQE_DATA_LKEY), 0x182a01);
	assert_true(prm_get64(data, PRM_WQE_DATA_ADDR) == 0x00007f1122334400ull);
}

/* TSO with MSS 1448 and 54 bytes of headers; VLAN insertion of an S-tag with VID 100; an inline segment of 60 bytes. */
static void
ethernet_segments(void **state)
{
	static const uint8_t tso[] = { 0, 0, 0, 0, 0xc0, 0x00, 0x05, 0xa8, 0, 0, 0, 0, 0x00, 0x36, 0x02, 0x00 };
	static const uint8_t vlan[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x00, 0x64 };
	static const uint8_t inline_seg[] = { 0x80, 0x00, 0x00, 0x3c };

	assert_int_equal(prm_get(tso, PRM_WQE_ETH_MSS), 1448);
	assert_int_equal(prm_get(tso, PRM_WQE_ETH_INLINE_HDR_SZ), 54);
	assert_int_equal(prm_get(tso, PRM_WQE_ETH_INLINE_HDR_START), 0x0200);
	assert_int_equal(prm_get(vlan, PRM_WQE_ETH_VLAN_INSERT), 1);
	assert_int_equal(prm_get(vlan, PRM_WQE_ETH_VLAN_SVLAN), 1);
	assert_int_equal(prm_get(vlan, PRM_WQE_ETH_VLAN_TCI), 100);
	assert_int_equal(prm_get(inline_seg, PRM_WQE_DATA_INLINE), 1);
	assert_int_equal(prm_get(inline_seg, PRM_WQE_DATA_LENGTH), 60);
}

/* TCP/IPv4 with data, checksums good, VLAN 100 stripped, 1514 bytes, flow tag 0x2a0000, WQE 5, first pass. */
static const uint8_t rx_cqe[PRM_CQE_BYTES] = {
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x51, 0xcc, 0xc1, 0x78,
	0x44, 0x00, 0x00, 0x00, 0xbe, 0xef, 0x00, 0x00, 0x00, 0x00, 0x04, 0x56, 0x07, 0x49, 0x00, 0x64,
	0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0xea,
	0x65, 0x5f, 0x00, 0x00, 0x07, 0x5b, 0xcd, 0x15, 0x00, 0x2a, 0x00, 0x00, 0x00, 0x05, 0x00, 0x20,
};

static void
receive_completion(void **state)
{
	assert_int_equal(prm_get(rx_cqe, PRM_CQE_RX_HASH_RESULT), 0x51ccc178);
	assert_int_equal(prm_get(rx_cqe, PRM_CQE_RX_HASH_TYPE), PRM_CQE_HASH_IP_IPV4 | PRM_CQE_HASH_L4_TCP);
	assert_int_equal(prm_get(rx_cqe, PRM_CQE_CHECK_SUM), 0xbeef);
	assert_int_equal(prm_get(rx_cqe, PRM_CQE_RQPN), 0x456);
	assert_int_equal(prm_get(rx_cqe, PRM_CQE_HDR_TYPE_ETC), 0x749);
	assert_int_equal(prm_get(rx_cqe, PRM_CQE_L4_OK), 1);
	assert_int_equal(prm_get(rx_cqe, PRM_CQE_L3_OK), 1);
	assert_int_equal(prm_get(rx_cqe, PRM_CQE_L2_OK), 1);
	assert_int_equal(prm_get(rx_cqe, PRM_CQE_IP_FRAG), 0);
	assert_int_equal(prm_get(rx_cqe, PRM_CQE_L4_HDR_TYPE), PRM_CQE_L4_TCP_ACK_DATA);
	assert_int_equal(prm_get(rx_cqe, PRM_CQE_L3_HDR_TYPE), PRM_CQE_L3_IPV4);
	assert_int_equal(prm_get(rx_cqe, PRM_CQE_CV), 1);
	assert_int_equal(prm_get(rx_cqe, PRM_CQE_L4_L3_HDR_TYPE) >> 2, 0x12);
	assert_int_equal(prm_get(rx_cqe, PRM_CQE_VLAN_INFO), 100);
	assert_int_equal(prm_get(rx_cqe, PRM_CQE_LRO_NUM_SEG), 1);
	assert_int_equal(prm_get(rx_cqe, PRM_CQE_BYTE_CNT), 1514);
	assert_true(prm_get64(rx_cqe, PRM_CQE_TIMESTAMP) == 0x655f0000075bcd15ull);
	assert_int_equal(prm_get(rx_cqe, PRM_CQE_FLOW_TAG), 0x2a0000);
	assert_int_equal(prm_get(rx_cqe, PRM_CQE_WQE_COUNTER), 5);
	assert_int_equal(prm_get(rx_cqe, PRM_CQE_OPCODE), PRM_CQE_RESP_SEND);
	assert_int_equal(prm_get(rx_cqe, PRM_CQE_FORMAT), PRM_CQE_FORMAT_NO_INLINE);
	assert_int_equal(prm_get(rx_cqe, PRM_CQE_OWNER), 0);
	assert_int_equal(rx_cqe[PRM_CQE_OP_OWN_AT], 0x20);
}

/* Unknown key on WQE 9 of send queue 0x1234. */
static void
error_completion(void **state)
{
	static const uint8_t cqe[PRM_CQE_BYTES] = { [0x37] = 0x04, 0x0e, 0x00, 0x12, 0x34, 0x00, 0x09, 0x00, 0xd0 };

	assert_int_equal(prm_get(cqe, PRM_ERR_CQE_SYNDROME), PRM_CQE_SYND_LOCAL_PROT);
	assert_int_equal(prm_get(cqe, PRM_ERR_CQE_VENDOR_ERR_SYND), 0);
	assert_int_equal(prm_get(cqe, PRM_ERR_CQE_S_WQE_OPCODE), PRM_WQE_OP_TSO);
	assert_int_equal(prm_get(cqe, PRM_ERR_CQE_QPN), 0x1234);
	assert_int_equal(prm_get(cqe, PRM_ERR_CQE_WQE_COUNTER), 9);
	assert_int_equal(prm_get(cqe, PRM_CQE_OPCODE), PRM_CQE_REQ_ERR);
}

static void
ownership(void **state)
{
	assert_false(prm_cqe_is_software(PRM_CQE_OP_OWN_INIT, 0, 4));
	assert_true(prm_cqe_is_software(0x20, 3, 4));
	assert_false(prm_cqe_is_software(0x20, 3 + 16, 4));
	assert_true(prm_cqe_is_software(0x21, 3 + 16, 4));
	assert_false(prm_cqe_is_software(PRM_CQE_OP_OWN_INVALIDATED, 3, 4));
	assert_false(prm_cqe_is_software_enhanced(PRM_CQE_VALIDITY_ITERATION_INIT, 0x20, 0, 4));
	assert_true(prm_cqe_is_software_enhanced(0, 0x20, 15, 4));
	assert_true(prm_cqe_is_software_enhanced(1, 0x2c, 16, 4));
	assert_false(prm_cqe_is_software_enhanced(1, 0xf0, 16, 4));
}

/* Arm completion queue 0x456 at index 0x10, sequence 1, solicited only. */
static void
arm_doorbell(void **state)
{
	static const uint8_t arm[] = { 0x11, 0x00, 0x00, 0x10, 0x00, 0x00, 0x04, 0x56 };

	assert_int_equal(prm_get(arm, PRM_CQ_ARM_CMD_SN), 1);
	assert_int_equal(prm_get(arm, PRM_CQ_ARM_CMD), 1);
	assert_int_equal(prm_get(arm, PRM_CQ_ARM_CI), 0x10);
	assert_int_equal(prm_get(arm, PRM_CQ_ARM_CQN), 0x456);
}

/* Entry for a 60-byte packet, hash format; and flow-tag format with tag 0x2a1b2c, stride 3. */
static void
mini_completions(void **state)
{
	static const uint8_t hash[] = { 0x51, 0xcc, 0xc1, 0x78, 0x00, 0x00, 0x00, 0x3c };
	static const uint8_t tag[] = { 0x1b, 0x2c, 0x00, 0x03, 0x2a, 0x00, 0x00, 0x3c };

	assert_int_equal(prm_get(hash, PRM_MINI_CQE_RX_HASH_RESULT), 0x51ccc178);
	assert_int_equal(prm_get(hash, PRM_MINI_CQE_BYTE_CNT), 60);
	assert_int_equal(prm_get(tag, PRM_MINI_CQE_FTAG_LOW), 0x1b2c);
	assert_int_equal(prm_get(tag, PRM_MINI_CQE_FTAG_HIGH), 0x2a);
	assert_int_equal(prm_get(tag, PRM_MINI_CQE_STRIDE_INDEX), 3);
	assert_int_equal(prm_get(tag, PRM_MINI_CQE_FTAG_BYTE_CNT), 60);
}

/* Rule insertion: RTC 0x41, counter slot 6 with three more actions, tag of UDP port 4789. */
static void
steering_wqe(void **state)
{
	static const uint8_t wqe[PRM_WQE_GTA_BYTES] = {
		0x00, 0x00, 0x02, 0x2c, 0x00, 0x00, 0x99, 0x08, 0x00, 0x00, 0x00, 0x28, 0x00, 0x00, 0x00, 0x41,
		0x00, 0x00, 0x00, 0x05, 0x60, 0x00, 0x00, 0x06, 0x00, 0x00, 0x00, 0x0b, 0x00, 0x00, 0x00, 0x01,
		0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00,
		[0x40] = 0x00, 0x00, 0x00, 0x11, [0x50] = 0x00, 0x00, 0x01, 0x40, 0x00, 0x4e, 0x00, 0x00,
		[0x72] = 0x12, 0xb5,
	};
	const uint8_t *gta = wqe + PRM_WQE_CTRL_BYTES, *ste = wqe + PRM_WQE_GTA_DATA;
	const uint8_t *tag = ste + PRM_WQE_STE_TAG_AT;

	assert_int_equal(prm_get(wqe, PRM_WQE_CTRL_OPCODE), PRM_WQE_OP_FLOW_TBL_ACCESS);
	assert_int_equal(prm_get(wqe, PRM_WQE_CTRL_OPC_MOD), PRM_WQE_GTA_OPMOD_STE);
	assert_int_equal(prm_get(wqe, PRM_WQE_CTRL_DS), PRM_WQE_GTA_DS);
	assert_int_equal(prm_get(wqe, PRM_WQE_CTRL_FM_CE_SE), PRM_WQE_FM_CE_SE_SIGNAL | PRM_WQE_FM_CE_SE_SMALL_FENCE);
	assert_int_equal(prm_get(wqe, PRM_WQE_CTRL_IMM), 0x41);
	assert_int_equal(prm_get(gta, PRM_WQE_GTA_CTRL_OP), PRM_WQE_GTA_OP_ACTIVATE);
	assert_int_equal(prm_get(gta, PRM_WQE_GTA_CTRL_DIRECT_INDEX), 5);
	assert_int_equal(prm_get(gta, PRM_WQE_GTA_CTRL_NUM_ACTIONS), PRM_WQE_GTA_NUM_COMBO_1);
	assert_int_equal(prm_get(gta, PRM_WQE_GTA_CTRL_STC_IX_0), 6);
	assert_int_equal(prm_get(gta, PRM_WQE_GTA_CTRL_STC_IX_1), 0xb);
	assert_int_equal(prm_get(gta, PRM_WQE_GTA_CTRL_STC_IX_3), 2);
	assert_int_equal(prm_get(ste, PRM_WQE_STE_COUNTER_OFFSET), 0x11);
	assert_int_equal(prm_get(ste, PRM_WQE_STE_HIT_LSB) >> PRM_WQE_STE_HIT_INDEX_SHIFT, 5);
	assert_int_equal(prm_get(ste, PRM_WQE_STE_DW5), 0x004e0000); /* mark 77 as a little-endian host gives it */
	/* The second dword selector from the end of the dwords: STE DW12, tag bytes 16..19. */
	assert_int_equal(prm_load32(tag + 16), 0x12b5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(send),
		cmocka_unit_test(ethernet_segments),
		cmocka_unit_test(receive_completion),
		cmocka_unit_test(error_completion),
		cmocka_unit_test(ownership),
		cmocka_unit_test(arm_doorbell),
		cmocka_unit_test(mini_completions),
		cmocka_unit_test(steering_wqe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

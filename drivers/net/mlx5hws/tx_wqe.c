/* SPDX-License-Identifier: BSD-3-Clause */
#include "tx_wqe.h"

#define ETH_CS_AND_MSS 20 /* bytes from the start of the descriptor */
#define ETH_INLINE 28
#define INLINE_FLAG 0x80000000u

static const uint8_t *
unit_at(const struct hca_sq *sq, uint16_t pi, uint32_t ds)
{
	uint32_t index = (pi * TX_DS_PER_WQEBB + ds) & ((sq->mask + 1u) * TX_DS_PER_WQEBB - 1);

	return sq->ring + (size_t)index * TX_DS;
}

uint16_t
tx_wqe_add(const struct hca_sq *sq, uint16_t pi, struct tx_wqe_sum *sum)
{
	const uint8_t *wqe = hca_sq_wqebb(sq, pi);
	uint32_t nb_ds = tx_load_be32(wqe + 4) & 0x3f, ds = TX_HEAD_DS, word = tx_load_be32(wqe + ETH_INLINE);
	uint32_t mss = tx_load_be32(wqe + ETH_CS_AND_MSS) & 0xffff, payload = 0, packets = 0;
	uint32_t head = word >> 31 ? 0 : word >> 16, more = 0;

	if (wqe[3] == PRM_WQE_OP_WAIT)
		return 1;
	if (head > TX_ETH_INLINE)
		ds += (head - TX_ETH_INLINE + TX_DS - 1) / TX_DS;
	for (; ds < nb_ds; packets++) {
		uint32_t count = tx_load_be32(unit_at(sq, pi, ds)), len = count & ~INLINE_FLAG;

		ds += count & INLINE_FLAG ? (4 + len + TX_DS - 1) / TX_DS : 1;
		payload += len;
	}
	if (wqe[3] == PRM_WQE_OP_TSO && payload > mss)
		more = (payload + mss - 1) / mss - 1;
	sum->packets += wqe[3] == PRM_WQE_OP_EMPW ? packets : 1 + more;
	sum->bytes += payload + head + (word >> 31 ? TX_TAG : 0) + (uint64_t)more * head;
	return (uint16_t)((nb_ds + TX_DS_PER_WQEBB - 1) / TX_DS_PER_WQEBB);
}

/* SPDX-License-Identifier: BSD-3-Clause */

/* Why a packet cannot be sent, in words: what tx_post.h asks on the way, in the same order. */
#include <inttypes.h>

#include <rte_ethdev.h>

#include "log.h"
#include "port.h"
#include "tx.h"
#include "tx_wqe.h"

struct reason {
	char text[128];
};

static bool
wrong_to_cut(const struct mlx5hws_txq *txq, const struct rte_mbuf *m, struct reason *why)
{
	const uint32_t head = tx_tso_head(m);

	if (!(m->ol_flags & RTE_MBUF_F_TX_TCP_SEG) || head >= m->pkt_len)
		return false;
	if (m->tso_segsz == 0 || head + m->tso_segsz > TX_FRAME_MAX)
		snprintf(why->text, sizeof(why->text), "tso_segsz is %u: with headers of %u no frame is so long", m->tso_segsz, head);
	else if (head < RTE_ETHER_HDR_LEN)
		snprintf(why->text, sizeof(why->text), "its header lengths are %u bytes in all", head);
	else if (m->pkt_len - head > txq->max_tso)
		snprintf(why->text, sizeof(why->text), "%u bytes are to be cut, the device cuts %u", m->pkt_len - head, txq->max_tso);
	else
		return false;
	return true;
}

static bool
unknown_memory(struct mlx5hws_txq *txq, const struct rte_mbuf *m, struct reason *why)
{
	for (; m != NULL; m = m->next) {
		if (m->data_len == 0 || mlx5hws_lkey(&txq->lkeys, m) != MLX5HWS_NO_LKEY)
			continue;
		snprintf(why->text, sizeof(why->text), "the device cannot have its memory at %p", m->buf_addr);
		return true;
	}
	return false;
}

void
mlx5hws_tx_refuse(struct mlx5hws_txq *txq, const struct rte_mbuf *m)
{
	struct reason why;

	if (txq->refused)
		return;
	txq->refused = true;
	if (m->pkt_len < RTE_ETHER_HDR_LEN)
		snprintf(why.text, sizeof(why.text), "it has %u bytes, less than an Ethernet header", m->pkt_len);
	else if (!wrong_to_cut(txq, m, &why) && !unknown_memory(txq, m, &why))
		snprintf(why.text, sizeof(why.text), "%u segments are more than its descriptor or the ring can hold", m->nb_segs);
	MLX5HWS_LOG(WARNING, "port %u Tx queue %u: a packet is dropped (oerrors): %s; later ones are not told of",
		    txq->port->dev->data->port_id, txq->idx, why.text);
}

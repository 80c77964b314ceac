/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Every receive burst of every instruction set beside the scalar one for everything, on twin queues: random completions (packets,
 * sessions of all formats, errors), random burst sizes; the mbufs agree in all that their flags say is valid, and every buffer
 * comes back once. No device: the test writes the CQEs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_mbuf_dyn.h>
#include <rte_mempool.h>

#include "prm/cqe.h"
#include "rx.h"

#define LOG_RING 6
#define RING (1u << LOG_RING)
#define ROOM 256
#define ROUNDS 3000
#define POOL 1023

struct twin {
	struct mlx5hws_rxq *rxq;
	eth_rx_burst_t burst;
	struct rte_mempool *pool;
};

static const struct mlx5hws_rx_path *const paths[] = {
	&mlx5hws_rx_path_base,
#if defined(__x86_64__)
	&mlx5hws_rx_path_avx2,
	&mlx5hws_rx_path_avx512,
#endif
};

static const uint8_t formats[] = { PRM_MINI_CQE_FORMAT_HASH, PRM_MINI_CQE_FORMAT_CSUM, PRM_MINI_CQE_FORMAT_FTAG_STRIDX,
				   PRM_MINI_CQE_FORMAT_CSUM_STRIDX, PRM_MINI_CQE_FORMAT_L34H_STRIDX };

static int meta_offset, stamp_offset;
static uint64_t meta_flag, stamp_flag;
static uint32_t produced;
static uint32_t log_sges;
static uint32_t apart; /* of the rings' beginnings, in descriptors */
static bool enhanced;  /* the layout of completions */
static bool has_title; /* enhanced: a block may come next */
static uint32_t sessions_in; /* how many of two entries begin sessions, for some time: none, one or both */

static uint32_t
upto(uint32_t n)
{
	return (uint32_t)rand() % n;
}

static void *
zeroed(size_t size)
{
	void *memory = aligned_alloc(RTE_CACHE_LINE_SIZE, RTE_ALIGN_CEIL(size, RTE_CACHE_LINE_SIZE));

	assert_non_null(memory);
	return memset(memory, 0, size);
}

static void
open_twin(struct twin *twin, const char *name, uint32_t flags, uint8_t format, bool real_time)
{
	struct mlx5hws_rxq *rxq = zeroed(sizeof(*rxq));
	static struct mlx5hws_mr_table table;

	twin->rxq = rxq;
	twin->pool = rte_pktmbuf_pool_create(name, POOL, 128, 0, ROOM + RTE_PKTMBUF_HEADROOM, SOCKET_ID_ANY);
	assert_non_null(twin->pool);
	rxq->pool = twin->pool;
	rxq->log_sges = (uint8_t)log_sges;
	rxq->elts_mask = (RING << log_sges) - 1;
	rxq->elts = zeroed(sizeof(*rxq->elts) << (LOG_RING + log_sges));
	rxq->posted = RING;
	rxq->batch = 16;
	rxq->room = ROOM;
	rxq->more_room = ROOM + RTE_PKTMBUF_HEADROOM;
	rxq->cq = (struct hca_cq){ .ring = zeroed(HCA_CQE_BYTES << LOG_RING), .dbrec = zeroed(8), .mask = RING - 1, .log_size = LOG_RING };
	rxq->rq = (struct hca_rq){ .ring = zeroed(HCA_DATA_SEG_BYTES << (LOG_RING + log_sges)), .dbrec = zeroed(8), .mask = RING - 1 };
	memset(rxq->cq.ring, 0xf1, HCA_CQE_BYTES << LOG_RING);
	rxq->rearm = 0x0003000100010080;
	rxq->meta_offset = meta_offset;
	rxq->meta_flag = meta_flag;
	rxq->timestamp_offset = stamp_offset;
	rxq->timestamp_flag = stamp_flag;
	rxq->real_time = real_time;
	rxq->mini_format = format;
	rxq->compressed = (flags & RX_COMPRESSED) != 0;
	rxq->cq.enhanced = rxq->enhanced = enhanced;
	/* One key for all memory. */
	rxq->lkeys.table = &table;
	rxq->lkeys.entries[0] = (struct mlx5hws_lkey){ .end = UINTPTR_MAX, .lkey_be = 0x11223344 };
	assert_int_equal(mlx5hws_rx_fill(rxq), 0);
	rxq->one_key = upto(2) != 0;
	/* After a recovery buffers and completions do not begin at the same place of their rings. */
	rxq->taken += apart;
	rxq->posted += apart;
	rxq->state = MLX5HWS_RX_GOOD;
}

static void
close_twin(struct twin *twin)
{
	struct mlx5hws_rxq *rxq = twin->rxq;

	mlx5hws_rx_drain(rxq);
	assert_int_equal(rte_mempool_avail_count(twin->pool), POOL);
	rte_mempool_free(twin->pool);
	free(rxq->elts);
	free(rxq->cq.ring);
	free(rxq->cq.dbrec);
	free(rxq->rq.ring);
	free(rxq->rq.dbrec);
	free(rxq);
}

static uint32_t
some_length(void)
{
	return 60 + upto(ROOM + ((1u << log_sges) - 1) * (ROOM + RTE_PKTMBUF_HEADROOM) - 60 + 1);
}

static void
some_cqe(uint8_t *cqe)
{
	static const uint32_t tags[] = { 0, 0, 0, 0, 0, 0, 0x2a0000, 0xffffff };

	for (uint32_t i = 0; i < HCA_CQE_BYTES; i++)
		cqe[i] = (uint8_t)rand();
	if (upto(4) == 0)
		prm_set(cqe, PRM_CQE_RX_HASH_TYPE, 0);
	if (upto(8) == 0)
		prm_set(cqe, PRM_CQE_RX_HASH_RESULT, 0);
	if (upto(2) == 0)
		prm_set(cqe, PRM_CQE_CV, 0);
	if (upto(4) != 0)
		prm_set(cqe, PRM_CQE_FLOW_TABLE_METADATA, 0);
	prm_set(cqe, PRM_CQE_FLOW_TAG, tags[upto(RTE_DIM(tags))]);
	prm_set(cqe, PRM_CQE_BYTE_CNT, some_length());
	cqe[HCA_CQE_OP_OWN] = (uint8_t)(HCA_CQE_RESP_SEND << 4 | upto(2) << 1);
}

/* A session of n packets from slot on; of both twins, like all of it. */
static void
write_slot(struct twin *twins, uint32_t index, const uint8_t *slot)
{
	for (int t = 0; t < 2; t++) {
		uint8_t *to = twins[t].rxq->cq.ring + (index & (RING - 1)) * HCA_CQE_BYTES;

		memcpy(to, slot, HCA_CQE_BYTES);
		if (enhanced)
			to[HCA_CQE_VALIDITY] = (uint8_t)(index >> LOG_RING);
	}
}

static void
some_minis(uint8_t *array, uint32_t nb, uint8_t format)
{
	for (uint32_t i = 0; i < nb; i++) {
		uint8_t *mini = array + i * PRM_MINI_CQE_BYTES;

		prm_set(mini, PRM_MINI_CQE_RX_HASH_RESULT, (uint32_t)rand());
		prm_set(mini, PRM_MINI_CQE_BYTE_CNT, some_length());
		if (format == PRM_MINI_CQE_FORMAT_FTAG_STRIDX)
			prm_set(mini, PRM_MINI_CQE_FTAG_HIGH, (uint32_t)rand());
	}
}

/* A block of n packets; it may lie over the end of the ring. */
static void
write_block(struct twin *twins, uint32_t n, uint8_t format)
{
	uint8_t block[HCA_CQE_BYTES] = { 0 };

	some_minis(block, n, format);
	block[HCA_CQE_OP_OWN] = (uint8_t)((n - 1) << 4 | PRM_CQE_FORMAT_COMPRESSED << 2 | upto(2));
	write_slot(twins, produced, block);
	produced += n;
}

static void
write_session(struct twin *twins, uint8_t *title, uint32_t n, uint8_t format, uint8_t owner)
{
	prm_set(title, PRM_CQE_BYTE_CNT, n);
	title[HCA_CQE_OP_OWN] = (uint8_t)(HCA_CQE_RESP_SEND << 4 | PRM_CQE_FORMAT_COMPRESSED << 2 | owner);
	for (uint32_t k = 0; k * PRM_MINI_CQES_PER_SLOT < n; k++) {
		uint8_t array[HCA_CQE_BYTES];

		some_minis(array, PRM_MINI_CQES_PER_SLOT, format);
		write_slot(twins, produced + RTE_MAX(k * PRM_MINI_CQES_PER_SLOT, 1u), array);
	}
	write_slot(twins, produced, title);
	produced += n;
}

static void
produce(struct twin *twins, uint32_t flags, uint8_t format)
{
	/* One may fill again up to the ring's end, the other over it. */
	uint32_t room = RTE_MIN(twins[0].rxq->posted, twins[1].rxq->posted) - apart - produced, to_end, n;
	uint8_t cqe[HCA_CQE_BYTES], owner;

	assert_int_equal(twins[0].rxq->taken, twins[1].rxq->taken);
	for (uint32_t want = upto(40); want != 0 && room > PRM_MINI_CQES_PER_SLOT; want--) {
		to_end = RING - (produced & (RING - 1));
		owner = produced >> LOG_RING & 1;
		some_cqe(cqe);
		cqe[HCA_CQE_OP_OWN] |= owner;
		n = RTE_MIN(2 + upto(40), RTE_MIN(to_end, room - PRM_MINI_CQES_PER_SLOT));
		/* A session takes two entries at least: where all are to be sessions, no single one is left over. */
		n -= n > 2 && to_end - n == 1;
		if (sessions_in == 2 && n < 2 && to_end > 1)
			break;
		if (enhanced && has_title && upto(2) < sessions_in) {
			n = 1 + upto(PRM_MINI_CQES_PER_ENHANCED_SLOT);
			write_block(twins, n, format);
			room -= n;
			continue;
		}
		if (!enhanced && flags & RX_COMPRESSED && n >= 2 && upto(2) < sessions_in) {
			write_session(twins, cqe, n, format, owner);
			room -= n;
			continue;
		}
		if (upto(50) == 0) {
			cqe[HCA_CQE_SYNDROME] = PRM_CQE_SYND_LOCAL_LENGTH;
			cqe[HCA_CQE_OP_OWN] = (uint8_t)(HCA_CQE_RESP_ERR << 4 | owner);
		}
		has_title = hca_cqe_opcode(cqe) == HCA_CQE_RESP_SEND;
		write_slot(twins, produced++, cqe);
		room--;
	}
}

static void
same_packet(const struct rte_mbuf *a, const struct rte_mbuf *b)
{
	assert_int_equal(a->ol_flags, b->ol_flags);
	assert_memory_equal(RTE_PTR_ADD(a, MLX5HWS_REARM_AT), RTE_PTR_ADD(b, MLX5HWS_REARM_AT), 8);
	assert_int_equal(a->packet_type, b->packet_type);
	assert_int_equal(a->pkt_len, b->pkt_len);
	assert_int_equal(a->vlan_tci, b->vlan_tci);
	assert_int_equal(a->hash.rss, b->hash.rss);
	if (a->ol_flags & RTE_MBUF_F_RX_FDIR_ID)
		assert_int_equal(a->hash.fdir.hi, b->hash.fdir.hi);
	if (a->ol_flags & meta_flag)
		assert_int_equal(*RTE_MBUF_DYNFIELD(a, meta_offset, uint32_t *), *RTE_MBUF_DYNFIELD(b, meta_offset, uint32_t *));
	if (a->ol_flags & stamp_flag)
		assert_int_equal(*RTE_MBUF_DYNFIELD(a, stamp_offset, uint64_t *), *RTE_MBUF_DYNFIELD(b, stamp_offset, uint64_t *));
	for (uint32_t sum = 0; a != NULL || b != NULL; a = a->next, b = b->next) {
		assert_true(a != NULL && b != NULL);
		assert_int_equal(a->data_len, b->data_len);
		sum += a->data_len;
		if (a->next == NULL)
			assert_true(sum >= 60);
	}
}

/* Basic layout: nothing that has been taken or skipped reads as new when its turn comes again. */
static void
nothing_is_new(const struct mlx5hws_rxq *rxq)
{
	assert_true((int32_t)(produced - rxq->cq.ci) >= 0);
	for (uint32_t index = produced; index != rxq->cq.ci + RING; index++) {
		uint8_t op_own = rxq->cq.ring[(index & (RING - 1)) * HCA_CQE_BYTES + HCA_CQE_OP_OWN];

		assert_true(op_own >> 4 == HCA_CQE_INVALID || (op_own & 1) != (index >> LOG_RING & 1));
	}
}

static void
compare(eth_rx_burst_t reference, eth_rx_burst_t burst, uint32_t flags, uint8_t format)
{
	struct rte_mbuf *pkts[2][RING];
	struct twin twins[2] = { { .burst = reference }, { .burst = burst } };
	bool real_time = upto(2) != 0;
	uint64_t packets = 0;
	uint32_t longest = 0; /* row of sessions, in slots */

	produced = 0;
	has_title = false;
	apart = upto(RING);
	open_twin(&twins[0], "reference", flags, format, real_time);
	open_twin(&twins[1], "other", flags, format, real_time);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		uint16_t ask = (uint16_t)(1 + upto(RING)), nb[2];

		if (round % 16 == 0)
			sessions_in = upto(3);
		produce(twins, flags, format);
		for (int t = 0; t < 2; t++) {
			nb[t] = twins[t].burst(twins[t].rxq, pkts[t], ask);
			if (!enhanced)
				nothing_is_new(twins[t].rxq);
		}
		longest = RTE_MAX(longest, twins[1].rxq->session.invalid);
		assert_int_equal(nb[0], nb[1]);
		assert_int_equal(twins[0].rxq->cq.ci, twins[1].rxq->cq.ci);
		for (uint16_t i = 0; i < nb[0]; i++)
			same_packet(pkts[0][i], pkts[1][i]);
		packets += nb[0];
		for (int t = 0; t < 2; t++)
			rte_pktmbuf_free_bulk(pkts[t], nb[t]);
	}
	assert_true(packets > ROUNDS);
	assert_true(!(flags & RX_COMPRESSED) || enhanced || longest > 2 * RING);
	for (int t = 0; t < 2; t++) {
		assert_int_equal(mlx5hws_counted(&twins[t].rxq->packets), packets);
		close_twin(&twins[t]);
	}
}

static eth_rx_burst_t
scalar_of(uint32_t flags)
{
	for (uint32_t i = 0; i < mlx5hws_rx_path_base.nb_bursts; i++)
		if (mlx5hws_rx_path_base.bursts[i].flags == flags)
			return mlx5hws_rx_path_base.bursts[i].burst;
	fail_msg("no scalar burst for 0x%x", flags);
	return NULL;
}

static void
bursts_agree(void **state)
{
	RTE_SET_USED(state);
	for (unsigned int p = 0; p < RTE_DIM(paths); p++) {
		if (!mlx5hws_rx_path_runs(paths[p])) {
			printf("%s: not on this processor\n", paths[p]->name);
			continue;
		}
		for (uint32_t i = 0; i < paths[p]->nb_bursts; i++) {
			const struct mlx5hws_rx_burst *row = &paths[p]->bursts[i];

			for (log_sges = 0; log_sges < (row->flags & RX_SCATTER ? 3 : 1); log_sges++)
				for (unsigned int f = 0; f < (row->flags & RX_COMPRESSED ? 2 * RTE_DIM(formats) : 1); f++) {
					enhanced = f >= RTE_DIM(formats);
					compare(scalar_of(row->flags), row->burst, row->flags, formats[f % RTE_DIM(formats)]);
				}
			enhanced = false;
		}
	}
}

/* A pool that is empty for a while costs no packet that is in the ring, and none twice. */
static void
pool_runs_dry(void **state)
{
	struct rte_mbuf *pkts[RING], *kept[POOL];

	RTE_SET_USED(state);
	for (unsigned int p = 0; p < RTE_DIM(paths); p++) {
		struct twin twins[2] = { { .burst = paths[p]->bursts[1].burst }, { .burst = paths[p]->bursts[1].burst } };
		uint32_t held;

		if (!mlx5hws_rx_path_runs(paths[p]))
			continue;
		log_sges = 0;
		apart = 0;
		produced = 0;
		open_twin(&twins[0], "dry", 0, 0, false);
		open_twin(&twins[1], "other", 0, 0, false);
		held = rte_mempool_avail_count(twins[0].pool) - 5;
		assert_int_equal(rte_mempool_get_bulk(twins[0].pool, (void **)kept, held), 0);
		for (uint32_t i = 0; i < RING; i++) {
			uint8_t cqe[HCA_CQE_BYTES];

			some_cqe(cqe);
			write_slot(twins, produced++, cqe);
		}
		assert_int_equal(twins[0].burst(twins[0].rxq, pkts, RING), RING);
		assert_int_equal(twins[0].burst(twins[0].rxq, pkts, RING), 0);
		assert_true(mlx5hws_counted(&twins[0].rxq->no_mbuf) != 0);
		assert_int_equal(twins[0].rxq->posted, RING + 5);
		rte_mempool_put_bulk(twins[0].pool, (void **)kept, held);
		assert_int_equal(twins[0].burst(twins[0].rxq, kept, RING), 0);
		while (twins[0].rxq->posted != 2 * RING)
			twins[0].burst(twins[0].rxq, kept, RING);
		rte_pktmbuf_free_bulk(pkts, RING);
		for (int t = 0; t < 2; t++)
			close_twin(&twins[t]);
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(bursts_agree), cmocka_unit_test(pool_runs_dry) };
	char prefix[32];
	char *eal[] = { argv[0], "--no-huge", "-m", "64", "--no-pci", "--no-telemetry", "--log-level=error", "--no-shconf",
		"--file-prefix", prefix };
	static const struct rte_mbuf_dynfield field = { "test_meta", sizeof(uint32_t), sizeof(uint32_t), 0 };
	static const struct rte_mbuf_dynflag flag = { "test_meta", 0 };
	unsigned int seed = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 0) : 1;

	snprintf(prefix, sizeof(prefix), "test-rx-%d", (int)getpid());
	if (rte_eal_init(RTE_DIM(eal), eal) < 0)
		return 1;
	meta_offset = rte_mbuf_dynfield_register(&field);
	meta_flag = 1ull << rte_mbuf_dynflag_register(&flag);
	if (rte_mbuf_dyn_rx_timestamp_register(&stamp_offset, &stamp_flag) != 0)
		return 1;
	printf("seed %u\n", seed);
	srand(seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * CQE compression: packets whose completions say the same in most fields wait in a session, and are
 * written together.
 *
 *	basic     a title with the common fields and their number, arrays of eight mini entries
 *	          1, 8, 16, ... slots behind it, holes that keep what they hold
 *	enhanced  the first packet as an ordinary entry, then blocks of up to seven mini entries that
 *	          say how many they are
 *
 * A session of n packets takes n entries of the CQ, never runs over the ring's end, and is closed by a
 * packet that differs, by another kind of completion, at SC_SESSION_MAX, and when it has waited for the
 * setting cqe_comp_us (0: with the round).
 */
#include <stdlib.h>
#include <string.h>

#include "prm/cqe.h"
#include "softcx/core/engine.h"
#include "softcx/core/settings.h"
#include "softcx/nic/internal.h"
#include "util/order.h"

#define MINI       PRM_MINI_CQE_BYTES
#define ARRAY      PRM_MINI_CQES_PER_SLOT
#define BLOCK      PRM_MINI_CQES_PER_ENHANCED_SLOT
#define COMPRESSED (PRM_CQE_FORMAT_COMPRESSED << 2) /* in op_own */

struct sc_session {
	uint32_t n;                /* packets that wait */
	uint16_t counter;          /* wqe_counter that the next one must have */
	struct sc_cqe title;       /* of the first */
	uint8_t key[PRM_CQE_BYTES]; /* what all have in common */
	uint8_t mini[SC_SESSION_MAX * MINI];
	uint64_t since_ns;
	struct sc_bus_count *bus;  /* of the queue whose packets they are */
	struct sc_cq *cq;
	struct sc_session *next;   /* in nic->sessions while n is not 0 */
};

int
sc_session_create(struct sc_cq *cq)
{
	cq->session = calloc(1, sizeof(*cq->session));
	if (cq->session == NULL)
		return -1;
	cq->session->cq = cq;
	return 0;
}

uint32_t
sc_session_packets(const struct sc_cq *cq)
{
	return cq->session->n;
}

/* ---- what is common, what is each packet's own ---- */

/* The fields that an entry carries, or that its format gives up, read as zero. */
static void
make_key(const struct sc_cq *cq, const uint8_t *cqe, uint8_t *key)
{
	memcpy(key, cqe, PRM_CQE_BYTES);
	prm_set(key, PRM_CQE_RX_HASH_RESULT, 0);
	prm_set(key, PRM_CQE_CHECK_SUM, 0);
	prm_set(key, PRM_CQE_BYTE_CNT, 0);
	prm_set64(key, PRM_CQE_TIMESTAMP, 0);
	prm_set(key, PRM_CQE_WQE_COUNTER, 0);
	if (cq->mini_format != PRM_MINI_CQE_FORMAT_HASH)
		prm_set(key, PRM_CQE_RX_HASH_TYPE, 0);
	if (cq->mini_format == PRM_MINI_CQE_FORMAT_FTAG_STRIDX)
		prm_set(key, PRM_CQE_FLOW_TAG, 0);
	if (cq->mini_format == PRM_MINI_CQE_FORMAT_L34H_STRIDX)
		key[PRM_CQE_L4_L3_HDR_AT] &= PRM_CQE_CV_BIT; /* whether a tag was stripped stays common, as its TCI */
}

static void
make_mini(const struct sc_cq *cq, const uint8_t *cqe, uint8_t *mini)
{
	uint32_t bytes = prm_get(cqe, PRM_CQE_BYTE_CNT), stride = prm_get(cqe, PRM_CQE_WQE_COUNTER);

	memset(mini, 0, MINI);
	prm_set(mini, PRM_MINI_CQE_BYTE_CNT, bytes);
	switch (cq->mini_format) {
	case PRM_MINI_CQE_FORMAT_HASH:
		prm_set(mini, PRM_MINI_CQE_RX_HASH_RESULT, prm_get(cqe, PRM_CQE_RX_HASH_RESULT));
		return;
	case PRM_MINI_CQE_FORMAT_CSUM:
		prm_set(mini, PRM_MINI_CQE_CHECKSUM, prm_get(cqe, PRM_CQE_CHECK_SUM));
		return;
	case PRM_MINI_CQE_FORMAT_FTAG_STRIDX:
		prm_set(mini, PRM_MINI_CQE_FTAG_LOW, prm_get(cqe, PRM_CQE_FLOW_TAG) & 0xffff);
		prm_set(mini, PRM_MINI_CQE_FTAG_HIGH, prm_get(cqe, PRM_CQE_FLOW_TAG) >> 16);
		break;
	case PRM_MINI_CQE_FORMAT_CSUM_STRIDX:
		prm_set(mini, PRM_MINI_CQE_CHECKSUM, prm_get(cqe, PRM_CQE_CHECK_SUM));
		break;
	case PRM_MINI_CQE_FORMAT_L34H_STRIDX:
		prm_set(mini, PRM_MINI_CQE_L4_L3_HDR_TYPE, prm_get(cqe, PRM_CQE_L4_L3_HDR_TYPE));
		break;
	}
	prm_set(mini, PRM_MINI_CQE_STRIDE_INDEX, stride);
}

/* ---- writing ---- */

/*
 * count entries from first on; what is left of room repeats the last, so that a reader of whole groups
 * sees its like.
 */
static void
fill(const struct sc_session *s, uint32_t first, uint32_t count, uint32_t room, uint8_t *to)
{
	for (uint32_t i = 0; i < room; i++)
		memcpy(to + i * MINI, s->mini + (first + (i < count ? i : count - 1)) * MINI, MINI);
}

static uint32_t
at_most(uint32_t n, uint32_t max)
{
	return n < max ? n : max;
}

/*
 * Arrays before the title. Their last byte lies where drivers that look ahead read an owner: it is a store
 * of its own, as those are.
 */
static void
write_basic(struct sc_session *s)
{
	struct sc_cq *cq = s->cq;

	for (uint32_t first = 0; first < s->n; first += ARRAY) {
		uint8_t *slot = sc_cq_slot(cq, first == 0 ? 1 : first), array[PRM_CQE_BYTES];

		fill(s, first, at_most(s->n - first, ARRAY), ARRAY, array);
		memcpy(slot, array, PRM_CQE_OP_OWN_AT);
		order_store_release8(slot + PRM_CQE_OP_OWN_AT, array[PRM_CQE_OP_OWN_AT]);
		sc_account_write(&cq->obj.dev->account, SC_BUS_CQE, slot, PRM_CQE_BYTES);
	}
	prm_set(s->title.bytes, PRM_CQE_BYTE_CNT, s->n);
	s->title.bytes[PRM_CQE_OP_OWN_AT] |= COMPRESSED;
	sc_cq_store(cq, 0, s->title.bytes);
}

/* The driver reads in order, so the order of writing does not matter. */
static void
write_enhanced(struct sc_session *s)
{
	sc_cq_store(s->cq, 0, s->title.bytes);
	for (uint32_t first = 1; first < s->n; first += BLOCK) {
		uint32_t count = at_most(s->n - first, BLOCK);
		uint8_t block[PRM_CQE_BYTES] = { 0 };

		fill(s, first, count, BLOCK, block);
		block[PRM_CQE_OP_OWN_AT] = (uint8_t)((count - 1) << 4 | COMPRESSED);
		sc_cq_store(s->cq, first, block);
	}
}

/* ---- life of a session ---- */

static void
begin(struct sc_session *s, const struct sc_cqe *cqe, const uint8_t *key)
{
	struct sc_nic *nic = s->cq->obj.dev->nic;

	s->title = *cqe;
	memcpy(s->key, key, PRM_CQE_BYTES);
	s->since_ns = nic->now_ns;
	s->bus = s->cq->obj.dev->account.queue;
	s->next = nic->sessions;
	nic->sessions = s;
}

static void
unlist(struct sc_session *s)
{
	struct sc_session **at = &s->cq->obj.dev->nic->sessions;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
}

/* Its packets are told to nobody. */
static void
drop(struct sc_session *s)
{
	unlist(s);
	s->n = 0;
}

void
sc_session_close(struct sc_cq *cq)
{
	struct sc_account *account = &cq->obj.dev->account;
	struct sc_bus_count *queue = account->queue;
	struct sc_session *s = cq->session;
	uint32_t n = s->n;

	if (n == 0)
		return;
	if (cq->obj.dev->dead) { /* its driver may have taken back its memory without a command */
		drop(s);
		return;
	}
	account->queue = s->bus;
	if (n == 1)
		sc_cq_store(cq, 0, s->title.bytes);
	else if (cq->enhanced)
		write_enhanced(s);
	else
		write_basic(s);
	account->queue = queue;
	drop(s);
	sc_cq_advance(cq, n, false);
}

void
sc_session_free(struct sc_cq *cq)
{
	if (cq->session == NULL)
		return;
	if (cq->session->n != 0)
		unlist(cq->session);
	free(cq->session);
	cq->session = NULL;
}

static bool
continues(const struct sc_session *s, const struct sc_cqe *cqe, const uint8_t *key)
{
	return prm_get(cqe->bytes, PRM_CQE_WQE_COUNTER) == s->counter && memcmp(key, s->key, PRM_CQE_BYTES) == 0;
}

void
sc_session_put(struct sc_cq *cq, const struct sc_cqe *cqe, uint32_t step)
{
	struct sc_session *s = cq->session;
	uint8_t key[PRM_CQE_BYTES];

	make_key(cq, cqe->bytes, key);
	if (s->n != 0 && !continues(s, cqe, key))
		sc_session_close(cq);
	if (s->n == 0)
		begin(s, cqe, key);
	make_mini(cq, cqe->bytes, s->mini + s->n * MINI);
	s->counter = (uint16_t)(prm_get(cqe->bytes, PRM_CQE_WQE_COUNTER) + step);
	s->n++;
	if (s->n == SC_SESSION_MAX || (cq->pi & cq->mask) + s->n == cq->mask + 1)
		sc_session_close(cq);
}

void
sc_sessions_drop(struct sc_device *dev, uint16_t uid)
{
	struct sc_session *next;

	for (struct sc_session *s = dev->nic->sessions; s != NULL; s = next) {
		next = s->next;
		if (s->cq->obj.uid == uid)
			drop(s);
	}
}

void
sc_sessions_drop_all(struct sc_device *dev)
{
	while (dev->nic->sessions != NULL)
		drop(dev->nic->sessions);
}

void
sc_sessions_expire(struct sc_device *dev)
{
	uint64_t wait_ns = (uint64_t)dev->settings->cqe_comp_us * 1000, now = dev->nic->now_ns;
	struct sc_session *next;

	for (struct sc_session *s = dev->nic->sessions; s != NULL; s = next) {
		next = s->next;
		if (wait_ns == 0 || now >= s->since_ns + wait_ns)
			sc_session_close(s->cq);
	}
}

/* SPDX-License-Identifier: BSD-3-Clause */

/* The rule path. What a template fixes was computed by pair.c; here images are stored and programs run. */
#include "hws/rule.h"

#include <errno.h>
#include <string.h>

#include "hca/cmd.h"
#include "hws/matcher.h"
#include "hws/program.h"
#include "hws/queue.h"

#define unlikely(x) __builtin_expect(!!(x), 0)

/* Offsets in a WQE. */
enum { AT_CTRL_IMM = 12, AT_GTA_INDEX = PRM_WQE_CTRL_BYTES };

static inline uint32_t
rule_index(const struct mlx5dr_matcher *matcher, const struct mlx5dr_rule *rule)
{
	return (uint32_t)(rule - (const struct mlx5dr_rule *)(const void *)matcher->records);
}

static inline struct mlx5dr_rule *
rule_at(const struct mlx5dr_matcher *matcher, uint32_t index)
{
	return (struct mlx5dr_rule *)(void *)matcher->records + index;
}

static __attribute__((noinline)) struct mlx5dr_rule *
get_after_refill(struct mlx5dr_matcher *matcher, uint32_t which)
{
	uint32_t index = pool_get(&matcher->pool, which);

	if (index == POOL_NONE)
		return NULL;
	matcher_populate(matcher, matcher->pool.caches[which].fresh_end);
	return rule_at(matcher, index);
}

/* pool_get, with the link where it is known to be. */
struct mlx5dr_rule *
mlx5dr_rule_get(struct mlx5dr_matcher *matcher, struct mlx5dr_queue *queue)
{
	struct pool_cache *cache = &matcher->pool.caches[queue->index];
	struct mlx5dr_rule *rule;

	if (unlikely(queue->index >= matcher->pool.nb_caches))
		return NULL;
	if (cache->head != POOL_NONE) {
		rule = rule_at(matcher, cache->head);
		cache->head = rule->counter;
		cache->nb--;
		return rule;
	}
	if (unlikely(cache->fresh == cache->fresh_end))
		return get_after_refill(matcher, queue->index);
	/* Records never used come one behind another, from memory: soon needed ones are on their way. */
	rule = rule_at(matcher, cache->fresh++);
	__builtin_prefetch(rule + 16, 1);
	return rule;
}

void
mlx5dr_rule_put(struct mlx5dr_matcher *matcher, struct mlx5dr_queue *queue, struct mlx5dr_rule *rule)
{
	struct pool_cache *cache = &matcher->pool.caches[queue->index];

	rule->bits = MLX5DR_RULE_FREE;
	rule->counter = cache->head;
	cache->head = rule_index(matcher, rule);
	if (unlikely(++cache->nb >= matcher->pool.bulk))
		pool_settle(&matcher->pool, cache);
}

struct mlx5dr_rule *
mlx5dr_rule_first(const struct mlx5dr_matcher *matcher)
{
	return rule_at(matcher, 0);
}

void
mlx5dr_rule_put_chain(struct mlx5dr_matcher *matcher, struct mlx5dr_queue *queue, uint32_t first,
		      struct mlx5dr_rule *last, uint32_t nb)
{
	struct pool_cache *cache = &matcher->pool.caches[queue->index];

	last->counter = cache->head;
	cache->head = first;
	cache->nb += nb;
	if (cache->nb >= matcher->pool.bulk)
		pool_settle(&matcher->pool, cache);
}

uint32_t
mlx5dr_rule_index(const struct mlx5dr_matcher *matcher, const struct mlx5dr_rule *rule)
{
	return rule_index(matcher, rule);
}

struct mlx5dr_rule *
mlx5dr_rule_next(const struct mlx5dr_matcher *matcher, const struct mlx5dr_rule *after)
{
	struct mlx5dr_rule *records = (struct mlx5dr_rule *)(void *)matcher->records;
	/* Records behind the shared part's mark were never touched; looking at them would only fault their pages in. */
	uint32_t end = matcher_by_index(matcher) ? matcher->nb_records :
		       atomic_load_explicit(&matcher->pool.fresh, memory_order_relaxed);
	uint32_t i = after == NULL ? 0 : rule_index(matcher, after) + 1;

	for (; i < end; i++)
		if (mlx5dr_rule_state(&records[i]) != MLX5DR_RULE_FREE)
			return &records[i];
	return NULL;
}

unsigned int
mlx5dr_pair_part(const struct mlx5dr_pair *pair)
{
	return pair->bits >> MLX5DR_RULE_PART_SHIFT & (MLX5DR_MAX_TEMPLATES - 1);
}

bool
mlx5dr_pair_is_jumbo(const struct mlx5dr_pair *pair)
{
	return pair->jumbo;
}

static inline __attribute__((always_inline)) int
accepted(struct mlx5dr_queue *queue, struct mlx5dr_rule *rule, uint16_t bits, uint32_t flags)
{
	rule->bits = bits;
	queue->pending++;
	return (flags & MLX5DR_POSTPONE) != 0 ? 0 : queue_ring(queue);
}

/* A failed queue still ends rules, without the device. */
static int
destroy_without_device(struct mlx5dr_queue *queue, struct mlx5dr_rule *rule)
{
	if (queue->pending >= queue->size)
		return -EAGAIN;
	queue_enter(queue, rule, 0, queue->done - QUEUE_WQE_BBS);
	queue->pending++;
	rule->bits += MLX5DR_RULE_DELETING - MLX5DR_RULE_CREATED;
	return 0;
}

/* 1: the deletion may be posted now; 0: it is done without the device; -errno as of mlx5dr_rule_destroy. */
static __attribute__((noinline)) int
make_destroyable(struct mlx5dr_queue *queue, struct mlx5dr_rule *rule)
{
	enum mlx5dr_rule_state state = mlx5dr_rule_state(rule);
	int ret;

	if (state != MLX5DR_RULE_CREATED)
		return state == MLX5DR_RULE_CREATING || state == MLX5DR_RULE_DELETING ? -EBUSY : -EINVAL;
	/* Of a moved rule there are two to write. */
	if (queue->pending < queue->limit && queue_has_room(queue, 2 * QUEUE_WQE_BBS))
		return 1;
	ret = queue_make_room(queue, 2 * QUEUE_WQE_BBS);
	if (ret == -EIO)
		return destroy_without_device(queue, rule);
	return ret < 0 ? ret : 1;
}

/* ---- of matchers by index, updates, resizes --------------------------------------------------------------------- */

static inline unsigned int
place_of(uint32_t bits)
{
	return bits >> MLX5DR_RULE_WHERE_SHIFT & (2 * MLX5DR_MAX_TEMPLATES - 1);
}

/* A rule keeps its mark when the resize is over; then it says nothing, as it does of rules that the next resize has not met. */
static inline bool
in_both_tables(const struct mlx5dr_matcher *matcher, uint32_t bits)
{
	return (bits & MLX5DR_RULE_MOVED) != 0 && matcher->resizing &&
	       (bits >> MLX5DR_RULE_PART_SHIFT & MATCHER_RESIZABLE_PARTS) == matcher->first_part;
}

/* What an update reads as items: pointers that are NULL, so that a value from items is refused. */
static uint8_t no_items[UINT16_MAX + 1 + sizeof(void *)] __attribute__((aligned(64)));

/* 0: the update may be posted. */
static __attribute__((noinline)) int
make_updatable(struct mlx5dr_queue *queue, const struct mlx5dr_pair *pair, const struct mlx5dr_rule *rule)
{
	enum mlx5dr_rule_state state = mlx5dr_rule_state(rule);

	if (state != MLX5DR_RULE_CREATED)
		return state == MLX5DR_RULE_CREATING || state == MLX5DR_RULE_DELETING ? -EBUSY : -EINVAL;
	if (pair->matcher->resizable || (pair->nb_steps != 0 && !pair->matcher->updatable))
		return -ENOTSUP;
	if (((rule->bits ^ pair->bits) >> MLX5DR_RULE_PART_SHIFT & (MLX5DR_MAX_TEMPLATES - 1)) != 0)
		return -EINVAL;
	return queue->pending < queue->limit && queue_has_room(queue, pair->nb_bbs) ? 0 :
	       queue_make_room(queue, pair->nb_bbs);
}

static void
keep_image(const struct mlx5dr_pair *pair, uint32_t index, const uint8_t *wqe)
{
	uint8_t *image = pair->matcher->images + (size_t)index * PRM_WQE_GTA_BYTES;

	memcpy(image, wqe, PRM_WQE_GTA_BYTES);
	memcpy(image, &pair->resources, sizeof(pair->resources));
}

int
mlx5dr_rule_move(struct mlx5dr_queue *queue, struct mlx5dr_matcher *matcher, struct mlx5dr_rule *rule, uint32_t flags)
{
	enum mlx5dr_rule_state state = mlx5dr_rule_state(rule);
	uint32_t bits = rule->bits, pi;
	const struct matcher_part *part;
	uint8_t *wqe;
	int ret;

	if (!matcher->resizing)
		return -EINVAL;
	if (state != MLX5DR_RULE_CREATED)
		return state == MLX5DR_RULE_CREATING || state == MLX5DR_RULE_DELETING ? -EBUSY : -EINVAL;
	if ((bits >> MLX5DR_RULE_PART_SHIFT & MATCHER_RESIZABLE_PARTS) == matcher->first_part) {
		ret = mlx5dr_queue_complete(queue, rule, 0, 0);
		if (ret == 0)
			rule->bits |= MLX5DR_RULE_CHANGED;
		return ret;
	}
	if (queue->pending >= queue->limit || !queue_has_room(queue, QUEUE_WQE_BBS)) {
		ret = queue_make_room(queue, QUEUE_WQE_BBS);
		if (ret < 0)
			return ret;
	}
	/* What the rule's creation wrote, to the other table. The old one keeps it until the resize is completed. */
	bits &= ~(7u | MLX5DR_RULE_OLD_COLLISION);
	if ((bits & MLX5DR_RULE_COLLISION) != 0)
		bits = (bits & ~MLX5DR_RULE_COLLISION) | MLX5DR_RULE_OLD_COLLISION;
	bits ^= MATCHER_RESIZABLE_PARTS << MLX5DR_RULE_PART_SHIFT;
	part = &matcher->parts[bits >> MLX5DR_RULE_PART_SHIFT & (MLX5DR_MAX_TEMPLATES - 1)];
	pi = queue->pi;
	wqe = queue_wqe(queue, pi);
	memcpy(wqe, matcher->images + (size_t)rule_index(matcher, rule) * PRM_WQE_GTA_BYTES, PRM_WQE_GTA_BYTES);
	queue_wqe_head(queue, wqe, pi, PRM_WQE_GTA_OPMOD_STE);
	wqe[QUEUE_FLAGS_BYTE] = 0;
	prm_store32(wqe + AT_CTRL_IMM, part->nodes[0].rtc->id);
	queue_enter(queue, rule, part->nodes[1].rtc != NULL ? part->nodes[1].rtc->id : 0, pi);
	queue->pi = pi + QUEUE_WQE_BBS;
	return accepted(queue, rule, bits | MLX5DR_RULE_CREATING | MLX5DR_RULE_CHANGED | MLX5DR_RULE_MOVED, flags);
}

/* What a match STE says by its rule's index: link, argument. */
static inline void
put_indexes(const struct mlx5dr_pair *pair, uint32_t index, uint8_t *wqe)
{
	for (unsigned int i = 0; i < pair->nb_index; i++)
		program_put_index(&pair->index[i], index, wqe);
}

/* What is not done in line: bits that are shifted or chosen, values that are composed. 0 or -errno as rule.h says. */
static __attribute__((noinline)) int
run_ops(const struct mlx5dr_pair *pair, const struct mlx5dr_queue *queue, struct mlx5dr_rule *rule, uint8_t *wqe)
{
	const struct program_rule which = { rule, rule_index(pair->matcher, rule), queue->index };
	int ret = program_run_tag_ops(pair->tag_ops, pair->nb_tag_ops, queue->base, wqe + PRM_WQE_GTA_DATA,
				      (uint8_t *)rule);

	return ret < 0 ? ret : program_run_actions(pair->action_ops, pair->nb_action_ops, queue->base, &which, wqe);
}

/* ---- the path, per instruction set ----------------------------------------------------------------------------- */

#define PATH(name) name##_128
#define PATH_BLOCK 16
#include "hws/rule_path.h"
#undef PATH
#undef PATH_BLOCK

struct mlx5dr_path mlx5dr_path = { create_128, destroy_128, update_128, "128 bit" };

#if defined(__x86_64__)
#pragma GCC push_options
#pragma GCC target("avx2")
#define PATH(name) name##_avx2
#define PATH_BLOCK 32
#include "hws/rule_path.h"
#undef PATH
#undef PATH_BLOCK
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("avx2,avx512f,avx512vl,prefer-vector-width=512")
#define PATH(name) name##_avx512
#define PATH_BLOCK 64
#include "hws/rule_path.h"
#undef PATH
#undef PATH_BLOCK
#pragma GCC pop_options

/* Before anybody can create a rule, so that the choice needs no further care. */
static __attribute__((constructor)) void
choose_path(void)
{
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
		mlx5dr_path = (struct mlx5dr_path){ create_avx512, destroy_avx512, update_avx512, "AVX-512" };
	else if (__builtin_cpu_supports("avx2"))
		mlx5dr_path = (struct mlx5dr_path){ create_avx2, destroy_avx2, update_avx2, "AVX2" };
}
#endif

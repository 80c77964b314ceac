/* SPDX-License-Identifier: BSD-3-Clause */

/* The rule path. What a template fixes was computed by pair.c; here images are stored and programs run. */
#include "hws/rule.h"

#include <errno.h>
#include <string.h>

#include "hws/matcher.h"
#include "hws/program.h"
#include "hws/queue.h"

#define unlikely(x) __builtin_expect(!!(x), 0)

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
	return rule_at(matcher, cache->fresh++);
}

void
mlx5dr_rule_put(struct mlx5dr_matcher *matcher, struct mlx5dr_queue *queue, struct mlx5dr_rule *rule)
{
	struct pool_cache *cache = &matcher->pool.caches[queue->index];

	rule->bits = MLX5DR_RULE_FREE;
	rule->counter = cache->head;
	cache->head = rule_index(matcher, rule);
	if (unlikely(++cache->nb >= 2 * matcher->pool.bulk))
		pool_spill(&matcher->pool, cache);
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
	while (unlikely(cache->nb >= 2 * matcher->pool.bulk))
		pool_spill(&matcher->pool, cache);
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
	uint32_t end = atomic_load_explicit(&matcher->pool.fresh, memory_order_relaxed);
	uint32_t i = after == NULL ? 0 : rule_index(matcher, after) + 1;

	for (; i < end; i++)
		if (mlx5dr_rule_state(&records[i]) != MLX5DR_RULE_FREE)
			return &records[i];
	return NULL;
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
	ret = queue_make_room(queue, QUEUE_WQE_BBS);
	if (ret == -EIO)
		return destroy_without_device(queue, rule);
	return ret < 0 ? ret : 1;
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

struct mlx5dr_path mlx5dr_path = { create_128, destroy_128, "128 bit" };

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
		mlx5dr_path = (struct mlx5dr_path){ create_avx512, destroy_avx512, "AVX-512" };
	else if (__builtin_cpu_supports("avx2"))
		mlx5dr_path = (struct mlx5dr_path){ create_avx2, destroy_avx2, "AVX2" };
}
#endif

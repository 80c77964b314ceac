/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Where the mempool of these programs keeps free buffers: a stack under a lock, compiled here. DPDK's own rings are in libraries
 * without instrumentation, so ThreadSanitizer would not see that a buffer goes in order from one thread to another.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include <rte_mempool.h>

#include "prove.h"

struct stack {
	pthread_mutex_t lock;
	unsigned int nb;
	void *objects[];
};

static int
stack_alloc(struct rte_mempool *pool)
{
	struct stack *stack = malloc(sizeof(*stack) + pool->size * sizeof(stack->objects[0]));

	if (stack == NULL)
		return -ENOMEM;
	pthread_mutex_init(&stack->lock, NULL);
	stack->nb = 0;
	pool->pool_data = stack;
	return 0;
}

static void
stack_free(struct rte_mempool *pool)
{
	struct stack *stack = pool->pool_data;

	pthread_mutex_destroy(&stack->lock);
	free(stack);
}

static int
stack_put(struct rte_mempool *pool, void *const *objects, unsigned int n)
{
	struct stack *stack = pool->pool_data;

	pthread_mutex_lock(&stack->lock);
	for (unsigned int i = 0; i < n; i++)
		stack->objects[stack->nb++] = objects[i];
	pthread_mutex_unlock(&stack->lock);
	return 0;
}

static int
stack_get(struct rte_mempool *pool, void **objects, unsigned int n)
{
	struct stack *stack = pool->pool_data;
	int rc = 0;

	pthread_mutex_lock(&stack->lock);
	if (stack->nb < n)
		rc = -ENOBUFS;
	for (unsigned int i = 0; rc == 0 && i < n; i++)
		objects[i] = stack->objects[--stack->nb];
	pthread_mutex_unlock(&stack->lock);
	return rc;
}

static unsigned int
stack_count(const struct rte_mempool *pool)
{
	struct stack *stack = pool->pool_data;
	unsigned int nb;

	pthread_mutex_lock(&stack->lock);
	nb = stack->nb;
	pthread_mutex_unlock(&stack->lock);
	return nb;
}

static const struct rte_mempool_ops prove_stack = {
	.name = "prove_stack", .alloc = stack_alloc, .free = stack_free, .enqueue = stack_put, .dequeue = stack_get,
	.get_count = stack_count,
};

/* Registered when asked for: an archive's member must be wanted by somebody. */
const char *
prove_pool_ops(void)
{
	static int registered = -1;

	if (registered < 0)
		registered = rte_mempool_register_ops(&prove_stack);
	return registered < 0 ? NULL : prove_stack.name;
}

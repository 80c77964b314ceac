/* SPDX-License-Identifier: BSD-3-Clause */

/* What all objects of a context share. */
#ifndef MLX5DR_CONTEXT_H
#define MLX5DR_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "hca/cq_event.h"
#include "hws/definer_cache.h"
#include "hws/mlx5dr.h"
#include "hws/pattern.h"
#include "hws/queue.h"
#include "hws/stc.h"

struct hca_device;

struct mlx5dr_context {
	struct hca_device *dev;
	pthread_mutex_t lock;     /* all of the control side */
	pthread_mutex_t own_lock; /* the engine's own queue; taken after lock where both are */
	atomic_bool failed;
	struct hca_cq_events errors; /* of the CQs of all queues, whose overrun no completion tells; cookie: the queue */
	struct stc_range stc[MLX5DR_NB_TABLE_TYPES];
	/* Fillers of empty slots and the hit of an STE without fate; the same elements in both directions. */
	struct definer_cache definers;
	struct pattern_cache patterns;
	struct mlx5dr_table *tables;
	unsigned int nb_objects;  /* tables, templates, actions, counter pools that still exist */
	uint16_t nb_queues;       /* the caller's */
	struct mlx5dr_queue *own;
	struct mlx5dr_queue **queues; /* nb_queues */
};

/* Every direction's range begins with these elements, in this order. */
enum { STC_NOP_COUNTER, STC_NOP_DW5, STC_NOP_DW6, STC_NOP_DW7, STC_DEFAULT_HIT, STC_NB_FIXED };

/* vsnprintf into error (NULL allowed) and return ret. */
int context_error(struct mlx5dr_error *error, int index, int ret, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The same, with what the device said about the command that just failed on this thread. */
int context_command_error(struct mlx5dr_error *error, int ret, const char *what);

#endif

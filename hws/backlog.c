/* SPDX-License-Identifier: BSD-3-Clause */

#include "hws/backlog.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "hws/queue.h"

static size_t
backlog_bytes(const struct mlx5dr_queue *queue)
{
	return ((size_t)queue->backlog_mask + 1) * PRM_WQEBB_BYTES;
}

int
backlog_open(struct mlx5dr_queue *queue, uint32_t nb_wqebbs)
{
	uint32_t in_ring = (uint32_t)queue->sq.mask + 1;

	if (nb_wqebbs < in_ring)
		nb_wqebbs = in_ring;
	queue->backlog_mask = nb_wqebbs - 1;
	queue->backlog = mmap(NULL, backlog_bytes(queue), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (queue->backlog != MAP_FAILED)
		return 0;
	queue->backlog = NULL;
	return -ENOMEM;
}

void
backlog_close(struct mlx5dr_queue *queue)
{
	if (queue->backlog != NULL)
		munmap(queue->backlog, backlog_bytes(queue));
}

static void
work_in(struct mlx5dr_queue *queue, uint8_t *ring, uint32_t mask)
{
	queue->ring = ring;
	queue->ring_mask = mask;
	queue->room = mask + 1;
	queue->behind = ring == queue->backlog;
	queue_limit(queue);
}

void
backlog_begin(struct mlx5dr_queue *queue)
{
	queue->posted = queue->pi;
	work_in(queue, queue->backlog, queue->backlog_mask);
}

void
backlog_end(struct mlx5dr_queue *queue)
{
	work_in(queue, queue->sq.ring, queue->sq.mask);
}

void
backlog_drain(struct mlx5dr_queue *queue)
{
	uint32_t ring = (uint32_t)queue->sq.mask + 1, end = queue->done + ring; /* of what fits */
	uint8_t *last = NULL;

	/* Each piece has a doorbell and a completion: as long as some are under way, pieces of less than a quarter can wait. */
	if ((int32_t)(queue->rung - end) > 0 && queue->posted != queue->done && end - queue->posted < ring / 4)
		return;
	if ((int32_t)(queue->rung - end) < 0)
		end = queue->rung;
	for (; (int32_t)(end - queue->posted) > 0; queue->posted += QUEUE_WQE_BBS) {
		last = hca_sq_wqebb(&queue->sq, (uint16_t)queue->posted);
		memcpy(last, queue_wqe(queue, queue->posted), PRM_WQE_GTA_BYTES);
	}
	if (last != NULL) {
		/* The rest waits for it. A completion has its slot back before its WQE's place is used: the CQ has room for all. */
		last[QUEUE_FLAGS_BYTE] |= PRM_WQE_FM_CE_SE_SIGNAL;
		hca_cq_ack(&queue->cq);
		queue->sq.pi = (uint16_t)queue->posted;
		hca_sq_doorbell(&queue->sq, last);
	}
	/* Those that wait for writes before them were accepted with the backlog's room. */
	if (queue->posted == queue->pi && queue->nb_dependent == 0)
		backlog_end(queue);
}

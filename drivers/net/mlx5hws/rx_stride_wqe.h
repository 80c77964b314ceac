/* SPDX-License-Identifier: BSD-3-Clause */

/* A striding WQE: 16 bytes that only linked queues use, then one data segment over the whole buffer. nic.md 2.7. */
#ifndef MLX5HWS_RX_STRIDE_WQE_H
#define MLX5HWS_RX_STRIDE_WQE_H

#include <string.h>

#include "hca/rq.h"
#include "prm/wqe.h"
#include "rx_stride_pool.h"

static inline void
rx_stride_write_wqe(const struct hca_rq *rq, uint32_t index, const struct mlx5hws_stride_buffer *buffer)
{
	uint8_t *segment = hca_rq_wqe(rq, index) + HCA_STRIDING_WQE_DATA;

	prm_set(segment, PRM_WQE_DATA_BYTE_COUNT, buffer->pool->bytes);
	memcpy(segment + 4, &buffer->pool->lkey_be, sizeof(buffer->pool->lkey_be));
	prm_set64(segment, PRM_WQE_DATA_ADDR, (uintptr_t)mlx5hws_stride_data(buffer));
}

#endif

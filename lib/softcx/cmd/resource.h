/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The plain resources, as other rooms see them, and the calls by which the verbs front makes those that the
 * kernel makes without a DevX command. All engine owned (inside sc_engine_call). 0 or -errno; destroy gives
 * -EBUSY while referenced.
 */
#ifndef SOFTCX_RESOURCE_H
#define SOFTCX_RESOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "softcx/core/dma.h"
#include "softcx/core/object.h"

struct sc_pd { struct sc_object obj; };
struct sc_td { struct sc_object obj; };

struct sc_tis {
	struct sc_object obj;
	uint32_t td, pd; /* pd 0: none given */
	uint8_t prio;
};

/* 32-bit counters as QUERY_Q_COUNTER gives them; nic/ counts. */
struct sc_q_counter {
	struct sc_object obj;
	uint32_t rx_write_requests, out_of_buffer, resp_local_length_error, resp_cqe_error, req_cqe_error,
		cq_overflow, resp_cqe_flush_error, req_cqe_flush_error;
};

int sc_pd_create(struct sc_device *dev, uint16_t uid, struct sc_pd **pd);
int sc_pd_destroy(struct sc_pd *pd);

/* addr and len as the program gave them. access: IBV_ACCESS_* bits. */
int sc_umem_create(struct sc_device *dev, uint16_t uid, void *addr, uint64_t len, uint32_t access,
		   struct sc_umem **umem);
int sc_umem_destroy(struct sc_umem *umem);

/* ibv_reg_mr_iova2: iova .. iova + len - 1 lies at base. */
int sc_mkey_create(struct sc_device *dev, uint16_t uid, uint32_t pd, void *base, uint64_t iova, uint64_t len,
		   uint32_t access, struct sc_mkey **mkey);
int sc_mkey_destroy(struct sc_mkey *mkey);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Completion, send and receive queues and what they lean on (transport domain, TIS, queue counter). Rings
 * and doorbell records are given as places in umems. Field names are the PRM's. nic.md 1.6 to 1.9, 1.13,
 * 1.14.
 */
#ifndef HCA_CMD_QUEUE_H
#define HCA_CMD_QUEUE_H

#include <stdbool.h>

#include "hca/cmd.h"

enum hca_wq_state { HCA_WQ_RST = 0, HCA_WQ_RDY = 1, HCA_WQ_ERR = 3 };

/* Where a ring and its doorbell record lie. */
struct hca_ring_place {
	uint32_t umem_id;
	uint64_t offset;
	uint32_t dbr_umem_id;
	uint64_t dbr_offset;
};

struct hca_cqc {
	struct hca_ring_place place;
	uint8_t log_cq_size;
	uint32_t uar_page;
	uint32_t c_eqn;
	bool oi;          /* overrun ignore */
	bool cqe_comp_en, enhanced; /* the layout of what is compressed */
	uint8_t mini_cqe_format; /* PRM_MINI_CQE_FORMAT_... */
};
int hca_cmd_create_cq(struct hca_device *dev, const struct hca_cqc *cqc, struct hca_obj **cq);

struct hca_sqc {
	struct hca_ring_place place;
	uint8_t log_wq_sz; /* 64-byte WQEBBs */
	uint32_t uar_page;
	uint32_t cqn;
	uint32_t tisn;     /* 0 with non_wire */
	uint32_t user_index;
	bool non_wire, allow_multi_pkt_send_wqe, flush_in_error_en;
	uint8_t min_wqe_inline_mode, ts_format;
};
int hca_cmd_create_sq(struct hca_device *dev, const struct hca_sqc *sqc, struct hca_obj **sq);
int hca_cmd_modify_sq(struct hca_obj *sq, enum hca_wq_state from, enum hca_wq_state to);

struct hca_rqc {
	struct hca_ring_place place;
	uint8_t log_wq_sz;     /* WQEs */
	uint8_t log_wq_stride; /* log2 bytes of a WQE: 4 for one data segment */
	uint32_t cqn;
	uint32_t user_index;
	uint8_t counter_set_id;
	bool vsd;              /* VLAN strip disable */
	bool scatter_fcs, flush_in_error_en;
	uint8_t ts_format;
	uint8_t log_strides;      /* of a WQE; 0: the queue is not striding */
	uint8_t log_stride_bytes;
};
int hca_cmd_create_rq(struct hca_device *dev, const struct hca_rqc *rqc, struct hca_obj **rq);
int hca_cmd_modify_rq(struct hca_obj *rq, enum hca_wq_state from, enum hca_wq_state to);
/* RDY to RDY with VLAN stripping changed. */
int hca_cmd_modify_rq_vsd(struct hca_obj *rq, bool vsd);

int hca_cmd_alloc_transport_domain(struct hca_device *dev, struct hca_obj **td);
int hca_cmd_create_tis(struct hca_device *dev, uint32_t td, struct hca_obj **tis);

int hca_cmd_alloc_q_counter(struct hca_device *dev, struct hca_obj **counter);
/* out_of_buffer: packets dropped because an RQ of this set had no WQE. 32 bits, wraps. */
int hca_cmd_query_q_counter(struct hca_obj *counter, bool clear, uint32_t *out_of_buffer);

#endif

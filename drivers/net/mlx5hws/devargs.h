/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Device arguments: a table says of each name whether it is used, accepted without effect, or refused,
 * and why.
 */
#ifndef MLX5HWS_DEVARGS_H
#define MLX5HWS_DEVARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mlx5hws_devargs {
	uint32_t svc_cycle_time_ms; /* counter refresh of the flow engine; 0: its default */
	int service_core;           /* CPU of the thread that reads counters; -1: none is wanted */
	bool reclaim_memory;        /* reclaim_mem_mode 1 or 2 */
	/* Transmit; -1: not given. Bytes that are copied into a descriptor: of each packet, of a SEND's, of a multi-packet one's. */
	int txq_inline_min, txq_inline_max, txq_inline_mpw;
	int txqs_min_inline;        /* transmit queues from which on packets are copied */
	int txq_mpw_en;             /* 0: no multi-packet descriptors */
	int rxq_cqe_comp_en;        /* what compressed completions tell of each packet, see the table; 0: no compression; */
#define MLX5HWS_CQE_ENHANCED 0x80   /* ... or'ed to that: in the enhanced layout */
	int rx_vec_en;              /* 0: receive bursts without vectors; -1: not given */
	/* Striding receive; -1: not given. */
	int mprq_en;                /* 1: receive queues are striding */
	int mprq_log_stride_num, mprq_log_stride_size;
	int mprq_max_memcpy_len;    /* longer packets are attached */
	int rxqs_min_mprq;          /* receive queues from which on they are */
};

/*
 * Names that another owner knows (softcx's settings on the virtual device) are appended to *rest as
 * "key=value,...". known NULL: there is no other owner.
 */
struct mlx5hws_devargs_rest {
	bool (*known)(const char *key);
	char *text;
	size_t size;
};

/* args may be NULL. @return 0; -EINVAL with a log line that names the argument and the reason. */
int mlx5hws_devargs_parse(const char *args, struct mlx5hws_devargs *devargs, struct mlx5hws_devargs_rest *rest);

/* Do the arguments of a PCI function claim it for this driver (pmd=mlx5hws)? */
bool mlx5hws_devargs_claim(const char *args);

/* One line per argument: name, treatment, note. For documents and tests; NULL at the end. */
const char *mlx5hws_devargs_row(unsigned int index, const char **treatment, const char **note);

#endif

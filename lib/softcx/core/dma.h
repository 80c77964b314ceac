/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The device's way to host memory: through umems (queue buffers, doorbell records) and memory keys
 * (everything a WQE names). Every access is checked for key, protection domain, range and right. Accesses
 * through keys are counted in the bus account here (as data); what goes through umems (records, WQEs, CQEs)
 * the caller counts, who knows its kind.
 */
#ifndef SOFTCX_DMA_H
#define SOFTCX_DMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softcx/core/object.h"

#define SC_ACCESS_LOCAL_WRITE 1 /* IBV_ACCESS_LOCAL_WRITE */

struct sc_umem {
	struct sc_object obj;
	uint8_t *base; /* host address */
	uint64_t len;
	uint32_t access; /* IBV_ACCESS_* */
};

struct sc_mkey {
	struct sc_object obj; /* id = lkey >> 8 */
	uint32_t lkey;
	uint32_t pd;
	uint64_t start; /* first address the key covers, as WQEs name it */
	uint64_t len;   /* bytes from start on; UINT64_MAX: all */
	uint8_t *base;  /* host address of start */
	bool local_write;
	bool local_read;
	bool null;      /* reads zeros, drops writes */
	struct sc_umem *umem; /* translation of a key made by command */
	/* indirect keys: entries[i] covers entry_len[i] bytes (or each entry_size) of another key */
	struct sc_klm *klm;
	uint32_t nb_klm;
};

struct sc_klm {
	uint64_t at;    /* bytes from the key's start */
	uint64_t len;
	uint32_t lkey;
	uint64_t va;
};

/* Host address of len bytes at offset inside umem id, or NULL when they are not all inside it. */
void *sc_umem_at(const struct sc_device *dev, uint32_t umem_id, uint64_t offset, uint64_t len);

/*
 * Host address of len bytes at va through lkey, for a queue of protection domain pd; NULL when key, domain,
 * range or right (write) do not allow it: the caller answers with syndrome 0x04 (local protection). A null
 * key gives NULL too; use sc_dma_read and sc_dma_write where one is allowed.
 */
void *sc_dma_at(struct sc_device *dev, uint32_t lkey, uint32_t pd, uint64_t va, uint64_t len, bool write);

/* @return 0, or -EFAULT where sc_dma_at would have given NULL for a key that is not the null key. */
int sc_dma_read(struct sc_device *dev, uint32_t lkey, uint32_t pd, uint64_t va, void *to, uint64_t len);
int sc_dma_write(struct sc_device *dev, uint32_t lkey, uint32_t pd, uint64_t va, const void *from,
	uint64_t len);

#endif

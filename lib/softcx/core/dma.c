/* SPDX-License-Identifier: BSD-3-Clause */

#include "softcx/core/dma.h"

#include <errno.h>
#include <string.h>

#include "softcx/core/device.h"

#define INDIRECTION_MAX 4 /* as max_indirection of the capabilities says */

void *
sc_umem_at(const struct sc_device *dev, uint32_t umem_id, uint64_t offset, uint64_t len)
{
	const struct sc_umem *umem = sc_object_find(dev, SC_UMEM, umem_id);

	if (umem == NULL || offset > umem->len || len > umem->len - offset)
		return NULL;
	return umem->base + offset;
}

/* One stretch of memory behind a key: where it is and how far it goes on. at NULL: the null key. */
struct stretch {
	uint8_t *at;
	uint64_t len;
};

static const struct sc_klm *
find_klm(const struct sc_mkey *key, uint64_t offset)
{
	uint32_t low = 0, high = key->nb_klm, mid;

	while (low + 1 < high) {
		mid = low + (high - low) / 2;
		if (key->klm[mid].at <= offset)
			low = mid;
		else
			high = mid;
	}
	return &key->klm[low];
}

/* @return 0 with at least one byte in s, or -EFAULT. */
static int
resolve(struct sc_device *dev, uint32_t lkey, uint32_t pd, uint64_t va, uint64_t len, bool write,
	struct stretch *s)
{
	const struct sc_mkey *key;
	const struct sc_klm *klm;
	uint64_t offset;
	int depth;

	for (depth = 0; depth <= INDIRECTION_MAX; depth++) {
		key = sc_object_find(dev, SC_MKEY, lkey >> 8);
		if (key == NULL || key->lkey != lkey || key->pd != pd ||
		    !(write ? key->local_write : key->local_read))
			return -EFAULT;
		offset = va - key->start;
		if (va < key->start ||
		    (key->len != UINT64_MAX && (offset > key->len || len > key->len - offset)))
			return -EFAULT;
		if (key->null) {
			*s = (struct stretch){ NULL, len };
			return 0;
		}
		if (key->klm == NULL) {
			*s = (struct stretch){ key->base + offset, len };
			return 0;
		}
		klm = find_klm(key, offset);
		if (len > klm->len - (offset - klm->at))
			len = klm->len - (offset - klm->at);
		va = klm->va + (offset - klm->at);
		lkey = klm->lkey;
	}
	return -EFAULT;
}

/* Is all of va .. va + len - 1 reachable? So that an access that fails half way has moved nothing. */
static int
check(struct sc_device *dev, uint32_t lkey, uint32_t pd, uint64_t va, uint64_t len, bool write)
{
	struct stretch s;

	while (len > 0) {
		if (resolve(dev, lkey, pd, va, len, write, &s) < 0)
			return -EFAULT;
		va += s.len;
		len -= s.len;
	}
	return 0;
}

void *
sc_dma_at(struct sc_device *dev, uint32_t lkey, uint32_t pd, uint64_t va, uint64_t len, bool write)
{
	struct stretch s;

	if (resolve(dev, lkey, pd, va, len, write, &s) < 0 || s.len < len || s.at == NULL)
		return NULL;
	if (write)
		sc_account_write(&dev->account, SC_BUS_DATA_WRITE, s.at, len);
	else
		sc_account_read(&dev->account, SC_BUS_DATA_READ, s.at, len);
	return s.at;
}

int
sc_dma_read(struct sc_device *dev, uint32_t lkey, uint32_t pd, uint64_t va, void *to, uint64_t len)
{
	uint8_t *dst = to;
	struct stretch s;

	if (check(dev, lkey, pd, va, len, false) < 0)
		return -EFAULT;
	for (; len > 0; va += s.len, dst += s.len, len -= s.len) {
		resolve(dev, lkey, pd, va, len, false, &s);
		if (s.at == NULL) {
			memset(dst, 0, s.len);
			continue;
		}
		sc_account_read(&dev->account, SC_BUS_DATA_READ, s.at, s.len);
		memcpy(dst, s.at, s.len);
	}
	return 0;
}

int
sc_dma_write(struct sc_device *dev, uint32_t lkey, uint32_t pd, uint64_t va, const void *from, uint64_t len)
{
	const uint8_t *src = from;
	struct stretch s;

	if (check(dev, lkey, pd, va, len, true) < 0)
		return -EFAULT;
	for (; len > 0; va += s.len, src += s.len, len -= s.len) {
		resolve(dev, lkey, pd, va, len, true, &s);
		if (s.at == NULL)
			continue;
		sc_account_write(&dev->account, SC_BUS_DATA_WRITE, s.at, s.len);
		memcpy(s.at, src, s.len);
	}
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * UAR pages and the stores to them (core/uar.h has the contract). All pages of the process lie in one
 * region that is mapped twice from one memory file: as the driver sees it, read-only under uar=trap, and
 * writable for the trap.
 */
#include "softcx/core/uar.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "softcx/core/account.h"
#include "softcx/core/device.h"
#include "softcx/core/engine.h"
#include "softcx/core/settings.h"
#include "softcx/core/trace.h"
#include "softcx/front/trap.h"
#include "softcx/nic/nic.h"

#define UAR_PAGES    4096
#define REGION_BYTES ((size_t)UAR_PAGES * SC_UAR_BYTES)

/* UAR registers (PRM, UAR page): two doorbell registers, each of two alternating halves of 256 bytes. */
#define UAR_CQ_ARM     0x20
#define UAR_SEND_FIRST 0x800
#define UAR_SEND_HALF  0x100

static struct {
	uint8_t *pages;   /* the driver's view */
	uint8_t *shadow;  /* ours */
	_Atomic(struct sc_uar *) owner[UAR_PAGES];
} region;

static int
map_region(bool trap)
{
	int rc = -ENOMEM, fd = memfd_create("softcx uar", MFD_CLOEXEC);
	void *pages, *shadow;

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, REGION_BYTES) != 0)
		goto out;
	shadow = mmap(NULL, REGION_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shadow == MAP_FAILED)
		goto out;
	pages = shadow;
	if (trap)
		pages = mmap(NULL, REGION_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	if (pages == MAP_FAILED) {
		munmap(shadow, REGION_BYTES);
		goto out;
	}
	/* As the kernel maps device pages: a child of fork does not get them. */
	madvise(pages, REGION_BYTES, MADV_DONTFORK);
	region.shadow = shadow;
	region.pages = pages;
	rc = 0;
out:
	close(fd);
	return rc;
}

int
sc_uar_create(struct sc_device *dev, uint16_t uid, struct sc_uar **out)
{
	bool trap = dev->settings->uar == SC_UAR_TRAP;
	struct sc_uar *uar = NULL;
	unsigned int slot = 0;
	int rc = 0;

	/*
	 * The engine is ours, so nobody else makes pages now. The region stays for the life of the
	 * process.
	 */
	if (region.pages == NULL)
		rc = map_region(trap);
	if (rc == 0 && trap)
		rc = sc_trap_install();
	if (rc != 0)
		return rc;
	while (slot < UAR_PAGES && atomic_load(&region.owner[slot]) != NULL)
		slot++;
	if (slot == UAR_PAGES)
		return -ENOSPC;
	uar = calloc(1, sizeof(*uar));
	if (uar == NULL)
		return -ENOMEM;
	rc = sc_object_add(dev, SC_UAR, &uar->obj, 1, uid);
	if (rc != 0) {
		free(uar);
		return rc;
	}
	uar->page = region.pages + (size_t)slot * SC_UAR_BYTES;
	uar->shadow = region.shadow + (size_t)slot * SC_UAR_BYTES;
	memset(uar->shadow, 0, SC_UAR_BYTES);
	atomic_store(&region.owner[slot], uar);
	*out = uar;
	return 0;
}

int
sc_uar_destroy(struct sc_uar *uar)
{
	if (uar->obj.refs != 0)
		return -EBUSY;
	atomic_store(&region.owner[(uar->page - region.pages) / SC_UAR_BYTES], NULL);
	sc_object_remove(&uar->obj);
	free(uar);
	return 0;
}

/* ---- what a trapped store does ---- */

struct doorbell {
	unsigned int slot;
	uint32_t offset;
	uint64_t value;
};

static int
ring(void *arg)
{
	const struct doorbell *bell = arg;
	struct sc_uar *uar = atomic_load(&region.owner[bell->slot]);
	struct sc_device *dev;

	if (uar == NULL)
		return -ENODEV;
	dev = uar->obj.dev;
	uar->doorbells++;
	if (bell->offset == UAR_CQ_ARM)
		dev->doorbells_arm++;
	sc_account_doorbell(&dev->account, sizeof(bell->value));
	if (sc_nic_doorbell(dev, uar->obj.id, bell->offset, bell->value) != 0) {
		uar->stray++;
		/*
		 * Counted, ignored, as by hardware: DPDK's mlx5 rings flow queues on which it has posted
		 * nothing yet.
		 */
		sc_trace(dev, "uar 0x%x: store of 0x%016llx at 0x%x rings for no queue", uar->obj.id,
			 (unsigned long long)__builtin_bswap64(bell->value), bell->offset);
	}
	return 0;
}

/*
 * Which store completes a doorbell: eight bytes at once, the upper four of eight (a 32-bit host writes the
 * lower ones first), or the first bytes of a BlueFlame copy (what follows in the same register is the WQE,
 * which the device reads from the ring anyway).
 */
static bool
rings(uint32_t offset, unsigned int size, uint32_t *bell)
{
	if (offset >= UAR_SEND_FIRST && offset % UAR_SEND_HALF >= 8)
		return false;
	*bell = offset & ~7u;
	return size >= 8 ? offset % 8 == 0 : size == 4 && offset % 8 == 4;
}

bool
sc_uar_holds(const void *addr)
{
	return region.pages != NULL && (uintptr_t)addr - (uintptr_t)region.pages < REGION_BYTES;
}

uint64_t
sc_uar_store(void *addr, const uint8_t *value, unsigned int size)
{
	size_t place = (uintptr_t)addr - (uintptr_t)region.pages;
	uint8_t *at = region.shadow + place;
	struct doorbell bell = { .slot = place / SC_UAR_BYTES };
	uint64_t old = 0;

	if (place + size > REGION_BYTES)
		return 0;
	memcpy(&old, at, size < sizeof(old) ? size : sizeof(old));
	memcpy(at, value, size);
	if (!rings(place % SC_UAR_BYTES, size, &bell.offset))
		return old;
	memcpy(&bell.value, region.shadow + bell.slot * SC_UAR_BYTES + bell.offset, sizeof(bell.value));
	sc_engine_call(ring, &bell);
	return old;
}

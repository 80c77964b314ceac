/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The one home of memory order between a driver and a device, which meet in plain memory: work queue, completion queue,
 * doorbell records, and the doorbell register. Both sides use these functions and nothing else: no stand-alone fence
 * carries correctness, so that ThreadSanitizer can judge it; but for what vectors read.
 *
 *	driver                                         device
 *	write the WQEs                                 order_load_acquire_be32(record)
 *	order_store_release_be32(record, index)        read WQEs up to it
 *	order_doorbell64(register, ...)
 *	                                               write packet data and the CQE but its last byte
 *	order_load_acquire8(op_own)                    order_store_release8(op_own)
 *	read the rest of the CQE
 *	order_store_release_be32(CQ record, index)     order_load_acquire_be32(CQ record): the slot is free
 *
 * With a real device "release" means: earlier stores to ordinary memory are visible to a DMA read that sees this one.
 * x86 needs no instruction for that; elsewhere the release store orders ordinary memory, and order_doorbell64 adds the
 * barrier towards the device.
 */
#ifndef UTIL_ORDER_H
#define UTIL_ORDER_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>

/* Owner byte of a CQE, validity iteration byte. */
static inline uint8_t
order_load_acquire8(const void *at)
{
	return __atomic_load_n((const uint8_t *)at, __ATOMIC_ACQUIRE);
}

/*
 * After a load of 16 aligned bytes that has shown an entry to be there: what is read next is as new. For vector code alone, which has
 * no atomic load. ThreadSanitizer cannot judge it, so its builds take no burst that uses it (drivers/net/mlx5hws/rx_table.c).
 */
static inline void
order_after_wide_load(void)
{
#if defined(__x86_64__)
	__asm__ volatile("" ::: "memory"); /* loads stay in order by themselves */
#elif defined(__aarch64__)
	__asm__ volatile("dmb ishld" ::: "memory");
#else
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
#endif
}

static inline void
order_store_release8(void *at, uint8_t value)
{
	__atomic_store_n((uint8_t *)at, value, __ATOMIC_RELEASE);
}

/* Doorbell records: aligned dwords; the value of the *32 pair is in device (big-endian) order already. */
static inline uint32_t
order_load_acquire32(const void *at)
{
	return __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);
}

static inline void
order_store_release32(void *at, uint32_t value)
{
	__atomic_store_n((uint32_t *)at, value, __ATOMIC_RELEASE);
}

static inline uint32_t
order_load_acquire_be32(const void *at)
{
	return be32toh(order_load_acquire32(at));
}

static inline void
order_store_release_be32(void *at, uint32_t value)
{
	order_store_release32(at, htobe32(value));
}

/*
 * Ring: one 8-byte store to a device register (value in device order), after everything stored before is visible to the
 * device. write_combining says how the register is mapped: such a store may overtake ordinary stores and may linger in a
 * buffer, so it is fenced on both sides.
 */
static inline void
order_doorbell64(volatile uint64_t *reg, uint64_t value, bool write_combining)
{
#if defined(__x86_64__)
	if (write_combining)
		__asm__ volatile("sfence" ::: "memory");
#elif defined(__aarch64__)
	__asm__ volatile("dmb oshst" ::: "memory");
#else
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
	__atomic_store_n(reg, value, __ATOMIC_RELEASE);
#if defined(__x86_64__)
	if (write_combining)
		__asm__ volatile("sfence" ::: "memory");
#elif defined(__aarch64__)
	if (write_combining)
		__asm__ volatile("dmb oshst" ::: "memory");
#endif
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Internet checksums: sums in network order over bytes, and the incremental update of RFC 1624.
 */
#ifndef SOFTCX_CHECKSUM_H
#define SOFTCX_CHECKSUM_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t
sc_load16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static inline void
sc_store16(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

/* Add len bytes to an unfolded sum; only the last piece of a sum may have an odd length. */
static inline uint64_t
sc_sum_add(uint64_t sum, const uint8_t *at, uint32_t len)
{
	uint32_t word;

	for (; len >= 4; at += 4, len -= 4) {
		memcpy(&word, at, sizeof(word));
		sum += be32toh(word);
	}
	if (len >= 2) {
		sum += sc_load16(at);
		at += 2;
		len -= 2;
	}
	return len != 0 ? sum + ((uint64_t)at[0] << 8) : sum;
}

static inline uint16_t
sc_sum_fold(uint64_t sum)
{
	sum = (sum >> 32) + (sum & 0xffffffff);
	sum = (sum >> 32) + (sum & 0xffffffff);
	sum = (sum >> 16) + (sum & 0xffff);
	sum = (sum >> 16) + (sum & 0xffff);
	return (uint16_t)((sum >> 16) + (sum & 0xffff));
}

/* Unfolded sum of the pseudo header of a TCP or UDP segment of len bytes behind the IP header at l3. */
static inline uint64_t
sc_sum_pseudo(const uint8_t *l3, int ipv6, uint8_t protocol, uint32_t len)
{
	uint64_t sum = ipv6 ? sc_sum_add(0, l3 + 8, 32) : sc_sum_add(0, l3 + 12, 8);

	return sum + protocol + len;
}

/* RFC 1624, equation 3: the checksum after a 16-bit word under it went from old_word to new_word. */
static inline uint16_t
sc_checksum_update(uint16_t checksum, uint16_t old_word, uint16_t new_word)
{
	return (uint16_t)~sc_sum_fold((uint64_t)(uint16_t)~checksum + (uint16_t)~old_word + new_word);
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */

#include "softcx/nic/internal.h"

uint32_t
sc_crc32(const uint8_t *bytes, uint32_t len)
{
	uint32_t crc = UINT32_MAX;

	for (uint32_t i = 0; i < len; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A definer: which dwords and bytes of the header layout make the tag, and under what mask. Selection is plain
 * computation here; the device object is made by definer_cache.c.
 *
 * The tag T has 44 bytes, whatever the format: dword selector i is at T byte 4 * (8 - i), byte selector j at 43 - j. A
 * definer that needs only DW0..DW5 and bytes (8DW format) leaves T bytes 0..11 to actions; otherwise it is jumbo.
 */
#ifndef MLX5DR_DEFINER_H
#define MLX5DR_DEFINER_H

#include <stdbool.h>
#include <stdint.h>

#include "hws/header_layout.h"

#define DEFINER_DWORDS 9
#define DEFINER_BYTES 8
#define DEFINER_SHORT_DWORDS 6
#define DEFINER_TAG_BYTES 44
#define DEFINER_SHORT_TAG_BYTES 32

struct definer {
	uint8_t dw[DEFINER_DWORDS];     /* HL dword index; unused: 0 with a zero mask */
	uint8_t byte[DEFINER_BYTES];    /* HL byte offset */
	uint8_t mask[DEFINER_TAG_BYTES];
	uint16_t used_dw, used_byte;    /* bitmaps: selector is in use */
	bool jumbo;
};

/* What the device offers. */
struct definer_limits {
	bool jumbo;           /* 11DW format */
	bool any_dw_8_6;      /* DW6..DW8 select any dword, else only HL dwords 0..63 */
};

/* Choose selectors that cover every bit of hl_mask and set the mask. @return 0; -E2BIG does not fit. */
int definer_select(const uint8_t hl_mask[MLX5DR_HL_BYTES], const struct definer_limits *limits, struct definer *definer);

/* T byte that carries a byte of the header layout, -1: none. */
int definer_tag_byte(const struct definer *definer, unsigned int hl_byte);

/*
 * Exchange dword selectors so that dwords follow each other in T as order says: follows[a] = b means that dword b should
 * come right behind dword a (selector numbers; -1: no wish). Selectors limited to low dwords stay among themselves.
 */
void definer_arrange(struct definer *definer, const struct definer_limits *limits,
		     const int8_t follows[DEFINER_DWORDS]);

/* Key bytes that a mask asks for: whole dwords where only a dword selector reaches, single bytes elsewhere. */
unsigned int definer_bytes_asked(const uint8_t hl_mask[MLX5DR_HL_BYTES]);

#endif

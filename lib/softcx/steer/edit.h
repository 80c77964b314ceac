/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One command on the bytes of a frame: set, add, copy, add field, insert, remove, remove words. It comes as
 * eight bytes (hws.md 2.8), from a pattern, from an STC or from a root modify-header action, is decoded once,
 * and run on packets.
 *
 * Positions move with the frame: all offsets in the parse shift as bytes are inserted and removed before
 * them, so a list works on the parse taken before it (10.2). Checksums follow writes by RFC 1624 and are
 * never recomputed.
 */
#ifndef SOFTCX_EDIT_H
#define SOFTCX_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softcx/core/packet.h"
#include "softcx/steer/parse.h"

/* Types of commands in a list; STC types of single actions are mapped to them. */
enum sc_edit_type {
	SC_EDIT_SET = 1,
	SC_EDIT_ADD,
	SC_EDIT_COPY,
	SC_EDIT_INSERT,
	SC_EDIT_REMOVE,
	SC_EDIT_NOP,
	SC_EDIT_REMOVE_WORDS,
	SC_EDIT_ADD_FIELD,
	SC_EDIT_TYPES
};

struct sc_field;

struct sc_edit {
	uint8_t type;
	/* set, add, copy, add field; bits from the least significant of the field */
	uint8_t length, dst_offset, src_offset;
	const struct sc_field *dst, *src;
	/* insert, remove, remove words */
	uint8_t start, end; /* anchors */
	bool encap, inline_data;
	uint16_t offset, size; /* bytes */
	uint32_t argument;  /* insert, not inline: first ARG id */
	uint32_t data;      /* set, add, inline insert: as the command has it */
};

/* @return 0, or -EINVAL with a line in why. */
int sc_edit_decode(const uint8_t *command, struct sc_edit *edit, char *why, size_t size);

/*
 * Run edit on pkt. data: the 32-bit operand of set, add and inline insert (host order); bytes: what a
 * non-inline insert puts in, edit->size of them. A field or a start anchor that the frame does not have
 * leaves it as it is.
 * @return 0; -ENOSPC where it would grow beyond the longest frame, -ENOENT where a removal has no end.
 */
int sc_edit_run(const struct sc_edit *edit, struct sc_packet *pkt, struct sc_parse *parse, uint32_t data,
	const uint8_t *bytes);

/* The 32-bit operand of a command as it stands in its second dword. */
uint32_t sc_edit_operand(const uint8_t *command);

#endif

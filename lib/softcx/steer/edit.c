/* SPDX-License-Identifier: BSD-3-Clause */
#include "softcx/steer/edit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "prm/field.h"
#include "softcx/steer/anchor.h"
#include "softcx/steer/encap.h"
#include "softcx/steer/field.h"

/* The eight bytes of a command (hws.md 2.8; insert and remove: 2.6.1 A, B, C). */
enum {
	CMD_TYPE = PRM_FIELD(0, 31, 4),
	SET_FIELD = PRM_FIELD(0, 27, 12),
	SET_OFFSET = PRM_FIELD(0, 12, 5),
	SET_LENGTH = PRM_FIELD(0, 4, 5),
	CMD_DATA = PRM_FIELD(4, 31, 32),
	COPY_SRC = PRM_FIELD(0, 27, 12),
	COPY_SRC_OFFSET = PRM_FIELD(0, 12, 5),
	COPY_LENGTH = PRM_FIELD(0, 4, 5),
	COPY_DST = PRM_FIELD(4, 27, 12),
	COPY_DST_OFFSET = PRM_FIELD(4, 12, 5),
	WORDS_START = PRM_FIELD(0, 21, 6),
	WORDS_OFFSET = PRM_FIELD(0, 14, 7),
	WORDS_SIZE = PRM_FIELD(0, 5, 6),
	REMOVE_START = PRM_FIELD(0, 21, 6),
	REMOVE_END = PRM_FIELD(0, 13, 6),
	INSERT_ENCAP = PRM_FIELD(0, 27, 1),
	INSERT_INLINE = PRM_FIELD(0, 26, 1),
	INSERT_PUSH_ESP = PRM_FIELD(0, 25, 1),
	INSERT_START = PRM_FIELD(0, 21, 6),
	INSERT_OFFSET = PRM_FIELD(0, 14, 7),
	INSERT_SIZE = PRM_FIELD(0, 6, 7),
	INSERT_ARGUMENT = PRM_FIELD(4, 31, 32),
	INLINE_BYTES = 4,
};

#define REFUSE(...) (snprintf(why, size, __VA_ARGS__), -EINVAL)

/* Do length bits (0 is 32) from offset on lie inside the field? */
static bool
inside(const struct sc_field *field, uint8_t offset, uint8_t length)
{
	return offset + (length == 0 ? 32u : length) <= sc_field_width(field);
}

static int
decode_set(const uint8_t *command, struct sc_edit *edit, char *why, size_t size)
{
	uint16_t number = (uint16_t)prm_get(command, SET_FIELD);

	edit->dst = sc_field_find(number);
	if (edit->dst == NULL)
		return REFUSE("field 0x%x is not one that can be modified", number);
	edit->dst_offset = (uint8_t)prm_get(command, SET_OFFSET);
	edit->length = (uint8_t)prm_get(command, SET_LENGTH);
	if (!inside(edit->dst, edit->dst_offset, edit->length))
		return REFUSE("offset %u, length %u (0 is 32): field 0x%x has %u bits", edit->dst_offset,
			edit->length, number, sc_field_width(edit->dst));
	edit->data = prm_get(command, CMD_DATA);
	return 0;
}

static int
decode_copy(const uint8_t *command, struct sc_edit *edit, char *why, size_t size)
{
	uint16_t from = (uint16_t)prm_get(command, COPY_SRC), to = (uint16_t)prm_get(command, COPY_DST);

	edit->src = sc_field_find(from);
	edit->dst = sc_field_find(to);
	if (edit->src == NULL || edit->dst == NULL)
		return REFUSE("%s field 0x%x is not one that can be %s",
			edit->src == NULL ? "source" : "destination", edit->src == NULL ? from : to,
			edit->src == NULL ? "read" : "modified");
	edit->src_offset = (uint8_t)prm_get(command, COPY_SRC_OFFSET);
	edit->dst_offset = (uint8_t)prm_get(command, COPY_DST_OFFSET);
	edit->length = (uint8_t)prm_get(command, COPY_LENGTH);
	if (!inside(edit->src, edit->src_offset, edit->length) ||
	    !inside(edit->dst, edit->dst_offset, edit->length))
		return REFUSE("offsets %u and %u, length %u (0 is 32): fields 0x%x and 0x%x have %u and %u bits",
			edit->src_offset, edit->dst_offset, edit->length, from, to, sc_field_width(edit->src),
			sc_field_width(edit->dst));
	return 0;
}

static int
decode_insert(const uint8_t *command, struct sc_edit *edit, char *why, size_t size)
{
	edit->start = (uint8_t)prm_get(command, INSERT_START);
	edit->offset = (uint16_t)(2 * prm_get(command, INSERT_OFFSET));
	edit->size = (uint16_t)(2 * prm_get(command, INSERT_SIZE));
	edit->encap = prm_get(command, INSERT_ENCAP);
	edit->inline_data = prm_get(command, INSERT_INLINE);
	edit->argument = edit->data = prm_get(command, INSERT_ARGUMENT);
	if (!sc_anchor_known(edit->start))
		return REFUSE("insert_anchor 0x%x is not an anchor", edit->start);
	if (prm_get(command, INSERT_PUSH_ESP))
		return REFUSE("push_esp: IPsec is not offered");
	if (edit->size == 0 || (edit->inline_data && edit->size > INLINE_BYTES))
		return REFUSE(
			"insert_size %u bytes%s", edit->size, edit->inline_data ? " inline: at most 4" : "");
	return 0;
}

static int
decode_remove(const uint8_t *command, struct sc_edit *edit, char *why, size_t size)
{
	edit->start = (uint8_t)prm_get(command, REMOVE_START);
	edit->end = (uint8_t)prm_get(command, REMOVE_END);
	if (!sc_anchor_known(edit->start) || !sc_anchor_known(edit->end))
		return REFUSE("remove_start_anchor 0x%x and remove_end_anchor 0x%x are not both anchors",
			edit->start, edit->end);
	return 0;
}

static int
decode_words(const uint8_t *command, struct sc_edit *edit, char *why, size_t size)
{
	edit->start = (uint8_t)prm_get(command, WORDS_START);
	edit->offset = (uint16_t)(2 * prm_get(command, WORDS_OFFSET));
	edit->size = (uint16_t)(2 * prm_get(command, WORDS_SIZE));
	if (!sc_anchor_known(edit->start))
		return REFUSE("remove_start_anchor 0x%x is not an anchor", edit->start);
	if (edit->size == 0)
		return REFUSE("remove_size 0");
	return 0;
}

static int
decode_nop(const uint8_t *command, struct sc_edit *edit, char *why, size_t size)
{
	return 0;
}

int
sc_edit_decode(const uint8_t *command, struct sc_edit *edit, char *why, size_t size)
{
	static int (*const decode[SC_EDIT_TYPES])(const uint8_t *, struct sc_edit *, char *, size_t) = {
		[SC_EDIT_SET] = decode_set, [SC_EDIT_ADD] = decode_set, [SC_EDIT_COPY] = decode_copy,
		[SC_EDIT_INSERT] = decode_insert, [SC_EDIT_REMOVE] = decode_remove,
		[SC_EDIT_NOP] = decode_nop, [SC_EDIT_REMOVE_WORDS] = decode_words,
		[SC_EDIT_ADD_FIELD] = decode_copy,
	};

	memset(edit, 0, sizeof(*edit));
	edit->type = (uint8_t)prm_get(command, CMD_TYPE);
	if (edit->type >= SC_EDIT_TYPES || decode[edit->type] == NULL)
		return REFUSE("action_type %u is not a command", edit->type);
	return decode[edit->type](command, edit, why, size);
}

uint32_t
sc_edit_operand(const uint8_t *command)
{
	return prm_get(command, CMD_DATA);
}

/* length bits, 0 counting as 32, from offset on. */
static uint32_t
bits(uint8_t length, uint8_t offset)
{
	return (length == 0 ? UINT32_MAX : (1u << length) - 1) << offset;
}

static int
run_set(const struct sc_edit *edit, struct sc_packet *pkt, struct sc_parse *parse, uint32_t data,
	const uint8_t *bytes)
{
	(void)sc_field_write(
		edit->dst, pkt, parse, data << edit->dst_offset, bits(edit->length, edit->dst_offset));
	return 0;
}

static int
run_add(const struct sc_edit *edit, struct sc_packet *pkt, struct sc_parse *parse, uint32_t data,
	const uint8_t *bytes)
{
	uint32_t value;

	if (sc_field_read(edit->dst, pkt, parse, &value) == 0)
		run_set(edit, pkt, parse, (value >> edit->dst_offset) + data, NULL);
	return 0;
}

static int
run_copy(const struct sc_edit *edit, struct sc_packet *pkt, struct sc_parse *parse, uint32_t data,
	const uint8_t *bytes)
{
	uint32_t value;

	if (sc_field_read(edit->src, pkt, parse, &value) == 0)
		run_set(edit, pkt, parse, value >> edit->src_offset, NULL);
	return 0;
}

static int
run_add_field(const struct sc_edit *edit, struct sc_packet *pkt, struct sc_parse *parse, uint32_t data,
	const uint8_t *bytes)
{
	uint32_t value;

	if (sc_field_read(edit->src, pkt, parse, &value) == 0)
		run_add(edit, pkt, parse, value >> edit->src_offset & bits(edit->length, 0), NULL);
	return 0;
}

static int
run_insert(const struct sc_edit *edit, struct sc_packet *pkt, struct sc_parse *parse, uint32_t data,
	const uint8_t *bytes)
{
	uint8_t inline_bytes[INLINE_BYTES];
	struct sc_flow_key key;
	uint32_t at;
	int rc;

	if (sc_anchor_offset(edit->start, parse, &at) != 0)
		return 0;
	at += edit->offset;
	if (at > pkt->len)
		return -ENOENT;
	if (edit->inline_data) {
		prm_store32(inline_bytes, data);
		bytes = inline_bytes;
	}
	if (edit->encap)
		sc_flow_key_take(&key, pkt, parse);
	rc = sc_bytes_insert(pkt, parse, at, bytes, edit->size);
	if (rc == 0 && edit->encap)
		sc_encap_finish(pkt, edit->size, &key);
	return rc;
}

static int
run_remove(const struct sc_edit *edit, struct sc_packet *pkt, struct sc_parse *parse, uint32_t data,
	const uint8_t *bytes)
{
	uint32_t from, to;

	if (sc_anchor_offset(edit->start, parse, &from) != 0)
		return 0;
	if (sc_anchor_offset(edit->end, parse, &to) != 0 || to < from)
		return -ENOENT;
	return sc_bytes_remove(pkt, parse, from, to - from);
}

static int
run_words(const struct sc_edit *edit, struct sc_packet *pkt, struct sc_parse *parse, uint32_t data,
	const uint8_t *bytes)
{
	uint32_t from;

	if (sc_anchor_offset(edit->start, parse, &from) != 0)
		return 0;
	return sc_bytes_remove(pkt, parse, from + edit->offset, edit->size);
}

static int
run_nop(const struct sc_edit *edit, struct sc_packet *pkt, struct sc_parse *parse, uint32_t data,
	const uint8_t *bytes)
{
	return 0;
}

int
sc_edit_run(const struct sc_edit *edit, struct sc_packet *pkt, struct sc_parse *parse, uint32_t data,
	const uint8_t *bytes)
{
	static int (*const run[SC_EDIT_TYPES])(
		const struct sc_edit *, struct sc_packet *, struct sc_parse *, uint32_t, const uint8_t *) = {
		[SC_EDIT_SET] = run_set,
		[SC_EDIT_ADD] = run_add,
		[SC_EDIT_COPY] = run_copy,
		[SC_EDIT_INSERT] = run_insert,
		[SC_EDIT_REMOVE] = run_remove,
		[SC_EDIT_NOP] = run_nop,
		[SC_EDIT_REMOVE_WORDS] = run_words,
		[SC_EDIT_ADD_FIELD] = run_add_field,
	};

	return run[edit->type](edit, pkt, parse, data, bytes);
}

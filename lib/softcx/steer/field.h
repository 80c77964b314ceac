/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The fields that modify commands name (hws.md 10.5): where they are in a frame or which register they are,
 * and which checksums cover them.
 */
#ifndef SOFTCX_FIELD_H
#define SOFTCX_FIELD_H

#include <stdint.h>

#include "softcx/core/packet.h"
#include "softcx/steer/parse.h"

struct sc_field;

/* The field of this number, or NULL. */
const struct sc_field *sc_field_find(uint16_t number);

/* Width in bits; the field of the frame's own IP version where they differ. */
uint32_t sc_field_width(const struct sc_field *field);

/* @return 0 and the value, right aligned; -ENOENT where the frame lacks the field. */
int sc_field_read(const struct sc_field *field, const struct sc_packet *pkt, const struct sc_parse *parse,
	uint32_t *value);

/* Replace the bits of mask by those of value, and bring the checksums along. -ENOENT as above. */
int sc_field_write(const struct sc_field *field, struct sc_packet *pkt, const struct sc_parse *parse,
	uint32_t value, uint32_t mask);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Header anchors, and moving bytes under them (hws.md 10.2). The parse is the snapshot: packet start is
 * always offset 0 of the bytes as they are; every other anchor denotes a header, and its offset moves with
 * the header.
 */
#ifndef SOFTCX_ANCHOR_H
#define SOFTCX_ANCHOR_H

#include <stdbool.h>
#include <stdint.h>

#include "softcx/core/packet.h"
#include "softcx/steer/parse.h"

bool sc_anchor_known(uint8_t anchor);

/* @return 0, or -ENOENT where the frame has no such header. */
int sc_anchor_offset(uint8_t anchor, const struct sc_parse *parse, uint32_t *offset);

/*
 * Put len bytes in at offset at: headers that begin there or later move behind them. @return 0 or -ENOSPC.
 */
int sc_bytes_insert(
	struct sc_packet *pkt, struct sc_parse *parse, uint32_t at, const uint8_t *bytes, uint32_t len);

/* Take len bytes out: headers that began among them are gone. @return 0, or -ENOENT beyond the end of the
 * frame. */
int sc_bytes_remove(struct sc_packet *pkt, struct sc_parse *parse, uint32_t at, uint32_t len);

#endif

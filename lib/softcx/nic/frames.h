/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A line of frames between two places of the engine. It grows with what is put in: a sender asks
 * sc_frames_full before it goes on, so that nothing is ever dropped here and the line stays short.
 */
#ifndef SOFTCX_NIC_FRAMES_H
#define SOFTCX_NIC_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#define SC_FRAMES_SOFT_LIMIT (1u << 20) /* bytes at which a sender pauses */

struct sc_frame {
	uint32_t len;
	bool loopback;       /* from the port's own transmit side */
	bool hold;           /* may wait for a receive WQE */
	uint32_t source_sqn;
	uint32_t source_td;
	uint64_t timestamp_ns;
	uint8_t data[];
};

struct sc_frames {
	uint8_t *buf;
	uint32_t size, head, tail; /* bytes; head == tail: empty */
};

/* Append head (without data) and its len bytes. @return false: no memory, the frame is lost. */
bool sc_frames_put(struct sc_frames *f, const struct sc_frame *head, const uint8_t *data);

/* The oldest frame, or NULL; it stays valid until the next call on f. sc_frames_pop forgets it. */
const struct sc_frame *sc_frames_peek(const struct sc_frames *f);
void sc_frames_pop(struct sc_frames *f);
void sc_frames_free(struct sc_frames *f);

static inline bool
sc_frames_full(const struct sc_frames *f)
{
	return f->tail - f->head >= SC_FRAMES_SOFT_LIMIT;
}

#endif

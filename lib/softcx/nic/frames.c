/* SPDX-License-Identifier: BSD-3-Clause */

#include "softcx/nic/frames.h"

#include <stdlib.h>
#include <string.h>

static uint32_t
record_size(uint32_t len)
{
	return ((uint32_t)sizeof(struct sc_frame) + len + 7) & ~7u;
}

/* Make need bytes free behind tail: move what is there to the front, or take a buffer twice as large. */
static bool
make_room(struct sc_frames *f, uint32_t need)
{
	uint32_t used = f->tail - f->head;

	if (f->size - f->tail >= need)
		return true;
	if (f->size - used >= need && f->head >= used) {
		memcpy(f->buf, f->buf + f->head, used);
	} else {
		uint32_t size = f->size ? f->size : 64 * 1024;
		uint8_t *buf;

		while (size - used < need)
			size *= 2;
		buf = malloc(size);
		if (buf == NULL)
			return false;
		if (used)
			memcpy(buf, f->buf + f->head, used);
		free(f->buf);
		f->buf = buf;
		f->size = size;
	}
	f->head = 0;
	f->tail = used;
	return true;
}

bool
sc_frames_put(struct sc_frames *f, const struct sc_frame *head, const uint8_t *data)
{
	uint32_t need = record_size(head->len);

	if (!make_room(f, need))
		return false;
	memcpy(f->buf + f->tail, head, sizeof(*head));
	memcpy(f->buf + f->tail + sizeof(*head), data, head->len);
	f->tail += need;
	return true;
}

const struct sc_frame *
sc_frames_peek(const struct sc_frames *f)
{
	return f->head == f->tail ? NULL : (const struct sc_frame *)(f->buf + f->head);
}

void
sc_frames_pop(struct sc_frames *f)
{
	f->head += record_size(sc_frames_peek(f)->len);
	if (f->head == f->tail)
		f->head = f->tail = 0;
}

void
sc_frames_free(struct sc_frames *f)
{
	free(f->buf);
	memset(f, 0, sizeof(*f));
}

/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The device: an input is a sequence of commands, work requests and frames, given to a device on which a driver has made its
 * objects. Kinds, by the first byte of an item modulo 8:
 *
 *	0, 1   a command: length in dwords (1 byte), bytes
 *	2, 3   a WQE on the steering queue (2) or the send queue (3): flags (1), bytes; flags bit 0: the control segment's index,
 *	       queue number and DS are put right, bits 2:1 WQEBBs - 1, bit 3: a data segment is put right
 *	4, 5   a frame from the wire (4) or into the transmit tables (5): length in 8 bytes, bytes
 *	6      the device works
 *	7      the queues are put back into order
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "hws/queue.h"
#include "prm/wqe.h"
#include "softcx/core/packet.h"
#include "world.h"

#define SAMPLES_MAX 512
#define COMMAND_DWORDS_MAX 255

static struct {
	uint8_t *data;
	size_t size;
} samples[SAMPLES_MAX];
static unsigned int nb_samples;

/* ---- samples: what the driver itself says ----------------------------------------------------------------------- */

static void
add_sample(const uint8_t *head, size_t nb_head, const void *data, size_t size)
{
	uint8_t *copy = malloc(nb_head + size);

	if (copy == NULL || nb_samples == SAMPLES_MAX) {
		free(copy);
		return;
	}
	memcpy(copy, head, nb_head);
	if (size > 0)
		memcpy(copy + nb_head, data, size);
	samples[nb_samples].data = copy;
	samples[nb_samples++].size = nb_head + size;
}

static void
record(const void *in, size_t len)
{
	const uint8_t head[2] = { 0, (uint8_t)(len / 4) };

	if (len / 4 <= COMMAND_DWORDS_MAX)
		add_sample(head, 2, in, len / 4 * 4);
}

static void
add_frames(void)
{
	static const uint8_t udp[64] = { 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0, 0, 50, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1,
		10, 0, 0, 2, 0, 9, 0x12, 0xb5, 0, 30, 0, 0, 8 };
	static const uint8_t vlan[64] = { 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1, 0x81, 0, 0, 5, 0x86, 0xdd, 0x60, 0, 0, 0, 0, 6, 17, 64,
		[58] = 0, 9, 0, 3, 0, 6 };
	uint8_t frame[64];

	for (uint8_t i = 0; i < 16; i++) {
		const uint8_t head[2] = { 4 + (i & 1), 64 / 8 };

		memcpy(frame, i & 4 ? vlan : udp, 64);
		frame[i & 4 ? 61 : 37] = i;
		add_sample(head, 2, frame, 64);
	}
	add_sample((const uint8_t[]){ 6 }, 1, NULL, 0);
	add_sample((const uint8_t[]){ 7 }, 1, NULL, 0);
}

static void
add_wqes(void)
{
	const struct mlx5dr_queue *queue = mlx5dr_context_queue(world.ctx, 0);
	uint8_t send[64] = { 0 };

	for (uint32_t bb = 0; bb < queue->pi && bb < 64; bb += QUEUE_WQE_BBS)
		add_sample((const uint8_t[]){ 2, 3 }, 2, queue_wqe(queue, bb), PRM_WQE_GTA_BYTES);
	send[3] = 0x0a; /* SEND */
	send[7] = 3;
	send[11] = 8;
	send[35] = 100;
	add_sample((const uint8_t[]){ 3, 9 }, 2, send, 64);
}

void
fuzz_open(void)
{
	world_open(record);
	add_wqes();
	add_frames();
	world_close();
}

const uint8_t *
fuzz_sample(unsigned int index, size_t *size)
{
	if (index >= nb_samples)
		return NULL;
	*size = samples[index].size;
	return samples[index].data;
}

/* ---- items ------------------------------------------------------------------------------------------------------ */

static void
take_bytes(struct fuzz_input *in, uint8_t *to, size_t n)
{
	size_t have = n < in->left ? n : in->left;

	memcpy(to, in->at, have);
	memset(to + have, 0, n - have);
	in->at += have;
	in->left -= have;
}

static void
command(struct fuzz_input *in)
{
	uint32_t len = 4 * fuzz_take(in, 1);
	uint8_t *bytes = malloc(len > 0 ? len : 1);

	if (bytes == NULL)
		abort();
	take_bytes(in, bytes, len);
	world_command(bytes, len);
	free(bytes);
}

static void
wqe(struct fuzz_input *in, unsigned int which)
{
	struct hca_sq *sq = &world.sq[which];
	uint32_t flags = fuzz_take(in, 1), nb = 1 + (flags >> 1 & 3);
	uint8_t *first = hca_sq_wqebb(sq, sq->pi);

	for (uint32_t i = 0; i < nb; i++)
		take_bytes(in, hca_sq_wqebb(sq, (uint16_t)(sq->pi + i)), HCA_WQEBB_BYTES);
	if (flags & 1) {
		prm_set(first, PRM_WQE_CTRL_WQE_INDEX, sq->pi);
		prm_set(first, PRM_WQE_CTRL_SQN, sq->sqn);
	}
	if (flags & 8) {
		prm_set(first + 32, PRM_WQE_DATA_LKEY, world.mr.lkey);
		prm_set64(first + 32, PRM_WQE_DATA_ADDR, (uintptr_t)world.buffers + prm_get(first + 32, PRM_WQE_DATA_BYTE_COUNT));
	}
	sq->pi += (uint16_t)nb;
	hca_sq_doorbell(sq, first);
}

static void
frame(struct fuzz_input *in, bool transmit)
{
	uint32_t len = 8 * fuzz_take(in, 1);
	uint8_t *bytes = malloc(len > 0 ? len : 1);

	if (bytes == NULL)
		abort();
	take_bytes(in, bytes, len);
	/* Nothing shorter than a header comes from a wire or a checked send. */
	if (len >= 14)
		world_frame(bytes, len, transmit);
	free(bytes);
}

static void
tidy(void)
{
	for (int i = 0; i < 2; i++)
		if (hca_sq_reset(&world.sq[i], true) != 0)
			hca_sq_reset(&world.sq[i], false);
	hca_rq_post(&world.rq, WORLD_WQES);
}

void
fuzz_one(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { data, size };

	world_open(NULL);
	while (in.left > 0) {
		uint32_t kind = fuzz_take(&in, 1) % 8;

		if (kind < 2)
			command(&in);
		else if (kind < 4)
			wqe(&in, kind - 2);
		else if (kind < 6)
			frame(&in, kind == 5);
		else if (kind == 6)
			world_step();
		else
			tidy();
	}
	world_step();
	world_close();
}

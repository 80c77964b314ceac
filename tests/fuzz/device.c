/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The device: an input is a sequence of commands, work requests and frames, given to a device on which a driver has made its
 * objects. Kinds, by the first byte of an item modulo 10:
 *
 *	0, 1   a command: length in dwords (1 byte), bytes; 1 with an answer of as many dwords as the next byte says
 *	2, 3   a WQE on the steering queue (2) or the send queue (3): flags (1), bytes; flags bit 0: the control segment's index,
 *	       queue number and DS are put right, bits 2:1 WQEBBs - 1, bit 3: the data segment at 32 is put right, bit 4: at 48
 *	4, 5   a frame from the wire (4) or into the transmit tables (5): length in 8 bytes, bytes
 *	6      the device works
 *	7      the queues are put back into order
 *	8      bytes into the receive ring: place in 16 bytes (1), flags (1), 32 bytes; flags bit 0: the data segment at 0 is put
 *	       right, bit 1: at 16, behind the next segment of striding WQEs
 *	9      a doorbell record: which (1), value (4)
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "hca/cmd.h"
#include "hws/queue.h"
#include "prm/queue.h"
#include "prm/wqe.h"
#include "softcx/core/command.h"
#include "softcx/core/packet.h"
#include "softcx/core/parts.h"
#include "world.h"

#define SAMPLES_MAX 1024
#define COMMAND_DWORDS_MAX 255
#define ANSWER_BYTES 4096
#define NB_KINDS 10

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

/* The last commands that made a CQ and a receive queue. */
static uint8_t made_cq[PRM_CREATE_CQ_IN_BYTES], made_rq[PRM_CREATE_RQ_IN_BYTES];

static void
record(const void *in, size_t len)
{
	const uint8_t head[2] = { 0, (uint8_t)(len / 4) };

	if (len / 4 <= COMMAND_DWORDS_MAX)
		add_sample(head, 2, in, len / 4 * 4);
	if (prm_get(in, PRM_CMD_IN_OPCODE) == PRM_CMD_OP_CREATE_CQ && len >= sizeof(made_cq))
		memcpy(made_cq, in, sizeof(made_cq));
	if (prm_get(in, PRM_CMD_IN_OPCODE) == PRM_CMD_OP_CREATE_RQ && len >= sizeof(made_rq))
		memcpy(made_rq, in, sizeof(made_rq));
}

/* A command of the table on an object of that number, with a whole answer and with one that ends early. */
static void
add_command(const struct sc_command *command, uint32_t id)
{
	uint8_t in[4 * COMMAND_DWORDS_MAX] = { 0 }, dwords;
	uint32_t len = command->min_in > 16 ? (command->min_in + 3u) / 4 * 4 : 16;

	if (len > sizeof(in))
		len = sizeof(in);
	dwords = (uint8_t)(len / 4);
	prm_set(in, PRM_CMD_IN_OPCODE, command->opcode);
	prm_set(in, PRM_CMD_IN_OP_MOD, command->obj_type);
	prm_set(in, PRM_GENERAL_OBJ_IN_OBJ_ID, id);
	add_sample((const uint8_t[]){ 0, dwords }, 2, in, len);
	add_sample((const uint8_t[]){ 1, dwords, 4 }, 3, in, len);
}

/* Every command there is: without a number, and with those of objects whose type is in its name. */
static void
add_commands(void)
{
	const struct sc_command *const *family, *command;
	const struct sc_object *object;

	for (family = sc_families; *family != NULL; family++) {
		for (command = *family; command->opcode != 0; command++) {
			add_command(command, 0);
			for (int type = 0; type < SC_TYPES; type++) {
				object = sc_object_next(world.dev, type, UINT32_MAX);
				if (object != NULL && strcasestr(command->name, sc_type_name(type)) != NULL)
					add_command(command, object->id);
			}
		}
	}
}

static size_t
put_command(uint8_t *to, const void *in, size_t len)
{
	to[0] = 0;
	to[1] = (uint8_t)(len / 4);
	memcpy(to + 2, in, len);
	return 2 + len;
}

/* A striding receive queue that completes to a compressed CQ, in place of the world's own, and frames for it. */
static void
add_striding(bool linked)
{
	uint8_t all[2048], in[PRM_MODIFY_RQT_IN_BYTES + 16], frame[64] = { 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1, 8, 0, 0x45 };
	uint8_t *rqc = prm_area(made_rq, PRM_CREATE_RQ_IN_CTX), *wq = prm_area(rqc, PRM_RQC_WQ);
	size_t n = 0;

	prm_set(prm_area(made_cq, PRM_CREATE_CQ_IN_CQC), PRM_CQC_CQE_COMP_EN, 1);
	n += put_command(all + n, made_cq, sizeof(made_cq));
	prm_set(rqc, PRM_RQC_CQN, world.rx_cq.cqn + 1);
	prm_set(wq, PRM_WQ_WQ_TYPE, linked ? PRM_WQ_TYPE_LINKED_LIST_STRIDING : PRM_WQ_TYPE_CYCLIC_STRIDING);
	prm_set(wq, PRM_WQ_LOG_WQ_STRIDE, 5);
	prm_set(wq, PRM_WQ_LOG_WQ_SZ, 4);
	n += put_command(all + n, made_rq, sizeof(made_rq));
	memset(in, 0, sizeof(in));
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_MODIFY_RQ);
	prm_set(in, PRM_MODIFY_RQ_IN_RQN, world.rq.rqn + 1);
	prm_set(prm_area(in, PRM_MODIFY_RQ_IN_CTX), PRM_RQC_STATE, 1);
	n += put_command(all + n, in, PRM_MODIFY_RQ_IN_BYTES);
	memset(in, 0, sizeof(in));
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_MODIFY_RQT);
	prm_set(in, PRM_MODIFY_RQT_IN_RQTN, world.rqt->id);
	prm_set(in, PRM_MODIFY_RQT_IN_RQN_LIST, 1);
	prm_set(prm_area(in, PRM_MODIFY_RQT_IN_CTX), PRM_RQTC_RQT_ACTUAL_SIZE, 1);
	in[PRM_MODIFY_RQT_IN_BYTES + 3] = (uint8_t)(world.rq.rqn + 1);
	n += put_command(all + n, in, PRM_MODIFY_RQT_IN_BYTES + 4);
	for (uint8_t i = 0; i < 2; i++) {
		const uint8_t wqe[35] = { 8, (uint8_t)(2 * i), 2, [3 + 3] = (uint8_t)(1 - i), [3 + 16 + 2] = 0x80 };

		memcpy(all + n, wqe, sizeof(wqe));
		n += sizeof(wqe);
	}
	memcpy(all + n, (const uint8_t[]){ 9, 0, 0, 0, 0, 2 }, 6);
	n += 6;
	for (int i = 0; i < 3; i++) {
		memcpy(all + n, (const uint8_t[]){ 4, 8 }, 2);
		memcpy(all + n + 2, frame, 64);
		n += 66;
	}
	add_sample(all, n, NULL, 0);
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
	/* NOP, SEND, TSO, WAIT, SEND_EN, UMR, EMPW */
	static const uint8_t opcodes[] = { 0x00, 0x0a, 0x0e, 0x0f, 0x17, 0x25, 0x29 };
	const struct mlx5dr_queue *queue = mlx5dr_context_queue(world.ctx, 0);
	uint8_t send[64] = { 0 };

	for (uint32_t bb = 0; bb < queue->pi && bb < 64; bb += QUEUE_WQE_BBS)
		add_sample((const uint8_t[]){ 2, 3 }, 2, queue_wqe(queue, bb), PRM_WQE_GTA_BYTES);
	send[3] = 0x0a; /* SEND */
	send[7] = 3;
	send[11] = 8;
	send[35] = 100;
	add_sample((const uint8_t[]){ 3, 9 }, 2, send, 64);
	/* Other operations on the same, then with a header inline and the data behind it. */
	for (unsigned int i = 0; i < sizeof(opcodes); i++) {
		send[3] = opcodes[i];
		add_sample((const uint8_t[]){ 3, 9 }, 2, send, 64);
	}
	memset(send + 32, 0, 32);
	send[7] = 4;
	send[25] = 64; /* mss */
	send[29] = 18; /* inline header */
	send[50] = 2;  /* 512 bytes */
	for (unsigned int i = 0; i < sizeof(opcodes); i++) {
		send[3] = opcodes[i];
		add_sample((const uint8_t[]){ 3, 17 }, 2, send, 64);
	}
}

static void
add_rings(void)
{
	for (uint8_t which = 0; which < 5; which++)
		add_sample((const uint8_t[]){ 9, which, 0, 0, 0, 70 }, 6, NULL, 0);
	for (uint8_t flags = 0; flags < 4; flags++)
		add_sample((const uint8_t[35]){ 8, 1, flags, [4] = 1, [20] = 1 }, 35, NULL, 0);
}

void
fuzz_open(void)
{
	world_open(record);
	add_commands();
	add_striding(false);
	add_striding(true);
	add_wqes();
	add_rings();
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
command(struct fuzz_input *in, bool short_answer)
{
	uint32_t len = 4 * fuzz_take(in, 1), answer = short_answer ? 4 * fuzz_take(in, 1) : ANSWER_BYTES;
	uint8_t *bytes = malloc(len > 0 ? len : 1);

	if (bytes == NULL)
		abort();
	take_bytes(in, bytes, len);
	world_command(bytes, len, answer > 0 ? answer : 1);
	free(bytes);
}

/* A data segment of the world's buffers, as long as it says. */
static void
put_right(uint8_t *data)
{
	prm_set(data, PRM_WQE_DATA_LKEY, world.mr.lkey);
	prm_set64(data, PRM_WQE_DATA_ADDR, (uintptr_t)world.buffers + (prm_get(data, PRM_WQE_DATA_BYTE_COUNT) & 0xff));
}

static void
receive_ring(struct fuzz_input *in)
{
	uint32_t places = (world.rq.mask + 1) << world.rq.log_stride >> 4, at = fuzz_take(in, 1) % (places - 1);
	uint32_t flags = fuzz_take(in, 1);
	uint8_t *wqe = world.rq.ring + 16 * (size_t)at;

	take_bytes(in, wqe, 32);
	if (flags & 1)
		put_right(wqe);
	if (flags & 2)
		put_right(wqe + 16);
}

static void
doorbell_record(struct fuzz_input *in)
{
	uint32_t *const records[] = {
		world.rq.dbrec, world.sq[0].dbrec + 1, world.sq[1].dbrec + 1, world.rx_cq.dbrec, world.cq.dbrec,
	};
	uint32_t which = fuzz_take(in, 1) % (sizeof(records) / sizeof(records[0]));

	*records[which] = htobe32(fuzz_take(in, 4));
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
	if (flags & 8)
		put_right(first + 32);
	if (flags & 16)
		put_right(first + 48);
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
		uint32_t kind = fuzz_take(&in, 1) % NB_KINDS;

		if (kind < 2)
			command(&in, kind == 1);
		else if (kind < 4)
			wqe(&in, kind - 2);
		else if (kind < 6)
			frame(&in, kind == 5);
		else if (kind == 6)
			world_step();
		else if (kind == 7)
			tidy();
		else if (kind == 8)
			receive_ring(&in);
		else
			doorbell_record(&in);
	}
	world_step();
	world_close();
}

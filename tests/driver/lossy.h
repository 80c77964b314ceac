/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Two ports of ours on virtual devices, joined by a cable, and packets from one to the other of which some may be lost: what comes
 * must be as it was sent and come once, and what does not come must be counted. The packets are those of tx_frames.h, by number.
 */
#ifndef TESTS_DRIVER_LOSSY_H
#define TESTS_DRIVER_LOSSY_H

#include "cross_port.h"
#include "program.h"
#include "tx_mbufs.h"

#define LOSSY_PACKETS (1u << 17) /* of one pair of ports; a power of two */
#define LOSSY_BURST 32
#define LOSSY_PATIENCE_S 60

struct lossy {
	struct cross_port to, from;
	struct tx_mix mix;
	struct tx_source source;
	uint64_t random;
	uint32_t sent, taken;
	uint8_t *came;          /* of each packet; NULL: is not looked at, and there may be more of them */
	struct rte_mbuf **hold; /* NULL: what is taken is freed at once */
};

/* Of all: the name of what runs now, for the line that tells what is wrong. Does not return where it is not good. */
extern const char *lossy_now;
void lossy_must(bool good, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Pools and program, once. @return what main shall return, 0: go on. */
int lossy_begin(int argc, char **argv, const char *name, struct program *program);
/* After everything is closed: all buffers in their pools, no object in the devices. */
void lossy_check_clean(const struct program *program, const char *what);
bool lossy_wanted(const struct program *program, const char *name);
/* Buffers to receive into; their number. */
struct rte_mempool *lossy_rx_pool(void);

/* rx_pool NULL: the one of all. */
void lossy_open(struct lossy *l, const struct rx_mode *rx, const struct tx_mode *tx, uint16_t queues, uint64_t tx_offloads,
		struct rte_mempool *rx_pool);
void lossy_close(struct lossy *l);

/* All of nb packets are given to queue of the sender, at most LOSSY_BURST. take: and receive meanwhile. */
void lossy_send(struct lossy *l, uint16_t queue, uint32_t nb, bool take);
/* One burst of each queue. @return packets. */
uint32_t lossy_take(struct lossy *l);
/* nb packets more, without loss. */
void lossy_traffic(struct lossy *l, uint32_t nb, const char *when);

/* Time to give up? begin it with lossy_time(). */
uint64_t lossy_time(void);
bool lossy_late(uint64_t since);
uint64_t lossy_xstat(const struct cross_port *port, const char *name);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What a kind of wire brings. Inside wire/ only.
 */
#ifndef SOFTCX_WIRE_OPS_H
#define SOFTCX_WIRE_OPS_H

#include "softcx/core/device.h"
#include "softcx/nic/port.h"
#include "softcx/wire/options.h"
#include "softcx/wire/wire.h"

#define SC_FRAME_MIN 60    /* shorter frames arrive padded, as a sender's MAC would have sent them */
#define SC_FRAME_MAX 10240

struct sc_wire_ops {
	const char *kind;
	const char *word;               /* what stands behind ':' alone, for refusals; NULL: nothing may */
	const struct sc_option *options;
	size_t size;                    /* of its struct, which begins with struct sc_wire */
	/*
	 * Check the options into wire (zeroed). Opens nothing. @return 0 or -EINVAL
	 * (sc_options_refuse).
	 */
	int (*parse)(struct sc_wire *wire, struct sc_options *o);
	/* @return 0, or -errno with a line by sc_options_refuse's text. Any of these may be NULL. */
	int (*open)(struct sc_wire *wire, struct sc_options *o);
	/* sc_wire_check_peer: @return 0, or -EINVAL with a line in error */
	int (*check_peer)(struct sc_wire *wire, char *error, size_t size);
	void (*close)(struct sc_wire *wire);
	void (*send)(struct sc_wire *wire, const uint8_t *frame, uint32_t len);
	bool (*ready)(const struct sc_wire *wire);
	/* Frames in by sc_wire_input, at most max, and none once sc_nic_holds. @return how many. */
	uint32_t (*poll)(struct sc_wire *wire, uint32_t max);
	/* The same by a call into the kernel: not in every busy round. */
	uint32_t (*ask)(struct sc_wire *wire, uint32_t max);
	int (*fd)(const struct sc_wire *wire);
	uint32_t (*sleep_us)(const struct sc_wire *wire);
	bool (*done)(const struct sc_wire *wire);
};

/*
 * Looks at what the kernel has: in each round that is not busy, and after one that found something; else
 * in each 16th.
 */
#define SC_LOOK_ROUNDS 16

struct sc_looks {
	uint8_t missed; /* rounds since the last one */
};

static inline bool
sc_looks_due(struct sc_looks *looks, bool busy)
{
	return !busy || ++looks->missed >= SC_LOOK_ROUNDS;
}

static inline void
sc_looks_found(struct sc_looks *looks, uint32_t nb)
{
	looks->missed = nb != 0 ? SC_LOOK_ROUNDS - 1 : 0;
}

struct sc_wire {
	const struct sc_wire_ops *ops;
	struct sc_device *dev;
	struct sc_wire_counters counters;
	uint64_t speed_mbps;            /* 0: as fast as it goes */
	uint64_t rx_free_ns, tx_free_ns; /* paced: when the next frame may begin */
	bool drop;                      /* a frame without a receive WQE is lost instead of waiting */
	struct sc_looks looks;          /* for ask */
};

extern const struct sc_wire_ops sc_wire_null, sc_wire_loop, sc_wire_pair, sc_wire_pcap, sc_wire_tap,
	sc_wire_af_packet, sc_wire_gen;

/* A frame from the wire into the port: padded, counted, paced. frame must have room for the padding. */
void sc_wire_input(struct sc_wire *wire, uint8_t *frame, uint32_t len, uint64_t timestamp_ns);

/* Has the line been free long enough for another frame? Always, without a speed. */
bool sc_wire_may_receive(const struct sc_wire *wire);

/* ---- tap.c ---- */
/*
 * Open (make) tap interface name, non-blocking, with that MTU and, where mac is not NULL, that address;
 * bring it up if wanted. @return descriptor, or -errno with a line.
 */
int sc_tap_open(const char *name, const uint8_t *mac, uint32_t mtu, bool up, struct sc_options *o);

/*
 * What a tap tells as its link speed. Other interfaces have one of their own and keep it. @return false:
 * it keeps its own too.
 */
bool sc_tap_set_speed(const char *name, uint32_t mbps);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What the files of nic/ and the queue commands share. Nobody else includes this.
 */
#ifndef SOFTCX_NIC_INTERNAL_H
#define SOFTCX_NIC_INTERNAL_H

#include "softcx/core/device.h"
#include "softcx/nic/frames.h"
#include "softcx/nic/nic.h"
#include "softcx/nic/port.h"
#include "softcx/steer/parse.h"

#define SC_GATHER_MAX (256 * 1024 + 1024) /* headers and payload of the longest TSO WQE: 2^max_lso_cap */
#define SC_SQ_BUDGET  256                 /* WQEs of one queue in one round */

/* Pointers to objects, in order of their number. */
struct sc_list {
	struct sc_object **item;
	uint32_t nb, cap;
};

int sc_list_add(struct sc_list *list, struct sc_object *obj); /* 0 or -ENOMEM */
void sc_list_remove(struct sc_list *list, const struct sc_object *obj);

struct sc_nic {
	struct sc_device *dev;
	bool poll_records;
	uint64_t now_ns;            /* device time of this round */
	bool input_hold;            /* the frame now walking may wait for a receive WQE */
	struct sc_list sq, rq;      /* every queue, in order of number */
	bool sq_waits;              /* in this round a send queue stood still in front of a WAIT */
	uint32_t nb_err_rq;         /* receive queues in ERR: what is posted to them is flushed */
	uint32_t nb_moderated;      /* CQs whose event waits for its period */
	struct sc_session *sessions; /* with packets whose entries are not written yet */
	sc_event_fn event;
	void *event_arg;
	struct sc_nic_stats stats;  /* of queues that are gone; strays */
	struct sc_frames inbound;   /* frames for our receive side: our own, a neighbour's, a loop's */
	struct sc_held *held_first; /* wait for a receive WQE (port.c) */
	struct sc_held **held_last;
	struct sc_packet *tx, *rx;  /* scratch: the frame that walks the transmit, the receive tables */
	uint8_t *gather;            /* SC_GATHER_MAX */
	uint8_t wqe[SC_WQEBB * 16]; /* a WQE that wraps over the ring's end, straightened */
};

/* ---- nic.c ---- */
void sc_nic_event(struct sc_device *dev, enum sc_event_type type, struct sc_object *obj, uint8_t syndrome);

/*
 * Free an object of this room whatever state it is in: takes it off its lists, releases what it refers
 * to, removes and frees it. The caller has seen that nobody refers to it. (cq.c, sq.c, rq.c, tir.c)
 */
void sc_cq_free(void *cq);
void sc_sq_free(void *sq);
void sc_rq_free(void *rq);
void sc_rqt_free(void *rqt);
void sc_tir_free(void *tir);

/* ---- cq.c ---- */

/* The fields of a completion that are not the same in every one; the rest of the 64 bytes is zero. */
struct sc_cqe {
	uint8_t bytes[64]; /* op_own: opcode and format in the high bits, owner left 0 */
};

/* Are there n free entries? False after an overrun too. Entries of an open session are not free. */
bool sc_cq_has_room(struct sc_cq *cq, uint32_t n);

/* Entries that the driver has not given back, by its record as it is now. */
uint32_t sc_cq_unread(struct sc_cq *cq);

/*
 * Write one entry, owner last, and fire the event when armed. A full CQ overruns: status 9, event,
 * every queue that completes here goes to ERR. @return 0, or -ENOSPC after an overrun (nothing
 * written).
 */
int sc_cq_write(struct sc_device *dev, struct sc_cq *cq, const struct sc_cqe *cqe, bool solicited);

/* There is no room for what would have to be written. Once; closes an open session first. */
void sc_cq_overrun(struct sc_device *dev, struct sc_cq *cq);

/* For session.c: store the entry ahead places behind the next one, owner last; nothing is counted. */
void sc_cq_store(struct sc_cq *cq, uint32_t ahead, const uint8_t *bytes);
/* The place itself, which has no owner byte of its own (arrays of a session). */
uint8_t *sc_cq_slot(const struct sc_cq *cq, uint32_t ahead);
/* n entries are written now: move on, fire the event when armed. */
void sc_cq_advance(struct sc_cq *cq, uint32_t n, bool solicited);

/* Fire the events whose period is over. @return how many. */
uint32_t sc_cq_fire_moderated(struct sc_device *dev);

/* ---- session.c ---- */

/* Give cq a place to compress in, in its mini_format and layout. @return 0 or -ENOMEM. */
int sc_session_create(struct sc_cq *cq);
void sc_session_free(struct sc_cq *cq);

/*
 * The completion of a packet for a CQ that compresses (cq->session) and has room: it waits in the CQ's
 * session, or closes it and begins the next. step: by how much wqe_counter moves on to the next packet.
 */
void sc_session_put(struct sc_cq *cq, const struct sc_cqe *cqe, uint32_t step);

/* Packets that wait. */
uint32_t sc_session_packets(const struct sc_cq *cq);

/* Write what waits; of a dead device nothing. */
void sc_session_close(struct sc_cq *cq);

/* Forget what waits: sc_sessions_drop (nic.h) for a user, here of all. */
void sc_sessions_drop_all(struct sc_device *dev);

/* End of a round: close what need not wait any longer. */
void sc_sessions_expire(struct sc_device *dev);

/* ---- time ---- */
/* What the port's clock said at engine time ns, as the queue's ts_format shows it. */
uint64_t sc_nic_timestamp(const struct sc_device *dev, uint8_t ts_format, uint64_t ns);

/* ---- sq.c ---- */
/* Execute at most budget WQEs. @return how many. */
uint32_t sc_sq_run(struct sc_device *dev, struct sc_sq *sq, uint32_t budget);
void sc_sq_to_error(struct sc_device *dev, struct sc_sq *sq);
/* Polling: look at the record. Trapped: the record as the doorbell finds it. */
void sc_sq_take_record(struct sc_sq *sq);
void sc_sq_doorbell(struct sc_device *dev, struct sc_sq *sq, uint64_t value);
void sc_sq_reset(struct sc_sq *sq);
/* Add the queue's doorbells to stats. */
void sc_sq_stats_add(const struct sc_sq *sq, struct sc_nic_stats *stats);
void sc_sq_ready(struct sc_device *dev, struct sc_sq *sq);

/* ---- send.c, tso.c, wait.c ---- */

/* One WQE, straight in memory. */
struct sc_wqe {
	const uint8_t *at; /* control segment */
	uint32_t ds;       /* 16-byte units, control included */
	uint8_t opcode, op_mod;
	uint16_t index;
};

/* @return 0 or the syndrome */
uint8_t sc_send_frame(struct sc_device *dev, struct sc_sq *sq, const struct sc_wqe *wqe);
uint8_t sc_send_multi(struct sc_device *dev, struct sc_sq *sq, const struct sc_wqe *wqe);
uint8_t sc_send_tso(struct sc_device *dev, struct sc_sq *sq, const struct sc_wqe *wqe);

/*
 * Must the queue stand still in front of this WAIT? And once it need not: was it a right one? @return as
 * above
 */
bool sc_wait_holds(const struct sc_device *dev, const struct sc_sq *sq, const struct sc_wqe *wqe);
uint8_t sc_wait(struct sc_device *dev, struct sc_sq *sq, const struct sc_wqe *wqe);

/* The Ethernet segment of a send WQE. */
struct sc_eth {
	uint8_t cs_flags;
	bool vlan_insert, vlan_service;
	uint16_t vlan_tci;
	uint16_t mss;
	uint32_t metadata;
	bool swp;               /* the four offsets say something */
	uint8_t swp_flags;
	uint8_t swp_offsets[4]; /* 2-byte units from the frame's start: outer L4, outer L3, inner L4, inner L3 */
	const uint8_t *inline_bytes;
	uint32_t inline_len;
	uint32_t units; /* 16-byte units of the segment with its inline bytes */
};

uint8_t sc_eth_parse(struct sc_sq *sq, const struct sc_wqe *wqe, struct sc_eth *eth);

/*
 * Copy what the data segments from unit first on name to to, at most room bytes; *len grows by all of
 * them, also what did not fit (keys are checked all the same). @return 0 or the syndrome.
 */
uint8_t sc_gather(struct sc_device *dev, struct sc_sq *sq, const struct sc_wqe *wqe, uint32_t first,
	uint8_t *to, uint32_t room, uint64_t *len);

/* ---- swp.c ---- */
/* Parse a frame that a WQE sends: what the parser finds, and where eth says that the rest is. */
void sc_eth_parse_frame(const struct sc_eth *eth, const uint8_t *frame, uint32_t len, struct sc_parse *parse);

/* Fill what eth's cs_flags ask for into the frame; what nobody finds stays as it is. */
void sc_offload_checksum(const struct sc_eth *eth, uint8_t *frame, uint32_t len);

/* Send one finished frame in nic->tx (data and len set) through the transmit tables. */
void sc_send_packet(struct sc_device *dev, struct sc_sq *sq, const struct sc_eth *eth);

/* ---- crc.c ---- */
/* The frame check sequence of Ethernet; its low byte goes first on the wire. */
uint32_t sc_crc32(const uint8_t *bytes, uint32_t len);

/* ---- rss.c ---- */
struct sc_rss {
	uint32_t hash;
	uint8_t type; /* CQE byte 0x10 */
};

uint32_t sc_toeplitz(const uint8_t *key, const uint8_t *input, uint32_t len);
void sc_rss_hash(const struct sc_tir *tir, const uint8_t *frame, const struct sc_parse *parse,
	struct sc_rss *rss);
struct sc_rq *sc_rss_queue(const struct sc_tir *tir, const struct sc_rss *rss);

/* ---- rq.c ---- */

/* What distinguishes receive queues of another wq_type. */
struct sc_rq_ops {
	/* Are there WQEs (strides) for len bytes? */
	bool (*has_room)(struct sc_rq *rq, uint32_t len);
	/* Completions that a frame of len bytes makes: more than one where it passes over strides. */
	uint32_t (*nb_cqes)(const struct sc_rq *rq, uint32_t len);
	/*
	 * Scatter the frame, fill byte_cnt, wqe_counter and wqe_id of the completion and consume what
	 * the frame had.
	 * @return 0 or the syndrome, with nothing consumed but what was passed over.
	 */
	uint8_t (*scatter)(struct sc_device *dev, struct sc_rq *rq, const uint8_t *frame, uint32_t len,
		struct sc_cqe *cqe);
	/* Where the next frame goes, for an error completion: wqe_counter, wqe_id. */
	void (*place)(const struct sc_rq *rq, struct sc_cqe *cqe);
	/* Consume what a frame that failed had. */
	void (*skip)(struct sc_rq *rq);
};

extern const struct sc_rq_ops sc_rq_cyclic, sc_rq_striding;

/*
 * WQEs posted and not consumed. The record is read where fewer than want are known of (0: in any case,
 * and the bus does not see it); one that is ahead of its ring puts the queue into ERR.
 */
uint32_t sc_rq_posted(struct sc_rq *rq, uint32_t want);

/* Bytes of a frame as this queue scatters it. */
uint32_t sc_rq_length(const struct sc_rq *rq, const struct sc_packet *pkt);

/* In RDY, and the driver has posted to it since. */
bool sc_rq_listens(struct sc_rq *rq);
/*
 * True when a frame for this queue would have to be dropped only because the driver has not refilled it
 * yet.
 */
bool sc_rq_starved(struct sc_rq *rq, const struct sc_packet *pkt);
/* True when the driver is a good part of its completion queue behind. */
bool sc_rq_lags(struct sc_rq *rq);
void sc_rq_receive(struct sc_device *dev, struct sc_rq *rq, struct sc_packet *pkt, struct sc_parse *parse,
	const struct sc_rss *rss);
void sc_rq_to_error(struct sc_device *dev, struct sc_rq *rq);
void sc_rq_reset(struct sc_rq *rq);
/* Flush what the driver posts to a queue in ERR. @return completions written. */
uint32_t sc_rq_flush(struct sc_device *dev, struct sc_rq *rq);

/* ---- port.c ---- */

/* A frame that waits for its receive queue to be refilled. */
struct sc_held {
	struct sc_held *next;
	uint32_t tirn;
	uint64_t since_ns;
	struct sc_packet pkt;
};

/* Copy pkt, which tir cannot take now, to the end of the waiting line. @return false: no memory. */
bool sc_port_hold(struct sc_device *dev, const struct sc_packet *pkt, const struct sc_tir *tir);

/* Give waiting frames another try, in order. @return how many were taken. */
uint32_t sc_port_release(struct sc_device *dev);

/* Frames in nic->inbound. @return how many went in. */
uint32_t sc_port_drain(struct sc_device *dev, uint32_t max);

#endif

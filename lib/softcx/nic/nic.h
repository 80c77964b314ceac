/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Send, receive and completion of one device: what the engine, the verbs front and steering may use of
 * it.
 *
 * Threads: everything here runs on the engine's thread, or stepped under the engine's mutex. Nothing
 * locks. Memory shared with the driver (rings, records) is read and written in the order of
 * util/order.h.
 */
#ifndef SOFTCX_NIC_H
#define SOFTCX_NIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softcx/core/account.h"
#include "softcx/core/object.h"
#include "softcx/core/packet.h"

struct sc_umem;
struct sc_session;
struct sc_tis;
struct sc_q_counter;

#define SC_WQEBB         64
#define SC_CQ_LOG_MAX    22
#define SC_WQ_LOG_MAX    15
#define SC_RQ_SGE_MAX    32
#define SC_RSS_KEY_BYTES 40
/*
 * Striding WQEs. ext_stride_num_range goes on to 2^16 strides; the 15 bits of a completion that passes over
 * the rest of a WQE do not.
 */
#define SC_LOG_STRIDES_MIN       3
#define SC_LOG_STRIDES_MAX       15
#define SC_LOG_STRIDE_BYTES_MIN  6
#define SC_LOG_STRIDE_BYTES_MAX  13
#define SC_LOG_STRIDE_WQE_MIN    14 /* bytes of a whole WQE */
#define SC_SESSION_MAX   64 /* packets of one compressed session */

/* ---- engine -------------------------------------------------------------------------------------------- */

/* Give dev its queues' side. The wires come by sc_wire_open (wire/wire.h). @return 0 or -ENOMEM. */
int sc_nic_init(struct sc_device *dev);

/* Free what is left, objects of queues included (a device that closes with its user's objects alive). */
void sc_nic_fini(struct sc_device *dev);
/* Completions that wait to be written together (session.c): forget those of a user context that closes, as its memory may be gone. */
void sc_sessions_drop(struct sc_device *dev, uint16_t uid);

/*
 * How the device learns that a send queue has work: true = it reads the doorbell records itself
 * (uar=poll), false = only a write to the UAR makes it read the record (uar=trap). Default: true.
 */
void sc_nic_set_poll(struct sc_device *dev, bool poll_records);

/*
 * One round of bounded work: frames that came back or from a neighbour, the wire's input, then every
 * send queue in order of its number. @return units of work done (WQEs and frames); 0 = idle.
 */
uint32_t sc_nic_poll(struct sc_device *dev);
/* Then, all devices polled: take in what the host's kernel sends. busy: as in core/parts.h. */
uint32_t sc_nic_ask(struct sc_device *dev, bool busy);

/*
 * An 8-byte store into UAR page uar, at offset inside the page (0x20 arm a CQ; 0x800, 0x900, 0xa00,
 * 0xb00 send). value: the eight bytes as they lie in memory. Any thread may not: hand it to the engine.
 * @return 0; -EINVAL where no such register or queue is (the store is ignored and counted, as hardware
 * does).
 */
int sc_nic_doorbell(struct sc_device *dev, uint32_t uar, uint32_t offset, uint64_t value);

/*
 * For an engine that wants to sleep: the descriptors whose readability means input (at most max), how
 * long it may sleep at most in microseconds although nothing becomes readable (UINT32_MAX: as long as it
 * likes), and whether something waits for a record to move, which nobody will tell of.
 */
int sc_nic_fds(const struct sc_device *dev, int *fds, int max);
uint32_t sc_nic_sleep_us(const struct sc_device *dev);
bool sc_nic_watches(const struct sc_device *dev);

/* Has a send queue work that the next round would take up? */
bool sc_nic_waits(const struct sc_device *dev);

/*
 * Doorbells of the device's life, queues that are gone included. Under uar=poll nobody rings. A driver
 * that is right has no stray, idle, mismatched or forgotten ones.
 */
struct sc_nic_stats {
	uint64_t wqes;
	uint64_t doorbells;
	uint64_t idle;      /* rung with the record unchanged */
	uint64_t mismatch;  /* the rung WQE does not end at the record */
	uint64_t forgotten; /* queues whose record is, or was when reset, ahead of their last doorbell */
	uint64_t stray;     /* stores to no register or no queue */
};
void sc_nic_stats_get(const struct sc_device *dev, struct sc_nic_stats *stats);

/* ---- events -------------------------------------------------------------------------------------------- */

/* EQE types of the PRM */
enum sc_event_type {
	SC_EVENT_COMPLETION = 0x00,
	SC_EVENT_CQ_ERROR = 0x04,        /* syndrome 1: overrun */
	SC_EVENT_WQ_CATASTROPHIC = 0x05,
	SC_EVENT_RQ_LIMIT = 0x14,
};

/*
 * Where the device's events go: set once by whoever owns event channels (front). Called on the engine's
 * thread; obj is the CQ, SQ or RQ. NULL (default) = dropped.
 */
typedef void (*sc_event_fn)(void *arg, enum sc_event_type type, struct sc_object *obj, uint8_t syndrome);
void sc_nic_set_event(struct sc_device *dev, sc_event_fn fn, void *arg);

/* ---- queues -------------------------------------------------------------------------------------------- */

enum sc_queue_state { SC_QUEUE_RST = 0, SC_QUEUE_RDY = 1, SC_QUEUE_ERR = 3 };

struct sc_cq {
	struct sc_object obj;
	/* what a completion touches */
	uint8_t *ring;
	const uint8_t *dbr;       /* dword 0 consumer index, dword 1 arm */
	uint32_t pi;              /* free running; 24 bits are the PRM's producer counter */
	uint32_t ci;              /* last consumer index read, free running */
	uint32_t mask;            /* entries - 1 */
	uint8_t log_size;
	uint8_t log_stride;       /* 6 or 7 */
	uint8_t cqe_offset;       /* of the 64 bytes inside the entry: 0 or 64 */
	uint8_t status;           /* 0 OK, 9 overrun */
	bool oi, cc, enhanced;
	struct sc_session *session; /* compression (session.c); NULL: off */
	bool armed, armed_solicited, fired;
	bool solicited_at_once;   /* scqe_break_moderation_en */
	uint32_t arm_ci;          /* 24 bits: event when an entry of this index or above is there */
	uint64_t due_ns;          /* moderated event: when it fires at the latest; 0 none waits */
	/* as created */
	uint8_t cqe_sz;
	bool comp_en;
	uint8_t mini_format;      /* PRM_MINI_CQE_FORMAT_* */
	uint16_t period, max_count;
	uint8_t period_mode;
	uint32_t uar;
	uint32_t eqn;
	struct sc_umem *ring_umem, *dbr_umem; /* NULL: device-owned memory of the front */
	struct sc_object *uar_obj;
	uint64_t dbr_addr;
	uint32_t last_notified;
	uint8_t *mem;             /* device-owned ring and record, freed with the CQ; or NULL */
	uint64_t cqes, events;    /* counted */
};

/*
 * For the front's verbs CQs (ibv_create_cq): a ring of 2^log_size 64-byte entries initialised to
 * "invalid", and its record, in memory of the device; obj.uid 0. Destroy: -EBUSY while queues complete
 * to it.
 */
int sc_cq_create_owned(struct sc_device *dev, uint8_t log_size, uint32_t uar, uint16_t uid,
	struct sc_cq **out);
int sc_cq_destroy(struct sc_cq *cq);

/* Arm as the UAR write does. ci: 24 bits. */
void sc_cq_arm(struct sc_cq *cq, bool solicited, uint32_t ci);

struct sc_sq {
	struct sc_object obj;
	/* what a WQE touches */
	uint8_t *ring;
	const uint8_t *dbr;       /* the record: dword 1 is the send counter */
	struct sc_cq *cq;
	uint32_t mask;            /* WQEBBs - 1 */
	uint16_t ci;              /* next WQEBB to execute */
	uint16_t pi;              /* the record as last taken over; never executed past */
	uint8_t state;            /* enum sc_queue_state */
	uint8_t min_inline;
	bool non_wire, allow_mpw, allow_swp, flush_in_error;
	bool error_reported;      /* ce 1: only the first error produces a CQE */
	bool waits;               /* it stands still in front of the WAIT at ci, which was read */
	bool stale;               /* the record still is what it was when the queue became ready */
	uint16_t stale_record;
	uint16_t looked;          /* steering: WQEBB up to which was looked ahead */
	uint32_t pd;
	/* as created */
	uint32_t td;              /* transport domain of its TIS */
	uint32_t user_index;
	uint32_t uar;
	uint8_t ts_format;
	struct sc_tis *tis;
	struct sc_umem *ring_umem, *dbr_umem;
	struct sc_object *uar_obj, *pd_obj;
	uint8_t context[0x100];   /* the SQ context of creation, for QUERY_SQ */
	uint64_t wqes, packets, octets, doorbells;
	uint64_t doorbells_idle;      /* rung with the record unchanged */
	uint64_t doorbells_mismatch;  /* the rung WQE does not end at the record */
	uint64_t doorbells_forgotten; /* times it was reset with its record ahead of the last doorbell */
	struct sc_bus_count bus[SC_BUS_KINDS];
};

struct sc_rq;
struct sc_rq_ops; /* by wq_type: cyclic, striding */

struct sc_rq {
	struct sc_object obj;
	uint8_t *ring;
	const uint8_t *dbr;       /* dword 0 is the receive counter */
	struct sc_cq *cq;
	const struct sc_rq_ops *ops;
	uint32_t mask;            /* WQEs - 1 */
	uint16_t ci;              /* next WQE to consume */
	uint16_t pi;              /* the record when it was last needed */
	uint8_t state;
	uint8_t log_stride;       /* bytes of one WQE */
	uint8_t log_stride_bytes; /* striding: bytes of a stride */
	bool two_byte_shift;      /* frames begin two bytes into their stride */
	bool linked;              /* WQEs are a linked list */
	uint16_t node;            /* linked: index of the next WQE to consume */
	uint32_t strides;         /* of a WQE; 0: not striding */
	uint32_t used;            /* of the next WQE */
	bool vsd, scatter_fcs, flush_in_error;
	bool filled;              /* had a WQE since RDY: drivers keep empty queues for dropping */
	uint8_t ts_format;
	uint16_t lwm;             /* limit event when fewer WQEs are left; 0 = not armed */
	uint32_t pd;
	uint32_t user_index;
	struct sc_q_counter *counter; /* charged for out_of_buffer, or NULL */
	struct sc_umem *ring_umem, *dbr_umem;
	struct sc_object *pd_obj;
	uint8_t context[0x100];
	uint64_t packets, octets, out_of_buffer, errors;
	struct sc_bus_count bus[SC_BUS_KINDS];
};

struct sc_rqt {
	struct sc_object obj;
	uint32_t max_size;
	uint32_t size;            /* power of two */
	struct sc_rq **rq;        /* max_size entries */
};

struct sc_tir {
	struct sc_object obj;
	bool indirect, symmetric;
	uint8_t hash_fn;          /* 0 none, 1 inverted XOR8, 2 Toeplitz */
	uint8_t self_loopback;    /* bit 0 unicast, 1 multicast comes back from the same domain */
	uint32_t td;
	struct sc_rq *rq;         /* direct */
	struct sc_rqt *rqt;       /* indirect */
	uint32_t outer, inner;    /* hash field selectors: l3 type 31, l4 type 30, fields 29:0 */
	uint8_t key[SC_RSS_KEY_BYTES];
	/* as created and modified */
	struct sc_object *td_obj; /* NULL: td 0, none */
	uint8_t context[0x100];
};

#endif

/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Steering as the rest of the device sees it: its life, the work requests that write it, root tables,
 * anchors. The walk itself is declared in core/packet.h (sc_steer_receive, sc_steer_transmit); the parser's
 * result, which nic/ shares, in steer/parse.h.
 *
 * Threads: the engine's thread only, everywhere.
 */
#ifndef SOFTCX_STEER_H
#define SOFTCX_STEER_H

#include <stddef.h>
#include <stdint.h>

#include "softcx/core/object.h"

struct sc_device;

/* ---- life (for core/) ---- */

/* Called once the device's object tables exist and before its first command. @return 0 or -ENOMEM. */
int sc_steer_init(struct sc_device *dev);
/* Frees every steering object that is left, then the rest. Call it before nic/ frees its TIRs. */
void sc_steer_fini(struct sc_device *dev);
/*
 * A user context ended (its file was closed): destroy what it left behind, in an order that references allow.
 * Before the TIRs, umems and domains of the same context are released.
 */
void sc_steer_release(struct sc_device *dev, uint16_t uid);

struct sc_steer_stats {
	uint64_t entries;          /* STEs in use now, over all ranges */
	uint64_t entry_bytes;      /* memory ever touched for them */
	uint64_t inserted, deleted, failed; /* GTA operations: good, good, failed operation (full, absent) */
	uint64_t arguments;        /* ARG writes */
	uint64_t rule_drops;       /* frames that a rule dropped */
	uint64_t miss_drops;       /* transmit and receive frames lost by a miss that leads nowhere */
	uint64_t loop_drops;       /* frames given up after SC_WALK_LIMIT tables and STEs */
	uint64_t action_drops;     /* frames an action could not be carried out on (grown beyond the longest
				      frame) */
};
/* Copies. */
void sc_steer_stats_get(const struct sc_device *dev, struct sc_steer_stats *stats);

/* ---- what the capability tables must agree with (for core/) ---- */

#define SC_DEFINER_TRIVIAL 1  /* trivial_match_definer: predefined, made by sc_steer_init */
#define SC_DEFINER_LINEAR  2  /* linear_match_definer_reg_c3: likewise */
#define SC_HL_GTPU_DW_0       0x89 /* format_select_dw_gtpu_dw_0: header layout dwords where GTP-U is shown */
#define SC_HL_GTPU_TEID       0x88 /* format_select_dw_gtpu_dw_1 */
#define SC_HL_GTPU_DW_2       0x87 /* format_select_dw_gtpu_dw_2 */
#define SC_HL_GTPU_FIRST_EXT  0x86 /* format_select_dw_gtpu_first_ext_dw_0 */

#define SC_LOG_STE_MAX        26   /* ste_alloc_log_max */
#define SC_LOG_STC_MAX        16   /* stc_alloc_log_max: an STE keeps an STC index in 16 bits */
#define SC_LOG_DEPTH_MAX      6    /* rtc_log_depth_max */
#define SC_LOG_ARG_MAX        24   /* log_header_modify_argument_max_alloc */
#define SC_LOG_COUNTER_MAX    24   /* flow_counter_bulk_log_max_alloc */
#define SC_PATTERN_MAX        64   /* max_header_modify_pattern_length, in commands of 8 bytes */
#define SC_LEVEL_MAX          64   /* max_ft_level of NIC receive and transmit */
#define SC_ASO_COUNTER_MOD    1    /* flow_access_aso_opc_mod */
#define SC_WALK_LIMIT         512  /* tables and STEs one frame may visit */

/* ---- work requests (for nic/sq.c) ---- */

/*
 * Execute one GTA WQE (opcode 0x2c) or ACCESS_ASO WQE (opcode 0x2d). nic/ has checked opcode, SQ state,
 * non_wire, index and SQ number of the control segment, and that DS is 8; first and second are its two
 * 64-byte blocks (not adjacent where the ring wraps), pd the SQ's protection domain.
 *
 * @return 0 done; SC_WQE_FAILED the table operation failed: a good CQE with byte_cnt bit 31, whatever the
 * signal bits say; negative: the WQE is wrong, error CQE with syndrome -result, the SQ goes to the error
 * state. The device's last_error then names field and value.
 */
#define SC_WQE_FAILED 1
int sc_gta_execute(struct sc_device *dev, uint32_t pd, const uint8_t *first, const uint8_t *second);
/* A hint: this GTA WQE will be executed soon. Any bytes will do; nothing is checked, nothing happens but a
 * prefetch. */
void sc_gta_prefetch(struct sc_device *dev, const uint8_t *first, const uint8_t *second);
int sc_aso_execute(struct sc_device *dev, uint32_t pd, const uint8_t *first, const uint8_t *second);

/* ---- root tables (for front/): the kernel's flow tables of mlx5dv_create_flow_matcher and
 * mlx5dv_create_flow ---- */

enum sc_domain { SC_DOMAIN_RX, SC_DOMAIN_TX, SC_DOMAINS };

enum sc_root_action_type {
	SC_ROOT_DROP,
	SC_ROOT_TAG,          /* value: the flow tag as the CQE shows it, low 24 bits */
	SC_ROOT_DEST,         /* object: SC_TIR or SC_FLOW_TABLE */
	SC_ROOT_COUNTER,      /* object: SC_FLOW_COUNTER, value: offset in the bulk */
	SC_ROOT_DEFAULT_MISS, /* go on in the next priority */
	SC_ROOT_FLOW_ACTION,  /* object: SC_MODIFY_HEADER or SC_REFORMAT of the same domain */
};

struct sc_root_action {
	enum sc_root_action_type type;
	uint32_t value;
	struct sc_object *object; /* a reference is held until the rule is destroyed */
};

struct sc_root_matcher; /* begins with struct sc_object, type SC_ROOT_MATCHER */
struct sc_root_rule;    /* begins with struct sc_object, type SC_ROOT_RULE */
struct sc_anchor;       /* begins with struct sc_object, type SC_ANCHOR */

/*
 * mask and value: fte_match_param of len bytes (at most 0x200; the rest counts as zero). criteria: bit 0
 * outer, 1 misc, 2 inner, 3 misc_2 .. 6 misc_5; 0 matches every frame. A lower priority number is asked
 * first; equal ones in the order of their making.
 * @return 0; -EINVAL mask bits outside the criteria or in a field the device cannot match, -ENOMEM, -ENOSPC.
 * On failure dev->last_error names the cause (so for all calls below).
 */
int sc_root_matcher_create(struct sc_device *dev, uint16_t uid, enum sc_domain domain, uint16_t priority,
	uint8_t criteria, const void *mask, size_t len, struct sc_root_matcher **matcher);
int sc_root_matcher_destroy(struct sc_root_matcher *matcher); /* -EBUSY while it has rules */

/*
 * One rule: at most one each of tag, counter, modify header, reformat; on receive exactly one of drop,
 * destination, default miss; on transmit at most one (none: to the wire). Actions run in the order counter,
 * tag, decapsulation, modify header, encapsulation, destination.
 * @return 0; -EINVAL bits of value outside the mask, a combination or an object that does not fit, -ENOMEM,
 * -ENOSPC.
 */
int sc_root_rule_create(struct sc_root_matcher *matcher, uint16_t uid, const void *value, size_t len,
	const struct sc_root_action *actions, unsigned int nb_actions, struct sc_root_rule **rule);
int sc_root_rule_destroy(struct sc_root_rule *rule);

/*
 * The flow actions of mlx5dv_create_flow_action_modify_header and _packet_reformat: objects of type
 * SC_MODIFY_HEADER and SC_REFORMAT. commands: 8-byte commands of hws.md 2.8 with their data in place. type: 2
 * L2 to L2 tunnel (header data), 3 L3 tunnel to L2 (L2 header data), 4 L2 to L3 tunnel (header data), 0 decap
 * of an L2 tunnel (no data).
 */
int sc_modify_header_create(struct sc_device *dev, uint16_t uid, enum sc_domain domain, const void *commands,
	unsigned int nb_commands, struct sc_object **object);
int sc_reformat_create(struct sc_device *dev, uint16_t uid, enum sc_domain domain, uint8_t type,
	const void *data, size_t len, struct sc_object **object);
int sc_flow_action_destroy(struct sc_object *object); /* -EBUSY while rules use it */

/*
 * A steering anchor: a flow table id (for STCs and destinations) that goes on in the root of its domain at
 * the matchers of this priority and below, and from there to the kernel: on receive the frame reaches the
 * port's host side if the netdev wants it, on transmit the wire.
 */
int sc_anchor_create(struct sc_device *dev, uint16_t uid, enum sc_domain domain, uint16_t priority,
	struct sc_anchor **anchor, uint32_t *table_id);
int sc_anchor_destroy(struct sc_anchor *anchor); /* -EBUSY while an STC or a rule points to its table */

#endif

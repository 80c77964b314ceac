/* SPDX-License-Identifier: BSD-3-Clause */

/* What the files of this folder know of each other: the port's flow engine and its objects. */
#ifndef FLOW_ENGINE_H
#define FLOW_ENGINE_H

#include "hws/counter.h"
#include "hws/mlx5dr.h"
#include "hws/rule.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/queue.h>

#include <ethdev_driver.h>
#include <rte_flow.h>
#include <rte_flow_driver.h>

#include "flow/actions.h"
#include "flow/api.h"
#include "flow/flow.h"
#include "flow/items.h"
#include "flow/rss.h"

struct hca_anchor;
struct hca_root_matcher;
struct hca_root_rule;

#define FLOW_MAX_TEMPLATES_PER_TABLE 32
#define FLOW_MAX_TABLES 65535          /* a rule names its table in 16 bits */
#define FLOW_MAX_RULES (1u << 26)
#define FLOW_MAX_PRIORITY 0xfeffu      /* of the application; the default rules come after */
#define FLOW_MAX_QUEUES 1024
#define FLOW_OWN_QUEUE_SIZE 256        /* operations of the engine's own queue */

/* rule.counter of a rule that counts on an indirect action: this bit and the handle's index. */
#define FLOW_SHARED_COUNTER (1u << 31)

/* Marks in rule.fate, beside the number of its handle: of rules whose results are not the common ones. */
#ifdef FLOW_HAS_INDEX
#define FLOW_FATE_INDEXED (1u << 30)  /* of a table by index */
#define FLOW_FATE_CHANGING (1u << 31) /* an update or a move has not been pulled */
#else
#define FLOW_FATE_INDEXED 0u
#define FLOW_FATE_CHANGING 0u
#endif
#define FLOW_FATE_MARKS (FLOW_FATE_INDEXED | FLOW_FATE_CHANGING)

/* ---- groups ---------------------------------------------------------------------------------------------------- */

struct flow_group {
	uint32_t number;
	enum mlx5dr_table_type type;
	struct mlx5dr_table *table;
	struct mlx5dr_action *jump; /* NULL for group 0 */
	uint32_t refs;              /* template tables in it, templates that jump to it, and one for `kept` */
};

/* ---- templates and tables -------------------------------------------------------------------------------------- */

struct rte_flow_pattern_template {
	LIST_ENTRY(rte_flow_pattern_template) next;
	struct flow_port *port;
	uint32_t refs; /* tables */
	uint8_t directions;
	bool relaxed;
	uint16_t nb_items;
	struct rte_flow_item *items; /* copy, for dumps and for naming what is wrong with a rule */
	struct mlx5dr_match_template *mt[MLX5DR_NB_TABLE_TYPES];
};

/* An actions template in one direction, with its objects. */
struct flow_actions_side {
	struct mlx5dr_action_template *at;
	struct flow_rss *rss;
	struct flow_group *jump;
	struct rte_flow_template_table *rows; /* that the template's fate jumps to */
	bool holds_queues;
	struct rte_flow_action_handle *handles[2]; /* fixed ones: referenced */
	struct flow_plan plan; /* of a finished one FLOW_PLAN_KEPT_BYTES */
};

struct rte_flow_actions_template {
	LIST_ENTRY(rte_flow_actions_template) next;
	struct flow_port *port;
	uint32_t refs;
	uint8_t directions;
	uint16_t nb_actions;
	struct rte_flow_action *actions; /* types and confs, for dumps and errors */
	struct flow_actions_side *side[MLX5DR_NB_TABLE_TYPES];
};

/* What async.c needs of a (pattern, actions) pair, side by side. */
struct flow_pair {
	const struct mlx5dr_pair *pair;
	const struct flow_plan *plan; /* NULL: nothing to prepare */
};

/* One RSS that rules of a table give in full. */
struct flow_rule_rss {
	struct flow_rule_rss *next;
	struct flow_rss *rss;
	uint32_t stc_be;
};

#define FLOW_RSS_CACHE 64
struct flow_rss_cache {
	const struct flow_rule_rss *entry[FLOW_RSS_CACHE];
};

/* What a rule that is being updated holds beside what is in its record: members of that. */
struct flow_held {
	uint32_t counter, fate;
};

struct rte_flow_template_table {
	/* read per rule */
	struct mlx5dr_matcher *matcher;
	struct flow_port *port;
	uint16_t index;
	uint8_t nb_pt, nb_at;
	struct flow_pair *pairs;           /* [pt * nb_at + at] */
	struct flow_rss_cache *rss_cache;  /* per flow queue; NULL: no RSS per rule */
	/* the rest */
	LIST_ENTRY(rte_flow_template_table) next;
	struct flow_rule_rss *rss_list;    /* under the port's lock */
	struct flow_group *group;
	struct rte_flow_template_table_attr attr;
	bool jumps_by_rule;
	bool by_index;                     /* records are taken and released, not got and put */
	struct mlx5dr_match_template *linear_mt; /* of a linear table: no field */
	uint8_t pt_of_part[MLX5DR_MAX_TEMPLATES]; /* the first pattern template of each mask, for updates */
	struct flow_held *held;            /* by record; NULL: rules hold nothing */
	size_t held_bytes;
	/* rows.c, under the port's lock; row_targets is also read per rule */
	struct mlx5dr_action *row_jump;    /* to this table's rows, while somebody may jump there */
	uint32_t row_users;                /* templates that jump there, and tables whose rules do */
	/* Bits by index: tables whose rows rules of this one jump to. NULL: its rules do not say where to. */
	uint64_t *row_targets;
	struct rte_flow_pattern_template *pt[FLOW_MAX_TEMPLATES_PER_TABLE];
	struct rte_flow_actions_template *at[FLOW_MAX_TEMPLATES_PER_TABLE];
};

/* ---- indirect actions ------------------------------------------------------------------------------------------ */

struct rte_flow_action_handle {
	uint32_t stc_be;              /* RSS: what rules carry */
	enum rte_flow_action_type type;
	struct flow_port *port;
	LIST_ENTRY(rte_flow_action_handle) next;
	atomic_uint refs;             /* rules and templates */
	uint32_t index;               /* in port->handles */
	uint8_t directions;
	struct mlx5dr_action *action; /* RSS: its own STC */
	struct flow_rss *rss;
	uint32_t counter;             /* COUNT */
};
static_assert(FLOW_HANDLE_STC_OFFSET == offsetof(struct rte_flow_action_handle, stc_be), "rules read it from there");

/* ---- queues ---------------------------------------------------------------------------------------------------- */

struct flow_queue {
	struct mlx5dr_queue *hw;
	uint8_t *scratch;
	uint32_t nb_stashed, stash_next;   /* results that flush drained and nobody pulled yet */
	struct rte_flow_op_result *stash;
	uint32_t size;
	uint32_t made_group;               /* by the rule being made; 0: none */
	uint32_t counter_puts;             /* counters of this queue's rules given back since the last round */
	struct flow_port *port;
	struct rte_flow_error *error;      /* of the deletion being refused */
} __rte_cache_aligned;

/* Kinds of mlx5dr_queue_complete. */
enum { FLOW_OP_RULE = 0, FLOW_OP_HANDLE = 1, FLOW_OP_FAILED_RULE = 2 };

/* ---- the port -------------------------------------------------------------------------------------------------- */

struct flow_defaults_state;
struct flow_rss_sort;

/* A receive queue as a destination. */
struct flow_queue_dest {
	struct mlx5dr_action *action;
	struct hca_rss *tir;
};
struct flow_service;

struct flow_port {
	/* read per rule */
	struct flow_queue *queues;
	uint16_t nb_queues;                /* 0: rte_flow_configure has not been called */
	struct rte_flow_template_table **tables; /* by index */
	struct mlx5dr_stc_map *jumps[MLX5DR_NB_TABLE_TYPES];
	uint8_t *kept[MLX5DR_NB_TABLE_TYPES]; /* by group: some rule jumps there by number */
	struct mlx5dr_counter_pool *counters;
	uint32_t round_puts;               /* so many counter_puts of a queue want a round */
	uint32_t rounds_wanted;
	struct mlx5dr_context *ctx;
	/* the rest */
	struct flow_port_attr attr;
	struct rte_eth_dev *dev;
	pthread_mutex_t lock;
	pthread_mutex_t refresh_lock;      /* one reader of counters at a time; taken last */
	struct flow_regs regs;
	bool isolated, started;
	const char *unsupported;           /* why there is no hardware steering */
	struct rte_flow_port_attr config;
	struct mlx5dr_stc_map *queue_map;  /* receive queue -> TIR's STC */
	struct flow_queue_dest *queue_dests; /* for as many queues as the port has had */
	uint32_t nb_queue_dests;
	uint32_t queue_map_refs;
	struct flow_rss *rss;
	struct flow_rss_sort *rss_sort[2]; /* templates of the tables behind an RSS of several shapes: outer, inner headers */
	struct flow_group **groups[MLX5DR_NB_TABLE_TYPES];
	uint32_t nb_rule_jump_tables;
	struct hca_root_matcher *root_matcher[MLX5DR_NB_TABLE_TYPES];
	struct hca_root_rule *root_rule[MLX5DR_NB_TABLE_TYPES];
	struct hca_anchor *anchor;
	struct flow_defaults_state *defaults;
	LIST_HEAD(, rte_flow_pattern_template) pattern_templates;
	LIST_HEAD(, rte_flow_actions_template) actions_templates;
	LIST_HEAD(, rte_flow_template_table) table_list;
	LIST_HEAD(, rte_flow_action_handle) handle_list;
	struct rte_flow_action_handle **handles; /* by index */
	uint32_t nb_handles, next_handle;
	uint64_t counters_read_at;         /* ms, monotonic */
	struct flow_service *service;      /* the counter thread, NULL: none */
};

static inline struct flow_port *
flow_port_of(const struct rte_eth_dev *dev)
{
	return dev->process_private;
}

static inline enum mlx5dr_table_type
flow_type_of(const struct rte_flow_attr *attr)
{
	return attr->egress ? MLX5DR_NIC_TX : MLX5DR_NIC_RX;
}

/* configure.c, under the lock: what a port has without a configuration. */
void flow_queues_free(struct flow_port *port);

/* check.c. Ops that make or change objects need this first. */
int flow_port_check(struct flow_port *port, struct rte_flow_error *error);
/* A text for what hws refused: its own, or the device's last error, or the errno's. */
const char *flow_reason(const struct mlx5dr_error *reason, int rc);
uint64_t flow_now_ms(void);

/* Transfer is refused, no direction too. what: "pattern template". */
int flow_check_directions(const void *attr, bool ingress, bool egress, bool transfer, const char *what,
	struct rte_flow_error *error);

/* group.c, under the lock. get takes a reference and makes the group where it is new. */
int flow_group_get(struct flow_port *port, enum mlx5dr_table_type type, uint32_t number, struct flow_group **group);
void flow_group_put(struct flow_port *port, struct flow_group *group);
/* A rule jumps to it by number: it stays until no table has such rules. @return 0, 1: was made now, -errno. */
int flow_group_keep(struct flow_port *port, enum mlx5dr_table_type type, uint32_t number);
void flow_group_unkeep(struct flow_port *port, enum mlx5dr_table_type type, uint32_t number);
void flow_groups_release_kept(struct flow_port *port);
int flow_groups_open(struct flow_port *port);
void flow_groups_close(struct flow_port *port);
uint32_t flow_anchor_id(const struct flow_port *port);
/* Root rules: send everything to group 0, or no longer. */
int flow_root_install(struct flow_port *port);
void flow_root_remove(struct flow_port *port);

/* queue_map.c, under the lock: TIR and STC of every receive queue, for rules that name queues by index. */
int flow_queue_map_get(struct flow_port *port);
void flow_queue_map_put(struct flow_port *port);
/* The queues that the port has now; of others rules can name none, but what templates hold of them stays. */
int flow_queue_map_fill(struct flow_port *port);

/* internal.c: one rule through the engine's own queue, waited for. items: what the matcher's sources read. */
int flow_internal_create(struct flow_port *port, struct mlx5dr_matcher *matcher, uint8_t mt, uint8_t at,
	const void *items, struct mlx5dr_rule **rule);
int flow_internal_destroy(struct flow_port *port, struct mlx5dr_matcher *matcher, struct mlx5dr_rule *rule);

/* defaults.c: the first apply installs, later ones change what differs. */
int flow_defaults_apply(struct flow_port *port, const struct flow_defaults *want);
void flow_defaults_close(struct flow_port *port);

/* flush.c: finish what is in flight, keep results for pull, take all rules out. */
void flow_flush_rules(struct flow_port *port);

/* counter.c */
/* All of them, whatever their age; the device silent: -ETIMEDOUT, dead: -EIO. refresh: where they are older than the cycle. */
int flow_counters_read(struct flow_port *port);
int flow_counters_refresh(struct flow_port *port);
/* One step of a round, from pull. */
void flow_counters_service(struct flow_port *port, struct flow_queue *queue);
/*
 * No counter was free: freed ones wait, and a step was made of the round that brings them back. false: none wait, or
 * that took too long already (deadline: 0 at first).
 */
bool flow_counters_coming(struct flow_port *port, const struct mlx5dr_queue *queue, uint64_t *deadline);
/* For an indirect action. -EAGAIN: all free ones wait for a round; -ENOSPC: all are in use. */
int flow_counter_take(struct flow_port *port, struct mlx5dr_queue *queue, uint32_t *counter);
int flow_counter_read(struct flow_port *port, uint32_t counter, struct rte_flow_query_count *count, const void *cause,
	struct rte_flow_error *error);
/* What a rule holds: counter, handles. Called when its record is given back. */
void flow_rule_release(struct flow_port *port, struct mlx5dr_queue *queue, struct mlx5dr_rule *rule);

/* indirect.c */
void flow_handle_free(struct flow_port *port, struct rte_flow_action_handle *handle);
enum rte_flow_action_type flow_handle_type(void *port, const struct rte_flow_action_handle *handle);

/* prepare.c: the steps of a plan for one rule. On error what was taken is given back. */
int flow_prepare_rule(struct flow_queue *queue, struct rte_flow_template_table *table, const struct flow_plan *plan,
	const struct rte_flow_action actions[], struct mlx5dr_rule *rule, struct rte_flow_error *error);

/* The rule failed after that: a group that it made goes again. */
void flow_prepare_undo(struct flow_queue *queue, struct rte_flow_template_table *table, const struct flow_plan *plan);

/* async.c. The queue, if it takes an operation now; NULL after filling error. */
struct flow_queue *flow_queue_for(struct flow_port *port, uint32_t queue_id, struct rte_flow_error *error);
/* Results of a queue as pull gives them. */
uint32_t flow_queue_collect(struct flow_port *port, struct flow_queue *queue, struct rte_flow_op_result res[],
	uint32_t n);
static inline bool
flow_queue_has_room(const struct flow_queue *queue)
{
	return queue->nb_stashed + mlx5dr_queue_pending(queue->hw) < queue->size;
}

/* explain.c: why hws refused a rule, by name. @return NULL after filling error. */
struct rte_flow *flow_explain(struct flow_queue *queue, struct rte_flow_template_table *table, uint8_t pt, uint8_t at,
	const struct rte_flow_item items[], const struct rte_flow_action actions[], int rc,
	struct rte_flow_error *error);

/* by_index.c, of the table's attributes and first template; open before the matcher is made. */
#ifdef FLOW_HAS_INDEX
int flow_index_check(struct flow_port *port, const struct rte_flow_template_table_attr *attr,
	struct rte_flow_pattern_template *pts[], uint8_t nb_pts, struct rte_flow_error *error);
uint8_t flow_index_mode(const struct rte_flow_template_table_attr *attr); /* enum mlx5dr_matcher_mode */
int flow_index_open(struct rte_flow_template_table *table);
void flow_index_close(struct rte_flow_template_table *table);
#else
static inline int
flow_index_check(struct flow_port *port, const struct rte_flow_template_table_attr *attr,
	struct rte_flow_pattern_template *pts[], uint8_t nb_pts, struct rte_flow_error *error)
{
	return 0;
}
static inline uint8_t flow_index_mode(const struct rte_flow_template_table_attr *attr) { return MLX5DR_MATCHER_BY_HASH; }
static inline int flow_index_open(struct rte_flow_template_table *table) { return 0; }
static inline void flow_index_close(struct rte_flow_template_table *table) { }
#endif

/* rows.c: jumps to one row of a table by index with pattern. Under the lock, but for reach and check_row, which rules call. */
#ifdef FLOW_HAS_INDEX_PATTERN
int flow_rows_check(const struct flow_port *port, const struct rte_flow_template_table *rows, enum mlx5dr_table_type type,
	const struct rte_flow_action *action, struct rte_flow_error *error);
int flow_rows_check_row(const struct rte_flow_template_table *rows, uint32_t row, const struct rte_flow_action *action,
	struct rte_flow_error *error);
/* One more user of its rows: it stays until all have put it, and row_jump is there. */
int flow_rows_hold(struct rte_flow_template_table *rows, const struct rte_flow_action *action, struct rte_flow_error *error);
void flow_rows_put(struct rte_flow_template_table *rows);
/* A rule of table jumps there: held by the table from now on. */
int flow_rows_reach(struct rte_flow_template_table *table, struct rte_flow_template_table *rows, enum mlx5dr_table_type type,
	const struct rte_flow_action *action, struct rte_flow_error *error);
/* Before the table goes: -EBUSY while somebody may jump to its rows. Tables without rules do not count. */
int flow_rows_leave(struct flow_port *port, struct rte_flow_template_table *rows);
int flow_rows_open(struct rte_flow_template_table *table, enum mlx5dr_table_type type);
void flow_rows_close(struct rte_flow_template_table *table);
#else
static inline int flow_rows_check(const struct flow_port *port, const struct rte_flow_template_table *rows,
	enum mlx5dr_table_type type, const struct rte_flow_action *action, struct rte_flow_error *error) { return -ENOTSUP; }
static inline int flow_rows_check_row(const struct rte_flow_template_table *rows, uint32_t row,
	const struct rte_flow_action *action, struct rte_flow_error *error) { return -ENOTSUP; }
static inline int flow_rows_hold(struct rte_flow_template_table *rows, const struct rte_flow_action *action,
	struct rte_flow_error *error) { return -ENOTSUP; }
static inline void flow_rows_put(struct rte_flow_template_table *rows) { }
static inline int flow_rows_leave(struct flow_port *port, struct rte_flow_template_table *rows) { return 0; }
static inline int flow_rows_open(struct rte_flow_template_table *table, enum mlx5dr_table_type type) { return 0; }
static inline void flow_rows_close(struct rte_flow_template_table *table) { }
#endif

/* change.c. open: after pairs are there. done: the result of an update or a move was pulled. */
#ifdef FLOW_HAS_UPDATE
int flow_change_open(struct rte_flow_template_table *table, enum mlx5dr_table_type type);
void flow_change_close(struct rte_flow_template_table *table);
void flow_change_done(struct flow_port *port, struct flow_queue *queue, struct mlx5dr_rule *rule, bool failed);
#else
static inline int flow_change_open(struct rte_flow_template_table *table, enum mlx5dr_table_type type) { return 0; }
static inline void flow_change_close(struct rte_flow_template_table *table) { }
static inline void
flow_change_done(struct flow_port *port, struct flow_queue *queue, struct mlx5dr_rule *rule, bool failed)
{
}
#endif
#ifdef FLOW_HAS_RESIZE
bool flow_table_is_resizable(const struct rte_flow_template_table_attr *attr);
#else
static inline bool flow_table_is_resizable(const struct rte_flow_template_table_attr *attr) { return false; }
#endif

/* Back to the free ones, what the rule held being released. */
static inline void
flow_record_put(const struct rte_flow_template_table *table, struct mlx5dr_queue *queue, struct mlx5dr_rule *rule)
{
	if (table->by_index)
		mlx5dr_rule_release(table->matcher, queue, rule);
	else
		mlx5dr_rule_put(table->matcher, queue, rule);
}

/* table.c */
int flow_table_free(struct flow_port *port, struct rte_flow_template_table *table);
void flow_pattern_template_free(struct rte_flow_pattern_template *pt);
void flow_actions_template_free(struct rte_flow_actions_template *at);

/* The ops, one file per family. */
int flow_op_info_get(struct rte_eth_dev *dev, struct rte_flow_port_info *port_info,
	struct rte_flow_queue_info *queue_info, struct rte_flow_error *error);
int flow_op_configure(struct rte_eth_dev *dev, const struct rte_flow_port_attr *port_attr, uint16_t nb_queue,
	const struct rte_flow_queue_attr *queue_attr[], struct rte_flow_error *error);
struct rte_flow_pattern_template *flow_op_pattern_template_create(struct rte_eth_dev *dev,
	const struct rte_flow_pattern_template_attr *attr, const struct rte_flow_item pattern[],
	struct rte_flow_error *error);
int flow_op_pattern_template_destroy(struct rte_eth_dev *dev, struct rte_flow_pattern_template *pt,
	struct rte_flow_error *error);
struct rte_flow_actions_template *flow_op_actions_template_create(struct rte_eth_dev *dev,
	const struct rte_flow_actions_template_attr *attr, const struct rte_flow_action actions[],
	const struct rte_flow_action masks[], struct rte_flow_error *error);
int flow_op_actions_template_destroy(struct rte_eth_dev *dev, struct rte_flow_actions_template *at,
	struct rte_flow_error *error);
struct rte_flow_template_table *flow_op_table_create(struct rte_eth_dev *dev,
	const struct rte_flow_template_table_attr *attr, struct rte_flow_pattern_template *pts[], uint8_t nb_pts,
	struct rte_flow_actions_template *ats[], uint8_t nb_ats, struct rte_flow_error *error);
int flow_op_table_destroy(struct rte_eth_dev *dev, struct rte_flow_template_table *table,
	struct rte_flow_error *error);
struct rte_flow *flow_op_async_create(struct rte_eth_dev *dev, uint32_t queue_id, const struct rte_flow_op_attr *attr,
	struct rte_flow_template_table *table, const struct rte_flow_item pattern[], uint8_t pt_index,
	const struct rte_flow_action actions[], uint8_t at_index, void *user_data, struct rte_flow_error *error);
int flow_op_async_destroy(struct rte_eth_dev *dev, uint32_t queue_id, const struct rte_flow_op_attr *attr,
	struct rte_flow *flow, void *user_data, struct rte_flow_error *error);
int flow_op_push(struct rte_eth_dev *dev, uint32_t queue_id, struct rte_flow_error *error);
int flow_op_pull(struct rte_eth_dev *dev, uint32_t queue_id, struct rte_flow_op_result res[], uint16_t n_res,
	struct rte_flow_error *error);
struct rte_flow_action_handle *flow_op_handle_create(struct rte_eth_dev *dev,
	const struct rte_flow_indir_action_conf *conf, const struct rte_flow_action *action,
	struct rte_flow_error *error);
int flow_op_handle_destroy(struct rte_eth_dev *dev, struct rte_flow_action_handle *handle,
	struct rte_flow_error *error);
int flow_op_handle_update(struct rte_eth_dev *dev, struct rte_flow_action_handle *handle, const void *update,
	struct rte_flow_error *error);
int flow_op_handle_query(struct rte_eth_dev *dev, const struct rte_flow_action_handle *handle, void *data,
	struct rte_flow_error *error);
struct rte_flow_action_handle *flow_op_async_handle_create(struct rte_eth_dev *dev, uint32_t queue_id,
	const struct rte_flow_op_attr *attr, const struct rte_flow_indir_action_conf *conf,
	const struct rte_flow_action *action, void *user_data, struct rte_flow_error *error);
int flow_op_async_handle_destroy(struct rte_eth_dev *dev, uint32_t queue_id, const struct rte_flow_op_attr *attr,
	struct rte_flow_action_handle *handle, void *user_data, struct rte_flow_error *error);
int flow_op_async_handle_update(struct rte_eth_dev *dev, uint32_t queue_id, const struct rte_flow_op_attr *attr,
	struct rte_flow_action_handle *handle, const void *update, void *user_data, struct rte_flow_error *error);
int flow_op_async_handle_query(struct rte_eth_dev *dev, uint32_t queue_id, const struct rte_flow_op_attr *attr,
	const struct rte_flow_action_handle *handle, void *data, void *user_data, struct rte_flow_error *error);
int flow_op_query(struct rte_eth_dev *dev, struct rte_flow *flow, const struct rte_flow_action *action, void *data,
	struct rte_flow_error *error);
int flow_op_flush(struct rte_eth_dev *dev, struct rte_flow_error *error);
int flow_op_isolate(struct rte_eth_dev *dev, int set, struct rte_flow_error *error);
int flow_op_dev_dump(struct rte_eth_dev *dev, struct rte_flow *flow, FILE *file, struct rte_flow_error *error);
int flow_op_validate(struct rte_eth_dev *dev, const struct rte_flow_attr *attr, const struct rte_flow_item pattern[],
	const struct rte_flow_action actions[], struct rte_flow_error *error);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */

#include "tuples.h"

#include <string.h>
#include <time.h>

#include <rte_errno.h>
#include <rte_mbuf.h>

#define FRAME 64
#define PAYLOAD_AT 42 /* the tuple's place in its burst, then its number */
#define MARKS 0xfff000u

static uint64_t
mix(uint64_t salt, uint32_t n)
{
	struct chance chance = { salt ^ ((uint64_t)n << 20) };

	return chance_next(&chance);
}

struct tuple
tuple_of(uint64_t salt, uint32_t n)
{
	uint64_t h = mix(salt, n);

	return (struct tuple){
		.src = rte_cpu_to_be_32(n * 2654435761u + (uint32_t)salt),
		.dst = rte_cpu_to_be_32((uint32_t)h),
		.sport = rte_cpu_to_be_16((uint16_t)(h >> 32)),
		.dport = rte_cpu_to_be_16((uint16_t)(h >> 48) == 4789 ? 1 : (uint16_t)(h >> 48)),
	};
}

uint32_t
tuple_mark(uint64_t salt, uint32_t n)
{
	return (uint32_t)(mix(salt + 1, n) % MARKS);
}

uint16_t
tuple_queue(uint64_t salt, uint32_t n)
{
	return (uint16_t)(mix(salt + 2, n) % NB_RX);
}

/* ---- templates -------------------------------------------------------------------------------------------------- */

static struct rte_flow_pattern_template *
make_pattern(const struct port *port, struct rte_flow_error *error)
{
	const struct rte_flow_pattern_template_attr attr = { .ingress = 1 };
	const struct rte_flow_item_ipv4 ip = { .hdr = { .src_addr = UINT32_MAX, .dst_addr = UINT32_MAX } };
	const struct rte_flow_item_udp udp = { .hdr = { .src_port = UINT16_MAX, .dst_port = UINT16_MAX } };
	const struct rte_flow_item items[] = {
		{ .type = RTE_FLOW_ITEM_TYPE_ETH },
		{ .type = RTE_FLOW_ITEM_TYPE_IPV4, .mask = &ip },
		{ .type = RTE_FLOW_ITEM_TYPE_UDP, .mask = &udp },
		{ .type = RTE_FLOW_ITEM_TYPE_END },
	};

	return rte_flow_pattern_template_create(port->id, &attr, items, error);
}

static struct rte_flow_actions_template *
make_actions(const struct port *port, struct rte_flow_error *error)
{
	const struct rte_flow_actions_template_attr attr = { .ingress = 1 };
	const struct rte_flow_action_mark mark = { 0 };
	const struct rte_flow_action_queue queue = { 0 };
	const struct rte_flow_action actions[] = {
		{ .type = RTE_FLOW_ACTION_TYPE_MARK, .conf = &mark },
		{ .type = RTE_FLOW_ACTION_TYPE_QUEUE, .conf = &queue },
		{ .type = RTE_FLOW_ACTION_TYPE_END },
	};

	return rte_flow_actions_template_create(port->id, &attr, actions, actions, error);
}

void
tuple_table_create(struct tuple_table *t, const struct port *port, uint32_t nb_rules, uint32_t priority)
{
	const struct rte_flow_template_table_attr attr = {
		.flow_attr = { .ingress = 1, .priority = priority }, .nb_flows = nb_rules,
	};
	struct rte_flow_error error = { 0 };

	t->pattern = make_pattern(port, &error);
	CHECK(t->pattern != NULL, "pattern template: %s", error.message);
	t->actions = make_actions(port, &error);
	CHECK(t->actions != NULL, "actions template: %s", error.message);
	t->table = rte_flow_template_table_create(port->id, &attr, &t->pattern, 1, &t->actions, 1, &error);
	CHECK(t->table != NULL, "table of %u rules: %s", nb_rules, error.message);
}

void
tuple_table_destroy(struct tuple_table *t, const struct port *port)
{
	struct rte_flow_error error = { 0 };

	CHECK(rte_flow_template_table_destroy(port->id, t->table, &error) == 0, "table destroy: %s", error.message);
	CHECK(rte_flow_actions_template_destroy(port->id, t->actions, &error) == 0, "actions destroy: %s", error.message);
	CHECK(rte_flow_pattern_template_destroy(port->id, t->pattern, &error) == 0, "pattern destroy: %s", error.message);
}

struct rte_flow *
tuple_insert(const struct tuple_table *t, const struct port *port, uint32_t queue_id, uint64_t salt, uint32_t n,
	bool postpone, void *user_data, struct rte_flow_error *error)
{
	const struct rte_flow_op_attr attr = { .postpone = postpone };
	const struct tuple tuple = tuple_of(salt, n);
	const struct rte_flow_item_ipv4 ip = { .hdr = { .src_addr = tuple.src, .dst_addr = tuple.dst } };
	const struct rte_flow_item_udp udp = { .hdr = { .src_port = tuple.sport, .dst_port = tuple.dport } };
	const struct rte_flow_action_mark mark = { tuple_mark(salt, n) };
	const struct rte_flow_action_queue queue = { tuple_queue(salt, n) };
	const struct rte_flow_item items[] = {
		{ .type = RTE_FLOW_ITEM_TYPE_ETH },
		{ .type = RTE_FLOW_ITEM_TYPE_IPV4, .spec = &ip },
		{ .type = RTE_FLOW_ITEM_TYPE_UDP, .spec = &udp },
		{ .type = RTE_FLOW_ITEM_TYPE_END },
	};
	const struct rte_flow_action actions[] = {
		{ .type = RTE_FLOW_ACTION_TYPE_MARK, .conf = &mark },
		{ .type = RTE_FLOW_ACTION_TYPE_QUEUE, .conf = &queue },
		{ .type = RTE_FLOW_ACTION_TYPE_END },
	};

	return rte_flow_async_create(port->id, queue_id, &attr, t->table, items, 0, actions, 0, user_data, error);
}

/* ---- frames ----------------------------------------------------------------------------------------------------- */

struct rte_mbuf *
frame_make(const struct port *port, uint64_t salt, uint32_t n, uint32_t place)
{
	static const uint8_t head[PAYLOAD_AT] = { 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0, 0, FRAME - 14, 0, 0, 0, 0,
		64, 17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, FRAME - 34 };
	const struct tuple tuple = tuple_of(salt, n);
	struct rte_mbuf *m = rte_pktmbuf_alloc(port->pool);
	uint8_t *bytes;

	if (m == NULL)
		return NULL;
	bytes = (uint8_t *)rte_pktmbuf_append(m, FRAME);
	CHECK(bytes != NULL, "an mbuf has no room for %d bytes", FRAME);
	memset(bytes, 0, FRAME);
	memcpy(bytes, head, sizeof(head));
	memcpy(bytes + 26, &tuple, sizeof(tuple)); /* addresses and ports lie side by side */
	memcpy(bytes + PAYLOAD_AT, &place, sizeof(place));
	memcpy(bytes + PAYLOAD_AT + 4, &n, sizeof(n));
	return m;
}

void
frame_read(const struct rte_mbuf *m, uint32_t *place, uint32_t *n)
{
	const uint8_t *bytes = rte_pktmbuf_mtod(m, const uint8_t *);

	CHECK(m->pkt_len == FRAME && m->nb_segs == 1, "a frame of %u bytes came back", m->pkt_len);
	memcpy(place, bytes + PAYLOAD_AT, sizeof(*place));
	memcpy(n, bytes + PAYLOAD_AT + 4, sizeof(*n));
}

static void
take_frame(struct rte_mbuf *m, uint16_t queue, const uint32_t *n, uint32_t nb, struct frame_seen *seen)
{
	uint32_t place, number;

	frame_read(m, &place, &number);
	CHECK(place < nb && n[place] == number, "a frame of another burst came back");
	CHECK(seen[place].queue == UINT16_MAX, "the frame of tuple %u came back twice", number);
	seen[place].queue = queue;
	seen[place].marked = (m->ol_flags & RTE_MBUF_F_RX_FDIR_ID) != 0;
	seen[place].mark = m->hash.fdir.hi;
	rte_pktmbuf_free(m);
}

static void
send_frames(const struct port *port, uint64_t salt, const uint32_t *n, uint32_t nb)
{
	for (uint32_t i = 0; i < nb; i++) {
		struct rte_mbuf *m = frame_make(port, salt, n[i], i);

		CHECK(m != NULL, "out of mbufs");
		for (uint32_t tries = 0; rte_eth_tx_burst(port->id, i % NB_RX, &m, 1) == 0; tries++) {
			CHECK(tries < 1000000, "tx queue stays full");
			device_move();
		}
	}
}

void
frames_exchange(const struct port *port, uint64_t salt, const uint32_t *n, uint32_t nb, struct frame_seen *seen)
{
	time_t deadline = time(NULL) + 10;
	struct rte_mbuf *pkts[32];
	uint32_t came = 0;

	CHECK(nb <= FRAMES_MAX, "%u frames at once", nb);
	for (uint32_t i = 0; i < nb; i++)
		seen[i].queue = UINT16_MAX;
	send_frames(port, salt, n, nb);
	while (came < nb) {
		device_move();
		for (uint16_t queue = 0; queue < NB_RX; queue++) {
			uint16_t got = rte_eth_rx_burst(port->id, queue, pkts, 32);

			for (uint16_t i = 0; i < got; i++)
				take_frame(pkts[i], queue, n, nb, seen);
			came += got;
		}
		CHECK(came == nb || time(NULL) < deadline, "%u of %u frames came back", came, nb);
	}
}

uint32_t
frames_compare(const struct port *port, uint64_t salt, const uint32_t *n, const bool *there, uint32_t nb)
{
	struct frame_seen seen[FRAMES_MAX];

	frames_exchange(port, salt, n, nb, seen);
	for (uint32_t i = 0; i < nb; i++) {
		if (!there[i]) {
			CHECK(!seen[i].marked, "tuple %u has no rule, its frame was marked %u", n[i], seen[i].mark);
			continue;
		}
		CHECK(seen[i].marked, "tuple %u has a rule, its frame was not marked", n[i]);
		CHECK(seen[i].mark == tuple_mark(salt, n[i]), "tuple %u: mark %u, not %u", n[i], seen[i].mark,
			tuple_mark(salt, n[i]));
		CHECK(seen[i].queue == tuple_queue(salt, n[i]), "tuple %u: queue %u, not %u", n[i], seen[i].queue,
			tuple_queue(salt, n[i]));
	}
	return nb;
}

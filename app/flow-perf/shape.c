/* SPDX-License-Identifier: BSD-3-Clause */

#include "shape.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_ethdev.h>

struct shape_field {
	const char *name;
	uint16_t offset;
	uint8_t bytes;
};

struct shape_item {
	const char *name;
	enum rte_flow_item_type type;
	uint16_t size;
	struct shape_field field[SHAPE_FIELDS];
};

#define FIELD(kind, label, member) \
	{ label, offsetof(struct rte_flow_item_##kind, member), sizeof(((struct rte_flow_item_##kind *)0)->member) }
#define ITEM(label, TYPE, kind) .name = label, .type = RTE_FLOW_ITEM_TYPE_##TYPE, .size = sizeof(struct rte_flow_item_##kind)

static const struct shape_item items[] = {
	{ITEM("eth", ETH, eth), .field = {FIELD(eth, "src", hdr.src_addr), FIELD(eth, "dst", hdr.dst_addr),
		FIELD(eth, "type", hdr.ether_type)}},
	{ITEM("vlan", VLAN, vlan), .field = {FIELD(vlan, "tci", hdr.vlan_tci)}},
	{ITEM("ipv4", IPV4, ipv4), .field = {FIELD(ipv4, "src", hdr.src_addr), FIELD(ipv4, "dst", hdr.dst_addr),
		FIELD(ipv4, "tos", hdr.type_of_service), FIELD(ipv4, "ttl", hdr.time_to_live),
		FIELD(ipv4, "proto", hdr.next_proto_id)}},
	{ITEM("ipv6", IPV6, ipv6), .field = {FIELD(ipv6, "src", hdr.src_addr), FIELD(ipv6, "dst", hdr.dst_addr),
		FIELD(ipv6, "proto", hdr.proto), FIELD(ipv6, "hop", hdr.hop_limits)}},
	{ITEM("udp", UDP, udp), .field = {FIELD(udp, "sport", hdr.src_port), FIELD(udp, "dport", hdr.dst_port)}},
	{ITEM("tcp", TCP, tcp), .field = {FIELD(tcp, "sport", hdr.src_port), FIELD(tcp, "dport", hdr.dst_port),
		FIELD(tcp, "flags", hdr.tcp_flags)}},
	{ITEM("icmp", ICMP, icmp), .field = {FIELD(icmp, "type", hdr.icmp_type), FIELD(icmp, "code", hdr.icmp_code)}},
	{ITEM("vxlan", VXLAN, vxlan), .field = {FIELD(vxlan, "vni", vni)}},
};

/* What an action's configuration is, and how the value of rule n goes into it. */
struct shape_action {
	const char *name;
	enum rte_flow_action_type type;
	uint16_t size;    /* of conf and its data; 0 = no conf */
	bool needs_value; /* "=N" has a meaning */
	/* conf is size bytes of storage; mask says to fill the template's mask instead */
	void (*fill)(const struct shape *shape, void *conf, uint64_t value, bool mask, bool fixed);
};

static void
fill_queue(const struct shape *shape, void *conf, uint64_t value, bool mask, bool fixed)
{
	struct rte_flow_action_queue *queue = conf;

	queue->index = mask ? (fixed ? UINT16_MAX : 0) : value % shape->nb_queues;
}

static void
fill_mark(const struct shape *shape, void *conf, uint64_t value, bool mask, bool fixed)
{
	struct rte_flow_action_mark *mark = conf;

	mark->id = mask ? (fixed ? UINT32_MAX : 0) : value % 0xfff000;
}

static void
fill_jump(const struct shape *shape, void *conf, uint64_t value, bool mask, bool fixed)
{
	struct rte_flow_action_jump *jump = conf;

	jump->group = mask ? UINT32_MAX : value;
}

static void
fill_count(const struct shape *shape, void *conf, uint64_t value, bool mask, bool fixed)
{
	struct rte_flow_action_count *count = conf;

	count->id = 0;
}

struct rss_conf {
	struct rte_flow_action_rss rss;
	uint16_t queue[16];
};

static void
fill_rss(const struct shape *shape, void *conf, uint64_t value, bool mask, bool fixed)
{
	struct rss_conf *rss = conf;
	uint32_t nb = shape->nb_queues < 16 ? shape->nb_queues : 16;

	if (mask) {
		/* a template mask with non-zero members fixes the action to the template's configuration */
		rss->rss = (struct rte_flow_action_rss){.types = fixed ? UINT64_MAX : 0};
		return;
	}
	/* 16 different ones at most: the first queue and the types change with the value */
	for (uint32_t i = 0; i < nb; i++)
		rss->queue[i] = (value + i) % shape->nb_queues;
	rss->rss = (struct rte_flow_action_rss){
		.func = RTE_ETH_HASH_FUNCTION_DEFAULT,
		.types = value & 8 ? RTE_ETH_RSS_IP : RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP,
		.queue_num = nb,
		.queue = rss->queue,
	};
}

struct encap_conf {
	struct rte_flow_action_raw_encap encap;
	uint8_t data[52]; /* Ethernet, IPv4, UDP, VXLAN: 50 bytes */
};

static void
fill_raw_encap(const struct shape *shape, void *conf, uint64_t value, bool mask, bool fixed)
{
	static const uint8_t headers[50] = {0x02, 0, 0, 0, 0, 2, 0x02, 0, 0, 0, 0, 1, 0x08, 0x00, 0x45, 0, 0, 0, 0, 0, 0, 0,
		64, 17, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2, 0xc0, 0x00, 0x12, 0xb5, 0, 0, 0, 0, 0x08, 0, 0, 0, 0, 0, 0, 0};
	struct encap_conf *encap = conf;

	encap->encap = (struct rte_flow_action_raw_encap){.size = sizeof(headers)};
	if (mask && !fixed)
		return;
	memcpy(encap->data, headers, sizeof(headers));
	encap->data[46] = value >> 16;
	encap->data[47] = value >> 8;
	encap->data[48] = value;
	encap->encap.data = encap->data;
}

/* modify_field: set dst of width bits; the value stands in the immediate of the source. */
static void
fill_modify(void *conf, enum rte_flow_field_id dst, uint32_t width, uint64_t value, bool mask, bool fixed)
{
	struct rte_flow_action_modify_field *modify = conf;

	*modify = (struct rte_flow_action_modify_field){
		.operation = RTE_FLOW_MODIFY_SET,
		.dst = {.field = dst},
		.src = {.field = RTE_FLOW_FIELD_VALUE},
		.width = width,
	};
	if (mask) {
		modify->dst.level = -1; /* all ones: 32 bits wide in 22.11, 8 later */
		modify->dst.offset = UINT32_MAX;
		modify->width = UINT32_MAX;
		memset(modify->src.value, fixed ? 0xff : 0, sizeof(modify->src.value));
		return;
	}
	for (uint32_t i = 0; i < (width + 7) / 8; i++)
		modify->src.value[i] = value >> (8 * i);
}

static void
fill_set_ttl(const struct shape *shape, void *conf, uint64_t value, bool mask, bool fixed)
{
	fill_modify(conf, RTE_FLOW_FIELD_IPV4_TTL, 8, value | 1, mask, fixed);
}

static void
fill_set_ipv4_dst(const struct shape *shape, void *conf, uint64_t value, bool mask, bool fixed)
{
	fill_modify(conf, RTE_FLOW_FIELD_IPV4_DST, 32, value, mask, fixed);
}

static void
fill_set_ipv4_src(const struct shape *shape, void *conf, uint64_t value, bool mask, bool fixed)
{
	fill_modify(conf, RTE_FLOW_FIELD_IPV4_SRC, 32, value, mask, fixed);
}

static void
fill_push_vlan(const struct shape *shape, void *conf, uint64_t value, bool mask, bool fixed)
{
	struct rte_flow_action_of_push_vlan *push = conf;

	push->ethertype = mask ? (fixed ? 0xffff : 0) : rte_cpu_to_be_16(0x8100);
}

static void
fill_set_vid(const struct shape *shape, void *conf, uint64_t value, bool mask, bool fixed)
{
	struct rte_flow_action_of_set_vlan_vid *vid = conf;

	vid->vlan_vid = mask ? (fixed ? 0xffff : 0) : rte_cpu_to_be_16(1 + value % 4000);
}

#define ACTION(label, TYPE, bytes, value, function) {label, RTE_FLOW_ACTION_TYPE_##TYPE, bytes, value, function}

static const struct shape_action actions[] = {
	ACTION("queue", QUEUE, sizeof(struct rte_flow_action_queue), true, fill_queue),
	ACTION("drop", DROP, 0, false, NULL),
	ACTION("rss", RSS, sizeof(struct rss_conf), true, fill_rss),
	ACTION("jump", JUMP, sizeof(struct rte_flow_action_jump), true, fill_jump),
	ACTION("mark", MARK, sizeof(struct rte_flow_action_mark), true, fill_mark),
	ACTION("count", COUNT, sizeof(struct rte_flow_action_count), false, fill_count),
	ACTION("raw_encap", RAW_ENCAP, sizeof(struct encap_conf), true, fill_raw_encap),
	ACTION("set_ttl", MODIFY_FIELD, sizeof(struct rte_flow_action_modify_field), true, fill_set_ttl),
	ACTION("set_ipv4_src", MODIFY_FIELD, sizeof(struct rte_flow_action_modify_field), true, fill_set_ipv4_src),
	ACTION("set_ipv4_dst", MODIFY_FIELD, sizeof(struct rte_flow_action_modify_field), true, fill_set_ipv4_dst),
	ACTION("push_vlan", OF_PUSH_VLAN, sizeof(struct rte_flow_action_of_push_vlan), true, fill_push_vlan),
	ACTION("set_vid", OF_SET_VLAN_VID, sizeof(struct rte_flow_action_of_set_vlan_vid), true, fill_set_vid),
	ACTION("pop_vlan", OF_POP_VLAN, 0, false, NULL),
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int
wrong(char *why, size_t size, const char *what, const char *word)
{
	snprintf(why, size, "%s '%s' is not known (--list names all)", what, word);
	return -EINVAL;
}

static const struct shape_item *
item_named(const char *name)
{
	for (size_t i = 0; i < COUNT(items); i++)
		if (strcmp(items[i].name, name) == 0)
			return &items[i];
	return NULL;
}

static int
parse_item(struct shape *shape, char *text, char *why, size_t size)
{
	char *save, *word = strtok_r(text, " ", &save);
	unsigned int at = shape->nb_items, f;
	const struct shape_item *kind = word == NULL ? NULL : item_named(word);

	if (kind == NULL)
		return wrong(why, size, "item", word == NULL ? "" : word);
	shape->item[at].kind = kind;
	shape->item[at].at = shape->conf_bytes;
	shape->conf_bytes += (kind->size + 15) & ~15u;
	while ((word = strtok_r(NULL, " ", &save)) != NULL) {
		for (f = 0; f < SHAPE_FIELDS && kind->field[f].name != NULL; f++)
			if (strcmp(kind->field[f].name, word) == 0)
				break;
		if (f == SHAPE_FIELDS || kind->field[f].name == NULL)
			return wrong(why, size, kind->name, word);
		shape->item[at].field[shape->item[at].nb_fields++] = f;
		shape->varied_bits += 8u * kind->field[f].bytes;
	}
	shape->nb_items++;
	return 0;
}

static int
parse_action(struct shape *shape, char *text, char *why, size_t size)
{
	char *save, *word = strtok_r(text, " ", &save), *value;
	unsigned int at = shape->nb_actions;

	if (word == NULL)
		return wrong(why, size, "action", "");
	value = strchr(word, '=');
	if (value != NULL)
		*value++ = '\0';
	for (size_t i = 0; i < COUNT(actions); i++) {
		if (strcmp(actions[i].name, word) != 0)
			continue;
		if (value != NULL && !actions[i].needs_value)
			return wrong(why, size, "value of an action without one", word);
		shape->action[at].kind = &actions[i];
		/* a jump has no meaning that changes from rule to rule */
		shape->action[at].fixed = value != NULL || actions[i].type == RTE_FLOW_ACTION_TYPE_JUMP;
		shape->action[at].value = value == NULL ? 2 : strtoul(value, NULL, 0);
		shape->action[at].at = shape->conf_bytes;
		shape->conf_bytes += (actions[i].size + 15) & ~15u;
		shape->counts |= actions[i].type == RTE_FLOW_ACTION_TYPE_COUNT;
		shape->nb_actions++;
		return 0;
	}
	return wrong(why, size, "action", word);
}

/* Split text at '/' and hand each piece to parse; the pieces are at most most. */
static int
parse_list(struct shape *shape, const char *text, unsigned int most, char *why, size_t size,
	int (*parse)(struct shape *, char *, char *, size_t))
{
	char copy[128], *save, *piece;
	unsigned int n = 0;
	int rc;

	if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy)) {
		snprintf(why, size, "'%.20s...' is longer than %zu characters", text, sizeof(copy) - 1);
		return -EINVAL;
	}
	for (piece = strtok_r(copy, "/", &save); piece != NULL; piece = strtok_r(NULL, "/", &save)) {
		if (n++ == most) {
			snprintf(why, size, "'%s' has more than %u parts", text, most);
			return -EINVAL;
		}
		rc = parse(shape, piece, why, size);
		if (rc != 0)
			return rc;
	}
	if (n == 0)
		snprintf(why, size, "empty list");
	return n == 0 ? -EINVAL : 0;
}

int
shape_parse(struct shape *shape, const char *items_text, const char *actions_text, uint16_t nb_queues, char *why,
	size_t size)
{
	int rc;

	*shape = (struct shape){.nb_queues = nb_queues};
	snprintf(shape->items_text, sizeof(shape->items_text), "%s", items_text);
	snprintf(shape->actions_text, sizeof(shape->actions_text), "%s", actions_text);
	rc = parse_list(shape, items_text, SHAPE_ITEMS, why, size, parse_item);
	if (rc == 0)
		rc = parse_list(shape, actions_text, SHAPE_ACTIONS, why, size, parse_action);
	if (rc == 0 && shape->conf_bytes > SHAPE_CONF) {
		snprintf(why, size, "the rule needs %u bytes of configuration, %u are there", shape->conf_bytes,
			SHAPE_CONF);
		rc = -EINVAL;
	}
	return rc;
}

/* splitmix64: a bijection with good spread, so distinct indexes stay distinct. */
static uint64_t
spread(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* The same in 32 bits (lowbias32): what a 4-byte field gets is distinct for distinct indexes. */
static uint32_t
spread32(uint32_t x)
{
	x ^= x >> 16;
	x *= 0x7feb352d;
	x ^= x >> 15;
	x *= 0x846ca68b;
	return x ^ x >> 16;
}

void
shape_draw(uint64_t seed, char *items_out, char *actions_out, size_t size)
{
	static const char *const l3[] = {"ipv4 src dst", "ipv4 src dst proto", "ipv4 dst tos", "ipv6 src", "ipv6 dst",
		"ipv4 src dst ttl"};
	static const char *const l4[] = {"", " / udp dport", " / udp sport dport", " / tcp dport", " / tcp sport dport"};
	static const char *const first[] = {"eth", "eth dst", "eth / vlan tci"};
	static const char *const before[] = {"", "mark / ", "count / ", "mark / count / ", "mark=7 / "};
	static const char *const change[] = {"", "", "set_ttl / ", "raw_encap / ", "raw_encap=9 / "};
	static const char *const fate[] = {"queue", "queue=1", "drop", "rss=1"};
	uint64_t draw = spread(seed);
	const char *link = first[draw % COUNT(first)], *net = l3[(draw >> 8) % COUNT(l3)];
	const char *modify = change[(draw >> 32) % COUNT(change)];

	if (strncmp(modify, "set_", 4) == 0 && strncmp(net, "ipv4", 4) != 0)
		modify = "";
	snprintf(items_out, size, "%s / %s%s", link, net, l4[(draw >> 16) % COUNT(l4)]);
	snprintf(actions_out, size, "%s%s%s", before[(draw >> 24) % COUNT(before)], modify,
		fate[(draw >> 40) % COUNT(fate)]);
}

struct rte_flow_pattern_template *
shape_pattern(const struct shape *shape, uint16_t port, bool relaxed, struct rte_flow_error *error)
{
	const struct rte_flow_pattern_template_attr attr = {
		.relaxed_matching = relaxed, .ingress = !shape->egress, .egress = shape->egress};
	struct rte_flow_item pattern[SHAPE_ITEMS + 1] = {0};
	uint8_t mask[SHAPE_CONF] = {0};

	for (unsigned int i = 0; i < shape->nb_items; i++) {
		const struct shape_item *kind = shape->item[i].kind;

		pattern[i].type = kind->type;
		/* an item without fields matches its presence: no mask, no spec */
		if (shape->item[i].nb_fields == 0)
			continue;
		pattern[i].mask = mask + shape->item[i].at;
		for (unsigned int f = 0; f < shape->item[i].nb_fields; f++) {
			const struct shape_field *field = &kind->field[shape->item[i].field[f]];

			memset(mask + shape->item[i].at + field->offset, 0xff, field->bytes);
		}
	}
	pattern[shape->nb_items].type = RTE_FLOW_ITEM_TYPE_END;
	return rte_flow_pattern_template_create(port, &attr, pattern, error);
}

struct rte_flow_actions_template *
shape_actions(const struct shape *shape, uint16_t port, struct rte_flow_error *error)
{
	const struct rte_flow_actions_template_attr attr = {.ingress = !shape->egress, .egress = shape->egress};
	struct rte_flow_action list[SHAPE_ACTIONS + 1] = {0}, masks[SHAPE_ACTIONS + 1] = {0};
	uint8_t conf[SHAPE_CONF] __attribute__((aligned(16))) = {0}, mask[SHAPE_CONF] __attribute__((aligned(16))) = {0};

	for (unsigned int i = 0; i < shape->nb_actions; i++) {
		const struct shape_action *kind = shape->action[i].kind;
		unsigned int at = shape->action[i].at;

		list[i].type = masks[i].type = kind->type;
		if (kind->size == 0)
			continue;
		kind->fill(shape, conf + at, shape->action[i].value, false, shape->action[i].fixed);
		kind->fill(shape, mask + at, 0, true, shape->action[i].fixed);
		list[i].conf = conf + at;
		masks[i].conf = mask + at;
		if (kind->type == RTE_FLOW_ACTION_TYPE_RSS && !shape->action[i].fixed)
			list[i].conf = masks[i].conf = NULL;
		if (kind->type == RTE_FLOW_ACTION_TYPE_RAW_ENCAP && !shape->action[i].fixed)
			((struct rte_flow_action_raw_encap *)(mask + at))->data = NULL;
	}
	list[shape->nb_actions].type = masks[shape->nb_actions].type = RTE_FLOW_ACTION_TYPE_END;
	return rte_flow_actions_template_create(port, &attr, list, masks, error);
}

void
shape_prepare(const struct shape *shape, struct shape_rule *rule)
{
	memset(rule, 0, sizeof(*rule));
	for (unsigned int i = 0; i < shape->nb_items; i++) {
		rule->items[i].type = shape->item[i].kind->type;
		if (shape->item[i].nb_fields > 0)
			rule->items[i].spec = rule->conf + shape->item[i].at;
	}
	rule->items[shape->nb_items].type = RTE_FLOW_ITEM_TYPE_END;
	for (unsigned int i = 0; i < shape->nb_actions; i++) {
		rule->actions[i].type = shape->action[i].kind->type;
		if (shape->action[i].kind->size > 0)
			rule->actions[i].conf = rule->conf + shape->action[i].at;
	}
	rule->actions[shape->nb_actions].type = RTE_FLOW_ACTION_TYPE_END;
	shape_fill(shape, rule, 0);
}

void
shape_fill(const struct shape *shape, struct shape_rule *rule, uint64_t index)
{
	uint64_t stream = spread(index);
	bool distinct = false;

	for (unsigned int i = 0; i < shape->nb_items; i++) {
		const struct shape_item *kind = shape->item[i].kind;

		for (unsigned int f = 0; f < shape->item[i].nb_fields; f++) {
			const struct shape_field *field = &kind->field[shape->item[i].field[f]];
			uint8_t *at = rule->conf + shape->item[i].at + field->offset;

			if (!distinct && field->bytes >= 4) {
				/* the first wide field carries the index itself, spread; the rest is noise */
				uint32_t value = rte_cpu_to_be_32(spread32(index));

				for (unsigned int b = 0; b < field->bytes; b += 4)
					memcpy(at + b, &value, field->bytes - b < 4 ? field->bytes - b : 4);
				distinct = true;
				continue;
			}
			for (unsigned int b = 0; b < field->bytes; b++, stream = stream >> 8 | stream << 56)
				at[b] = stream;
			stream = spread(stream);
		}
	}
	for (unsigned int i = 0; i < shape->nb_actions; i++)
		if (shape->action[i].kind->size > 0)
			shape->action[i].kind->fill(shape, rule->conf + shape->action[i].at,
				shape->action[i].fixed ? shape->action[i].value : index, false,
				shape->action[i].fixed);
}

void
shape_list(void)
{
	for (size_t i = 0; i < COUNT(items); i++) {
		printf("item   %s:", items[i].name);
		for (unsigned int f = 0; f < SHAPE_FIELDS && items[i].field[f].name != NULL; f++)
			printf(" %s", items[i].field[f].name);
		printf("\n");
	}
	for (size_t i = 0; i < COUNT(actions); i++)
		printf("action %s%s\n", actions[i].name, actions[i].needs_value ? " (=N fixes it in the template)" : "");
}

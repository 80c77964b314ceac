/* SPDX-License-Identifier: BSD-3-Clause */

#include "softcx/core/fault.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "prm/cmd.h"
#include "softcx/core/internal.h"
#include "softcx/core/port.h"
#include "softcx/core/trace.h"

#define ANY UINT32_MAX
#define PARTS 5 /* kind:id:nth:code:times */

enum fault_kind { FAULT_COMMAND, FAULT_SQ, FAULT_RQ, FAULT_PACKET, FAULT_CQ, FAULT_STOP };

struct fault {
	struct fault *next;
	enum fault_kind kind;
	uint32_t id;    /* opcode or queue number, ANY */
	uint32_t count; /* happens when it reaches 0 */
	uint32_t nth;   /* what count begins with */
	uint32_t times; /* to happen yet; 0: always */
	uint8_t code;   /* status or syndrome */
};

struct sc_fault_list {
	struct fault *first;
};

void
sc_fault_clear(struct sc_device *dev)
{
	struct fault *f;

	if (dev->faults == NULL)
		return;
	while ((f = dev->faults->first) != NULL) {
		dev->faults->first = f->next;
		free(f);
	}
	free(dev->faults);
	dev->faults = NULL;
}

/* Take f (found at *at) out of the list; without faults there is no list. */
static void
drop(struct sc_device *dev, struct fault **at)
{
	struct fault *f = *at;

	*at = f->next;
	free(f);
	if (dev->faults->first == NULL)
		sc_fault_clear(dev);
}

static int
add(struct sc_device *dev, const struct fault *order)
{
	struct fault *f = calloc(1, sizeof(*f)), **at;

	if (f == NULL)
		return -ENOMEM;
	if (dev->faults == NULL) {
		dev->faults = calloc(1, sizeof(*dev->faults));
		if (dev->faults == NULL) {
			free(f);
			return -ENOMEM;
		}
	}
	*f = *order;
	for (at = &dev->faults->first; *at != NULL; at = &(*at)->next)
		;
	*at = f;
	return 0;
}

/* ---- orders as text ------------------------------------------------------------------------------------ */

static bool
number(const char *text, uint32_t min, uint32_t max, uint32_t *value)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(text, &end, 0);
	if (errno != 0 || end == text || *end != '\0' || *text == '-' || n < min || n > max)
		return false;
	*value = (uint32_t)n;
	return true;
}

static bool
opcode_of(const char *text, uint32_t *opcode)
{
	const char *name;
	uint32_t i;

	if (number(text, 1, 0xffff, opcode))
		return true;
	for (i = 1; i < 0x1000; i++) {
		name = prm_opcode_name((uint16_t)i);
		if (name != NULL && strcasecmp(name, text) == 0) {
			*opcode = i;
			return true;
		}
	}
	return false;
}

struct order {
	const char *word;   /* first of the parts */
	enum fault_kind kind;
	int min_parts, max_parts;
	uint32_t code;      /* default of the last part */
	int (*run)(struct sc_device *dev, const struct order *order, char *part[PARTS], char *error,
		size_t size);
};

static int
order_nth(struct sc_device *dev, const struct order *order, char *part[PARTS], char *error, size_t size)
{
	struct fault f = { .kind = order->kind, .id = ANY, .nth = 1, .times = 1 };
	uint32_t code = order->code;

	if (order->kind == FAULT_COMMAND) {
		if (!opcode_of(part[1], &f.id))
			return sc_refuse_text(error, size, "fault %s:%s: no such command", part[0], part[1]);
	} else if (strcmp(part[1], "*") != 0 && !number(part[1], 1, 0xffffff, &f.id)) {
		return sc_refuse_text(error, size, "fault %s:%s: a queue number or * expected", part[0],
			part[1]);
	}
	if (part[2] != NULL && !number(part[2], 1, UINT32_MAX, &f.nth))
		return sc_refuse_text(error, size, "fault %s:%s:%s: which one (1..) expected", part[0],
			part[1], part[2]);
	if (part[3] != NULL && !number(part[3], 1, 0xff, &code))
		return sc_refuse_text(error, size, "fault %s:%s:%s:%s: 1..0xff expected", part[0], part[1],
			part[2], part[3]);
	if (part[4] != NULL && !number(part[4], 0, UINT32_MAX, &f.times))
		return sc_refuse_text(error, size, "fault %s:...:%s: how many times (0: always) expected", part[0],
			part[4]);
	f.count = f.nth;
	f.code = (uint8_t)code;
	return add(dev, &f);
}

static int
order_stop(struct sc_device *dev, const struct order *order, char *part[PARTS], char *error, size_t size)
{
	struct fault f = { .kind = FAULT_STOP };

	if (!number(part[1], 1, 0xffffff, &f.id))
		return sc_refuse_text(error, size, "fault stop:%s: a send queue's number expected", part[1]);
	return sc_fault_stopped(dev, f.id) ? 0 : add(dev, &f);
}

static int
order_go(struct sc_device *dev, const struct order *order, char *part[PARTS], char *error, size_t size)
{
	struct fault **at;
	uint32_t id;

	if (!number(part[1], 1, 0xffffff, &id))
		return sc_refuse_text(error, size, "fault go:%s: a send queue's number expected", part[1]);
	for (at = dev->faults == NULL ? NULL : &dev->faults->first; at != NULL && *at != NULL;
	    at = &(*at)->next)
		if ((*at)->kind == FAULT_STOP && (*at)->id == id) {
			drop(dev, at);
			return 0;
		}
	return sc_refuse_text(error, size, "fault go:%s: that queue was not stopped", part[1]);
}

static int
order_link(struct sc_device *dev, const struct order *order, char *part[PARTS], char *error, size_t size)
{
	bool up = strcmp(part[1], "up") == 0;

	if (!up && strcmp(part[1], "down") != 0)
		return sc_refuse_text(error, size, "fault link:%s: up or down expected", part[1]);
	sc_port_cable(dev, up);
	return 0;
}

static int
order_die(struct sc_device *dev, const struct order *order, char *part[PARTS], char *error, size_t size)
{
	sc_device_die(dev);
	return 0;
}

static int
order_clear(struct sc_device *dev, const struct order *order, char *part[PARTS], char *error, size_t size)
{
	sc_fault_clear(dev);
	return 0;
}

static const struct order orders[] = {
	{ "cmd", FAULT_COMMAND, 2, 5, PRM_STATUS_INT_ERR, order_nth },
	{ "sq", FAULT_SQ, 2, 5, 0x02, order_nth }, /* local queue operation error */
	{ "rq", FAULT_RQ, 2, 5, 0x02, order_nth },
	{ "packet", FAULT_PACKET, 2, 5, 0x04, order_nth }, /* local protection error */
	{ "cq", FAULT_CQ, 2, 3, 1, order_nth },
	{ "stop", FAULT_STOP, 2, 2, 0, order_stop },
	{ "go", FAULT_STOP, 2, 2, 0, order_go },
	{ "link", FAULT_STOP, 2, 2, 0, order_link },
	{ "die", FAULT_STOP, 1, 1, 0, order_die },
	{ "clear", FAULT_STOP, 1, 1, 0, order_clear },
};

static int
one_order(struct sc_device *dev, char *text, char *error, size_t size)
{
	char *part[PARTS] = { NULL }, *rest = text, *save;
	size_t i;
	int n = 0;

	for (save = strsep(&rest, ":"); save != NULL && n < PARTS; save = strsep(&rest, ":"))
		part[n++] = save;
	if (save != NULL)
		return sc_refuse_text(error, size, "fault %s: more than %d words", text, PARTS);
	for (i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		if (part[0] != NULL && strcmp(part[0], orders[i].word) == 0) {
			if (n < orders[i].min_parts || n > orders[i].max_parts)
				return sc_refuse_text(error, size,
					      "fault %s: %d to %d words expected, not %d", part[0],
					      orders[i].min_parts, orders[i].max_parts, n);
			return orders[i].run(dev, &orders[i], part, error, size);
		}
	return sc_refuse_text(error, size,
		"fault %s is unknown; known are: cmd sq rq packet cq stop go link die clear", text);
}

int
sc_fault_order(struct sc_device *dev, const char *text, char *error, size_t size)
{
	char *copy = strdup(text), *rest = copy, *one;
	int ret = 0;

	if (copy == NULL)
		return -ENOMEM;
	while (ret == 0 && (one = strsep(&rest, "+")) != NULL)
		ret = one_order(dev, one, error, size);
	free(copy);
	if (ret == 0)
		sc_trace(dev, "fault ordered: %s", text);
	return ret;
}

/* ---- asked by the device ------------------------------------------------------------------------------- */

static uint8_t
happens(struct sc_device *dev, enum fault_kind kind, uint32_t id)
{
	struct fault **at;
	uint8_t code;

	if (dev->faults == NULL)
		return 0;
	for (at = &dev->faults->first; *at != NULL; at = &(*at)->next) {
		if ((*at)->kind != kind || ((*at)->id != id && (*at)->id != ANY))
			continue;
		if (--(*at)->count > 0)
			continue;
		code = (*at)->code;
		(*at)->count = (*at)->nth;
		if ((*at)->times == 1)
			drop(dev, at);
		else if ((*at)->times != 0)
			(*at)->times--;
		return code;
	}
	return 0;
}

uint8_t
sc_fault_command(struct sc_device *dev, uint16_t opcode)
{
	return happens(dev, FAULT_COMMAND, opcode);
}

uint8_t
sc_fault_queue_slow(struct sc_device *dev, enum sc_type type, uint32_t id)
{
	return happens(dev, type == SC_RQ ? FAULT_RQ : type == SC_CQ ? FAULT_CQ : FAULT_SQ, id);
}

uint8_t
sc_fault_packet_slow(struct sc_device *dev, uint32_t sqn)
{
	return happens(dev, FAULT_PACKET, sqn);
}

bool
sc_fault_stopped_slow(struct sc_device *dev, uint32_t sqn)
{
	const struct fault *f;

	for (f = dev->faults->first; f != NULL; f = f->next)
		if (f->kind == FAULT_STOP && f->id == sqn)
			return true;
	return false;
}

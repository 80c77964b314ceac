/* SPDX-License-Identifier: BSD-3-Clause */

/* The bus account of single queues. */
#include <errno.h>

#include "softcx/core/device.h"
#include "softcx/core/engine.h"
#include "softcx/front/softcx.h"
#include "softcx/nic/nic.h"

struct queue_call {
	unsigned int index;
	enum sc_type type;
	uint32_t number; /* of which; of those after it */
	struct sc_bus_count bus[SC_BUS_KINDS];
};

static enum sc_type
type_of(enum softcx_queue_type type)
{
	return type == SOFTCX_RQ ? SC_RQ : SC_SQ;
}

static int
copy_bus(void *arg)
{
	struct queue_call *call = arg;
	struct sc_device *dev = sc_device_at(call->index);
	const void *queue;

	if (dev == NULL)
		return -ENODEV;
	queue = sc_object_find(dev, call->type, call->number);
	if (queue == NULL)
		return -ENOENT;
	for (int i = 0; i < SC_BUS_KINDS; i++)
		call->bus[i] = call->type == SC_RQ ? ((const struct sc_rq *)queue)->bus[i] :
						     ((const struct sc_sq *)queue)->bus[i];
	return 0;
}

int
softcx_queue_bus(unsigned int index, enum softcx_queue_type type, uint32_t number,
		 struct softcx_bus_row *rows, unsigned int max)
{
	struct queue_call call = { .index = index, .type = type_of(type), .number = number };
	int ret = sc_engine_call(copy_bus, &call);

	if (ret != 0)
		return ret;
	for (unsigned int i = 0; i < SC_BUS_KINDS && i < max; i++)
		rows[i] = (struct softcx_bus_row){
			.kind = sc_bus_name(i), .operations = call.bus[i].operations, .bytes = call.bus[i].bytes,
			.packets_down = call.bus[i].packets_down, .bytes_down = call.bus[i].bytes_down,
			.packets_up = call.bus[i].packets_up, .bytes_up = call.bus[i].bytes_up,
		};
	return SC_BUS_KINDS;
}

static int
next_queue(void *arg)
{
	struct queue_call *call = arg;
	struct sc_device *dev = sc_device_at(call->index);
	const struct sc_object *queue;

	if (dev == NULL)
		return -ENODEV;
	queue = sc_object_next(dev, call->type, call->number);
	if (queue == NULL)
		return -ENOENT;
	call->number = queue->id;
	return 0;
}

int
softcx_queue_next(unsigned int index, enum softcx_queue_type type, uint32_t after, uint32_t *number)
{
	struct queue_call call = { .index = index, .type = type_of(type), .number = after };
	int ret = sc_engine_call(next_queue, &call);

	*number = call.number;
	return ret;
}

/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The clock of a port, as verbs programs read it and as tests set it. What completions carry comes from
 * the same clock (nic.c, sc_nic_timestamp).
 */
#include "softcx/front/user.h"

#include <string.h>
#include <time.h>

#include <infiniband/mlx5dv.h>

#include "softcx/core/device.h"
#include "softcx/core/engine.h"
#include "softcx/front/softcx.h"

#define SHIFT 21 /* of the conversion: a nanosecond is a cycle is 1 << 21 */

struct clock_call {
	unsigned int index;
	uint64_t ns;
};

static int
read_clock(void *arg)
{
	struct clock_call *call = arg;
	const struct sc_device *dev = sc_device_at(call->index);

	if (dev == NULL)
		return -ENODEV;
	call->ns = sc_device_clock(dev);
	return 0;
}

static int
set_clock(void *arg)
{
	const struct clock_call *call = arg;
	struct sc_device *dev = sc_device_at(call->index);

	if (dev == NULL)
		return -ENODEV;
	dev->clock_offset += call->ns - sc_device_clock(dev);
	return 0;
}

int
softcx_clock_get(unsigned int index, uint64_t *ns)
{
	struct clock_call call = { .index = index };
	int ret = sc_engine_call(read_clock, &call);

	*ns = call.ns;
	return ret;
}

int
softcx_clock_set(unsigned int index, uint64_t ns)
{
	struct clock_call call = { .index = index, .ns = ns };

	return sc_engine_call(set_clock, &call);
}

/* The free-running counter; where a library shows it, it is in the nanoseconds whatever its frequency. */
int
sc_query_rt_values(struct ibv_context *context, struct ibv_values_ex *values)
{
	struct clock_call call = { .index = sc_user_of(context)->dev->index };
	int ret;

	if (values->comp_mask & ~(uint32_t)IBV_VALUES_MASK_RAW_CLOCK)
		return sc_verbs_return(-EINVAL);
	ret = sc_engine_call(read_clock, &call);
	if (ret != 0)
		return sc_verbs_return(ret);
	if (values->comp_mask & IBV_VALUES_MASK_RAW_CLOCK) {
		values->raw_clock.tv_sec = 0;
		values->raw_clock.tv_nsec = (long)call.ns;
	}
	return 0;
}

/* From cycles to wall time, as the kernel's clock page says it; it holds as long as nobody sets the clock. */
int
mlx5dv_get_clock_info(struct ibv_context *context, struct mlx5dv_clock_info *info)
{
	struct clock_call call = { .index = sc_user_of(context)->dev->index };
	int ret = sc_engine_call(read_clock, &call);
	struct timespec wall;

	if (ret != 0)
		return sc_verbs_return(ret);
	clock_gettime(CLOCK_REALTIME, &wall);
	*info = (struct mlx5dv_clock_info){
		.nsec = (uint64_t)wall.tv_sec * 1000000000 + (uint64_t)wall.tv_nsec,
		.last_cycles = call.ns,
		.mult = 1u << SHIFT,
		.shift = SHIFT,
		.mask = (UINT64_C(1) << 41) - 1, /* so that cycles times mult have room */
	};
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "hca/clock.h"

#include <errno.h>
#include <infiniband/verbs.h>

#include "hca/cmd.h"
#include "hca/device.h"
#include "prm/cmd.h"
#include "prm/resource.h"

#define REAL_TIME_ONLY 1 /* rq_ts_format */

#define ACCESS_BYTES (0x10 + PRM_MTUTC_BYTES) /* head and register */

struct mtutc {
	uint8_t out[ACCESS_BYTES];
};

/* The register of the real-time clock, which users may read where access_register_user says so. */
static int
read_mtutc(struct hca_device *dev, struct mtutc *mtutc)
{
	uint8_t in[ACCESS_BYTES] = { 0 };

	if (!dev->caps.access_register_user)
		return -ENOTSUP;
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_ACCESS_REGISTER_USER);
	prm_set(in, PRM_CMD_IN_OP_MOD, PRM_ACCESS_REG_READ);
	prm_set(in, PRM_ACCESS_REG_IN_REGISTER_ID, PRM_REG_MTUTC);
	return hca_cmd_general(dev, in, sizeof(in), mtutc->out, sizeof(mtutc->out));
}

void
hca_clock_open(struct hca_device *dev)
{
	struct mtutc mtutc;

	dev->real_time = dev->caps.rq_ts_format == REAL_TIME_ONLY;
	if (dev->caps.rq_ts_format != 0 && read_mtutc(dev, &mtutc) == 0)
		dev->real_time = prm_get(prm_area(mtutc.out, PRM_ACCESS_REG_OUT_REGISTER_DATA), PRM_MTUTC_TIME_STAMP_MODE) ==
			PRM_MTUTC_REAL_TIME;
}

int
hca_clock_read(struct hca_device *dev, uint64_t *clock)
{
	struct ibv_values_ex values = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };
	struct mtutc mtutc;
	int ret;

	if (dev->real_time) {
		const uint8_t *reg = prm_area(mtutc.out, PRM_ACCESS_REG_OUT_REGISTER_DATA);

		ret = read_mtutc(dev, &mtutc);
		if (ret == 0)
			*clock = (uint64_t)prm_get(reg, PRM_MTUTC_UTC_SEC) * 1000000000u + prm_get(reg, PRM_MTUTC_UTC_NSEC);
		return ret;
	}
	ret = ibv_query_rt_values_ex(dev->ctx, &values);
	if (ret == 0)
		*clock = (uint64_t)values.raw_clock.tv_sec * 1000000000u + (uint64_t)values.raw_clock.tv_nsec;
	return ret > 0 ? -ret : ret;
}

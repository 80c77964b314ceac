/* SPDX-License-Identifier: BSD-3-Clause */
#include "hca/cmd_counter.h"

#include <errno.h>
#include <stddef.h>

#include "hca/cmd_queue.h"
#include "hca/device.h"
#include "hca/netdev.h"
#include "prm/cap.h"
#include "prm/resource.h"
#include "prm/table.h"

int
hca_cmd_alloc_flow_counter(struct hca_device *dev, uint32_t pd, uint8_t log_bulk, struct hca_obj **counters)
{
	uint8_t in[PRM_CMD_HDR_BYTES] = { 0 };
	int ret;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_ALLOC_FLOW_COUNTER);
	if (dev->caps.alloc_flow_counter_pd)
		prm_set(in, PRM_ALLOC_FLOW_COUNTER_IN_PD, pd);
	prm_set(in, PRM_ALLOC_FLOW_COUNTER_IN_FLOW_COUNTER_BULK_LOG_SIZE, log_bulk);
	ret = hca_cmd_create(dev, "flow counter bulk", in, sizeof(in), counters);
	if (ret == 0)
		(*counters)->log_range = log_bulk;
	return ret;
}

int
hca_cmd_query_flow_counter(struct hca_obj *counters, uint32_t offset, bool clear, uint64_t *packets, uint64_t *octets)
{
	uint8_t in[PRM_QUERY_FLOW_COUNTER_IN_BYTES] = { 0 };
	uint8_t out[PRM_CMD_HDR_BYTES + PRM_TRAFFIC_COUNTER_BYTES] = { 0 };
	const uint8_t *counter;
	int ret;

	if (offset >> counters->log_range != 0)
		return -EINVAL;
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_QUERY_FLOW_COUNTER);
	prm_set(in, PRM_QUERY_FLOW_COUNTER_IN_CLEAR, clear);
	prm_set(in, PRM_QUERY_FLOW_COUNTER_IN_FLOW_COUNTER_ID, counters->id + offset);
	ret = hca_cmd_query(counters, in, sizeof(in), out, sizeof(out));
	if (ret != 0)
		return ret;
	counter = prm_area(out, PRM_QUERY_FLOW_COUNTER_OUT_FLOW_STATISTICS);
	*packets = prm_get64(counter, PRM_TRAFFIC_COUNTER_PACKETS);
	*octets = prm_get64(counter, PRM_TRAFFIC_COUNTER_OCTETS);
	return 0;
}

int
hca_cmd_alloc_q_counter(struct hca_device *dev, struct hca_obj **counter)
{
	uint8_t in[PRM_CMD_HDR_BYTES] = { 0 };

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_ALLOC_Q_COUNTER);
	return hca_cmd_create(dev, "queue counter set", in, sizeof(in), counter);
}

int
hca_cmd_query_q_counter(struct hca_obj *counter, bool clear, uint32_t *out_of_buffer)
{
	uint8_t in[PRM_QUERY_Q_COUNTER_IN_BYTES] = { 0 }, out[PRM_QUERY_Q_COUNTER_OUT_BYTES] = { 0 };
	int ret;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_QUERY_Q_COUNTER);
	prm_set(in, PRM_QUERY_Q_COUNTER_IN_CLEAR, clear);
	prm_set(in, PRM_QUERY_Q_COUNTER_IN_COUNTER_SET_ID, counter->id);
	ret = hca_cmd_query(counter, in, sizeof(in), out, sizeof(out));
	if (ret == 0)
		*out_of_buffer = prm_get(out, PRM_QUERY_Q_COUNTER_OUT_OUT_OF_BUFFER);
	return ret;
}

int
hca_cmd_query_vport_counter(struct hca_device *dev, struct hca_port_counters *counters)
{
	static const struct {
		size_t packets, bytes;
		int field, octets;
	} rows[] = {
#define ROW(member, field) \
		{ offsetof(struct hca_port_counters, member), offsetof(struct hca_port_counters, member##_bytes), \
		  PRM_QUERY_VPORT_COUNTER_OUT_##field##_PACKETS, PRM_QUERY_VPORT_COUNTER_OUT_##field##_OCTETS }
		ROW(rx_unicast, RECEIVED_ETH_UNICAST), ROW(tx_unicast, TRANSMITTED_ETH_UNICAST),
		ROW(rx_multicast, RECEIVED_ETH_MULTICAST), ROW(tx_multicast, TRANSMITTED_ETH_MULTICAST),
		ROW(rx_broadcast, RECEIVED_ETH_BROADCAST), ROW(tx_broadcast, TRANSMITTED_ETH_BROADCAST),
#undef ROW
	};
	uint8_t in[PRM_QUERY_VPORT_COUNTER_IN_BYTES] = { 0 }, out[PRM_QUERY_VPORT_COUNTER_OUT_BYTES] = { 0 };
	int ret;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_QUERY_VPORT_COUNTER);
	ret = hca_cmd_general(dev, in, sizeof(in), out, sizeof(out));
	if (ret != 0)
		return ret;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		*(uint64_t *)((char *)counters + rows[i].packets) = prm_get64(out, rows[i].field);
		*(uint64_t *)((char *)counters + rows[i].bytes) = prm_get64(out, rows[i].octets);
	}
	return 0;
}

int
hca_cmd_query_min_inline(struct hca_device *dev, uint8_t *min_wqe_inline_mode)
{
	uint8_t in[PRM_CMD_HDR_BYTES] = { 0 };
	uint8_t out[PRM_CMD_HDR_BYTES + PRM_NIC_VPORT_CONTEXT_BYTES] = { 0 };
	int ret;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_QUERY_NIC_VPORT_CONTEXT);
	ret = hca_cmd_general(dev, in, sizeof(in), out, sizeof(out));
	if (ret == 0)
		*min_wqe_inline_mode = (uint8_t)prm_get(
			prm_area(out, PRM_QUERY_NIC_VPORT_CONTEXT_OUT_NIC_VPORT_CONTEXT),
			PRM_NIC_VPORT_CONTEXT_MIN_WQE_INLINE_MODE);
	return ret;
}

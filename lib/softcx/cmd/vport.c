/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What a user context may read of the port: vport state, context and counters, and the port registers behind
 * ACCESS_REGISTER_USER. Writing them is the kernel's (here: the port functions of softcx.h).
 */
#include <string.h>

#include "prm/resource.h"
#include "softcx/core/command.h"
#include "softcx/core/device.h"
#include "softcx/core/port.h"
#include "softcx/core/settings.h"

#define ETH_OVERHEAD 22 /* Ethernet and VLAN header, FCS: from IP MTU to the vport's */

static int
own_vport(struct sc_call *call)
{
	if (prm_get(call->in, PRM_VPORT_IN_OTHER_VPORT))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "other_vport is set, the function manages no other");
	return 0;
}

static int
query_vport_state(struct sc_call *call)
{
	int ret = own_vport(call);

	if (ret < 0)
		return ret;
	if (call->op_mod == PRM_VPORT_STATE_OP_ESW)
		return sc_refuse(call, PRM_STATUS_BAD_OP, "op_mod 1: there is no e-switch");
	prm_set(call->out, PRM_QUERY_VPORT_STATE_OUT_ADMIN_STATE,
		call->dev->admin_up ? PRM_VPORT_ADMIN_UP : PRM_VPORT_ADMIN_DOWN);
	prm_set(call->out, PRM_QUERY_VPORT_STATE_OUT_STATE,
		call->dev->link_up ? PRM_VPORT_STATE_UP : PRM_VPORT_STATE_DOWN);
	return 0;
}

static void
put_mac(uint8_t *ctx, const uint8_t mac[6])
{
	prm_set(ctx, PRM_NIC_VPORT_CONTEXT_PERMANENT_MAC_47_32, (uint32_t)mac[0] << 8 | mac[1]);
	prm_set(ctx, PRM_NIC_VPORT_CONTEXT_PERMANENT_MAC_31_0,
		(uint32_t)mac[2] << 24 | (uint32_t)mac[3] << 16 | (uint32_t)mac[4] << 8 | mac[5]);
}

static int
query_nic_vport_context(struct sc_call *call)
{
	uint8_t *ctx = prm_area(call->out, PRM_QUERY_NIC_VPORT_CONTEXT_OUT_NIC_VPORT_CONTEXT);
	const struct sc_device *dev = call->dev;
	uint64_t guid = 0;
	int ret = own_vport(call), i;

	if (ret < 0)
		return ret;
	for (i = 0; i < 6; i++)
		guid = guid << 8 | dev->mac[i];
	prm_set(ctx, PRM_NIC_VPORT_CONTEXT_DISABLE_MC_LOCAL_LB, dev->disable_mc_local_lb);
	prm_set(ctx, PRM_NIC_VPORT_CONTEXT_DISABLE_UC_LOCAL_LB, dev->disable_uc_local_lb);
	prm_set(ctx, PRM_NIC_VPORT_CONTEXT_MTU, dev->mtu + ETH_OVERHEAD);
	prm_set64(ctx, PRM_NIC_VPORT_CONTEXT_NODE_GUID, guid);
	prm_set64(ctx, PRM_NIC_VPORT_CONTEXT_PORT_GUID, guid);
	prm_set64(ctx, PRM_NIC_VPORT_CONTEXT_SYSTEM_IMAGE_GUID, guid & ~UINT64_C(0xff));
	prm_set(ctx, PRM_NIC_VPORT_CONTEXT_PROMISC_ALL, dev->promisc);
	prm_set(ctx, PRM_NIC_VPORT_CONTEXT_PROMISC_MC, dev->allmulti);
	put_mac(ctx, dev->mac);
	return 0;
}

#define COUNTER(member, cast, field) \
	{ offsetof(struct sc_port_counters, member[cast]), PRM_QUERY_VPORT_COUNTER_OUT_##field }
#define COUNTERS(cast, name) \
	COUNTER(rx_frames_of, cast, RECEIVED_ETH_##name##_PACKETS), \
	COUNTER(rx_octets_of, cast, RECEIVED_ETH_##name##_OCTETS), \
	COUNTER(tx_frames_of, cast, TRANSMITTED_ETH_##name##_PACKETS), \
	COUNTER(tx_octets_of, cast, TRANSMITTED_ETH_##name##_OCTETS)

static const struct {
	size_t offset;
	int field;
} vport_counters[] = {
	COUNTERS(SC_UNICAST, UNICAST), COUNTERS(SC_MULTICAST, MULTICAST), COUNTERS(SC_BROADCAST, BROADCAST),
};

static int
query_vport_counter(struct sc_call *call)
{
	const struct sc_port_counters *port = &call->dev->port;
	int ret = own_vport(call);
	size_t i;

	if (ret < 0)
		return ret;
	if (prm_get(call->in, PRM_QUERY_VPORT_COUNTER_IN_CLEAR))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "clear is set; the counters are the kernel's to clear");
	for (i = 0; i < sizeof(vport_counters) / sizeof(vport_counters[0]); i++)
		prm_set64(call->out, vport_counters[i].field,
			  *(const uint64_t *)((const char *)port + vport_counters[i].offset));
	prm_set64(call->out, PRM_QUERY_VPORT_COUNTER_OUT_RECEIVED_ERRORS_PACKETS, port->rx_too_long);
	prm_set64(call->out, PRM_QUERY_VPORT_COUNTER_OUT_TRANSMIT_ERRORS_PACKETS, port->tx_too_long);
	return 0;
}

static int
query_vnic_env(struct sc_call *call)
{
	uint8_t *env = prm_area(call->out, PRM_QUERY_VNIC_ENV_OUT_VPORT_ENV);
	const struct sc_port_counters *port = &call->dev->port;
	int ret = own_vport(call);

	if (ret < 0)
		return ret;
	prm_set64(env, PRM_VNIC_ENV_NIC_RECEIVE_STEERING_DISCARD, port->rx_steering_discard);
	prm_set64(env, PRM_VNIC_ENV_RECEIVE_DISCARD_VPORT_DOWN, port->rx_link_down);
	prm_set64(env, PRM_VNIC_ENV_TRANSMIT_DISCARD_VPORT_DOWN, port->tx_link_down);
	return 0;
}

/* Which mode the clock is in, and what it says; all other registers are the kernel's. */
static int
access_register_user(struct sc_call *call)
{
	uint8_t *reg = prm_area(call->out, PRM_ACCESS_REG_OUT_REGISTER_DATA);
	uint32_t id = prm_get(call->in, PRM_ACCESS_REG_IN_REGISTER_ID);
	uint64_t ns = sc_device_clock(call->dev);

	if (call->op_mod != PRM_ACCESS_REG_READ)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "register 0x%x: users only read", id);
	if (id != PRM_REG_MTUTC)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "register 0x%x: users read only MTUTC (0x%x)", id,
				 PRM_REG_MTUTC);
	prm_set(reg, PRM_MTUTC_TIME_STAMP_MODE,
		call->dev->settings->ts_format != 0 ? PRM_MTUTC_REAL_TIME : PRM_MTUTC_FREE_RUNNING);
	prm_set(reg, PRM_MTUTC_UTC_SEC, (uint32_t)(ns / 1000000000));
	prm_set(reg, PRM_MTUTC_UTC_NSEC, (uint32_t)(ns % 1000000000));
	return 0;
}

const struct sc_command sc_commands_vport[] = {
	{ PRM_CMD_OP_ACCESS_REGISTER_USER, 0, "ACCESS_REGISTER_USER", 16, 0x10 + PRM_MTUTC_BYTES,
	  access_register_user },
	{ PRM_CMD_OP_QUERY_VPORT_STATE, 0, "QUERY_VPORT_STATE", 16, 16, query_vport_state },
	{ PRM_CMD_OP_QUERY_NIC_VPORT_CONTEXT, 0, "QUERY_NIC_VPORT_CONTEXT", 16,
	  0x10 + PRM_NIC_VPORT_CONTEXT_BYTES, query_nic_vport_context },
	{ PRM_CMD_OP_QUERY_VPORT_COUNTER, 0, "QUERY_VPORT_COUNTER", PRM_QUERY_VPORT_COUNTER_IN_BYTES,
	  PRM_QUERY_VPORT_COUNTER_OUT_BYTES, query_vport_counter },
	{ PRM_CMD_OP_QUERY_VNIC_ENV, 0, "QUERY_VNIC_ENV", 16, 0x10 + PRM_VNIC_ENV_BYTES, query_vnic_env },
	{ 0 },
};

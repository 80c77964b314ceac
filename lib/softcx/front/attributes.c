/* SPDX-License-Identifier: BSD-3-Clause */

/* What the device says of itself in verbs: attributes of device, port, GIDs, keys. */
#include "softcx/front/user.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

#include <infiniband/mlx5dv.h>

#include "softcx/core/engine.h"
#include "softcx/nic/nic.h"

int ibv_query_gid_type(struct ibv_context *context, uint8_t port, unsigned int index, unsigned int *type);

/* ---- device ---- */

static void
fill_device(struct sc_user *user, struct ibv_device_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	snprintf(attr->fw_ver, sizeof(attr->fw_ver), "%s", user->dev->model->fw_ver);
	attr->node_guid = ibv_get_device_guid(user->verbs.context.device);
	attr->sys_image_guid = attr->node_guid;
	attr->max_mr_size = UINT64_MAX;
	attr->page_size_cap = 0xfffffffffffff000ull;
	attr->vendor_id = 0x02c9;
	attr->vendor_part_id = user->dev->model->pci_device;
	attr->max_qp = 1 << 17;
	attr->max_qp_wr = 1 << user->dev->settings->log_max_wq_sz;
	attr->device_cap_flags = IBV_DEVICE_RAW_IP_CSUM | IBV_DEVICE_MANAGED_FLOW_STEERING;
	attr->max_sge = 30;
	attr->max_cq = 1 << 24;
	attr->max_cqe = (1 << user->dev->settings->log_max_cq_sz) - 1;
	attr->max_mr = 1 << 24;
	attr->max_pd = 1 << 24;
	attr->phys_port_cnt = 1;
	attr->max_pkeys = 1;
}

int
(ibv_query_device)(struct ibv_context *context, struct ibv_device_attr *attr)
{
	fill_device(sc_user_of(context), attr);
	return 0;
}

static void
fill_raw_packet(struct ibv_device_attr_ex *attr)
{
	uint32_t raw = 1u << IBV_QPT_RAW_PACKET;

	attr->device_cap_flags_ex = attr->orig_attr.device_cap_flags | IBV_DEVICE_RAW_SCATTER_FCS;
	attr->raw_packet_caps = IBV_RAW_PACKET_CAP_CVLAN_STRIPPING | IBV_RAW_PACKET_CAP_SCATTER_FCS |
				IBV_RAW_PACKET_CAP_IP_CSUM;
	attr->tso_caps.max_tso = 1 << 18;
	attr->tso_caps.supported_qpts = raw;
	attr->rss_caps.supported_qpts = raw;
	attr->rss_caps.max_rwq_indirection_tables = 1 << 16;
	attr->rss_caps.max_rwq_indirection_table_size = 512;
	attr->rss_caps.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ;
	attr->rss_caps.rx_hash_fields_mask = IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4 | IBV_RX_HASH_SRC_IPV6 |
		IBV_RX_HASH_DST_IPV6 | IBV_RX_HASH_SRC_PORT_TCP | IBV_RX_HASH_DST_PORT_TCP |
		IBV_RX_HASH_SRC_PORT_UDP | IBV_RX_HASH_DST_PORT_UDP;
	attr->max_wq_type_rq = 1 << 16;
	attr->cq_mod_caps.max_cq_count = UINT16_MAX;
	attr->cq_mod_caps.max_cq_period = 0xfff;
}

/* Programs of older rdma-core pass a shorter struct: fill what they know. */
int
sc_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
		   struct ibv_device_attr_ex *out, size_t size)
{
	struct ibv_device_attr_ex attr = { 0 };

	if (input != NULL && input->comp_mask != 0)
		return sc_verbs_return(-EINVAL);
	fill_device(sc_user_of(context), &attr.orig_attr);
	fill_raw_packet(&attr);
	attr.completion_timestamp_mask = UINT64_MAX;
	attr.hca_core_clock = 1000000; /* kHz: the device clock counts nanoseconds */
	attr.phys_port_cnt_ex = 1;
	if (size > sizeof(attr)) {
		memset((uint8_t *)out + sizeof(attr), 0, size - sizeof(attr));
		size = sizeof(attr);
	}
	memcpy(out, &attr, size);
	return 0;
}

/* Each optional part is filled where asked for and known; comp_mask then says what was filled. */
int
mlx5dv_query_device(struct ibv_context *context, struct mlx5dv_context *out)
{
	uint64_t asked = out->comp_mask, known = MLX5DV_CONTEXT_MASK_SWP | MLX5DV_CONTEXT_MASK_STRIDING_RQ |
		MLX5DV_CONTEXT_MASK_TUNNEL_OFFLOADS |
		MLX5DV_CONTEXT_MASK_CQE_COMPRESION | MLX5DV_CONTEXT_MASK_DYN_BFREGS | MLX5DV_CONTEXT_MASK_NUM_LAG_PORTS;

	out->version = 0;
	out->flags = MLX5DV_CONTEXT_FLAGS_CQE_V1 | MLX5DV_CONTEXT_FLAGS_MPW_ALLOWED |
		     MLX5DV_CONTEXT_FLAGS_ENHANCED_MPW;
	out->comp_mask = asked & known;
	if (asked & MLX5DV_CONTEXT_MASK_CQE_COMPRESION)
		out->cqe_comp_caps = (struct mlx5dv_cqe_comp_caps){
			.max_num = SC_SESSION_MAX,
			.supported_format = MLX5DV_CQE_RES_FORMAT_HASH | MLX5DV_CQE_RES_FORMAT_CSUM |
					    MLX5DV_CQE_RES_FORMAT_CSUM_STRIDX,
		};
	if (asked & MLX5DV_CONTEXT_MASK_STRIDING_RQ)
		out->striding_rq_caps = (struct mlx5dv_striding_rq_caps){
			.min_single_stride_log_num_of_bytes = SC_LOG_STRIDE_BYTES_MIN,
			.max_single_stride_log_num_of_bytes = SC_LOG_STRIDE_BYTES_MAX,
			.min_single_wqe_log_num_of_strides = SC_LOG_STRIDES_MIN,
			.max_single_wqe_log_num_of_strides = SC_LOG_STRIDES_MAX,
			.supported_qpts = 1u << IBV_QPT_RAW_PACKET,
		};
	if (asked & MLX5DV_CONTEXT_MASK_SWP)
		out->sw_parsing_caps = (struct mlx5dv_sw_parsing_caps){
			.sw_parsing_offloads = MLX5DV_SW_PARSING | MLX5DV_SW_PARSING_CSUM | MLX5DV_SW_PARSING_LSO,
			.supported_qpts = 1u << IBV_QPT_RAW_PACKET,
		};
	if (asked & MLX5DV_CONTEXT_MASK_TUNNEL_OFFLOADS)
		out->tunnel_offloads_caps = MLX5DV_RAW_PACKET_CAP_TUNNELED_OFFLOAD_VXLAN |
					    MLX5DV_RAW_PACKET_CAP_TUNNELED_OFFLOAD_GRE |
					    MLX5DV_RAW_PACKET_CAP_TUNNELED_OFFLOAD_GENEVE;
	if (asked & MLX5DV_CONTEXT_MASK_DYN_BFREGS)
		out->max_dynamic_bfregs = 1024;
	if (asked & MLX5DV_CONTEXT_MASK_NUM_LAG_PORTS)
		out->num_lag_ports = 1;
	return 0;
}

/* ---- port ---- */

struct port_call {
	struct sc_user *user;
	bool up;
	uint32_t speed_mbps, mtu;
	uint8_t mac[6];
};

static int
read_port(void *arg)
{
	struct port_call *call = arg;

	call->up = call->user->dev->link_up;
	call->speed_mbps = call->user->dev->speed_mbps;
	call->mtu = call->user->dev->mtu;
	memcpy(call->mac, call->user->dev->mac, sizeof(call->mac));
	return 0;
}

/*
 * InfiniBand's width (1 = 1x, 2 = 4x, 4 = 8x, 8 = 12x, 16 = 2x) and speed codes that give each Ethernet
 * speed.
 */
static const struct {
	uint32_t mbps;
	uint8_t width, speed;
} speeds[] = {
	{ 10000, 1, 4 }, { 25000, 1, 32 }, { 40000, 2, 4 }, { 50000, 16, 32 },
	{ 100000, 2, 32 }, { 200000, 2, 64 }, { 400000, 2, 128 },
};

static void
fill_speed(struct ibv_port_attr *attr, uint32_t mbps)
{
	unsigned int i = 0;

	while (i + 1 < sizeof(speeds) / sizeof(speeds[0]) && speeds[i].mbps < mbps)
		i++;
	attr->active_width = speeds[i].width;
	attr->active_speed = speeds[i].speed;
}

static enum ibv_mtu
verbs_mtu(uint32_t mtu)
{
	enum ibv_mtu code = IBV_MTU_256;

	/* The largest power of two that fits, with room for the transport's headers. */
	while (code < IBV_MTU_4096 && (256u << code) + 64 <= mtu)
		code++;
	return code;
}

int
sc_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *out, size_t size)
{
	struct port_call call = { .user = sc_user_of(context) };
	struct ibv_port_attr attr = { 0 };

	if (port != 1)
		return sc_verbs_return(-EINVAL);
	sc_engine_call(read_port, &call);
	attr.state = call.up ? IBV_PORT_ACTIVE : IBV_PORT_DOWN;
	attr.phys_state = call.up ? 5 : 3; /* link up, disabled */
	attr.max_mtu = IBV_MTU_4096;
	attr.active_mtu = verbs_mtu(call.mtu);
	attr.gid_tbl_len = 1;
	attr.pkey_tbl_len = 1;
	attr.max_msg_sz = 1u << 30;
	attr.link_layer = IBV_LINK_LAYER_ETHERNET;
	fill_speed(&attr, call.speed_mbps);
	memcpy(out, &attr, size < sizeof(attr) ? size : sizeof(attr));
	return 0;
}

/* The exported function of old programs ends before the members of the extended one. */
int
(ibv_query_port)(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *attr)
{
	return sc_query_port(context, port, (struct ibv_port_attr *)attr,
			     offsetof(struct ibv_port_attr, port_cap_flags2));
}

/* No E-Switch: ports have neither vport number nor a tag in REG_C_0. */
int
_mlx5dv_query_port(struct ibv_context *context, uint32_t port, struct mlx5dv_port *info, size_t size)
{
	if (port != 1)
		return sc_verbs_return(-EINVAL);
	memset(info, 0, size);
	return 0;
}

/* ---- GIDs and keys: one of each, as RoCE-less Ethernet functions have ---- */

/* Link-local, from the MAC (EUI-64). */
static void
read_gid(struct ibv_context *context, union ibv_gid *gid)
{
	struct port_call call = { .user = sc_user_of(context) };

	sc_engine_call(read_port, &call);
	memset(gid, 0, sizeof(*gid));
	gid->raw[0] = 0xfe;
	gid->raw[1] = 0x80;
	memcpy(gid->raw + 8, call.mac, 3);
	gid->raw[8] ^= 2;
	gid->raw[11] = 0xff;
	gid->raw[12] = 0xfe;
	memcpy(gid->raw + 13, call.mac + 3, 3);
}

int
ibv_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
	if (port != 1 || index != 0) {
		errno = EINVAL;
		return -1;
	}
	read_gid(context, gid);
	return 0;
}

/* 0: IB or RoCE v1, in the words of sysfs. */
int
ibv_query_gid_type(struct ibv_context *context, uint8_t port, unsigned int index, unsigned int *type)
{
	if (port != 1 || index != 0) {
		errno = EINVAL;
		return -1;
	}
	*type = 0;
	return 0;
}

int
_ibv_query_gid_ex(struct ibv_context *context, uint32_t port, uint32_t index, struct ibv_gid_entry *entry,
		  uint32_t flags, size_t entry_size)
{
	struct ibv_gid_entry full = { .gid_index = index, .port_num = port, .gid_type = IBV_GID_TYPE_ROCE_V1 };

	if (port != 1 || index != 0)
		return sc_verbs_return(-EINVAL);
	read_gid(context, &full.gid);
	memcpy(entry, &full, entry_size < sizeof(full) ? entry_size : sizeof(full));
	return 0;
}

ssize_t
_ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t max_entries,
		     uint32_t flags, size_t entry_size)
{
	if (max_entries == 0)
		return -EINVAL;
	return _ibv_query_gid_ex(context, 1, 0, entries, flags, entry_size) == 0 ? 1 : -errno;
}

int
ibv_query_pkey(struct ibv_context *context, uint8_t port, int index, __be16 *pkey)
{
	if (port != 1 || index != 0) {
		errno = EINVAL;
		return -1;
	}
	*pkey = htobe16(0xffff);
	return 0;
}

int
ibv_get_pkey_index(struct ibv_context *context, uint8_t port, __be16 pkey)
{
	if (port == 1 && pkey == htobe16(0xffff))
		return 0;
	errno = EINVAL;
	return -1;
}

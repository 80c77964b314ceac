/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Functions of libibverbs and libmlx5 that this device does not have. They exist because programs bind all
 * symbols at start; each answers as rdma-core does where a device lacks the feature: pointer functions with
 * NULL and errno, int functions with a positive errno. None of them is given its arguments, so none needs
 * its true prototype here.
 */
#include "softcx/front/refuse.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "softcx/core/trace.h"

#define REFUSE_POINTER(name) \
	void *name(void); \
	void *name(void) \
	{ \
		sc_verbs_refused(#name); \
		errno = EOPNOTSUPP; \
		return NULL; \
	}

#define REFUSE_INT(name) \
	int name(void); \
	int name(void) \
	{ \
		sc_verbs_refused(#name); \
		errno = EOPNOTSUPP; \
		return EOPNOTSUPP; \
	}

#define REFUSE_VOID(name) \
	void name(void); \
	void name(void) \
	{ \
		sc_verbs_refused(#name); \
	}

/*
 * Queue pairs but the one kind of qp.c, shared receive queues, address handles: this device has Ethernet
 * queues only, made by DevX.
 */
REFUSE_INT(_mlx5dv_mkey_check)
REFUSE_INT(ibv_attach_mcast)
REFUSE_POINTER(ibv_create_ah)
REFUSE_POINTER(ibv_create_ah_from_wc)
REFUSE_POINTER(ibv_create_qp)
REFUSE_POINTER(ibv_create_srq)
REFUSE_INT(ibv_destroy_ah)
REFUSE_INT(ibv_destroy_srq)
REFUSE_INT(ibv_detach_mcast)
REFUSE_INT(ibv_init_ah_from_wc)
REFUSE_INT(ibv_modify_qp)
REFUSE_INT(ibv_modify_srq)
REFUSE_POINTER(ibv_qp_to_qp_ex)
REFUSE_INT(ibv_query_ece)
REFUSE_INT(ibv_query_qp)
REFUSE_INT(ibv_query_srq)
REFUSE_INT(ibv_resize_cq)
REFUSE_INT(ibv_resolve_eth_l2_from_gid)
REFUSE_INT(ibv_set_ece)
REFUSE_POINTER(mlx5dv_create_mkey)
REFUSE_POINTER(mlx5dv_create_wq)
REFUSE_INT(mlx5dv_dci_stream_id_reset)
REFUSE_INT(mlx5dv_destroy_mkey)
REFUSE_INT(mlx5dv_devx_ind_tbl_modify)
REFUSE_INT(mlx5dv_devx_ind_tbl_query)
REFUSE_INT(mlx5dv_devx_qp_modify)
REFUSE_INT(mlx5dv_devx_qp_query)
REFUSE_INT(mlx5dv_devx_srq_modify)
REFUSE_INT(mlx5dv_devx_srq_query)
REFUSE_INT(mlx5dv_devx_wq_modify)
REFUSE_INT(mlx5dv_devx_wq_query)
REFUSE_INT(mlx5dv_map_ah_to_qp)
REFUSE_INT(mlx5dv_modify_qp_lag_port)
REFUSE_INT(mlx5dv_modify_qp_sched_elem)
REFUSE_INT(mlx5dv_modify_qp_udp_sport)
REFUSE_INT(mlx5dv_qp_cancel_posted_send_wrs)
REFUSE_POINTER(mlx5dv_qp_ex_from_ibv_qp_ex)
REFUSE_INT(mlx5dv_query_qp_lag_port)
REFUSE_INT(mlx5dv_reserved_qpn_alloc)
REFUSE_INT(mlx5dv_reserved_qpn_dealloc)

/* Software steering (mlx5dv_dr): the library would have to be the steering driver. */
REFUSE_POINTER(mlx5dv_dr_action_create_aso)
REFUSE_POINTER(mlx5dv_dr_action_create_dest_array)
REFUSE_POINTER(mlx5dv_dr_action_create_dest_ib_port)
REFUSE_POINTER(mlx5dv_dr_action_create_dest_ibv_qp)
REFUSE_POINTER(mlx5dv_dr_action_create_dest_root_table)
REFUSE_POINTER(mlx5dv_dr_action_create_dest_table)
REFUSE_POINTER(mlx5dv_dr_action_create_dest_vport)
REFUSE_POINTER(mlx5dv_dr_action_create_drop)
REFUSE_POINTER(mlx5dv_dr_action_create_flow_counter)
REFUSE_POINTER(mlx5dv_dr_action_create_flow_meter)
REFUSE_POINTER(mlx5dv_dr_action_create_flow_sampler)
REFUSE_POINTER(mlx5dv_dr_action_create_modify_header)
REFUSE_POINTER(mlx5dv_dr_action_create_packet_reformat)
REFUSE_POINTER(mlx5dv_dr_action_create_pop_vlan)
REFUSE_POINTER(mlx5dv_dr_action_create_push_vlan)
REFUSE_POINTER(mlx5dv_dr_action_create_tag)
REFUSE_INT(mlx5dv_dr_action_modify_aso)
REFUSE_INT(mlx5dv_dr_action_modify_flow_meter)
REFUSE_INT(mlx5dv_dr_aso_other_domain_link)
REFUSE_INT(mlx5dv_dr_aso_other_domain_unlink)
REFUSE_VOID(mlx5dv_dr_domain_allow_duplicate_rules)
REFUSE_POINTER(mlx5dv_dr_domain_create)
REFUSE_INT(mlx5dv_dr_domain_destroy)
REFUSE_VOID(mlx5dv_dr_domain_set_reclaim_device_memory)
REFUSE_INT(mlx5dv_dr_domain_sync)
REFUSE_POINTER(mlx5dv_dr_matcher_create)
REFUSE_INT(mlx5dv_dr_matcher_destroy)
REFUSE_INT(mlx5dv_dr_matcher_set_layout)
REFUSE_POINTER(mlx5dv_dr_rule_create)
REFUSE_INT(mlx5dv_dr_rule_destroy)
REFUSE_POINTER(mlx5dv_dr_table_create)
REFUSE_INT(mlx5dv_dr_table_destroy)
REFUSE_INT(mlx5dv_dump_dr_domain)
REFUSE_INT(mlx5dv_dump_dr_matcher)
REFUSE_INT(mlx5dv_dump_dr_rule)
REFUSE_INT(mlx5dv_dump_dr_table)

/* Device memory, doorbell areas of emulation, pacing, QoS trees. */
REFUSE_POINTER(ibv_import_dm)
REFUSE_POINTER(ibv_import_mr)
REFUSE_POINTER(ibv_reg_dmabuf_mr)
REFUSE_INT(ibv_rereg_mr)
REFUSE_VOID(ibv_unimport_dm)
REFUSE_VOID(ibv_unimport_mr)
REFUSE_POINTER(mlx5dv_alloc_dm)
REFUSE_POINTER(mlx5dv_alloc_var)
REFUSE_POINTER(mlx5dv_dm_map_op_addr)
REFUSE_VOID(mlx5dv_free_var)
REFUSE_POINTER(mlx5dv_pp_alloc)
REFUSE_VOID(mlx5dv_pp_free)
REFUSE_POINTER(mlx5dv_sched_leaf_create)
REFUSE_INT(mlx5dv_sched_leaf_destroy)
REFUSE_INT(mlx5dv_sched_leaf_modify)
REFUSE_POINTER(mlx5dv_sched_node_create)
REFUSE_INT(mlx5dv_sched_node_destroy)
REFUSE_INT(mlx5dv_sched_node_modify)

/* Crypto, IPsec, event queues in user space, VFIO. */
REFUSE_POINTER(mlx5dv_create_flow_action_esp)
REFUSE_INT(mlx5dv_crypto_login)
REFUSE_POINTER(mlx5dv_crypto_login_create)
REFUSE_INT(mlx5dv_crypto_login_destroy)
REFUSE_INT(mlx5dv_crypto_login_query)
REFUSE_INT(mlx5dv_crypto_login_query_state)
REFUSE_INT(mlx5dv_crypto_logout)
REFUSE_POINTER(mlx5dv_dek_create)
REFUSE_INT(mlx5dv_dek_destroy)
REFUSE_INT(mlx5dv_dek_query)
REFUSE_POINTER(mlx5dv_devx_alloc_msi_vector)
REFUSE_POINTER(mlx5dv_devx_create_eq)
REFUSE_INT(mlx5dv_devx_destroy_eq)
REFUSE_INT(mlx5dv_devx_free_msi_vector)
REFUSE_POINTER(mlx5dv_get_vfio_device_list)
REFUSE_INT(mlx5dv_vfio_get_events_fd)
REFUSE_INT(mlx5dv_vfio_process_events)

/* Asks how the device places data; 0 is "no promise". */
int ibv_query_qp_data_in_order(void);
int
ibv_query_qp_data_in_order(void)
{
	return 0;
}

/* The first refusal is told to the user, who otherwise sees a program that just will not start. */
void
sc_verbs_refused(const char *name)
{
	static _Atomic(bool) told;

	sc_trace(NULL, "%s: not in this device, refused with EOPNOTSUPP", name);
	if (!atomic_exchange(&told, true))
		fprintf(stderr, "softcx: %s: not in this device, refused%s\n", name,
			strstr(name, "_dr_") == NULL ? "" :
			" (software steering; DPDK's mlx5 driver wants dv_flow_en=2)");
}

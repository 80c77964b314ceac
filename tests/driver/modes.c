/* SPDX-License-Identifier: BSD-3-Clause */
#include "modes.h"

#include <string.h>

#include <rte_common.h>
#include <rte_ethdev.h>

#define SCATTER RTE_ETH_RX_OFFLOAD_SCATTER
#define PLAIN "rxq_cqe_comp_en=0"
#define SCALAR ",rx_vec_en=0"
#define STRIDES "mprq_en=1,rxqs_min_mprq=1"

const struct rx_mode rx_modes[] = {
	{ "plain", PLAIN, 0, 1500, 1024, false, "Vector" },
	{ "plain, scalar", PLAIN SCALAR, 0, 1500, 1024, false, "Scalar" },
	{ "scattered", PLAIN, SCATTER, 9600, 4096, false, ", scattered" },
	{ "scattered, scalar", PLAIN SCALAR, SCATTER, 9600, 4096, false, ", scattered" },
	{ "compressed, hash", "rxq_cqe_comp_en=1", 0, 1500, 1024, false, ", compressed" },
	{ "compressed, hash, scalar", "rxq_cqe_comp_en=1" SCALAR, 0, 1500, 1024, false, ", compressed" },
	{ "compressed, mark", "rxq_cqe_comp_en=2", 0, 1500, 1024, true, ", compressed" },
	{ "compressed, neither", "rxq_cqe_comp_en=3", 0, 1500, 1024, true, ", compressed" },
	{ "compressed, packet type", "rxq_cqe_comp_en=4", 0, 1500, 1024, true, ", compressed" },
	{ "compressed, packet type, scalar", "rxq_cqe_comp_en=4" SCALAR, 0, 1500, 1024, true, ", compressed", .mlx5_no_types = true },
	{ "compressed, scattered", "rxq_cqe_comp_en=1", SCATTER, 9600, 4096, false, ", scattered, compressed" },
	{ "enhanced, hash", "rxq_cqe_comp_en=0x81", 0, 1500, 1024, false, ", compressed", .ours = true },
	{ "enhanced, hash, scalar", "rxq_cqe_comp_en=0x81" SCALAR, 0, 1500, 1024, false, ", compressed", .ours = true },
	{ "enhanced, mark", "rxq_cqe_comp_en=0x82", 0, 1500, 1024, true, ", compressed", .ours = true },
	{ "enhanced, neither", "rxq_cqe_comp_en=0x83", 0, 1500, 1024, true, ", compressed", .ours = true },
	{ "enhanced, packet type", "rxq_cqe_comp_en=0x84", 0, 1500, 1024, true, ", compressed", .ours = true },
	{ "enhanced, scattered", "rxq_cqe_comp_en=0x81", SCATTER, 9600, 4096, false, ", scattered, compressed", .ours = true },
	{ "striding, enhanced", "rxq_cqe_comp_en=0x81," STRIDES, 0, 1500, 1024, false, ", striding, compressed", .ours = true },
	{ "striding", PLAIN "," STRIDES, 0, 1500, 1024, false, ", striding" },
	{ "striding, scalar", PLAIN SCALAR "," STRIDES, 0, 1500, 1024, false, ", striding" },
	{ "striding, compressed", "rxq_cqe_comp_en=1," STRIDES, 0, 1500, 1024, false, ", striding, compressed" },
	{ "striding, all attached", PLAIN "," STRIDES ",mprq_max_memcpy_len=0", 0, 1500, 1024, false, ", striding" },
	{ "striding, small strides", PLAIN "," STRIDES ",mprq_log_stride_num=6,mprq_log_stride_size=8", 0, 1500, 4096, false,
		", striding" },
	{ "striding, scattered", "rxq_cqe_comp_en=1," STRIDES ",mprq_log_stride_num=4,mprq_log_stride_size=12", SCATTER, 9600, 1024, false,
		", striding" },
};
const size_t nb_rx_modes = RTE_DIM(rx_modes);

const struct tx_mode tx_modes[] = {
	{ "pointers", "", false, "Multi-packet" },
	{ "inline", "txqs_min_inline=1", true, "Multi-packet, inline" },
	{ "inline, long", "txqs_min_inline=1,txq_inline_max=930,txq_inline_mpw=924", true, "Multi-packet, inline" },
	{ "inline, least", "txq_inline_min=60", true, "Multi-packet, inline" },
	{ "single", "txq_mpw_en=0", false, "Single" },
	{ "single, inline", "txq_mpw_en=0,txqs_min_inline=1", true, "Single, inline" },
};
const size_t nb_tx_modes = RTE_DIM(tx_modes);

const struct rx_mode *
rx_mode_named(const char *name)
{
	for (size_t i = 0; i < nb_rx_modes; i++)
		if (strcmp(rx_modes[i].name, name) == 0)
			return &rx_modes[i];
	return NULL;
}

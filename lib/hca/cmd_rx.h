/* SPDX-License-Identifier: BSD-3-Clause */

/* Receive dispatch: RQT and TIR. nic.md 1.11, 1.12. Shared, reference-counted ones are in rss.h. */
#ifndef HCA_CMD_RX_H
#define HCA_CMD_RX_H

#include <stdbool.h>

#include "hca/cmd.h"

/* nb_rqs is a power of two up to 2^log_max_rqt_size; max_size is what a later modify may use. */
int hca_cmd_create_rqt(struct hca_device *dev, const uint32_t *rqns, uint32_t nb_rqs, uint32_t max_size,
		       struct hca_obj **rqt);
int hca_cmd_modify_rqt(struct hca_obj *rqt, const uint32_t *rqns, uint32_t nb_rqs);

#define HCA_RSS_KEY_BYTES 40

/* The packets a TIR hashes: others that reach it go to entry 0 with hash 0. */
enum hca_hash_l3 { HCA_HASH_IPV4 = 0, HCA_HASH_IPV6 = 1 };
enum hca_hash_l4 { HCA_HASH_TCP = 0, HCA_HASH_UDP = 1 };
enum hca_hash_field {
	HCA_HASH_SRC_IP = 1 << 0,
	HCA_HASH_DST_IP = 1 << 1,
	HCA_HASH_L4_SPORT = 1 << 2,
	HCA_HASH_L4_DPORT = 1 << 3,
	HCA_HASH_IPSEC_SPI = 1 << 4,
};

struct hca_hash {
	uint8_t fields;    /* enum hca_hash_field; 0: no hash */
	uint8_t l3, l4;    /* meaningful with fields of that layer only; else 0 */
	bool inner;        /* of the inner headers of a tunnel */
	bool symmetric;
	uint8_t key[HCA_RSS_KEY_BYTES];
};

struct hca_tirc {
	uint32_t rqtn;
	uint32_t transport_domain;
	struct hca_hash hash;
	bool allow_self_loopback;
};
int hca_cmd_create_tir(struct hca_device *dev, const struct hca_tirc *tirc, struct hca_obj **tir);
int hca_cmd_modify_tir_self_loopback(struct hca_obj *tir, bool allow);

#endif

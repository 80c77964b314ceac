/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Modify-header lists: from the caller's commands to the device's 8-byte words, and the pattern objects that hold their
 * control half, cached by content.
 */
#ifndef MLX5DR_PATTERN_H
#define MLX5DR_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "hws/mlx5dr.h"
#include "prm/object.h"

struct hca_device;
struct hca_obj;

struct modify_list {
	uint8_t words[PRM_PATTERN_DATA_BYTES]; /* with constant data in place */
	uint8_t nb;
	uint8_t position[MLX5DR_MAX_MODIFY];   /* word of each command of the caller */
	bool reparse;
};

/*
 * Encode commands, with a NOP between two of which the second works on the field that the first has written.
 * @return 0; -E2BIG more words than a list holds; -EINVAL.
 */
int modify_encode(const struct mlx5dr_modify *commands, uint16_t nb_commands, struct modify_list *list);

/*
 * The list that cuts an L3 tunnel and puts a new Ethernet header of header_bytes on the inner packet: remove, insert
 * four bytes at a time from the header's end to its start, cut two bytes too many. header may be NULL: zeros.
 * modify_l3_decap_word: where in the words byte `at` of the header lies.
 */
void modify_l3_decap(uint16_t header_bytes, const uint8_t *header, struct modify_list *list);
unsigned int modify_l3_decap_word(uint16_t header_bytes, unsigned int at);

struct pattern_object {
	struct pattern_object *next;
	struct hca_obj *obj;
	unsigned int refs;
	uint8_t nb;
	uint8_t words[PRM_PATTERN_DATA_BYTES];
};

struct pattern_cache {
	struct pattern_object *first;
};

/* Under the context's lock. */
int pattern_get(struct pattern_cache *cache, struct hca_device *dev, const struct modify_list *list,
		struct pattern_object **pattern);
void pattern_put(struct pattern_cache *cache, struct pattern_object *pattern);

#endif

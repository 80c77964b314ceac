/* SPDX-License-Identifier: BSD-3-Clause */

#include "hws/pattern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hca/cmd_steering.h"
#include "prm/modify.h"

#define WORD PRM_MODIFY_ACTION_BYTES

static uint8_t *
add_word(struct modify_list *list)
{
	return list->words + (size_t)list->nb++ * WORD;
}

/* Field that the word before writes; a NOP writes none. */
static int
written_field(const struct modify_list *list)
{
	const uint8_t *word;

	if (list->nb == 0)
		return -1;
	word = list->words + (size_t)(list->nb - 1) * WORD;
	if (prm_get(word, PRM_SET_ACTION_ACTION_TYPE) == PRM_MODIFY_NOP)
		return -1;
	if (prm_get(word, PRM_SET_ACTION_ACTION_TYPE) == PRM_MODIFY_COPY)
		return (int)prm_get(word, PRM_COPY_ACTION_DST_FIELD);
	return (int)prm_get(word, PRM_SET_ACTION_FIELD);
}

static bool
depends(const struct modify_list *list, const struct mlx5dr_modify *command)
{
	int written = written_field(list);

	return written == command->field || (command->op == MLX5DR_MODIFY_COPY && written == command->src_field);
}

static void
encode_word(const struct mlx5dr_modify *command, uint8_t *word)
{
	uint32_t data = command->data.from == MLX5DR_FROM_CONSTANT ? command->data.value : 0;

	if (command->op == MLX5DR_MODIFY_COPY) {
		prm_set(word, PRM_COPY_ACTION_ACTION_TYPE, PRM_MODIFY_COPY);
		prm_set(word, PRM_COPY_ACTION_SRC_FIELD, command->src_field);
		prm_set(word, PRM_COPY_ACTION_SRC_OFFSET, command->src_offset);
		prm_set(word, PRM_COPY_ACTION_LENGTH, command->length & 31);
		prm_set(word, PRM_COPY_ACTION_DST_FIELD, command->field);
		prm_set(word, PRM_COPY_ACTION_DST_OFFSET, command->offset);
		return;
	}
	prm_set(word, PRM_SET_ACTION_ACTION_TYPE, command->op);
	prm_set(word, PRM_SET_ACTION_FIELD, command->field);
	prm_set(word, PRM_SET_ACTION_OFFSET, command->offset);
	prm_set(word, PRM_SET_ACTION_LENGTH, command->length & 31);
	prm_set(word, PRM_SET_ACTION_DATA, data);
}

static bool
command_is_sane(const struct mlx5dr_modify *command)
{
	if (command->op < MLX5DR_MODIFY_SET || command->op > MLX5DR_MODIFY_COPY)
		return false;
	if (command->length < 1 || command->offset + command->length > 32 || command->field > 0xfff)
		return false;
	return command->op != MLX5DR_MODIFY_COPY ||
	       (command->src_offset + command->length <= 32 && command->src_field <= 0xfff);
}

int
modify_encode(const struct mlx5dr_modify *commands, uint16_t nb_commands, struct modify_list *list)
{
	memset(list, 0, sizeof(*list));
	for (uint16_t i = 0; i < nb_commands; i++) {
		const struct mlx5dr_modify *command = &commands[i];
		bool nop = depends(list, command);

		if (!command_is_sane(command))
			return -EINVAL;
		if (list->nb + nop + 1 > PRM_PATTERN_MAX_ACTIONS)
			return -E2BIG;
		if (nop)
			prm_set(add_word(list), PRM_SET_ACTION_ACTION_TYPE, PRM_MODIFY_NOP);
		list->position[i] = list->nb;
		encode_word(command, add_word(list));
		/* What decides how the packet is parsed. */
		if (command->field == PRM_MODI_OUT_ETHERTYPE || command->field == PRM_MODI_OUT_IP_PROTOCOL)
			list->reparse = true;
	}
	return 0;
}

unsigned int
modify_l3_decap_word(uint16_t header_bytes, unsigned int at)
{
	/* From the end: the last four bytes are inserted first. Word 0 is the removal. */
	unsigned int from_end = header_bytes - 1 - at;

	return (1 + from_end / 4) * WORD + 4 + (3 - from_end % 4);
}

void
modify_l3_decap(uint16_t header_bytes, const uint8_t *header, struct modify_list *list)
{
	unsigned int nb_inserts = (header_bytes + 3) / 4;
	uint8_t *word;

	memset(list, 0, sizeof(*list));
	list->reparse = true;
	word = add_word(list);
	prm_set(word, PRM_REMOVE_HEADER_ACTION_TYPE, PRM_MODIFY_REMOVE);
	prm_set(word, PRM_REMOVE_HEADER_DECAP, 1);
	prm_set(word, PRM_REMOVE_HEADER_REMOVE_START_ANCHOR, PRM_ANCHOR_PACKET_START);
	prm_set(word, PRM_REMOVE_HEADER_REMOVE_END_ANCHOR, PRM_ANCHOR_INNER_IPV6_IPV4);
	for (unsigned int i = 0; i < nb_inserts; i++) {
		word = add_word(list);
		prm_set(word, PRM_INSERT_HEADER_ACTION_TYPE, PRM_MODIFY_INSERT);
		prm_set(word, PRM_INSERT_HEADER_INLINE_DATA, 1);
		prm_set(word, PRM_INSERT_HEADER_INSERT_ANCHOR, PRM_ANCHOR_PACKET_START);
		prm_set(word, PRM_INSERT_HEADER_INSERT_SIZE, 2);
	}
	word = add_word(list);
	prm_set(word, PRM_REMOVE_WORDS_ACTION_TYPE, PRM_MODIFY_REMOVE_WORDS);
	prm_set(word, PRM_REMOVE_WORDS_REMOVE_START_ANCHOR, PRM_ANCHOR_PACKET_START);
	prm_set(word, PRM_REMOVE_WORDS_REMOVE_SIZE, 1);
	for (unsigned int at = 0; header != NULL && at < header_bytes; at++)
		list->words[modify_l3_decap_word(header_bytes, at)] = header[at];
}

/* Data comes from the argument, except for copies, which have none. */
static void
strip_data(const struct modify_list *list, uint8_t *words)
{
	memcpy(words, list->words, (size_t)list->nb * WORD);
	for (unsigned int i = 0; i < list->nb; i++)
		if (prm_get(words + i * WORD, PRM_SET_ACTION_ACTION_TYPE) != PRM_MODIFY_COPY)
			prm_set(words + i * WORD, PRM_SET_ACTION_DATA, 0);
}

int
pattern_get(struct pattern_cache *cache, struct hca_device *dev, const struct modify_list *list,
	    struct pattern_object **pattern)
{
	struct pattern_object *new = calloc(1, sizeof(*new)), *old;
	int ret;

	if (new == NULL)
		return -ENOMEM;
	strip_data(list, new->words);
	new->nb = list->nb;
	for (old = cache->first; old != NULL; old = old->next) {
		if (old->nb != new->nb || memcmp(old->words, new->words, (size_t)old->nb * WORD) != 0)
			continue;
		free(new);
		old->refs++;
		*pattern = old;
		return 0;
	}
	ret = hca_cmd_create_modify_header_pattern(dev, new->words, new->nb, &new->obj);
	if (ret < 0) {
		free(new);
		return ret;
	}
	new->refs = 1;
	new->next = cache->first;
	cache->first = new;
	*pattern = new;
	return 0;
}

void
pattern_put(struct pattern_cache *cache, struct pattern_object *pattern)
{
	struct pattern_object **at;

	if (--pattern->refs > 0)
		return;
	for (at = &cache->first; *at != pattern; at = &(*at)->next)
		;
	*at = pattern->next;
	hca_obj_destroy(pattern->obj);
	free(pattern);
}

/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Memory keys: of the verbs front (a stretch of the program's memory), by command over a umem, and by
 * command as a list of other keys.
 */
#include <errno.h>
#include <stdlib.h>

#include "prm/resource.h"
#include "softcx/cmd/named.h"
#include "softcx/cmd/resource.h"
#include "softcx/core/command.h"
#include "softcx/core/device.h"

#define KLM_MAX 4096

int
sc_mkey_create(struct sc_device *dev, uint16_t uid, uint32_t pd, void *base, uint64_t iova, uint64_t len,
	       uint32_t access, struct sc_mkey **out)
{
	struct sc_object *domain = sc_pd_find(dev, pd);
	struct sc_mkey *key;

	if (domain == NULL || base == NULL || len == 0)
		return -EINVAL;
	key = sc_object_new(dev, SC_MKEY, sizeof(*key), uid);
	if (key == NULL)
		return -ENOMEM;
	/* The low byte changes with each use of an id, so that a key kept too long is found out. */
	key->lkey = key->obj.id << 8 | (uint8_t)key->obj.birth;
	key->pd = pd;
	key->base = base;
	key->start = iova;
	key->len = len;
	key->local_read = true;
	key->local_write = access & SC_ACCESS_LOCAL_WRITE;
	key->obj.bytes = len;
	sc_object_get(domain);
	*out = key;
	return 0;
}

int
sc_mkey_destroy(struct sc_mkey *key)
{
	struct sc_object *domain = sc_pd_find(key->obj.dev, key->pd);
	uint32_t i;

	if (key->obj.refs > 0)
		return -EBUSY;
	for (i = 0; i < key->nb_klm; i++) {
		struct sc_object *to = sc_object_find(key->obj.dev, SC_MKEY, key->klm[i].lkey >> 8);

		if (to != NULL)
			sc_object_put(to);
	}
	if (key->umem != NULL)
		sc_object_put(&key->umem->obj);
	if (domain != NULL)
		sc_object_put(domain);
	sc_object_remove(&key->obj);
	free(key->klm);
	free(key);
	return 0;
}

/* Translation through a umem: where the key's first byte lies. */
static int
key_by_umem(struct sc_call *call, const uint8_t *mkc, struct sc_mkey *key)
{
	uint32_t umem_id = prm_get(call->in, PRM_CREATE_MKEY_IN_MKEY_UMEM_ID);
	uint64_t offset = prm_get64(call->in, PRM_CREATE_MKEY_IN_MKEY_UMEM_OFFSET);
	uint64_t page = UINT64_C(1) << prm_get(mkc, PRM_MKC_LOG_PAGE_SIZE);
	struct sc_umem *umem = sc_call_find(call, SC_UMEM, umem_id);
	uintptr_t first;

	if (!prm_get(call->in, PRM_CREATE_MKEY_IN_MKEY_UMEM_VALID))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"mkey_umem_valid is 0; only umems translate here");
	if (umem == NULL)
		return sc_refuse(call, PRM_STATUS_BAD_RES, "mkey_umem_id 0x%x does not exist", umem_id);
	if (key->local_write && !(umem->access & SC_ACCESS_LOCAL_WRITE))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
				 "lw is set, umem 0x%x was registered without local write", umem_id);
	/*
	 * Entry 0 of the translation is the page of the umem that offset names; the offset inside a page
	 * comes from the virtual address.
	 */
	first = ((uintptr_t)umem->base & ~(uintptr_t)(page - 1)) + offset + (key->start & (page - 1));
	if (first < (uintptr_t)umem->base || key->len == UINT64_MAX ||
	    first - (uintptr_t)umem->base > umem->len ||
	    key->len > umem->len - (first - (uintptr_t)umem->base))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
				 "start_addr 0x%llx len 0x%llx is not inside umem 0x%x (0x%llx bytes at %p)",
				 (unsigned long long)key->start, (unsigned long long)key->len, umem_id,
				 (unsigned long long)umem->len, (void *)umem->base);
	key->umem = umem;
	key->base = (uint8_t *)first;
	return 0;
}

/* A list of other keys: KLM (each of its own length) or KSM (all of 2^log_page_size). */
static int
key_by_list(struct sc_call *call, const uint8_t *mkc, struct sc_mkey *key)
{
	bool ksm = prm_get(mkc, PRM_MKC_ACCESS_MODE_1_0) == PRM_MKC_ACCESS_MODE_KSM;
	uint32_t n = prm_get(mkc, PRM_MKC_TRANSLATIONS_OCTWORD_SIZE), i;
	uint64_t at = 0;

	if (n == 0 || n > KLM_MAX || call->in_len < PRM_CREATE_MKEY_IN_BYTES + n * PRM_KLM_BYTES)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
				 "translations_octword_size %u: 1..%u, and all in the command", n, KLM_MAX);
	key->klm = calloc(n, sizeof(*key->klm));
	if (key->klm == NULL)
		return sc_refuse(call, PRM_STATUS_LIM, "no memory for %u list entries", n);
	for (i = 0; i < n; i++) {
		const uint8_t *entry = call->in + PRM_CREATE_MKEY_IN_BYTES + i * PRM_KLM_BYTES;
		struct sc_klm *klm = &key->klm[key->nb_klm];
		struct sc_object *to;

		klm->at = at;
		klm->lkey = prm_get(entry, PRM_KLM_MKEY);
		klm->va = prm_get64(entry, PRM_KLM_ADDRESS);
		klm->len = ksm ? UINT64_C(1) << prm_get(mkc, PRM_MKC_LOG_PAGE_SIZE) :
			prm_get(entry, PRM_KLM_BYTE_COUNT);
		if (klm->lkey == 0 && (ksm || klm->len == 0))
			continue; /* the list is padded to a multiple of four */
		to = sc_call_find(call, SC_MKEY, klm->lkey >> 8);
		if (to == NULL)
			return sc_refuse(call, PRM_STATUS_BAD_RES, "list entry %u: mkey 0x%x does not exist",
					 i, klm->lkey);
		sc_object_get(to);
		key->nb_klm++;
		at += klm->len;
	}
	if (key->nb_klm == 0)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "all %u list entries are empty", n);
	if (key->len != UINT64_MAX && key->len > at)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
				 "len 0x%llx is above the 0x%llx bytes of the list",
				 (unsigned long long)key->len, (unsigned long long)at);
	if (key->len == UINT64_MAX)
		key->len = at;
	return 0;
}

static int
create_mkey(struct sc_call *call)
{
	const uint8_t *mkc = prm_area_const(call->in, PRM_CREATE_MKEY_IN_MKC);
	uint32_t mode = prm_get(mkc, PRM_MKC_ACCESS_MODE_1_0), pd = prm_get(mkc, PRM_MKC_PD);
	struct sc_object *domain = sc_call_find(call, SC_PD, pd);
	struct sc_mkey *key;
	int ret;

	if (domain == NULL)
		return sc_refuse(call, PRM_STATUS_BAD_RES, "pd 0x%x does not exist", pd);
	if (prm_get(mkc, PRM_MKC_ACCESS_MODE_4_2) != 0 || mode == PRM_MKC_ACCESS_MODE_PA)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "access_mode %u: MTT, KLM and KSM are there",
				 prm_get(mkc, PRM_MKC_ACCESS_MODE_4_2) << 2 | mode);
	if (prm_get(mkc, PRM_MKC_FREE) || prm_get(mkc, PRM_MKC_UMR_EN))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "free or umr_en is set, the device has no UMR");
	key = sc_object_new(call->dev, SC_MKEY, sizeof(*key), call->uid);
	if (key == NULL)
		return sc_refuse(call, PRM_STATUS_NO_RES, "no mkey is left");
	key->lkey = key->obj.id << 8 | prm_get(mkc, PRM_MKC_MKEY_7_0);
	key->pd = pd;
	key->start = prm_get64(mkc, PRM_MKC_START_ADDR);
	key->len = prm_get(mkc, PRM_MKC_LENGTH64) ? UINT64_MAX : prm_get64(mkc, PRM_MKC_LEN);
	key->local_read = prm_get(mkc, PRM_MKC_LR);
	key->local_write = prm_get(mkc, PRM_MKC_LW);
	sc_object_get(domain);
	if (mode == PRM_MKC_ACCESS_MODE_MTT)
		ret = key_by_umem(call, mkc, key);
	else
		ret = key_by_list(call, mkc, key);
	if (ret < 0) {
		sc_mkey_destroy(key);
		return ret;
	}
	if (key->umem != NULL)
		sc_object_get(&key->umem->obj);
	key->obj.bytes = key->len;
	prm_set(call->out, PRM_ID_OUT_ID, key->obj.id);
	return 0;
}

static int
mkey_destroy_object(struct sc_object *obj)
{
	return sc_mkey_destroy((struct sc_mkey *)obj);
}

static int
destroy_mkey(struct sc_call *call)
{
	return sc_destroy_named(call, SC_MKEY, PRM_ID_IN_ID, mkey_destroy_object);
}

const struct sc_command sc_commands_mkey[] = {
	{ PRM_CMD_OP_CREATE_MKEY, 0, "CREATE_MKEY", PRM_CREATE_MKEY_IN_BYTES, 16, create_mkey },
	{ PRM_CMD_OP_DESTROY_MKEY, 0, "DESTROY_MKEY", 16, 16, destroy_mkey },
	{ 0 },
};

void
sc_mkey_init(struct sc_device *dev)
{
	sc_object_on_close(dev, SC_MKEY, mkey_destroy_object);
}

/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The plain resources: protection domains, transport domains, TIS, umems, counter sets. Memory keys are in
 * mkey.c.
 */
#include "softcx/cmd/resource.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "prm/queue.h"
#include "prm/resource.h"
#include "softcx/cmd/named.h"
#include "softcx/core/command.h"
#include "softcx/core/device.h"
#include "softcx/core/internal.h"

/* For those that are nothing but a number and references to them. */
static int
plain_destroy(struct sc_object *obj)
{
	if (obj->refs > 0)
		return -EBUSY;
	sc_object_remove(obj);
	free(obj);
	return 0;
}

/* ---- functions ----------------------------------------------------------------------------------------- */

int
sc_pd_create(struct sc_device *dev, uint16_t uid, struct sc_pd **pd)
{
	*pd = sc_object_new(dev, SC_PD, sizeof(**pd), uid);
	return *pd == NULL ? -ENOMEM : 0;
}

int
sc_pd_destroy(struct sc_pd *pd)
{
	return plain_destroy(&pd->obj);
}

int
sc_umem_create(struct sc_device *dev, uint16_t uid, void *addr, uint64_t len, uint32_t access,
	struct sc_umem **out)
{
	struct sc_umem *umem;

	if (addr == NULL || len == 0 || len > UINT64_MAX - (uintptr_t)addr)
		return -EINVAL;
	umem = sc_object_new(dev, SC_UMEM, sizeof(*umem), uid);
	if (umem == NULL)
		return -ENOMEM;
	umem->base = addr;
	umem->len = len;
	umem->access = access;
	umem->obj.bytes = len;
	*out = umem;
	return 0;
}

int
sc_umem_destroy(struct sc_umem *umem)
{
	return plain_destroy(&umem->obj);
}

static int
tis_destroy(struct sc_tis *tis)
{
	struct sc_device *dev = tis->obj.dev;
	struct sc_object *td = sc_object_find(dev, SC_TD, tis->td), *pd = sc_pd_find(dev, tis->pd);

	if (tis->obj.refs > 0)
		return -EBUSY;
	if (td != NULL)
		sc_object_put(td);
	if (pd != NULL)
		sc_object_put(pd);
	sc_object_remove(&tis->obj);
	free(tis);
	return 0;
}

/* ---- commands: numbers only ---------------------------------------------------------------------------- */

static int
answer_new(struct sc_call *call, enum sc_type type, size_t size)
{
	struct sc_object *obj = sc_object_new(call->dev, type, size, call->uid);

	if (obj == NULL)
		return sc_refuse(call, PRM_STATUS_NO_RES, "no %s is left", sc_type_name(type));
	prm_set(call->out, PRM_ID_OUT_ID, obj->id);
	return 0;
}

static int
alloc_pd(struct sc_call *call)
{
	return answer_new(call, SC_PD, sizeof(struct sc_pd));
}

static int
dealloc_pd(struct sc_call *call)
{
	return sc_destroy_named(call, SC_PD, PRM_ID_IN_ID, plain_destroy);
}

static int
alloc_td(struct sc_call *call)
{
	return answer_new(call, SC_TD, sizeof(struct sc_td));
}

static int
dealloc_td(struct sc_call *call)
{
	return sc_destroy_named(call, SC_TD, PRM_ID_IN_ID, plain_destroy);
}

static int
alloc_q_counter(struct sc_call *call)
{
	return answer_new(call, SC_Q_COUNTER, sizeof(struct sc_q_counter));
}

static int
dealloc_q_counter(struct sc_call *call)
{
	return sc_destroy_named(call, SC_Q_COUNTER, PRM_DEALLOC_Q_COUNTER_IN_COUNTER_SET_ID, plain_destroy);
}

/* ---- queue counters ------------------------------------------------------------------------------------ */

#define Q_COUNTER(member, field) { offsetof(struct sc_q_counter, member), PRM_QUERY_Q_COUNTER_OUT_##field }

static const struct {
	size_t offset;
	int field;
} q_counters[] = {
	Q_COUNTER(rx_write_requests, RX_WRITE_REQUESTS), Q_COUNTER(out_of_buffer, OUT_OF_BUFFER),
	Q_COUNTER(resp_local_length_error, RESP_LOCAL_LENGTH_ERROR),
	Q_COUNTER(resp_cqe_error, RESP_CQE_ERROR),
	Q_COUNTER(req_cqe_error, REQ_CQE_ERROR), Q_COUNTER(cq_overflow, CQ_OVERFLOW),
	Q_COUNTER(resp_cqe_flush_error, RESP_CQE_FLUSH_ERROR),
	Q_COUNTER(req_cqe_flush_error, REQ_CQE_FLUSH_ERROR),
};

static int
query_q_counter(struct sc_call *call)
{
	struct sc_q_counter *counter;
	int ret = 0;
	size_t i;

	counter = sc_named(call, SC_Q_COUNTER, PRM_QUERY_Q_COUNTER_IN_COUNTER_SET_ID, &ret);
	if (counter == NULL)
		return ret;
	for (i = 0; i < sizeof(q_counters) / sizeof(q_counters[0]); i++) {
		uint32_t *value = (uint32_t *)((char *)counter + q_counters[i].offset);

		prm_set(call->out, q_counters[i].field, *value);
		if (prm_get(call->in, PRM_QUERY_Q_COUNTER_IN_CLEAR))
			*value = 0;
	}
	return 0;
}

/* ---- TIS ----------------------------------------------------------------------------------------------- */

static int
create_tis(struct sc_call *call)
{
	const uint8_t *ctx = prm_area_const(call->in, PRM_CREATE_TIS_IN_CTX);
	uint32_t td = prm_get(ctx, PRM_TISC_TRANSPORT_DOMAIN), pd = prm_get(ctx, PRM_TISC_PD);
	struct sc_object *td_obj = sc_call_find(call, SC_TD, td), *pd_obj = sc_call_find(call, SC_PD, pd);
	struct sc_tis *tis;

	if (td_obj == NULL)
		return sc_refuse(call, PRM_STATUS_BAD_RES, "transport_domain 0x%x does not exist", td);
	if (pd != 0 && pd_obj == NULL)
		return sc_refuse(call, PRM_STATUS_BAD_RES, "pd 0x%x does not exist", pd);
	if (prm_get(ctx, PRM_TISC_TLS_EN))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "tls_en is set, the device has no TLS");
	if (prm_get(ctx, PRM_TISC_LAG_TX_PORT_AFFINITY) > 1)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
				 "lag_tx_port_affinity %u, the device has one port",
				 prm_get(ctx, PRM_TISC_LAG_TX_PORT_AFFINITY));
	tis = sc_object_new(call->dev, SC_TIS, sizeof(*tis), call->uid);
	if (tis == NULL)
		return sc_refuse(call, PRM_STATUS_NO_RES, "no tis is left");
	tis->td = td;
	tis->pd = pd;
	tis->prio = prm_get(ctx, PRM_TISC_PRIO);
	sc_object_get(td_obj);
	if (pd_obj != NULL)
		sc_object_get(pd_obj);
	prm_set(call->out, PRM_ID_OUT_ID, tis->obj.id);
	return 0;
}

static int
tis_destroy_object(struct sc_object *obj)
{
	return tis_destroy((struct sc_tis *)obj);
}

static int
destroy_tis(struct sc_call *call)
{
	return sc_destroy_named(call, SC_TIS, PRM_ID_IN_ID, tis_destroy_object);
}

static int
query_tis(struct sc_call *call)
{
	/* the context lies at 0x10 of the answer */
	uint8_t *ctx = call->out + 0x10;
	const struct sc_tis *tis;
	int ret = 0;

	tis = sc_named(call, SC_TIS, PRM_ID_IN_ID, &ret);
	if (tis == NULL)
		return ret;
	prm_set(ctx, PRM_TISC_PRIO, tis->prio);
	prm_set(ctx, PRM_TISC_TRANSPORT_DOMAIN, tis->td);
	prm_set(ctx, PRM_TISC_PD, tis->pd);
	return 0;
}

const struct sc_command sc_commands_resource[] = {
	{ PRM_CMD_OP_ALLOC_PD, 0, "ALLOC_PD", 16, 16, alloc_pd },
	{ PRM_CMD_OP_DEALLOC_PD, 0, "DEALLOC_PD", 16, 16, dealloc_pd },
	{ PRM_CMD_OP_ALLOC_TRANSPORT_DOMAIN, 0, "ALLOC_TRANSPORT_DOMAIN", 16, 16, alloc_td },
	{ PRM_CMD_OP_DEALLOC_TRANSPORT_DOMAIN, 0, "DEALLOC_TRANSPORT_DOMAIN", 16, 16, dealloc_td },
	{ PRM_CMD_OP_ALLOC_Q_COUNTER, 0, "ALLOC_Q_COUNTER", 16, 16, alloc_q_counter },
	{ PRM_CMD_OP_DEALLOC_Q_COUNTER, 0, "DEALLOC_Q_COUNTER", 16, 16, dealloc_q_counter },
	{ PRM_CMD_OP_QUERY_Q_COUNTER, 0, "QUERY_Q_COUNTER", PRM_QUERY_Q_COUNTER_IN_BYTES,
	  PRM_QUERY_Q_COUNTER_OUT_BYTES, query_q_counter },
	{ PRM_CMD_OP_CREATE_TIS, 0, "CREATE_TIS", PRM_CREATE_TIS_IN_BYTES, 16, create_tis },
	{ PRM_CMD_OP_DESTROY_TIS, 0, "DESTROY_TIS", 16, 16, destroy_tis },
	{ PRM_CMD_OP_QUERY_TIS, 0, "QUERY_TIS", 16, 0x10 + PRM_TISC_BYTES, query_tis },
	{ 0 },
};

/* ---- life ---------------------------------------------------------------------------------------------- */

int
sc_resource_init(struct sc_device *dev)
{
	static const enum sc_type plain[] = { SC_PD, SC_TD, SC_UMEM, SC_Q_COUNTER };
	size_t i;

	for (i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		sc_object_on_close(dev, plain[i], plain_destroy);
	sc_object_on_close(dev, SC_TIS, tis_destroy_object);
	sc_mkey_init(dev);
	return 0;
}

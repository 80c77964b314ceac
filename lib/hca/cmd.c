/* SPDX-License-Identifier: BSD-3-Clause */
#include "hca/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hca/device.h"
#include "hca/log.h"
#include "prm/cmd.h"

static __thread struct hca_error last_error;

const struct hca_error *
hca_cmd_last_error(void)
{
	return &last_error;
}

void
hca_cmd_forget_error(void)
{
	last_error.command = NULL;
}

const char *
hca_cmd_status_text(uint8_t status)
{
	const char *text = prm_status_text(status);

	return text == NULL ? "unknown status" : text;
}

/*
 * Errno of a refusal: the kernel's (nic.md 1.1), but where it would say something else to callers of this project.
 * What the device has used up is ENOSPC: EAGAIN would ask for patience, and ENOMEM is the host's. What it does not know
 * is ENOTSUP.
 */
static int
status_errno(uint8_t status)
{
	static const struct {
		uint8_t status;
		int err;
	} rows[] = {
		{ PRM_STATUS_INT_ERR, EIO },
		{ PRM_STATUS_BAD_OP, ENOTSUP },
		{ PRM_STATUS_BAD_SYS_STATE, EIO },
		{ PRM_STATUS_RES_BUSY, EBUSY },
		{ PRM_STATUS_LIM, ENOSPC },
		{ PRM_STATUS_NO_RES, ENOSPC },
		{ PRM_STATUS_BAD_INP_LEN, EIO },
		{ PRM_STATUS_BAD_OUTP_LEN, EIO },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].status == status)
			return rows[i].err;
	return EINVAL;
}

/*
 * Remember and log a command that failed. what: the object it was to create, or NULL; err: what the library said,
 * positive, 0 where it said nothing.
 */
static int
refused(struct hca_device *dev, const char *what, const void *in, const void *out, int err)
{
	const char *name = prm_opcode_name((uint16_t)prm_get(in, PRM_CMD_IN_OPCODE));
	struct hca_error *error = &last_error;
	int used = 0;

	error->command = name == NULL ? "command" : name;
	error->status = (uint8_t)prm_get(out, PRM_CMD_OUT_STATUS);
	error->syndrome = prm_get(out, PRM_CMD_OUT_SYNDROME);
	if (error->status != 0) {
		error->err = status_errno(error->status);
		if (what != NULL && error->err == ENOSPC)
			used = snprintf(error->text, sizeof(error->text), "the device has no room for another %s: ", what);
		snprintf(error->text + used, sizeof(error->text) - used, "%s: %s (status 0x%x), syndrome 0x%x", error->command,
			 hca_cmd_status_text(error->status), error->status, error->syndrome);
	} else {
		error->err = err == 0 ? EIO : err;
		snprintf(error->text, sizeof(error->text), "%s: %s before it reached the device", error->command,
			 strerror(error->err));
	}
	/* A dead device was reported when it died. */
	if (!atomic_load_explicit(&dev->dead, memory_order_relaxed))
		HCA_ERR("%s: %s", dev->name, error->text);
	return -error->err;
}

/* A dead device answers nothing; say so without asking it, so that close cannot hang on it. */
static int
check_alive(struct hca_device *dev, const void *in)
{
	static const uint8_t no_answer[PRM_CMD_HDR_BYTES];

	if (!atomic_load_explicit(&dev->dead, memory_order_relaxed))
		return 0;
	return refused(dev, NULL, in, no_answer, EIO);
}

/* The library answers 0, -1 with errno, or a positive or negative errno; the device's own word is in out. */
static int
judge(struct hca_device *dev, const void *in, const void *out, int ret)
{
	if (ret == 0 && prm_get(out, PRM_CMD_OUT_STATUS) == 0)
		return 0;
	if (ret == -1)
		ret = errno;
	return refused(dev, NULL, in, out, ret < 0 ? -ret : ret);
}

int
hca_cmd_general(struct hca_device *dev, const void *in, size_t in_len, void *out, size_t out_len)
{
	int ret = check_alive(dev, in);

	if (ret != 0)
		return ret;
	memset(out, 0, PRM_CMD_HDR_BYTES);
	ret = dev->verbs->mlx5dv_devx_general_cmd(dev->ctx, in, in_len, out, out_len);
	return judge(dev, in, out, ret);
}

/* General objects and flow counters have 32-bit ids, queue counter sets 8 bits, the others 24. */
static uint32_t
id_mask(uint32_t opcode)
{
	switch (opcode) {
	case PRM_CMD_OP_CREATE_GENERAL_OBJECT:
	case PRM_CMD_OP_ALLOC_FLOW_COUNTER:
		return UINT32_MAX;
	case PRM_CMD_OP_ALLOC_Q_COUNTER:
		return UINT8_MAX;
	default:
		return 0xffffff;
	}
}

int
hca_cmd_create(struct hca_device *dev, const char *what, const void *in, size_t in_len, struct hca_obj **out_obj)
{
	uint8_t out[PRM_CMD_HDR_BYTES] = { 0 };
	struct hca_obj *obj;
	int ret = check_alive(dev, in);

	if (ret != 0)
		return ret;
	obj = calloc(1, sizeof(*obj));
	if (obj == NULL)
		return -ENOMEM;
	errno = 0;
	obj->devx = dev->verbs->mlx5dv_devx_obj_create(dev->ctx, in, in_len, out, sizeof(out));
	if (obj->devx == NULL) {
		ret = refused(dev, what, in, out, errno);
		free(obj);
		return ret;
	}
	obj->dev = dev;
	obj->what = what;
	obj->id = prm_get(out, PRM_GENERAL_OBJ_OUT_OBJ_ID) & id_mask(prm_get(in, PRM_CMD_IN_OPCODE));
	*out_obj = obj;
	return 0;
}

int
hca_cmd_modify(struct hca_obj *obj, const void *in, size_t in_len)
{
	uint8_t out[PRM_CMD_HDR_BYTES] = { 0 };
	int ret = check_alive(obj->dev, in);

	if (ret != 0)
		return ret;
	ret = obj->dev->verbs->mlx5dv_devx_obj_modify(obj->devx, in, in_len, out, sizeof(out));
	return judge(obj->dev, in, out, ret);
}

int
hca_cmd_query(struct hca_obj *obj, const void *in, size_t in_len, void *out, size_t out_len)
{
	int ret = check_alive(obj->dev, in);

	if (ret != 0)
		return ret;
	memset(out, 0, PRM_CMD_HDR_BYTES);
	ret = obj->dev->verbs->mlx5dv_devx_obj_query(obj->devx, in, in_len, out, out_len);
	return judge(obj->dev, in, out, ret);
}

/* Also asked of a dead device: the library has memory of its own behind the object. */
int
hca_obj_destroy(struct hca_obj *obj)
{
	int ret;

	if (obj == NULL)
		return 0;
	errno = 0;
	ret = obj->dev->verbs->mlx5dv_devx_obj_destroy(obj->devx);
	if (ret != 0) {
		ret = ret == -1 ? -errno : (ret > 0 ? -ret : ret);
		if (!atomic_load_explicit(&obj->dev->dead, memory_order_relaxed))
			HCA_ERR("%s: %s 0x%x not destroyed: %s", obj->dev->name, obj->what, obj->id,
				strerror(-ret));
	}
	free(obj);
	return ret;
}

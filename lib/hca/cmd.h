/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Commands over DevX. One function per PRM command in cmd_queue.h, cmd_rx.h, cmd_steering.h and
 * cmd_counter.h; here what they share: objects, and how a refusal is reported.
 *
 * Errors: every function returns 0 or -errno. Where the device refused, status and syndrome are logged
 * once, here, and kept for the calling thread (hca_cmd_last_error), so that the edge can quote them to
 * the user. A refusal is -EINVAL, but -ENOSPC where the device has used something up, -EBUSY where an object is
 * in use, -ENOTSUP where it does not know the command, -EIO where the fault is its own.
 */
#ifndef HCA_CMD_H
#define HCA_CMD_H

#include <stddef.h>
#include <stdint.h>

struct hca_device;
struct mlx5dv_devx_obj;

/* An object of the device. A range (STE, STC, ARG, counters) is one object; its id is that of element 0. */
struct hca_obj {
	struct hca_device *dev;
	struct mlx5dv_devx_obj *devx;
	uint32_t id;
	uint8_t log_range;
	uint8_t table_type;  /* flow tables: type they were created with */
	const char *what;    /* "SQ", for messages */
};

/* The last command that failed on this thread. */
struct hca_error {
	const char *command; /* "CREATE_SQ"; NULL: none failed yet */
	int err;             /* errno */
	uint8_t status;      /* 0: the command did not reach the device */
	uint32_t syndrome;
	char text[160];      /* "CREATE_SQ: bad parameter (0x3), syndrome 0x1234"; what is used up stands before it */
};
const struct hca_error *hca_cmd_last_error(void);
/* So that an old refusal does not explain a new failure: command is NULL then. */
void hca_cmd_forget_error(void);

/* Name of a status code, "unknown status" where there is none. */
const char *hca_cmd_status_text(uint8_t status);

/*
 * The ways a command goes, for the functions of cmd_*.h. in and out are whole command buffers in device
 * layout. create allocates *obj; the id is taken from dword 2 of the answer.
 */
int hca_cmd_general(struct hca_device *dev, const void *in, size_t in_len, void *out, size_t out_len);
int hca_cmd_create(struct hca_device *dev, const char *what, const void *in, size_t in_len, struct hca_obj **obj);
int hca_cmd_modify(struct hca_obj *obj, const void *in, size_t in_len);
int hca_cmd_query(struct hca_obj *obj, const void *in, size_t in_len, void *out, size_t out_len);

/*
 * The destroy command of the object's kind, and its memory. NULL is allowed. A refusal is logged, the
 * memory freed.
 */
int hca_obj_destroy(struct hca_obj *obj);

#endif

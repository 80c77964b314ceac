/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What the kernel does between a program's DevX call and the firmware: lets only some opcodes pass, each in
 * its kind of call, writes the caller's uid, sets the umem-valid bits, holds modify and query against the
 * object they are made on, and builds the command that destroys it. One table, core/devx.c.
 */
#ifndef SOFTCX_DEVX_H
#define SOFTCX_DEVX_H

#include <stdbool.h>
#include <stdint.h>

#include "softcx/core/object.h"

struct sc_device;

enum sc_devx_kind { SC_DEVX_GENERAL, SC_DEVX_CREATE, SC_DEVX_MODIFY, SC_DEVX_QUERY };

#define SC_DEVX_DESTROY_BYTES 64

/* What a DevX object is, for the front's struct mlx5dv_devx_obj. Filled by a create that succeeded. */
struct sc_devx_object {
	uint16_t family;   /* opcode that made it, or general object type */
	uint32_t id;
	enum sc_type type; /* SC_TYPES where none of ours */
	uint8_t destroy[SC_DEVX_DESTROY_BYTES];
	uint32_t destroy_len;
};

/*
 * One DevX call. obj: NULL for GENERAL, filled for CREATE, checked for MODIFY and QUERY. Copies in, runs it
 * on the engine.
 * @return 0; -EINVAL where the kernel refuses (out untouched); -EREMOTEIO where firmware did (out holds
 * status and syndrome), as the ioctl does; -EIO from a dead device.
 */
int sc_devx(struct sc_device *dev, uint16_t uid, enum sc_devx_kind kind, struct sc_devx_object *obj,
	    const void *in, uint32_t in_len, void *out, uint32_t out_len);

/* @return 0, or firmware's refusal as the kernel maps its status: -EBUSY or -EINVAL where it is in use. */
int sc_devx_destroy(struct sc_device *dev, uint16_t uid, const struct sc_devx_object *obj);

/* Is it one of the commands that destroy? A dead device still carries those out, as the kernel pretends. */
bool sc_devx_destroys(uint16_t opcode);

#endif

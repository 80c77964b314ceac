/* SPDX-License-Identifier: BSD-3-Clause */

/* From opcode to command: what is checked for all of them, and how a refusal is told. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "prm/cmd.h"
#include "softcx/core/command.h"
#include "softcx/core/device.h"
#include "softcx/core/devx.h"
#include "softcx/core/engine.h"
#include "softcx/core/fault.h"
#include "softcx/core/parts.h"
#include "softcx/core/trace.h"

/* What the kernel's driver tells of a device that does not answer. */
#define STATUS_ABORTED   0xfe
#define SYNDROME_ABORTED 0xbadd00de

/* Status to errno, as the kernel maps it (nic.md 1.1). */
static int
status_errno(uint8_t status)
{
	switch (status) {
	case PRM_STATUS_OK:
		return 0;
	case PRM_STATUS_RES_BUSY:
		return -EBUSY;
	case PRM_STATUS_LIM:
		return -ENOMEM;
	case PRM_STATUS_NO_RES:
		return -EAGAIN;
	case PRM_STATUS_INT_ERR:
	case PRM_STATUS_BAD_SYS_STATE:
	case PRM_STATUS_BAD_INP_LEN:
	case PRM_STATUS_BAD_OUTP_LEN:
		return -EIO;
	default:
		return -EINVAL;
	}
}

/* A number for the place in the source: FNV-1a over the file's name, then the line. */
static uint32_t
syndrome_of(const char *file, int line)
{
	const char *name = strrchr(file, '/');
	uint32_t h = 2166136261u;

	for (name = name == NULL ? file : name + 1; *name != '\0'; name++)
		h = (h ^ (uint8_t)*name) * 16777619u;
	h = (h ^ (uint32_t)line) * 16777619u;
	h = (h ^ h >> 24) & 0xffffff;
	return h == 0 ? 1 : h;
}

int
sc_refuse_at(struct sc_call *call, uint8_t status, const char *file, int line, const char *format, ...)
{
	uint16_t opcode = prm_get(call->in, PRM_CMD_IN_OPCODE);
	const char *name = prm_opcode_name(opcode), *object = NULL;
	char text[200];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (opcode >= PRM_CMD_OP_CREATE_GENERAL_OBJECT && opcode <= PRM_CMD_OP_DESTROY_GENERAL_OBJECT)
		object = prm_obj_type_name(call->op_mod);
	memset(call->out, 0, call->out_len);
	prm_set(call->out, PRM_CMD_OUT_STATUS, status);
	prm_set(call->out, PRM_CMD_OUT_SYNDROME, syndrome_of(file, line));
	sc_complain(call->dev, "%s%s%s (0x%x) refused: %s: %s", name == NULL ? "command" : name,
		    object == NULL ? "" : " ", object == NULL ? "" : object, opcode, prm_status_text(status),
		    text);
	return status_errno(status) == 0 ? -EINVAL : status_errno(status);
}

static bool
is_general_object(uint16_t opcode)
{
	return opcode >= PRM_CMD_OP_CREATE_GENERAL_OBJECT && opcode <= PRM_CMD_OP_DESTROY_GENERAL_OBJECT;
}

static const struct sc_command *
find(uint16_t opcode, uint16_t obj_type)
{
	const struct sc_command *const *family, *c;

	for (family = sc_families; *family != NULL; family++)
		for (c = *family; c->opcode != 0; c++)
			if (c->opcode == opcode && (!is_general_object(opcode) || c->obj_type == obj_type))
				return c;
	return NULL;
}

static int
run(struct sc_call *call, const struct sc_command *command, uint16_t opcode)
{
	uint8_t status;

	if (command == NULL && is_general_object(opcode))
		return sc_refuse(call, PRM_STATUS_BAD_OP, "object type 0x%x does not exist", call->op_mod);
	if (command == NULL)
		return sc_refuse(call, PRM_STATUS_BAD_OP, "opcode 0x%x does not exist", opcode);
	if (call->in_len < command->min_in)
		return sc_refuse(call, PRM_STATUS_BAD_INP_LEN, "input of %u bytes, at least %u expected",
				 call->in_len, command->min_in);
	if (call->out_len < command->min_out)
		return sc_refuse(call, PRM_STATUS_BAD_OUTP_LEN, "output of %u bytes, at least %u expected",
				 call->out_len, command->min_out);
	if (prm_load32(call->in + 4) >> 16 != 0)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "reserved bits 0x%x above op_mod are not zero",
				 prm_load32(call->in + 4) >> 16);
	status = sc_fault_command(call->dev, opcode);
	if (status != 0)
		return sc_refuse(call, status, "fault ordered for this command");
	return command->run(call);
}

int
sc_command_run(struct sc_device *dev, uint16_t uid, const void *in, uint32_t in_len, void *out,
	uint32_t out_len)
{
	struct sc_call call = {
		.dev = dev, .in = in, .out = out, .in_len = in_len, .out_len = out_len, .uid = uid,
	};
	const struct sc_command *command = NULL;
	uint64_t start = sc_now_ns();
	uint16_t opcode;
	int ret;

	if (in_len < PRM_CMD_HDR_BYTES || out_len < PRM_CMD_HDR_BYTES) {
		sc_complain(dev, "command refused: input %u and output %u bytes, at least %u expected",
			    in_len, out_len, PRM_CMD_HDR_BYTES);
		if (out_len >= 8) {
			memset(out, 0, out_len);
			prm_set(out, PRM_CMD_OUT_STATUS,
				in_len < PRM_CMD_HDR_BYTES ? PRM_STATUS_BAD_INP_LEN :
				PRM_STATUS_BAD_OUTP_LEN);
		}
		return -EIO;
	}
	memset(out, 0, out_len);
	opcode = prm_get(in, PRM_CMD_IN_OPCODE);
	call.op_mod = prm_get(in, PRM_CMD_IN_OP_MOD);
	command = find(opcode, call.op_mod);
	if (dev->dead && !sc_devx_destroys(opcode)) {
		prm_set(out, PRM_CMD_OUT_STATUS, STATUS_ABORTED);
		prm_set(out, PRM_CMD_OUT_SYNDROME, SYNDROME_ABORTED);
		ret = -EIO;
	} else {
		ret = run(&call, command, opcode);
	}
	sc_trace_command(dev, &call, start);
	return ret;
}

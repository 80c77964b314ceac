/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One command on its way through the firmware. A family of commands is a table of struct sc_command in cmd/;
 * cmd/dispatch.c checks lengths, sets the answer's status and calls run.
 */
#ifndef SOFTCX_COMMAND_H
#define SOFTCX_COMMAND_H

#include <stdint.h>

struct sc_device;

struct sc_call {
	struct sc_device *dev;
	const uint8_t *in;
	uint8_t *out; /* zeroed before run */
	uint32_t in_len;
	uint32_t out_len;
	uint16_t uid;     /* user context of the caller, 0 = kernel */
	uint16_t op_mod;
};

struct sc_command {
	uint16_t opcode;
	uint16_t obj_type; /* general objects: the object type; 0 otherwise */
	const char *name;  /* as the PRM: "CREATE_CQ" */
	uint16_t min_in;   /* bytes */
	uint16_t min_out;
	/* @return 0, or what sc_refuse returned. A refused command has changed nothing. */
	int (*run)(struct sc_call *call);
};

/*
 * Refuse a command: writes status and syndrome into the answer and one line of text ("rtc log_depth 9 is
 * above rtc_log_depth_max 6") into the device's trace, last_error and log. status: enum prm_status. The
 * syndrome is a number of this device, made from the place (file and line hashed), so that two refusals can
 * be told apart.
 * @return a negative errno that fits the status; never 0.
 */
#define sc_refuse(call, status, ...) sc_refuse_at((call), (status), __FILE__, __LINE__, __VA_ARGS__)
int sc_refuse_at(struct sc_call *call, uint8_t status, const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* The tables, one a family; each ends with a row of opcode 0. */
extern const struct sc_command sc_commands_capability[];
extern const struct sc_command sc_commands_resource[]; /* pd, td, tis, queue counters */
extern const struct sc_command sc_commands_mkey[];
extern const struct sc_command sc_commands_vport[];    /* state, context and counters of the vport */
extern const struct sc_command sc_commands_queue[];    /* cq, sq, rq, tir, rqt (nic/) */
extern const struct sc_command sc_commands_table[];    /* flow tables to reformat (steer/) */
extern const struct sc_command sc_commands_object[];   /* general objects of steering */

/*
 * Run one command. Called by the engine's thread. Answers with status and syndrome in out, always.
 * @return 0 or negative errno as the status maps to it.
 */
int sc_command_run(struct sc_device *dev, uint16_t uid, const void *in, uint32_t in_len, void *out,
	uint32_t out_len);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */

/* A program that posts work to a stepped device and never steps is told so, once, and not one that merely has no work. */
#include <stdio.h>
#include <unistd.h>

#include "bench.h"
#include "prm/cmd.h"
#include "softcx/core/engine.h"

static char said[512];

/* A command, as a program sends one that tidies up after it has waited in vain; what goes to stderr is kept. */
static void
command_after(unsigned int ms)
{
	uint8_t in[16] = { 0 }, out[16];
	FILE *file = tmpfile();
	int saved = dup(STDERR_FILENO);
	size_t n;

	assert_non_null(file);
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_QUERY_SQ);
	usleep(ms * 1000);
	dup2(fileno(file), STDERR_FILENO);
	sc_engine_command(bench.dev, 0, in, sizeof(in), out, sizeof(out));
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	n = fread(said, 1, sizeof(said) - 1, file);
	said[n] = '\0';
	fclose(file);
}

static void
test_nobody_steps(void **state)
{
	static const uint8_t nop[64] = { [7] = 1 };
	struct bench_cq cq;
	struct bench_sq sq;

	bench_cq(&cq, 3);
	bench_sq(&sq, &cq, 3);
	bench_step();
	command_after(2100);
	assert_string_equal(said, "");
	bench_step();
	bench_post(&sq, nop, sizeof(nop));
	put32(sq.dbr + 4, sq.pi);
	command_after(100);
	assert_string_equal(said, "");
	command_after(2100);
	assert_non_null(strstr(said, "nobody has called softcx_step() for 2 s; with exec=stepped queues move only there"));
	command_after(0);
	assert_string_equal(said, "");
	bench_step();
	bench_destroy(PRM_CMD_OP_DESTROY_SQ, sq.id);
	bench_destroy(PRM_CMD_OP_DESTROY_CQ, cq.id);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_nobody_steps, bench_open, bench_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */

/* Device arguments: what is used, what has no effect, what is refused, and what goes on to softcx. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "devargs.h"
#include "log.h"

int mlx5hws_logtype;

static bool
softcx_knows(const char *key)
{
	return strcmp(key, "wire") == 0 || strcmp(key, "model") == 0;
}

static int
parse(const char *args)
{
	struct mlx5hws_devargs devargs;

	return mlx5hws_devargs_parse(args, &devargs, NULL);
}

static void
used(void **state)
{
	struct mlx5hws_devargs devargs;

	assert_int_equal(mlx5hws_devargs_parse("pmd=mlx5hws,dv_flow_en=2,svc_cycle_time=20", &devargs, NULL), 0);
	assert_int_equal(devargs.svc_cycle_time_ms, 20);
	assert_int_equal(mlx5hws_devargs_parse(NULL, &devargs, NULL), 0);
	assert_int_equal(devargs.svc_cycle_time_ms, 0);
	assert_int_equal(devargs.service_core, -1);
	/* Not given: the queues' own choice. */
	assert_int_equal(devargs.rxq_cqe_comp_en, -1);
	assert_int_equal(devargs.rx_vec_en, -1);
	assert_int_equal(devargs.mprq_en, -1);
	assert_int_equal(devargs.txq_inline_min, -1);
	assert_int_equal(devargs.txqs_min_inline, -1);
	assert_int_equal(devargs.txq_mpw_en, -1);
	assert_false(devargs.reclaim_memory);
	assert_int_equal(mlx5hws_devargs_parse("service_core=0,reclaim_mem_mode=1", &devargs, NULL), 0);
	assert_int_equal(devargs.service_core, 0);
	assert_true(devargs.reclaim_memory);
	assert_int_equal(parse("class=eth"), 0);
	assert_int_equal(mlx5hws_devargs_parse("rxq_cqe_comp_en=0x84,txq_inline_min=290", &devargs, NULL), 0);
	assert_int_equal(devargs.rxq_cqe_comp_en, MLX5HWS_CQE_ENHANCED | 4);
	assert_int_equal(devargs.txq_inline_min, 290);
}

static void
refused(void **state)
{
	static const char *const args[] = {
		"dv_flow_en=1", "dv_flow_en=0", "dv_flow_en=", "class=crypto", "pmd=other", "svc_cycle_time=x", "svc_cycle_time=0",
		"svc_cycle_time=3600001", "service_core=100000", "service_core=-1", "service_core=", "reclaim_mem_mode=3",
		"dv_xmeta_en=1", "representor=0", "repr_matching_en=1", "tx_pp=500", "tx_skew=1",
		"cmd_fd=3", "pd_handle=1", "nonsense=1", "wire=loop",
		"rxq_cqe_comp_en=5", "rxq_cqe_comp_en=0x85", "rxq_cqe_comp_en=0x100", "rxq_cqe_comp_en=-1", "rxq_cqe_comp_en= 1",
		"txq_inline_min=-18446744073709551600", "txq_inline_min=291", "rx_vec_en=2",
	};

	for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
		print_message("%s\n", args[i]);
		assert_int_equal(parse(args[i]), -EINVAL);
	}
}

static void
ignored_ones_start(void **state)
{
	const char *name, *treatment, *note;
	char args[64];
	unsigned int nb = 0;

	for (unsigned int i = 0; (name = mlx5hws_devargs_row(i, &treatment, &note)) != NULL; i++) {
		assert_non_null(note);
		if (strcmp(treatment, "no effect") != 0)
			continue;
		snprintf(args, sizeof(args), "%s=1", name);
		assert_int_equal(parse(args), 0);
		nb++;
	}
	assert_true(nb > 15);
}

static void
rest_goes_on(void **state)
{
	char text[64], small[12];
	struct mlx5hws_devargs_rest rest = { .known = softcx_knows, .text = text, .size = sizeof(text) };
	struct mlx5hws_devargs devargs;

	assert_int_equal(mlx5hws_devargs_parse("wire=pcap:in=a.pcap,dv_flow_en=2,model=cx7", &devargs, &rest), 0);
	assert_string_equal(text, "wire=pcap:in=a.pcap,model=cx7");
	assert_int_equal(mlx5hws_devargs_parse("wire=[pcap:in=a,out=b],dv_flow_en=2", &devargs, &rest), 0);
	assert_string_equal(text, "wire=[pcap:in=a,out=b]");
	assert_int_equal(mlx5hws_devargs_parse("wire=loop,host=x", &devargs, &rest), -EINVAL);
	rest.text = small;
	rest.size = sizeof(small);
	assert_int_equal(mlx5hws_devargs_parse("wire=pcap:in=a.pcap", &devargs, &rest), -EINVAL);
}

static void
claim(void **state)
{
	assert_true(mlx5hws_devargs_claim("pmd=mlx5hws"));
	assert_true(mlx5hws_devargs_claim("dv_flow_en=2,pmd=mlx5hws"));
	assert_false(mlx5hws_devargs_claim("pmd=mlx5"));
	assert_false(mlx5hws_devargs_claim("dv_flow_en=2"));
	assert_false(mlx5hws_devargs_claim(""));
	assert_false(mlx5hws_devargs_claim(NULL));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(used),
		cmocka_unit_test(refused),
		cmocka_unit_test(ignored_ones_start),
		cmocka_unit_test(rest_goes_on),
		cmocka_unit_test(claim),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

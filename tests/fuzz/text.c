/* SPDX-License-Identifier: BSD-3-Clause */

/* What people write: settings, wires, host sides, fault orders, device arguments. The first byte says which. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_log.h>

#include "devargs.h"
#include "fuzz.h"
#include "log.h"
#include "softcx/core/fault.h"
#include "softcx/core/settings.h"
#include "softcx/front/softcx.h"
#include "softcx/wire/wire.h"

int mlx5hws_logtype;

static const char *const texts[] = {
	"0model=cx7,wire=[pcap:in=a,out=b,repeat=3,pps=1000,gate=g],uar=trap,exec=stepped,ports=2,wire1=loop",
	"0model=cx6dx,speed=25000,mtu=9000,mac=02:00:00:00:00:01,ts_format=real,seed=7,step_ns=100,trace=-",
	"0bus_mps=256,bus_mrrs=512,bus_rcb=64,bus_overhead=24,log_max_wq_sz=12,verbose=1,fault=sq:*:3:0x4+link:down",
	"1pair:softcx1,hold",
	"1gen:count=100,pps=1000,size=64,flows=8,vary=sport,ip=6,proto=tcp,src=fe80::1,dst=::2,sport=1,dport=2,drop",
	"1gen:[src=10.0.0.1,dst=10.0.0.2,vary=src];speed=1000",
	"1af_packet:eth0,drop",
	"2tap:abc",
	"2pcap:file",
	"3cmd:CREATE_TIR:2:0x5+cmd:0x900+sq:12:3:0x22+rq:*:1+stop:5+go:5+link:up+clear",
	"4pmd=mlx5hws,dv_flow_en=2,svc_cycle_time=100,wire=[loop:hold],representor=[0-3],rxq_cqe_comp_en=0",
};

void
fuzz_open(void)
{
	rte_log_set_global_level(RTE_LOG_EMERG);
}

const uint8_t *
fuzz_sample(unsigned int index, size_t *size)
{
	if (index >= sizeof(texts) / sizeof(texts[0]))
		return NULL;
	*size = strlen(texts[index]);
	return (const uint8_t *)texts[index];
}

static void
settings(const char *text, char *error, size_t size)
{
	struct sc_settings s;

	sc_settings_default(&s, 0);
	sc_settings_parse(&s, 0, text, error, size);
}

static void
fault(const char *text, char *error, size_t size)
{
	static int port = -1;

	if (port < 0)
		port = softcx_port_create("wire=null,exec=stepped", error, size);
	if (port < 0)
		abort();
	softcx_fault((unsigned int)port, text, error, size);
	softcx_fault((unsigned int)port, "clear", error, size);
}

static void
devargs(const char *text)
{
	struct mlx5hws_devargs args;
	char rest_text[256];
	struct mlx5hws_devargs_rest rest = { .known = softcx_setting_known, .text = rest_text, .size = sizeof(rest_text) };

	mlx5hws_devargs_parse(text, &args, &rest);
	mlx5hws_devargs_claim(text);
}

void
fuzz_one(const uint8_t *data, size_t size)
{
	/* Small, so that messages are cut; of their own size, so that it shows. */
	size_t error_size = 1 + size % 64;
	char *text = malloc(size + 1), *error = malloc(error_size);

	if (text == NULL || error == NULL)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	if (size > 0) {
		switch (data[0] % 5) {
		case '0' % 5:
			settings(text + 1, error, error_size);
			break;
		case '1' % 5:
			sc_wire_check(text + 1, error, error_size);
			break;
		case '2' % 5:
			sc_host_check(text + 1, error, error_size);
			break;
		case '3' % 5:
			fault(text + 1, error, error_size);
			break;
		default:
			devargs(text + 1);
			break;
		}
	}
	free(error);
	free(text);
}

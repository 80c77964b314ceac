/* SPDX-License-Identifier: BSD-3-Clause */
#include "devargs.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rte_common.h>

#include "log.h"

enum treatment { USED, IGNORED, REFUSED };

struct argument {
	const char *name;
	enum treatment treatment;
	const char *note; /* what it does; why it has no effect; why it is refused */
	int (*parse)(const char *name, const char *value, struct mlx5hws_devargs *devargs);
};

static int
parse_number(const char *name, const char *value, unsigned long max, unsigned long *number)
{
	char *end;

	errno = 0;
	*number = strtoul(value, &end, 0);
	/* What strtoul takes beside numbers: spaces, and signs, after which it goes round. */
	if (errno == 0 && isdigit((unsigned char)value[0]) && end != value && *end == '\0' && *number <= max)
		return 0;
	MLX5HWS_LOG(ERR, "argument %s=%s: a number up to %lu is wanted", name, value, max);
	return -EINVAL;
}

static int
parse_pmd(const char *name, const char *value, struct mlx5hws_devargs *devargs)
{
	RTE_SET_USED(devargs);
	if (strcmp(value, "mlx5hws") == 0)
		return 0;
	MLX5HWS_LOG(ERR, "argument %s=%s: this driver is mlx5hws", name, value);
	return -EINVAL;
}

static int
parse_class(const char *name, const char *value, struct mlx5hws_devargs *devargs)
{
	RTE_SET_USED(devargs);
	if (strcmp(value, "eth") == 0)
		return 0;
	MLX5HWS_LOG(ERR, "argument %s=%s: only class eth is served", name, value);
	return -EINVAL;
}

static int
parse_flow_en(const char *name, const char *value, struct mlx5hws_devargs *devargs)
{
	RTE_SET_USED(devargs);
	if (strcmp(value, "2") == 0)
		return 0;
	MLX5HWS_LOG(ERR, "argument %s=%s: the flow engine is hardware steering only, which is 2; software-managed "
		    "and Verbs steering (0, 1) are DPDK's mlx5 driver's", name, value);
	return -EINVAL;
}

static int
parse_cycle_time(const char *name, const char *value, struct mlx5hws_devargs *devargs)
{
	unsigned long number;
	int ret = parse_number(name, value, 3600000, &number);

	if (ret == 0 && number == 0) {
		MLX5HWS_LOG(ERR, "argument %s=0: milliseconds between two reads of the counters, at least 1", name);
		ret = -EINVAL;
	}
	if (ret == 0)
		devargs->svc_cycle_time_ms = (uint32_t)number;
	return ret;
}

/* A CPU's number, as DPDK's mlx5 takes it. */
static int
parse_service_core(const char *name, const char *value, struct mlx5hws_devargs *devargs)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	unsigned long number;
	int ret = parse_number(name, value, cpus > 0 ? (unsigned long)cpus - 1 : 0, &number);

	if (ret == 0)
		devargs->service_core = (int)number;
	return ret;
}

static int
parse_reclaim(const char *name, const char *value, struct mlx5hws_devargs *devargs)
{
	unsigned long number;
	int ret = parse_number(name, value, 2, &number);

	if (ret == 0)
		devargs->reclaim_memory = number != 0;
	return ret;
}

static int
parse_xmeta(const char *name, const char *value, struct mlx5hws_devargs *devargs)
{
	RTE_SET_USED(devargs);
	if (strcmp(value, "0") == 0)
		return 0;
	MLX5HWS_LOG(ERR, "argument %s=%s: extended metadata needs switchdev, which is not served; only 0", name,
		    value);
	return -EINVAL;
}

/* Numbers that the queues take as they are. */
static const struct {
	const char *name;
	size_t offset;
	unsigned long max;
} numbers[] = {
	{ "txq_inline_min", offsetof(struct mlx5hws_devargs, txq_inline_min), 290 },
	{ "txq_inline_max", offsetof(struct mlx5hws_devargs, txq_inline_max), 930 },
	{ "txq_inline_mpw", offsetof(struct mlx5hws_devargs, txq_inline_mpw), 924 },
	{ "txqs_min_inline", offsetof(struct mlx5hws_devargs, txqs_min_inline), UINT16_MAX },
	{ "txq_mpw_en", offsetof(struct mlx5hws_devargs, txq_mpw_en), 1 },
	{ "rx_vec_en", offsetof(struct mlx5hws_devargs, rx_vec_en), 1 },
	{ "rxq_cqe_comp_en", offsetof(struct mlx5hws_devargs, rxq_cqe_comp_en), MLX5HWS_CQE_ENHANCED + 4 },
	{ "mprq_en", offsetof(struct mlx5hws_devargs, mprq_en), 1 },
	{ "mprq_log_stride_num", offsetof(struct mlx5hws_devargs, mprq_log_stride_num), 16 },
	{ "mprq_log_stride_size", offsetof(struct mlx5hws_devargs, mprq_log_stride_size), 13 },
	{ "mprq_max_memcpy_len", offsetof(struct mlx5hws_devargs, mprq_max_memcpy_len), UINT16_MAX },
	{ "rxqs_min_mprq", offsetof(struct mlx5hws_devargs, rxqs_min_mprq), UINT16_MAX },
};

static int
parse_queue(const char *name, const char *value, struct mlx5hws_devargs *devargs)
{
	unsigned int i = 0;
	unsigned long number;
	int ret;

	while (strcmp(numbers[i].name, name) != 0)
		i++;
	ret = parse_number(name, value, numbers[i].max, &number);
	if (ret == 0)
		*(int *)((char *)devargs + numbers[i].offset) = (int)number;
	return ret;
}

static int
parse_compression(const char *name, const char *value, struct mlx5hws_devargs *devargs)
{
	int ret = parse_queue(name, value, devargs);

	if (ret == 0 && (devargs->rxq_cqe_comp_en & ~MLX5HWS_CQE_ENHANCED) > 4) {
		MLX5HWS_LOG(ERR, "argument %s=%s: 0 to 4, or one of them and 0x80 (the enhanced layout)", name, value);
		return -EINVAL;
	}
	return ret;
}

#define NO_ESWITCH "switchdev and representors are not served"
#define NO_CLOCK_QUEUES "packets are scheduled by WAIT on time (send_on_timestamp, ConnectX-7), not by clock queues"
#define OLD_TX "an argument of older mlx5 releases"

static const struct argument arguments[] = {
	{ "pmd", USED, "mlx5hws: takes the PCI function", parse_pmd },
	{ "class", USED, "eth", parse_class },
	{ "dv_flow_en", USED, "2: hardware steering", parse_flow_en },
	{ "dv_xmeta_en", USED, "0", parse_xmeta },
	{ "svc_cycle_time", USED, "milliseconds between two reads of all counters", parse_cycle_time },
	{ "service_core", USED, "the CPU of a thread that reads all counters every svc_cycle_time", parse_service_core },
	{ "reclaim_mem_mode", USED, "1, 2: the heap's free pages go back to the system with each table", parse_reclaim },
	{ "txq_inline_min", USED, "bytes of each packet that are copied into its descriptor", parse_queue },
	{ "txq_inline_max", USED, "packets up to so many bytes are copied into a descriptor of their own", parse_queue },
	{ "txq_inline_mpw", USED, "packets up to so many bytes are copied into a multi-packet descriptor", parse_queue },
	{ "txqs_min_inline", USED, "from so many transmit queues on packets are copied", parse_queue },
	{ "txq_mpw_en", USED, "0: no multi-packet descriptors", parse_queue },
	{ "rx_vec_en", USED, "0: receive bursts without vectors", parse_queue },
	{ "rxq_cqe_comp_en", USED, "compressed completions tell 1: hashes, 2: marks, 3: no hash, 4: packet types; 0: no compression; and 0x80: in the enhanced layout",
	  parse_compression },
	{ "mprq_en", USED, "1: receive queues are striding, many packets in one large buffer", parse_queue },
	{ "mprq_log_stride_num", USED, "log2 of the strides of a buffer", parse_queue },
	{ "mprq_log_stride_size", USED, "log2 of the bytes of a stride", parse_queue },
	{ "mprq_max_memcpy_len", USED, "longer packets stay in the buffer, as external memory of their mbuf", parse_queue },
	{ "rxqs_min_mprq", USED, "from so many receive queues on they are striding", parse_queue },

	{ "dv_esw_en", IGNORED, NO_ESWITCH, NULL },
	{ "fdb_def_rule_en", IGNORED, NO_ESWITCH, NULL },
	{ "mr_ext_memseg_en", IGNORED, "memory is registered by mempool", NULL },
	{ "mr_mempool_reg_en", IGNORED, "memory is registered by mempool", NULL },
	{ "sys_mem_en", IGNORED, "control memory is the system's anyway", NULL },
	{ "sq_db_nc", IGNORED, "doorbells are mapped non-cached where the device can", NULL },
	{ "rxq_pkt_pad_en", IGNORED, "packets are not padded", NULL },
	{ "vf_nl_en", IGNORED, "no netlink calls for virtual functions", NULL },
	{ "decap_en", IGNORED, "tunnel decapsulation is always there", NULL },
	{ "allow_duplicate_pattern", IGNORED, "of two equal rules the later one wins", NULL },
	{ "l3_vxlan_en", IGNORED, "no L3 VXLAN", NULL },
	{ "lacp_by_user", IGNORED, "no bonding of ports by the kernel", NULL },
	{ "hp_buf_log_sz", IGNORED, "no hairpin queues", NULL },
	{ "delay_drop", IGNORED, "packets without a buffer are dropped at once", NULL },
	{ "txq_inline", IGNORED, OLD_TX, NULL },
	{ "txq_max_inline_len", IGNORED, OLD_TX, NULL },
	{ "txq_mpw_hdr_dseg_en", IGNORED, OLD_TX, NULL },
	{ "txqs_max_vec", IGNORED, OLD_TX, NULL },
	{ "tx_vec_en", IGNORED, OLD_TX, NULL },

	{ "representor", REFUSED, NO_ESWITCH, NULL },
	{ "repr_matching_en", REFUSED, NO_ESWITCH, NULL },
	{ "tx_pp", REFUSED, NO_CLOCK_QUEUES, NULL },
	{ "tx_skew", REFUSED, NO_CLOCK_QUEUES, NULL },
	{ "cmd_fd", REFUSED, "a device opened by another process cannot be used", NULL },
	{ "pd_handle", REFUSED, "a device opened by another process cannot be used", NULL },
};

static const struct argument *
find_argument(const char *name)
{
	for (unsigned int i = 0; i < RTE_DIM(arguments); i++)
		if (strcmp(arguments[i].name, name) == 0)
			return &arguments[i];
	return NULL;
}

static int
append_rest(struct mlx5hws_devargs_rest *rest, const char *key, const char *value)
{
	size_t used = strlen(rest->text);
	int len = snprintf(rest->text + used, rest->size - used, "%s%s%s%s", used == 0 ? "" : ",", key,
			   value == NULL ? "" : "=", value == NULL ? "" : value);

	if (len >= 0 && (size_t)len < rest->size - used)
		return 0;
	MLX5HWS_LOG(ERR, "argument %s: the arguments are longer than %zu bytes", key, rest->size);
	return -EINVAL;
}

static int
treat(const char *key, const char *value, struct mlx5hws_devargs *devargs, struct mlx5hws_devargs_rest *rest)
{
	const struct argument *argument = find_argument(key);

	if (argument == NULL && rest != NULL && rest->known(key))
		return append_rest(rest, key, value);
	if (argument == NULL) {
		MLX5HWS_LOG(ERR, "argument %s is not known (a value with commas stands in brackets: wire=[pcap:in=a,out=b])", key);
		return -EINVAL;
	}
	if (argument->treatment == REFUSED) {
		MLX5HWS_LOG(ERR, "argument %s is refused: %s", key, argument->note);
		return -EINVAL;
	}
	if (argument->treatment == IGNORED) {
		MLX5HWS_LOG(INFO, "argument %s has no effect: %s", key, argument->note);
		return 0;
	}
	return argument->parse(key, value == NULL ? "" : value, devargs);
}

/*
 * Cut the next "key" or "key=value" off *rest. A value runs to the next comma outside of brackets and may
 * hold '=': wire=[pcap:in=a.pcap,out=b.pcap]. DPDK's own rte_kvargs cuts at every '='.
 */
static bool
next_argument(char **rest, char **key, char **value)
{
	int depth = 0;
	char *at;

	while (**rest == ',')
		(*rest)++;
	if (**rest == '\0')
		return false;
	*key = *rest;
	*value = NULL;
	for (at = *rest; *at != '\0' && (*at != ',' || depth > 0); at++) {
		depth += (*at == '[') - (*at == ']');
		if (*at == '=' && *value == NULL) {
			*at = '\0';
			*value = at + 1;
		}
	}
	*rest = *at == '\0' ? at : at + 1;
	*at = '\0';
	return true;
}

int
mlx5hws_devargs_parse(const char *args, struct mlx5hws_devargs *devargs, struct mlx5hws_devargs_rest *rest)
{
	char *copy, *at, *key, *value;
	int ret = 0;

	memset(devargs, 0, sizeof(*devargs));
	devargs->service_core = -1;
	for (unsigned int i = 0; i < RTE_DIM(numbers); i++)
		*(int *)((char *)devargs + numbers[i].offset) = -1;
	if (rest != NULL)
		rest->text[0] = '\0';
	copy = strdup(args == NULL ? "" : args);
	if (copy == NULL)
		return -ENOMEM;
	at = copy;
	while (ret == 0 && next_argument(&at, &key, &value))
		ret = treat(key, value, devargs, rest);
	free(copy);
	return ret;
}

bool
mlx5hws_devargs_claim(const char *args)
{
	char *copy = strdup(args == NULL ? "" : args), *at = copy, *key, *value;
	bool claim = false;

	while (copy != NULL && !claim && next_argument(&at, &key, &value))
		claim = strcmp(key, "pmd") == 0 && value != NULL && strcmp(value, "mlx5hws") == 0;
	free(copy);
	return claim;
}

const char *
mlx5hws_devargs_row(unsigned int index, const char **treatment, const char **note)
{
	static const char *const words[] = { "used", "no effect", "refused" };

	if (index >= RTE_DIM(arguments))
		return NULL;
	*treatment = words[arguments[index].treatment];
	*note = arguments[index].note;
	return arguments[index].name;
}

/* SPDX-License-Identifier: BSD-3-Clause */

#include "softcx/core/settings.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "softcx/core/device.h"
#include "softcx/core/internal.h"
#include "softcx/core/port.h"

const struct sc_model sc_models[] = {
	{ .name = "cx7", .pci_device = 0x1021, .fw_ver = "28.39.1002", .caps = 0 },
	{ .name = "cx6dx", .pci_device = 0x101d, .fw_ver = "22.39.1002", .caps = 1 },
	{ .name = NULL },
};

enum kind { NUMBER, TEXT, WORD, MODEL, BDF, MAC };

struct setting {
	const char *key;
	enum kind kind;
	size_t offset, bytes;    /* where in struct sc_settings */
	uint64_t min, max;       /* NUMBER */
	bool power_of_two;       /* NUMBER */
	const char *const *words; /* WORD: value is the place in the list */
	const char *preset;
	bool process;            /* one answer for the whole process */
	const char *meaning;
};

static const char *const exec_words[] = { "threaded", "stepped", NULL };
/* The trap carries out stores of x86-64; elsewhere the word is not there, and refused like any other. */
#ifdef __x86_64__
static const char *const uar_words[] = { "poll", "trap", NULL };
#else
static const char *const uar_words[] = { "poll", NULL };
#endif
static const char *const ts_words[] = { "free", "real", NULL };

#define AT(member) \
	.offset = offsetof(struct sc_settings, member), .bytes = sizeof(((struct sc_settings *)0)->member)

static const struct setting settings[] = {
	{ "model", MODEL, AT(model), .preset = "cx7", .meaning = "ConnectX generation" },
	{ "ports", NUMBER, AT(ports), .min = 1, .max = SC_PORTS_ENV_MAX, .preset = "1",
	  .meaning = "devices, one port each (SOFTCX only)" },
	{ "bdf", BDF, AT(bdf), .preset = "0000:51:00.0",
	  .meaning = "PCI address of port 0; port n is function n of it" },
	{ "wire", TEXT, AT(wire), .preset = "null",
	  .meaning = "what the port is plugged into: null, loop, pair:.., pcap:.., tap:NAME, gen.." },
	{ "host", TEXT, AT(host), .preset = "count",
	  .meaning = "where frames for the kernel go: count, tap:NAME, pcap:FILE" },
	{ "netdev", TEXT, AT(netdev), .preset = "",
	  .meaning =
	  "interface whose MAC, MTU and promiscuous mode the port follows; of itself the tap of host=" },
	{ "uar", WORD, AT(uar), .words = uar_words, .preset = "poll", .process = true,
	  .meaning = "doorbells: poll watches records, trap carries out each store to the UAR" },
	{ "exec", WORD, AT(exec), .words = exec_words, .preset = "threaded", .process = true,
	  .meaning = "who moves queues: a thread, or softcx_step()" },
	{ "speed", NUMBER, AT(speed_mbps), .min = 10, .max = 800000, .preset = "100000",
	  .meaning = "link speed in Mb/s" },
	{ "mac", MAC, AT(mac), .preset = "",
	  .meaning = "address of the port (02:5c:00:00:00:<port> by default)" },
	{ "mtu", NUMBER, AT(mtu), .min = SC_MTU_MIN, .max = SC_MTU_MAX, .preset = "1500",
	  .meaning = "IP MTU" },
	{ "trace", TEXT, AT(trace), .preset = "", .process = true,
	  .meaning = "file of the command trace, - is stderr" },
	{ "fault", TEXT, AT(fault), .preset = "",
	  .meaning = "faults to order at power-on, joined by + (softcx_fault)" },
	{ "seed", NUMBER, AT(seed), .min = 0, .max = UINT64_MAX, .preset = "1", .process = true,
	  .meaning = "of whatever is random" },
	{ "log_max_wq_sz", NUMBER, AT(log_max_wq_sz), .min = 6, .max = 15, .preset = "15",
	  .meaning = "log2 of the longest SQ or RQ" },
	{ "log_max_cq_sz", NUMBER, AT(log_max_cq_sz), .min = 6, .max = 22, .preset = "22",
	  .meaning = "log2 of the longest CQ" },
	{ "ts_format", WORD, AT(ts_format), .words = ts_words, .preset = "free",
	  .meaning = "timestamps: free running at 1 GHz, or real time (seconds and nanoseconds)" },
	{ "cqe_comp_us", NUMBER, AT(cqe_comp_us), .min = 0, .max = 65535, .preset = "0",
	  .meaning =
	  "microseconds that a compressed session waits for more packets (0: none once a round is over)" },
	{ "step_ns", NUMBER, AT(step_ns), .min = 1, .max = 1000000000, .preset = "1000", .process = true,
	  .meaning = "device time that one softcx_step() takes" },
	{ "bus_mps", NUMBER, AT(bus_mps), .min = 128, .max = 4096, .power_of_two = true, .preset = "256",
	  .meaning = "bus account: maximum payload of a packet" },
	{ "bus_mrrs", NUMBER, AT(bus_mrrs), .min = 128, .max = 4096, .power_of_two = true, .preset = "512",
	  .meaning = "bus account: maximum read request" },
	{ "bus_rcb", NUMBER, AT(bus_rcb), .min = 64, .max = 128, .power_of_two = true, .preset = "64",
	  .meaning = "bus account: read completion boundary" },
	{ "bus_overhead", NUMBER, AT(bus_overhead), .min = 4, .max = 64, .preset = "24",
	  .meaning = "bus account: bytes around the payload of a packet with 4-dword header" },
	{ "sysfs", TEXT, AT(sysfs), .preset = "",
	  .meaning = "folder of device directories that softcx-run made" },
	{ "census", TEXT, AT(census), .preset = "",
	  .meaning = "file the census is appended to at exit and on SIGUSR2" },
	{ "verbose", NUMBER, AT(verbose), .min = 0, .max = 1, .preset = "0",
	  .meaning = "1: refusals go to stderr too" },
};

#define NB_SETTINGS (sizeof(settings) / sizeof(settings[0]))

/* ---- what is allowed, in words ------------------------------------------------------------------------- */

static void
allowed(const struct setting *s, char *text, size_t size)
{
	size_t n = 0, i;

	text[0] = '\0';
	switch (s->kind) {
	case NUMBER:
		snprintf(text, size, "%s%" PRIu64 "..%" PRIu64, s->power_of_two ? "a power of two, " : "",
			s->min, s->max);
		return;
	case TEXT:
		snprintf(text, size, "text of less than %zu bytes", s->bytes);
		return;
	case WORD:
		for (i = 0; s->words[i] != NULL && n < size; i++)
			n += snprintf(text + n, size - n, "%s%s", i == 0 ? "" : "|", s->words[i]);
		return;
	case MODEL:
		for (i = 0; sc_models[i].name != NULL && n < size; i++)
			n += snprintf(text + n, size - n, "%s%s", i == 0 ? "" : "|", sc_models[i].name);
		return;
	case BDF:
		snprintf(text, size, "DDDD:BB:DD.F in hexadecimal");
		return;
	case MAC:
		snprintf(text, size, "six bytes aa:bb:cc:dd:ee:ff, neither zero nor multicast");
		return;
	}
}

static void
all_keys(char *text, size_t size)
{
	size_t n = 0, i;

	for (i = 0; i < NB_SETTINGS && n < size; i++)
		n += snprintf(text + n, size - n, "%s%s", i == 0 ? "" : " ", settings[i].key);
}

/* ---- values -------------------------------------------------------------------------------------------- */

static bool
parse_number(const struct setting *s, void *at, const char *value)
{
	uint64_t number;
	uint32_t narrow;
	char *end;

	errno = 0;
	number = strtoull(value, &end, 0);
	if (errno != 0 || end == value || *end != '\0' || *value == '-' || number < s->min || number > s->max)
		return false;
	if (s->power_of_two && (number & (number - 1)) != 0)
		return false;
	if (s->bytes == sizeof(uint64_t)) {
		memcpy(at, &number, sizeof(number));
	} else {
		narrow = (uint32_t)number;
		memcpy(at, &narrow, sizeof(narrow));
	}
	return true;
}

static bool
parse_word(const struct setting *s, void *at, const char *value)
{
	uint32_t i;

	for (i = 0; s->words[i] != NULL; i++)
		if (strcmp(s->words[i], value) == 0) {
			memcpy(at, &i, sizeof(i));
			return true;
		}
	return false;
}

static bool
parse_model(void *at, const char *value)
{
	const struct sc_model *m;

	for (m = sc_models; m->name != NULL; m++)
		if (strcmp(m->name, value) == 0) {
			memcpy(at, &m, sizeof(m));
			return true;
		}
	return false;
}

static bool
parse_mac(void *at, const char *value)
{
	unsigned int b[6];
	uint8_t mac[6], any = 0;
	int n = 0, i;

	if (sscanf(value, "%2x:%2x:%2x:%2x:%2x:%2x%n", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5], &n) != 6 ||
	    value[n] != '\0')
		return false;
	for (i = 0; i < 6; i++) {
		mac[i] = (uint8_t)b[i];
		any |= mac[i];
	}
	if (any == 0 || mac[0] & 1)
		return false;
	memcpy(at, mac, sizeof(mac));
	return true;
}

static bool
parse_bdf(const struct setting *s, void *at, const char *value)
{
	unsigned int domain, bus, device, function;
	int n = 0;

	if (sscanf(value, "%4x:%2x:%2x.%1x%n", &domain, &bus, &device, &function, &n) != 4 ||
	    value[n] != '\0' || device > 31 || function > 7)
		return false;
	snprintf(at, s->bytes, "%04x:%02x:%02x.%x", domain, bus, device, function);
	return true;
}

static bool
parse_text(const struct setting *s, void *at, const char *value)
{
	if (strlen(value) >= s->bytes)
		return false;
	memcpy(at, value, strlen(value) + 1);
	return true;
}

static bool
parse_value(const struct setting *s, struct sc_settings *into, const char *value)
{
	void *at = (char *)into + s->offset;

	switch (s->kind) {
	case NUMBER:
		return parse_number(s, at, value);
	case TEXT:
		return parse_text(s, at, value);
	case WORD:
		return parse_word(s, at, value);
	case MODEL:
		return parse_model(at, value);
	case BDF:
		return parse_bdf(s, at, value);
	case MAC:
		return parse_mac(at, value);
	}
	return false;
}

/* ---- the list ------------------------------------------------------------------------------------------ */

/* Row of key; port: the number behind the key, or -1. */
static const struct setting *
find(const char *key, int *port)
{
	size_t len = strlen(key), i;

	*port = -1;
	for (i = 0; i < NB_SETTINGS; i++)
		if (strcmp(settings[i].key, key) == 0)
			return &settings[i];
	if (len < 2 || !isdigit((unsigned char)key[len - 1]))
		return NULL;
	for (i = 0; i < NB_SETTINGS; i++)
		if (strlen(settings[i].key) == len - 1 && strncmp(settings[i].key, key, len - 1) == 0 &&
		    !settings[i].process && strcmp(settings[i].key, "ports") != 0) {
			*port = key[len - 1] - '0';
			return &settings[i];
		}
	return NULL;
}

bool
sc_setting_known(const char *key)
{
	int port;

	return find(key, &port) != NULL;
}

/* Cut the first "key=value" off text (brackets protect commas). @return where it goes on. */
static const char *
cut(const char *text, char *item, size_t size)
{
	const char *p = text;
	int depth = 0;
	size_t len;

	for (; *p != '\0' && (depth > 0 || *p != ','); p++)
		depth += (*p == '[') - (*p == ']');
	len = (size_t)(p - text);
	if (len >= size)
		len = size - 1;
	memcpy(item, text, len);
	item[len] = '\0';
	return *p == ',' ? p + 1 : p;
}

static void
drop_brackets(char *value)
{
	size_t len = strlen(value);

	if (len >= 2 && value[0] == '[' && value[len - 1] == ']') {
		memmove(value, value + 1, len - 2);
		value[len - 2] = '\0';
	}
}

static int
apply(struct sc_settings *into, uint32_t port, char *item, bool own, char *error, size_t size)
{
	const struct setting *s;
	char *value = strchr(item, '='), words[512];
	int only;

	if (value == NULL)
		return sc_refuse_text(error, size, "setting \"%s\": key=value expected", item);
	*value++ = '\0';
	drop_brackets(value);
	s = find(item, &only);
	if (s == NULL) {
		all_keys(words, sizeof(words));
		return sc_refuse_text(error, size, "setting \"%s\" is unknown; known are: %s", item, words);
	}
	/* What is said to all ports must not undo what is said to one, in whatever order. */
	if (own != (only >= 0) || (own && (uint32_t)only != port)) {
		struct sc_settings scratch = *into;

		into = &scratch;
		if (parse_value(s, into, value))
			return 0;
	} else if (parse_value(s, into, value)) {
		return 0;
	}
	allowed(s, words, sizeof(words));
	return sc_refuse_text(error, size, "setting %s=%s is wrong; allowed: %s", item, value, words);
}

int
sc_settings_parse(struct sc_settings *s, uint32_t port, const char *text, char *error, size_t size)
{
	struct sc_settings result = *s;
	char item[1024];
	const char *p;
	int own, ret;

	for (own = 0; own < 2; own++) {
		for (p = text; *p != '\0';) {
			p = cut(p, item, sizeof(item));
			if (item[0] == '\0')
				continue;
			ret = apply(&result, port, item, own, error, size);
			if (ret < 0)
				return ret;
		}
	}
	*s = result;
	return 0;
}

void
sc_settings_default(struct sc_settings *s, uint32_t port)
{
	size_t i;

	memset(s, 0, sizeof(*s));
	for (i = 0; i < NB_SETTINGS; i++)
		if (settings[i].preset[0] != '\0')
			parse_value(&settings[i], s, settings[i].preset);
	memcpy(s->mac, (const uint8_t[6]){ 0x02, 0x5c, 0x00, 0x00, 0x00, (uint8_t)port }, 6);
}

const char *
sc_settings_process_conflict(const struct sc_settings *a, const struct sc_settings *b)
{
	size_t i;

	for (i = 0; i < NB_SETTINGS; i++) {
		const char *x = (const char *)a + settings[i].offset,
			*y = (const char *)b + settings[i].offset;

		if (!settings[i].process)
			continue;
		if (settings[i].kind == TEXT ? strcmp(x, y) != 0 : memcmp(x, y, settings[i].bytes) != 0)
			return settings[i].key;
	}
	return NULL;
}

void
sc_settings_process_copy(struct sc_settings *to, const struct sc_settings *from)
{
	size_t i;

	for (i = 0; i < NB_SETTINGS; i++)
		if (settings[i].process)
			memcpy((char *)to + settings[i].offset, (const char *)from + settings[i].offset,
			       settings[i].bytes);
}

void
sc_settings_help(FILE *out)
{
	char words[256];
	size_t i;

	for (i = 0; i < NB_SETTINGS; i++) {
		allowed(&settings[i], words, sizeof(words));
		fprintf(out, "%-14s %s\n%14s default %s; %s\n", settings[i].key, settings[i].meaning, "",
			settings[i].preset[0] == '\0' ? "none" : settings[i].preset, words);
	}
}

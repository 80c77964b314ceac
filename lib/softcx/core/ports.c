/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Which ports there are, and when they have power. A port made by function has it from creation to
 * destruction; those that SOFTCX describes have it together, while a context is open on any of them. The
 * engine's thread lives while any port has power.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softcx/core/device.h"
#include "softcx/core/engine.h"
#include "softcx/core/engine_internal.h"
#include "softcx/core/internal.h"
#include "softcx/core/parts.h"
#include "softcx/core/trace.h"

struct port {
	bool used;
	bool by_function;
	struct sc_settings settings;
	struct sc_device *dev; /* NULL without power */
	uint32_t contexts;
	uint32_t imported; /* of them: second handles of a context, with its transport domain */
};

/* One caller at a time changes what there is; never taken by the engine's thread. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct port ports[SC_PORTS_MAX];
static int exec_wish = -1; /* sc_engine_exec before any port had power */

static bool
any_port(bool (*test)(const struct port *))
{
	uint32_t i;

	for (i = 0; i < SC_PORTS_MAX; i++)
		if (ports[i].used && test(&ports[i]))
			return true;
	return false;
}

static bool
has_power(const struct port *p)
{
	return p->dev != NULL;
}

static bool
is_by_function(const struct port *p)
{
	return p->by_function;
}

static bool
is_open_by_env(const struct port *p)
{
	return !p->by_function && p->contexts > 0;
}

static bool
is_powered_by_env(const struct port *p)
{
	return !p->by_function && p->dev != NULL;
}

/* ---- SOFTCX -------------------------------------------------------------------------------------------- */

int
sc_settings_env(struct sc_settings *s, uint32_t port, char *error, size_t size)
{
	const char *text = getenv("SOFTCX");
	char line[400];
	int ret;

	sc_settings_default(s, port);
	if (text == NULL)
		return 0;
	ret = sc_settings_parse(s, port, text, line, sizeof(line));
	if (ret < 0 && error != NULL)
		snprintf(error, size, "SOFTCX: %s", line);
	return ret;
}

/* Does the environment itself ask for ports, so that ports by function do not stand in for them? */
static bool
env_asks_for_ports(void)
{
	const char *text = getenv("SOFTCX");

	return text != NULL && (strncmp(text, "ports=", 6) == 0 || strstr(text, ",ports=") != NULL);
}

/* Describe the environment's ports anew, unless some of them have power. */
static int
describe_env(char *error, size_t size)
{
	struct sc_settings first;
	uint32_t i, n;
	int ret;

	if (any_port(is_powered_by_env))
		return 0;
	for (i = 0; i < SC_PORTS_MAX; i++)
		if (ports[i].used && !ports[i].by_function)
			ports[i].used = false;
	if (any_port(is_by_function) && !env_asks_for_ports())
		return 0;
	ret = sc_settings_env(&first, 0, error, size);
	if (ret < 0)
		return ret;
	for (i = 0, n = 0; i < SC_PORTS_MAX && n < first.ports; i++) {
		if (ports[i].used)
			continue;
		ret = sc_settings_env(&ports[i].settings, i, error, size);
		if (ret < 0)
			return ret;
		ports[i].used = true;
		ports[i].by_function = false;
		n++;
	}
	return 0;
}

static void
identify(uint32_t index, struct sc_port_id *id)
{
	const struct sc_settings *s = &ports[index].settings;
	unsigned int domain = 0, bus = 0, device = 0, function = 0;

	id->index = index;
	id->model = s->model;
	snprintf(id->name, sizeof(id->name), "softcx%u", index);
	if (sscanf(s->bdf, "%x:%x:%x.%x", &domain, &bus, &device, &function) == 4)
		snprintf(id->bdf, sizeof(id->bdf), "%04x:%02x:%02x.%x", domain & 0xffff, bus & 0xff,
			 device & 0x1f, (function + index) & 7);
}

int
sc_port_list(struct sc_port_id ids[SC_PORTS_MAX], char *error, size_t size)
{
	uint32_t i;
	int ret, n = 0;

	pthread_mutex_lock(&lock);
	ret = describe_env(error, size);
	for (i = 0; ret == 0 && i < SC_PORTS_MAX; i++)
		if (ports[i].used)
			identify(i, &ids[n++]);
	pthread_mutex_unlock(&lock);
	return ret < 0 ? ret : n;
}

int
sc_port_settings(uint32_t index, struct sc_settings *out)
{
	int ret = -ENODEV;

	pthread_mutex_lock(&lock);
	if (index < SC_PORTS_MAX && ports[index].used) {
		*out = ports[index].settings;
		ret = 0;
	}
	pthread_mutex_unlock(&lock);
	return ret;
}

/* ---- power --------------------------------------------------------------------------------------------- */

struct power_call {
	uint32_t index;
	char *error;
	size_t size;
};

static int
power_on_call(void *arg)
{
	const struct power_call *c = arg;
	struct port *p = &ports[c->index];
	int ret = sc_device_power_on(c->index, &p->settings, &p->dev, c->error, c->size);

	if (ret == 0) {
		p->dev->by_function = p->by_function;
		sc_engine_attach(p->dev, &p->settings);
	}
	return ret;
}

static int
check_call(void *arg)
{
	const struct power_call *c = arg;
	const struct sc_part *const *part;
	int ret = 0;

	for (part = sc_parts; *part != NULL && ret == 0; part++)
		if ((*part)->check != NULL)
			ret = (*part)->check(ports[c->index].dev, c->error, c->size);
	return ret;
}

/* What a port's settings say of other ports. */
static int
check(uint32_t index, char *error, size_t size)
{
	struct power_call c = { .index = index, .error = error, .size = size };

	return sc_engine_call(check_call, &c);
}

static int
power_off_call(void *arg)
{
	const struct power_call *c = arg;
	struct port *p = &ports[c->index];

	sc_engine_detach(p->dev);
	sc_device_power_off(p->dev);
	p->dev = NULL;
	return 0;
}

static void
power_off(uint32_t index)
{
	struct power_call c = { .index = index };

	if (ports[index].dev == NULL)
		return;
	sc_engine_call(power_off_call, &c);
	if (!any_port(has_power)) {
		sc_engine_stop();
		sc_trace_close();
	}
}

/* The first port with power brings clock, trace and thread. */
static int
power_on(uint32_t index, char *error, size_t size)
{
	struct power_call c = { .index = index, .error = error, .size = size };
	const struct sc_settings *s = &ports[index].settings;
	bool first = !any_port(has_power);
	enum sc_exec exec = exec_wish >= 0 ? (enum sc_exec)exec_wish : (enum sc_exec)s->exec;
	int ret;

	if (first) {
		if (s->trace[0] != '\0') {
			ret = sc_trace_open(s->trace);
			if (ret < 0) {
				snprintf(error, size, "setting trace=%s: %s", s->trace, strerror(-ret));
				return ret;
			}
		}
		sc_engine_clock(exec);
	}
	ret = sc_engine_call(power_on_call, &c);
	if (ret == 0 && first)
		ret = sc_engine_run(exec);
	if (ret < 0) {
		power_off(index);
		if (first)
			sc_trace_close();
	}
	return ret;
}

int
sc_engine_exec(enum sc_exec exec)
{
	int ret = 0;

	if (exec != SC_EXEC_THREADED && exec != SC_EXEC_STEPPED)
		return -EINVAL;
	pthread_mutex_lock(&lock);
	if (any_port(has_power))
		ret = sc_engine_run(exec);
	if (ret == 0)
		exec_wish = (int)exec;
	pthread_mutex_unlock(&lock);
	return ret;
}

/* ---- ports by function --------------------------------------------------------------------------------- */

/* Settings that belong to the process come from a port that is there already. */
static int
settings_for(uint32_t index, const char *text, struct sc_settings *s, char *error, size_t size)
{
	const struct sc_settings *other = NULL;
	struct sc_settings before;
	const char *key;
	uint32_t i;
	int ret;

	ret = sc_settings_env(s, index, error, size);
	if (ret < 0)
		return ret;
	for (i = 0; i < SC_PORTS_MAX && other == NULL; i++)
		if (ports[i].used && ports[i].dev != NULL)
			other = &ports[i].settings;
	if (other != NULL)
		sc_settings_process_copy(s, other);
	before = *s;
	ret = sc_settings_parse(s, index, text, error, size);
	if (ret < 0)
		return ret;
	if (s->ports != before.ports) {
		snprintf(error, size, "setting ports: one call makes one port; SOFTCX describes several");
		return -EINVAL;
	}
	key = other == NULL ? NULL : sc_settings_process_conflict(s, &before);
	if (key != NULL) {
		snprintf(error, size, "setting %s: the process has ports with another value of it already",
			key);
		return -EINVAL;
	}
	return 0;
}

int
sc_port_create(const char *text, char *error, size_t size)
{
	char line[512] = "";
	struct sc_settings s;
	uint32_t index;
	int ret;

	pthread_mutex_lock(&lock);
	ret = describe_env(line, sizeof(line)); /* the environment's ports keep their numbers */
	if (ret == 0 && !env_asks_for_ports() && !any_port(is_powered_by_env))
		for (index = 0; index < SC_PORTS_MAX; index++)
			if (!ports[index].by_function)
				ports[index].used = false;
	for (index = 0; index < SC_PORTS_MAX && ports[index].used; index++)
		;
	if (ret == 0 && index == SC_PORTS_MAX) {
		snprintf(line, sizeof(line), "more than %d ports", SC_PORTS_MAX);
		ret = -ENOSPC;
	}
	if (ret == 0)
		ret = settings_for(index, text == NULL ? "" : text, &s, line, sizeof(line));
	if (ret == 0) {
		ports[index] = (struct port){ .used = true, .by_function = true, .settings = s };
		ret = power_on(index, line, sizeof(line));
		if (ret == 0)
			ret = check(index, line, sizeof(line));
		if (ret < 0) {
			power_off(index);
			ports[index].used = false;
		}
	}
	pthread_mutex_unlock(&lock);
	if (ret < 0 && error != NULL)
		snprintf(error, size, "%s", line[0] != '\0' ? line : strerror(-ret));
	return ret < 0 ? ret : (int)index;
}

int
sc_port_destroy(uint32_t index)
{
	int ret = 0;

	pthread_mutex_lock(&lock);
	if (index >= SC_PORTS_MAX || !ports[index].used || !ports[index].by_function) {
		ret = -ENODEV;
	} else if (ports[index].contexts > 0) {
		ret = -EBUSY;
	} else {
		power_off(index);
		ports[index].used = false;
	}
	pthread_mutex_unlock(&lock);
	return ret;
}

/*
 * Each context brings the kernel a transport domain of its user; an imported one is a second handle of a
 * context and shares its.
 */
static int
count_contexts(void *arg)
{
	const struct port *p = arg;

	p->dev->contexts = p->contexts;
	p->dev->user_tds = p->contexts - p->imported;
	sc_device_self_loopback(p->dev);
	return 0;
}

/* ---- contexts ------------------------------------------------------------------------------------------ */

static void
power_off_env(void)
{
	uint32_t i;

	for (i = SC_PORTS_MAX; i-- > 0;)
		if (ports[i].used && !ports[i].by_function)
			power_off(i);
}

static int
power_on_env(char *error, size_t size)
{
	uint32_t i;
	int ret;

	for (i = 0; i < SC_PORTS_MAX; i++) {
		if (!ports[i].used || ports[i].by_function || ports[i].dev != NULL)
			continue;
		ret = power_on(i, error, size);
		if (ret < 0)
			goto failed;
	}
	for (i = 0; i < SC_PORTS_MAX; i++) {
		if (!ports[i].used || ports[i].by_function)
			continue;
		ret = check(i, error, size);
		if (ret < 0)
			goto failed;
	}
	return 0;

failed:
	power_off_env();
	return ret;
}

static void
count_imported(struct sc_device *dev, uint32_t change)
{
	struct port *p = &ports[dev->index];

	pthread_mutex_lock(&lock);
	p->imported += change;
	sc_engine_call(count_contexts, p);
	pthread_mutex_unlock(&lock);
}

void
sc_device_imported(struct sc_device *dev)
{
	count_imported(dev, 1);
}

void
sc_device_not_imported(struct sc_device *dev)
{
	count_imported(dev, -1u);
}

int
sc_device_open(uint32_t index, struct sc_device **dev, char *error, size_t size)
{
	char line[512] = "";
	int ret = 0;

	pthread_mutex_lock(&lock);
	if (index >= SC_PORTS_MAX || !ports[index].used) {
		snprintf(line, sizeof(line), "there is no port %u", index);
		ret = -ENODEV;
	} else if (ports[index].dev == NULL) {
		ret = power_on_env(line, sizeof(line));
	}
	if (ret == 0) {
		ports[index].contexts++;
		*dev = ports[index].dev;
		sc_engine_call(count_contexts, &ports[index]);
	}
	pthread_mutex_unlock(&lock);
	if (ret < 0 && error != NULL)
		snprintf(error, size, "%s", line[0] != '\0' ? line : strerror(-ret));
	return ret;
}

void
sc_device_close(struct sc_device *dev)
{
	struct port *p = &ports[dev->index];

	pthread_mutex_lock(&lock);
	p->contexts--;
	sc_engine_call(count_contexts, p);
	if (!p->by_function && !any_port(is_open_by_env))
		power_off_env();
	pthread_mutex_unlock(&lock);
}

/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The host side of a port: the kernel's netdev, where frames go that steering passes to the kernel.
 */
#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "softcx/core/settings.h"
#include "softcx/core/trace.h"
#include "softcx/wire/netdev.h"
#include "softcx/wire/ops.h"

enum host_kind { HOST_COUNT, HOST_TAP, HOST_PCAP };

struct sc_host {
	enum host_kind kind;
	char path[PATH_MAX]; /* file, or interface */
	int fd;
	bool down; /* the interface is not up */
	bool dirty;
	struct sc_looks looks;
	pcap_t *handle;
	pcap_dumper_t *out;
	struct sc_netdev netdev;
};

static int
parse(struct sc_host *host, struct sc_options *o)
{
	static const char *const kinds[] = {
		[HOST_COUNT] = "count", [HOST_TAP] = "tap", [HOST_PCAP] = "pcap"
	};
	size_t limit = PATH_MAX, kind;

	for (kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]) && strcmp(kinds[kind], o->kind) != 0;)
		kind++;
	if (kind == sizeof(kinds) / sizeof(kinds[0]))
		return sc_options_refuse(
			o, "\"%s\" is no host side; there are: count, tap:NAME, pcap:FILE", o->kind);
	if (sc_options_check(o, NULL, NULL) != 0)
		return -EINVAL;
	host->kind = (enum host_kind)kind;
	if ((kind == HOST_COUNT) != (o->word == NULL))
		return sc_options_refuse(o,
			kind == HOST_COUNT ? "\"count\" has no options" : "\"%s\" needs a name: %s:NAME",
			o->kind, o->kind);
	if (o->word == NULL)
		return 0;
	if (kind == HOST_TAP)
		limit = IFNAMSIZ;
	if (strlen(o->word) >= limit)
		return sc_options_refuse(
			o, "\"%s:%.20s...\" is longer than %zu characters", o->kind, o->word, limit - 1);
	strcpy(host->path, o->word);
	return 0;
}

static struct sc_host *
make(const char *spec, struct sc_options *o, int *ret, char *error, size_t size)
{
	struct sc_host *host;

	*ret = sc_options_split(o, spec == NULL || *spec == '\0' ? "count" : spec, error, size);
	if (*ret != 0)
		return NULL;
	host = calloc(1, sizeof(*host));
	*ret = host == NULL ? -ENOMEM : parse(host, o);
	if (*ret == 0)
		return host;
	free(host);
	return NULL;
}

static int
open_pcap(struct sc_host *host, struct sc_options *o)
{
	host->handle =
		pcap_open_dead_with_tstamp_precision(DLT_EN10MB, SC_FRAME_MAX, PCAP_TSTAMP_PRECISION_NANO);
	if (host->handle == NULL)
		return -ENOMEM;
	host->out = pcap_dump_open(host->handle, host->path);
	if (host->out != NULL)
		return 0;
	sc_options_refuse(o, "host pcap:%s: %s", host->path, pcap_geterr(host->handle));
	pcap_close(host->handle);
	return -EIO;
}

int
sc_host_check(const char *spec, char *error, size_t size)
{
	struct sc_options o;
	int ret;

	free(make(spec, &o, &ret, error, size));
	return ret;
}

/*
 * The interface takes the device's address: drivers ask it for the port's. Whoever owns the port brings
 * it up.
 */
int
sc_host_open(struct sc_device *dev, const char *spec, char *error, size_t size)
{
	const char *netdev = dev->settings->netdev;
	struct sc_options o;
	struct sc_host *host;
	int ret;

	host = make(spec, &o, &ret, error, size);
	if (host == NULL)
		return ret;
	host->fd = host->netdev.fd = -1;
	if (host->kind == HOST_TAP) {
		host->fd = sc_tap_open(host->path, dev->mac, dev->mtu, false, &o);
		ret = host->fd < 0 ? host->fd : 0;
	} else if (host->kind == HOST_PCAP) {
		ret = open_pcap(host, &o);
	}
	if (ret != 0) {
		free(host);
		return ret;
	}
	dev->host = host;
	if (netdev[0] == '\0' && host->kind == HOST_TAP)
		netdev = host->path;
	if (netdev[0] == '\0')
		return 0;
	ret = sc_netdev_open(&host->netdev, netdev);
	if (ret == 0) {
		if (!sc_tap_set_speed(netdev, dev->speed_mbps))
			sc_trace(dev, "netdev %s does not take a link speed: programs that ask it hear its own", netdev);
		return 0;
	}
	sc_options_refuse(&o, "netdev=%s: %s", netdev, strerror(-ret));
	sc_host_close(dev);
	return ret;
}

void
sc_host_close(struct sc_device *dev)
{
	struct sc_host *host = dev->host;

	if (host == NULL)
		return;
	dev->host = NULL;
	sc_netdev_close(&host->netdev);
	if (host->fd >= 0)
		close(host->fd);
	if (host->out != NULL) {
		pcap_dump_close(host->out);
		pcap_close(host->handle);
	}
	free(host);
}

void
sc_host_send(struct sc_device *dev, const uint8_t *frame, uint32_t len)
{
	struct sc_host *host = dev->host;
	uint64_t now = sc_nic_now(dev);
	struct pcap_pkthdr head = {
		.ts = { .tv_sec = (time_t)(now / 1000000000), .tv_usec = (suseconds_t)(now % 1000000000) },
		.caplen = len,
		.len = len,
	};

	if (host == NULL)
		return;
	if (host->kind == HOST_PCAP) {
		pcap_dump((u_char *)host->out, &head, frame);
		host->dirty = true;
	} else if (host->kind == HOST_TAP && write(host->fd, frame, len) != (ssize_t)len) {
		dev->port.host_lost++;
	}
}

uint32_t
sc_host_poll(struct sc_device *dev, uint32_t max, bool busy)
{
	struct sc_host *host = dev->host;
	uint8_t frame[SC_FRAME_MAX];
	uint32_t done = 0;

	if (host == NULL)
		return 0;
	sc_netdev_follow(&host->netdev, dev);
	if (host->dirty) {
		pcap_dump_flush(host->out);
		host->dirty = false;
	}
	if (host->kind != HOST_TAP || !sc_looks_due(&host->looks, busy))
		return 0;
	while (done < max) {
		ssize_t len = read(host->fd, frame, sizeof(frame));

		host->down = len < 0 && errno != EAGAIN && errno != EINTR;
		if (len < 14)
			break;
		sc_port_host_output(dev, frame, (uint32_t)len);
		done++;
	}
	sc_looks_found(&host->looks, done);
	return done;
}

/* A descriptor of an interface that is down is always "ready". */
int
sc_host_fd(const struct sc_device *dev)
{
	const struct sc_host *host = dev->host;

	return host == NULL || host->down ? -1 : host->fd;
}

const char *
sc_host_netdev_name(const struct sc_device *dev)
{
	if (dev->settings->netdev[0] != '\0')
		return dev->settings->netdev;
	return dev->host != NULL && dev->host->kind == HOST_TAP ? dev->host->path : "";
}

int
sc_host_netdev_fd(const struct sc_device *dev)
{
	return dev->host == NULL ? -1 : dev->host->netdev.fd;
}

uint32_t
sc_host_sleep_us(const struct sc_device *dev)
{
	return dev->host != NULL && dev->host->down ? 10000 : UINT32_MAX;
}

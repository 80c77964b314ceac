/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * pcap: the frames of a capture file come in, what is sent goes to another. Nanosecond or microsecond
 * files.
 */
#include <errno.h>
#include <limits.h>
#include <pcap/pcap.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "softcx/wire/ops.h"

struct pcap_wire {
	struct sc_wire wire;
	char in_path[PATH_MAX], out_path[PATH_MAX], gate_path[PATH_MAX];
	uint64_t repeat; /* passes over the file; 0 = without end */
	uint64_t pps, delay_ms, start_ns;
	pcap_t *in, *out_handle;
	pcap_dumper_t *out;
	bool started, finished, dirty;
	uint64_t passes, next_ns, skipped;
};

static const struct sc_option pcap_options[] = {
	{ "in", false }, { "out", false }, { "repeat", false }, { "pps", false }, { "gate", false },
	{ "delay", false }, { "drop", true }, { NULL, false },
};

static int
copy_path(struct sc_options *o, const char *key, char to[PATH_MAX])
{
	const char *path = sc_options_text(o, key, "");

	if (strlen(path) >= PATH_MAX)
		return sc_options_refuse(o, "\"%s=\" of \"pcap\" is longer than a path may be", key);
	strcpy(to, path);
	return 0;
}

static int
pcap_parse(struct sc_wire *wire, struct sc_options *o)
{
	struct pcap_wire *w = (struct pcap_wire *)wire;

	w->repeat = 1;
	if (copy_path(o, "in", w->in_path) != 0 || copy_path(o, "out", w->out_path) != 0 ||
		copy_path(o, "gate", w->gate_path) != 0 ||
		sc_options_number(o, "repeat", 0, UINT32_MAX, &w->repeat) != 0 ||
		sc_options_number(o, "pps", 1, 1000000000, &w->pps) != 0 ||
		sc_options_number(o, "delay", 0, 3600000, &w->delay_ms) != 0)
		return -EINVAL;
	if (w->in_path[0] == '\0' && w->out_path[0] == '\0')
		return sc_options_refuse(o, "\"pcap\" needs in=FILE, out=FILE or both");
	return 0;
}

/* A pipe would stop the whole engine while it is empty, so only plain files. */
static int
open_in(struct pcap_wire *w, struct sc_options *o)
{
	char error[PCAP_ERRBUF_SIZE];
	struct stat st;

	if (stat(w->in_path, &st) != 0) {
		int code = errno;

		sc_options_refuse(o, "pcap in=%s: %s", w->in_path, strerror(code));
		return -code;
	}
	if (!S_ISREG(st.st_mode))
		return sc_options_refuse(o, "pcap in=%s: not a regular file", w->in_path);
	w->in = pcap_open_offline_with_tstamp_precision(w->in_path, PCAP_TSTAMP_PRECISION_NANO, error);
	if (w->in == NULL)
		return sc_options_refuse(o, "pcap in=%s: %s", w->in_path, error);
	if (pcap_datalink(w->in) == DLT_EN10MB)
		return 0;
	sc_options_refuse(o, "pcap in=%s: link type %d is not Ethernet", w->in_path, pcap_datalink(w->in));
	pcap_close(w->in);
	return -EINVAL;
}

static int
open_out(struct pcap_wire *w, struct sc_options *o)
{
	w->out_handle =
		pcap_open_dead_with_tstamp_precision(DLT_EN10MB, SC_FRAME_MAX, PCAP_TSTAMP_PRECISION_NANO);
	if (w->out_handle == NULL)
		return -ENOMEM;
	w->out = pcap_dump_open(w->out_handle, w->out_path);
	if (w->out != NULL)
		return 0;
	sc_options_refuse(o, "pcap out=%s: %s", w->out_path, pcap_geterr(w->out_handle));
	pcap_close(w->out_handle);
	return -EIO;
}

static int
pcap_wire_open(struct sc_wire *wire, struct sc_options *o)
{
	struct pcap_wire *w = (struct pcap_wire *)wire;
	int ret = 0;

	if (w->in_path[0] != '\0')
		ret = open_in(w, o);
	if (ret != 0)
		return ret;
	w->finished = w->in == NULL;
	if (w->out_path[0] != '\0')
		ret = open_out(w, o);
	if (ret != 0 && w->in != NULL)
		pcap_close(w->in);
	return ret;
}

static void
pcap_wire_close(struct sc_wire *wire)
{
	struct pcap_wire *w = (struct pcap_wire *)wire;

	if (w->in != NULL)
		pcap_close(w->in);
	if (w->out != NULL) {
		pcap_dump_close(w->out);
		pcap_close(w->out_handle);
	}
}

static void
pcap_wire_send(struct sc_wire *wire, const uint8_t *frame, uint32_t len)
{
	struct pcap_wire *w = (struct pcap_wire *)wire;
	uint64_t now = sc_nic_now(wire->dev);
	struct pcap_pkthdr head = {
		.ts = { .tv_sec = (time_t)(now / 1000000000), .tv_usec = (suseconds_t)(now % 1000000000) },
		.caplen = len,
		.len = len,
	};

	if (w->out == NULL)
		return;
	pcap_dump((u_char *)w->out, &head, frame);
	w->dirty = true;
}

/* The next frame, from the beginning again where passes are left. False at the end. */
static bool
next_frame(struct pcap_wire *w, struct pcap_pkthdr **head, const u_char **data)
{
	char error[PCAP_ERRBUF_SIZE];

	while (pcap_next_ex(w->in, head, data) != 1) {
		if (++w->passes == w->repeat || w->wire.counters.rx_frames == 0)
			return false;
		pcap_close(w->in);
		w->in = pcap_open_offline_with_tstamp_precision(
			w->in_path, PCAP_TSTAMP_PRECISION_NANO, error);
		if (w->in == NULL)
			return false;
	}
	return true;
}

/*
 * Nothing comes in before the device listens, since delay_ms, and, where a gate is asked for, that file
 * is there.
 */
static bool
may_start(struct pcap_wire *w)
{
	uint64_t now = sc_nic_now(w->wire.dev);

	if (w->started)
		return true;
	if (!sc_nic_listens(w->wire.dev))
		return false;
	if (w->start_ns == 0)
		w->start_ns = now + w->delay_ms * 1000000;
	w->started = now >= w->start_ns && (w->gate_path[0] == '\0' || access(w->gate_path, F_OK) == 0);
	return w->started;
}

static bool
is_time(struct pcap_wire *w)
{
	uint64_t now = sc_nic_now(w->wire.dev);

	if (w->pps != 0 && now < w->next_ns)
		return false;
	if (w->pps != 0)
		w->next_ns = (w->next_ns == 0 ? now : w->next_ns) + 1000000000 / w->pps;
	return true;
}

static uint32_t
pcap_wire_poll(struct sc_wire *wire, uint32_t max)
{
	struct pcap_wire *w = (struct pcap_wire *)wire;
	uint8_t frame[SC_FRAME_MAX];
	struct pcap_pkthdr *head;
	const u_char *data;
	uint32_t done = 0;

	if (w->dirty) {
		pcap_dump_flush(w->out);
		w->dirty = false;
	}
	if (w->finished || !may_start(w))
		return 0;
	while (done < max && !sc_nic_holds(wire->dev) && sc_wire_may_receive(wire) && is_time(w)) {
		if (!next_frame(w, &head, &data)) {
			w->finished = true;
			break;
		}
		if (head->caplen > SC_FRAME_MAX || head->caplen < 14) {
			w->skipped++;
			continue;
		}
		memcpy(frame, data, head->caplen);
		sc_wire_input(wire, frame, head->caplen, sc_nic_now(wire->dev));
		done++;
	}
	return done;
}

static uint32_t
pcap_wire_sleep_us(const struct sc_wire *wire)
{
	const struct pcap_wire *w = (const struct pcap_wire *)wire;

	if (w->finished)
		return UINT32_MAX;
	if (!w->started)
		return 1000;
	return w->pps != 0 ? 50 : 0;
}

static bool
pcap_wire_done(const struct sc_wire *wire)
{
	return ((const struct pcap_wire *)wire)->finished;
}

const struct sc_wire_ops sc_wire_pcap = {
	.kind = "pcap",
	.options = pcap_options,
	.size = sizeof(struct pcap_wire),
	.parse = pcap_parse,
	.open = pcap_wire_open,
	.close = pcap_wire_close,
	.send = pcap_wire_send,
	.poll = pcap_wire_poll,
	.sleep_us = pcap_wire_sleep_us,
	.done = pcap_wire_done,
};

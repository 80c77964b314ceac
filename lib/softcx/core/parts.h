/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What a device is made of beside its core. The list itself is parts.c one folder up (tests of the core
 * bring their own): so core/ calls steer/, nic/ and wire/ without including them.
 */
#ifndef SOFTCX_PARTS_H
#define SOFTCX_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sc_command;
struct sc_device;

/* Every member may be NULL. */
struct sc_part {
	const char *name;
	int (*init)(struct sc_device *dev, char *error, size_t size); /* in list order, on power-on */
	int (*check)(struct sc_device *dev, char *error, size_t size); /* all ports described so far have power */
	void (*fini)(struct sc_device *dev);                          /* in reverse order */
	void (*release)(struct sc_device *dev, uint16_t uid);         /* a user context closes */
	uint32_t (*poll)(struct sc_device *dev);                      /* one round; units of work done */
	/*
	 * The same where only the kernel can say whether there is any. busy: some device had work of its
	 * own in this round or the last one, which a call into the kernel would hold up, so that it is not
	 * to be made every time.
	 */
	uint32_t (*ask)(struct sc_device *dev, bool busy);
	uint32_t (*sleep_us)(const struct sc_device *dev);            /* UINT32_MAX: as long as you like */
	bool (*waits)(const struct sc_device *dev);                   /* stepped: has work for the next step */
	bool (*watches)(const struct sc_device *dev);                 /* waits for memory to change */
	int (*fds)(const struct sc_device *dev, int *fds, int max);   /* readable means work */
};

extern const struct sc_part *const sc_parts[];      /* ends with NULL */
extern const struct sc_command *const sc_families[]; /* the command tables; ends with NULL */

#endif

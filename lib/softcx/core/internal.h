/* SPDX-License-Identifier: BSD-3-Clause */

/* What the files of core/ and cmd/ share among themselves; other rooms do not include it. */
#ifndef SOFTCX_INTERNAL_H
#define SOFTCX_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softcx/core/object.h"
#include "softcx/core/settings.h"

struct sc_command;
struct sc_device;

/* object.c */
int sc_objects_init(struct sc_device *dev);
void sc_objects_fini(struct sc_device *dev);
#define SC_UID_ANY UINT32_MAX
size_t sc_objects_close(struct sc_device *dev, uint32_t uid);

/* devx.c: destroy obj by hook, or, hook NULL, by its DESTROY command. 0 or -errno. */
int sc_object_destroy(struct sc_object *obj, sc_destroy_fn hook);

/* device.c */
int sc_device_power_on(uint32_t index, const struct sc_settings *settings, struct sc_device **out,
		       char *error, size_t size);
void sc_device_power_off(struct sc_device *dev);

/* cmd/resource.c */
int sc_resource_init(struct sc_device *dev);

/* trace.c: one line into error (may be NULL). @return -EINVAL */
int sc_refuse_text(char *error, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* event.c */
void sc_events_free(struct sc_device *dev);

#endif

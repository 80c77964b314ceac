/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Reading "kind:word,key=value,key": one grammar for wires and host sides.
 */
#ifndef SOFTCX_WIRE_OPTIONS_H
#define SOFTCX_WIRE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SC_OPTIONS_MAX 24

/* A key that a kind knows. */
struct sc_option {
	const char *key; /* NULL ends the table */
	bool flag;       /* stands alone; otherwise has =VALUE */
};

/* A spec taken apart; strings point into text. */
struct sc_options {
	char text[1024];
	const char *kind;
	const char *word; /* the first item behind ':' when it is no key=value and no flag, or NULL */
	const char *key[SC_OPTIONS_MAX], *value[SC_OPTIONS_MAX];
	uint32_t nb;
	char *error;
	size_t error_size;
};

/* @return 0, or -EINVAL with a line in error. Keys are checked later, when the kind is known. */
int sc_options_split(struct sc_options *o, const char *spec, char *error, size_t size);

/* Are all keys in one of the two tables (either may be NULL), flags without and others with a value? */
int sc_options_check(struct sc_options *o, const struct sc_option *known, const struct sc_option *common);

bool sc_options_has(const struct sc_options *o, const char *key);
const char *sc_options_text(const struct sc_options *o, const char *key, const char *otherwise);

/*
 * *value stays where the key is absent. @return 0, or -EINVAL with a line in error: not a number in
 * min..max.
 */
int sc_options_number(struct sc_options *o, const char *key, uint64_t min, uint64_t max, uint64_t *value);

/* Write the refusal. @return -EINVAL */
int sc_options_refuse(struct sc_options *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif

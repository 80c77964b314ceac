/* SPDX-License-Identifier: BSD-3-Clause */

#include "softcx/wire/options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
sc_options_refuse(struct sc_options *o, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (o->error != NULL && o->error_size != 0)
		vsnprintf(o->error, o->error_size, format, args);
	va_end(args);
	return -EINVAL;
}

/* The item that begins at *rest; *rest moves behind it. NULL at the end. Empty items are skipped. */
static char *
next_item(char **rest)
{
	char *item = *rest + strspn(*rest, ",;"), *end = item + strcspn(item, ",;");

	if (*item == '\0')
		return NULL;
	*rest = *end == '\0' ? end : end + 1;
	*end = '\0';
	return item;
}

static int
take_item(struct sc_options *o, char *item)
{
	char *equals = strchr(item, '=');

	if (o->nb == SC_OPTIONS_MAX)
		return sc_options_refuse(o, "\"%s\": more than %u options", o->kind, SC_OPTIONS_MAX);
	if (equals != NULL)
		*equals++ = '\0';
	o->key[o->nb] = item;
	o->value[o->nb++] = equals;
	return 0;
}

int
sc_options_split(struct sc_options *o, const char *spec, char *error, size_t size)
{
	char *rest, *item;
	size_t len;

	memset(o, 0, sizeof(*o));
	o->error = error;
	o->error_size = size;
	o->kind = o->text;
	if (strlen(spec) >= sizeof(o->text))
		return sc_options_refuse(
			o, "\"%.20s...\" is longer than %zu characters", spec, sizeof(o->text) - 1);
	strcpy(o->text, spec);
	rest = o->text + strcspn(o->text, ":");
	if (*rest == '\0')
		return 0;
	*rest++ = '\0';
	len = strlen(rest);
	if (len >= 2 && rest[0] == '[' && rest[len - 1] == ']') {
		rest[len - 1] = '\0';
		rest++;
	}
	while ((item = next_item(&rest)) != NULL)
		if (take_item(o, item) != 0)
			return -EINVAL;
	return 0;
}

static const struct sc_option *
find_option(const struct sc_option *table, const char *key)
{
	for (; table != NULL && table->key != NULL; table++)
		if (strcmp(table->key, key) == 0)
			return table;
	return NULL;
}

static void
list_keys(char *to, size_t size, const struct sc_option *table)
{
	for (; table != NULL && table->key != NULL; table++)
		snprintf(to + strlen(to), size - strlen(to), " %s%s", table->key, table->flag ? "" : "=");
}

int
sc_options_check(struct sc_options *o, const struct sc_option *known, const struct sc_option *common)
{
	uint32_t first = 0;
	char keys[256] = "";

	list_keys(keys, sizeof(keys), known);
	list_keys(keys, sizeof(keys), common);
	if (o->nb > 0 && o->value[0] == NULL && find_option(known, o->key[0]) == NULL &&
		find_option(common, o->key[0]) == NULL)
		o->word = o->key[first++];
	for (uint32_t i = first; i < o->nb; i++) {
		const struct sc_option *option = find_option(known, o->key[i]);

		if (option == NULL)
			option = find_option(common, o->key[i]);
		if (option == NULL)
			return sc_options_refuse(o, "\"%s\" is no option of \"%s\"; there are:%s",
				o->key[i], o->kind, keys[0] ? keys : " none");
		if (option->flag != (o->value[i] == NULL))
			return sc_options_refuse(o, "option \"%s\" of \"%s\" %s", o->key[i], o->kind,
				option->flag ? "takes no value" : "needs a value");
	}
	return 0;
}

bool
sc_options_has(const struct sc_options *o, const char *key)
{
	for (uint32_t i = 0; i < o->nb; i++)
		if (strcmp(o->key[i], key) == 0)
			return true;
	return false;
}

const char *
sc_options_text(const struct sc_options *o, const char *key, const char *otherwise)
{
	for (uint32_t i = 0; i < o->nb; i++)
		if (strcmp(o->key[i], key) == 0 && o->value[i] != NULL)
			return o->value[i];
	return otherwise;
}

int
sc_options_number(struct sc_options *o, const char *key, uint64_t min, uint64_t max, uint64_t *value)
{
	const char *text = sc_options_text(o, key, NULL);
	unsigned long long number;
	char *end;

	if (text == NULL)
		return 0;
	errno = 0;
	number = strtoull(text, &end, 0);
	if (errno != 0 || end == text || *end != '\0' || text[0] == '-' || number < min || number > max)
		return sc_options_refuse(o, "\"%s=%s\" of \"%s\" is not a number in %llu..%llu", key, text,
			o->kind, (unsigned long long)min, (unsigned long long)max);
	*value = number;
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */

/* test_matrix doc/flow.md: the document's matrix is the one that the tables print. */

#include "flow/matrix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BEGIN "<!-- matrix: begin -->\n"
#define END "<!-- matrix: end -->\n"

static const char *document;

static char *
read_all(const char *path)
{
	char *text = calloc(1, 1 << 20);
	FILE *file = fopen(path, "r");

	if (file == NULL || text == NULL)
		fail_msg("cannot read %s", path);
	text[fread(text, 1, (1 << 20) - 1, file)] = '\0';
	fclose(file);
	return text;
}

static void
test_document(void **state)
{
	char *text = read_all(document), *printed = NULL, *begin, *end;
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	flow_matrix_print(out);
	fclose(out);
	begin = strstr(text, BEGIN);
	assert_non_null(begin);
	begin += strlen(BEGIN);
	end = strstr(begin, END);
	assert_non_null(end);
	*end = '\0';
	if (strcmp(begin, printed) != 0)
		fail_msg("%s: the matrix is not what flow-matrix prints: paste its output between the marks", document);
	free(printed);
	free(text);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_document) };

	if (argc != 2)
		return 2;
	document = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}

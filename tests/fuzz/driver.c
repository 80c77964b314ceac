/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * fuzz_X [seed=N] [seconds=N] [FILE...]: inputs by chance, mutations of the target's samples among them, or the files. Before
 * each input it is written to the file named by FUZZ_LAST, where that is set, so that what kills the program is kept.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef FUZZ_LIBFUZZER
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The samples as files of FUZZ_SAMPLES, a folder, for a corpus to begin with. */
static void
write_samples(const char *folder)
{
	const uint8_t *data;
	size_t size;

	for (unsigned int i = 0; (data = fuzz_sample(i, &size)) != NULL; i++) {
		char path[4096];
		FILE *file;

		snprintf(path, sizeof(path), "%s/sample%u", folder, i);
		file = fopen(path, "wb");
		if (file == NULL)
			return;
		fwrite(data, 1, size, file);
		fclose(file);
	}
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	fuzz_open();
	if (getenv("FUZZ_SAMPLES") != NULL)
		write_samples(getenv("FUZZ_SAMPLES"));
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_one(data, size);
	return 0;
}
#else

#define INPUT_MAX 16384

static uint64_t state;

static uint32_t
below(uint32_t n)
{
	uint64_t z = state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (uint32_t)(((z ^ z >> 31) >> 32) * n >> 32);
}

static void
mutate(uint8_t *data, size_t size)
{
	for (uint32_t n = below(32); n > 0 && size > 0; n--) {
		uint8_t *at = &data[below((uint32_t)size)];

		switch (below(4)) {
		case 0:
			*at = (uint8_t)below(256);
			break;
		case 1:
			*at ^= (uint8_t)(1u << below(8));
			break;
		case 2:
			*at = below(2) ? 0 : 0xff;
			break;
		default:
			*at = (uint8_t)below(16);
			break;
		}
	}
}

static size_t
make(uint8_t *data, unsigned int nb_samples)
{
	size_t size = 0, one;

	/* Samples one behind the other, some cut short, or noise. */
	for (uint32_t n = nb_samples > 0 ? 1 + below(96) : 0; n > 0; n--) {
		const uint8_t *sample = fuzz_sample(below(nb_samples), &one);

		if (below(16) == 0)
			one = below((uint32_t)one + 1);
		if (size + one > INPUT_MAX)
			break;
		memcpy(data + size, sample, one);
		size += one;
	}
	if (size == 0 || below(8) == 0) {
		size = below(below(2) ? 64 : 4096);
		for (size_t i = 0; i < size; i++)
			data[i] = (uint8_t)(below(3) ? below(256) : 0);
	}
	mutate(data, size);
	return size;
}

static void
run(const uint8_t *data, size_t size)
{
	const char *last = getenv("FUZZ_LAST");
	FILE *file = last != NULL ? fopen(last, "wb") : NULL;
	/* Of its own size exactly, so that a read behind the end is seen. */
	uint8_t *copy = malloc(size > 0 ? size : 1);

	if (copy == NULL)
		abort();
	if (file != NULL) {
		fwrite(data, 1, size, file);
		fclose(file);
	}
	memcpy(copy, data, size);
	fuzz_one(copy, size);
	free(copy);
}

static void
run_file(const char *path)
{
	static uint8_t data[1 << 20];
	FILE *file = fopen(path, "rb");

	if (file == NULL) {
		perror(path);
		exit(2);
	}
	run(data, fread(data, 1, sizeof(data), file));
	fclose(file);
}

int
main(int argc, char **argv)
{
	uint64_t seed = (uint64_t)time(NULL), inputs = 0, seconds = 2;
	static uint8_t data[INPUT_MAX];
	unsigned int nb_samples = 0;
	time_t end;
	size_t size;
	int files = 0;

	fuzz_open();
	for (int i = 1; i < argc; i++) {
		if (strncmp(argv[i], "seed=", 5) == 0)
			seed = strtoull(argv[i] + 5, NULL, 0);
		else if (strncmp(argv[i], "seconds=", 8) == 0)
			seconds = strtoull(argv[i] + 8, NULL, 0);
		else
			files++, run_file(argv[i]);
	}
	if (files > 0)
		return 0;
	printf("seed=%llu\n", (unsigned long long)seed);
	fflush(stdout);
	state = seed;
	while (fuzz_sample(nb_samples, &size) != NULL)
		nb_samples++;
	for (end = time(NULL) + (time_t)seconds; time(NULL) < end; inputs++)
		run(data, make(data, nb_samples));
	printf("%llu inputs\n", (unsigned long long)inputs);
	return 0;
}
#endif

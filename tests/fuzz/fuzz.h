/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A fuzz target is two functions; driver.c runs them, with libFuzzer where clang builds (-fsanitize=fuzzer-no-link among c_args) and
 * with numbers by chance otherwise.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Once, before the first. */
void fuzz_open(void);
/* One input. Returns whatever happens; the sanitizers, and aborts of ours, are the judges. */
void fuzz_one(const uint8_t *data, size_t size);

/* A beginning for the driver without libFuzzer, that inputs are mutations of; NULL at the end. */
const uint8_t *fuzz_sample(unsigned int index, size_t *size);

/* Bytes off the front of the input; zeros when it is at its end. */
struct fuzz_input {
	const uint8_t *at;
	size_t left;
};

static inline uint32_t
fuzz_take(struct fuzz_input *in, unsigned int bytes)
{
	uint32_t value = 0;

	for (; bytes > 0; bytes--) {
		value = value << 8 | (in->left > 0 ? *in->at : 0);
		in->at += in->left > 0;
		in->left -= in->left > 0;
	}
	return value;
}

#endif

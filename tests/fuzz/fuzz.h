/* SPDX-License-Identifier: BSD-2-Clause */
/* What a fuzz target is: a function that libFuzzer (ci/fuzz) or replay.c calls
 * with bytes, and that aborts when something does not hold. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* Each target sets this to whether it accepted its last input. replay.c
 * compares it with the list in accepted/<what>. */
extern int fuzz_accepted;

/* A file of the process's own, for what is read from a path; static. */
const char *fuzz_path(const char *name);
/* Write it. */
void fuzz_write(const char *path, const void *bytes, size_t n);

#endif

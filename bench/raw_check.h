/* SPDX-License-Identifier: BSD-2-Clause */
/* A hand-written exp kernel and the loop that enqueues it: the reference of
 * bench_check. */
#ifndef BENCH_RAW_CHECK_H
#define BENCH_RAW_CHECK_H

#include <stddef.h>

typedef struct raw_check raw_check;

/* NULL and a message on stderr when it cannot be set up. */
raw_check *raw_check_new(size_t n, const float *x);
int raw_check_run(raw_check *r, int calls); /* an OpenCL status */
int raw_check_result(raw_check *r, float *y);
void raw_check_free(raw_check *r);

#endif

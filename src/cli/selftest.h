/* SPDX-License-Identifier: BSD-2-Clause */
/* The checks of gpugraph selftest: each computes on the device and on the host
 * and compares. */
#ifndef CLI_SELFTEST_H
#define CLI_SELFTEST_H

#include <gpuarray/device.h>
#include <stddef.h>

typedef struct selftest {
  gpucontext *ctx;
  int dtype;
  double worst; /* difference from the host's result, as a part of the limit */
} selftest;

typedef struct selftest_check {
  const char *name;
  int (*run)(selftest *t); /* a GA_* code; t->worst above 1 is a failure too */
  int dtypes[4];           /* GA_FLOAT, ..., ended by 0 */
} selftest_check;

extern const selftest_check selftest_checks[];
extern const size_t n_selftest_checks;

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* How fast a device copies and computes, measured. */
#ifndef CLI_DEVICE_RATES_H
#define CLI_DEVICE_RATES_H

#include <gpuarray/buffer.h>

typedef struct cli_rates {
  double bytes; /* read and written by a copy, a second */
  double flops; /* of a product of float32 matrices, a second */
} cli_rates;

/* Measure them in well under a second, besides compiling kernels. Blocks. */
int cli_rates_measure(cli_rates *r, gpucontext *ctx);
/* The seconds that so many bytes and operations take at these rates: the longer
 * of the two times. */
double cli_rates_limit(const cli_rates *r, double bytes, double flops);
/* What decides the limit: "bytes" or "arithmetic". */
const char *cli_rates_decider(const cli_rates *r, double bytes, double flops);

#endif

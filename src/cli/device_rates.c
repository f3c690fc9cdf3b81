/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/device_rates.h"

#include <gpuarray/array.h>
#include <gpuarray/blas.h>
#include <gpuarray/device.h>
#include <math.h>

#include "base/arith.h"
#include "base/clock.h"
#include "base/err.h"

#define MIB ((size_t)1 << 20)

enum { MOST_KERNELS = 8 }; /* that one call needs */

#define ROUND_S 0.02 /* that calls take at least before the device is awaited */
#define ALL_S 0.15   /* for all rounds, unless one takes longer */
#define GROW_S 0.004 /* a product that takes less says little */

/* Operands of what is measured: out = in, or out = in other. */
typedef struct trial {
  GpuArray out, in, other;
  int (*call)(struct trial *t);
  double work; /* of one call */
} trial;

static int copy(trial *t) {
  return GpuArray_move(&t->out, &t->in);
}

static int multiply(trial *t) {
  return GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, &t->in, &t->other, 0,
                        &t->out, 0);
}

static void clear(trial *t) {
  GpuArray_clear(&t->out);
  GpuArray_clear(&t->in);
  GpuArray_clear(&t->other);
}

/* --- measuring --- */

/* Seconds of n calls, until the results are there. */
static int time_round(trial *t, size_t n, double *seconds) {
  const uint64_t start = ga__now_ns();

  for (size_t i = 0; i < n; i++)
    GA_TRY(t->call(t));
  GA_TRY(GpuArray_sync(&t->out));
  *seconds = 1e-9 * (double)(ga__now_ns() - start);
  return GA_NO_ERROR;
}

/* Call once, which compiles and touches the memory, and wait until the library
 * has saved the kernels: some at each wait. */
static int warm_up(trial *t) {
  double seconds;

  GA_TRY(time_round(t, 1, &seconds));
  for (int i = 0; i < MOST_KERNELS; i++)
    GA_TRY(GpuArray_sync(&t->out));
  return GA_NO_ERROR;
}

/* The best rate of some rounds. Later ones have more calls, so that it counts
 * little how long the host waits for the device. */
static int find_rate(trial *t, double *rate) {
  double seconds, sum = 0;

  for (size_t n = 1; sum < ALL_S; n *= seconds < ROUND_S ? 2 : 1) {
    GA_TRY(time_round(t, n, &seconds));
    sum += seconds;
    if (seconds > 0 && (double)n * t->work / seconds > *rate)
      *rate = (double)n * t->work / seconds;
  }
  return GA_NO_ERROR;
}

/* --- what is measured --- */

/* Both arrays together exceed the caches, also where memory is scarce. */
static int measure_copy(gpucontext *ctx, const gpudevice_caps *caps,
                        double *rate) {
  const size_t room =
      (size_t)ga__at_most(caps->memory_bytes / 16, caps->max_alloc_bytes / 4);
  const size_t n = ga__at_most((caps->is_cpu ? 128 : 256) * MIB, room) / 4;
  trial t = {.call = copy, .work = 2.0 * 4.0 * (double)n};
  int err;

  GA_CHECK(GpuArray_zeros(&t.in, ctx, GA_FLOAT, 1, (size_t[]){n}, GA_C_ORDER));
  GA_CHECK(GpuArray_empty(&t.out, ctx, GA_FLOAT, 1, (size_t[]){n}, GA_C_ORDER));
  GA_CHECK(warm_up(&t));
  GA_CHECK(find_rate(&t, rate));
done:
  clear(&t);
  return err;
}

static int make_product(trial *t, gpucontext *ctx, size_t n) {
  const size_t dims[2] = {n, n};

  *t = (trial){.call = multiply, .work = 2 * pow((double)n, 3)};
  GA_TRY(GpuArray_zeros(&t->in, ctx, GA_FLOAT, 2, dims, GA_C_ORDER));
  GA_TRY(GpuArray_zeros(&t->other, ctx, GA_FLOAT, 2, dims, GA_C_ORDER));
  return GpuArray_empty(&t->out, ctx, GA_FLOAT, 2, dims, GA_C_ORDER);
}

/* Products of n rows and columns; n grows until one takes long enough. */
static int measure_product(gpucontext *ctx, const gpudevice_caps *caps,
                           double *rate) {
  const size_t most = caps->is_cpu ? 1024 : 4096;
  size_t n = caps->is_cpu ? 512 : 1024;
  double seconds;
  trial t;
  int err;

  for (;; n *= 2) {
    GA_CHECK(make_product(&t, ctx, n));
    GA_CHECK(warm_up(&t));
    GA_CHECK(time_round(&t, 1, &seconds));
    if (seconds >= GROW_S || n == most)
      break;
    clear(&t);
  }
  GA_CHECK(find_rate(&t, rate));
done:
  clear(&t);
  return err;
}

int cli_rates_measure(cli_rates *r, gpucontext *ctx) {
  const gpudevice_caps *caps = gpucontext_caps(ctx);

  *r = (cli_rates){0, 0};
  GA_TRY(measure_copy(ctx, caps, &r->bytes));
  return measure_product(ctx, caps, &r->flops);
}

/* --- the limit --- */

static double time_at(double rate, double work) {
  return rate > 0 ? work / rate : 0;
}

double cli_rates_limit(const cli_rates *r, double bytes, double flops) {
  const double a = time_at(r->bytes, bytes), b = time_at(r->flops, flops);

  return a > b ? a : b;
}

const char *cli_rates_decider(const cli_rates *r, double bytes, double flops) {
  return time_at(r->bytes, bytes) >= time_at(r->flops, flops) ? "bytes"
                                                              : "arithmetic";
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws of n numbers (first argument, 2^24 if there is none), and dropout in
 * one kernel, in bytes read and written, beside the device's copy of as many
 * floats (read and written, too). */
#include "bench.h"

#include <gpuarray/device.h>
#include <gpuarray/kernel.h>
#include <gpuarray/random.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "base/err.h"

enum { REPS = 15, STREAMS = 15360 };

typedef struct bench_state {
  gpucontext *ctx;
  size_t n;
  GpuArray x, y; /* floats, the ends of a copy */
  GpuArray z;    /* where draws go */
  GpuArray philox, mrg;
  GpuLaunch *launch;
} bench_state;

/* --- what is timed --- */

static int run_copy(void *arg) {
  bench_state *s = arg;

  GA_TRY(GpuArray_setarray(&s->y, &s->x));
  return GpuArray_sync(&s->y);
}

static int run_launch(void *arg) {
  bench_state *s = arg;

  GA_TRY(GpuLaunch_run(s->launch));
  return GpuArray_sync(&s->z);
}

/* --- results first --- */

static int check_moments(bench_state *s, const char *name, double mean,
                         double variance) {
  const double n = (double)s->n;
  float *got = malloc(s->n * sizeof *got);
  double sum = 0, squares = 0;
  int err = GA_NO_ERROR;

  if (got == NULL)
    return ga__fail_nomem();
  GA_CHECK(run_launch(s));
  GA_CHECK(GpuArray_read(got, s->n * sizeof *got, &s->z));
  for (size_t i = 0; i < s->n; i++) {
    sum += (double)got[i];
    squares += ((double)got[i] - mean) * ((double)got[i] - mean);
  }
  if (!(fabs(sum / n - mean) < 6 * sqrt(variance / n)) ||
      !(fabs(squares / n / variance - 1) < 10 / sqrt(n)))
    err = ga__fail(GA_VALUE_ERROR, "%s: mean %g, variance %g", name, sum / n,
                   squares / n);

done:
  free(got);
  return err;
}

static int measure(bench_state *s, const char *name, double bytes) {
  bench_time ours, copy;

  bench_pair(run_launch, s, run_copy, s, REPS, &ours, &copy);
  bench_print(name, bytes / ours.median / 1e9, "GB/s",
              8 * (double)s->n / copy.median / 1e9);
  GpuLaunch_free(s->launch);
  s->launch = NULL;
  GpuArray_clear(&s->z);
  return GA_NO_ERROR;
}

/* --- draws --- */

static int run_draw(bench_state *s, ga_random what, int typecode, int by_mrg) {
  static const char *const whats[] = {"uniform", "normal", "bits"};
  GpuArray *state = by_mrg ? &s->mrg : &s->philox;
  char name[64];

  snprintf(name, sizeof name, "%s %s %s", by_mrg ? "MRG31k3p" : "Philox",
           whats[what], ga__dtype_name(typecode));
  if (typecode == GA_DOUBLE && !gpucontext_caps(s->ctx)->fp64)
    return GA_NO_ERROR;
  GA_TRY(GpuArray_empty(&s->z, s->ctx, typecode, 1, &s->n, GA_C_ORDER));
  GA_TRY(GpuRandom_fill_prepare(&s->launch, &s->z, what, 0, 1, state,
                                by_mrg ? state : NULL));
  if (typecode == GA_FLOAT)
    GA_TRY(check_moments(s, name, what == GA_RANDOM_NORMAL ? 0 : 0.5,
                         what == GA_RANDOM_NORMAL ? 1 : 1.0 / 12));
  return measure(s, name, (double)(s->n * ga__dtype_size(typecode)));
}

static int run_dropout(bench_state *s) {
  gpuelemwise_arg args[] = {{"z", GA_FLOAT, GE_WRITE},
                            {"x", GA_FLOAT, GE_READ},
                            {"u", GA_FLOAT, GE_RANDOM_UNIFORM}};
  void *values[] = {&s->z, &s->x, &s->philox};
  GpuElemwise *ge = GpuElemwise_new(
      s->ctx, NULL, "z = (u < (w_float)(0.5f) ? x + x : (w_float)(0.0f))", 3,
      args, 1, GE_VECTOR);
  int err;

  if (ge == NULL)
    return GA_IMPL_ERROR;
  GA_CHECK(GpuArray_empty(&s->z, s->ctx, GA_FLOAT, 1, &s->n, GA_C_ORDER));
  GA_CHECK(GpuElemwise_prepare(&s->launch, ge, values, 0));
  GA_CHECK(check_moments(s, "dropout", 1, 1));
  GA_CHECK(measure(s, "dropout in one kernel", 8 * (double)s->n));

done:
  GpuElemwise_free(ge);
  return err;
}

static int run_all(bench_state *s) {
  static const struct {
    ga_random what;
    int typecode, by_mrg;
  } draws[] = {
      {GA_RANDOM_BITS, GA_UINT, 0},     {GA_RANDOM_UNIFORM, GA_HALF, 0},
      {GA_RANDOM_UNIFORM, GA_FLOAT, 0}, {GA_RANDOM_UNIFORM, GA_DOUBLE, 0},
      {GA_RANDOM_NORMAL, GA_HALF, 0},   {GA_RANDOM_NORMAL, GA_FLOAT, 0},
      {GA_RANDOM_NORMAL, GA_DOUBLE, 0}, {GA_RANDOM_UNIFORM, GA_FLOAT, 1},
      {GA_RANDOM_NORMAL, GA_FLOAT, 1}};

  for (size_t i = 0; i < sizeof draws / sizeof draws[0]; i++)
    GA_TRY(run_draw(s, draws[i].what, draws[i].typecode, draws[i].by_mrg));
  return run_dropout(s);
}

/* --- beside the rounds alone --- */

/* What Philox costs at least on a CPU: its ten rounds, five instructions each
 * for two blocks, on four independent pairs of blocks, nothing stored. */
static const char rounds_text[] =
    "#define ROUND(x, y) {                                            \\\n"
    "  const uint8 p = as_uint8((x & 0xFFFFFFFFul) * m);              \\\n"
    "  y = as_ulong4(p.s32107654) ^ y ^ k;                            \\\n"
    "  x = as_ulong4(p.s23016745); }\n"
    "#define ROUNDS(x, y) ROUND(x, y) ROUND(y, x) ROUND(x, y)         \\\n"
    "  ROUND(y, x) ROUND(x, y) ROUND(y, x) ROUND(x, y) ROUND(y, x)    \\\n"
    "  ROUND(x, y) ROUND(y, x)\n"
    "kernel void rounds(global ulong *out, ulong n) {\n"
    "  const ulong4 m = (ulong4)(0xD2511F53ul, 0xCD9E8D57ul,\n"
    "                            0xD2511F53ul, 0xCD9E8D57ul), k = m >> 3;\n"
    "  ulong4 a = m, b = m + 1, c = m + 2, d = m + 3, s = 0;\n"
    "  ulong4 e = a, f = b, g = c, h = d;\n"
    "  for (ulong i = get_group_id(0); i < n; i += get_num_groups(0)) {\n"
    "    a += i; b += i; c += i; d += i;\n"
    "    ROUNDS(a, e) ROUNDS(b, f) ROUNDS(c, g) ROUNDS(d, h)\n"
    "    s ^= a ^ b ^ c ^ d;\n"
    "  }\n"
    "  out[get_group_id(0)] = s.s0 ^ s.s1 ^ s.s2 ^ s.s3 ^ e.s0 ^ f.s1;\n"
    "}\n";

enum { GROUPS = 64, WORDS_A_TURN = 32 };

typedef struct rounds_state {
  GpuKernel k;
  gpudata *out;
  size_t turns;
} rounds_state;

static int run_rounds(void *arg) {
  rounds_state *r = arg;
  const size_t gs = GROUPS, ls = 1;
  void *args[] = {r->out, &r->turns};

  GA_TRY(GpuKernel_call(&r->k, 1, &gs, &ls, 0, args));
  return gpudata_sync(r->out);
}

static int bench_rounds(bench_state *s) {
  const int types[] = {GA_BUFFER, GA_ULONG};
  const char *text = rounds_text;
  rounds_state r = {.turns = s->n / WORDS_A_TURN};
  bench_time ours, bound;
  int err;

  GA_CHECK(GpuKernel_init(&r.k, s->ctx, 1, &text, NULL, "rounds", 2, types, 0,
                          NULL));
  r.out = gpudata_alloc(s->ctx, GROUPS * 8, NULL, 0, &err);
  if (r.out == NULL)
    goto done;
  GA_CHECK(GpuArray_empty(&s->z, s->ctx, GA_FLOAT, 1, &s->n, GA_C_ORDER));
  GA_CHECK(GpuRandom_fill_prepare(&s->launch, &s->z, GA_RANDOM_UNIFORM, 0, 1,
                                  &s->philox, NULL));
  bench_pair(run_launch, s, run_rounds, &r, REPS, &ours, &bound);
  bench_print("uniform float32, beside ten rounds alone",
              4 * (double)s->n / ours.median / 1e9, "GB/s",
              4 * (double)s->n / bound.median / 1e9);
  GpuLaunch_free(s->launch);
  s->launch = NULL;
  GpuArray_clear(&s->z);

done:
  GpuKernel_clear(&r.k);
  gpudata_release(r.out);
  return err;
}

/* --- the whole --- */

static int make_data(bench_state *s) {
  const int32_t seed[6] = {12345, 12345, 12345, 12345, 12345, 12345};
  float *ones = malloc(s->n * sizeof *ones);
  int err;

  if (ones == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < s->n; i++)
    ones[i] = 1;
  GA_CHECK(GpuArray_empty(&s->x, s->ctx, GA_FLOAT, 1, &s->n, GA_C_ORDER));
  GA_CHECK(GpuArray_empty(&s->y, s->ctx, GA_FLOAT, 1, &s->n, GA_C_ORDER));
  GA_CHECK(GpuArray_write(&s->x, ones, s->n * sizeof *ones));
  GA_CHECK(GpuRandom_philox(&s->philox, s->ctx, 7, 0));
  GA_CHECK(GpuRandom_mrg31k3p(&s->mrg, s->ctx, seed, STREAMS));

done:
  free(ones);
  return err;
}

int main(int argc, char **argv) {
  bench_state s = {.n = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10)
                                 : (size_t)1 << 24};

  bench_need(gpucontext_open(&s.ctx, NULL), "device");
  bench_need(make_data(&s), "data");
  bench_need(run_all(&s), "measurements");
  if (gpucontext_caps(s.ctx)->is_cpu)
    bench_need(bench_rounds(&s), "rounds");
  GpuArray_clear(&s.x);
  GpuArray_clear(&s.y);
  GpuArray_clear(&s.philox);
  GpuArray_clear(&s.mrg);
  gpucontext_deref(s.ctx);
  return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Pooling and resizing of n images (first argument; 4 if there is none) of 64
 * channels and 112 x 112 floats, beside the device's copy of as many bytes as
 * a call must read and write, and beside PyTorch in GB/s. A second argument
 * selects the lines that contain it. */
#include "bench.h"
#include "peer.h"

#include <gpuarray/device.h>
#include <gpuarray/pooling.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

enum { REPS = 15, CHANNELS = 64, SIDE = 112 };

typedef struct bench_state {
  gpucontext *ctx;
  GpuArray x, y, index, from, to;
  GpuLaunch *launch;
} bench_state;

/* What is measured. `peer` is its name in ops_torch.py. */
typedef struct work {
  const char *name, *peer;
  GpuPooling pooling; /* unless there is a scale */
  GpuResize resize;
  ga_pool_op op;
  int is_back, has_index, channels_last;
} work;

static int run_launch(void *arg) {
  bench_state *s = arg;

  GA_TRY(GpuLaunch_run(s->launch));
  return GpuArray_sync(&s->y);
}

static int run_copy(void *arg) {
  bench_state *s = arg;

  GA_TRY(GpuArray_setarray(&s->to, &s->from));
  return GpuArray_sync(&s->to);
}

static int make_band(GpuBand *b, const work *w) {
  GpuBand turned;

  if (w->resize.scale > 0)
    GA_TRY(
        GpuBand_resize(b, &w->resize, SIDE, (size_t)(w->resize.scale * SIDE)));
  else
    GA_TRY(GpuBand_pool(b, &w->pooling, 0, SIDE, w->op == GA_POOLING_SUM));
  if (!w->is_back)
    return GA_NO_ERROR;
  GA_TRY(GpuBand_transpose(&turned, b));
  GpuBand_clear(b);
  *b = turned;
  return GA_NO_ERROR;
}

static int make_array(GpuArray *a, gpucontext *ctx, int dtype, const work *w,
                      size_t n, size_t side) {
  const size_t last[4] = {n, side, side, CHANNELS};
  const size_t dims[4] = {n, CHANNELS, side, side};
  GpuArray whole;

  if (!w->channels_last)
    return GpuArray_zeros(a, ctx, dtype, 4, dims, GA_C_ORDER);
  GA_TRY(GpuArray_zeros(&whole, ctx, dtype, 4, last, GA_C_ORDER));
  const int err = GpuArray_transpose(a, &whole, (unsigned int[]){0, 3, 1, 2});
  GpuArray_clear(&whole);
  return err;
}

static float value_of(size_t i) {
  return (float)(i % 13) - 5;
}

static int fill(GpuArray *x) {
  const size_t n =
      x->dimensions[0] * CHANNELS * x->dimensions[2] * x->dimensions[3];
  GpuArray flat = *x;
  float *v = malloc(n * sizeof *v);
  int err;

  if (v == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < n; i++)
    v[i] = value_of(i);
  /* The bytes as they lie, whatever the order of the dimensions. */
  err = gpudata_write(flat.data, flat.offset, v, n * sizeof *v);
  free(v);
  return err;
}

/* Element (i, j) of channel c of the first image, from the bands. */
static double expect(const work *w, const GpuBand *b, size_t c, size_t i,
                     size_t j) {
  double sum = 0, best = -INFINITY;

  for (size_t k = 0; k < (size_t)b[0].count[i]; k++)
    for (size_t l = 0; l < (size_t)b[1].count[j]; l++) {
      const size_t y = (size_t)b[0].first[i] + k * b[0].step;
      const size_t x = (size_t)b[1].first[j] + l * b[1].step;
      const size_t at = w->channels_last ? (y * b[1].from + x) * CHANNELS + c
                                         : (c * b[0].from + y) * b[1].from + x;
      double v = (double)value_of(at);

      best = fmax(best, v);
      if (b[0].weights != NULL)
        v *= b[0].weights[k * b[0].n + i] * b[1].weights[l * b[1].n + j];
      sum += v;
    }
  return w->op == GA_POOLING_MAX ? best : sum;
}

/* Compare a few elements. Sums of what is picked are those of test_pooling. */
static int check(bench_state *s, const work *w, const GpuBand *b) {
  const size_t plane = b[0].n * b[1].n, n = plane * CHANNELS;
  float *got;
  int err;

  if (w->op == GA_POOLING_PICK)
    return GA_NO_ERROR;
  got = malloc(n * sizeof *got);
  if (got == NULL)
    return ga__fail_nomem();
  GA_CHECK(run_launch(s));
  GA_CHECK(gpudata_read(got, s->y.data, s->y.offset, n * sizeof *got));
  for (size_t o = 0; o < n && err == GA_NO_ERROR; o += 997) {
    const size_t c = w->channels_last ? o % CHANNELS : o / plane;
    const size_t at = w->channels_last ? o / CHANNELS : o % plane;
    const double want = expect(w, b, c, at / b[1].n, at % b[1].n);
    if (!(fabs((double)got[o] - want) <= 1e-4))
      err = ga__fail(GA_VALUE_ERROR, "element %zu: %g, expected %g", o,
                     (double)got[o], want);
  }

done:
  free(got);
  return err;
}

static int prepare(bench_state *s, const work *w, size_t n) {
  const int has_index = w->has_index || w->op == GA_POOLING_PICK;
  GpuBand b[2] = {{0}, {0}};
  int err;

  for (int d = 0; d < 2; d++)
    GA_CHECK(make_band(&b[d], w));
  GA_CHECK(make_array(&s->x, s->ctx, GA_FLOAT, w, n, b[0].from));
  GA_CHECK(make_array(&s->y, s->ctx, GA_FLOAT, w, n, b[0].n));
  if (has_index)
    GA_CHECK(make_array(&s->index, s->ctx, GA_LONG, w, n,
                        w->op == GA_POOLING_PICK ? b[0].from : b[0].n));
  GA_CHECK(GpuPooling_prepare(&s->launch, w->op, 2, b, &s->x,
                              has_index ? &s->index : NULL, &s->y));
  GA_CHECK(fill(&s->x));
  GA_CHECK(check(s, w, b));

done:
  GpuBand_clear(&b[0]);
  GpuBand_clear(&b[1]);
  return err;
}

static void clear(bench_state *s) {
  GpuLaunch_free(s->launch);
  s->launch = NULL;
  GpuArray_clear(&s->x);
  GpuArray_clear(&s->y);
  GpuArray_clear(&s->index);
  GpuArray_clear(&s->from);
  GpuArray_clear(&s->to);
}

static int measure(bench_state *s, const work *w, size_t n) {
  const int is_cpu = gpucontext_caps(s->ctx)->is_cpu;
  bench_time ours, copy;
  GpuLaunchStats stats;
  int err;

  GA_CHECK(prepare(s, w, n));
  GA_CHECK(GpuLaunch_stats(s->launch, &stats));
  const size_t half = (size_t)(stats.bytes / 8);
  GA_CHECK(GpuArray_zeros(&s->from, s->ctx, GA_FLOAT, 1, &half, GA_C_ORDER));
  GA_CHECK(GpuArray_zeros(&s->to, s->ctx, GA_FLOAT, 1, &half, GA_C_ORDER));
  bench_pair(run_launch, s, run_copy, s, REPS, &ours, &copy);
  bench_print(w->name, stats.bytes / ours.median / 1e9, "GB/s",
              stats.bytes / copy.median / 1e9);
  if (w->peer != NULL) {
    char line[80];
    const double us =
        peer_us("ops_torch.py %s %s %zu", is_cpu ? "cpu" : "cuda", w->peer, n);
    snprintf(line, sizeof line, "%s, beside PyTorch", w->name);
    bench_print(line, stats.bytes / ours.median / 1e9, "GB/s",
                us > 0 ? stats.bytes / us / 1e3 : 0);
  }

done:
  clear(s);
  return err;
}

#define POOLING(n, s, p)                                                       \
  {                                                                            \
    .nd = 1, .size = {n}, .stride = {s}, .dilation = {1}, .before = {p},       \
    .after = {                                                                 \
      p                                                                        \
    }                                                                          \
  }
#define TWICE                                                                  \
  { .mode = GA_RESIZE_LINEAR, .scale = 2 }

static const work works[] = {
    {.name = "maximum 3x3, stride 2",
     .peer = "max_pool",
     .pooling = POOLING(3, 2, 1),
     .op = GA_POOLING_MAX},
    {.name = "maximum 3x3, stride 2, with indices",
     .pooling = POOLING(3, 2, 1),
     .op = GA_POOLING_MAX,
     .has_index = 1},
    {.name = "maximum 3x3, stride 2, channels last",
     .pooling = POOLING(3, 2, 1),
     .op = GA_POOLING_MAX,
     .channels_last = 1},
    {.name = "maximum 3x3, stride 1",
     .pooling = POOLING(3, 1, 1),
     .op = GA_POOLING_MAX},
    {.name = "gradient of maximum 3x3, stride 2",
     .pooling = POOLING(3, 2, 1),
     .op = GA_POOLING_PICK,
     .is_back = 1},
    {.name = "mean 2x2", .peer = "mean_pool", .pooling = POOLING(2, 2, 0)},
    {.name = "gradient of mean 2x2", .pooling = POOLING(2, 2, 0), .is_back = 1},
    {.name = "twice as large, linear", .peer = "upsample", .resize = TWICE},
    {.name = "twice as large, linear, channels last",
     .resize = TWICE,
     .channels_last = 1},
    {.name = "gradient of twice as large", .resize = TWICE, .is_back = 1},
    {.name = "half as large, linear, antialias",
     .resize = {.mode = GA_RESIZE_LINEAR, .scale = 0.5, .antialias = 1}},
};

int main(int argc, char **argv) {
  const size_t n = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : 4;
  bench_state s = {0};

  bench_need(gpucontext_open(&s.ctx, NULL), "device");
  for (size_t i = 0; i < sizeof works / sizeof *works; i++)
    if (argc < 3 || strstr(works[i].name, argv[2]) != NULL)
      bench_need(measure(&s, &works[i], n), works[i].name);
  gpucontext_deref(s.ctx);
  return 0;
}

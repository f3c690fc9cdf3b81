/* SPDX-License-Identifier: BSD-2-Clause */
/* Pooling and resizing of n images (first argument; 4 if there is none) of 64
 * channels and 112 x 112 floats, beside the device's copy of as many bytes as
 * a call must read and write, and beside PyTorch in GB/s. */
#include "bench.h"
#include "peer.h"

#include <gpuarray/device.h>
#include <gpuarray/pooling.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
    bench_need(measure(&s, &works[i], n), works[i].name);
  gpucontext_deref(s.ctx);
  return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions of n images (first argument; 4 if there is none) in 1, 2 and 3
 * dimensions in float32, or in float16 with channels last if the second
 * argument is "half", beside PyTorch, in GFLOP/s. On CPUs forward ones in
 * float32 also stand beside ONNX Runtime, if Python finds it. */
#include "bench.h"
#include "peer.h"

#include <gpuarray/conv.h>
#include <gpuarray/device.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/err.h"

enum { REPS = 15 };

typedef struct bench_state {
  gpucontext *ctx;
  GpuArray a, b, r;
  GpuLaunch *launch;
  int is_half; /* and channels are last */
} bench_state;

/* Channels, size of images, filters, size of filters, stride, groups; spatial
 * dimensions, all of one size. */
typedef struct work {
  size_t c, side, f, k, stride, groups;
  ga_conv_part part;
  unsigned int nd;
} work;

static size_t power(size_t side, unsigned int nd) {
  return nd == 0 ? 1 : side * power(side, nd - 1);
}

static const char *const parts[] = {[GA_CONV_FORWARD] = "forward",
                                    [GA_CONV_INPUT] = "input",
                                    [GA_CONV_FILTERS] = "filters"};

static const char *const powers[] = {"", "", "^2", "^3"};

static int run_launch(void *arg) {
  bench_state *s = arg;

  GA_TRY(GpuLaunch_run(s->launch));
  return GpuArray_sync(&s->r);
}

static float value_of(size_t i) {
  return (float)(i % 13) / 13 - 0.5f;
}

/* Where element i of an array lies, as a number of elements. */
static size_t place_of(const bench_state *s, unsigned int nd,
                       const size_t *dims, size_t i) {
  const size_t plane = power(dims[2], nd), in = i % plane;
  const size_t c = i / plane % dims[1], image = i / plane / dims[1];

  return s->is_half ? (image * plane + in) * dims[1] + c : i;
}

/* `dims` has 2 + nd sizes; spatial ones are equal. */
static int make_array(GpuArray *a, const bench_state *s, unsigned int nd,
                      const size_t *dims) {
  const size_t n = dims[0] * dims[1] * power(dims[2], nd), side = dims[2];
  const size_t last[5] = {dims[0], side, nd > 1 ? side : dims[1],
                          nd > 2 ? side : dims[1], dims[1]};
  const unsigned int order[5] = {0, nd + 1, 1, 2, 3};
  const int typecode = s->is_half ? GA_HALF : GA_FLOAT;
  const size_t size = ga__dtype_size(typecode);
  char *v = malloc(n * size);
  GpuArray whole;
  int err;

  if (v == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < n; i++)
    ga__dtype_from_double(typecode, v + place_of(s, nd, dims, i) * size,
                          (double)value_of(i));
  GA_CHECK(GpuArray_empty(&whole, s->ctx, typecode, nd + 2,
                          s->is_half ? last : dims, GA_C_ORDER));
  GA_CHECK(GpuArray_write(&whole, v, n * size));
  if (s->is_half)
    err = GpuArray_transpose(a, &whole, order);
  else
    err = GpuArray_view(a, &whole);
  GpuArray_clear(&whole);

done:
  free(v);
  return err;
}

static int prepare(bench_state *s, const work *w, size_t n) {
  const size_t pad = w->k / 2;
  const GpuConv c = {.nd = w->nd,
                     .stride = {w->stride, w->stride, w->stride},
                     .dilation = {1, 1, 1},
                     .before = {pad, pad, pad},
                     .after = {pad, pad, pad},
                     .groups = w->groups};
  const size_t x[5] = {n, w->c, w->side, w->side, w->side};
  const size_t filters[5] = {w->f, w->c / w->groups, w->k, w->k, w->k};
  size_t y[5] = {n, w->f};

  GA_TRY(GpuConv_size(&y[2], &c, 0, w->side, w->k));
  y[3] = y[4] = y[2];
  const size_t *const dims[3][3] = {[GA_CONV_FORWARD] = {x, filters, y},
                                    [GA_CONV_INPUT] = {y, filters, x},
                                    [GA_CONV_FILTERS] = {x, y, filters}};
  GA_TRY(make_array(&s->a, s, w->nd, dims[w->part][0]));
  GA_TRY(make_array(&s->b, s, w->nd, dims[w->part][1]));
  GA_TRY(make_array(&s->r, s, w->nd, dims[w->part][2]));
  return GpuConv_prepare(&s->launch, &c, w->part, &s->a, &s->b, &s->r, NULL,
                         NULL);
}

/* Element o of the first image's result, in C order, whose sides are `out`. */
static double expect(const work *w, size_t out, size_t o) {
  const size_t each = w->c / w->groups, pad = w->k / 2;
  const size_t taps = power(w->k, w->nd), f = o / power(out, w->nd);
  double sum = 0;

  for (size_t k = 0; k < each * taps; k++) {
    size_t at = f / (w->f / w->groups) * each + k / taps, is_in = 1;

    for (unsigned int d = w->nd; d-- > 0;) {
      const size_t i =
          o / power(out, d) % out * w->stride + k / power(w->k, d) % w->k;
      is_in = is_in && i >= pad && i - pad < w->side;
      at = at * w->side + i - pad;
    }
    if (is_in)
      sum += (double)value_of(at) * (double)value_of(f * each * taps + k);
  }
  return sum;
}

/* Compare a few elements of a convolution. */
static int check(bench_state *s, const work *w) {
  const size_t side = s->r.dimensions[2], n = w->f * power(side, w->nd);
  const size_t size = ga__dtype_size(s->r.typecode);
  char *got;
  int err;

  if (w->part != GA_CONV_FORWARD)
    return GA_NO_ERROR;
  got = malloc(n * size);
  if (got == NULL)
    return ga__fail_nomem();
  GA_CHECK(run_launch(s));
  GA_CHECK(gpudata_read(got, s->r.data, s->r.offset, n * size));
  for (size_t o = 0; o < n && err == GA_NO_ERROR; o += 4999) {
    const double want = expect(w, side, o);
    const double v = ga__dtype_to_double(
        s->r.typecode, got + place_of(s, w->nd, s->r.dimensions, o) * size);
    const double most = s->is_half ? 1e-2 + fabs(want) / 500 : 1e-2;
    if (!(fabs(v - want) <= most))
      err =
          ga__fail(GA_VALUE_ERROR, "element %zu: %g, expected %g", o, v, want);
  }

done:
  free(got);
  return err;
}

static void beside_onnxruntime(const work *w, size_t n, double flops,
                               double seconds) {
  const double us =
      peer_us("conv_onnxruntime.py %zu %zu %zu %zu %zu %zu %zu %u", n, w->c,
              w->side, w->f, w->k, w->stride, w->groups, w->nd);

  if (us > 0)
    bench_print("  ONNX Runtime", flops / seconds / 1e9, "GFLOP/s",
                flops / us / 1e3);
}

static int measure(bench_state *s, const work *w, size_t n) {
  const int is_cpu = gpucontext_caps(s->ctx)->is_cpu;
  GpuLaunchStats stats;
  char name[80];
  int err;

  GA_CHECK(prepare(s, w, n));
  GA_CHECK(check(s, w));
  GA_CHECK(GpuLaunch_stats(s->launch, &stats));
  const bench_time t = bench_median(run_launch, s, REPS);
  const double us = peer_us(
      "ops_torch.py %s %s_%s %zu %zu %zu %zu %zu %zu %zu %u",
      is_cpu ? "cpu" : "cuda", s->is_half ? "half" : "conv", parts[w->part], n,
      w->c, w->side, w->f, w->k, w->stride, w->groups, w->nd);
  snprintf(name, sizeof name, "%s c%zu %zu%s f%zu k%zu s%zu g%zu",
           parts[w->part], w->c, w->side, powers[w->nd], w->f, w->k, w->stride,
           w->groups);
  bench_print(name, stats.flops / t.median / 1e9, "GFLOP/s",
              us > 0 ? stats.flops / us / 1e3 : 0);
  if (is_cpu && !s->is_half && w->part == GA_CONV_FORWARD)
    beside_onnxruntime(w, n, stats.flops, t.median);

done:
  GpuLaunch_free(s->launch);
  s->launch = NULL;
  GpuArray_clear(&s->a);
  GpuArray_clear(&s->b);
  GpuArray_clear(&s->r);
  return err;
}

static const work works[] = {
    {3, 224, 64, 7, 2, 1, GA_CONV_FORWARD, 2},
    {64, 56, 256, 1, 1, 1, GA_CONV_FORWARD, 2},
    {256, 56, 64, 1, 1, 1, GA_CONV_FORWARD, 2},
    {64, 56, 64, 3, 1, 1, GA_CONV_FORWARD, 2},
    {64, 56, 128, 3, 1, 1, GA_CONV_FORWARD, 2},
    {128, 28, 128, 3, 1, 1, GA_CONV_FORWARD, 2},
    {256, 14, 256, 3, 1, 1, GA_CONV_FORWARD, 2},
    {512, 7, 512, 3, 1, 1, GA_CONV_FORWARD, 2},
    {32, 112, 32, 3, 1, 32, GA_CONV_FORWARD, 2},
    {128, 28, 128, 3, 1, 1, GA_CONV_INPUT, 2},
    {128, 28, 128, 3, 1, 1, GA_CONV_FILTERS, 2},
    {256, 56, 64, 1, 1, 1, GA_CONV_INPUT, 2},
    {256, 56, 64, 1, 1, 1, GA_CONV_FILTERS, 2},
    {256, 56, 512, 1, 2, 1, GA_CONV_INPUT, 2},
    {256, 56, 512, 1, 2, 1, GA_CONV_FILTERS, 2},
    {512, 14, 512, 3, 2, 1, GA_CONV_INPUT, 2},
    {512, 14, 512, 3, 2, 1, GA_CONV_FILTERS, 2},
    {3, 224, 64, 7, 2, 1, GA_CONV_FILTERS, 2},
    {64, 4096, 128, 3, 1, 1, GA_CONV_FORWARD, 1},
    {64, 4096, 128, 9, 2, 1, GA_CONV_FORWARD, 1},
    {64, 4096, 128, 3, 1, 1, GA_CONV_INPUT, 1},
    {64, 4096, 128, 3, 1, 1, GA_CONV_FILTERS, 1},
    {16, 32, 32, 3, 1, 1, GA_CONV_FORWARD, 3},
    {32, 16, 64, 3, 2, 1, GA_CONV_FORWARD, 3},
    {16, 32, 32, 3, 1, 1, GA_CONV_INPUT, 3},
    {16, 32, 32, 3, 1, 1, GA_CONV_FILTERS, 3},
};

int main(int argc, char **argv) {
  const size_t n = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : 4;
  bench_state s = {.is_half = argc > 2 && strcmp(argv[2], "half") == 0};

  bench_need(gpucontext_open(&s.ctx, NULL), "device");
  for (size_t i = 0; i < sizeof works / sizeof *works; i++)
    bench_need(measure(&s, &works[i], n), "measurement");
  gpucontext_deref(s.ctx);
  return 0;
}

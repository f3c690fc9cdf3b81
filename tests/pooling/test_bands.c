/* SPDX-License-Identifier: BSD-2-Clause */
/* Bands: windows of pooling against plain loops, transposed bands, and resizing
 * against the examples of ONNX. They need no device. */
#include "support/device.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include <gpuarray/pooling.h>

#include "pooling/band.h"
#include "support/lcg.h"

static uint64_t state = 3;

static size_t draw(size_t low, size_t high) {
  return low + lcg_below(&state, high - low + 1);
}

/* A band as a matrix [n][from]; the caller frees it. */
static double *matrix_of(const GpuBand *b) {
  double *m = calloc(b->n * b->from + 1, sizeof *m);

  for (size_t o = 0; o < b->n; o++)
    for (size_t k = 0; k < (size_t)b->count[o]; k++)
      m[o * b->from + (size_t)b->first[o] + k * b->step] +=
          b->weights != NULL ? b->weights[k * b->n + o] : 1;
  return m;
}

/* --- pooling --- */

static GpuPooling draw_pooling(void) {
  return (GpuPooling){.nd = 1,
                      .size = {draw(1, 5)},
                      .stride = {draw(1, 4)},
                      .dilation = {draw(1, 4)},
                      .before = {draw(0, 6)},
                      .after = {draw(0, 6)},
                      .flags = (int)draw(0, 3) | 8 * (draw(0, 3) == 0)};
}

/* The size of the result, found by trying: windows begin inside of the padded
 * source and, unless sizes are rounded up, end there. */
static size_t count_windows(const GpuPooling *g, size_t x) {
  const size_t span = (g->size[0] - 1) * g->dilation[0] + 1;
  const size_t padded = x + g->before[0] + g->after[0];
  size_t n = 0;

  while (n * g->stride[0] + span <= padded)
    n++;
  if ((g->flags & GA_POOLING_CEIL) && (n - 1) * g->stride[0] + span < padded &&
      n * g->stride[0] < x + g->before[0])
    n++;
  return n;
}

static void check_mean(const GpuPooling *g, const GpuBand *b, size_t o) {
  double *m = matrix_of(b);
  size_t inside = 0, padded = 0;

  for (size_t k = 0; k < g->size[0]; k++) {
    const size_t at = o * g->stride[0] + k * g->dilation[0];
    inside += at >= g->before[0] && at < g->before[0] + b->from;
    padded += at < g->before[0] + b->from + g->after[0];
  }
  const double part =
      1.0 / (double)(g->flags & GA_POOLING_COUNT_ALL       ? g->size[0]
                     : g->flags & GA_POOLING_COUNT_PADDING ? padded
                                                           : inside);
  for (size_t i = 0; i < b->from; i++) {
    const size_t at = i + g->before[0];
    const int is_in = at >= o * g->stride[0] &&
                      (at - o * g->stride[0]) % g->dilation[0] == 0 &&
                      (at - o * g->stride[0]) / g->dilation[0] < g->size[0];
    assert_true(m[o * b->from + i] == (is_in ? part : 0));
  }
  free(m);
}

static void test_windows(void **unused) {
  (void)unused;
  for (int i = 0; i < 500; i++) {
    const GpuPooling g = draw_pooling();
    const size_t x = (g.size[0] - 1) * g.dilation[0] + draw(1, 20);
    GpuBand b;
    size_t n;

    assert_ok(GpuPooling_size(&n, &g, 0, x));
    assert_int_equal(n, count_windows(&g, x));
    assert_ok(GpuBand_pool(&b, &g, 0, x, 1));
    assert_int_equal(b.n, n);
    for (size_t o = 0; o < n; o++)
      check_mean(&g, &b, o);
    GpuBand_clear(&b);
  }
}

static void test_adaptive(void **unused) {
  (void)unused;
  for (size_t x = 1; x < 12; x++)
    for (size_t n = 1; n < 15; n++) {
      const GpuPooling g = {.nd = 1, .size = {n}, .flags = GA_POOLING_ADAPTIVE};
      GpuBand b;

      assert_ok(GpuBand_pool(&b, &g, 0, x, 0));
      for (size_t o = 0; o < n; o++) {
        const int first = (int)floor((double)(o * x) / (double)n);
        const int end = (int)ceil((double)((o + 1) * x) / (double)n);
        assert_int_equal(b.first[o], first);
        assert_int_equal(b.count[o], end - first);
      }
      GpuBand_clear(&b);
    }
}

/* --- transposed --- */

static void check_transposed(const GpuBand *b) {
  GpuBand t;

  assert_ok(GpuBand_transpose(&t, b));
  assert_int_equal(t.n, b->from);
  assert_int_equal(t.from, b->n);
  double *m = matrix_of(b), *turned = matrix_of(&t);
  for (size_t o = 0; o < b->n; o++)
    for (size_t i = 0; i < b->from; i++)
      assert_true(m[o * b->from + i] == turned[i * b->n + o]);
  free(m);
  free(turned);
  GpuBand_clear(&t);
}

static void test_transposed(void **unused) {
  (void)unused;
  for (int i = 0; i < 300; i++) {
    const GpuPooling g = draw_pooling();
    const GpuResize r = {.mode = (ga_resize_mode)draw(0, 2),
                         .rule = (ga_resize_rule)draw(0, 4),
                         .antialias = (int)draw(0, 1),
                         .exclude_outside = (int)draw(0, 1),
                         .cubic = -0.5};
    const size_t x = (g.size[0] - 1) * g.dilation[0] + draw(1, 20);
    GpuBand b;

    assert_ok(GpuBand_pool(&b, &g, 0, x, (int)draw(0, 1)));
    check_transposed(&b);
    GpuBand_clear(&b);
    assert_ok(GpuBand_resize(&b, &r, x, draw(0, 40)));
    check_transposed(&b);
    GpuBand_clear(&b);
  }
}

/* --- resizing --- */

typedef struct example {
  GpuResize r;
  size_t n;
  double want[8]; /* of 1, 2, 3, 4 */
} example;

#define CUBIC .mode = GA_RESIZE_CUBIC, .cubic = -0.75
#define LINEAR .mode = GA_RESIZE_LINEAR

static const example examples[] = {
    {{LINEAR}, 8, {1, 1.25, 1.75, 2.25, 2.75, 3.25, 3.75, 4}},
    {{LINEAR, .rule = GA_RESIZE_ALIGN_CORNERS}, 7, {1, 1.5, 2, 2.5, 3, 3.5, 4}},
    {{LINEAR, .scale = 0.6}, 2, {4.0 / 3, 3}},
    {{LINEAR, .scale = 0.6, .antialias = 1}, 2, {1.375, 3}},
    {{LINEAR, .rule = GA_RESIZE_ASYMMETRIC}, 8, {1, 1.5, 2, 2.5, 3, 3.5, 4, 4}},
    {{LINEAR, .rule = GA_RESIZE_HALF_PIXEL_ONE}, 1, {1}},
    {{LINEAR, .rule = GA_RESIZE_HALF_PIXEL_ONE}, 2, {1.5, 3.5}},
    {{LINEAR, .rule = GA_RESIZE_HALF_PIXEL_SYMMETRIC, .scale = 0.6},
     2,
     {5.0 / 3, 10.0 / 3}},
    {{LINEAR, .rule = GA_RESIZE_CROP, .start = 0, .end = 4.0 / 3},
     3,
     {1, 3, 0}},
    {{CUBIC}, 8, {0.89453125, 1.19140625, 1.66796875}},
    {{CUBIC, .exclude_outside = 1}, 4, {1, 2, 3, 4}},
    {{CUBIC, .rule = GA_RESIZE_ALIGN_CORNERS}, 4, {1, 2, 3, 4}},
    {{.rule = GA_RESIZE_ASYMMETRIC, .round = GA_RESIZE_FLOOR},
     8,
     {1, 1, 2, 2, 3, 3, 4, 4}},
    {{.scale = 0.6}, 2, {1, 3}},
    {{.rule = GA_RESIZE_ALIGN_CORNERS}, 7, {1, 1, 2, 2, 3, 3, 4}},
    {{.rule = GA_RESIZE_ALIGN_CORNERS, .round = GA_RESIZE_ROUND_UP},
     7,
     {1, 2, 2, 3, 3, 4, 4}},
    {{.rule = GA_RESIZE_ASYMMETRIC, .round = GA_RESIZE_CEIL},
     8,
     {1, 2, 2, 3, 3, 4, 4, 4}},
};

static void test_resize(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
    const example *e = &examples[i];
    GpuBand b;

    assert_ok(GpuBand_resize(&b, &e->r, 4, e->n));
    double *m = matrix_of(&b);
    for (size_t o = 0; o < e->n; o++) {
      const double got =
          m[4 * o] + 2 * m[4 * o + 1] + 3 * m[4 * o + 2] + 4 * m[4 * o + 3];
      if (fabs(got - e->want[o]) > 1e-12 && (i != 9 || o < 3))
        fail_msg("example %zu, element %zu: got %g, expected %g", i, o, got,
                 e->want[o]);
    }
    free(m);
    GpuBand_clear(&b);
  }
}

/* --- blocks --- */

/* Nonzero if window o of a band is the one that its block describes. */
static int is_described(const GpuBand *b, const ga__pool_block *block,
                        size_t o) {
  const int r = (int)o % block->size;
  int first = -1, n = 0;

  for (int k = 0; k < block->count[r]; k++) {
    const int at = (int)o / block->size * block->lead + block->begin +
                   block->first[r] + k * block->step;
    if (block->first[r] + k * block->step >= block->span)
      return 0;
    if (at >= 0 && (size_t)at < b->from && n++ == 0)
      first = at;
  }
  return n == b->count[o] && (n == 0 || first == b->first[o]);
}

static void check_block(const GpuBand *b, size_t size) {
  ga__pool_block block;

  if (!ga__band_block(&block, b, size))
    return;
  assert_int_not_equal(0, block.size);
  for (size_t o = 0; o < b->n; o++)
    if (!is_described(b, &block, o))
      fail_msg("window %zu of %zu, blocks of %d", o, b->n, block.size);
}

static void test_random_blocks(void **unused) {
  (void)unused;
  for (int i = 0; i < 400; i++) {
    const GpuPooling g = draw_pooling();
    const GpuResize r = {.mode = (ga_resize_mode)draw(0, 2),
                         .antialias = (int)draw(0, 1)};
    const size_t x = 16 + draw(0, 20);
    GpuBand b, t;

    if (draw(0, 1))
      assert_ok(GpuBand_pool(&b, &g, 0, x, 0));
    else
      assert_ok(GpuBand_resize(&b, &r, x, draw(1, 4) * x / draw(1, 4)));
    assert_ok(GpuBand_transpose(&t, &b));
    check_block(&b, draw(1, 4));
    check_block(&t, draw(1, 4));
    GpuBand_clear(&b);
    GpuBand_clear(&t);
  }
}

static void test_blocks(void **unused) {
  const GpuPooling g = {
      .nd = 1, .size = {3}, .stride = {2}, .dilation = {1}, .before = {1}};
  const GpuResize twice = {.mode = GA_RESIZE_LINEAR, .scale = 2};
  ga__pool_block block;
  GpuBand b, t;

  (void)unused;
  assert_ok(GpuBand_pool(&b, &g, 0, 20, 0));
  assert_true(ga__band_block(&block, &b, 4));
  assert_memory_equal(
      &block, (&(ga__pool_block){4, 8, -1, 1, 9, {0, 2, 4, 6}, {3, 3, 3, 3}}),
      sizeof block);
  assert_ok(GpuBand_transpose(&t, &b));
  assert_true(ga__band_block(&block, &t, 4));
  assert_memory_equal(
      &block, (&(ga__pool_block){4, 2, 0, 1, 3, {0, 0, 1, 1}, {1, 2, 1, 2}}),
      sizeof block);
  GpuBand_clear(&b);
  GpuBand_clear(&t);
  assert_ok(GpuBand_resize(&b, &twice, 9, 18));
  assert_true(ga__band_block(&block, &b, 4));
  assert_memory_equal(
      &block, (&(ga__pool_block){4, 2, -1, 1, 4, {0, 1, 1, 2}, {2, 2, 2, 2}}),
      sizeof block);
  b.count[3] = 1;
  assert_false(ga__band_block(&block, &b, 4));
  GpuBand_clear(&b);
}

/* --- errors --- */

static void test_errors(void **unused) {
  GpuPooling g = {.nd = 1, .size = {3}, .stride = {1}, .dilation = {1}};
  GpuResize r = {.mode = GA_RESIZE_LINEAR, .scale = NAN};
  int32_t first[] = {2}, count[] = {2};
  GpuBand b, own = {.from = 3,
                    .n = 1,
                    .step = 1,
                    .most = 2,
                    .first = first,
                    .count = count};
  size_t n;

  (void)unused;
  assert_code(GA_VALUE_ERROR, GpuPooling_size(&n, &g, 1, 3));
  assert_code(GA_VALUE_ERROR, GpuPooling_size(&n, &g, 0, 2));
  assert_message(GA_VALUE_ERROR,
                 "dim 0: a window of 3 elements, 1 apart, spans "
                 "more than the padded source, 2");
  assert_code(GA_VALUE_ERROR, GpuPooling_size(&n, &g, 0, SIZE_MAX));
  assert_code(GA_INVALID_ERROR, GpuPooling_size(&n, NULL, 0, 2));
  assert_code(GA_INVALID_ERROR, GpuPooling_size(NULL, &g, 0, 3));
  g.before[0] = SIZE_MAX;
  assert_code(GA_VALUE_ERROR, GpuBand_pool(&b, &g, 0, 3, 0));
  g = (GpuPooling){.nd = 1, .size = {SIZE_MAX}, .flags = GA_POOLING_ADAPTIVE};
  assert_code(GA_VALUE_ERROR, GpuBand_pool(&b, &g, 0, 3, 0));
  assert_code(GA_VALUE_ERROR, GpuBand_resize(&b, &r, 3, 3));
  r.scale = 1e-300;
  r.antialias = 1;
  assert_code(GA_VALUE_ERROR, GpuBand_resize(&b, &r, 3, 3));
  r.scale = 0;
  assert_code(GA_VALUE_ERROR, GpuBand_resize(&b, &r, 0, 3));
  assert_code(GA_VALUE_ERROR, GpuBand_resize(&b, &r, 3, (size_t)INT_MAX));
  assert_code(GA_INVALID_ERROR, GpuBand_resize(&b, NULL, 3, 3));
  assert_code(GA_INVALID_ERROR, GpuBand_transpose(&b, NULL));
  assert_code(GA_VALUE_ERROR, GpuBand_transpose(&b, &own));
  assert_message(GA_VALUE_ERROR, "window 0: 2 elements from 2 on, 1 apart, the "
                                 "source has 3");
  count[0] = 3;
  assert_code(GA_VALUE_ERROR, GpuBand_transpose(&b, &own));
  own.most = SIZE_MAX;
  assert_code(GA_VALUE_ERROR, GpuBand_transpose(&b, &own));
  assert_message(GA_VALUE_ERROR, "the largest count of a band is "
                                 "18446744073709551615, expected at most "
                                 "536870911");
  GpuBand_clear(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_windows),       cmocka_unit_test(test_adaptive),
      cmocka_unit_test(test_transposed),    cmocka_unit_test(test_resize),
      cmocka_unit_test(test_random_blocks), cmocka_unit_test(test_blocks),
      cmocka_unit_test(test_errors)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}

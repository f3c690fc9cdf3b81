/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions and their gradients, of random geometries in all layouts and
 * dtypes, against plain loops in double. */
#include "conv/check_epilogue.h"

#include <math.h>
#include <stdlib.h>

#include <gpuarray/profile.h>

#include "conv/conv.h"
#include "conv/conv_winograd.h"

static void check_random(unsigned int nd, int typecode, int rounds,
                         const ga__provider *by) {
  for (int round = 0; round < rounds; round++) {
    const problem p = draw_problem(nd);
    const layout how[3] = {(layout)draw(0, LAYOUTS - 1),
                           (layout)draw(0, LAYOUTS - 1),
                           (layout)draw(0, LAYOUTS - 1)};

    for (int part = 0; part < 3; part++)
      check(&p, (ga_conv_part)part, typecode, how, by);
  }
}

static int rounds(int many) {
  return test_is_quick() ? many / 12 : many;
}

/* Mapped like a GPU, too, unless tests are to be quick. */
static void check_mapped(void (*body)(void)) {
  if (test_is_quick())
    body();
  else
    test_mappings(body);
}

static void test_random(void **state) {
  (void)state;
  for (unsigned int nd = 1; nd <= 3; nd++)
    check_random(nd, GA_FLOAT, rounds(36), NULL);
}

static void test_half(void **state) {
  (void)state;
  for (unsigned int nd = 1; nd <= 3; nd++)
    check_random(nd, GA_HALF, rounds(12), NULL);
}

static void test_bfloat(void **state) {
  (void)state;
  check_random(2, GA_BFLOAT, rounds(12), NULL);
}

static void test_double(void **state) {
  (void)state;
  test_need_double();
  for (unsigned int nd = 1; nd <= 3; nd++)
    check_random(nd, GA_DOUBLE, rounds(12), NULL);
}

static void test_gpu(void **state) {
  (void)state;
  test_need_gpu_mapping();
  for (unsigned int nd = 1; nd <= 3; nd++)
    check_random(nd, GA_FLOAT, rounds(12), &ga__gemm_gpu);
}

/* As products where the best way is another one. */
static void test_products(void **state) {
  (void)state;
  if (!gpucontext_caps(test_context())->is_cpu)
    skip();
  for (unsigned int nd = 1; nd <= 3; nd++)
    check_random(nd, GA_FLOAT, rounds(24), &ga__gemm_cpu);
}

/* Lines of several vectors, sums of several blocks, and columns of several
 * panels. */
static problem draw_lines(unsigned int nd) {
  problem p = draw_problem(nd);
  const unsigned int d = nd - 1;

  p.channels = p.c.groups * draw(1, 40);
  p.filters = p.c.groups * draw(1, 20);
  p.c.stride[d] = draw(1, 2);
  p.x[d] = draw(1, 90) + p.w[d] * p.c.dilation[d];
  assert_ok(GpuConv_size(&p.y[d], &p.c, d, p.x[d], p.w[d]));
  return p;
}

/* Gradients by filters copy lines along the sum, the other parts mostly along
 * the columns. */
static void check_lines(int typecode, int n) {
  for (int round = 0; round < n; round++) {
    const problem p = draw_lines(1 + (unsigned int)round % 3);
    const layout how[3] = {(layout)draw(0, LAYOUTS - 1),
                           (layout)draw(0, LAYOUTS - 1),
                           (layout)draw(0, LAYOUTS - 1)};
    const layout all = round % 4 == 1 ? CHANNELS_LAST : CHANNELS_FIRST;
    const layout same[3] = {all, all, all};

    for (int part = 0; part < 3; part++)
      check(&p, (ga_conv_part)part, typecode, round % 4 == 3 ? how : same,
            &ga__gemm_cpu);
  }
}

static void test_lines(void **state) {
  (void)state;
  if (!gpucontext_caps(test_context())->is_cpu)
    skip();
  check_lines(GA_FLOAT, rounds(48));
  check_lines(GA_HALF, rounds(12));
  check_lines(GA_BFLOAT, rounds(12));
  if (gpucontext_caps(test_context())->fp64)
    check_lines(GA_DOUBLE, rounds(12));
}

/* --- Winograd's algorithm --- */

static problem draw_squares(unsigned int nd) {
  problem p = draw_problem(nd);

  p.channels = p.c.groups * draw(1, 20);
  for (unsigned int d = 0; d < nd; d++) {
    p.c.stride[d] = p.c.dilation[d] = 1;
    p.w[d] = nd == 3 && d == 0 ? 1 : 3;
    if (nd == 3 && d == 0)
      p.x[d] = 1, p.c.before[d] = p.c.after[d] = 0;
    p.x[d] += p.x[d] + p.c.before[d] + p.c.after[d] < p.w[d] ? 2 : 0;
    assert_ok(GpuConv_size(&p.y[d], &p.c, d, p.x[d], p.w[d]));
  }
  return p;
}

static void check_squares(int typecode, int n) {
  for (int round = 0; round < n; round++) {
    const problem p = draw_squares(2 + (unsigned int)(round % 6 == 0));
    const layout how[3] = {(layout)draw(0, LAYOUTS - 1),
                           (layout)draw(0, LAYOUTS - 1),
                           (layout)draw(0, LAYOUTS - 1)};

    check_within(&p, GA_CONV_FORWARD, typecode, how, &ga__conv_winograd, 8);
    check_within(&p, GA_CONV_INPUT, typecode, how, &ga__conv_winograd, 8);
    check_within(&p, GA_CONV_FILTERS, typecode, how, &ga__conv_winograd, 8);
  }
}

static void check_winograd(void) {
  check_squares(GA_FLOAT, rounds(12));
}

static void test_winograd(void **state) {
  (void)state;
  test_mappings(check_winograd);
}

/* With the least workspace: 192 tiles in parts of 128. */
static void test_winograd_parts(void **state) {
  const problem p = {.c = {.nd = 2,
                           .stride = {1, 1},
                           .dilation = {1, 1},
                           .before = {1, 1},
                           .after = {1, 1},
                           .groups = 1},
                     .images = 2,
                     .channels = 5,
                     .filters = 6,
                     .x = {46, 31},
                     .w = {3, 3},
                     .y = {46, 31}};

  test_context_drop(state);
  setenv("GPUARRAY_WORKSPACE_MB", "0", 1);
  for (int how = 0; how < LAYOUTS; how++) {
    const layout same[3] = {(layout)how, (layout)how, (layout)how};

    check_within(&p, GA_CONV_FORWARD, GA_FLOAT, same, &ga__conv_winograd, 8);
    check_within(&p, GA_CONV_INPUT, GA_FLOAT, same, &ga__conv_winograd, 8);
    check_within(&p, GA_CONV_FILTERS, GA_FLOAT, same, &ga__conv_winograd, 8);
  }
  unsetenv("GPUARRAY_WORKSPACE_MB");
  test_context_drop(state);
}

/* On CPUs: several blocks of channels and of rows, and filters that a kernel of
 * their own transforms. The same with one small image, where each block
 * transforms its filters. */
static void test_winograd_blocks(void **state) {
  const layout first[3] = {CHANNELS_FIRST, CHANNELS_FIRST, CHANNELS_FIRST};
  problem p = {.c = {.nd = 2,
                     .stride = {1, 1},
                     .dilation = {1, 1},
                     .before = {1, 0},
                     .after = {1, 2},
                     .groups = 1},
               .images = 3,
               .channels = 40,
               .filters = 77,
               .x = {33, 39},
               .w = {3, 3},
               .y = {33, 39}};

  (void)state;
  for (int round = 0; round < 2; round++) {
    check_within(&p, GA_CONV_FORWARD, GA_FLOAT, first, &ga__conv_winograd, 8);
    check_within(&p, GA_CONV_INPUT, GA_FLOAT, first, &ga__conv_winograd, 8);
    p.images = 1;
    p.x[0] = p.y[0] = 8;
  }
}

/* Nine products with filters of 3 x 3 each, which would need more workspaces
 * than a launch has. */
static void test_winograd_phases(void **state) {
  const layout first[3] = {CHANNELS_FIRST, CHANNELS_FIRST, CHANNELS_FIRST};
  const problem p = {
      .c = {.nd = 2, .stride = {3, 3}, .dilation = {1, 1}, .groups = 1},
      .images = 1,
      .channels = 2,
      .filters = 3,
      .x = {15, 18},
      .w = {9, 9},
      .y = {3, 4}};

  (void)state;
  check_within(&p, GA_CONV_INPUT, GA_FLOAT, first, &ga__conv_winograd, 8);
}

static void test_winograd_double(void **state) {
  (void)state;
  test_need_double();
  check_squares(GA_DOUBLE, rounds(12));
}

/* --- few channels in a group --- */

/* Up to `most` groups of one channel or two, and lines of several vectors. */
static problem draw_groups(unsigned int nd, size_t most) {
  problem p = draw_problem(nd);
  const unsigned int d = nd - 1;

  p.c.groups = draw(1, most);
  p.channels = p.c.groups * draw(1, 3) / 2;
  p.channels += (p.c.groups - p.channels % p.c.groups) % p.c.groups;
  p.filters = p.c.groups * (draw(0, 2) == 0 ? draw(2, 5) : 1);
  p.x[d] = draw(1, 150) + p.w[d] * p.c.dilation[d];
  assert_ok(GpuConv_size(&p.y[d], &p.c, d, p.x[d], p.w[d]));
  return p;
}

static void check_groups(int typecode, size_t most, int n) {
  for (int round = 0; round < n; round++) {
    const problem p = draw_groups(1 + (unsigned int)round % 3, most);
    const layout how[3] = {(layout)draw(0, LAYOUTS - 1),
                           (layout)draw(0, LAYOUTS - 1),
                           (layout)draw(0, LAYOUTS - 1)};
    const layout last[3] = {CHANNELS_LAST, how[1], CHANNELS_LAST};

    for (int part = 0; part < 3; part++)
      check(&p, (ga_conv_part)part, typecode, round % 2 == 0 ? how : last,
            NULL);
  }
}

static void test_groups(void **state) {
  (void)state;
  check_groups(GA_FLOAT, 3, rounds(36));
  check_groups(GA_FLOAT, 40, rounds(36));
  check_groups(GA_HALF, 40, rounds(12));
}

static void test_groups_double(void **state) {
  (void)state;
  test_need_double();
  check_groups(GA_DOUBLE, 40, rounds(12));
}

/* Both ways to read directly. */
static void check_mapping(void) {
  check_groups(GA_FLOAT, 40, rounds(24));
  if (!test_is_quick())
    check_groups(GA_HALF, 12, 12);
}

static void test_groups_mapped(void **state) {
  (void)state;
  test_mappings(check_mapping);
}

static void check_provider(size_t groups, size_t filters, layout how,
                           const char *want, const char *want_filters) {
  const problem p = {.c = {.nd = 2,
                           .stride = {1, 1},
                           .dilation = {1, 1},
                           .before = {1, 1},
                           .after = {1, 1},
                           .groups = groups},
                     .images = 1,
                     .channels = 32,
                     .filters = filters,
                     .x = {20, 20},
                     .w = {3, 3},
                     .y = {20, 20}};
  static const int order[3][3] = {{0, 1, 2}, {2, 1, 0}, {0, 2, 1}};
  GpuLaunchStats stats;
  GpuArray a[3];
  GpuLaunch *l;

  for (int i = 0; i < 3; i++) {
    double *values = malloc(problem_total(&p, i) * sizeof *values);

    make(&a[i], values, &p, i, GA_FLOAT, how, 0);
    free(values);
  }
  for (int part = 0; part < 3; part++) {
    const int *o = order[part];

    assert_ok(GpuConv_prepare(&l, &p.c, (ga_conv_part)part, &a[o[0]], &a[o[1]],
                              &a[o[2]], NULL, NULL));
    assert_ok(GpuLaunch_stats(l, &stats));
    assert_string_equal(stats.provider,
                        part == GA_CONV_FILTERS ? want_filters : want);
    GpuLaunch_free(l);
  }
  for (int i = 0; i < 3; i++)
    GpuArray_clear(&a[i]);
}

/* The launch says how a convolution is computed. Four groups have 24 tiles of
 * gradients by filters. */
static void check_providers(void) {
  const gpudevice_caps *caps = gpucontext_caps(test_context());
  const char *by_filters = caps->is_cpu ? "direct" : "own";

  check_provider(32, 32, CHANNELS_FIRST, "direct", by_filters);
  check_provider(32, 32, CHANNELS_LAST, "direct", by_filters);
  check_provider(32, 64, CHANNELS_FIRST, "direct", by_filters);
  check_provider(4, 64, CHANNELS_FIRST, "own",
                 caps->compute_units < 48 ? "own" : by_filters);
}

static void test_provider(void **state) {
  (void)state;
  check_mapped(check_providers);
}

/* An infinite element of x that no window reaches. */
static void check_beyond_windows(const ga__provider *by) {
  enum { Y = 20, X = 2 * Y + 1 };
  const GpuConv c = {.nd = 1, .stride = {2}, .dilation = {1}, .groups = 1};
  const float sums[2] = {Y, Y};
  float v[X], ones[Y];
  GpuArray x, w, y;
  GpuLaunch *l;

  for (int i = 0; i < X; i++)
    v[i] = i < X - 1 ? 1.0f : INFINITY;
  for (int i = 0; i < Y; i++)
    ones[i] = 1;
  test_array(&x, GA_FLOAT, 3, (const size_t[]){1, 1, X}, v);
  test_array(&w, GA_FLOAT, 3, (const size_t[]){1, 1, 2}, ones);
  test_array(&y, GA_FLOAT, 3, (const size_t[]){1, 1, Y}, ones);
  assert_ok(ga__conv_prepare_by(&l, &c, GA_CONV_FILTERS,
                                (GpuArray *[3]){&x, &y, &w}, NULL, NULL, by));
  assert_ok(GpuLaunch_run(l));
  test_array_equal(&w, sums);
  GpuLaunch_free(l);
  GpuArray_clear(&x);
  GpuArray_clear(&w);
  GpuArray_clear(&y);
}

static void test_beyond_windows(void **state) {
  (void)state;
  check_beyond_windows(NULL);
  if (gpucontext_caps(test_context())->is_cpu)
    check_beyond_windows(&ga__gemm_cpu);
}

static void test_epilogue(void **state) {
  (void)state;
  for (int round = 0; round < rounds(36); round++) {
    const problem p = draw_problem(1 + (unsigned int)round % 3);

    for (int part = 0; part < 3; part++)
      check_epilogue(&p, (ga_conv_part)part, GA_FLOAT,
                     (layout)(round % LAYOUTS),
                     round % 4 == 3 ? &ga__gemm_gpu : NULL);
  }
}

static void check_epilogue_squares(void) {
  for (int round = 0; round < rounds(12); round++) {
    const problem p = draw_squares(2);
    const ga_conv_part part = (ga_conv_part)(round % 3);

    check_epilogue(&p, part, GA_FLOAT, (layout)(round % LAYOUTS),
                   &ga__conv_winograd);
  }
}

static void test_epilogue_winograd(void **state) {
  (void)state;
  check_mapped(check_epilogue_squares);
}

static void check_epilogue_groups(void) {
  for (int round = 0; round < rounds(36); round++) {
    const problem p = draw_groups(1 + (unsigned int)round % 3, 12);

    for (int part = 0; part < 3; part++)
      check_epilogue(&p, (ga_conv_part)part, GA_FLOAT,
                     (layout)(round % LAYOUTS), NULL);
  }
}

static void test_epilogue_groups(void **state) {
  (void)state;
  check_mapped(check_epilogue_groups);
}

/* Filters of size 1: lines of an image become one. */
static void check_merged(void) {
  for (int round = 0; round < rounds(36); round++) {
    const unsigned int nd = 2 + (unsigned int)round % 2;
    problem p = {.c = {.nd = nd, .groups = draw(1, 2)}, .images = draw(1, 2)};

    p.channels = p.c.groups * draw(1, 9);
    p.filters = p.c.groups * draw(5, 12);
    for (unsigned int d = 0; d < nd; d++) {
      p.c.stride[d] = p.c.dilation[d] = p.w[d] = 1;
      p.x[d] = p.y[d] = draw(1, 9);
    }
    for (int part = 0; part < (round < 12 ? 3 : 2); part++)
      check_epilogue(&p, (ga_conv_part)part, GA_FLOAT,
                     (layout)(round % LAYOUTS), NULL);
  }
}

static void test_merged_lines(void **state) {
  (void)state;
  check_mapped(check_merged);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_half),
      cmocka_unit_test(test_bfloat),
      cmocka_unit_test(test_double),
      cmocka_unit_test(test_epilogue),
      cmocka_unit_test(test_gpu),
      cmocka_unit_test(test_products),
      cmocka_unit_test(test_lines),
      cmocka_unit_test(test_winograd),
      cmocka_unit_test(test_winograd_double),
      cmocka_unit_test(test_winograd_parts),
      cmocka_unit_test(test_winograd_blocks),
      cmocka_unit_test(test_winograd_phases),
      cmocka_unit_test(test_epilogue_winograd),
      cmocka_unit_test(test_groups),
      cmocka_unit_test(test_groups_double),
      cmocka_unit_test(test_groups_mapped),
      cmocka_unit_test(test_provider),
      cmocka_unit_test(test_beyond_windows),
      cmocka_unit_test(test_epilogue_groups),
      cmocka_unit_test(test_merged_lines),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

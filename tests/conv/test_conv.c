/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions and their gradients, of random geometries in all layouts and
 * dtypes, against plain loops in double. */
#include "conv/problem.h"

#include <math.h>
#include <signal.h>

#include <gpuarray/profile.h>

#include "conv/conv.h"

static uint32_t seed = 1;

static size_t draw(size_t low, size_t high) {
  seed = seed * 1664525u + 1013904223u;
  return low + (seed >> 8) % (high - low + 1);
}

/* A random problem; its sizes follow from those of y. */
static problem draw_problem(unsigned int nd) {
  problem p = {.c = {.nd = nd, .groups = draw(0, 2) == 0 ? draw(2, 3) : 1}};
  const size_t most = nd == 1 ? 70 : nd == 2 ? 12 : 6;

  p.c.flip = (int)draw(0, 3) == 0;
  p.images = draw(1, 3);
  p.channels = p.c.groups * draw(1, 5);
  p.filters = p.c.groups * draw(1, 12);
  for (unsigned int d = 0; d < nd; d++) {
    p.c.stride[d] = draw(1, 3);
    p.c.dilation[d] = draw(1, 2);
    p.w[d] = draw(1, 4);
    p.c.before[d] = draw(0, 3);
    p.c.after[d] = draw(0, 2);
    p.y[d] = draw(1, most);
    const size_t padded = (p.y[d] - 1) * p.c.stride[d] +
                          (p.w[d] - 1) * p.c.dilation[d] + 1 +
                          draw(0, p.c.stride[d] - 1);
    const size_t padding = p.c.before[d] + p.c.after[d];
    p.x[d] = padded > padding ? padded - padding : 1;
    assert_ok(GpuConv_size(&p.y[d], &p.c, d, p.x[d], p.w[d]));
  }
  return p;
}

/* An array with room around it, and its elements. */
static void make(GpuArray *a, double *values, const problem *p, int which,
                 int typecode, layout how, int is_result) {
  size_t dims[5];
  ssize_t strides[5];
  const size_t n = problem_total(p, which);
  char *data = malloc(n * ga__dtype_size(typecode) + 1);

  problem_dims(p, which, dims);
  layout_strides(how, p->c.nd + 2, dims, strides);
  test_fill(data, typecode, n, -1, 1, 7 + (uint32_t)which);
  for (size_t i = 0; i < n; i++) {
    if (is_result)
      test_set(data, typecode, i, NAN);
    values[i] = is_result ? 0 : test_get(data, typecode, i);
  }
  test_array_strided(a, typecode, p->c.nd + 2, dims, strides, data);
  free(data);
}

static void check_close(const GpuArray *r, const double *want, double terms,
                        const char *what) {
  const size_t n = test_size(r);
  char *got = malloc(n * ga__dtype_size(r->typecode) + 1);
  const double eps = r->typecode == GA_HALF     ? 1e-3
                     : r->typecode == GA_BFLOAT ? 8e-3
                     : r->typecode == GA_FLOAT  ? 1e-6
                                                : 1e-14;

  test_gather(r, got);
  for (size_t i = 0; i < n; i++) {
    const double v = test_get(got, r->typecode, i);

    if (!(fabs(v - want[i]) <= eps * (fabs(want[i]) + sqrt(terms) + 1)))
      fail_msg("%s: element %zu is %g, expected %g", what, i, v, want[i]);
  }
  free(got);
}

/* At least the count of products that a result adds up. */
static double count_terms(const problem *p, ga_conv_part part) {
  return part == GA_CONV_FILTERS
             ? (double)problem_total(p, 2) / (double)p->filters
             : (double)problem_total(p, 1) * (double)p->images;
}

static void check(const problem *p, ga_conv_part part, int typecode,
                  const layout how[3], const ga__provider *by) {
  static const int order[3][3] = {{0, 1, 2}, {2, 1, 0}, {0, 2, 1}};
  const int *which = order[part];
  GpuArray a[3];
  double *values[3];
  GpuLaunch *l;
  char what[320];

  for (int i = 0; i < 3; i++) {
    values[which[i]] =
        malloc((problem_total(p, which[i]) + 1) * sizeof(double));
    make(&a[i], values[which[i]], p, which[i], typecode, how[which[i]], i == 2);
  }
  problem_reference(p, part, values[0], values[1], values[2], values[which[2]]);
  snprintf(
      what, sizeof what,
      "part %d of %u dims, %s, layouts %d %d %d, groups %zu, stride %zu, "
      "dilation %zu, flip %d, sizes %zu %zu %zu, padding %zu, channels %zu "
      "and %zu, images %zu",
      (int)part, p->c.nd, ga__dtype_name(typecode), (int)how[0], (int)how[1],
      (int)how[2], p->c.groups, p->c.stride[0], p->c.dilation[0], p->c.flip,
      p->x[0], p->w[0], p->y[0], p->c.before[0], p->channels, p->filters,
      p->images);
  assert_ok(ga__conv_prepare_by(
      &l, &p->c, part, (GpuArray *[3]){&a[0], &a[1], &a[2]}, NULL, NULL, by));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  check_close(&a[2], values[which[2]], count_terms(p, part), what);
  for (int i = 0; i < 3; i++) {
    GpuArray_clear(&a[i]);
    free(values[i]);
  }
}

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

/* They are computed directly, and the launch says so. */
static void check_providers(void) {
  const char *by_filters =
      gpucontext_caps(test_context())->is_cpu ? "direct" : "own";

  check_provider(32, 32, CHANNELS_FIRST, "direct", by_filters);
  check_provider(32, 32, CHANNELS_LAST, "direct", by_filters);
  check_provider(2, 64, CHANNELS_FIRST, "own", "own");
}

static void test_provider(void **state) {
  (void)state;
  check_mapped(check_providers);
}

/* An infinite element of x that no window reaches. */
static void test_beyond_windows(void **state) {
  enum { Y = 20, X = 2 * Y + 1 };
  const GpuConv c = {.nd = 1, .stride = {2}, .dilation = {1}, .groups = 1};
  const float sums[2] = {Y, Y};
  float v[X], ones[Y];
  GpuArray x, w, y;

  (void)state;
  for (int i = 0; i < X; i++)
    v[i] = i < X - 1 ? 1.0f : INFINITY;
  for (int i = 0; i < Y; i++)
    ones[i] = 1;
  test_array(&x, GA_FLOAT, 3, (const size_t[]){1, 1, X}, v);
  test_array(&w, GA_FLOAT, 3, (const size_t[]){1, 1, 2}, ones);
  test_array(&y, GA_FLOAT, 3, (const size_t[]){1, 1, Y}, ones);
  assert_ok(GpuConv_call(&c, GA_CONV_FILTERS, &x, &y, &w));
  test_array_equal(&w, sums);
  GpuArray_clear(&x);
  GpuArray_clear(&w);
  GpuArray_clear(&y);
}

/* A bias, an activation and a residual in the kernel. */
static void check_epilogue(const problem *p, ga_conv_part part, layout how,
                           const ga__provider *by) {
  static const int order[3][3] = {{0, 1, 2}, {2, 1, 0}, {0, 2, 1}};
  const int *which = order[part];
  const unsigned int nd = p->c.nd + 2;
  const gpuelemwise_arg args[3] = {{"bias", GA_FLOAT, GE_READ},
                                   {"other", GA_FLOAT, GE_READ},
                                   {"o", GA_FLOAT, GE_WRITE}};
  const GpuEpilogue e = {.text = "o = max(acc + bias, (w_float)(0)) + other",
                         .n_args = 3,
                         .args = args,
                         .flags = GE_VECTOR};
  GpuArray a[3], bias, other;
  double *v[4];
  size_t dims[5], inner = 1;
  GpuLaunch *l;
  float some[64];

  for (int i = 0; i < 3; i++) {
    v[which[i]] = calloc(problem_total(p, which[i]) + 1, sizeof(double));
    make(&a[i], v[which[i]], p, which[i], GA_FLOAT,
         i == 2 ? how : CHANNELS_FIRST, i == 2);
  }
  const size_t n = problem_total(p, which[2]);
  double *want = v[which[2]];
  v[3] = calloc(n + 1, sizeof(double));
  make(&other, v[3], p, which[2], GA_FLOAT, how, 0);
  problem_reference(p, part, v[0], v[1], v[2], want);
  problem_dims(p, which[2], dims);
  for (unsigned int d = 2; d < nd; d++)
    inner *= dims[d];
  test_fill(some, GA_FLOAT, dims[1], -1, 1, 5);
  for (size_t i = 0; i < n; i++) {
    const double sum = want[i] + (double)some[i / inner % dims[1]];

    want[i] = (sum > 0 ? sum : 0) + v[3][i];
  }
  const size_t channels[5] = {1, dims[1], 1, 1, 1};
  test_array(&bias, GA_FLOAT, nd, channels, some);
  assert_ok(ga__conv_prepare_by(&l, &p->c, part,
                                (GpuArray *[3]){&a[0], &a[1], &a[2]}, &e,
                                (void *[]){&bias, &other, &a[2]}, by));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  check_close(&a[2], want,
              part == GA_CONV_FILTERS ? fmax(100, count_terms(p, part)) : 100,
              "epilogue");
  for (int i = 0; i < 3; i++) {
    GpuArray_clear(&a[i]);
    free(v[i]);
  }
  GpuArray_clear(&bias);
  GpuArray_clear(&other);
  free(v[3]);
}

static void test_epilogue(void **state) {
  (void)state;
  for (int round = 0; round < rounds(36); round++) {
    const problem p = draw_problem(1 + (unsigned int)round % 3);

    for (int part = 0; part < 3; part++)
      check_epilogue(&p, (ga_conv_part)part, (layout)(round % LAYOUTS),
                     round % 4 == 3 ? &ga__gemm_gpu : NULL);
  }
}

static void check_epilogue_groups(void) {
  for (int round = 0; round < rounds(36); round++) {
    const problem p = draw_groups(1 + (unsigned int)round % 3, 12);

    for (int part = 0; part < 3; part++)
      check_epilogue(&p, (ga_conv_part)part, (layout)(round % LAYOUTS), NULL);
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
    for (int part = 0; part < 3; part++)
      check_epilogue(&p, (ga_conv_part)part, (layout)(round % LAYOUTS), NULL);
  }
}

static void test_merged_lines(void **state) {
  (void)state;
  check_mapped(check_merged);
}

/* --- sizes at their limits --- */

/* Remainders of positions that do not exist cost no time. */
static void test_huge_strides(void **state) {
  const size_t most = INT32_MAX / 4;
  problem p = {.c = {.nd = 3, .groups = 1},
               .images = 1,
               .channels = 2,
               .filters = 2,
               .y = {1, 1, 1}};

  (void)state;
  for (int d = 0; d < 3; d++) {
    p.c.stride[d] = most;
    p.c.dilation[d] = most - 1;
    p.c.before[d] = most / 2;
    p.c.after[d] = most - most / 2;
    p.x[d] = p.w[d] = 2;
  }
  for (int part = 0; part < 3; part++)
    check(&p, (ga_conv_part)part, GA_FLOAT, (layout[3]){0, 0, 0}, NULL);
}

static void zeros(GpuArray *a, unsigned int nd, const size_t *dims) {
  assert_ok(GpuArray_zeros(a, test_context(), GA_FLOAT, nd, dims, GA_C_ORDER));
}

/* Any strides of results without elements are right. */
static void test_empty_results(void **state) {
  const GpuConv c = {
      .nd = 1, .stride = {1}, .dilation = {1}, .before = {3}, .groups = 1};
  GpuArray x, w, y, none, no_y;

  (void)state;
  zeros(&x, 3, (const size_t[]){2, 2, 0});
  zeros(&w, 3, (const size_t[]){2, 2, 3});
  zeros(&y, 3, (const size_t[]){2, 2, 1});
  x.strides[0] = 0;
  assert_ok(GpuConv_call(&c, GA_CONV_INPUT, &y, &w, &x));
  zeros(&none, 3, (const size_t[]){0, 2, 3});
  zeros(&no_y, 3, (const size_t[]){2, 0, 1});
  no_y.strides[0] = 0;
  assert_ok(GpuConv_call(&c, GA_CONV_FORWARD, &x, &none, &no_y));
  assert_ok(GpuConv_call(&c, GA_CONV_FILTERS, &x, &no_y, &none));
  GpuArray_clear(&x);
  GpuArray_clear(&w);
  GpuArray_clear(&y);
  GpuArray_clear(&none);
  GpuArray_clear(&no_y);
}

/* Filters of size 1 read nothing of an empty view. */
static void test_empty_input(void **state) {
  const GpuConv c = {
      .nd = 1, .stride = {1}, .dilation = {1}, .after = {1}, .groups = 1};
  const float ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}, zero = 0;
  GpuArray x, w, y;

  (void)state;
  test_array(&x, GA_FLOAT, 3, (const size_t[]){1, 2, 4}, ones);
  test_array(&w, GA_FLOAT, 3, (const size_t[]){1, 2, 1}, ones);
  test_array(&y, GA_FLOAT, 3, (const size_t[]){1, 1, 1}, ones);
  x.dimensions[2] = 0;
  assert_ok(GpuConv_call(&c, GA_CONV_FORWARD, &x, &w, &y));
  test_array_equal(&y, &zero);
  GpuArray_clear(&x);
  GpuArray_clear(&w);
  GpuArray_clear(&y);
}

/* Without channels, filters have no elements, and lie where vectors may not. */
static void check_no_channels(void) {
  const problem p = {.c = {.nd = 1,
                           .stride = {1},
                           .dilation = {1},
                           .before = {1},
                           .after = {1},
                           .groups = 1},
                     .images = 2,
                     .filters = 4,
                     .x = {8},
                     .w = {3},
                     .y = {8}};

  for (int part = 0; part < 3; part++)
    check(&p, (ga_conv_part)part, GA_FLOAT, (layout[3]){0, 0, 0}, NULL);
}

static void test_no_channels(void **state) {
  (void)state;
  test_mappings(check_no_channels);
}

/* A view of `a` that repeats its first element. */
static GpuArray repeated(const GpuArray *a, size_t *dims) {
  static ssize_t none[3];
  GpuArray view = *a;

  view.dimensions = dims;
  view.strides = none;
  return view;
}

static void test_refusals(void **state) {
  const GpuConv c = {.nd = 1, .stride = {1}, .dilation = {1}, .groups = 1};
  const gpuelemwise_arg arg = {"o", GA_FLOAT, GE_WRITE};
  const GpuEpilogue e = {.text = "o = acc", .n_args = 1, .args = &arg};
  const float ones[1] = {1};
  size_t size, dims[3] = {1, 1, 1}, many[3] = {(size_t)1 << 31, 1, 1};
  const struct sigaction ordinary = {.sa_handler = SIG_DFL};
  struct sigaction before;
  GpuArray x, w, y, other;
  GpuLaunch *l;

  (void)state;
  assert_code(GA_INVALID_ERROR, GpuConv_size(&size, NULL, 0, 1, 1));
  test_array(&x, GA_FLOAT, 3, dims, ones);
  test_array(&w, GA_FLOAT, 3, dims, ones);
  test_array(&y, GA_FLOAT, 3, dims, ones);
  GpuArray wide = repeated(&x, many), wide_y = repeated(&y, many);
  assert_code(GA_VALUE_ERROR,
              GpuConv_call(&c, GA_CONV_FILTERS, &wide, &wide_y, &w));
  assert_message(GA_VALUE_ERROR, "2147483648 images");
  other = y;
  other.typecode = GA_INT;
  assert_code(GA_VALUE_ERROR,
              GpuConv_call(&c, GA_CONV_FORWARD, &x, &w, &other));
  /* with an epilogue, only the result's sizes are read */
  many[0] = 2;
  other = wide_y;
  other.typecode = -1;
  sigaction(SIGFPE, &ordinary,
            &before); /* PoCL goes on after a division by 0 */
  assert_code(GA_VALUE_ERROR, GpuConv_prepare(&l, &c, GA_CONV_FORWARD, &wide,
                                              &w, &other, &e, (void *[]){&y}));
  sigaction(SIGFPE, &before, NULL);
  assert_message(GA_VALUE_ERROR, "the result has 2, arguments 1");
  GpuArray_clear(&x);
  GpuArray_clear(&w);
  GpuArray_clear(&y);
}

/* --- launches --- */

/* Filters that are read backwards, so that a product of row 1 of the result
 * needs no window. Its first element lies where vectors may not. */
static void check_offset_rows(void) {
  enum { N = 22, C = 4 };
  const GpuConv c = {
      .nd = 2, .stride = {2, 1}, .dilation = {1, 1}, .groups = 1, .flip = 1};
  const gpuelemwise_arg args[2] = {{"other", GA_FLOAT, GE_READ},
                                   {"o", GA_FLOAT, GE_WRITE}};
  const GpuEpilogue e = {
      .text = "o = acc + other", .n_args = 2, .args = args, .flags = GE_VECTOR};
  const size_t x_dims[4] = {1, C, 2, N}, w_dims[4] = {C, C, 2, 1},
               y_dims[4] = {1, C, 1, N};
  float ones[C * N], v[C * 2 * N], want[C * 2 * N];
  GpuArray x, w, y, other;
  GpuLaunch *l;

  for (int i = 0; i < C * N; i++)
    ones[i] = 1;
  for (int i = 0; i < C * 2 * N; i++) {
    v[i] = (float)i;
    want[i] = (float)(i + C);
  }
  test_array(&x, GA_FLOAT, 4, x_dims, v);
  test_array(&other, GA_FLOAT, 4, x_dims, v);
  test_array(&w, GA_FLOAT, 4, w_dims, ones);
  test_array(&y, GA_FLOAT, 4, y_dims, ones);
  assert_ok(GpuConv_prepare(&l, &c, GA_CONV_INPUT, &y, &w, &x, &e,
                            (void *[]){&other, &x}));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  test_array_equal(&x, want);
  GpuArray_clear(&x);
  GpuArray_clear(&other);
  GpuArray_clear(&w);
  GpuArray_clear(&y);
}

static void test_offset_rows(void **state) {
  (void)state;
  test_mappings(check_offset_rows);
}

static void call(const GpuConv *c, GpuArray *x, GpuArray *w, GpuArray *y,
                 const float *want) {
  assert_ok(GpuConv_call(c, GA_CONV_FORWARD, x, w, y));
  test_array_equal(y, want);
}

/* Direct calls of one geometry have a launch in common. */
static void test_calls(void **state) {
  GpuConv c = {.nd = 1, .stride = {1}, .dilation = {1}, .groups = 1};
  const float v[3] = {1, 2, 4};
  gpucontext_counters before, after;
  GpuArray x, w, y;

  (void)state;
  test_array(&x, GA_FLOAT, 3, (const size_t[]){1, 1, 3}, v);
  test_array(&w, GA_FLOAT, 3, (const size_t[]){1, 1, 2}, v);
  test_array(&y, GA_FLOAT, 3, (const size_t[]){1, 1, 2}, v);
  call(&c, &x, &w, &y, (const float[]){5, 10});
  assert_ok(gpucontext_count(test_context(), &before));
  call(&c, &x, &w, &y, (const float[]){5, 10});
  assert_ok(gpucontext_count(test_context(), &after));
  assert_int_equal(after.programs_built + after.programs_reused,
                   before.programs_built + before.programs_reused);
  c.flip = 1;
  call(&c, &x, &w, &y, (const float[]){4, 8});
  c.stride[0] = 2;
  c.before[0] = 1;
  call(&c, &x, &w, &y, (const float[]){1, 8});
  GpuArray_clear(&x);
  GpuArray_clear(&w);
  GpuArray_clear(&y);
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
      cmocka_unit_test(test_groups),
      cmocka_unit_test(test_groups_double),
      cmocka_unit_test(test_groups_mapped),
      cmocka_unit_test(test_provider),
      cmocka_unit_test(test_beyond_windows),
      cmocka_unit_test(test_epilogue_groups),
      cmocka_unit_test(test_merged_lines),
      cmocka_unit_test(test_huge_strides),
      cmocka_unit_test(test_empty_results),
      cmocka_unit_test(test_empty_input),
      cmocka_unit_test(test_no_channels),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_offset_rows),
      cmocka_unit_test(test_calls),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions and their gradients, of random geometries in all layouts and
 * dtypes, against plain loops in double. */
#include "conv/problem.h"

#include <math.h>

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
  check_close(&a[2], values[which[2]],
              (double)problem_total(p, 1) * (double)p->images, what);
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
  return getenv("GPUGRAPH_QUICK_TESTS") != NULL ? many / 12 : many;
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
  check_close(&a[2], want, 100, "epilogue");
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),   cmocka_unit_test(test_half),
      cmocka_unit_test(test_bfloat),   cmocka_unit_test(test_double),
      cmocka_unit_test(test_epilogue), cmocka_unit_test(test_gpu),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

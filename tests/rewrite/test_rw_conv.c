/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on what stands around convolutions: which of them fire, how many
 * kernels are left, and values against those of functions without rewrites,
 * over random geometries. */
#include "support/graph_case.h"

#include <stdlib.h>
#include <string.h>

static uint32_t seed = 5;

static size_t draw(size_t low, size_t high) {
  seed = seed * 1664525u + 1013904223u;
  return low + (seed >> 8) % (high - low + 1);
}

static gg_var *constant(unsigned int nd, const size_t *dims, float low) {
  size_t n = 1;

  for (unsigned int d = 0; d < nd; d++)
    n *= dims[d];
  float *v = malloc(n * sizeof *v);
  test_fill(v, GA_FLOAT, n, low, 1, (uint32_t)draw(0, 1000));
  gg_var *c = gg_constant(g, GA_FLOAT, nd, dims, v);
  free(v);
  return c;
}

/* A constant for each of n channels beside an array of nd dimensions. */
static gg_var *by_channel(size_t n, unsigned int nd, float low) {
  const size_t dims[5] = {1, n, 1, 1, 1};

  return constant(nd, dims, low);
}

static int has(gg_func *f, const char *rule) {
  char *text = func_rewrites(f);
  const int found = strstr(text, rule) != NULL;

  free(text);
  return found;
}

/* Nodes that become kernels. */
static int steps(gg_func *f) {
  char *text = func_text(f);
  int n = -1; /* for the first line */

  for (const char *at = text; *at != 0; at++)
    n += *at == '\n';
  free(text);
  return n;
}

/* Results of x, and of the function without rewrites. */
static gg_func *check_against_plain(gg_var *x, gg_var *y, const GpuArray *at,
                                    double close) {
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y)});
  gg_func *plain = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                                .outputs = GG_VARS(y),
                                                .mode = GG_NO_REWRITE});
  GpuArray *const in[1] = {(GpuArray *)at};

  func_run(f, in, (GpuArray *[]){&out});
  func_run(plain, in, (GpuArray *[]){&out2});
  float *want = malloc(test_size(&out2) * sizeof *want + 1);
  test_gather(&out2, want);
  test_array_close(&out, want, close, close);
  free(want);
  GpuArray_clear(&out);
  GpuArray_clear(&out2);
  gg_func_free(plain);
  return f;
}

/* A random convolution, possibly transposed, and what surrounds it. */
typedef struct problem {
  GpuConv c;
  size_t x[5], w[5], channels; /* of the result */
  int64_t before[5], after[5]; /* elements added to x */
  int is_transposed;
} problem;

static problem draw_problem(unsigned int nd, int is_transposed) {
  problem p = {.c = {.nd = nd, .groups = draw(1, 2)},
               .is_transposed = is_transposed};
  const size_t each = draw(1, 3), filters = draw(1, 3);

  p.w[0] = p.c.groups * filters;
  p.w[1] = each;
  p.x[0] = draw(1, 2);
  p.x[1] = is_transposed ? p.w[0] : p.c.groups * each;
  p.channels = is_transposed ? p.c.groups * each : p.w[0];
  for (unsigned int d = 0; d < nd; d++) {
    p.c.stride[d] = draw(1, 2);
    p.c.dilation[d] = draw(1, 2);
    p.c.before[d] = is_transposed ? 0 : draw(0, 1);
    p.w[d + 2] = draw(1, 3);
    p.x[d + 2] = draw(5, 9);
    p.before[d + 2] = (int64_t)draw(0, 2);
    p.after[d + 2] = (int64_t)draw(0, 3);
  }
  return p;
}

static gg_var *convolve(const problem *p, gg_var *x) {
  gg_var *w = constant(p->c.nd + 2, p->w, -1);

  return p->is_transposed ? gg_conv_transposed(x, w, &p->c, NULL)
                          : gg_conv(x, w, &p->c);
}

static gg_var *input(const problem *p, int has_sizes) {
  int64_t sizes[5];

  for (unsigned int d = 0; d < p->c.nd + 2; d++)
    sizes[d] = has_sizes || d == 1 ? (int64_t)p->x[d] : GG_ANY;
  return gg_input_sized(g, "x", GA_FLOAT, p->c.nd + 2, sizes);
}

static void fill(const problem *p, GpuArray *to) {
  size_t n = 1;

  for (unsigned int d = 0; d < p->c.nd + 2; d++)
    n *= p->x[d];
  float *v = malloc(n * sizeof *v);
  test_fill(v, GA_FLOAT, n, -1, 1, 3);
  test_array(to, GA_FLOAT, p->c.nd + 2, p->x, v);
  free(v);
}

static int rounds(int many) {
  return test_is_quick() ? many / 8 : many;
}

/* pad, conv, a normalisation with a bias before it, and relu: one kernel. */
static void check_normalised(const problem *p, int has_sizes, int divides) {
  const unsigned int nd = p->c.nd + 2;
  gg_var *x = input(p, has_sizes);
  gg_var *v = p->is_transposed
                  ? x
                  : gg_pad(x, p->before, p->after, GG_PAD_CONSTANT, NULL);

  v = gg_add(convolve(p, v), by_channel(p->channels, nd, -1));
  v = gg_sub(by_channel(p->channels, nd, -1), v);
  gg_var *s = by_channel(p->channels, nd, 0.5f);
  v = divides ? gg_div(v, s) : gg_mul(v, s);
  v = gg_relu(gg_add(v, by_channel(p->channels, nd, -1)));
  fill(p, &a);
  gg_func *f = check_against_plain(x, v, &a, 1e-4);
  assert_true(has(f, "scale behind conv"));
  assert_true(p->channels == 1 || has(f, "terms behind conv"));
  assert_int_equal(steps(f), 1);
  gg_func_free(f);
  GpuArray_clear(&a);
}

static void maps_of_channels_go_into_filters(void **state) {
  (void)state;
  for (int i = 0; i < rounds(24); i++) {
    const problem p = draw_problem(1 + (unsigned int)i % 3, i % 4 == 3);

    check_normalised(&p, i % 2, i % 5 == 0);
  }
}

/* Gradients by filters read the padding, too. */
static void zeros_go_into_the_padding(void **state) {
  (void)state;
  for (int i = 0; i < rounds(24); i++) {
    const problem p = draw_problem(1 + (unsigned int)i % 3, 0);
    gg_var *x = input(&p, i % 2);
    gg_var *w = constant(p.c.nd + 2, p.w, -1), *by_w;
    gg_var *v = gg_pad(x, p.before, p.after, GG_PAD_CONSTANT, NULL);
    gg_var *y = gg_conv(v, w, &p.c);

    assert_ok(gg_grad(&by_w, gg_sum(gg_sqr(y)), 1, &w));
    fill(&p, &a);
    gg_func *f = check_against_plain(x, by_w, &a, 1e-4);
    int64_t sum = 0;
    for (unsigned int d = 2; d < p.c.nd + 2; d++)
      sum += p.before[d] + p.after[d];
    assert_int_equal(has(f, "padding before conv"), sum > 0);
    assert_int_equal(steps(f), 2);
    gg_func_free(f);
    GpuArray_clear(&a);
  }
}

static const problem fixed = {
    .c = {.nd = 1, .stride = {1}, .dilation = {1}, .groups = 1},
    .x = {2, 3, 8},
    .w = {4, 3, 2},
    .channels = 4};

/* Normalisations of float16 are computed in float32; their scale goes into
 * filters of float16, some of which become too small for a normal number. */
static void scales_of_narrow_floats_do_too(void **state) {
  enum { CHANNELS = 4 };
  const size_t dims[3] = {CHANNELS, 3, 2}, x_dims[3] = {2, 3, 8};
  const float mean[CHANNELS] = {0.1f, -0.2f, 0, 0.3f};
  const float scale[CHANNELS] = {0.5f, 1.5f, -1, 0.75f};
  float w[24], v[48];
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 3, (int64_t[]){2, 3, 8});

  (void)state;
  test_fill(w, GA_FLOAT, 24, -1, 1, 4);
  w[3] = 7e-5f; /* half of it is no normal number */
  test_fill(v, GA_FLOAT, 48, -1, 1, 3);
  gg_var *y =
      gg_conv(gg_cast(x, GA_HALF),
              gg_cast(gg_constant(g, GA_FLOAT, 3, dims, w), GA_HALF), &fixed.c);
  gg_var *s =
      gg_constant(g, GA_FLOAT, 3, (const size_t[]){1, CHANNELS, 1}, scale);
  y = gg_sub(
      gg_cast(y, GA_FLOAT),
      gg_constant(g, GA_FLOAT, 3, (const size_t[]){1, CHANNELS, 1}, mean));
  y = gg_add(gg_mul(y, s), by_channel(CHANNELS, 3, -1));
  test_array(&a, GA_FLOAT, 3, x_dims, v);
  gg_func *f = check_against_plain(x, gg_relu(y), &a, 1e-2);
  assert_true(has(f, "scale behind conv"));
  assert_true(has(f, "terms behind conv"));
  assert_int_equal(steps(f), 2); /* a cast of x */
  gg_func_free(f);
  GpuArray_clear(&a);
}

/* --- what stays --- */

static void check_kept(gg_var *x, gg_var *y) {
  fill(&fixed, &a);
  gg_func *f = check_against_plain(x, y, &a, 1e-4);
  assert_false(has(f, " conv"));
  gg_func_free(f);
  GpuArray_clear(&a);
}

static void others_stay(void **state) {
  gg_var *x = input(&fixed, 1), *y = convolve(&fixed, x), *two[2];
  gg_var *s = by_channel(4, 3, 0.5f);
  const int64_t one[3] = {0, 0, 1};

  (void)state;
  /* read without the scale, too */
  check_kept(x, gg_add(gg_mul(y, s), gg_sqr(y)));
  /* not by channel */
  check_kept(x, gg_mul(y, constant(3, (const size_t[]){1, 1, 7}, 0.5f)));
  check_kept(x, gg_mul(y, constant(3, (const size_t[]){2, 1, 1}, 0.5f)));
  /* not constants */
  check_kept(x, gg_mul(y, gg_sum(x)));
  /* s / conv */
  check_kept(x, gg_div(s, gg_add(y, gg_f32(g, 100))));
  /* no zeros */
  check_kept(
      x, convolve(&fixed, gg_pad(x, one, one, GG_PAD_CONSTANT, gg_f32(g, 1))));
  check_kept(x, convolve(&fixed, gg_pad(x, one, one, GG_PAD_EDGE, NULL)));
  two[0] = two[1] = x;
  check_kept(x, convolve(&fixed, gg_join(2, 2, two)));
}

/* Products that are no normal numbers stay factors of the result. */
static void large_factors_stay(void **state) {
  gg_var *x = input(&fixed, 1);
  const float large = 1e30f, small = 1e-30f;

  (void)state;
  for (int i = 0; i < 2; i++) {
    const float factor = i ? large : small;
    float f[24];

    for (int k = 0; k < 24; k++)
      f[k] = factor;
    gg_var *y = gg_conv(x, gg_constant(g, GA_FLOAT, 3, fixed.w, f), &fixed.c);
    gg_func *made = func_make(
        g, &(gg_func_spec){.inputs = GG_VARS(x),
                           .outputs = GG_VARS(gg_mul(y, gg_f32(g, factor)))});
    assert_false(has(made, "scale behind conv"));
    gg_func_free(made);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(maps_of_channels_go_into_filters,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(scales_of_narrow_floats_do_too,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(zeros_go_into_the_padding, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(others_stay, graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(large_factors_stay, graph_setup,
                                      graph_teardown)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

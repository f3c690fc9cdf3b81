/* SPDX-License-Identifier: BSD-2-Clause */
/* Graphs that compute while they are built. */
#undef GG_NO_SITES
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/funcs.h"

static gg_graph *g;
static gg_var *x, *y;
static const float six[6] = {1, 2, 3, 4, 5, 6};

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(test_context());
  x = gg_input(g, "x", GA_FLOAT, 2);
  y = gg_input(g, "y", GA_FLOAT, 2);
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  gg_graph_free(g);
  return 0;
}

static void give(gg_var *v, size_t rows, size_t columns) {
  assert_ok(gg_test_value(v, (size_t[]){rows, columns}, six));
}

static void assert_value(const gg_var *v, unsigned int nd, const size_t *dims,
                         const float *want) {
  size_t got[GG_MAX_ND], n = 1;
  const float *data = gg_var_test_value(v, got);

  assert_non_null(v);
  assert_non_null(data);
  assert_int_equal(gg_var_type(v)->nd, nd);
  for (unsigned int i = 0; i < nd; i++) {
    assert_int_equal(got[i], dims[i]);
    n *= dims[i];
  }
  test_close(GA_FLOAT, data, want, n, 1e-6, 0);
}

static void test_values(void **state) {
  (void)state;
  give(x, 2, 3);
  give(y, 3, 2);
  assert_value(gg_add(x, gg_f32(g, 1)), 2, (size_t[]){2, 3},
               (float[]){2, 3, 4, 5, 6, 7});
  assert_value(gg_dot(x, y), 2, (size_t[]){2, 2}, (float[]){22, 28, 49, 64});
  assert_value(gg_transpose(x), 2, (size_t[]){3, 2},
               (float[]){1, 4, 2, 5, 3, 6});
  assert_value(gg_max_axis(x, 0), 1, (size_t[]){3}, (float[]){4, 5, 6});
  assert_value(gg_slice(x, 1, GG_END, GG_END, -2), 2, (size_t[]){2, 2},
               (float[]){3, 1, 6, 4});
  assert_value(gg_softmax(gg_mul(x, gg_f32(g, 0))), 2, (size_t[]){2, 3},
               (float[]){1 / 3.f, 1 / 3.f, 1 / 3.f, 1 / 3.f, 1 / 3.f, 1 / 3.f});
}

/* Sizes that are numbers of inputs. */
static void test_sizes(void **state) {
  gg_var *n = gg_input(g, "n", GA_LONG, 0);
  const int64_t three = 3;

  (void)state;
  give(x, 2, 3);
  assert_ok(gg_test_value(n, NULL, &three));
  assert_value(gg_reshape_sizes(x, 2, (gg_var *[]){n, gg_shape(x, 0)}), 2,
               (size_t[]){3, 2}, six);
  assert_null(gg_reshape_sizes(x, 2, (gg_var *[]){n, n}));
  assert_non_null(strstr(gg_graph_error(g), "6 elements do not fill 9"));
}

/* Nothing divides by nothing: the open size could be any. */
static void test_open_size_of_none(void **state) {
  (void)state;
  give(x, 0, 3);
  assert_null(
      gg_reshape_sizes(x, 2, (gg_var *[]){gg_i64(g, -1), gg_shape(x, 0)}));
  assert_non_null(strstr(gg_graph_error(g), "0 elements do not divide by 0"));
}

static void test_gradient(void **state) {
  gg_var *dx;

  (void)state;
  give(x, 2, 3);
  assert_ok(gg_grad(&dx, gg_sum(gg_mul(x, gg_sqr(x))), 1, &x));
  assert_value(dx, 2, (size_t[]){2, 3}, (float[]){3, 12, 27, 48, 75, 108});
}

static void test_shared(void **state) {
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 2, (size_t[]){3, 1}, six);

  (void)state;
  assert_null(gg_var_test_value(gg_exp(w), NULL));
  give(x, 2, 3);
  assert_value(gg_dot(x, w), 2, (size_t[]){2, 1}, (float[]){14, 32});
}

/* The types leave the sizes open; the values do not. */
static void test_clash(void **state) {
  char place[256];

  (void)state;
  give(x, 2, 3);
  give(y, 2, 3);
  assert_null(gg_exp(gg_dot(x, y)));
  snprintf(place, sizeof place, "inner sizes 3 and 2 differ (%s:%d)", __FILE__,
           __LINE__ - 2);
  assert_non_null(strstr(gg_graph_error(g), place));
  gg_graph_reset_error(g);
  assert_null(gg_add(x, gg_transpose(y)));
  assert_non_null(
      strstr(gg_graph_error(g), "dim 0: x has 2, dimshuffle has 3"));
}

static void test_unknown(void **state) {
  (void)state;
  give(x, 2, 3);
  gg_var *z = gg_add(x, y);
  assert_non_null(z);
  assert_null(gg_var_test_value(z, NULL));
  assert_null(gg_var_test_value(NULL, NULL));
}

static void assert_refused(gg_var *v, const size_t *dims, const char *part) {
  assert_code(GA_VALUE_ERROR, gg_test_value(v, dims, six));
  if (strstr(gg_graph_error(g), part) == NULL)
    fail_msg("\"%s\" lacks \"%s\"", gg_graph_error(g), part);
  gg_graph_reset_error(g);
}

static void test_refused(void **state) {
  const int64_t known[2] = {2, GG_ANY};
  gg_var *z = gg_input_sized(g, "z", GA_FLOAT, 2, known);

  (void)state;
  assert_refused(z, (size_t[]){3, 2}, "dim 0: 3 does not fit float32[2, ?]");
  assert_refused(gg_f32(g, 2), NULL, "is not an input");
  gg_exp(x);
  assert_refused(x, (size_t[]){3, 2}, "exp uses it already");
  assert_code(GA_VALUE_ERROR, gg_test_value(NULL, NULL, six));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_values),  TEST(test_gradient),
      TEST(test_shared),  TEST(test_sizes),
      TEST(test_clash),   TEST(test_unknown),
      TEST(test_refused), TEST(test_open_size_of_none),
  };

  return cmocka_run_group_tests_name("test_value", tests, NULL,
                                     test_context_drop);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes whose product does not fit are refused where they come in, and the
 * graph works on. */
#include <gpugraph/args.h>
#include <gpugraph/random.h>
#include <string.h>

#include "support/graph_case.h"

#define LARGE ((int64_t)1 << 40)

/* What `make` makes is refused in these words. */
typedef struct refusal {
  const char *name;
  gg_var *(*make)(void);
  const char *message;
} refusal;

static gg_var *input(void) {
  return gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){LARGE, LARGE});
}

/* A part of the sizes has a product, too. */
static gg_var *input_of_none(void) {
  return gg_input_sized(g, "x", GA_FLOAT, 3, (int64_t[]){LARGE, 0, LARGE});
}

static gg_var *constant(void) {
  return gg_constant(g, GA_FLOAT, 2, (size_t[]){LARGE, LARGE}, "");
}

static gg_var *constant_of_most(void) {
  return gg_constant(g, GA_FLOAT, 1, (size_t[]){SIZE_MAX}, "");
}

static gg_var *shared(void) {
  return gg_shared_host(g, "w", GA_FLOAT, 2, (size_t[]){LARGE, LARGE}, "");
}

static gg_var *draw(void) {
  gg_random *r = gg_random_new(g, GG_PHILOX, 1);
  gg_var *x = gg_random_uniform(r, GG_DRAW(GA_FLOAT, LARGE, LARGE),
                                gg_f32(g, 0), gg_f32(g, 1));

  gg_random_free(r);
  return x;
}

static gg_var *reshaped(void) {
  return gg_reshape(gg_input(g, "x", GA_FLOAT, 1), 2,
                    (int64_t[]){LARGE, LARGE});
}

static gg_var *stretched(void) {
  const int64_t column[2] = {LARGE, 1}, row[2] = {1, LARGE};

  return gg_add(gg_input_sized(g, "x", GA_FLOAT, 2, column),
                gg_input_sized(g, "y", GA_FLOAT, 2, row));
}

static const refusal refusals[] = {
    {"input", input, "the sizes are too large"},
    {"input of none", input_of_none, "the sizes are too large"},
    {"constant", constant, "the sizes are too large"},
    {"constant of most", constant_of_most, "the sizes are too large"},
    {"shared", shared, "elements is too many"},
    {"draw", draw, "the sizes of a draw are too large"},
    {"reshaped", reshaped, "the sizes are too large"},
    {"stretched", stretched, "the result is too large"},
};

static void test_variables(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
    const refusal *r = &refusals[i];

    if (r->make() != NULL)
      fail_msg("%s: not refused", r->name);
    if (gg_graph_status(g) != GA_XLARGE_ERROR ||
        strstr(gg_graph_error(g), r->message) == NULL)
      fail_msg("%s: %s", r->name, gg_graph_error(g));
    gg_graph_reset_error(g);
  }
}

static void test_test_value(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2);

  (void)state;
  assert_int_equal(gg_test_value(x, (size_t[]){LARGE, LARGE}, ""),
                   GA_XLARGE_ERROR);
  assert_string_equal(gg_graph_error(g),
                      "test value of x: the sizes are too large");
  gg_graph_reset_error(g);
}

/* An argument in host memory, of which nothing is read. */
static void test_argument(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(gg_neg(x))});
  gg_host_array in = {GA_FLOAT, 2, {LARGE, LARGE}, "", 0}, result = {0};

  (void)state;
  assert_int_equal(gg_func_call_host(f, (const gg_host_array *[]){&in},
                                     (gg_host_array *[]){&result}),
                   GA_XLARGE_ERROR);
  gg_func_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_variables, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_test_value, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_argument, graph_setup,
                                      graph_teardown),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

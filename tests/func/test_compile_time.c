/* SPDX-License-Identifier: BSD-2-Clause */
/* Building, differentiating and compiling take time linear in the number of
 * nodes, in every mode. */
#include "support/graph_case.h"
#include "support/growth.h"

enum { WIDTH = 8, FEW = 500 };

static const gg_mode modes[] = {GG_FAST_RUN, GG_FAST_COMPILE, GG_NO_REWRITE};

static gg_var *x, *k[3];

/* --- the next node of a chain --- */

static gg_var *mixed(gg_var *y, size_t i) {
  gg_var *const operand = k[i % 3];

  return i % 3 == 0   ? gg_add(y, operand)
         : i % 3 == 1 ? gg_mul(y, operand)
                      : gg_sub(y, operand);
}

static gg_var *with_constants(gg_var *y, size_t i) {
  gg_var *const operand = gg_f32(g, 1 + (float)i / 1024);

  return i % 2 == 0 ? gg_add(y, operand) : gg_mul(y, operand);
}

/* x gets a user for each node. */
static gg_var *of_one(gg_var *y, size_t i) {
  return gg_add(y, gg_mul(x, gg_f32(g, (float)i / 2)));
}

static gg_var *quotients(gg_var *y, size_t i) {
  return i % 2 == 0 ? gg_div(y, k[i % 3]) : gg_mul(k[i % 3], gg_neg(y));
}

static gg_var *choices(gg_var *y, size_t i) {
  return gg_where(gg_gt(y, k[i % 3]), gg_minimum(y, k[(i + 1) % 3]), y);
}

static gg_var *sums(gg_var *y, size_t i) {
  (void)i;
  return gg_add(y, gg_sum(gg_exp(y)));
}

static gg_var *sets(gg_var *y, size_t i) {
  const int64_t to = (int64_t)i % WIDTH, from = (int64_t)(3 * i) % WIDTH;

  return gg_slice_set(y, 0, to, to + 1, 1, gg_slice(y, 0, from, from + 1, 1));
}

static gg_var *joins(gg_var *y, size_t i) {
  return gg_slice(gg_join(0, 2, (gg_var *[]){y, k[i % 3]}), 0, 1, WIDTH + 1, 1);
}

static gg_var *turns(gg_var *y, size_t i) {
  (void)i;
  y = gg_transpose(gg_reshape(y, 2, (int64_t[]){2, WIDTH / 2}));
  return gg_exp(gg_reshape(y, 1, (int64_t[]){WIDTH}));
}

static const struct {
  const char *name;
  gg_var *(*next)(gg_var *y, size_t i);
  int is_derived; /* its gradient is compiled, too */
} forms[] = {
    {"mixed", mixed, 1},     {"with constants", with_constants, 1},
    {"of one", of_one, 1},   {"quotients", quotients, 1},
    {"choices", choices, 1}, {"sums", sums, 0},
    {"sets", sets, 0},       {"joins", joins, 0},
    {"turns", turns, 1},
};

/* --- compiling them --- */

typedef struct work {
  size_t form;
  gg_mode mode;
} work;

static gg_var *input(const char *name) {
  return gg_input_sized(g, name, GA_FLOAT, 1, (int64_t[]){WIDTH});
}

static void compile(const void *arg, size_t n) {
  const work *w = arg;
  const int is_derived = forms[w->form].is_derived;

  assert_non_null(g = gg_graph_new(test_context()));
  x = input("x");
  for (int i = 0; i < 3; i++)
    k[i] = input("k");
  gg_var *y = x, *slope = x;
  for (size_t i = 0; i < n; i++)
    y = forms[w->form].next(y, i);
  if (is_derived)
    assert_ok(gg_grad(&slope, gg_sum(y), 1, &x));
  gg_func_free(
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, k[0], k[1], k[2]),
                                   .outputs = GG_VARS(y, slope),
                                   .mode = w->mode,
                                   .flags = GG_ALLOW_UNUSED_INPUT}));
  gg_graph_free(g);
}

static void test_chains(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
      test_is_linear(forms[i].name, compile, &(work){i, modes[m]}, FEW);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_chains)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

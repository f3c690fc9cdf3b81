/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of row programs. */
#include "support/golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "codegen/gen_rows.h"
#include "codegen/template.h"

/* Add text without the template of loops. */
static void add_generated(ga__strb *all, const char *text) {
  const char *words = ga__template("rows_words"), *at = strstr(text, words);

  if (at != NULL) {
    ga__strb_append_n(all, text, (size_t)(at - text));
    text = at + strlen(words);
  }
  ga__strb_append(all, text);
}

/* What is generated, without the templates. */
static void check(const char *name, const ga__gen_rows *g) {
  ga__rows_text t;
  ga__strb all = GA_STRB_INIT;

  assert_int_equal(ga__gen_rows_write(&t, g), GA_NO_ERROR);
  for (unsigned int i = 0; i < t.n; i += 2) {
    ga__strb_append(&all, i > 0 ? "\n" : "");
    add_generated(&all, t.parts[i]);
  }
  test_golden(name, ga__strb_text(&all));
  ga__strb_clear(&all);
  ga__rows_text_clear(&t);
}

static const GpuRowsPhase softmax_phases[3] = {
    {"m = x;", NULL}, {"e = exp(x - m); s = e;", NULL}, {"y = e / s;", NULL}};
static const GpuRowsReduce softmax_reduce[2] = {{"m", GA_REDUCE_MAX, GA_FLOAT},
                                                {"s", GA_REDUCE_SUM, GA_FLOAT}};
static const GpuRowsValue softmax_kept[1] = {{"e", GA_FLOAT}};
static const gpuelemwise_arg softmax_args[2] = {{"x", GA_FLOAT, GE_READ},
                                                {"y", GA_FLOAT, GE_WRITE}};
static const GpuRowsSpec softmax = {.n_phases = 3,
                                    .phases = softmax_phases,
                                    .n_reduce = 2,
                                    .reduce = softmax_reduce,
                                    .n_kept = 1,
                                    .kept = softmax_kept,
                                    .n_args = 2,
                                    .args = softmax_args};
static const ga__lane_step next_steps[2] = {GA_LANES_NEXT, GA_LANES_NEXT};
static const ga__lane_step aligned_steps[2] = {GA_LANES_ALIGNED,
                                               GA_LANES_ALIGNED};
static const unsigned char no_flags[4] = {0};
static const unsigned char second_flag[2] = {0, 1};

/* The exponentials stay in private memory. */
static void test_kept(void **state) {
  (void)state;
  check("rows_cpu_kept", &(ga__gen_rows){.spec = &softmax,
                                         .boolean = "int",
                                         .shape = {.along = 1,
                                                   .unit = 1,
                                                   .lanes = 16,
                                                   .team = 1,
                                                   .group = 1,
                                                   .items = 256,
                                                   .block = 32,
                                                   .compensate = 1},
                                         .nk = 1,
                                         .nr = 1,
                                         .steps = next_steps,
                                         .fixed = no_flags,
                                         .streams = second_flag});
}

/* A team has the row in registers. */
static void test_held(void **state) {
  (void)state;
  check("rows_gpu_held", &(ga__gen_rows){.spec = &softmax,
                                         .boolean = "int",
                                         .shape = {.along = 1,
                                                   .unit = 1,
                                                   .lanes = 4,
                                                   .team = 256,
                                                   .group = 256,
                                                   .items = 4,
                                                   .hold = 1,
                                                   .block = 32},
                                         .nk = 1,
                                         .nr = 1,
                                         .steps = aligned_steps,
                                         .fixed = no_flags,
                                         .streams = no_flags});
}

/* The last launch of three: what came before is put together, the exponentials
 * are computed again. */
static void test_split(void **state) {
  (void)state;
  check("rows_gpu_split", &(ga__gen_rows){.spec = &softmax,
                                          .boolean = "int",
                                          .shape = {.along = 1,
                                                    .unit = 1,
                                                    .lanes = 4,
                                                    .team = 256,
                                                    .group = 256,
                                                    .block = 32,
                                                    .compensate = 1},
                                          .nk = 1,
                                          .nr = 1,
                                          .steps = aligned_steps,
                                          .fixed = no_flags,
                                          .streams = no_flags,
                                          .wide_index = 1,
                                          .split = 1,
                                          .now = 2});
}

/* Rows side by side; every kind of argument, two reduced axes, numbers. */
static void test_across(void **state) {
  static const GpuRowsPhase phases[2] = {
      {"any = b; s = a * c + d;", "h = any ? s : bias; big = h > bias; o = h;"},
      {"y = big ? a : w_to_half(h);", NULL}};
  static const GpuRowsReduce reduce[2] = {{"any", GA_REDUCE_ANY, GA_BOOL},
                                          {"s", GA_REDUCE_SUM, GA_FLOAT}};
  static const GpuRowsValue numbers[2] = {{"h", GA_FLOAT}, {"big", GA_BOOL}};
  static const gpuelemwise_arg args[5] = {{"a", GA_HALF, GE_READ},
                                          {"b", GA_BOOL, GE_READ},
                                          {"c", GA_FLOAT, GE_READ},
                                          {"d", GA_HALF, GE_SCALAR},
                                          {"y", GA_HALF, GE_WRITE}};
  static const gpuelemwise_arg row_args[2] = {{"bias", GA_FLOAT, GE_READ},
                                              {"o", GA_FLOAT, GE_WRITE}};
  const GpuRowsSpec spec = {.n_phases = 2,
                            .phases = phases,
                            .n_reduce = 2,
                            .reduce = reduce,
                            .n_numbers = 2,
                            .numbers = numbers,
                            .n_args = 5,
                            .args = args,
                            .n_row_args = 2,
                            .row_args = row_args};
  static const ga__lane_step steps[5] = {GA_LANES_APART, GA_LANES_NEXT,
                                         GA_LANES_SAME, GA_LANES_APART,
                                         GA_LANES_APART};
  static const unsigned char fixed[5] = {0, 0, 1, 1, 0};
  static const unsigned char streams[5] = {0};

  (void)state;
  check(
      "rows_cpu_across",
      &(ga__gen_rows){
          .spec = &spec,
          .boolean = "int",
          .shape = {.lanes = 8, .unit = 8, .team = 1, .group = 1, .block = 32},
          .nk = 2,
          .nr = 2,
          .steps = steps,
          .fixed = fixed,
          .streams = streams});
}

/* A loop on a CPU: rows end side by side, and read copies of a state. */
static void test_loop(void **state) {
  static const GpuRowsPhase phase = {"s = w * h;", "y = s + x;"};
  static const GpuRowsReduce sum = {"s", GA_REDUCE_SUM, GA_FLOAT};
  static const gpuelemwise_arg args[2] = {{"w", GA_FLOAT, GE_READ},
                                          {"h", GA_FLOAT, GE_READ}};
  static const gpuelemwise_arg row_args[2] = {{"x", GA_FLOAT, GE_READ},
                                              {"y", GA_FLOAT, GE_WRITE}};
  static const GpuRowsMove moves[4] = {
      {.state = -1}, {.state = 0}, {.state = -1}, {.state = 0}};
  const GpuRowsSpec spec = {.n_phases = 1,
                            .phases = &phase,
                            .n_reduce = 1,
                            .reduce = &sum,
                            .n_args = 2,
                            .args = args,
                            .n_row_args = 2,
                            .row_args = row_args};

  (void)state;
  check("rows_cpu_loop", &(ga__gen_rows){.spec = &spec,
                                         .boolean = "int",
                                         .shape = {.along = 1,
                                                   .unit = 16,
                                                   .lanes = 16,
                                                   .team = 1,
                                                   .group = 1,
                                                   .block = 32},
                                         .nk = 1,
                                         .nr = 1,
                                         .steps = next_steps,
                                         .fixed = no_flags,
                                         .streams = no_flags,
                                         .moves = moves,
                                         .n_states = 1});
}

static void test_mentions(void **state) {
  (void)state;
  assert_true(ga__rows_mentions("a = b2 * b;", "b"));
  assert_true(ga__rows_mentions("b", "b"));
  assert_false(ga__rows_mentions("a = b2 * _b * ab;", "b"));
  assert_false(ga__rows_mentions(NULL, "b"));
  assert_int_equal(ga__rows_map_phase(&softmax, "e"), 1);
  assert_int_equal(ga__rows_map_phase(&softmax, "y"), 2);
  assert_int_equal(ga__rows_map_phase(&softmax, "z"), 3);
  assert_true(ga__rows_is_held(&softmax, 0));
  assert_false(ga__rows_is_held(&softmax, 1));
}

/* The order of the parts of a program. */
static void test_parts(void **state) {
  const ga__gen_rows g = {.spec = &softmax,
                          .boolean = "int",
                          .shape = {.along = 1,
                                    .unit = 1,
                                    .lanes = 1,
                                    .team = 1,
                                    .group = 1,
                                    .block = 32},
                          .nk = 1,
                          .nr = 1,
                          .steps = next_steps,
                          .fixed = no_flags,
                          .streams = no_flags};
  ga__rows_text t;

  (void)state;
  assert_int_equal(ga__gen_rows_write(&t, &g), GA_NO_ERROR);
  assert_int_equal(t.n, 10);
  assert_ptr_equal(t.parts[1], ga__template("rows_join"));
  assert_ptr_equal(t.parts[3], ga__template("rows_phase"));
  assert_ptr_equal(t.parts[7], ga__template("rows_phase"));
  assert_ptr_equal(t.parts[9], ga__template("rows"));
  ga__rows_text_clear(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kept),  cmocka_unit_test(test_held),
      cmocka_unit_test(test_split), cmocka_unit_test(test_across),
      cmocka_unit_test(test_loop),  cmocka_unit_test(test_mentions),
      cmocka_unit_test(test_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

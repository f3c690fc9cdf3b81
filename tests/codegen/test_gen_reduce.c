/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of reduction kernels. */
#include "support/golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "codegen/gen_reduce.h"
#include "codegen/template.h"

/* What is generated, without the templates. */
static void check(const char *name, const ga__gen_reduce *g) {
  ga__reduce_text t;
  ga__strb all = GA_STRB_INIT;

  assert_int_equal(ga__gen_reduce_write(&t, g), GA_NO_ERROR);
  ga__strb_append(&all, ga__strb_text(&t.vector));
  if (t.vector.n > 0)
    ga__strb_append(&all, "\n");
  ga__strb_append(&all, ga__strb_text(&t.scalar));
  test_golden(name, ga__strb_text(&all));
  ga__strb_clear(&all);
  ga__reduce_text_clear(&t);
}

static void test_row_cpu(void **state) {
  const gpuelemwise_arg in = {"x", GA_FLOAT, GE_READ};
  const gpuelemwise_arg out = {"y", GA_FLOAT, GE_WRITE};
  const GpuReductionSpec spec = {.n_acc = 1,
                                 .op = GA_REDUCE_SUM,
                                 .acc = GA_FLOAT,
                                 .map = "v = w_to_float(x);",
                                 .post = "y = w_to_float(acc);",
                                 .n_in = 1,
                                 .in = &in,
                                 .n_post = 1,
                                 .post_args = &out};
  const ga__lane_step step = GA_LANES_NEXT;

  (void)state;
  check("reduce_row_cpu", &(ga__gen_reduce){.spec = &spec,
                                            .boolean = "int",
                                            .shape = {.kernel = GA_REDUCE_ROW,
                                                      .lanes = 16,
                                                      .unroll = 4,
                                                      .block = 32,
                                                      .team = 1,
                                                      .group = 1,
                                                      .compensate = 1},
                                            .nk = 1,
                                            .nr = 1,
                                            .steps = &step});
}

/* Short rows, whose length is text. */
static void test_turn(void **state) {
  const gpuelemwise_arg in = {"x", GA_FLOAT, GE_READ};
  const gpuelemwise_arg out = {"at", GA_LONG, GE_WRITE};
  const GpuReductionSpec spec = {.n_acc = 1,
                                 .op = GA_REDUCE_ARGMAX,
                                 .acc = GA_FLOAT,
                                 .map = "v = w_to_float(x);",
                                 .post = "at = w_to_long(idx);",
                                 .n_in = 1,
                                 .in = &in,
                                 .n_post = 1,
                                 .post_args = &out};
  const ga__lane_step step = GA_LANES_NEXT;

  (void)state;
  check("reduce_turn", &(ga__gen_reduce){.spec = &spec,
                                         .boolean = "int",
                                         .shape = {.kernel = GA_REDUCE_TURN,
                                                   .lanes = 8,
                                                   .length = 10,
                                                   .block = 32,
                                                   .team = 1,
                                                   .group = 1},
                                         .nk = 1,
                                         .nr = 1,
                                         .steps = &step,
                                         .in_order = 1});
}

/* Every kind of input; the last reduced dimension is split in runs. */
static void test_row_gpu(void **state) {
  static const gpuelemwise_arg in[] = {
      {"a", GA_HALF, GE_READ},   {"b", GA_BOOL, GE_READ},
      {"c", GA_FLOAT, GE_READ},  {"d", GA_HALF, GE_SCALAR | GE_READ},
      {"e", GA_BOOL, GE_SCALAR}, {"f", GA_INT, GE_READ}};
  const gpuelemwise_arg out = {"y", GA_HALF, GE_READ | GE_WRITE};
  const GpuReductionSpec spec = {.n_acc = 1,
                                 .op = GA_REDUCE_MAX,
                                 .acc = GA_HALF,
                                 .map = "v = b ? a * c + d : w_to_half(f)",
                                 .post = "y = y + acc",
                                 .preamble = "#define ONE 1",
                                 .n_in = 6,
                                 .in = in,
                                 .n_post = 1,
                                 .post_args = &out};
  const ga__lane_step steps[] = {GA_LANES_ALIGNED, GA_LANES_SAME,
                                 GA_LANES_APART,   GA_LANES_APART,
                                 GA_LANES_APART,   GA_LANES_NEXT};

  (void)state;
  check("reduce_row_gpu", &(ga__gen_reduce){.spec = &spec,
                                            .boolean = "int",
                                            .shape = {.kernel = GA_REDUCE_ROW,
                                                      .lanes = 4,
                                                      .unroll = 1,
                                                      .block = 32,
                                                      .team = 32,
                                                      .group = 256},
                                            .nk = 2,
                                            .nr = 3,
                                            .steps = steps,
                                            .parts = 1,
                                            .wide_index = 1});
}

static const gpuelemwise_arg arg_in = {"x", GA_SHORT, GE_READ};
static const gpuelemwise_arg arg_out[] = {{"at", GA_LONG, GE_WRITE},
                                          {"least", GA_SHORT, GE_WRITE},
                                          {"base", GA_LONG, GE_SCALAR}};
static const GpuReductionSpec arg_spec = {.n_acc = 1,
                                          .op = GA_REDUCE_ARGMIN,
                                          .acc = GA_SHORT,
                                          .map = "v = w_to_short(x);",
                                          .post =
                                              "at = idx + base; least = acc;",
                                          .n_in = 1,
                                          .in = &arg_in,
                                          .n_post = 3,
                                          .post_args = arg_out};

/* Positions with steps of their own. */
static void test_col(void **state) {
  const ga__lane_step step = GA_LANES_NEXT;

  (void)state;
  check("reduce_col_arg", &(ga__gen_reduce){.spec = &arg_spec,
                                            .boolean = "short",
                                            .shape = {.kernel = GA_REDUCE_COL,
                                                      .lanes = 16,
                                                      .block = 8,
                                                      .vecs = 8,
                                                      .wide = 1,
                                                      .team = 1,
                                                      .group = 1},
                                            .nk = 2,
                                            .nr = 2,
                                            .steps = &step});
}

/* Complex numbers are added in vectors of their parts. */
static void test_col_complex(void **state) {
  const gpuelemwise_arg in = {"x", GA_CFLOAT, GE_READ};
  const gpuelemwise_arg out = {"y", GA_CFLOAT, GE_WRITE};
  const GpuReductionSpec spec = {.n_acc = 1,
                                 .op = GA_REDUCE_SUM,
                                 .acc = GA_CFLOAT,
                                 .map = "v.r = x.r; v.i = x.i;",
                                 .post = "y.r = acc.r; y.i = acc.i;",
                                 .n_in = 1,
                                 .in = &in,
                                 .n_post = 1,
                                 .post_args = &out};
  const ga__lane_step step = GA_LANES_NEXT;

  (void)state;
  check("reduce_col_complex",
        &(ga__gen_reduce){.spec = &spec,
                          .shape = {.kernel = GA_REDUCE_COL,
                                    .lanes = 8,
                                    .vecs = 64,
                                    .wide = 1,
                                    .block = 8,
                                    .team = 1,
                                    .group = 1},
                          .nk = 1,
                          .nr = 1,
                          .steps = &step});
}

static void test_final(void **state) {
  (void)state;
  check("reduce_final_arg",
        &(ga__gen_reduce){.spec = &arg_spec,
                          .boolean = "short",
                          .shape = {.kernel = GA_REDUCE_FINAL,
                                    .lanes = 1,
                                    .team = 32,
                                    .group = 256},
                          .nk = 2,
                          .nr = 2});
  check("reduce_final_lanes",
        &(ga__gen_reduce){.spec = &arg_spec,
                          .boolean = "short",
                          .shape = {.kernel = GA_REDUCE_FINAL,
                                    .lanes = 16,
                                    .team = 1,
                                    .group = 1},
                          .nk = 1,
                          .nr = 1});
}

/* The order of the parts of a program. */
static void test_parts(void **state) {
  const ga__lane_step step = GA_LANES_NEXT;
  ga__gen_reduce g = {.spec = &arg_spec,
                      .boolean = "short",
                      .shape = {.kernel = GA_REDUCE_COL,
                                .lanes = 16,
                                .block = 8,
                                .vecs = 8,
                                .wide = 1,
                                .team = 1,
                                .group = 1},
                      .nk = 1,
                      .nr = 1,
                      .steps = &step};
  ga__reduce_text t;

  (void)state;
  assert_int_equal(ga__gen_reduce_write(&t, &g), GA_NO_ERROR);
  assert_int_equal(t.n, 6);
  assert_string_equal(t.entry, "reduce_col");
  assert_ptr_equal(t.parts[0], t.vector.s);
  assert_ptr_equal(t.parts[1], ga__template("reduce_state"));
  assert_ptr_equal(t.parts[2], t.scalar.s);
  assert_ptr_equal(t.parts[3], ga__template("reduce_state"));
  assert_ptr_equal(t.parts[5], ga__template("reduce_col"));
  ga__reduce_text_clear(&t);
  g.shape.lanes = 1;
  assert_int_equal(ga__gen_reduce_write(&t, &g), GA_NO_ERROR);
  assert_int_equal(t.n, 4);
  ga__reduce_text_clear(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_row_cpu),     cmocka_unit_test(test_turn),
      cmocka_unit_test(test_row_gpu),     cmocka_unit_test(test_col),
      cmocka_unit_test(test_col_complex), cmocka_unit_test(test_final),
      cmocka_unit_test(test_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

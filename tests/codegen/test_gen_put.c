/* SPDX-License-Identifier: BSD-2-Clause */
/* The text around indices against golden files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gpuarray/types.h>

#include "codegen/gen_put.h"
#include "support/golden.h"

static void check(const char *name, const ga__gen_put *g) {
  ga__strb b = GA_STRB_INIT;

  ga__gen_put_write(&b, g);
  test_golden(name, ga__strb_text(&b));
  ga__strb_clear(&b);
}

/* Two dimensions, innermost first, with strides of rows, values, indices. */
static void make_space(ga__iter *it, const ptrdiff_t (*strides)[2]) {
  static const size_t dims[2] = {7, 12}; /* outermost first */

  assert_int_equal(ga__iter_init(it, 2, dims, GA_PUT_ARRAYS), 0);
  for (unsigned int k = 0; k < GA_PUT_ARRAYS; k++)
    ga__iter_set(it, k, strides[k]);
}

/* Rows of words, each by one index. */
static void test_each(void **state) {
  static const ptrdiff_t strides[][2] = {{0, 4}, {48, 4}, {8, 0}};
  ga__iter lines;

  (void)state;
  make_space(&lines, strides);
  check("put_each_take", &(ga__gen_put){.kernel = GA_PUT_EACH,
                                        .move = GA_MOVE_TAKE,
                                        .word = 4,
                                        .value_word = 4,
                                        .index_type = GA_LONG,
                                        .part = 4,
                                        .lines = &lines});
  check("put_each_atomic", &(ga__gen_put){.kernel = GA_PUT_EACH,
                                          .move = GA_MOVE_ADD_ATOMIC,
                                          .typecode = GA_FLOAT,
                                          .word = 4,
                                          .value_word = 4,
                                          .index_type = GA_UINT,
                                          .is_wide = 1,
                                          .lines = &lines});
  check("put_each_max", &(ga__gen_put){.kernel = GA_PUT_EACH,
                                       .move = GA_MOVE_MAX_ATOMIC,
                                       .typecode = GA_FLOAT,
                                       .word = 4,
                                       .value_word = 4,
                                       .index_type = GA_INT,
                                       .part = 4,
                                       .lines = &lines});
  ga__iter_clear(&lines);
}

/* Doubles become halfs with one rounding. */
static void test_cast(void **state) {
  static const ptrdiff_t strides[][2] = {{0, 8}, {24, 2}, {4, 0}};
  ga__iter lines;

  (void)state;
  make_space(&lines, strides);
  check("put_each_cast", &(ga__gen_put){.kernel = GA_PUT_EACH,
                                        .move = GA_MOVE_CAST,
                                        .typecode = GA_DOUBLE,
                                        .value_type = GA_HALF,
                                        .word = 8,
                                        .value_word = 2,
                                        .index_type = GA_INT,
                                        .lines = &lines});
  ga__iter_clear(&lines);
}

/* Columns apart, an index for every element, halfs. */
static void test_order(void **state) {
  static const ptrdiff_t columns[][2] = {{240, 2}, {-64, 20}, {4, 4}};
  static const ptrdiff_t indices[][2] = {{0, 0}, {2, 1000}, {28, 4}};
  ga__iter lines, steps;

  (void)state;
  make_space(&lines, columns);
  make_space(&steps, indices);
  check("put_order_half", &(ga__gen_put){.kernel = GA_PUT_ORDER,
                                         .move = GA_MOVE_ADD,
                                         .typecode = GA_HALF,
                                         .word = 2,
                                         .value_word = 2,
                                         .index_type = GA_INT,
                                         .lines = &lines,
                                         .steps = &steps});
  ga__iter_clear(&lines);
  ga__iter_clear(&steps);
}

/* Lines without gaps on a CPU: later ones are asked for. */
static void test_order_ahead(void **state) {
  static const ptrdiff_t columns[][2] = {{1000, 4}, {700, 4}, {0, 0}};
  static const ptrdiff_t indices[][2] = {{0, 0}, {2, 1000}, {28, 4}};
  ga__iter lines, steps;

  (void)state;
  make_space(&lines, columns);
  make_space(&steps, indices);
  check("put_order_ahead", &(ga__gen_put){.kernel = GA_PUT_ORDER,
                                          .move = GA_MOVE_ADD,
                                          .typecode = GA_FLOAT,
                                          .word = 4,
                                          .value_word = 4,
                                          .index_type = GA_INT,
                                          .is_ahead = 1,
                                          .lines = &lines,
                                          .steps = &steps});
  ga__iter_clear(&lines);
  ga__iter_clear(&steps);
}

/* Columns of neighbours, neighbouring indices for all of them. */
static void test_column(void **state) {
  static const ptrdiff_t columns[][2] = {{0, 160}, {0, 28}, {0, 0}};
  static const ptrdiff_t indices[][1] = {{0}, {4}, {4}};
  ga__iter lines, steps;

  (void)state;
  make_space(&lines, columns);
  assert_int_equal(ga__iter_init(&steps, 1, (const size_t[]){7}, GA_PUT_ARRAYS),
                   0);
  for (unsigned int k = 0; k < GA_PUT_ARRAYS; k++)
    ga__iter_set(&steps, k, indices[k]);
  check("put_column_set", &(ga__gen_put){.kernel = GA_PUT_COLUMN,
                                         .move = GA_MOVE_SET,
                                         .word = 4,
                                         .value_word = 4,
                                         .index_type = GA_INT,
                                         .lines = &lines,
                                         .steps = &steps});
  ga__iter_clear(&lines);
  ga__iter_clear(&steps);
}

/* The same by sorted indices: each word of a line by one index. */
static void test_sorted(void **state) {
  static const ptrdiff_t columns[][2] = {{240, 4}, {-64, 20}, {0, 0}};
  static const ptrdiff_t indices[][2] = {{0, 0}, {2, 1000}, {28, 4}};
  ga__iter lines, steps;
  ga__gen_put g = {.kernel = GA_PUT_SORTED,
                   .move = GA_MOVE_ADD,
                   .typecode = GA_FLOAT,
                   .word = 4,
                   .value_word = 4,
                   .index_type = GA_INT,
                   .part = 4,
                   .group = 256,
                   .along = 1,
                   .turns = 4,
                   .lines = &lines,
                   .steps = &steps};

  (void)state;
  make_space(&lines, columns);
  make_space(&steps, indices);
  check("put_sorted_add", &g);
  g.kernel = GA_PUT_LIST;
  check("put_list", &g);
  ga__iter_clear(&lines);
  ga__iter_clear(&steps);
}

static void test_atomics(void **state) {
  (void)state;
  assert_true(ga__put_has_atomic(GA_FLOAT, 0));
  assert_false(ga__put_has_atomic(GA_DOUBLE, 0));
  assert_true(ga__put_has_atomic(GA_DOUBLE, 1));
  assert_false(ga__put_has_atomic(GA_HALF, 1));
  assert_false(ga__put_has_atomic(GA_SHORT, 1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each),    cmocka_unit_test(test_cast),
      cmocka_unit_test(test_order),   cmocka_unit_test(test_order_ahead),
      cmocka_unit_test(test_column),  cmocka_unit_test(test_sorted),
      cmocka_unit_test(test_atomics),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}

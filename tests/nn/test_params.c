/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups of parameters: names, lists, files; and first values. */
#include "support/graph_case.h"
#include "support/tmpfile.h"

#include <gpugraph/nn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static gg_params *p;

static int setup(void **state) {
  const int err = graph_setup(state);

  p = gg_params_new(g, GA_FLOAT, 7);
  return err;
}

static int teardown(void **state) {
  gg_params_free(p);
  return graph_teardown(state);
}

/* --- first values --- */

enum { ROWS = 48, COLS = 80, ALL = ROWS * COLS };

static double values[ALL];

static void fill(gg_initial how) {
  const size_t dims[3] = {ROWS, 8, 10};

  assert_ok(gg_init_fill(values, GA_DOUBLE, 3, dims, how, 5));
}

/* Mean and deviation of the values, and their extremes. */
static void look(double mean, double deviation, double low, double high) {
  double sum = 0, squares = 0;

  for (int i = 0; i < ALL; i++) {
    sum += values[i];
    squares += values[i] * values[i];
    assert_true(values[i] >= low && values[i] <= high);
  }
  const double m = sum / ALL, s = sqrt(squares / ALL - m * m);
  assert_true(fabs(m - mean) < 5 * deviation / sqrt(ALL));
  assert_true(fabs(s - deviation) < 5 * deviation / sqrt(ALL));
}

static void first_values_are_distributed_as_asked(void **state) {
  const double inputs = COLS, outputs = ROWS * 10, big = INFINITY;
  const double most = 2 * sqrt(6 / (inputs + outputs)),
               he = sqrt(6 / (1.25 * inputs));
  gg_initial backwards = gg_init_he_normal(0);

  (void)state;
  fill(gg_init_uniform(-2, 4));
  look(1, 6 / sqrt(12), -2, 4);
  fill(gg_init_normal(3, 0.5));
  look(3, 0.5, -big, big);
  fill(gg_init_truncated(1, 2, -3, 5));
  look(1, 2 * 0.8796, -3, 5);
  fill(gg_init_glorot_uniform(2));
  look(0, 2 * most / sqrt(12), -most, most);
  fill(gg_init_glorot_normal(1));
  look(0, sqrt(2 / (inputs + outputs)), -big, big);
  fill(gg_init_he_uniform(0.5));
  look(0, 2 * he / sqrt(12), -he, he);
  fill(gg_init_he_normal(0));
  look(0, sqrt(2 / inputs), -big, big);
  backwards.by_fan_out = 1;
  fill(backwards);
  look(0, sqrt(2 / outputs), -big, big);
}

static void check_orthogonal(size_t rows, size_t cols) {
  const size_t n = rows < cols ? rows : cols, len = rows < cols ? cols : rows;

  assert_ok(gg_init_fill(values, GA_DOUBLE, 2, (size_t[]){rows, cols},
                         gg_init_orthogonal(3), 11));
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      double sum = 0;
      for (size_t k = 0; k < len; k++)
        sum += rows < cols ? values[i * cols + k] * values[j * cols + k]
                           : values[k * cols + i] * values[k * cols + j];
      assert_true(fabs(sum - (i == j ? 9 : 0)) < 1e-12);
    }
}

static void orthogonal_rows_or_columns(void **state) {
  (void)state;
  check_orthogonal(ROWS, COLS);
  check_orthogonal(COLS, ROWS);
  check_orthogonal(17, 17);
  check_orthogonal(1, 1);
  check_orthogonal(0, 4);
}

static void bad_first_values_are_refused(void **state) {
  const size_t dims[2] = {2, 2};
  const gg_initial bad[] = {
      gg_init_uniform(2, 1),  gg_init_normal(0, -1),
      gg_init_normal(NAN, 1), gg_init_truncated(0, 1, 3, 4),
      gg_init_constant(NAN),  {.kind = (gg_initial_kind)99}};

  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_code(GA_VALUE_ERROR,
                gg_init_fill(values, GA_DOUBLE, 2, dims, bad[i], 1));
  assert_code(GA_VALUE_ERROR, gg_init_fill(values, GA_DOUBLE, 1, dims,
                                           gg_init_glorot_uniform(1), 1));
  assert_code(GA_VALUE_ERROR,
              gg_init_fill(values, GA_INT, 2, dims, gg_init_normal(0, 1), 1));
  assert_code(GA_INVALID_ERROR,
              gg_init_fill(NULL, GA_DOUBLE, 2, dims, gg_init_normal(0, 1), 1));
  assert_code(GA_INVALID_ERROR, gg_init_fill(values, GA_DOUBLE, 2, NULL,
                                             gg_init_normal(0, 1), 1));
}

/* --- groups --- */

static void read4(const gg_var *v, float *to) {
  assert_ok(gg_shared_read(v, to, 4 * sizeof *to));
}

/* A value depends on the seed and the name, and on nothing else. */
static void values_follow_from_seed_and_name(void **state) {
  gg_params *other = gg_params_new(g, GA_FLOAT, 7),
            *third = gg_params_new(g, GA_FLOAT, 8);
  const size_t n = 4;
  float v[4][4];

  (void)state;
  gg_param(other, "before", 1, &n, gg_init_normal(0, 1));
  read4(gg_param(p, "w", 1, &n, gg_init_normal(0, 1)), v[0]);
  read4(gg_param(other, "w", 1, &n, gg_init_normal(0, 1)), v[1]);
  read4(gg_param(third, "w", 1, &n, gg_init_normal(0, 1)), v[2]);
  read4(gg_param(gg_params_group(p, "a"), "w", 1, &n, gg_init_normal(0, 1)),
        v[3]);
  assert_memory_equal(v[0], v[1], sizeof v[0]);
  assert_memory_not_equal(v[0], v[2], sizeof v[0]);
  assert_memory_not_equal(v[0], v[3], sizeof v[0]);
  gg_params_free(other);
  gg_params_free(third);
}

static void groups_name_and_list_parameters(void **state) {
  const size_t two[2] = {3, 4};
  gg_params *inner = gg_params_group(p, "enc"),
            *deep = gg_params_group(inner, "0");

  (void)state;
  gg_var *w = gg_param(deep, "weight", 2, two, gg_init_normal(0, 1));
  gg_var *s = gg_param_state(inner, "mean", 1, two, gg_init_constant(2));
  gg_var *last = gg_param(p, "encore", 1, two, gg_init_constant(1));
  assert_string_equal(gg_var_name(w), "enc.0.weight");
  assert_ptr_equal(gg_params_group(p, "enc"), inner);
  assert_ptr_equal(gg_param(gg_params_group(p, "enc.0"), "weight", 2, two,
                            gg_init_constant(9)),
                   w);
  assert_ptr_equal(gg_params_find(inner, "0.weight"), w);
  assert_ptr_equal(gg_params_find(p, "enc.mean"), s);
  assert_null(gg_params_find(p, "nothing"));
  assert_int_equal(gg_params_count(p), 3);
  assert_int_equal(gg_params_count(inner), 2);
  assert_int_equal(gg_params_elements(p), 15);
  gg_var *const *all = gg_params_all(p);
  assert_ptr_equal(all[0], w);
  assert_ptr_equal(all[1], s);
  assert_ptr_equal(all[2], last);
  assert_null(all[3]);
  assert_ok(gg_params_freeze(inner, 1));
  assert_ptr_equal(gg_params_trained(p)[0], last);
  assert_null(gg_params_trained(p)[1]);
  assert_null(gg_params_trained(inner)[0]);
  assert_ok(gg_params_freeze(p, 0));
  assert_ptr_equal(gg_params_trained(inner)[0], w);
}

static void training_goes_down(void **state) {
  gg_params *inner = gg_params_group(p, "a"), *beside = gg_params_group(p, "b");

  (void)state;
  assert_true(gg_params_is_training(inner));
  assert_ok(gg_params_training(inner, 0));
  assert_false(gg_params_is_training(gg_params_group(inner, "c")));
  assert_true(gg_params_is_training(beside));
  assert_ok(gg_params_training(p, 0));
  assert_false(gg_params_is_training(beside));
  assert_ok(gg_params_training(p, 1));
  assert_true(gg_params_is_training(gg_params_group(inner, "c")));
}

static void groups_are_printed(void **state) {
  char text[512] = {0};
  FILE *f = tmpfile();

  (void)state;
  gg_param(p, "w", 2, (size_t[]){3, 4}, gg_init_constant(0));
  assert_ok(gg_params_freeze(p, 1));
  gg_param_state(p, "m", 0, NULL, gg_init_constant(0));
  assert_ok(gg_params_print(p, f));
  rewind(f);
  assert_true(fread(text, 1, sizeof text - 1, f) > 0);
  fclose(f);
  assert_non_null(strstr(text, "float32[3, 4]"));
  assert_non_null(strstr(text, "12  frozen\n"));
  assert_non_null(strstr(text, "1  state\n"));
  assert_non_null(strstr(text, "2 variables, 12 elements of parameters\n"));
}

static void files_hold_all_of_a_group(void **state) {
  const size_t n = 4;
  const char *path = test_file_path("params.safetensors");
  const float zeros[4] = {0};
  float was[4], now[4];

  (void)state;
  gg_var *w =
      gg_param(gg_params_group(p, "a"), "w", 1, &n, gg_init_normal(0, 1));
  read4(w, was);
  assert_ok(gg_params_save(p, path));
  assert_ok(gg_shared_write(w, zeros, sizeof zeros));
  assert_ok(gg_params_load(p, path));
  read4(w, now);
  assert_memory_equal(was, now, sizeof was);
  gg_param(p, "more", 1, &n, gg_init_constant(0));
  assert_code(GA_VALUE_ERROR, gg_params_load(p, path));
  assert_message(GA_VALUE_ERROR, "more");
  assert_ok(gg_graph_status(gg_params_graph(p)));
  remove(path);
}

static void bad_arguments_are_refused(void **state) {
  const size_t n = 4, huge[2] = {SIZE_MAX / 2, SIZE_MAX / 2};

  (void)state;
  assert_null(gg_params_new(NULL, GA_FLOAT, 1));
  assert_null(gg_params_new(g, GA_INT, 1));
  graph_says(GA_VALUE_ERROR, "int32");
  assert_null(gg_params_new(g, GA_FLOAT, 0));
  graph_says(GA_VALUE_ERROR, "seeds start at 1");
  assert_null(gg_param(p, "", 1, &n, gg_init_constant(0)));
  graph_says(GA_VALUE_ERROR, "empty");
  assert_null(gg_params_group(p, NULL));
  graph_says(GA_VALUE_ERROR, "NULL");
  assert_null(gg_param(p, "w", 9, &n, gg_init_constant(0)));
  graph_says(GA_VALUE_ERROR, "9 sizes");
  assert_null(gg_param(p, "w", 2, huge, gg_init_constant(0)));
  graph_says(GA_MEMORY_ERROR, "w:");
  assert_null(gg_param(p, "w", 1, &n, gg_init_orthogonal(1)));
  graph_says(GA_VALUE_ERROR, "w: fans");
  gg_var *w = gg_param(p, "w", 1, &n, gg_init_constant(0));
  assert_null(gg_param(p, "w", 1, (size_t[]){5}, gg_init_constant(0)));
  graph_says(GA_VALUE_ERROR, "w is float32[4], and float32[5] is asked for");
  assert_code(GA_VALUE_ERROR, gg_params_update(p, w, w));
  graph_says(GA_VALUE_ERROR, "\"w\" is no state");
  assert_null(gg_param(NULL, "w", 1, &n, gg_init_constant(0)));
  assert_null(gg_params_all(NULL));
  assert_int_equal(gg_params_count(NULL), 0);
  assert_code(GA_VALUE_ERROR, gg_params_save(NULL, "x"));
  assert_code(GA_VALUE_ERROR, gg_params_freeze(NULL, 1));
  assert_code(GA_INVALID_ERROR, gg_params_print(NULL, stdout));
  gg_params_free(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_values_are_distributed_as_asked),
      cmocka_unit_test(orthogonal_rows_or_columns),
      cmocka_unit_test(bad_first_values_are_refused),
      TEST(values_follow_from_seed_and_name),
      TEST(groups_name_and_list_parameters),
      TEST(training_goes_down),
      TEST(groups_are_printed),
      TEST(files_hold_all_of_a_group),
      TEST(bad_arguments_are_refused)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

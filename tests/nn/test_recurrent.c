/* SPDX-License-Identifier: BSD-2-Clause */
/* Recurrent layers against plain loops in double over their parameters. */
#include "nn/params_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1024 };

typedef struct geometry {
  size_t steps, b, inputs, units, layers;
  int flags, is_gru, is_given; /* given: the first states */
} geometry;

/* The parameters of one way of one layer. */
typedef struct cell {
  double wx[MOST], wh[MOST], bx[MOST], bh[MOST];
} cell;

static double x_data[MOST], got[MOST], want[MOST], last[2][MOST],
    first[2][MOST];

/* --- the reference --- */

static double sigmoid(double v) {
  return 1 / (1 + exp(-v));
}

/* Element u of gate k of the products with one row. */
static double gate(const double *w, const double *bias, const double *row,
                   size_t n, size_t at) {
  double sum = bias[at];

  for (size_t i = 0; i < n; i++)
    sum += w[at * n + i] * row[i];
  return sum;
}

/* One row: h and c become the next ones. */
static void step(const geometry *at, const cell *w, const double *row, size_t n,
                 double *h, double *c) {
  const size_t units = at->units, gates = at->is_gru ? 3 : 4;
  double zx[MOST], zh[MOST];

  for (size_t i = 0; i < gates * units; i++) {
    zx[i] = gate(w->wx, w->bx, row, n, i);
    zh[i] = gate(w->wh, w->bh, h, units, i);
  }
  for (size_t u = 0; u < units; u++) {
    const double z0 = sigmoid(zx[u] + zh[u]),
                 z1 = sigmoid(zx[units + u] + zh[units + u]);
    if (at->is_gru) {
      const double to = tanh(zx[2 * units + u] + z0 * zh[2 * units + u]);
      h[u] = (1 - z1) * to + z1 * h[u];
      continue;
    }
    c[u] = z1 * c[u] + z0 * tanh(zx[2 * units + u] + zh[2 * units + u]);
    h[u] = sigmoid(zx[3 * units + u] + zh[3 * units + u]) * tanh(c[u]);
  }
}

static void read_param(const char *part, const char *end, size_t n,
                       double *to) {
  char name[64];

  snprintf(name, sizeof name, "r.%s%s", part, end);
  gg_var *v = gg_params_find(p, name);
  assert_non_null(v);
  assert_ok(gg_shared_read(v, to, n * sizeof *to));
}

static void read_cell(const geometry *at, cell *w, const char *end, size_t n) {
  const size_t gates = (at->is_gru ? 3 : 4) * at->units;

  read_param("weight_ih", end, gates * n, w->wx);
  read_param("weight_hh", end, gates * at->units, w->wh);
  memset(w->bx, 0, sizeof w->bx);
  memset(w->bh, 0, sizeof w->bh);
  if ((at->flags & GG_NN_NO_BIAS) != 0)
    return;
  read_param("bias_ih", end, gates, w->bx);
  read_param("bias_hh", end, gates, w->bh);
}

/* Way `way` of layer `l`, from x to its part of y. */
static void run_way(const geometry *at, size_t l, size_t way, const double *x,
                    size_t n, double *y) {
  const size_t ways = (at->flags & GG_NN_BOTH_WAYS) != 0 ? 2 : 1,
               units = at->units;
  static cell w;
  char end[32];

  snprintf(end, sizeof end, "_l%zu%s", l, way == 1 ? "_reverse" : "");
  read_cell(at, &w, end, n);
  for (size_t i = 0; i < at->b; i++) {
    double *h = &last[0][((l * ways + way) * at->b + i) * units],
           *c = &last[1][((l * ways + way) * at->b + i) * units];
    for (size_t t = 0; t < at->steps; t++) {
      const size_t row = (way == 1 ? at->steps - 1 - t : t) * at->b + i;
      step(at, &w, &x[row * n], n, h, c);
      memcpy(&y[(row * ways + way) * units], h, units * sizeof *h);
    }
  }
}

static void refer(const geometry *at) {
  const size_t ways = (at->flags & GG_NN_BOTH_WAYS) != 0 ? 2 : 1;
  static double x[MOST];
  size_t n = at->inputs;

  memcpy(last, first, sizeof last);
  memcpy(x, x_data, sizeof x);
  for (size_t l = 0; l < at->layers; l++) {
    for (size_t way = 0; way < ways; way++)
      run_way(at, l, way, x, n, want);
    n = ways * at->units;
    memcpy(x, want, sizeof x);
  }
}

/* --- the graph --- */

static void compare(const GpuArray *made, const double *to, size_t n) {
  assert_int_equal(test_size(made), n);
  assert_ok(GpuArray_read(got, n * sizeof *got, made));
  test_close(GA_DOUBLE, got, to, n, 1e-9, 1e-9);
}

static gg_var *first_state(const geometry *at, size_t n, double *to,
                           unsigned int seed) {
  memset(to, 0, MOST * sizeof *to);
  if (!at->is_given)
    return NULL;
  test_fill(to, GA_DOUBLE, n * at->b * at->units, -1, 1, seed);
  return gg_constant(g, GA_DOUBLE, 3, (size_t[]){n, at->b, at->units}, to);
}

static void check(const geometry *at) {
  const size_t ways = (at->flags & GG_NN_BOTH_WAYS) != 0 ? 2 : 1,
               states = at->layers * ways * at->b * at->units,
               dims[3] = {at->steps, at->b, at->inputs};
  gg_var *h = NULL, *c = NULL;
  GpuArray c_last = {0};
  gg_var *x = gg_input_sized(g, "x", GA_DOUBLE, 3,
                             (int64_t[]){-1, -1, (int64_t)at->inputs});
  gg_recurrent how = {
      .units = at->units, .layers = at->layers, .flags = at->flags};

  how.h = first_state(at, at->layers * ways, first[0], 11);
  how.c = at->is_gru ? NULL : first_state(at, at->layers * ways, first[1], 12);
  test_fill(x_data, GA_DOUBLE, at->steps * at->b * at->inputs, -2, 2, 3);
  test_array(&a, GA_DOUBLE, 3, dims, x_data);
  gg_var *y = at->is_gru ? gg_nn_gru(p, "r", x, &how, &h)
                         : gg_nn_lstm(p, "r", x, &how, &h, &c);
  assert_non_null(y);
  refer(at);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .outputs = GG_VARS(y, h, at->is_gru ? h : c)});
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2, &c_last});
  compare(&out, want, at->steps * at->b * ways * at->units);
  compare(&out2, last[0], states);
  compare(&c_last, last[at->is_gru ? 0 : 1], states);
  GpuArray_clear(&c_last);
  gg_func_free(f);
  if (!test_is_quick())
    assert_ok(gg_check_gradient(y, 1, &x, (GpuArray *[]){&a}, 0, 0));
}

static void lstm_is_a_loop(void **state) {
  (void)state;
  test_need_double();
  check(&(geometry){
      .steps = 4, .b = 2, .inputs = 3, .units = 5, .layers = 1, .is_given = 1});
}

static void gru_is_a_loop(void **state) {
  (void)state;
  test_need_double();
  check(&(geometry){.steps = 4,
                    .b = 2,
                    .inputs = 3,
                    .units = 5,
                    .layers = 1,
                    .flags = GG_NN_BOTH_WAYS,
                    .is_gru = 1});
}

static void stacks_are_loops_over_loops(void **state) {
  (void)state;
  test_need_double();
  test_need_full();
  check(&(geometry){.steps = 3,
                    .b = 2,
                    .inputs = 4,
                    .units = 3,
                    .layers = 2,
                    .flags = GG_NN_BOTH_WAYS,
                    .is_given = 1});
}

static void stacks_may_lack_a_bias(void **state) {
  (void)state;
  test_need_double();
  test_need_full();
  check(&(geometry){.steps = 5,
                    .b = 1,
                    .inputs = 2,
                    .units = 4,
                    .layers = 3,
                    .flags = GG_NN_NO_BIAS,
                    .is_gru = 1,
                    .is_given = 1});
}

/* A cell is one step of a layer with the same parameters. */
static void cells_are_steps(void **state) {
  enum { B = 2, I = 3, U = 4 };
  const geometry at = {.b = B, .inputs = I, .units = U},
                 gru = {.b = B, .inputs = I, .units = U, .is_gru = 1};
  static cell w;
  const size_t dims[2] = {B, I};

  (void)state;
  test_need_double();
  gg_var *x = gg_input_sized(g, "x", GA_DOUBLE, 2, (int64_t[]){-1, I}), *next;
  test_fill(x_data, GA_DOUBLE, B * I, -2, 2, 3);
  test_fill(first[0], GA_DOUBLE, B * U, -1, 1, 4);
  test_fill(first[1], GA_DOUBLE, B * U, -1, 1, 5);
  test_array(&a, GA_DOUBLE, 2, dims, x_data);
  gg_var *h = gg_constant(g, GA_DOUBLE, 2, (size_t[]){B, U}, first[0]),
         *c = gg_constant(g, GA_DOUBLE, 2, (size_t[]){B, U}, first[1]);
  gg_var *y = gg_nn_lstm_cell(p, "r", x, h, c, 0, &next),
         *z = gg_nn_gru_cell(gg_params_group(p, "r"), "r", x, h, 0);
  GpuArray third = {0};
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y, next, z)});
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2, &third});
  memcpy(last, first, sizeof last);
  read_cell(&at, &w, "", I);
  for (size_t i = 0; i < B; i++)
    step(&at, &w, &x_data[i * I], I, &last[0][i * U], &last[1][i * U]);
  compare(&out, last[0], B * U);
  compare(&out2, last[1], B * U);
  gg_params *all = p;
  p = gg_params_group(p, "r");
  read_cell(&gru, &w, "", I);
  p = all;
  for (size_t i = 0; i < B; i++)
    step(&gru, &w, &x_data[i * I], I, &first[0][i * U], NULL);
  compare(&third, first[0], B * U);
  GpuArray_clear(&third);
  gg_func_free(f);
}

/* --- what is refused --- */

static void bad_arguments_are_refused(void **state) {
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 3, (int64_t[]){-1, -1, 6}),
         *row = gg_input_sized(g, "r", GA_FLOAT, 2, (int64_t[]){-1, 6}),
         *four = gg_input_sized(g, "4", GA_FLOAT, 4, (int64_t[]){1, 1, 6, 2}),
         *open = gg_input(g, "o", GA_FLOAT, 3),
         *h = gg_constant(g, GA_FLOAT, 3, (size_t[]){1, 1, 2}, (float[2]){0});
  gg_var *last_h = x;
  const gg_recurrent two = {.units = 2};

  (void)state;
  graph_refused(gg_nn_lstm(p, "r", x, &(gg_recurrent){.units = 0}, NULL, NULL),
                "nn_lstm(float32[?, ?, 6]): there are no units");
  assert_null(gg_nn_gru(p, "r", x, NULL, &last_h));
  graph_says(GA_VALUE_ERROR, "nn_gru(float32[?, ?, 6]): there are no units");
  assert_null(last_h);
  assert_null(gg_nn_gru(p, "r", open, &two, NULL));
  graph_says(GA_VALUE_ERROR, "the size of axis 2");
  assert_null(gg_nn_gru(p, "r", row, &two, NULL));
  graph_says(GA_VALUE_ERROR, "expected 3 axes or more");
  assert_null(gg_nn_lstm(p, "r", four, &two, NULL, NULL));
  graph_says(GA_VALUE_ERROR, "expected [steps, images, inputs]");
  assert_null(
      gg_nn_gru(p, "r", x, &(gg_recurrent){.units = 2, .dropout = NAN}, NULL));
  graph_says(GA_VALUE_ERROR, "dropout is nan");
  assert_null(
      gg_nn_gru(p, "r", x, &(gg_recurrent){.units = 2, .layers = 65}, NULL));
  graph_says(GA_VALUE_ERROR, "65 layers, expected at most 64");
  assert_null(
      gg_nn_gru(p, "r", x, &(gg_recurrent){.units = 2, .flags = 64}, NULL));
  graph_says(GA_VALUE_ERROR, "unknown flags 64");
  assert_null(gg_nn_gru(p, "r", x, &(gg_recurrent){.units = 2, .c = h}, NULL));
  graph_says(GA_VALUE_ERROR, "there is no state c");
  assert_null(gg_nn_lstm(
      p, "r", x, &(gg_recurrent){.units = 2, .layers = 2, .h = h}, NULL, NULL));
  graph_says(GA_VALUE_ERROR, "expected a first state [2, images, 2]");
  assert_null(gg_nn_gru(p, "r", x, &(gg_recurrent){.units = SIZE_MAX}, NULL));
  gg_graph_reset_error(g);
  assert_null(gg_nn_gru(NULL, "r", x, &two, NULL));
  graph_says(GA_VALUE_ERROR, "the group of parameters is NULL");
  assert_null(gg_nn_gru(p, NULL, x, &two, NULL));
  graph_says(GA_VALUE_ERROR, "the name is NULL");
  assert_null(gg_nn_lstm_cell(p, "r", row, x, row, 0, NULL));
  graph_says(GA_VALUE_ERROR, "the size of axis 1");
  assert_null(gg_nn_gru_cell(p, "r", four, row, 0));
  graph_says(GA_VALUE_ERROR, "expected [images, inputs]");
  assert_null(gg_nn_gru_cell(p, "r", row, row, GG_NN_BOTH_WAYS));
  graph_says(GA_VALUE_ERROR, "unknown flags 4");
  assert_null(gg_nn_lstm(p, "r", NULL, &two, NULL, NULL));
  assert_null(gg_nn_lstm_cell(p, "r", row, NULL, row, 0, NULL));
}

#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, params_setup, params_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(lstm_is_a_loop),
                                     TEST(gru_is_a_loop),
                                     TEST(stacks_are_loops_over_loops),
                                     TEST(stacks_may_lack_a_bias),
                                     TEST(cells_are_steps),
                                     TEST(bad_arguments_are_refused)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

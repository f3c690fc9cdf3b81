/* SPDX-License-Identifier: BSD-2-Clause */
/* What functions make of graphs over two contexts, and what is seen of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/two_contexts.h"

/* --- functions --- */

static const gg_mode modes[] = {GG_FAST_RUN, GG_FAST_COMPILE, GG_NO_REWRITE};

/* One value goes over, is worked on, and comes back: sizes with a tail, sizes
 * that change, and none. */
static void values_go_there_and_back(void **state) {
  const size_t sizes[] = {N, 1, 0, 7, N};
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *y = gg_mul(gg_transfer(gg_exp(x), there), gg_f32(g, 2));
  gg_var *z = gg_sub(gg_transfer(y, here), x);
  float want_y[N], want_z[N];

  (void)state;
  for (size_t i = 0; i < N; i++) {
    want_y[i] = 2 * expf(data[i]);
    want_z[i] = want_y[i] - data[i];
  }
  for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
    gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                              .outputs = GG_VARS(y, z),
                                              .mode = modes[m]});
    GpuArray out[2] = {{0}, {0}};

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
      GpuArray in;

      vector_in(&in, here, sizes[k]);
      func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&out[0], &out[1]});
      assert_ptr_equal(GpuArray_context(&out[0]), there);
      assert_ptr_equal(GpuArray_context(&out[1]), here);
      assert_floats(&out[0], want_y, sizes[k]);
      assert_floats(&out[1], want_z, sizes[k]);
      GpuArray_clear(&in);
    }
    assert_int_equal(func_stats(f).transfers, 2);
    GpuArray_clear(&out[0]);
    GpuArray_clear(&out[1]);
    gg_func_free(f);
  }
}

/* Views are put in order before they travel, and the caller's array is used
 * again. */
static void strided_values_travel(void **state) {
  const size_t dims[2] = {40, 25};
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2);
  gg_var *y = gg_transfer(gg_transpose(x), there);
  GpuArray in, out = {0};
  float want[N];
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y)});

  (void)state;
  for (size_t i = 0; i < N; i++)
    want[i % dims[1] * dims[0] + i / dims[1]] = data[i];
  float_array(&in, 2, dims, data);
  func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&out});
  assert_floats(&out, want, N);
  gpudata *first = out.data;
  func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&out});
  assert_ptr_equal(out.data, first);
  assert_floats(&out, want, N);
  GpuArray_clear(&in);
  GpuArray_clear(&out);
  gg_func_free(f);
}

/* Numbers that the host knows need no transfer, whoever uses them. */
static void numbers_are_everywhere(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *y = input("y", there);
  gg_var *n = gg_cast(gg_size(x), GA_FLOAT);
  gg_var *out[2] = {gg_div(x, n), gg_div(y, gg_transfer(n, there))};

  (void)state;
  for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
    gg_func *f =
        func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, y),
                                     .outputs = GG_VARS(out[0], out[1], n),
                                     .mode = modes[m]});
    GpuArray in[2], got[3] = {{0}, {0}, {0}};
    const float size = N;
    float want[N];

    for (size_t i = 0; i < N; i++)
      want[i] = data[i] / N;
    vector_in(&in[0], here, N);
    vector_in(&in[1], there, N);
    func_run(f, (GpuArray *[]){&in[0], &in[1]},
             (GpuArray *[]){&got[0], &got[1], &got[2]});
    assert_floats(&got[0], want, N);
    assert_floats(&got[1], want, N);
    assert_floats(&got[2], &size, 1);
    assert_ptr_equal(GpuArray_context(&got[2]), here);
    assert_int_equal(func_stats(f).transfers, 0);
    for (int k = 0; k < 3; k++)
      GpuArray_clear(&got[k]);
    GpuArray_clear(&in[0]);
    GpuArray_clear(&in[1]);
    gg_func_free(f);
  }
}

/* Constants that need memory, as they are and worked on, in two contexts. */
static void constants_are_everywhere(void **state) {
  const size_t n = N;
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *y = input("y", there);
  gg_var *c = gg_constant(g, GA_FLOAT, 1, &n, data), *e = gg_exp(c);
  gg_var *sum = gg_sum(e);
  float want[N], want_e[N];

  (void)state;
  for (size_t i = 0; i < N; i++) {
    want_e[i] = expf(data[i]);
    want[i] = data[i] * data[i] + want_e[i];
  }
  for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
    gg_func *f = func_make(
        g, &(gg_func_spec){.inputs = GG_VARS(x, y),
                           .outputs = GG_VARS(
                               gg_add(gg_mul(x, c), e), gg_add(gg_mul(y, c), e),
                               e, c, gg_transfer(c, there), gg_mul(y, sum)),
                           .mode = modes[m]});
    GpuArray in[2], got[6], *out[6];

    memset(got, 0, sizeof got);
    for (int k = 0; k < 6; k++)
      out[k] = &got[k];
    vector_in(&in[0], here, N);
    vector_in(&in[1], there, N);
    func_run(f, (GpuArray *[]){&in[0], &in[1]}, out);
    for (int k = 0; k < 5; k++)
      assert_floats(&got[k], k < 2 ? want : k == 2 ? want_e : data, N);
    assert_ptr_equal(GpuArray_context(&got[1]), there);
    assert_ptr_equal(GpuArray_context(&got[3]), here);
    assert_ptr_equal(GpuArray_context(&got[4]), there);
    for (int k = 0; k < 6; k++)
      GpuArray_clear(&got[k]);
    GpuArray_clear(&in[0]);
    GpuArray_clear(&in[1]);
    gg_func_free(f);
  }
}

/* What rewriting makes constant stays where the user expects it. */
static void zeros_stay_where_they_belong(void **state) {
  gg_var *y = input("y", there);
  gg_var *zero = gg_sum(gg_sub(y, y)), *n = gg_sum(gg_ones_like(y));
  GpuArray in, out[2] = {{0}, {0}};
  const float none = 0, size = N;
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(y), .outputs = GG_VARS(zero, n)});

  (void)state;
  vector_in(&in, there, N);
  func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&out[0], &out[1]});
  assert_floats(&out[0], &none, 1);
  assert_floats(&out[1], &size, 1);
  assert_ptr_equal(GpuArray_context(&out[0]), there);
  assert_ptr_equal(GpuArray_context(&out[1]), there);
  GpuArray_clear(&in);
  GpuArray_clear(&out[0]);
  GpuArray_clear(&out[1]);
  gg_func_free(f);
}

static void inputs_come_from_their_context(void **state) {
  char part[400], text[288];
  gg_var *y = input("y", there);
  GpuArray in, out = {0};
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(y), .outputs = GG_VARS(gg_exp(y))});

  (void)state;
  vector_in(&in, here, N);
  assert_code(GA_VALUE_ERROR,
              gg_func_call(f, (GpuArray *[]){&in}, (GpuArray *[]){&out}));
  snprintf(part, sizeof part,
           "input 0 (y): the array is in another context (%s)",
           gg_context_text(here, text, sizeof text));
  assert_non_null(strstr(gg_func_error(f), part));
  GpuArray_clear(&in);
  gg_func_free(f);
}

/* --- gradients --- */

/* d sum((2 x)^2 sin x) / dx, a factor computed elsewhere. */
static void gradients_travel_back(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *far = gg_sqr(gg_mul(gg_transfer(x, there), gg_f32(g, 2)));
  gg_var *cost = gg_sum(gg_mul(gg_transfer(far, here), gg_sin(x)));
  gg_var *d = NULL, *moved = NULL, *dir = gg_input(g, "dir", GA_FLOAT, 1);
  GpuArray in, out[2] = {{0}, {0}};
  float want[N];
  gg_func *f;

  (void)state;
  assert_ok(gg_grad(&d, cost, 1, &x));
  assert_ptr_equal(gg_var_type(d)->ctx, here);
  assert_ok(gg_rop(&moved, 1, &far, 1, &x, &dir));
  assert_ptr_equal(gg_var_type(moved)->ctx, there);
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, dir),
                                   .outputs = GG_VARS(d, moved)});
  vector_in(&in, here, N);
  func_run(f, (GpuArray *[]){&in, &in}, (GpuArray *[]){&out[0], &out[1]});
  for (size_t i = 0; i < N; i++)
    want[i] =
        8 * data[i] * sinf(data[i]) + 4 * data[i] * data[i] * cosf(data[i]);
  assert_floats(&out[0], want, N);
  for (size_t i = 0; i < N; i++)
    want[i] = 8 * data[i] * data[i];
  assert_floats(&out[1], want, N);
  GpuArray_clear(&in);
  GpuArray_clear(&out[0]);
  GpuArray_clear(&out[1]);
  gg_func_free(f);
}

/* --- what is seen --- */

/* All that needs no transfer comes before the first half of waiting. */
static void waiting_comes_last(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *y = input("y", there);
  gg_var *far = gg_transfer(gg_exp(y), here);
  gg_var *near = gg_sum(gg_sin(gg_cos(x)));
  gg_func *f;

  (void)state;
  assert_ok(gg_context_register("left", here));
  assert_ok(gg_context_register("right", there));
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, y),
                                   .outputs = GG_VARS(gg_mul(far, far), near)});
  char *text = func_text(f);
  char *wait = strstr(text, "transfer to left");
  assert_non_null(wait);
  assert_true(strstr(text, "sum") < wait);
  assert_true(strstr(text, "send") < wait);
  assert_non_null(strstr(text, "on right"));
  free(text);
  gg_func_free(f);
  assert_ok(gg_context_unregister("left"));
  assert_ok(gg_context_unregister("right"));
}

/* What another device waits for is sent before work of one's own. */
static void sending_comes_first(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *near = gg_sum(gg_sin(gg_cos(x)));
  gg_var *far = gg_exp(gg_transfer(gg_sqr(x), there));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(near, far)});
  char *text = func_text(f);

  (void)state;
  assert_non_null(strstr(text, "send"));
  assert_true(strstr(text, "send") < strstr(text, "sum"));
  assert_true(strstr(text, "sum") < strstr(text, "transfer to"));
  free(text);
  gg_func_free(f);
}

static void profiles_name_devices(void **state) {
  gg_var *y = input("y", there);
  gg_var *z = gg_exp(gg_transfer(gg_sin(y), here));
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(y),
                                            .outputs = GG_VARS(z),
                                            .flags = GG_PROFILE});
  gg_profile_row rows[8];
  GpuArray in, out = {0};
  char text[288];
  size_t transfers = 0;

  (void)state;
  vector_in(&in, there, N);
  for (size_t k = 0; k < 5; k++)
    func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&out});
  size_t n = gg_func_profile_rows(f, rows, 8);
  assert_int_equal(n, 3);
  for (size_t k = 0; k < n; k++) {
    const int is_far = strstr(rows[k].label, "sin") != NULL;

    assert_int_equal(rows[k].calls, 5);
    assert_string_equal(rows[k].device, gg_context_text(is_far ? there : here,
                                                        text, sizeof text));
    if (strcmp(rows[k].provider, "transfer") != 0)
      continue;
    transfers++;
    assert_true(rows[k].bytes == 5.0 * N * sizeof(float));
  }
  assert_int_equal(transfers, 1);
  GpuArray_clear(&in);
  GpuArray_clear(&out);
  gg_func_free(f);
}

/* A function keeps its contexts, whoever lets go of them. */
static void functions_keep_contexts(void **state) {
  gg_func *f;
  gpucontext *ctx;

  (void)state;
  assert_ok(gpucontext_open(&ctx, NULL));
  gg_var *y = input("y", ctx);
  f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(y),
                         .outputs = GG_VARS(gg_transfer(gg_exp(y), here))});
  gpucontext_deref(ctx);
  assert_true(gpucontext_alive(ctx));
  gg_func_free(f);
  assert_false(gpucontext_alive(ctx));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(values_go_there_and_back),     TEST(strided_values_travel),
      TEST(numbers_are_everywhere),       TEST(constants_are_everywhere),
      TEST(zeros_stay_where_they_belong), TEST(inputs_come_from_their_context),
      TEST(gradients_travel_back),        TEST(waiting_comes_last),
      TEST(sending_comes_first),          TEST(profiles_name_devices),
      TEST(functions_keep_contexts),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

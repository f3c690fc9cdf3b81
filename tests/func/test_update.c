/* SPDX-License-Identifier: BSD-2-Clause */
/* Updates of shared variables: old values are read, new ones stored together,
 * in place where that cannot be seen. */
#include <stdlib.h>
#include <string.h>

#include "support/graph_case.h"

static const float one2six[6] = {1, 2, 3, 4, 5, 6};
static const float tens[6] = {10, 20, 30, 40, 50, 60};

static gg_var *vector(const char *name, const float *v) {
  return gg_shared_host(g, name, GA_FLOAT, 1, (size_t[]){6}, v);
}

/* The same with a size that may change. */
static gg_var *open_vector(const char *name, const float *v) {
  return gg_shared_host_sized(g, name, GA_FLOAT, 1, (size_t[]){6}, v, NULL);
}

static gg_var *square(const char *name) {
  return gg_shared_host(g, name, GA_FLOAT, 2, (size_t[]){2, 2}, one2six);
}

static int is_in_place(gg_func *f) {
  char *text = func_text(f);
  const int found = strstr(text, "(in place)") != NULL;

  free(text);
  return found;
}

/* w <- w + x, read before and after. */
static void test_in_place(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *w = vector("w", tens);
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_neg(w)),
                                   .updates = GG_UPDATES({w, gg_add(w, x)})});
  float want[6], old[6];

  (void)state;
  float_vector(&a, 6, one2six);
  for (int k = 0; k < 3; k++) {
    func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
    for (int i = 0; i < 6; i++) {
      old[i] = -(tens[i] + (float)k * one2six[i]);
      want[i] = tens[i] + (float)(k + 1) * one2six[i];
    }
    assert_floats(&out, old, 6);
    assert_shared(w, want, 6);
  }
  assert_true(is_in_place(f));
  assert_int_equal(func_stats(f).steps, 1);
  assert_int_equal(func_stats(f).temp_bytes, 0);
  gg_func_free(f);
}

/* All expressions see the old values, in whatever order they stand. */
static void test_cyclic_swap(void **state) {
  gg_var *v = vector("v", one2six), *w = vector("w", tens);
  gg_func *f =
      func_make(g, &(gg_func_spec){.updates = GG_UPDATES({v, w}, {w, v})});

  (void)state;
  func_run(f, NULL, NULL);
  assert_shared(v, tens, 6);
  assert_shared(w, one2six, 6);
  func_run(f, NULL, NULL);
  assert_shared(v, one2six, 6);
  assert_shared(w, tens, 6);
  gg_func_free(f);
}

/* v <- w + 1, w <- v * 2: neither can be in place before the other is read. */
static void test_cyclic_updates(void **state) {
  gg_var *v = vector("v", one2six), *w = vector("w", tens);
  gg_var *v1 = gg_add(w, gg_f32(g, 1)), *w1 = gg_mul(v, gg_f32(g, 2));
  gg_func *f =
      func_make(g, &(gg_func_spec){.updates = GG_UPDATES({v, v1}, {w, w1})});
  float want_v[6], want_w[6], t;

  (void)state;
  memcpy(want_v, one2six, sizeof want_v);
  memcpy(want_w, tens, sizeof want_w);
  for (int k = 0; k < 3; k++) {
    func_run(f, NULL, NULL);
    for (int i = 0; i < 6; i++) {
      t = want_v[i];
      want_v[i] = want_w[i] + 1;
      want_w[i] = t * 2;
    }
    assert_shared(v, want_v, 6);
    assert_shared(w, want_w, 6);
  }
  gg_func_free(f);
}

/* The new value of w reads w in another order than it is written. */
static void test_transposed(void **state) {
  gg_var *w = square("w");
  gg_var *w1 = gg_add(w, gg_transpose(w));
  gg_func *f = func_make(g, &(gg_func_spec){.updates = GG_UPDATES({w, w1})});
  const float want[4] = {2, 5, 5, 8};

  (void)state;
  func_run(f, NULL, NULL);
  assert_shared(w, want, 4);
  assert_false(is_in_place(f));
  gg_func_free(f);
}

/* A reduction that reads what its result would overwrite. */
static void test_reduced(void **state) {
  gg_var *w = square("w"), *s = gg_shared_host(g, "s", GA_FLOAT, 0, NULL, tens);
  gg_var *w1 = gg_sub(w, gg_reduce(GG_MAX, w, 1, (int[]){1}, 1));
  gg_var *s1 = gg_add(s, gg_sum(w));
  gg_func *f =
      func_make(g, &(gg_func_spec){.updates = GG_UPDATES({w, w1}, {s, s1})});
  const float want[4] = {-1, 0, -1, 0};
  float sum = 20;

  (void)state;
  func_run(f, NULL, NULL);
  assert_shared(w, want, 4);
  assert_shared(s, &sum, 1);
  func_run(f, NULL, NULL);
  assert_shared(w, want, 4);
  sum -= 2;
  assert_shared(s, &sum, 1);
  gg_func_free(f);
}

/* A matrix product that is added to w, in w; and one that replaces it. */
static void test_products(void **state) {
  gg_var *w = square("w"), *x = gg_input(g, "x", GA_FLOAT, 2);
  gg_var *half = gg_f32(g, 0.5f);
  gg_func *add = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .updates = GG_UPDATES(
                             {w, gg_sub(w, gg_mul(half, gg_dot(x, w)))})});
  gg_func *put =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .updates = GG_UPDATES({w, gg_dot(x, w)})});
  const float unit[4] = {1, 0, 0, 1}, want[4] = {0.5f, 1, 1.5f, 2};
  size_t dims[2] = {2, 2};

  (void)state;
  float_array(&a, 2, dims, unit);
  func_run(add, (GpuArray *[]){&a}, NULL);
  assert_shared(w, want, 4);
  func_run(put, (GpuArray *[]){&a}, NULL);
  func_run(put, (GpuArray *[]){&a}, NULL);
  assert_shared(w, want, 4);
  gg_func_free(add);
  gg_func_free(put);
}

/* The new value is also an output, twice. */
static void test_output_too(void **state) {
  gg_var *w = vector("w", one2six), *w1 = gg_add(w, w);
  GpuArray second = {0};
  gg_func *f = func_make(g, &(gg_func_spec){.outputs = GG_VARS(w1, w1),
                                            .updates = GG_UPDATES({w, w1})});
  float want[6];

  (void)state;
  for (int i = 0; i < 6; i++)
    want[i] = 2 * one2six[i];
  func_run(f, NULL, (GpuArray *[]){&out, &second});
  assert_floats(&out, want, 6);
  assert_floats(&second, want, 6);
  assert_shared(w, want, 6);
  GpuArray_clear(&second);
  gg_func_free(f);
}

/* The new value is an input, a constant, a view of another variable. */
static void test_leaves(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *v = vector("v", one2six);
  gg_var *w = vector("w", one2six), *m = square("m"), *n = square("n");
  gg_var *c = gg_constant(g, GA_FLOAT, 1, (size_t[]){6}, tens);
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .updates = GG_UPDATES(
                                       {v, x}, {w, c}, {m, gg_transpose(n)})});
  const float want[4] = {1, 3, 2, 4};

  (void)state;
  float_vector(&a, 6, tens);
  func_run(f, (GpuArray *[]){&a}, NULL);
  assert_shared(v, tens, 6);
  assert_shared(w, tens, 6);
  assert_shared(m, want, 4);
  assert_shared(n, one2six, 4);
  gg_func_free(f);
}

/* Two functions with one variable, and the user's own hands on it. */
static void test_two_functions(void **state) {
  gg_var *w = vector("w", one2six), *two = gg_f32(g, 2);
  gg_func *twice =
      func_make(g, &(gg_func_spec){.updates = GG_UPDATES({w, gg_mul(w, two)})});
  gg_func *other = func_make(
      g, &(gg_func_spec){.outputs = GG_VARS(gg_sum(w)),
                         .updates = GG_UPDATES(
                             {w, gg_slice(gg_neg(w), 0, GG_END, GG_END, -1)})});
  float sum = 42, want[6];

  (void)state;
  func_run(twice, NULL, NULL);
  func_run(other, NULL, (GpuArray *[]){&out});
  assert_floats(&out, &sum, 1);
  func_run(twice, NULL, NULL);
  for (int i = 0; i < 6; i++)
    want[i] = -4 * one2six[i];
  func_run(other, NULL, (GpuArray *[]){&out});
  for (int i = 0; i < 6; i++)
    want[i] = 4 * one2six[i];
  assert_shared(w, want, 6);
  assert_ok(gg_shared_write(w, tens, sizeof tens));
  func_run(other, NULL, (GpuArray *[]){&out});
  sum = 210;
  assert_floats(&out, &sum, 1);
  gg_func_free(twice);
  gg_func_free(other);
}

/* A variable may change its sizes: by an update, and by gg_shared_set. */
static void test_sizes(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *w = open_vector("w", one2six);
  gg_var *in[2] = {w, x};
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .outputs = GG_VARS(gg_sum(w)),
                         .updates = GG_UPDATES({w, gg_join(0, 2, in)})});
  const float want[8] = {1, 2, 3, 4, 5, 6, 10, 20};
  const float longer[10] = {1, 2, 3, 4, 5, 6, 10, 20, 10, 20};
  const float after[4] = {10, 20, 10, 20};
  float sum = 21;

  (void)state;
  float_vector(&a, 2, tens);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_floats(&out, &sum, 1);
  assert_shared(w, want, 8);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  sum = 51;
  assert_floats(&out, &sum, 1);
  assert_shared(w, longer, 10);
  assert_ok(gg_shared_set(w, &a));
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  sum = 30;
  assert_floats(&out, &sum, 1);
  assert_shared(w, after, 4);
  gg_func_free(f);
}

/* A variable that grows in each call and is set back: the buffer that waits for
 * its next value is too small then. */
static void test_set_back(void **state) {
  enum { N = 3000 };
  static float v[N], want[2 * N];
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *w = gg_shared_host_sized(g, "w", GA_FLOAT, 1, (size_t[]){N}, v, NULL);
  gg_var *in[2] = {w, x};
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .updates = GG_UPDATES({w, gg_join(0, 2, in)})});

  (void)state;
  for (int i = 0; i < 2 * N; i++)
    v[i % N] = want[i] = (float)(i % N);
  float_vector(&a, N, v);
  for (int i = 0; i < 3; i++) {
    assert_ok(gg_shared_set(w, &a));
    func_run(f, (GpuArray *[]){&a}, NULL);
    assert_shared(w, want, 2 * N);
  }
  gg_func_free(f);
}

/* A variable that no expression reads; and one whose old value is an output. */
static void test_write_only(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *w = open_vector("w", one2six);
  gg_func *put =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .updates = GG_UPDATES({w, gg_sqr(x)})});
  gg_func *get =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(w),
                                   .updates = GG_UPDATES({w, gg_sqr(x)})});
  const float three[3] = {1, 4, 9};
  float want[6];

  (void)state;
  for (int i = 0; i < 6; i++)
    want[i] = tens[i] * tens[i];
  float_vector(&a, 6, tens);
  func_run(put, (GpuArray *[]){&a}, NULL);
  assert_shared(w, want, 6);
  func_run(get, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_floats(&out, want, 6);
  GpuArray_clear(&a);
  float_vector(&a, 3, one2six);
  func_run(put, (GpuArray *[]){&a}, NULL);
  assert_shared(w, three, 3);
  func_run(get, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_floats(&out, three, 3);
  gg_func_free(put);
  gg_func_free(get);
}

/* The same in every mode: momentum descent on a quadratic. */
static void test_modes(void **state) {
  const gg_mode modes[] = {GG_FAST_RUN, GG_FAST_COMPILE, GG_NO_REWRITE};
  float p[6], m[6];

  (void)state;
  for (size_t k = 0; k < 3; k++) {
    gg_var *w = vector("w", one2six), *v = vector("v", tens), *grad;
    gg_func *f;

    assert_ok(gg_grad(&grad, gg_sum(gg_sqr(w)), 1, &w));
    gg_var *v1 =
        gg_sub(gg_mul(v, gg_f32(g, 0.5f)), gg_mul(grad, gg_f32(g, 0.25f)));
    f = func_make(
        g, &(gg_func_spec){.updates = GG_UPDATES({w, gg_add(w, v1)}, {v, v1}),
                           .mode = modes[k]});
    for (int i = 0; i < 6; i++) {
      p[i] = one2six[i];
      m[i] = tens[i];
    }
    for (int step = 0; step < 4; step++) {
      func_run(f, NULL, NULL);
      for (int i = 0; i < 6; i++) {
        m[i] = 0.5f * m[i] - 0.5f * p[i];
        p[i] += m[i];
      }
    }
    assert_shared(w, p, 6);
    assert_shared(v, m, 6);
    gg_func_free(f);
  }
}

/* What may overwrite its operand does not overwrite a constant, nor the copy
 * that a function keeps of it: calls find what the first one found. */
static void test_in_place_on_constant(void **state) {
  const float want[6] = {-11, -2, -3, -4, -15, -6};
  gg_var *c = gg_constant(g, GA_FLOAT, 1, (size_t[]){6}, one2six);
  gg_var *i = gg_input(g, "i", GA_LONG, 1);
  gg_var *sum = gg_put_add(c, 0, i, gg_f32(g, 10));
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(i),
                                            .outputs = GG_VARS(gg_neg(sum)),
                                            .mutable_inputs = GG_VARS(i)});
  const float *data = gg_var_data(c);

  (void)state;
  for (int k = 0; k < 3; k++) {
    GpuArray_clear(&a);
    test_array(&a, GA_LONG, 1, (size_t[]){2}, (const int64_t[]){0, 4});
    func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
    assert_floats(&out, want, 6);
  }
  for (int k = 0; k < 6; k++)
    assert_true(data[k] == one2six[k]);
  gg_func_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_in_place, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_in_place_on_constant, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_cyclic_swap, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_cyclic_updates, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_transposed, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_reduced, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_products, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_output_too, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_leaves, graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(test_two_functions, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_sizes, graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(test_set_back, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_write_only, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_modes, graph_setup, graph_teardown),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
